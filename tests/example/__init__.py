"""A small DeepGEMM and a small host, written on the spot, the same to the last bit every time.

    example = make_deepgemm(directory)
    host = make_host(directory / "host", example.url, example.commits["sm120"])

Commits, oldest first, by the names they have in `Example.commits`:

    first   2.5.0                                       tag v2.5.0 (lightweight)
    old     2.6.1: fmt, C++17                           tag v2.6.1 (annotated), public-release
    sm120   old and the SM120 kernels                   branch nv_dev
    new     2.8.0: deep_jit, <format>, elfutils,        branch main, tag v2.8.0 (annotated)
            an alias less, a keyword renamed
    port    new and the SM120 kernels                   branch dev
    pull    new and one line more                       refs/pull/7/head only
    stray   new and another line                        contained in nothing
    forked  port and one line more, in the fork alone   branch dev of the fork
"""

from tests.example.deepgemm import Example, make_deepgemm
from tests.example.host import host_files, make_host

__all__ = ["Example", "host_files", "make_deepgemm", "make_host"]
