"""Constants that tools/fit_suite.py looks for: whose they are, their keys and their bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from suite_tables import BODIES, FIRST_VERSIONS, WITHOUT_TF32

import siliconprof as sp

# By index, each goes through kernels of its own: a sum is scattered onto what one before it clears.
OWN_WAIT = ("gather", "scatter", "scatter_sum", "scatter_max")
# What the best of an H200's streaming kernels reach of its memory (the record h200_ops).
MOST_OF_MEMORY = 0.92
FUNCTIONS = ("relu", "sigmoid", "leaky_relu", "prelu", "selu", "softplus")


@dataclass(frozen=True)
class Group:
    """Operations that share constants: keys of each constant and its bounds."""

    ops: tuple[str, ...]
    constants: tuple[tuple[tuple[str, ...], float, float], ...]


@dataclass(frozen=True)
class Subject:
    """A framework at a version, "" for itself, and the families of its tables."""

    framework: str
    version: str
    families: tuple[str, ...]

    @property
    def vendor(self) -> str:
        return "nvidia" if self.framework == "torch-cuda" else "apple"

    @property
    def of_products(self) -> tuple[str, ...]:
        """Where constants of products go: a version's are those of the families that it was timed
        on, and boards of NVIDIA are left what they have."""
        return self.families if self.version or self.vendor == "nvidia" else (self.vendor,)

    def convolutions(self) -> tuple[str, ...]:
        """Tables of the constants of forward convolutions."""
        return tuple(
            f"convolution.{scope}.{self._dtype(scope)}.forward"
            for scope in (self.families if self.vendor == "nvidia" else ("apple",))
        )

    def _dtype(self, family: str) -> str:
        return "float32" if family in ("apple", *WITHOUT_TF32) else "tf32"


def groups(of: Subject) -> Iterator[Group]:
    """What is fitted of it."""

    def at(scopes: Iterable[str], key: str, low: float) -> tuple[tuple[str, ...], float, float]:
        return tuple(key.format(scope) for scope in scopes), low, 1.0

    vendor = (of.vendor,)

    def rate(op: str, scopes: Iterable[str] = vendor) -> tuple[tuple[str, ...], float, float]:
        return at(scopes, f"efficiency.{{}}.{op}.bandwidth", 0.02)

    def access(op: str, key: str, low: float) -> tuple[tuple[str, ...], float, float]:
        return at(vendor, f"access.{{}}.{op}.{key}", low)

    def parts(op: str, *keys: str, scopes: Iterable[str] = vendor) -> Group:
        own = (at(scopes, f"access.{{}}.{op}.{key}", 0.1) for key in keys)
        return Group((op,), (rate(op, scopes), *own))

    yield Group(("bce",), (rate("bce"),))
    if of.version:
        yield parts("sum", "short_part", "strided_part")
        yield parts("softmax", "short_part", scopes=(of.vendor, *_with_own_softmax(of)))
    elif _with_own_softmax(of):
        yield parts("softmax", "short_part", scopes=_with_own_softmax(of))
    if of.version in FIRST_VERSIONS:  # functions in several kernels
        for op in FUNCTIONS[2:]:
            yield Group((op,), (rate(op),))
    yield parts("argmax", "short_part", "strided_part")
    products = ("linear", "matmul")
    few = [f"access.{s}.{op}.few_tiles_part" for s in of.of_products for op in products]
    yield Group(products, ((tuple(few), 0.02, 1.0),))
    if of.vendor == "nvidia":  # a bias added apart; functions stream faster than copies
        passes = [f"access.{scope}.linear.result_passes" for scope in of.of_products]
        yield Group(("linear",), ((tuple(passes), 0.05, 3.0),))
        functions, low, _ = at(of.families, "efficiency.{}.elementwise.bandwidth", 0.3)
        yield Group(FUNCTIONS, ((functions, low, MOST_OF_MEMORY),))
        yield Group(("concat",), (at(of.families, "efficiency.{}.rearrangement.bandwidth", 0.3),))
    for op in OWN_WAIT:
        yield Group((op,), (access(op, "elements_per_flop", 1e-5),))
    elements = access("sort", "elements_per_flop", 1e-6)
    yield Group(("sort",), (elements, access("sort", "strided_part", 0.02)))
    yield Group(("conv1d", "conv2d"), tuple(_of_convolutions(of)))


def _with_own_softmax(of: Subject) -> tuple[str, ...]:
    """Families that PyTorch's later softmax on MPS was timed on; M1 and M2 keep what they had."""
    return subject(of.framework, "").families if of.framework == "torch-mps" else ()


def _of_convolutions(of: Subject) -> Iterator[tuple[tuple[str, ...], float, float]]:
    bounds = {"reach": (0.02, 1.0), "bandwidth": (0.02, 1.0), "unfolded_per_flop": (1e-4, 1e-2)}
    for key, (low, high) in bounds.items():
        if key != "unfolded_per_flop" or of.framework.startswith("mlx"):
            yield tuple(f"{table}.{key}" for table in of.convolutions()), low, high


def known(of: Subject) -> Mapping[str, float]:
    """What is known of a version without a fit: MLX added a Linear's bias in a kernel of its own,
    which reads the result and writes it, and its first convolutions wrote all windows out."""
    if not (of.framework.startswith("mlx") and of.version):
        return {}
    whole = {f"{table}.unfolds_all": 1.0 for table in of.convolutions()}
    bias = {"access.apple.linear.result_passes": 2.0}
    return bias | (whole if of.version in FIRST_VERSIONS else {})


def subject(framework: str, version: str) -> Subject:
    devices = dict.fromkeys(BODIES[framework, version].values())
    families = dict.fromkeys(sp.device(device).family for device in devices)
    return Subject(framework, version, tuple(families))
