from __future__ import annotations

import json

import pytest

import siliconprof as sp


def predicted() -> sp.Profile:
    return sp.predict(sp.op("matmul", m=64, k=64, n=64, vjp=True), "m2-ultra")


def test_profiles_have_the_methods_of_files_and_figures():
    for name in ("to_json", "save", "to_frame", "to_perfetto", "plot"):
        assert getattr(sp.Profile, name).__doc__


@pytest.mark.parametrize("name", [None, 3, b"energy_joules"])
def test_why_something_is_missing_is_asked_by_its_name(name):
    with pytest.raises(sp.ArgumentError, match=r"\[profile\] name = .*: a text is needed"):
        predicted().reason(name)
    assert predicted().reason("optimizer_s")


def test_save_and_load_are_each_others_inverse(tmp_path):
    path = tmp_path / "p.json"
    predicted().save(path)
    assert sp.load(path) == predicted()


@pytest.mark.parametrize("offload", [False, True])
@pytest.mark.parametrize(
    ("device", "framework"),
    [("h200", "torch-cuda"), ("m2-ultra", "mlx"), ("m2-pro", "torch-mps"), ("epyc-7763", "native")],
)
def test_a_predicted_step_can_be_saved_and_loaded(tmp_path, device, framework, offload):
    step = sp.workload("gpt2-small", batch=2, seq=32, layers=2, offload=offload)
    found = sp.predict(step, device, framework=framework)
    found.save(tmp_path / "step.json")
    assert sp.load(tmp_path / "step.json") == found
    assert all(seconds >= 0.0 for span in found.spans for seconds in span.terms.values())


def test_a_file_that_does_not_say_its_work_is_loaded(tmp_path):
    content = json.loads(predicted().to_json())
    del content["work"]
    (tmp_path / "p.json").write_text(json.dumps(content))
    assert sp.load(tmp_path / "p.json") == predicted()


def test_to_json_is_the_saved_text(tmp_path):
    path = tmp_path / "p.json"
    predicted().save(path)
    assert json.loads(path.read_text()) == json.loads(predicted().to_json())


def test_to_frame_has_a_row_per_span():
    assert len(predicted().to_frame()) == len(predicted().spans)


def test_to_perfetto_writes_an_event_per_span(tmp_path):
    path = tmp_path / "p.trace.json"
    predicted().to_perfetto(path)
    events = json.loads(path.read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == len(predicted().spans)


def test_plot_draws_into_the_axes_it_is_given():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert predicted().plot(axes) is axes
    assert axes.patches
