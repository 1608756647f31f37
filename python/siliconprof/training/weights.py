"""Weights of others: from safetensors files, by a table of what names and layouts differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


# Ends of names of what LoRA adds to a model; what anybody's names of it have.
_ADAPTERS = (".lora_A", ".lora_B")
_ADAPTED = "lora_"


def load_weights(step: Step, weights: str | Path | Mapping[str, numpy.ndarray]) -> None:
    """Sets every parameter of a step, from a file or from arrays; what is more is left. Where there
    are no adapters, those of the step keep their initial values: they adapt what is given.

    A file's matrices may be transposed and its convolutions channels-first, as the table says;
    arrays are taken in our layout, and by our names alone; numpy.uint16 is bfloat16 in both.
    Raises: ArgumentError for a parameter that is missing, of another shape or no array of
    floating-point numbers; RecordError.
    """
    if isinstance(weights, Mapping):
        for name in step.parameters:
            value = _found(name, (name,), weights, "the weights given")
            if value is not None:
                step.write(name, _checked(f"weights[{name!r}]", value, step.arrays[name][0]))
        return
    path = arguments.path("train", "weights", weights)
    tensors, metadata = safetensors.read(path)
    is_ours = metadata.get("format") == FORMAT
    rule = next(rule for rule in NAMES if step.trace.label.startswith(rule.models))
    for name in step.parameters:
        candidates = tuple(f"{prefix}{name}" for prefix in rule.prefixes)
        value = _found(name, candidates, tensors, str(path))
        if value is None:
            continue
        ours = step.arrays[name][0]
        value = _checked(f"{path}: {name}", value, ours)
        if not is_ours:
            value = _as_ours(value, ours, name.endswith(rule.transposed))
        step.write(name, value)


def _checked(name: str, value: object, ours: numpy.ndarray) -> numpy.ndarray:
    """The value, widened where it is bfloat16. Raises: ArgumentError for no floating-point ones."""
    if not isinstance(value, numpy.ndarray) or not _is_floating(value.dtype):
        kind = f", not of {value.dtype}" if isinstance(value, numpy.ndarray) else ""
        need = f"a numpy array of floating-point numbers{kind} is needed"
        raise arguments.refused("train", name, value, need)
    arguments.unmasked("train", name, value)
    return _widened(value, ours)


def _is_floating(dtype: numpy.dtype[Any]) -> bool:
    return dtype.kind == "f" or dtype == numpy.uint16


def _found(
    name: str, candidates: tuple[str, ...], tensors: Mapping[str, Any], where: str
) -> Any | None:
    """What a parameter is given; None for an adapter where there is none at all."""
    for candidate in candidates:
        if candidate in tensors:
            return tensors[candidate]
    if name.endswith(_ADAPTERS) and not any(_ADAPTED in each for each in tensors):
        return None
    near = ", ".join(nearest_of(name, tensors)) or "none that is near"
    raise ArgumentError(f"[train] {where} has no {name!r}; there: {near}")


def _widened(value: numpy.ndarray, ours: numpy.ndarray) -> numpy.ndarray:
    """bfloat16 as float32, unless ours is bfloat16."""
    if value.dtype == numpy.uint16 and ours.dtype != numpy.uint16:
        return (value.astype(numpy.uint32) << 16).view(numpy.float32)
    return value


def _as_ours(value: numpy.ndarray, ours: numpy.ndarray, transposed: bool) -> numpy.ndarray:
    if transposed and value.ndim == 2:
        return value.T
    if value.ndim > 2 and value.ndim == ours.ndim:
        return numpy.moveaxis(value, 1, -1)  # (out, in, ...) as (out, ..., in)
    return value
