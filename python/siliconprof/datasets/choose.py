"""The dataset that a step needs, told by the names and shapes of its inputs."""

from __future__ import annotations

from pathlib import Path

from .._core import ArgumentError, TensorInfo, Trace
from .base import Dataset
from .text import read_tokens
from .tokens import MaskedTokens, NextTokens


def open_dataset(
    trace: Trace, path: Path | None = None, tokenizer: Path | None = None, seed: int = 0
) -> Dataset:
    """Data for a step from `path`, or a sample; `tokenizer`: a folder with GPT-2's vocab.json and
    merges.txt. The inputs of later micro-batches ("tokens.1") get batches of their own.

    Raises: ArgumentError for a step whose inputs no dataset has; RecordError for files that can't
    be read.
    """
    inputs = {info.name: info for info in trace.tensors if info.is_given and not info.is_view}
    own = {name: info for name, info in inputs.items() if "." not in name}
    if set(own) in ({"tokens", "targets"}, {"tokens", "segments", "targets"}):
        return _text(own, path, tokenizer, seed)
    raise ArgumentError(f"[data] no dataset has the inputs {sorted(own)} of '{trace.label}'")


def _text(
    inputs: dict[str, TensorInfo], path: Path | None, tokenizer: Path | None, seed: int
) -> Dataset:
    batch, seq = inputs["tokens"].shape
    vocab = inputs["tokens"].index_limit
    masked = "segments" in inputs
    tokens, source, made = read_tokens(path, tokenizer, vocab - masked)
    plain = NextTokens(tokens, batch, seq, source, seed)
    return MaskedTokens(plain, vocab, made.size, seed) if masked else plain
