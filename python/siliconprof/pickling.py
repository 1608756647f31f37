"""What pickle and copy make traces, profiles, devices and frameworks of: other processes may have
them."""

from __future__ import annotations

import copyreg
from functools import partial
from inspect import signature
from typing import Any

from ._core import (
    CounterReading,
    Device,
    Framework,
    MemoryPoint,
    Number,
    Profile,
    Sampling,
    Span,
    Trace,
)
from .arguments import shown
from .profile_document import profile_from, span_document, span_from
from .remaking import call_of
from .sampling import adaptive, fixed, sampling_rule

_FIELDS: dict[type, tuple[str, ...]] = {
    Number: ("value", "kind", "source", "relative_error"),
    Device: ("id", "name", "vendor", "family", "numbers"),
    Framework: ("id", "name", "vendors", "numbers", "lacks"),
    CounterReading: ("name", "unit", "value", "reason", "kind"),
    MemoryPoint: ("call", "by_role"),
}


def attach_pickling() -> None:
    """Tells pickle and copy."""
    for kind in _FIELDS:
        copyreg.pickle(kind, _by_fields)  # type: ignore[arg-type]
    copyreg.pickle(Profile, _by_document)  # type: ignore[arg-type]
    copyreg.pickle(Span, lambda span: (span_from, (span_document(span),)))
    copyreg.pickle(Trace, _by_call)
    copyreg.pickle(Sampling, _by_rule)


def _by_fields(made: Any) -> tuple[type, tuple[Any, ...]]:
    kind = type(made)
    return kind, tuple(getattr(made, name) for name in _FIELDS[kind])


def _by_document(profile: Profile) -> tuple[Any, tuple[str]]:
    return profile_of, (profile.to_json(),)


def _by_call(trace: Trace) -> tuple[partial[Trace], tuple[()]]:
    call = call_of(trace)
    if call is None:
        need = "needed: one that sp.workload or sp.op gave, which can be made again"
        raise TypeError(f"[pickle] the trace {shown(trace.label)} can't be pickled; {need}")
    return call, ()


def _by_rule(rule: Sampling) -> tuple[Any, tuple[Any, ...]]:
    if rule.name == "fixed":
        return fixed, (rule.min_samples, rule.warmups)
    if rule.name == "adaptive":
        return adaptive, tuple(getattr(rule, name) for name in signature(adaptive).parameters)
    return sampling_rule, (rule.name,)


def profile_of(text: str) -> Profile:
    """The profile of a document that `to_json` wrote."""
    import json

    return profile_from(json.loads(text), "pickle")
