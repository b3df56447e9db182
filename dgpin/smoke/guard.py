"""Device memory whose last byte is the last byte of a mapping.

Reading or writing one element past the end then faults in hardware at once, where the caching
allocator would have handed out the neighbour's memory. CUDA's virtual memory API, by ctypes.
"""

import ctypes

from dgpin.smoke.operands import align
from dgpin.smoke.references import Tensor, Torch

_PINNED_DEVICE_MEMORY = 1  # CU_MEM_ALLOCATION_TYPE_PINNED
_ON_DEVICE = 1  # CU_MEM_LOCATION_TYPE_DEVICE
_READ_AND_WRITE = 3  # CU_MEM_ACCESS_FLAGS_PROT_READWRITE


class _Location(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class _Flags(ctypes.Structure):
    _fields_ = (
        ("compression", ctypes.c_ubyte),
        ("rdma", ctypes.c_ubyte),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 4),
    )


class _Properties(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("handles", ctypes.c_int),
        ("location", _Location),
        ("win32", ctypes.c_void_p),
        ("flags", _Flags),
    )


class _Access(ctypes.Structure):
    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


class _Memory:
    """What torch needs to see foreign device memory as a tensor."""

    def __init__(self, shape: tuple[int, ...], kind: str, address: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": kind,
            "data": (address, False),
            "version": 3,
            "strides": None,
        }


def at_the_end(torch: Torch, tensor: Tensor) -> tuple[Tensor, object]:
    """Return a copy of the tensor that ends where its mapping ends, and what keeps it alive.

    The mapping is never released: the process is short, and a release could be the fault.

    Raises:
        RuntimeError: the driver refused.
    """
    cuda = ctypes.CDLL("libcuda.so.1")
    device = torch.cuda.current_device()
    torch.cuda.synchronize()
    properties = _Properties(type=_PINNED_DEVICE_MEMORY, location=_Location(_ON_DEVICE, device))
    page = ctypes.c_size_t()
    _ask(cuda.cuMemGetAllocationGranularity(ctypes.byref(page), ctypes.byref(properties), 0))
    needed = tensor.numel() * tensor.element_size()
    size = align(needed, page.value)
    handle, address = ctypes.c_ulonglong(), ctypes.c_ulonglong()
    none = ctypes.c_ulonglong(0)
    _ask(
        cuda.cuMemCreate(
            ctypes.byref(handle), ctypes.c_size_t(size), ctypes.byref(properties), none
        )
    )
    # One page more than is mapped: nothing else can move in behind the end.
    reserved = ctypes.c_size_t(size + page.value)
    zero = ctypes.c_size_t(0)
    _ask(cuda.cuMemAddressReserve(ctypes.byref(address), reserved, zero, none, none))
    _ask(cuda.cuMemMap(address, ctypes.c_size_t(size), zero, handle, none))
    access = _Access(location=_Location(_ON_DEVICE, device), flags=_READ_AND_WRITE)
    _ask(
        cuda.cuMemSetAccess(
            address, ctypes.c_size_t(size), ctypes.byref(access), ctypes.c_size_t(1)
        )
    )
    kind = {torch.int32: "<i4", torch.float32: "<f4", torch.uint8: "|u1"}[tensor.dtype]
    memory = _Memory(tuple(tensor.shape), kind, address.value + size - needed)
    guarded = torch.as_tensor(memory, device=f"cuda:{device}")
    guarded.copy_(tensor)
    return guarded, memory


def _ask(code: int) -> None:
    if code:
        raise RuntimeError(f"the driver refused a guarded mapping with error {code}")
