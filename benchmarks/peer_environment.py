"""The environment in which PyTorch is at its best on this CPU."""

from siliconprof import _core

# A PyTorch on an OpenBLAS that misjudges the CPU would be no peer, and memory that goes back to the
# system would cost it a page fault for every 4 KiB that it asks for again. It asks for huge
# pages only where it is told to; we always do.
PEER_ENVIRONMENT = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "MALLOC_TOP_PAD_": str(1 << 26),
    "THP_MEM_ALLOC_ENABLE": "1",
    "OPENBLAS_CORETYPE": _core.wanted_openblas_family(),
}
