"""Score predictions of published training steps on boards that no step was fitted on.

    python tools/score_published_steps.py --data DIR [--rows FILE]

DIR holds training_times.csv (published steps, collected; not shipped). Scored are BERT's and
ResNet-50's steps and VGG-16's epochs on NVIDIA boards under PyTorch of 2020 to 2022 whose model,
batch and precision are told. They are no fit's: constants of other boards come from single
operations. Two things differ from what is predicted elsewhere: those PyTorches had no fused
attention, so that BERT's steps are predicted in kernels that keep its scores in memory; and BERT
answers questions or tells classes there, so that its step goes without the vocabulary's product and
loss. Data that has to be loaded, and kernels of a container's own, are in the published times.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import siliconprof as sp
from siliconprof import _core

DEVICES = {
    "V100 SXM2 16GB": "v100",
    "V100 PCIe 32GB (250 W)": "v100-pcie",
    "T4 16GB": "t4",
    "RTX 2080 Ti": "rtx-2080-ti",
    "Quadro RTX 8000": "titan-rtx",  # its chip, memory and power
    "RTX 3090": "rtx-3090",
    "RTX A6000": "rtx-a6000",
    "A100 40GB PCIe": "a100-40",
    "A100 80GB PCIe": "a100-pcie",
}
FRAMEWORK = "torch-cuda"
UNFUSED = "torch-mps"  # PyTorch's kernels where attention isn't fused
EPOCH_IMAGES = 45000  # of VGG-16's
VOCABULARY = 30522  # BERT's
# Calls that have its rows in other steps, too.
NO_HEAD = ("embedding", "embedding_backward", "adamw", "sgd", "unscale", "clip", "square_sum")


@dataclass(frozen=True)
class Published:
    """A step as its table tells it."""

    device: str
    workload: str
    sizes: Mapping[str, object]
    precision: str
    seconds: float


@dataclass(frozen=True)
class Scored:
    """And what is predicted of it, with the 90 % interval."""

    step: Published
    seconds: float
    interval_s: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.seconds / self.step.seconds

    @property
    def is_within(self) -> bool:
        return self.interval_s[0] <= self.step.seconds <= self.interval_s[1]


def precision_of(text: str) -> str | None:
    """NVIDIA's containers multiply "fp32" in TF32 on boards that have it; rows say so."""
    found = {"tf32": "tf32", "fp16": "amp-fp16", "fp32": "fp32"}
    return next((ours for word, ours in found.items() if word in text.lower()), None)


def step_of(row: Mapping[str, str]) -> Published | None:
    """A row's step; None where it is another model's, board's or measure."""
    device, precision = DEVICES.get(row["device"]), precision_of(row["precision"])
    if device is None or precision is None or not row["batch"].isdigit():
        return None
    if "TensorFlow" in row["framework"] or not row["value"].replace(".", "", 1).isdigit():
        return None
    batch, model, metric = int(row["batch"]), row["model"], row["metric"]
    value = float(row["value"])
    is_rate = metric == "training throughput"
    if is_rate and model.startswith(("BERT-base SQuAD", "BERT-large SQuAD")):
        name = "bert-base" if "base" in model else "bert-large"
        return Published(device, name, {"batch": batch, "seq": 384}, precision, batch / value)
    if is_rate and model.startswith("ResNet-50 synthetic"):
        sizes = {"batch": batch, "optimizer": "sgd"}
        return Published(device, "resnet50", sizes, precision, batch / value)
    if model.startswith("BERT-base-cased") and "training" in metric:
        sizes = {"batch": batch, "seq": int(row["seq_or_image"])}
        return Published(device, "bert-base", sizes, precision, value / 100)
    if model == "VGG16-bn" and "without" in metric:
        steps = EPOCH_IMAGES // batch
        return Published(device, "vgg16-bn", {"batch": batch}, precision, 60 * value / steps)
    return None


def head_s(trace: _core.Trace, profile: _core.Profile) -> float:
    """What the vocabulary's product and loss take."""
    spans = [span for span in profile.spans if span.kind == "op"]
    return sum(
        span.wall_s
        for call, span in zip(trace.calls, spans, strict=True)
        if call.op not in NO_HEAD and VOCABULARY in call.dims.values()
    )


def score(step: Published) -> Scored:
    is_bert = step.workload.startswith("bert")
    kernels = UNFUSED if is_bert else FRAMEWORK
    trace = sp.workload(step.workload, precision=step.precision, framework=kernels, **step.sizes)
    profile = sp.predict(trace, step.device, FRAMEWORK)
    less_s = head_s(trace, profile) if is_bert else 0.0
    low, high = profile.interval
    return Scored(step, profile.time_s - less_s, (low - less_s, high - less_s))


def published(folder: Path) -> Iterator[Published]:
    with (folder / "training_times.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (step := step_of(row)) is not None:
                yield step


def show(what: str, some: list[Scored]) -> None:
    errors = [abs(entry.ratio - 1.0) for entry in some]
    within = fmean(entry.is_within for entry in some)
    print(
        f"{what}: {len(some)} rows, error mean {fmean(errors):.1%}, median {median(errors):.1%}, "
        f"max {max(errors):.1%}, ratio in the median {median(e.ratio for e in some):.2f}, "
        f"{within:.0%} within"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    parser.add_argument("--rows", type=Path, help="CSV file for every row and its prediction")
    arguments = parser.parse_args()
    scored = [score(step) for step in published(arguments.data)]
    by: dict[str, list[Scored]] = defaultdict(list)
    for entry in scored:
        by[entry.step.device].append(entry)
        by[f"{entry.step.workload} {entry.step.precision}"].append(entry)
    for what, some in sorted(by.items()):
        show(what, some)
    show("all", scored)
    if arguments.rows:
        write(arguments.rows, scored)


def write(path: Path, scored: list[Scored]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(("device", "workload", "sizes", "precision", "recorded_s", "predicted_s"))
        for e in scored:
            sizes = " ".join(f"{key}={value}" for key, value in e.step.sizes.items())
            place = (e.step.device, e.step.workload, sizes, e.step.precision)
            out.writerow((*place, f"{e.step.seconds:.4g}", f"{e.seconds:.4g}"))


if __name__ == "__main__":
    main()
