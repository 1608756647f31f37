"""Single operations of this library's kernels, measured on the CPU that runs this.

    python tools/measure_cpu_ops.py DEVICE.toml --of steps|suite|streams >> data/records/....csv

DEVICE.toml is a calibration made here just before (`siliconprof calibrate`), which tells how far it
is off; rows name the device by the file's id. `steps` are the distinct calls of a training step of
four models, each alone; `suite` is the op suite; `streams` is what no calibration measures
(tools/cpu_stream_shapes.py). Each call is repeated on the same operands while other processes leave
the processors alone. Prints rows as data/records has them, and to the other stream what was left
out and how far the predictions are off.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from cpu_stream_shapes import stream_shapes

import siliconprof as sp
from siliconprof._core import Trace
from siliconprof.suite import suite
from siliconprof.validate import summarise
from siliconprof.validate_here import FRAMEWORK, STEPS, judge_ops, step_trace

# GPT-2 in one of its shapes, and the three other models.
MODELS = (STEPS[1], *(step for step in STEPS if step[0] != STEPS[1][0]))
# In a step it adds to a table in place; alone it would copy the table first.
ANOTHER_ALONE = ("embedding_backward_add",)


@dataclass(frozen=True)
class SingleCall:
    """A call as a row of its own: what judge_ops asks of one."""

    operation: str
    arguments: tuple[tuple[str, float], ...]

    @property
    def label(self) -> str:
        """The words of its row."""
        sizes = (f"{name}={value:.12g}" for name, value in self.arguments)
        return " ".join([self.operation, *sizes, "time"])

    def trace(self) -> Trace:
        """The call alone, its outputs apart from its inputs."""
        return sp.op(self.operation, **dict(self.arguments))


def step_calls() -> Iterator[SingleCall]:
    """The distinct calls of the steps, in order."""
    seen = set()
    for name, sizes in MODELS:
        for call in step_trace(name, sizes).calls:
            made = SingleCall(call.op, (*call.dims.items(), *call.attributes.items()))
            if made not in seen and call.op not in ANOTHER_ALONE:
                seen.add(made)
                yield made


def stream_calls() -> Iterator[SingleCall]:
    """Operations that stream, with their attributes as they are by default."""
    for op, sizes in stream_shapes():
        yield SingleCall(op, tuple(sizes.items()))


LISTS = {"steps": step_calls, "suite": suite, "streams": stream_calls}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device")
    parser.add_argument("--of", choices=sorted(LISTS), required=True)
    arguments = parser.parse_args()
    device = sp.device(arguments.device)
    scores, left_out = judge_ops(device, list(LISTS[arguments.of]()))
    table = csv.writer(sys.stdout, lineterminator="\n")
    for score in scores:
        note = score.source.removeprefix("measured here: ")
        place = (score.what, device.id, FRAMEWORK, "float32")
        table.writerow((*place, f"{score.recorded:.4g}", "s", note))
    found = summarise(scores)
    said = f"median {found.median:.1%}, 90 % within {found.p90:.1%}, intervals {found.covered:.0%}"
    print(*left_out, said, sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
