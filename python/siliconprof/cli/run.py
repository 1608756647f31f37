"""`siliconprof run`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from .. import store
from .._core import Profile, Trace
from ..quantity import scaled
from ..workloads import is_model
from .output import print_json, print_text
from .profile_output import measured_document, print_profile
from .workload_options import JSON, SAVE, OptionalInt, OptionalText, taking_a_trace

if TYPE_CHECKING:
    from ..training import TrainingRun

THREADS = typer.Option(None, help="Threads; all usable cores by default.")
STEPS = typer.Option(20, help="Of a model: training steps.")
DATA = typer.Option(None, help="Of a model: a file or folder to train on; a small sample else.")
TOKENIZER = typer.Option(None, help="A folder with GPT-2's vocab.json and merges.txt.")
WEIGHTS = typer.Option(None, help="A .safetensors file to start from.")
STATE = typer.Option(None, help="The run's own .safetensors file: resumed where it exists.")
EVERY = typer.Option(None, help="Save the state after each so many steps too.")
SAMPLING = typer.Option(
    None, help="adaptive, or paper: 10 warm-ups, 100 launches. A model isn't trained then."
)


@taking_a_trace
def run(
    trace: Trace,
    backend: str = typer.Option("cpu", help="The measuring backend: cpu."),
    engine: str = typer.Option("openblas", help="openblas, eigen or reference."),
    threads: OptionalInt = THREADS,
    sampling: OptionalText = SAMPLING,
    steps: int = STEPS,
    data: OptionalText = DATA,
    tokenizer: OptionalText = TOKENIZER,
    learning_rate: float = typer.Option(1e-3, help="Of a model's training."),
    weights: OptionalText = WEIGHTS,
    state: OptionalText = STATE,
    save_every: OptionalInt = EVERY,
    seed: int = typer.Option(0, help="Of the order of the data."),
    save: OptionalText = SAVE,
    json: bool = JSON,
) -> None:
    """Train a model on this machine, or measure an operation; Ctrl-C ends a training with its
    profile so far.

    Example: siliconprof run gpt2-small --batch 4 --seq 64 --steps 50 --state run.safetensors
    """
    if save is not None:
        store.profile_path(save)  # wrong names are told before the work, not after
    if sampling is None and backend == "cpu" and _is_training(trace):
        from ..training import train

        done = train(
            trace,
            steps=steps,
            data=data,
            tokenizer=tokenizer,
            learning_rate=learning_rate,
            weights=weights,
            state=state,
            save_every=save_every,
            seed=seed,
            engine=engine,
            threads=threads,
            show=sys.stderr.isatty(),
        )
        profile, told = done.profile, _told(done)
    else:
        from ..run import run as measure

        profile, told = measure(trace, backend, engine, threads, sampling or "adaptive"), {}
    if save is not None:
        store.save(profile, save)
    _show(profile, trace, told, json)


def _is_training(trace: Trace) -> bool:
    return is_model(trace.label) and any(call.phase == "optimizer" for call in trace.calls)


def _told(done: TrainingRun) -> dict[str, Any]:
    """What a training says besides its profile."""
    return {
        "losses": done.losses,
        "skipped": done.skipped,
        "stopped": done.stopped,
        "items_per_s": done.items_per_s,
        "item": done.item,
    }


def _show(profile: Profile, trace: Trace, told: dict[str, Any], json: bool) -> None:
    if json:
        return print_json({**measured_document(profile, trace), **told})
    print_profile(profile)
    if told:
        first, last = told["losses"][0], told["losses"][-1]
        rate = scaled(told["items_per_s"], f"{told['item']}/s")
        print_text(f"loss {first:.4f} to {last:.4f} in {len(told['losses'])} steps, {rate}")
    return None
