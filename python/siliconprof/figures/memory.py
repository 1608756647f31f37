"""A step's memory as a picture: what is held during each call, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import ArgumentError
from ..quantity import scaled
from .style import axes_of, colour, heading, muted, style, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._core import Profile

# From what stays through what comes and goes.
_COLOURS = {
    "parameter": "#0072b2",
    "optimizer_state": "#7f6bd1",
    "input": "#8a6d3b",
    "gradient": "#d55e00",
    "activation": "#2aa7de",
    "temporary": "#9aa7b5",
}
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes"))


def plot(profile: Profile, axes: Axes | None = None) -> Any:
    """Bytes held during each call, stacked by role, with the peak and where each phase begins.

    Temporary is also what an allocator adds by rounding. Returns the axes; makes a figure of its
    own where none is given. Raises: ArgumentError for a profile without a memory timeline.
    """
    if not profile.memory_timeline:
        raise ArgumentError(
            f"[plot_memory] {profile.label} has no memory timeline: "
            f"{profile.reason('memory_timeline')}; needed: a prediction"
        )
    with style(theme_of(axes)):
        drawn = axes_of("plot_memory", axes, (7.2, 3.2))
        draw(profile, drawn)
    return drawn


def draw(profile: Profile, axes: Axes) -> None:
    """Into the axes, in their style."""
    timeline = profile.memory_timeline
    peak_bytes = max(sum(point.by_role.values()) for point in timeline)
    scale, unit = next((u for u in _UNITS if peak_bytes >= u[0]), _UNITS[-1])
    # A call's bytes are held until the next one begins.
    calls = [*(point.call for point in timeline), timeline[-1].call + 1]
    held_at_all = {role for point in timeline for role in point.by_role}
    known = [role for role in _COLOURS if role in held_at_all]
    roles = [*known, *sorted(held_at_all.difference(known))]
    bands = [[point.by_role.get(role, 0) / scale for point in timeline] for role in roles]
    if bands:  # an operation on nothing holds nothing
        axes.stackplot(
            calls,
            [[*values, values[-1]] for values in bands],
            labels=[role.replace("_", " ") for role in roles],
            colors=[_COLOURS.get(role, muted()) for role in roles],
            step="post",
            linewidth=0,
        )
    _mark_phases(profile, axes)
    # Often held for one call among thousands, too short to be seen.
    peak = next(p for p in timeline if sum(p.by_role.values()) == peak_bytes)
    above = 1.04 * peak_bytes / scale
    axes.plot([peak.call + 0.5], [above], marker="v", markersize=5, color=colour("here"), zorder=5)
    axes.set_xlim(calls[0], calls[-1])
    axes.set_ylim(0, 1.12 * max(peak_bytes, 1) / scale)
    axes.set_xlabel("call")
    axes.set_ylabel(unit)
    where = f"{profile.origin} · {profile.device} · {profile.framework}"
    heading(axes, f"Memory, {scaled(peak_bytes, 'bytes')} at its peak (▼)", where)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _mark_phases(profile: Profile, axes: Axes) -> None:
    """Where each begins; phases of an offloaded step, and of passes that add up, take turns."""
    seen = set()
    for span in profile.spans:
        if span.kind != "op" or span.phase in seen:
            continue
        seen.add(span.phase)
        axes.axvline(span.call, color=muted(), linewidth=0.6, linestyle=":")
        axes.annotate(
            f" {span.phase}",
            (span.call, 0.99 - 0.06 * (len(seen) - 1)),  # below the one before: it may be near
            xycoords=("data", "axes fraction"),
            va="top",
            fontsize=7.5,
            color=muted(),
        )
