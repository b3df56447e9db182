"""Operands as DeepGEMM's kernels take them: fp8 and fp4 values, their scales, their layouts."""

from dgpin.smoke.references import FP8_BLOCK, Tensor, Torch

E4M3_MAX = 448.0
E2M1_MAX = 6.0
# The magnitudes of e2m1, and the midpoints between neighbours.
E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
E2M1_EDGES = (0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)


def align(value: int, to: int) -> int:
    """Return the smallest multiple of `to` that is at least `value`."""
    return -(-value // to) * to


def power_of_two(scale: Tensor) -> Tensor:
    """Return the next power of two at or above each scale: what UE8M0 can hold."""
    return scale.log2().ceil().exp2()


def fp8_rows(
    torch: Torch, x: Tensor, *, block: int = FP8_BLOCK, pow2: bool = False
) -> tuple[Tensor, Tensor]:
    """Return e4m3 [..., K] and one fp32 scale per row and `block` columns."""
    wide = x.float().unflatten(-1, (-1, block))
    scale = wide.abs().amax(-1).clamp_min(1e-4) / E4M3_MAX
    scale = power_of_two(scale) if pow2 else scale
    values = (wide / scale.unsqueeze(-1)).to(torch.float8_e4m3fn).flatten(-2)
    return values, scale


def fp8_blocks(torch: Torch, x: Tensor, *, pow2: bool = False) -> tuple[Tensor, Tensor]:
    """Return e4m3 [..., N, K] and one fp32 scale per 128x128 block; N is padded for the last."""
    rows = x.shape[-2]
    missing = align(rows, FP8_BLOCK) - rows
    padded = torch.nn.functional.pad(x.float(), (0, 0, 0, missing))
    tiles = padded.unflatten(-1, (-1, FP8_BLOCK)).unflatten(-3, (-1, FP8_BLOCK))
    scale = tiles.abs().amax((-3, -1)).clamp_min(1e-4) / E4M3_MAX
    scale = power_of_two(scale) if pow2 else scale
    values = (tiles / scale.unsqueeze(-2).unsqueeze(-1)).to(torch.float8_e4m3fn)
    return values.flatten(-2).flatten(-3, -2)[..., :rows, :].contiguous(), scale


def fp4_rows(torch: Torch, x: Tensor, *, block: int = 32) -> tuple[Tensor, Tensor, Tensor]:
    """Return e2m1 packed two a byte [..., K/2] as int8, its power-of-two scales, its values.

    The low nibble holds the even column.
    """
    wide = x.float().unflatten(-1, (-1, block))
    scale = power_of_two(wide.abs().amax(-1).clamp_min(1e-4) / E2M1_MAX)
    scaled = wide / scale.unsqueeze(-1)
    code = torch.bucketize(scaled.abs(), torch.tensor(E2M1_EDGES, device=x.device))
    magnitude = torch.tensor(E2M1, device=x.device)[code]
    values = (magnitude * scaled.sign() * scale.unsqueeze(-1)).flatten(-2)
    nibble = (code + 8 * (scaled < 0)).to(torch.uint8).flatten(-2)
    packed = nibble[..., 0::2] | (nibble[..., 1::2] << 4)
    return packed.contiguous().view(torch.int8), scale, values


def pack_ue8m0(torch: Torch, scale: Tensor) -> Tensor:
    """Return power-of-two fp32 scales [M, C] as exponents, four an int32, rows innermost.

    The layout of SM100's scale operands: [M, ceil(C/4)] with stride 1 along M, M padded to 4.
    """
    rows, columns = scale.shape
    exponents = (scale.contiguous().view(torch.int32) >> 23).to(torch.uint8)
    wide = torch.zeros(align(rows, 4), align(columns, 4), dtype=torch.uint8, device=scale.device)
    wide[:rows, :columns] = exponents
    words = wide.view(torch.int32)  # [M, C/4]
    return words.T.contiguous().T[:rows]


def pack_ue8m0_rows(torch: Torch, scale: Tensor) -> Tensor:
    """Return power-of-two fp32 scales [M, C] as exponents, four an int32, [M, C/4] row by row."""
    exponents = (scale.contiguous().view(torch.int32) >> 23).to(torch.uint8)
    return exponents.contiguous().view(torch.int32)


def roll(torch: Torch, x: Tensor, dim: int) -> Tensor:
    """Return x rolled by one; torch has no kernel to roll fp8."""
    if x.element_size() != 1:
        return x.roll(1, dim).contiguous()
    return x.view(torch.uint8).roll(1, dim).contiguous().view(x.dtype)


def spread(torch: Torch, scale: Tensor, *, octaves: int = 6) -> Tensor:
    """Return scales multiplied by random powers of two from 2^-octaves to 2^octaves.

    With plain random data all scales are alike, and a kernel that took the wrong one would pass.
    """
    exponents = torch.randint(-octaves, octaves + 1, scale.shape, device=scale.device)
    return scale * exponents.float().exp2()
