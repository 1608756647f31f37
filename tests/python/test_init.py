from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import siliconprof as sp
from siliconprof import _core


def test_the_names_are_sorted_and_all_are_there():
    assert sp.__all__ == sorted(sp.__all__)
    for name in sp.__all__:
        assert getattr(sp, name) is not None


def test_importing_loads_no_drawing_table_or_command_line_library():
    heavy = "{'matplotlib', 'pandas', 'jinja2', 'typer', 'rich', 'tqdm'}"
    program = f"import siliconprof, sys; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_names_that_are_also_modules_are_the_functions():
    import siliconprof.devices
    import siliconprof.run
    import siliconprof.workloads  # noqa: F401

    assert callable(sp.devices) and callable(sp.run) and callable(sp.workloads)


def test_public_names_and_their_members_say_what_they_are():
    public = [getattr(sp, name) for name in sp.__all__]
    classes = [each for each in public if inspect.isclass(each)]
    # What errors have beside their docstring is Python's.
    members = [each for each in classes if not issubclass(each, BaseException)]
    for each in [*classes, *filter(inspect.isroutine, public)]:
        assert each.__doc__, each
    for owner in members:
        for name in filter(lambda name: not name.startswith("_"), dir(owner)):
            doc = getattr(inspect.getattr_static(owner, name), "__doc__", None) or ""
            # pybind11 writes the signature of a method into its docstring.
            assert [line for line in doc.splitlines() if "->" not in line], f"{owner}.{name}"


@pytest.mark.parametrize(
    ("counters", "words"),
    [
        (5, "counters is 5; needed: a sequence of names, or None for all"),
        ("wall_s", "counters is 'wall_s'; needed: a sequence"),
        (["wall_s", 3], "a counter is 3; needed: a name, as wall_s"),
        (["wall_s"] * 65, "65 counters; needed: at most 64"),
    ],
)
def test_a_window_refuses_what_is_no_sequence_of_names(counters, words):
    with pytest.raises(sp.ArgumentError, match=rf"\[window\] {words}"):
        sp.window(counters)


def test_a_window_without_names_has_all_counters():
    with sp.window() as window:
        pass
    assert window.wall_s >= 0.0
    assert len(window.readings()) > len(sp.window(("wall_s",)).readings()) == 1


def test_an_unknown_attribute_is_an_attribute_error():
    assert not hasattr(sp, "no_such_name")


def test_lazy_names_are_listed():
    assert "reproduce" in dir(sp)


@pytest.mark.skipif(_core.reads_numpy_2, reason="this build reads numpy 2")
def test_a_numpy_that_the_build_misreads_is_refused_at_import():
    """An older pybind11 would return wrong numbers from numpy 2's arrays without an error."""
    program = "import numpy; numpy.__version__ = '2.4.6'; import siliconprof"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "found numpy 2.4.6; needed: the interpreter it was built for" in done.stderr
