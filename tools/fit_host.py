"""Host costs by operation (issue.<vendor>.<phase>.<op>_s) of a framework file.

    python tools/fit_host.py --device h200 [--record h200_ops]

Chains of modules of a packaged record, measured by tools/measure_torch_cuda.py: of each machine
freed of its pace, then the median over machines. Those that were timed in turn, beside one
yardstick, say what each call takes (host_chains.py), those of h200_composites what the calls take
that frameworks' models make of several; whole layers on all machines, how much all take. What
begins a pass are models without layers, which other modules ran before, less what their calls cost
in chains. No training step is read. Prints TOML.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import host_chains
import host_pace
from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof.recorded_ops import dims_of

Times = dict[tuple[str, str, int], float]  # seconds by row, direction and tensors
WAYS = ("forward", "backward")
# Chains in turn with others, between an optimizer's steps, again and again.
TURN, STEP, AGAIN = "host.turn.", "host.step.", "host.module."
COMPOSITES = "h200_composites"
ANY_CALL = "launch.nvidia.issue_s"  # that no chain tells of
DTYPES = {"tf32": ("tf32",), "float16": ("float16", "bfloat16")}  # that a chain's dtype stands for


def machines(record: str) -> list[Times]:
    """Host seconds of each machine of the record, at the median machine's pace."""
    every = list(raw_machines(record))
    paces = [pace(times, every, set(host_pace.ROWS)) for times in every]
    paced = [freed(t, p) for t, p in zip(every, paces, strict=True) if p]
    # Machines without those chains are held against what the others have at the common pace.
    paces = [p or pace(t, paced, None) for t, p in zip(every, paces, strict=True)]
    return [freed(t, p) for t, p in zip(every, paces, strict=True) if p]


def pace(times: Times, every: list[Times], names: set[str] | None) -> float | None:
    """How much longer a machine takes than the median of all; none without rows in common."""
    ratios = []
    for key, seconds in times.items():
        others = [t[key] for t in every if key in t]
        if others and (names is None or key[0] in names):
            ratios.append(seconds / median(others))
    return median(ratios) if ratios else None


def freed(times: Times, pace: float) -> Times:
    return {key: seconds / pace for key, seconds in times.items()}


def raw_machines(record: str) -> Iterator[Times]:
    """Host seconds of each machine of the record."""
    found: dict[int, Times] = {}
    for row in sp.load(record).rows:
        if row.what.startswith("host.") and row.value is not None:
            name, *words = row.what.split()
            dims = dims_of(words)
            key = (name, words[-1], dims.get("tensors", 0))
            found.setdefault(dims.get("machine", 1), {})[key] = row.value
    yield from found.values()


def host(record: str) -> dict[str, float]:
    """Host seconds by "<phase>.<op>": what chains that were timed in turn show together, and what
    other rows show, the median over machines."""
    every = machines(record)
    found: dict[str, list[float]] = {}
    for times in every:
        for key, seconds in optimizers_of(times).items():
            found.setdefault(key, []).append(seconds)
    result = {key: median(values) for key, values in found.items()}
    for way in WAYS:
        result |= {f"{way}.{op}": s for op, s in calls_of(every, way).items()}
    for way, tail in (("forward", ""), ("backward", "_backward")):
        for name in ("embedding", "cross_entropy"):
            key = (f"host.{name}", way, 0)
            result[f"{way}.{name}{tail}"] = median(t[key] for t in every if key in t)
    return with_ends(result, every)


def calls_of(every: list[Times], way: str) -> dict[str, float]:
    """Of one direction, and what a pass of a model's layers takes once. In turn with all others a
    chain's code and data are less at hand than in steps: all calls by as much less as whole layers
    take by themselves and between an optimizer's steps, the median over machines; and at the widths
    of models by as much more as those take."""
    chains = chains_of(every, TURN, way)
    rows = host_chains.rows_of(together(chains), way, once_of(chains, way))
    solved = host_chains.solve(rows)
    other = {host_chains.OTHER: sp.framework("torch-cuda").numbers[ANY_CALL].value}
    solved |= host_chains.composites(composites(), way, solved | other)
    del solved[host_chains.BEGIN]  # a step has one pass, of layers
    steps = chains_of(every, STEP, way)
    once = once_of(steps, way)
    levels = [level(own, way, once, solved) for own in steps + chains_of(every, AGAIN, way)]
    wider = median(part for own in chains + steps for part in host_chains.wider(own, way))
    factor = wider * median(found for found in levels if found)
    calls = named({call: factor * seconds for call, seconds in solved.items()}, way)
    return calls | {"pass": once}


def composites() -> dict[tuple[str, str], float]:
    """Chains of what transformers computes by several kernels, and of those beside them."""
    (times,) = raw_machines(COMPOSITES)
    return chains_of([times], AGAIN, "")[0]


def level(
    own: dict[tuple[str, str], float], way: str, once: float, solved: host_chains.Counts
) -> float | None:
    """What a machine's layers take of the sum of their calls; none without layers."""
    parts = [
        seconds / sum(count * solved[call] for call, count in calls.items())
        for calls, seconds in host_chains.rows_of(own, way, once)
        if host_chains.BEGIN not in calls
    ]
    return median(parts) if parts else None


def once_of(chains: list[dict[tuple[str, str], float]], way: str) -> float:
    return median(seconds for own in chains for seconds in host_chains.once_s(own, way))


def chains_of(every: list[Times], prefix: str, way: str) -> list[dict[tuple[str, str], float]]:
    """Of each machine, by chain."""
    return [
        {(n.removeprefix(prefix), w): s for (n, w, _), s in times.items() if n.startswith(prefix)}
        for times in every
    ]


def together(machines: list[dict[tuple[str, str], float]]) -> dict[tuple[str, str], float]:
    keys = {key: None for times in machines for key in times}
    return {key: median(times[key] for times in machines if key in times) for key in keys}


def named(solved: dict[str, float], way: str) -> dict[str, float]:
    """By the names of the traces' calls; a call whose chains differ by dtype has those beside
    float32's."""
    found: dict[str, float] = {}
    for call, seconds in solved.items():
        op, _, dtype = call.partition(".")
        if op == "cast":
            found |= {f"cast_{d}": seconds for d in ("float16", "bfloat16", "float32")}
        elif op.startswith("gelu"):
            found |= {op.replace("gelu", kind): seconds for kind in ("gelu_tanh", "gelu_erf")}
        elif op.startswith("conv") and way == "backward":
            for of in ("data", "weight"):
                name = op.replace("_backward", f"_{of}_backward")
                found |= {f"{name}{tail}": seconds / 2 for tail in tails(dtype)}
        else:
            found |= {f"{op}{tail}": seconds for tail in tails(dtype)}
    if way == "forward":
        found["bias"] = found["add"]
    return found


def tails(dtype: str) -> list[str]:
    return [f".{d}" for d in DTYPES[dtype]] if dtype in DTYPES else [""]


# Calls of models without layers (tools/torch_cuda_modules.py), with how often.
GPT2_ENDS = {"bias": 1, "layer_norm": 1, "matmul": 1, "cross_entropy": 1}
SIMCLR_ENDS = {"matmul": 3, "batch_norm": 2, "relu": 1}
WHISPER_ENDS = {"embedding": 1, "conv1d": 2, "gelu_erf": 2, "bias": 2, "layer_norm": 2}
WHISPER_ENDS |= {"matmul": 1, "cross_entropy": 1}


def with_ends(found: dict[str, float], every: list[Times]) -> dict[str, float]:
    """And what models without layers show: tables of tokens with their positions, a contrastive
    loss, what begins a pass, what comes before a decoder."""

    def end(name: str, direction: str) -> float:
        key = (f"host.{name}", direction, 0)
        return median(times[key] for times in every if key in times)

    def calls(counts: dict[str, int]) -> float:
        return sum(count * found[f"forward.{op}"] for op, count in counts.items())

    found["forward.embedding"] = end("gpt2_ends", "forward") - calls(GPT2_ENDS)
    loss = end("simclr_ends", "forward") - calls(SIMCLR_ENDS)
    found["forward.normalise"] = found["forward.nt_xent"] = loss / 2
    backward = {"matmul": 6, "batch_norm_backward": 2, "relu_backward": 1}
    known = sum(n * found[f"backward.{op}"] for op, n in backward.items())
    begin = end("scalar_loss", "backward")
    loss = end("simclr_ends", "backward") - begin - known
    found["backward.normalise_backward"] = found["backward.nt_xent_backward"] = loss / 2
    once = {
        name: end(f"once.{name}", "forward") - end(name, "forward")
        for name in ("gpt2_ends", "simclr_ends", "whisper_ends")
    }
    own = median(once.values())  # of a forward pass beside what its layers take once
    whole = end("once.whisper_ends", "forward")
    found["forward.decoder"] = whole - own - calls(WHISPER_ENDS)
    found["forward.pass"] += own
    return found | optimizers_of_models(every)


def optimizers_of_models(every: list[Times]) -> dict[str, float]:
    """On tensors of models and of layers, whose gradients are let go, behind passes: what a step
    takes once, and each tensor; looking for overflow too."""
    once, step = "host.once.adamw_foreach", "host.step.adamw_foreach"
    adamw = rows_by_tensors(every, "pass", "adamw", ((once, "step"), (once, "zero_grad")))
    adamw += rows_by_tensors(every, "pass", "adamw", ((step, "step_and_zero_grad"),))
    scaler = rows_by_tensors(every, "update_scale", "unscale", ((once, "unscale"),))
    return host_chains.solve(adamw) | host_chains.solve(scaler)


def rows_by_tensors(
    every: list[Times], once: str, each: str, ways: tuple[tuple[str, str], ...]
) -> list[tuple[host_chains.Counts, float]]:
    """Calls of an optimizer and their seconds, of every number of tensors that was timed."""
    return [
        (
            {f"optimizer.{once}": 1.0, f"optimizer.{each}": float(tensors)},
            sum(times[*way, tensors] for way in ways),
        )
        for times in every
        for name, direction, tensors in times
        if (name, direction) == ways[0]
    ]


def optimizers_of(times: Times) -> dict[str, float]:
    """Seconds a tensor: the median over their numbers of the slope from the fewest, since a host's
    pace wanders between any two."""
    fewest, numbers = 12, (148, 292, 580)
    found = {}
    for op, rows in (
        ("sgd", (("sgd_foreach", "step"), ("sgd_foreach", "zero_grad"))),
        ("clip", (("clip", "step"),)),
    ):
        if any((f"host.{n}", way, many) not in times for n, way in rows for many in numbers):
            continue

        def seconds(many: int, rows: tuple[tuple[str, str], ...] = rows) -> float:
            return sum(times[f"host.{name}", way, many] for name, way in rows)

        each = [(seconds(many) - seconds(fewest)) / (many - fewest) for many in numbers]
        found[f"optimizer.{op}"] = median(each)
    return found


def main() -> None:
    arguments = fit_arguments(__doc__)
    print(f"[issue.{sp.device(arguments.device).vendor}]")
    for key, seconds in host(arguments.record).items():
        tail = f'kind = "fitted", source = "{arguments.source}", relative_error = 0.35'
        print(f"{key}_s = {{ value = {seconds:.3g}, {tail} }}")


if __name__ == "__main__":
    main()
