"""Claims of section 4.1 and 4.2, and of the SimCLR article, on whole training steps."""

from __future__ import annotations

from .claim import INFINITE, Claim, claim, ratios
from .scenarios import NEAR, OFFLOADED
from .simclr import EPOCH
from .steps import BACKWARD, ENERGY, FORWARD, TIME
from .table import Row, Table
from .table3 import SHARE

_MACS = ("m2-ultra", "m2-max", "m2-pro")


def scenario_claims(table: Table) -> list[Claim]:
    """Figure 3."""
    slower, behind = [], []
    for panel in ("a1", "a2", "a3"):
        for quantity in (FORWARD, BACKWARD):
            rows = table.where(panel=panel, precision="fp32", quantity=quantity)
            slower += _over_fastest_mac(rows, f"{panel} {quantity}")
    for row in table.where(panel="b2", precision="fp32", quantity=TIME):
        if row.device == "rtx-4090":
            mac = _one(table.where(panel="b2", device="m2-ultra", quantity=TIME))
            behind.append(("GPT2-XL: RTX 4090 offloading / M2 Ultra", row, mac))
    return [
        claim(
            "apple-slower-with-enough-memory",
            "All Apple silicon SoCs underperform NVIDIA GPUs where memory suffices.",
            ratios(slower),
            (1.0, INFINITE),
            "fastest Apple device / each NVIDIA device above 1, forward and backward",
        ),
        claim(
            "offload-falls-behind",
            "With ZeRO-Offload even an RTX 4090 is slower than an M2 Ultra.",
            ratios(behind),
            (1.0, INFINITE),
            "RTX 4090 with offload / M2 Ultra above 1",
        ),
    ]


def memory_claims(table: Table) -> list[Claim]:
    """Table 3: does each configuration fit as its scenario says? Offload is what makes it fit."""
    unit = Row("recorded", "", "", "capacity", 1.0, "1", None, None, "by definition", {})
    fitting = [
        (f"{row.device}: {row.point['configuration']}", row, unit)
        for row in table.where(quantity=SHARE)
    ]
    near = [entry for entry in fitting if entry[1].point["scenario"] == NEAR]
    offloading = [
        entry
        for entry in fitting
        if entry[1].point["scenario"] == OFFLOADED and "offload" in entry[1].what
    ]
    enough = [entry for entry in fitting if entry not in near and entry not in offloading]
    return [
        claim(
            "scenario-1-fits",
            "Model and training data fit where the paper says that memory suffices.",
            ratios(enough),
            (0.0, 1.0),
            "peak memory below the device's, or the Apple GPU's working-set limit",
        ),
        claim(
            "offload-fits",
            "With ZeRO-Offload the steps fit the NVIDIA cards of scenario 2.",
            ratios(offloading),
            (0.0, 1.0),
            "peak memory below the device's",
        ),
        claim(
            "scenario-3-near-capacity",
            "Whisper-large with batch 32 has enough memory on an M2 Max, near its capacity.",
            ratios(near),
            (0.8, 1.34),
            "peak memory between 0.8 of the working-set limit and all 64 GB",
        ),
    ]


def pass_claims(table: Table) -> list[Claim]:
    """Table 4."""
    entries, ultra = [], []
    for origin in ("recorded", "predicted"):
        rows = [row for row in table.where(origin=origin, quantity=TIME) if row.value is not None]
        by_place = {(row.device, row.framework): row for row in rows}
        for mac in _MACS:
            over, under = by_place.get((mac, "torch-mps")), by_place.get((mac, "mlx"))
            entries.append((f"{mac}, {origin}: MPS / MLX", over, under))
        ultra.append(
            (
                f"{origin}: A6000 / M2 Ultra (MLX)",
                by_place.get(("rtx-a6000", "torch-cuda")),
                by_place.get(("m2-ultra", "mlx")),
            )
        )
    return [
        claim(
            "mlx-faster-than-mps",
            "MLX performs better than the MPS backend in training GPT2-large.",
            ratios(entries),
            (1.0, INFINITE),
            "MPS / MLX above 1 on every Mac, recorded and predicted",
        ),
        claim(
            "a6000-slightly-behind-m2-ultra",
            "The A6000 slightly underperforms the M2 Ultra with MLX.",
            ratios(ultra),
            (1.0, 1.1),
            "A6000 / M2 Ultra between 1 and 1.1",
        ),
    ]


def energy_claims(table: Table) -> list[Claim]:
    """Section 4.2."""
    entries = []
    for origin in ("recorded", "predicted"):
        rows = {row.device: row for row in table.where(origin=origin, quantity=ENERGY)}
        for mac in _MACS[:2]:
            what = f"{origin}: {mac} / RTX 4090"
            entries.append((what, rows.get(mac), rows.get("rtx-4090")))
    return [
        claim(
            "apple-energy-like-4090",
            "Energy per iteration of two Apple devices is similar to the RTX 4090's.",
            ratios(entries),
            (0.75, 1.25),
            "Apple / RTX 4090 between 0.75 and 1.25",
        )
    ]


def simclr_claims(table: Table) -> list[Claim]:
    """The article's ratios."""
    rows = {
        (row.origin, row.device, row.point.get("precision", "fp32")): row
        for row in table.where(quantity=EPOCH)
    }
    found = []
    for origin in ("recorded", "predicted"):
        gpu = rows.get((origin, "m1-pro", "fp32"))
        found.append((f"{origin}: M1 Pro CPU / GPU", rows.get((origin, "m1-pro-cpu", "fp32")), gpu))
    against = [
        (
            f"{device} {precision}: predicted / recorded epoch",
            rows.get(("predicted", device, precision)),
            rows.get(("recorded", device, "fp32")),
        )
        for device, precision in (
            ("m1-pro", "fp32"),
            ("m1-pro-cpu", "fp32"),
            ("rtx-a6000", "tf32"),
        )
    ]
    pair = [rows.get(("predicted", device, "fp32")) for device in ("m2-8", "m1-pro")]
    over_m2 = [("predicted: epoch on the M2 / M1 Pro", pair[0], pair[1])]
    return [
        claim(
            "m1-pro-over-m2",
            "The M1 Pro's GPU trains SimCLR 26 % faster than the M2's.",
            ratios(over_m2),
            (1.01, 1.51),
            "M2 / M1 Pro within a fifth of 1.26",
        ),
        claim(
            "m1-pro-gpu-over-cpu",
            "The M1 Pro's GPU trains SimCLR 8.8 times as fast as its CPU.",
            ratios(found),
            (6.6, 11.0),
            "CPU / GPU within a quarter of 8.8",
        ),
        claim(
            "simclr-steps-fill-the-epoch",
            "The training steps and the evaluation are most of an epoch's time.",
            ratios(against),
            (0.5, 1.0),
            "predicted steps between half and all of the recorded epoch",
        ),
    ]


def _over_fastest_mac(rows: list[Row], what: str) -> list[tuple[str, Row | None, Row | None]]:
    macs = [row for row in rows if row.device in _MACS and row.value is not None]
    fastest = min(macs, key=lambda row: row.value or INFINITE, default=None)
    return [
        (f"{what}: {fastest.device if fastest else 'Apple'} / {row.device}", fastest, row)
        for row in rows
        if row.device not in _MACS
    ]


def _one(rows: list[Row]) -> Row | None:
    return rows[0] if rows else None
