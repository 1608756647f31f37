"""Figure 3: forward and backward time of whole training steps in two memory scenarios."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .experiment import Experiment, Layout
from .points import table
from .scenarios import ENOUGH, OFFLOADED, Configuration, configurations
from .steps import BACKWARD, FORWARD, MEMORY, TIME, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Panels of the figure, by the workload and whether adapters alone are trained.
PANELS = {
    "a1": (ENOUGH, "whisper-medium", False, "(a)(1) Whisper-medium, batch 4"),
    "a2": (ENOUGH, "gpt2-large", False, "(a)(2) GPT2-large, batch 16"),
    "a3": (ENOUGH, "gpt2-large", True, "(a)(3) GPT2-large, LoRA"),
    "b1": (OFFLOADED, "whisper-medium", False, "(b)(1) Whisper-medium, offload on CUDA"),
    "b2": (OFFLOADED, "gpt2-xl", False, "(b)(2) GPT2-XL, offload on CUDA"),
}
AMP = ("amp-fp16", "amp-bf16")


@dataclass(frozen=True)
class Params:
    """precisions: mixed ones beside fp32, of CUDA devices alone."""

    precisions: tuple[str, ...] = AMP


def run(params: Params, say: Say = silent) -> Table:
    """Each configuration of the figure, predicted; the paper prints bars without numbers."""
    rows: list[Row] = []
    for panel, (scenario, workload, lora, _) in PANELS.items():
        say(f"figure 3 {panel}")
        # What is pre-trained and what is fine-tuned takes the same time: each once.
        found = {
            (entry.target, entry.lora): entry
            for entry in configurations()
            if (entry.scenario, entry.workload, entry.lora) == (scenario, workload, lora)
        }
        for entry in found.values():
            rows += _configuration(panel, entry, params.precisions)
    return table("figure3", rows, params)


def _configuration(panel: str, entry: Configuration, precisions: tuple[str, ...]) -> list[Row]:
    amp = precisions if entry.target.framework == "torch-cuda" else ()
    rows: list[Row] = []
    for precision in ("fp32", *amp):
        chosen = dataclasses.replace(entry, precision=precision)
        point = {"panel": panel, "precision": precision, "offload": chosen.offload}
        quantities = (TIME, FORWARD, BACKWARD, MEMORY)
        rows += predicted_step(chosen.name, chosen.trace(), chosen.target, quantities, point)
    return rows


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Forward and backward time of each device, a rung for each precision."""
    from ..figures.ladder import draw_ladder
    from ..figures.style import heading

    for panel, (_, _, _, title) in PANELS.items():
        rows = [
            dataclasses.replace(row, framework=row.point["precision"])
            for row in table.where(panel=panel)
            if row.point["quantity"] in (FORWARD, BACKWARD)
        ]
        draw_ladder(axes[panel], rows, 1.0, "time, s", key="quantity")
        heading(axes[panel], title)
    axes["none"].set_axis_off()


EXPERIMENT = Experiment(
    id="figure3",
    title="Forward and backward time by memory scenario",
    paper_item="Figure 3",
    claim=(
        "Where memory suffices, every Apple chip is slower than the NVIDIA cards; where a card "
        "must offload, even the RTX 4090 falls behind an M2 Ultra. The paper prints bars without "
        "numbers: these are predictions, and its words are claims below. It states no sequence "
        "length: 128 tokens are the most, by powers of two, that fit every device of scenario 1. "
        "The NVIDIA cards run PyTorch on CUDA, in fp32 and in mixed precision (AMP), the Macs "
        "PyTorch on MPS. Fine-tuning and pre-training differ in the weights that they start from, "
        "not in time."
    ),
    parameters=Params(),
    quick_parameters=Params(precisions=()),
    run=run,
    draw=draw,
    layout=Layout((("a1", "a2", "a3"), ("b1", "b2", "none")), 12.4, 8.6, marks=("predicted",)),
)
