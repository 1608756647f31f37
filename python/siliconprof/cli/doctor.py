"""`siliconprof doctor`."""

from __future__ import annotations

from typing import Any

from ..environment import for_readers
from ..quantity import scaled
from .output import print_json, print_table, print_text
from .workload_options import JSON


def doctor(json: bool = JSON) -> None:
    """What can be measured here, what cannot and why, and what plain numpy gets.

    Example: siliconprof doctor --json
    """
    from .. import doctor as checks

    report = checks.report()
    if json:
        print_json(report)
        return
    print_table(
        "Counters",
        ("counter", "here", "one read (quartiles)", "scope", "unit", "source; reason and remedy"),
        [_counter_row(entry) for entry in report["counters"]],
    )
    print_table(
        "\nMachine", ("fact", "value"), [_fact(*fact) for fact in report["machine"].items()]
    )
    print_table(
        "\nEngines",
        ("engine", "here", "version", "kernels", "threading; reason"),
        [_engine_row(entry) for entry in report["engines"]],
    )
    _print_numpy(report["numpy"])


def _counter_row(entry: dict[str, Any]) -> list[str]:
    cost, (low, high) = entry["cost_ns"], entry["cost_ns_quartiles"] or (None, None)
    words = [entry["source"], entry["reason"], entry["remedy"]]
    return [
        entry["name"],
        "yes" if entry["available"] else "no",
        "–" if cost is None else f"{cost:,.0f} ns ({low:,.0f} to {high:,.0f})",
        entry["scope"],
        entry["unit"],
        "; ".join(word for word in words if word),
    ]


def _engine_row(entry: dict[str, Any]) -> list[str]:
    words = [entry["threading"], entry["reason"]]
    return [
        entry["name"],
        "yes" if entry["available"] else "no",
        entry["version"],
        entry["kernel_family"],
        "; ".join(word for word in words if word),
    ]


def _fact(name: str, value: Any) -> list[str]:
    text = " ".join(value) if isinstance(value, list) else str(value)
    return list(for_readers(name, text))


def _print_numpy(report: dict[str, Any]) -> None:
    rows = [
        ["library", report["library"] or "–"],
        ["kernels", report["kernel_family"] or "–"],
        ["float32 product 1000x1000", _rate(report, "matmul_flops_per_s")],
        ["the same through siliconprof", _rate(report, "siliconprof_matmul_flops_per_s")],
        ["numpy / siliconprof", _ratio(report)],
    ]
    print_table("\nPlain numpy", ("", ""), rows)
    print_text(report["reason"], "yellow" if report["remedy"] else "")
    if report["remedy"]:
        print_text(f"remedy: {report['remedy']}", "bold")


def _rate(report: dict[str, Any], key: str) -> str:
    if report[key] is None:
        return "–"
    low, high = (scaled(end, "FLOP/s") for end in report[f"{key}_quartiles"])
    return f"{scaled(report[key], 'FLOP/s')} (quartiles {low} to {high})"


def _ratio(report: dict[str, Any]) -> str:
    if report["ratio"] is None:
        return "–"
    low, high = report["ratio_quartiles"]
    return f"{report['ratio']:.2f} ({low:.2f} to {high:.2f})"
