"""`siliconprof run`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import typer

from .. import arguments, store
from .._core import Profile, Trace
from ..quantity import counted, scaled
from ..workloads import is_model
from .given import refuse_input_as_output
from .output import print_json, print_text
from .profile_output import measured_document, print_profile
from .progress import shows_bars
from .workload_options import JSON, SAVE, OptionalInt, OptionalNumber, OptionalText, taking_a_trace

if TYPE_CHECKING:
    from ..training import TrainingRun

JUDGED_BAD = 1
_TRAINING_NEEDED = (
    "a model that is trained is needed; an operation, and a model with --sampling or without an "
    "optimizer, is only measured"
)
_MEASURED_NEEDED = (
    "what is only measured is needed: an operation, or a model with --sampling or without an "
    "optimizer; a training ends after its --steps"
)
THREADS = typer.Option(None, help="Threads; all usable cores by default.")
STEPS = typer.Option(None, help="Of a model: training steps, 20 by default.")
DATA = typer.Option(None, help="Of a model: a file or folder to train on; a small sample else.")
TOKENIZER = typer.Option(None, help="A folder with GPT-2's vocab.json and merges.txt.")
WEIGHTS = typer.Option(None, help="A .safetensors file to start from.")
RATE = typer.Option(None, help="Of a model's training; 0.001 by default.")
SEED = typer.Option(None, help="Of the order of the data; 0 by default.")
STATE = typer.Option(None, help="The run's own .safetensors file: resumed where it exists.")
EVERY = typer.Option(None, help="Save the --state after each so many steps too.")
SAMPLING = typer.Option(
    None, help="adaptive, or paper: 10 warm-ups, 100 launches. A model isn't trained then."
)
BUDGET = typer.Option(None, help="Seconds for samples of what is only measured; 2 by default.")


@taking_a_trace
def run(
    trace: Trace,
    backend: str = typer.Option("cpu", help="The measuring backend: cpu."),
    engine: str = typer.Option("openblas", help="openblas, eigen or reference."),
    threads: OptionalInt = THREADS,
    sampling: OptionalText = SAMPLING,
    budget: OptionalNumber = BUDGET,
    steps: OptionalInt = STEPS,
    data: OptionalText = DATA,
    tokenizer: OptionalText = TOKENIZER,
    learning_rate: OptionalNumber = RATE,
    weights: OptionalText = WEIGHTS,
    state: OptionalText = STATE,
    save_every: OptionalInt = EVERY,
    seed: OptionalInt = SEED,
    save: OptionalText = SAVE,
    json: bool = JSON,
) -> None:
    """Train a model on this machine, or measure an operation; Ctrl-C or SIGTERM ends a training
    after its step, with its profile and state so far.

    Example: siliconprof run gpt2-small --batch 4 --seq 64 --steps 50 --state run.safetensors
    """
    store.check_path(save)  # wrong names are told before the work, not after
    files = {"state": state, "weights": weights, "data": data}
    refuse_input_as_output("run", "save", save, files)
    asked: dict[str, Any] = {"steps": steps, "data": data, "tokenizer": tokenizer}
    asked |= {"learning_rate": learning_rate, "weights": weights, "seed": seed}
    asked |= {"state": state, "save_every": save_every}
    training = {name: value for name, value in asked.items() if value is not None}
    if sampling is None and backend == "cpu" and _is_training(trace):
        if budget is not None:
            raise arguments.refused("run", "budget", budget, _MEASURED_NEEDED)
        profile, told = _trained(trace, engine, threads, training)
    else:
        from ..run import run as measure

        if training:
            name, value = next(iter(training.items()))
            raise arguments.refused("run", name.replace("_", "-"), value, _TRAINING_NEEDED)
        rule = sampling or "adaptive"
        profile, told = measure(trace, backend, engine, threads, rule, budget_s=budget), {}
    if save is not None:
        store.save(profile, save)
    _show(profile, trace, told, json)
    if told.get("stopped") == "diverged":
        raise typer.Exit(JUDGED_BAD)


def _trained(
    trace: Trace, engine: str, threads: int | None, training: dict[str, Any]
) -> tuple[Profile, dict[str, Any]]:
    """A training's profile, and what it says besides."""
    from ..training import train
    from ..training.given import USUAL_RATE

    usual: dict[str, Any] = {"steps": 20, "learning_rate": USUAL_RATE, "show": shows_bars()}
    done = train(trace, engine=engine, threads=threads, **(usual | training))
    return done.profile, _told(done)


def _is_training(trace: Trace) -> bool:
    from ..training.step import UPDATES

    return is_model(trace.label) and any(call.op in UPDATES for call in trace.calls)


def _told(done: TrainingRun) -> dict[str, Any]:
    """What a training says besides its profile; a loss that is no number is null."""
    return {
        "losses": [loss if math.isfinite(loss) else None for loss in done.losses],
        "skipped": done.skipped,
        "stopped": done.stopped,
        "saved_step": done.saved_step,
        "items_per_s": done.items_per_s,
        "item": done.item,
    }


def _show(profile: Profile, trace: Trace, told: dict[str, Any], json: bool) -> None:
    if json:
        document = measured_document(profile, trace)
        document["reasons"] |= _reasons(told)
        return print_json({**document, **told})
    print_profile(profile)
    if told:
        losses = [loss for loss in told["losses"] if loss is not None]
        change = f"loss {losses[0]:.4f} to {losses[-1]:.4f}" if losses else "no finite loss"
        rate = scaled(told["items_per_s"], f"{told['item']}/s")
        print_text(f"{change} in {counted(len(told['losses']), 'step')}, {rate}")
        if reason := _reasons(told).get("losses"):
            print_text(reason, "yellow")
    return None


def _reasons(told: dict[str, Any]) -> dict[str, str]:
    """Of what a training says as null: steps without a finite loss, and no saved state."""
    reasons = {}
    steps = [step for step, loss in enumerate(told.get("losses", ()), 1) if loss is None]
    saved = told.get("saved_step")
    if told and saved is None:
        reasons["saved_step"] = "no state was saved"
    if told.get("stopped") == "diverged":
        kept = reasons.get("saved_step", f"the state stays that of step {saved}")
        reasons["losses"] = f"the loss was no finite number at step {steps[-1]}: ended; {kept}"
    elif steps:
        first = f"the first at step {steps[0]}"
        reasons["losses"] = f"{counted(len(steps), 'step')} had no finite loss, {first}"
    return reasons
