"""The paper's pairs of machines, and which frameworks run on each."""

from __future__ import annotations

from dataclasses import dataclass

from .experiment import Layout


@dataclass(frozen=True)
class Target:
    """One device under one framework."""

    device: str
    framework: str


@dataclass(frozen=True)
class Pair:
    """Two machines that the paper sets side by side for similar computing power."""

    nvidia: str
    apple: str
    title: str

    def targets(self) -> tuple[Target, ...]:
        """CUDA on the one, MLX and MPS on the other."""
        return (
            Target(self.nvidia, "torch-cuda"),
            Target(self.apple, "mlx"),
            Target(self.apple, "torch-mps"),
        )


def pairs() -> tuple[Pair, ...]:
    """The three pairs of section 4.4."""
    return (
        Pair("rtx-a6000", "m2-ultra", "RTX A6000 / M2 Ultra"),
        Pair("rtx-2080-ti", "m2-max", "RTX 2080 Ti / M2 Max"),
        Pair("quadro-rtx-4000", "m2-pro", "Quadro RTX 4000 / M2 Pro"),
    )


def targets() -> tuple[Target, ...]:
    """All targets of all pairs."""
    return tuple(target for pair in pairs() for target in pair.targets())


# A column for each pair, a row for each dtype, and a roofline at the right.
PAIR_GRID = Layout(
    (
        ("0-float32", "1-float32", "2-float32", "roof"),
        ("0-float16", "1-float16", "2-float16", "roof"),
    ),
    width_in=12.4,
    height_in=5.7,
    width_ratios=(1.0, 1.0, 1.0, 1.3),
    framework_lines=True,
)
