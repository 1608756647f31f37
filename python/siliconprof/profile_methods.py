"""The methods of Profile that live in Python, because files and figures do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from ._core import Profile

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


_reason = Profile.reason  # the core's


def attach_profile_methods() -> None:
    """Puts to_json, save, to_frame, to_perfetto, plot and plot_memory on Profile, and has its
    reason say what is wrong with an argument."""
    for method in (to_json, save, to_frame, to_perfetto, plot, plot_memory, reason):
        setattr(Profile, method.__name__, method)


def reason(self: Profile, name: str) -> str:
    """Why a value is None; empty when it is not.

    Raises: UnknownNameError for a name that is neither a field that may be missing nor a counter;
    ArgumentError for what is no name.
    """
    return _reason(self, arguments.text("profile", "name", name))


def to_json(self: Profile) -> str:
    """The profile as one JSON document; every float reads back equal."""
    from . import store

    return store.to_json(self)


def save(self: Profile, path: str | Path) -> None:
    """Writes the profile to `path` as JSON, whole or not at all. Raises: Error."""
    from . import store

    store.save(self, path)


def to_frame(self: Profile) -> pandas.DataFrame:
    """One row per span as a pandas table, in SI units."""
    from . import frames

    return frames.to_frame(self)


def to_perfetto(self: Profile, path: str | Path) -> None:
    """Writes a Chrome trace that ui.perfetto.dev opens. Raises: Error."""
    from . import perfetto

    perfetto.to_perfetto(self, path)


def plot(self: Profile, axes: Axes | None = None) -> Any:
    """Draws the spans: samples of a measured profile, terms of a predicted one.

    Returns the matplotlib axes; draws into `axes` where given.
    """
    from .figures import profile

    return profile.plot(self, axes)


def plot_memory(self: Profile, axes: Axes | None = None) -> Any:
    """Draws a prediction's memory, call by call and by role.

    Returns the matplotlib axes; draws into `axes` where given. Raises: ArgumentError for a profile
    without a memory timeline.
    """
    from .figures import memory

    return memory.plot(self, axes)
