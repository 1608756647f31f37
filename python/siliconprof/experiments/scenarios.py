"""The paper's end-to-end configurations, by name: Table 3's three memory scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._core import Number, Trace, usable_memory
from ..devices import device
from ..frameworks import framework
from ..workloads import workload
from .pairs import Target

# Not stated by the paper. The largest power of two at which the GPT2-large step fits every device
# of scenario 1: the smallest are an M2 Pro's GPU, with 21 of 32 GB, and an RTX 4090.
GPT2_TOKENS = 128
LORA_RANK = 8  # not stated either; the usual default

ENOUGH, OFFLOADED, NEAR = 1, 2, 3


@dataclass(frozen=True)
class Configuration:
    """A training step of the paper on one device under one framework.

    scenario: 1 both kinds of device have enough memory, 2 the CUDA device offloads, 3 near the
              capacity of the Mac.
    training: "pre-train" or "fine-tune", with or without LoRA. What is computed is the same but
              for LoRA: only the weights that it starts from differ.
    precision: all of the paper's Apple runs are fp32.
    """

    scenario: int
    workload: str
    batch: int
    target: Target
    training: str = "fine-tune"
    lora: bool = False
    precision: str = "fp32"

    @property
    def offload(self) -> bool:
        """ZeRO-Offload, which the paper applies on CUDA where memory is insufficient."""
        return self.scenario != ENOUGH and self.target.framework == "torch-cuda"

    @property
    def name(self) -> str:
        """As it stands in tables and figures."""
        parts = [self.workload, f"batch {self.batch}", self.training]
        parts += ["LoRA"] if self.lora else []
        parts += [self.precision] if self.precision != "fp32" else []
        parts += ["offload"] if self.offload else []
        return ", ".join(parts)

    def arguments(self) -> Mapping[str, Any]:
        """Keywords of `workload`."""
        given: dict[str, Any] = {"batch": self.batch, "precision": self.precision}
        if self.workload.startswith("gpt2"):
            given["seq"] = GPT2_TOKENS
        if self.lora:
            given["lora"] = LORA_RANK
        if self.offload:
            given["offload"] = True
        return given

    def trace(self) -> Trace:
        """The step as this target's framework makes it."""
        return workload(self.workload, framework=self.target.framework, **self.arguments())

    def capacity(self) -> Number:
        """Bytes that a step may take there: of a card's memory what PyTorch finds free, or what
        Apple's GPUs may take of theirs."""
        return usable_memory(device(self.target.device), framework(self.target.framework))


CUDA, MPS = "torch-cuda", "torch-mps"
_BOTH = (
    Target("rtx-4090", CUDA),
    Target("rtx-a6000", CUDA),
    Target("m2-ultra", MPS),
    Target("m2-max", MPS),
)
_LARGE = (*_BOTH, Target("m2-pro", MPS))
_WHISPER, _GPT2 = ("whisper-medium", 4), ("gpt2-large", 16)


def configurations() -> tuple[Configuration, ...]:
    """Every row of Table 3 with its fine-tuning and pre-training variants; scenario 2's Macs, that
    Figure 3 (b) sets beside the offloading devices, are there too."""
    small = (Target("quadro-rtx-4000", CUDA), Target("rtx-2080-ti", CUDA))
    macs = (Target("m2-ultra", MPS), Target("m2-max", MPS))
    return (
        *(Configuration(ENOUGH, *_WHISPER, target, "pre-train") for target in _BOTH),
        *(Configuration(ENOUGH, *_GPT2, target) for target in _LARGE),
        *(Configuration(ENOUGH, *_GPT2, target, lora=True) for target in _LARGE),
        *(Configuration(ENOUGH, *_GPT2, target, "pre-train") for target in _LARGE),
        *(Configuration(OFFLOADED, *_WHISPER, target) for target in (*small, *macs)),
        *(Configuration(OFFLOADED, "gpt2-xl", 16, t) for t in (Target("rtx-4090", CUDA), *macs)),
        Configuration(NEAR, "whisper-large", 32, Target("m2-max", MPS), "pre-train"),
    )
