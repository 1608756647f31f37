"""Fit what single calls take on a family whose kernels are timed one by one (call.<family> ...).

    python tools/fit_calls.py --record h200_suite [--framework torch-cuda]

Reads an op suite that this project measured (tools/measure_torch_suite.py), each call waited for.
By class of operation, what a call waits for besides its kernel; by operation, what kernels take
that no training step has (tools/suite_constants.py). Everything else is as it ships: rates of
kernels come from tools/fit_kernels.py, fit_products.py and fit_units.py. The search is that of
tools/fit_suite.py. No whole step is read. Prints TOML; the error of a number is the largest but one
in ten of the rows of its class. Intervals are those that other families' boards showed when they
were left out (call.<vendor>.<class>.error_part), and where calls here are further off, as wide.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from conformal_errors import conformal, error_parts
from fit_suite import Fit, fitted, show
from suite_constants import Subject, groups, known
from suite_tables import Measured, as_measured

import siliconprof as sp

SOURCE = "h200-calls"
ASSUMED_ERROR = 0.5


def calls(record: str, framework: str) -> Iterator[Measured]:
    """The record's rows that are no other work than their label says."""
    for row in sp.load(record).rows:
        if row.value is not None and "different computation" not in row.note:
            table = (row.device, "", record)
            yield as_measured(row.device, row.what, row.value, table, framework)


def found_of(fit: Fit) -> dict[str, tuple[float, float]]:
    """Constants and their errors, by key."""
    logs = list(zip(fit.table, fit.logs(fit.table, {}), strict=True))
    found = {}
    for row in fit.table:
        own = [log for other, log in logs if other.op_class == row.op_class]
        error = min(conformal(own), 0.9)
        keys = [key for g in groups(fit.of) if row.op in g.ops for c in g.constants for key in c[0]]
        for key in (*keys, *fit.waits(fit.waited(row))):
            if fit.found.get(key, 0.0) > 0.0:
                found[key] = (fit.found[key], error)
    return found


def wider(fit: Fit) -> dict[str, float]:
    """Error parts by key, of kinds of calls that are further off than is known of the vendor's."""
    found = {}
    for (op_class, waits), part in sorted(error_parts(fit.logs_by_kind(fit.table)).items()):
        name = f"{op_class}.waiting_error_part" if waits else f"{op_class}.error_part"
        vendors = fit.base.numbers.get(f"call.{fit.of.vendor}.{name}")
        if vendors is None or part > vendors.value:
            found[f"call.{fit.of.scope}.{name}"] = part
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default="h200_suite")
    parser.add_argument("--framework", default="torch-cuda")
    arguments = parser.parse_args()
    table = list(calls(arguments.record, arguments.framework))
    (family,) = {sp.device(row.device).family for row in table}
    of = Subject(arguments.framework, "", (family,), scope=family)
    fit = fitted(sp.framework(arguments.framework), table, of)
    for key, (value, error) in sorted(found_of(fit).items()):
        show(key, value, error, SOURCE)
    for key, part in wider(fit).items():
        show(key, part, ASSUMED_ERROR, SOURCE)
    for key, value in known(of).items():
        tail = f'kind = "assumed", source = "{SOURCE}", relative_error = {ASSUMED_ERROR:.2f}'
        print(f"{key} = {{ value = {value:.3g}, {tail} }}")


if __name__ == "__main__":
    main()
