"""Weights of others: from safetensors files, by a table of what names and layouts differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy

from .. import arguments, safetensors
from .._core import ArgumentError
from ..names import nearest_of
from .saved_run import FORMAT
from .step import Step


@dataclass(frozen=True)
class Names:
    """How others write the parameters of the models whose ids begin with `models`.

    prefixes:   that may stand before our names.
    transposed: ends of names of matrices that are stored (in, out).
    """

    models: str
    prefixes: tuple[str, ...] = ("",)
    transposed: tuple[str, ...] = ()


# Source: the state dicts of Hugging Face's transformers and of torchvision.
NAMES = (
    Names(
        "gpt2",
        ("", "transformer."),
        ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"),
    ),
    Names("whisper", ("", "model.")),
    Names("bert"),
    Names("llama"),
    Names("resnet"),
    Names("", ("", "module.", "model.")),
)


def load_weights(step: Step, weights: str | Path | Mapping[str, numpy.ndarray]) -> None:
    """Sets every parameter of a step, from a file or from arrays; what is more is left.

    A file's matrices may be transposed and its convolutions channels-first, as the table says;
    arrays are taken in our layout, and by our names alone; numpy.uint16 is bfloat16 in both.
    Raises: ArgumentError for a parameter that is missing, of another shape or no array of real
    numbers; RecordError.
    """
    if isinstance(weights, Mapping):
        for name in step.parameters:
            value, ours = _found(name, (name,), weights, "the weights given"), step.arrays[name][0]
            if not isinstance(value, numpy.ndarray) or not numpy.can_cast(
                value.dtype, ours.dtype, "same_kind"
            ):
                need = "a numpy array of real numbers is needed"
                raise arguments.refused("train", f"weights[{name!r}]", value, need)
            arguments.unmasked("train", f"weights[{name!r}]", value)
            step.write(name, _widened(value, ours))
        return
    path = arguments.path("train", "weights", weights)
    tensors, metadata = safetensors.read(path)
    is_ours = metadata.get("format") == FORMAT
    rule = next(rule for rule in NAMES if step.trace.label.startswith(rule.models))
    for name in step.parameters:
        candidates = tuple(f"{prefix}{name}" for prefix in rule.prefixes)
        value = _found(name, candidates, tensors, str(path))
        if not is_ours:
            value = _as_ours(value, step.arrays[name][0], name.endswith(rule.transposed))
        step.write(name, value)


def _found(
    name: str, candidates: tuple[str, ...], tensors: Mapping[str, numpy.ndarray], where: str
) -> numpy.ndarray:
    for candidate in candidates:
        if candidate in tensors:
            return tensors[candidate]
    near = ", ".join(nearest_of(name, tensors)) or "none that is near"
    raise ArgumentError(f"[train] {where} has no {name!r}; there: {near}")


def _widened(value: numpy.ndarray, ours: numpy.ndarray) -> numpy.ndarray:
    """bfloat16 as float32, unless ours is bfloat16."""
    if value.dtype == numpy.uint16 and ours.dtype != numpy.uint16:
        return (value.astype(numpy.uint32) << 16).view(numpy.float32)
    return value


def _as_ours(value: numpy.ndarray, ours: numpy.ndarray, transposed: bool) -> numpy.ndarray:
    value = _widened(value, ours)
    if transposed and value.ndim == 2:
        return value.T
    if value.ndim > 2 and value.ndim == ours.ndim:
        return numpy.moveaxis(value, 1, -1)  # (out, in, ...) as (out, ..., in)
    return value
