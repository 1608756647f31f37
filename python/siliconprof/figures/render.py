"""An experiment's table as a picture: lays out the panels, draws, adds legend and caption."""

from __future__ import annotations

import io

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..experiments.experiment import Experiment, Layout
from ..experiments.table import Table
from .style import INTERVAL, LIGHT, LINES, Theme, colour, muted, origin_handles, style


def render_svg(experiment: Experiment, table: Table, theme: Theme = LIGHT) -> str:
    """The figure as SVG text, equal for equal tables; its title is what a screen reader says."""
    buffer = io.StringIO()
    with style(theme):
        drawing = draw(experiment, table)
        title = ": ".join(filter(None, (experiment.paper_item, experiment.title)))
        drawing.savefig(buffer, format="svg", metadata={"Date": None, "Title": title})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def render_png(experiment: Experiment, table: Table, theme: Theme = LIGHT, dpi: int = 160) -> bytes:
    """The figure as PNG bytes."""
    buffer = io.BytesIO()
    with style(theme):
        draw(experiment, table).savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def draw(experiment: Experiment, table: Table) -> Figure:
    """The figure under the current style, not yet saved; lower than its layout where the drawing
    made it so."""
    layout = experiment.layout
    figure = Figure(figsize=(layout.width_in, layout.height_in))
    ratios = None if layout.width_ratios is None else {"width_ratios": list(layout.width_ratios)}
    axes = figure.subplot_mosaic([list(row) for row in layout.mosaic], gridspec_kw=ratios)
    experiment.draw(table, axes)
    height_in = figure.get_figheight()
    figure.tight_layout(rect=(0, 0.5 / height_in, 1, 1), w_pad=1.6, h_pad=1.2)
    _add_legend(figure, layout)
    place = {"x": 0.1 / layout.width_in, "y": 0.06 / height_in}
    figure.text(s=caption(table), va="bottom", fontsize=7, color=muted(), **place)
    return figure


def caption(table: Table) -> str:
    """Who measured, how many samples, and when."""
    counts = [row.point["n"] for row in table.rows if "n" in row.point]
    parts = []
    if counts:
        low, high = min(counts), max(counts)
        parts.append(f"n = {low}" if low == high else f"n = {low} to {high} samples a point")
    host = table.host
    # What only predicts and remembers says nothing of the machine that it was drawn on.
    did = "measured" if any(row.origin == "measured" for row in table.rows) else "computed"
    parts.append(f"{did} on {host.get('cpu', 'unknown')}, {host.get('cores', '?')} cores")
    parts.append(table.date[:10])
    return " · ".join(parts)


def _add_legend(figure: Figure, layout: Layout) -> None:
    handles = origin_handles(layout.marks)
    ink = colour("here")
    if layout.bars:
        handles.append(Line2D([], [], color=ink, label=layout.bars, **INTERVAL))
    if layout.framework_lines:
        for name, text in (("mlx", "CUDA on NVIDIA, MLX on Apple"), ("torch-mps", "MPS")):
            handles.append(Line2D([], [], color=ink, linestyle=LINES[name], label=text))
    if not handles:
        return
    figure.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.1 / layout.width_in, 0.24 / figure.get_figheight()),
        ncol=len(handles),
        handletextpad=0.5,
        columnspacing=1.6,
        borderaxespad=0,
        borderpad=0,
    )
