"""Constants that tools/fit_suite.py looks for: whose they are, their keys and their bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import cpu_constants
import cpu_tables
from cpu_constants import Constant, Group
from suite_tables import BODIES, FIRST_VERSIONS, WITHOUT_TF32

import siliconprof as sp

# By index, each goes through kernels of its own: a sum, or a maximum, is scattered onto what one
# before it clears. By operation, those that wait alike.
OWN_WAIT = {
    "gather": ("gather",),
    "scatter": ("scatter",),
    "scatter_sum": ("scatter_sum", "scatter_max"),
    "scatter_max": ("scatter_sum", "scatter_max"),
}
BY_INDEX = ("gather", "scatter", "scatter_sum", "scatter_max")
BY_CORES = {"argmax": ("short_part", "strided_part"), "sort": ("strided_part",)}
# What the best of an H200's streaming kernels reach of its memory (the record h200_ops).
MOST_OF_MEMORY = 0.92
BEFORE_M3 = ("apple-m1", "apple-m2")
BOUNDS = {
    "short_part": (0.5, 1.0),  # a row of half the lanes is the shortest that tells
    "strided_part": (0.02, 1.0),
    "few_tiles_part": (0.02, 1.0),
    "long_side_part": (0.05, 1.0),
    "thin_part": (0.02, 1.0),
    "exposed_part": (0.02, 1.0),
    "row_cycles": (10.0, 1e5),
    "far_part": (0.02, 1.0),
    "same_row_s": (1e-9, 1e-6),
    "long_passes": (0.05, 3.0),
    "elements_per_cycle": (1e-4, 100.0),
}
FUNCTIONS = ("relu", "sigmoid", "leaky_relu", "prelu", "selu", "softplus")


@dataclass(frozen=True)
class Subject:
    """A framework at a version, "" for itself, and the families of its tables. With a scope, a
    family whose kernels are known already: what its single calls take besides."""

    framework: str
    version: str
    families: tuple[str, ...]
    scope: str = ""

    @property
    def vendor(self) -> str:
        if cpu_tables.is_of_a_cpu(self.framework):
            return "cpu"
        return "nvidia" if self.framework == "torch-cuda" else "apple"

    @property
    def where(self) -> str:
        """Where constants of operations go; of CPUs, to the family that the tables are of."""
        return self.scope or (cpu_constants.SCOPE if self.vendor == "cpu" else self.vendor)

    @property
    def of_products(self) -> tuple[str, ...]:
        """Where constants of products go: a version's are those of the families that it was timed
        on, and boards of NVIDIA are left what they have."""
        return self.families if self.version or self.vendor != "apple" else (self.vendor,)

    @property
    def own_wait(self) -> Mapping[str, tuple[str, ...]]:
        """By operation that doesn't wait as its class does, those that wait alike. On CUDA a mean
        is a kernel behind the function; MPS and MLX show no such wait on every chip."""
        if self.vendor == "cpu":  # a call there is a call: nothing is launched
            return {}
        return OWN_WAIT | ({"bce": ("bce",)} if self.vendor == "nvidia" else {})

    @property
    def waits_s(self) -> tuple[float, ...]:
        """What a fit of a wait begins with, each in turn."""
        return (2e-6,) if self.vendor == "cpu" else (1e-5, 1e-4, 2.5e-4)

    def waits(self, op_class: str) -> bool:
        """Whether calls of the class show what they wait for: on a CPU only what goes by index has
        rows as short as a call."""
        return self.vendor != "cpu" or op_class == "indexed"

    @property
    def rounds(self) -> int:
        """How often the constants of a group are gone through."""
        return 5 if self.vendor == "cpu" else 2

    @property
    def old_families(self) -> tuple[str, ...]:
        """Apple's before the GPU of M3."""
        return tuple(family for family in self.families if family in BEFORE_M3)

    @property
    def is_staged(self) -> bool:
        """Whether its convolutions are those of staged_convolution.h."""
        return self.framework.startswith("mlx") and self.vendor == "apple"

    def rate(self, op: str, scopes: Iterable[str] = ()) -> Constant:
        """What the operation reaches of the memory's bandwidth."""
        return tuple(f"efficiency.{s}.{op}.bandwidth" for s in scopes or (self.where,)), 0.02, 1.0

    def access(self, ops: Iterable[str], key: str, scopes: Iterable[str] = ()) -> Constant:
        keys = tuple(f"access.{s}.{op}.{key}" for s in scopes or (self.where,) for op in ops)
        return keys, *BOUNDS[key]

    def parts(self, op: str, *keys: str, scopes: Iterable[str] = ()) -> Group:
        own = (self.access((op,), key, scopes) for key in keys)
        return Group((op,), (self.rate(op, scopes), *own))

    def convolutions(self) -> tuple[str, ...]:
        """Tables of the constants of forward convolutions."""
        return tuple(
            f"convolution.{scope}.{self._dtype(scope)}.forward"
            for scope in (self.families if self.vendor == "nvidia" else (self.where,))
        )

    def _dtype(self, family: str) -> str:
        return "float32" if family in ("apple", "apple-cpu", *WITHOUT_TF32) else "tf32"


def groups(of: Subject) -> Iterator[Group]:
    """What is fitted of it."""
    if of.scope:
        return (yield from _of_calls(of))
    if of.vendor == "cpu":
        return (yield from cpu_constants.groups(of.framework, of.version))
    if of.framework == "torch-mps" and of.version in FIRST_VERSIONS:  # bound by its arithmetic
        yield Group(("bce",), (of.access(("bce",), "elements_per_cycle"),))
    else:
        yield Group(("bce",), (of.rate("bce"),))
    if of.version:
        yield of.parts("sum", "short_part", "strided_part")
    if of.version in FIRST_VERSIONS:
        yield Group(("sum",), (of.access(("sum",), "far_part", of.old_families),))
    yield from _of_softmax(of)
    if of.version in FIRST_VERSIONS:  # functions in several kernels
        for op in FUNCTIONS[2:]:
            yield Group((op,), (of.rate(op),))
    if of.framework == "torch-mps" and not of.version:  # a group of threads for each row
        yield of.parts("argmax", "row_cycles")
    elif of.framework == "torch-mps" and of.version in FIRST_VERSIONS:
        keys = ("elements_per_cycle", "short_part", "strided_part")
        yield Group(("argmax",), tuple(of.access(("argmax",), key) for key in keys))
    else:
        yield of.parts("argmax", "short_part", "strided_part")
    if of.framework == "torch-mps":
        yield from _of_long_and_thin_products(of)
    products = ("linear", "matmul")
    yield Group(
        products,
        (
            of.access(products, "few_tiles_part", of.of_products),
            of.access(products, "exposed_part", of.of_products),
        ),
    )
    if of.framework == "mlx":
        yield Group(("matmul",), (of.access(("matmul",), "far_part", BEFORE_M3),))
    if of.vendor == "nvidia":
        yield from _of_boards(of)
    yield from _by_index(of)
    yield from _of_sorts(of)
    yield Group(("conv1d", "conv2d"), tuple(_of_convolutions(of)))


def _of_sorts(of: Subject) -> Iterator[Group]:
    """On MPS an axis that isn't the last is turned; on CUDA rows have room for 128 elements. On MLX
    a group of threads for each row, found first: elements would stand in for it."""
    if of.framework == "torch-mps":
        scopes = ((scope,) for scope in (of.vendor, *BEFORE_M3))
        turned = (of.access(("sort",), "strided_part", scope) for scope in scopes)
        yield Group(("sort",), (of.access(("sort",), "elements_per_cycle"), *turned))
    elif of.vendor == "nvidia":
        yield of.parts("sort", "strided_part")
    else:
        keys = ("row_cycles", "elements_per_cycle")
        yield Group(("sort",), tuple(of.access(("sort",), key) for key in keys))


def own_keys(of: Subject) -> tuple[str, ...]:
    """Beginnings of what is fitted of a scope."""
    keys = (key for group in groups(of) for keys, _, _ in group.constants for key in keys)
    return f"call.{of.scope}.", *keys


def _of_calls(of: Subject) -> Iterator[Group]:
    """Of operations that training steps don't have, or not as often as to be timed by their kernels
    (tools/fit_kernels.py). Some are bound by their cores, whatever the memory."""
    yield Group(("bce",), (of.rate("bce"),))
    for op, parts in BY_CORES.items():
        yield Group((op,), tuple(of.access((op,), key) for key in ("elements_per_cycle", *parts)))
    yield Group(("concat",), (of.rate("rearrangement"),))
    yield from _by_index(of)
    yield from _of_softmax(of)


def _by_index(of: Subject) -> Iterator[Group]:
    """On CUDA what is written to one row queues there, found first: elements would stand in for
    it."""
    for op in BY_INDEX:
        queues = of.vendor == "nvidia" and op != "gather"
        own = (of.access((op,), "same_row_s"),) if queues else ()
        yield Group((op,), (*own, of.access((op,), "elements_per_cycle")))


def _of_softmax(of: Subject) -> Iterator[Group]:
    if of.vendor == "nvidia":
        yield Group(("softmax",), (of.access(("softmax",), "long_passes"),))
    elif of.framework == "torch-mps":  # a version's own before the families' later ones
        own = _with_own_softmax(of)
        scopes = (of.vendor, *own) if of.version else own
        keys = ("elements_per_cycle", "short_part", "long_passes")
        yield of.parts("softmax", *keys, scopes=scopes)
    elif of.version:
        yield of.parts("softmax", "row_cycles", "long_passes")


def _of_boards(of: Subject) -> Iterator[Group]:
    """A bias added apart; functions stream faster than copies."""
    passes = [f"access.{scope}.linear.result_passes" for scope in of.of_products]
    yield Group(("linear",), ((tuple(passes), 0.05, 3.0),))
    for ops, op_class, high in (
        (FUNCTIONS, "elementwise", MOST_OF_MEMORY),
        (("concat",), "rearrangement", 1.0),
    ):
        rates = tuple(f"efficiency.{scope}.{op_class}.bandwidth" for scope in of.families)
        yield Group(ops, ((rates, 0.3, high),))


def _of_long_and_thin_products(of: Subject) -> Iterator[Group]:
    """Of PyTorch on MPS: sides that 16 bits don't hold, with a kernel apart; results of few columns
    on M1 and M2, where later chips show no such loss."""
    yield Group(("matmul",), (of.access(("matmul",), "long_side_part"),))
    if of.old_families:
        yield Group(("matmul",), (of.access(("matmul",), "thin_part", of.old_families),))


def _with_own_softmax(of: Subject) -> tuple[str, ...]:
    """Families that PyTorch's later softmax on MPS was timed on; M1 and M2 keep what they had."""
    return subject(of.framework, "").families if of.framework == "torch-mps" else ()


def _of_convolutions(of: Subject) -> Iterator[Constant]:
    if of.vendor == "nvidia":  # Fit.board_rates
        return
    if of.is_staged:
        for keys, (low, high, _) in _staged(of).items():
            yield keys, low, high
        return
    for key in ("reach", "bandwidth"):
        yield tuple(f"{table}.{key}" for table in of.convolutions()), 0.02, 1.0


def _staged(of: Subject) -> Mapping[tuple[str, ...], tuple[float, float, float]]:
    """Keys, bounds and first guesses of MLX's convolutions. The GPUs before that of M3 have no
    integer arithmetic beside their other [apple-m3-gpu]."""
    (table,) = of.convolutions()
    indices = tuple(f"{table.replace('apple', family)}.index_part" for family in BEFORE_M3)
    return {
        (f"{table}.unfolded_per_flop",): (2e-4, 2e-2, 1.7e-3),
        (f"{table}.two_axes_part",): (0.2, 1.0, 0.7),
        (f"{table}.staged_per_flop",): (2e-3, 0.2, 0.02),
        (f"{table}.few_part",): (0.1, 1.0, 0.4),
        indices: (0.3, 1.0, 0.7),
    }


def staged_starts(of: Subject) -> Mapping[str, float]:
    return {key: start for keys, (_, _, start) in _staged(of).items() for key in keys}


def known(of: Subject) -> Mapping[str, float]:
    """What is known of a version without a fit: cuDNN's kernels for tf32 take channels last: data
    and result are put so and back at the memory's rate, as single convolutions of an H200 are
    (tools/fit_units.py). Rows of up to 128 are sorted by a merge sort of 128 [torch-sort]. What
    MLX's source says is in suite_tables.GIVEN. Of what cores bind, memory takes no part."""
    if of.vendor == "cpu":
        return cpu_constants.known(of.framework, of.version)
    if of.scope:
        return {f"efficiency.{of.scope}.{op}.bandwidth": 1.0 for op in BY_CORES}
    if of.vendor == "nvidia":
        copies = {f"{table}.copy": 1.0 for table in of.convolutions() if ".tf32." in table}
        return {"access.nvidia.sort.least_row": 128.0, **copies}
    if of.framework == "torch-mps" and of.version:  # a row is no group of threads yet
        return {"access.apple.argmax.row_cycles": 1.0}
    return {}


def subject(framework: str, version: str) -> Subject:
    devices = dict.fromkeys(BODIES[framework, version].values())
    families = dict.fromkeys(sp.device(device).family for device in devices)
    return Subject(framework, version, tuple(families))
