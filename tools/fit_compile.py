"""Fit what torch.compile changes of torch-cuda (data/frameworks/versions/torch-cuda@compile.toml).

    python tools/fit_compile.py [--record h100_compiled_ops]

Reads compiled operations and chains of modules, measured by tools/measure_torch_compile.py; no
training step is read. An operation's time is a start and its compulsory bytes at a part of the
memory's bandwidth, as tools/fit_kernels.py has it; a gradient's is what both passes take without
the forward one's. A batch norm was timed with the relu that its kernel joins: of the time, the
relu's bytes take theirs. A chain costs the host what each kernel, product, attention and
convolution of it do, at the host's pace; forward and backward passes share all but the attention's
and the convolution's, and a parameter's gradient is handed over. Prints TOML.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy
from fit_kernels import spread, started

import siliconprof as sp
from siliconprof.recorded_ops import dims_of

KERNEL_S = "launch.nvidia-hopper.kernel_s"
# Whose gradients are no operation of ours of their own.
NO_GRADIENT = ("cast", "add", "sum", "transpose", "dropout", "rotary")
COMPILED = "compiled."
WIDE = "compiled.product "  # products whose rows fill no whole vectors
VECTOR = 8  # elements of 16 bits that a product's rows are padded to
LOSS = "cross_entropy"  # of 16 bits: their traffic is hidden
JOINED_RELU = "batch_norm_relu"
KINDS = ("triton", "product", "attention", "convolution", "parameter")
FORWARD = {"linear": "product", "matmul": "product"}
FORWARD |= {"attention": "attention", "attention_qkv": "attention"}
FORWARD |= {"conv1d": "convolution", "conv2d": "convolution"}
# Kernels of calls that are more than one, as the compiler wrote them for GPT-2 and a ResNet.
SEVERAL = {"forward.cross_entropy": 2, "forward.batch_norm": 4, "backward.sum": 2}
SEVERAL |= {"backward.batch_norm_backward": 4, "backward.layer_norm_backward": 4}
SEVERAL |= {"backward.rms_norm_backward": 3, "backward.embedding_backward": 2}
HOST_ERROR = 0.35
CACHE_BYTES = 50e6  # of the board that was timed
FURTHER_S = 2.5e-6  # what a kernel more takes at most before its bytes


def moved(op: str, dims: dict[str, int], dtype: str) -> int:
    """Compulsory bytes of an operation of ours."""
    if op == "cast":
        op = "cast_bfloat16" if dtype == "float32" else "cast_float32"
    return sp.op(op, dtype=dtype, **dims).cost.bytes


@dataclass(frozen=True)
class Timed:
    """One operation of ours, in so many kernels."""

    op: str
    dims: dict[str, int]
    dtype: str
    seconds: float
    kernels: int


def kernel_times(record: sp.Record) -> Iterator[Timed]:
    alone: dict[tuple[str, str], tuple[float, int]] = {}
    for row in record.rows:
        if not row.what.startswith(COMPILED):
            continue
        if row.what.startswith(WIDE):
            continue
        op, *words = row.what.removeprefix(COMPILED).split()
        dims = {k: int(v) for k, v in dims_of(words).items()}
        key, kernels = (row.what.rpartition(" ")[0], row.dtype), int(row.note.split()[-1])
        if words[-1] == "forward":
            alone[key] = row.value, kernels
            yield Timed(op, dims, row.dtype, row.value, kernels)
        elif op not in NO_GRADIENT:
            forward_s, before = alone[key]
            yield Timed(f"{op}_backward", dims, row.dtype, row.value - forward_s, kernels - before)


def without_relu(op: str, dims: dict[str, int], dtype: str) -> tuple[str, int, int]:
    """Of a batch norm and the relu in its kernel: the norm, its bytes and the relu's."""
    norm = op.replace(JOINED_RELU, "batch_norm")
    elements = dims["outer"] * dims["channels"] * dims["inner"]
    each = elements * (4 if dtype == "float32" else 2)
    relu = "relu_backward" if op.endswith("_backward") else "relu"
    return norm, moved(norm, dims, dtype) - each, moved(relu, {"n": elements}, dtype) - each


def computed(losses: list[Timed], peak: float) -> str:
    """The part of the vector units' peak at which losses of logits of 16 bits, whose traffic is
    half of float32's, are computed."""
    flops = [sp.op(t.op, **t.dims).cost.vector_flops / t.seconds / peak for t in losses]
    return number(median(flops), spread(flops, median(flops)))


def efficiencies(record: sp.Record, device: sp.Device, start_s: float) -> None:
    bandwidth = device.numbers["memory.bandwidth_bytes_per_s"].value
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    most_s: dict[str, float] = {}
    joined: list[Timed] = []
    losses: list[Timed] = []
    for timed in kernel_times(record):
        if timed.op.startswith(JOINED_RELU):
            joined.append(timed)
            continue
        if timed.op == LOSS and timed.dtype != "float32":
            losses.append(timed)
            continue
        rows[timed.op].append((moved(timed.op, timed.dims, timed.dtype), timed.seconds))
        most_s[timed.op] = (timed.kernels - 1) * FURTHER_S
    flat = far([part for op in ("add", "cast") for part in rows[op]])
    elementwise = median(b / (s - start_s) for b, s in flat)
    for timed in joined:
        name, norm, relu = without_relu(timed.op, timed.dims, timed.dtype)
        rows[name].append((norm, timed.seconds - relu / elementwise))
        most_s[name] = (timed.kernels - 1) * FURTHER_S
    rows["elementwise"] = flat
    peak = device.numbers["peak.vector.float32_flops_per_s"].value
    print(f"efficiency.nvidia.{LOSS}.compute.float32 = {computed(losses, peak)}")
    for op, every in sorted(rows.items()):
        own = far(every)
        further_s, rate = started(own, start_s, most_s.get(op, 0.0))
        times = [(start_s + further_s + b / rate) / s for b, s in own]
        error = spread(times, 1.0)
        names = ("cast_float16", "cast_bfloat16", "cast_float32") if op == "cast" else (op,)
        for name in names:
            part = number(min(rate / bandwidth, 1.0), error)
            print(f"efficiency.nvidia.{name}.bandwidth = {part}  # {len(own)} rows")
            if further_s > 0.0:
                print(f"access.nvidia.{name}.start_s = {number(further_s, error)}")


def far(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those that the cache can't hold; all where there are few of them."""
    found = [row for row in rows if row[0] > CACHE_BYTES]
    return found if len(found) > 1 else rows


def aligned_s(dtype: str, device: sp.Device, dims: dict[str, int], backward: bool) -> float:
    """Seconds of the padded products: the layer's, or those of both its gradients."""
    rows, width = dims["rows"], dims["in"]
    words = -(-dims["out"] // VECTOR) * VECTOR
    calls = [{"m": rows, "k": width, "n": words, "transpose_b": 1}]
    if backward:
        calls = [
            {"m": rows, "k": words, "n": width},
            {"m": words, "k": rows, "n": width, "transpose_a": 1},
        ]
    traces = [sp.op("matmul", dtype=dtype, batch=1, **call) for call in calls]
    kernels = [sp.predict(t, device, "torch-cuda@graphs").time_s for t in traces]
    return sum(kernels)


def padded(record: sp.Record, device: sp.Device) -> None:
    """What is left of a product's rate where its rows are padded. Alone, a gradient that would have
    to be copied for that isn't, but for large ones; in a model the kernel that makes it pads it: of
    both gradients the largest row tells."""
    parts: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    alone: dict[tuple[str, str], float] = {}
    for row in record.rows:
        if not row.what.startswith(WIDE):
            continue
        *words, way = row.what.split()[1:]
        dims = {k: int(v) for k, v in dims_of(words).items()}
        key = (" ".join(words), row.dtype)
        backward = way != "forward"
        seconds = row.value - alone[key] if backward else row.value
        alone.setdefault(key, row.value)
        part = aligned_s(row.dtype, device, dims, backward) / seconds
        parts[row.dtype, way].append((dims["rows"] * dims["in"], part))
    for (dtype, way), found in parts.items():
        own = [p for _, p in found] if way == "forward" else [max(found)[1]]
        key, value = "unaligned_result" if way == "forward" else "unaligned", median(own)
        print(f"product.nvidia.{dtype}.{key} = {number(min(value, 1.0), spread(own, value))}")


def number(value: float, error: float, source: str = "compiled") -> str:
    text = f'kind = "fitted", source = "{source}", relative_error = {min(error, 0.9):.2f}'
    return f"{{ value = {value:.3g}, {text} }}"


def counted(note: str) -> dict[str, float]:
    """ "triton 8, parameter 16" by its words."""
    return {kind: float(n) for kind, n in (part.split() for part in note.split(", "))}


def chains(record: sp.Record) -> Iterator[tuple[str, dict[str, float], float]]:
    """(direction, counts, seconds at pace 1)."""
    for row in record.rows:
        name, *words = row.what.split()
        if not name.startswith("host.compiled."):
            continue
        yield words[-1], counted(row.note), row.value * (row.host_pace or 1.0)


def of_parts(columns: Sequence[str], table: list[list[float]], what: str) -> dict[str, float]:
    """Seconds by what they are of; least squares of parts; what comes out below nothing is left
    out. A row has amounts over its seconds."""
    matrix, kept = numpy.array(table), list(range(len(columns)))
    while True:
        solved, *_ = numpy.linalg.lstsq(matrix[:, kept], numpy.ones(len(table)), rcond=None)
        if (solved > 0).all():
            break
        kept = [c for c, value in zip(kept, solved, strict=True) if value > 0]
    off = numpy.abs(matrix[:, kept] @ solved - 1.0)
    middle, most = numpy.median(off), numpy.quantile(off, 0.9)
    print(f"# {len(table)} {what}, median {middle:.3f}, p90 {most:.3f}")
    return {columns[c]: float(value) for c, value in zip(kept, solved, strict=True)}


def host(record: sp.Record) -> dict[str, float]:
    """Seconds of a chain's parts."""
    columns = ["forward pass", "backward pass", "triton", "product"]
    columns += [f"{way} {kind}" for kind in KINDS[2:4] for way in ("forward", "backward")]
    columns.append("parameter")
    table = []
    for way, counts, seconds in chains(record):
        amounts = {f"{way} pass": 1.0, **{k: counts.get(k, 0.0) for k in KINDS}}
        amounts |= {f"{way} {kind}": counts.get(kind, 0.0) for kind in KINDS[2:4]}
        table.append([amounts.get(column, 0.0) / seconds for column in columns])
    return of_parts(columns, table, "chains")


def updates(parameter_s: float) -> Iterator[tuple[str, float]]:
    """An update's seconds with those of the gradient that it takes over."""
    plain = sp.framework("torch-cuda").numbers
    for op in ("adamw", "sgd"):
        own_s = plain[f"issue.nvidia.optimizer.{op}_s"].value
        yield f"optimizer.{op}", own_s + parameter_s


def issues(host_s: dict[str, float]) -> None:
    """The host's constants, by the calls of a trace. A convolution's gradients are one call of
    PyTorch's; a parameter's gradient is charged with its update."""
    triton_s, parameter_s = host_s["triton"], host_s["parameter"]
    print(f"launch.nvidia.issue_s = {number(triton_s, HOST_ERROR)}")
    found = {f"{way}.pass": host_s[f"{way} pass"] for way in ("forward", "backward")}
    for op, kind in FORWARD.items():
        found[f"forward.{op}"] = host_s[kind if kind == "product" else f"forward {kind}"]
    found["backward.matmul"] = host_s["product"]
    for op in ("attention", "attention_qkv"):
        found[f"backward.{op}_backward"] = host_s["backward attention"]
    for op in ("conv1d", "conv2d"):
        for of in ("data", "weight"):
            found[f"backward.{op}_{of}_backward"] = host_s["backward convolution"] / 2
    found |= {key: count * triton_s for key, count in SEVERAL.items()}
    found |= dict(updates(parameter_s))
    for key, seconds in found.items():
        print(f"issue.nvidia.{key}_s = {number(seconds, HOST_ERROR)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default="h100_compiled_ops")
    parser.add_argument("--device", default="h100")
    arguments = parser.parse_args()
    record, device = sp.load(arguments.record), sp.device(arguments.device)
    efficiencies(record, device, sp.framework("torch-cuda").numbers[KERNEL_S].value)
    padded(record, device)
    issues(host(record))


if __name__ == "__main__":
    main()
