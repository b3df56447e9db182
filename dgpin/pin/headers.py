"""Whose header is it? Tables of the headers that a source may use without shipping them."""

import re
from dataclasses import dataclass
from enum import Enum


class Owner(str, Enum):
    """Who brings a header to the machine that compiles."""

    STANDARD = "standard"  # the compiler and the C library
    CUDA = "cuda"
    TORCH = "torch"  # torch with its pybind11, and Python itself
    PACKAGE = "package"  # a package of the distribution, see PACKAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """The package that holds a header, by the name it has in each family of distributions."""

    rpm: str
    deb: str
    apk: str


# Names as in AlmaLinux 8 and 9, Debian 12 and Ubuntu 22.04, Alpine 3.
_DWARF = Package(rpm="elfutils-devel", deb="libdw-dev", apk="elfutils-dev")
_ELF = Package(rpm="elfutils-libelf-devel", deb="libelf-dev", apk="elfutils-dev")
PACKAGES = {
    "elfutils/libdw.h": _DWARF,
    "elfutils/libdwelf.h": _DWARF,
    "elfutils/libdwfl.h": _DWARF,
    "gelf.h": _ELF,
    "infiniband/verbs.h": Package(rpm="rdma-core-devel", deb="libibverbs-dev", apk="rdma-core-dev"),
    "libelf.h": _ELF,
    "numa.h": Package(rpm="numactl-devel", deb="libnuma-dev", apk="numactl-dev"),
    "zlib.h": Package(rpm="zlib-devel", deb="zlib1g-dev", apk="zlib-dev"),
}

# The first GCC whose libstdc++ has the header: https://gcc.gnu.org/onlinedocs/libstdc++/manual/status.html
GCC_FLOORS = {
    "any": "7",
    "barrier": "11",
    "bit": "9",
    "charconv": "8",
    "compare": "10",
    "concepts": "10",
    "coroutine": "10",
    "execution": "9",
    "expected": "12",
    "filesystem": "8",
    "flat_map": "15",
    "flat_set": "15",
    "format": "13",
    "generator": "14",
    "latch": "11",
    "memory_resource": "9",
    "numbers": "10",
    "optional": "7",
    "print": "14",
    "ranges": "10",
    "semaphore": "11",
    "source_location": "11",
    "span": "10",
    "spanstream": "12",
    "stacktrace": "12",
    "stdfloat": "13",
    "stop_token": "10",
    "string_view": "7",
    "syncstream": "11",
    "text_encoding": "14",
    "variant": "7",
    "version": "9",
}

# Standard headers of which no release of GCC is known here to have them.
UNDATED = frozenset(
    {"debugging", "hazard_pointer", "hive", "inplace_vector", "linalg", "mdspan", "rcu", "simd"}
    | {"stdbit.h", "stdckdint.h"}
)

# ISO C++ up to 23 and what it took from C, then POSIX and glibc as far as a C++ program meets them.
_STANDARD = (
    frozenset(
        """
    algorithm array atomic bitset cassert ccomplex cctype cerrno cfenv cfloat chrono cinttypes
    ciso646 climits clocale cmath codecvt complex condition_variable csetjmp csignal cstdalign
    cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype
    deque exception forward_list fstream functional future initializer_list iomanip ios iosfwd
    iostream istream iterator limits list locale map memory mutex new numeric ostream queue
    random ratio regex scoped_allocator set shared_mutex sstream stack stdatomic.h stdexcept
    streambuf string strstream system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray vector
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h
    math.h setjmp.h signal.h stdalign.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
    aio.h aliases.h alloca.h ar.h argp.h argz.h arm_neon.h byteswap.h cpio.h cpuid.h cxxabi.h
    dirent.h dlfcn.h elf.h endian.h envz.h err.h error.h execinfo.h fcntl.h features.h fmtmsg.h
    fnmatch.h fstab.h fts.h ftw.h gconv.h getopt.h glob.h grp.h gshadow.h iconv.h ifaddrs.h
    langinfo.h lastlog.h libgen.h libintl.h link.h malloc.h mcheck.h memory.h mm_malloc.h
    mntent.h monetary.h mqueue.h netdb.h nl_types.h nss.h obstack.h omp.h paths.h poll.h
    printf.h proc_service.h pthread.h pty.h pwd.h quadmath.h regex.h resolv.h sched.h search.h
    semaphore.h sgtty.h shadow.h spawn.h stdio_ext.h strings.h syscall.h sysexits.h syslog.h
    tar.h termio.h termios.h thread_db.h ttyent.h ucontext.h ulimit.h unistd.h unwind.h utime.h
    utmp.h utmpx.h values.h wait.h wordexp.h
    """.split()  # noqa: SIM905 - a table of words is easier to read and to extend
    )
    | UNDATED
    | frozenset(GCC_FLOORS)
)
_SYSTEM = re.compile(
    r"(?:sys|linux|asm|asm-generic|net|netinet|arpa|bits|ext|experimental)/\S+|\w+intrin\.h"
)
# The toolkit's include directory, and include/cccl (cub, thrust, cuda/std, nv/target). cuDNN and
# NCCL are none of it.
_CUDA = re.compile(
    r"(?:cccl|cuda|cub|thrust|nv|nvtx3|cooperative_groups|crt|fatbinary_section)/\S+"
    r"|cuda\w*\.h(?:pp)?"
    r"|cu(?:Complex|blas\w*|fft\w*|file\w*|pti\w*|rand\w*|solver\w*|sparse\w*)\.h"
    r"|nv(?:rtc|vm|JitLink|ml|blas|PTXCompiler|fatbin|_decode|perf_\w+|ToolsExt\w*)\.h"
    r"|(?:builtin|channel|common|device|driver|host|library|math|sm|surface|texture|vector)"
    r"_\w+\.h(?:pp)?"
    r"|(?:cooperative_groups|fatbinary_section|mma|generated_\w+_meta)\.h"
)
_TORCH = re.compile(r"(?:torch|ATen|c10|caffe2|pybind11)/\S+|Python\.h|structmember\.h")


def owner(header: str) -> Owner | None:
    """Return who brings a header that is none of the source's, or None when no table has it."""
    if header in _STANDARD or _SYSTEM.fullmatch(header):
        return Owner.STANDARD
    if _CUDA.fullmatch(header):
        return Owner.CUDA
    if _TORCH.fullmatch(header):
        return Owner.TORCH
    return Owner.PACKAGE if header in PACKAGES else None
