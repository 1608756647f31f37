"""Claims of section 4.3 on launching kernels."""

from __future__ import annotations

from .claim import INFINITE, Claim, Evidence, claim, ratios
from .pairs import pairs
from .table import Row, Table
from .table6 import COLD, DISPATCH, FOLLOW_UP, ROUND_TRIP


def launch_claims(table: Table) -> list[Claim]:
    """Section 4.3, launching."""
    cold = [
        (row, _same(table, row, FOLLOW_UP))
        for row in table.where(quantity=COLD)
        if row.origin in ("recorded", "measured")
    ]
    penalty = ratios((f"{a.device}: cold over follow-up", a, b) for a, b in cold)
    return [
        claim(
            "cold-launch-slower",
            "The first launch of a kernel is slower than the following ones.",
            penalty,
            (1.0, INFINITE),
            "cold / follow-up above 1 on every device",
        ),
        claim(
            "cuda-launch-faster",
            "CUDA devices launch kernels faster than Apple's, cold and repeated.",
            _apple_over_cuda(table),
            (1.0, INFINITE),
            "fastest Apple device / each CUDA device above 1",
        ),
        claim(
            "apple-follow-up-is-a-round-trip",
            "A follow-up launch on Apple takes what submitting one command buffer and waiting for "
            "it takes.",
            _predicted_over_recorded(table, ROUND_TRIP, apple=True),
            (0.8, 1.2),
            "predicted synchronised launch / recorded follow-up within 20 %, on each device",
        ),
        claim(
            "cuda-follow-up-is-an-issue",
            "A follow-up launch on CUDA takes what issuing one kernel of a queue takes.",
            _predicted_over_recorded(table, DISPATCH, apple=False),
            (0.8, 1.2),
            "predicted pipelined launch / recorded follow-up within 20 %, on each device",
        ),
    ]


def _predicted_over_recorded(table: Table, quantity: str, apple: bool) -> list[Evidence]:
    """A cell for each device and framework; below MLX there is Metal, and little between them."""
    macs = {pair.apple for pair in pairs()}
    return ratios(
        (f"{row.device} {row.framework}: predicted {quantity} / recorded {FOLLOW_UP}", row, cell)
        for cell in table.where(origin="recorded", quantity=FOLLOW_UP)
        if (cell.device in macs) == apple
        for row in table.where(origin="predicted", device=cell.device, quantity=quantity)
    )


def _apple_over_cuda(table: Table) -> list[Evidence]:
    """The fastest recorded Apple device over each CUDA device."""
    apple = {pair.apple for pair in pairs()}
    entries = []
    for quantity in (COLD, FOLLOW_UP):
        rows = table.where(origin="recorded", quantity=quantity)
        fastest = min((row for row in rows if row.device in apple), key=_value, default=None)
        for row in rows:
            if row.device not in apple and fastest is not None:
                what = f"{quantity}: fastest Apple ({fastest.device}) / {row.device}"
                entries.append((what, fastest, row))
    return ratios(entries)


def _same(table: Table, row: Row, quantity: str) -> Row | None:
    rows = table.where(
        origin=row.origin, device=row.device, framework=row.framework, quantity=quantity
    )
    return rows[0] if rows else None


def _value(row: Row) -> float:
    return row.value if row.value is not None else INFINITE
