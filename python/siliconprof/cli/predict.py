"""`siliconprof predict`."""

from __future__ import annotations

import typer

from .. import store
from .._core import Trace
from .output import print_json, print_text
from .profile_output import print_profile, profile_document
from .workload_options import JSON, SAVE, SET, OptionalText, taking_a_trace

FIGURE = typer.Option(
    None, "--figure", help="Also draw the step's time and memory to this .png, .svg or .pdf file."
)
FRAMEWORK = typer.Option(
    None, help="Id, or id@version (`siliconprof frameworks`); by default the vendor's own."
)


@taking_a_trace
def predict(
    trace: Trace,
    device: str = typer.Option(..., help="Id of a device, or the path of a device file."),
    framework: OptionalText = FRAMEWORK,
    set: list[str] = SET,
    save: OptionalText = SAVE,
    figure: OptionalText = FIGURE,
    json: bool = JSON,
) -> None:
    """Predict a workload on a device that need not be here.

    --set changes a number of the device, or of the framework's file, for this prediction:
    --set compute.float32.matrix=2e13, --set memory.bandwidth=1e12, --set launch.dispatch_s=1e-6.
    Notes say which settings change nothing of it, and which peak rates don't follow cores and
    clock.

    Example: siliconprof predict gpt2-large --batch 8 --seq 256 --device m2-ultra --json
    """
    from ..figures.files import figure_path
    from ..predict import predict as ask
    from ..what_if import stays_note, with_settings, without_effect

    # Wrong names are told before the work, not after.
    picture = figure_path("predict", figure)
    store.check_path(save)
    machine, software = with_settings(device, framework, set)
    profile = ask(trace, machine, software)
    if save is not None:
        store.save(profile, save)
    if picture is not None:
        from ..figures.prediction import save_prediction

        save_prediction(profile, picture)
    told = [f"set without effect: {one}" for one in without_effect(trace, device, framework, set)]
    told += filter(None, [stays_note(machine)])
    if json:
        content = profile_document(profile, trace, (machine, software))
        print_json({**content, "notes": [*content["notes"], *told]})
        return
    print_profile(profile, trace, (machine, software))
    for note in told:
        print_text(f"note: {note}", "dim")
