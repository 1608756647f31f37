"""The dataset that a step needs, told by the names and shapes of its inputs."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .._core import ArgumentError, RecordError, TensorInfo, Trace
from ..arguments import refused
from .base import Dataset, name_of
from .cifar import LabelledImages, read_cifar, write_sample
from .simclr_views import SimclrViews
from .speech import Speech
from .text import read_tokens
from .tokenizer import open_tokenizer
from .tokens import MaskedTokens, NextTokens


def open_dataset(
    trace: Trace, path: Path | None = None, tokenizer: Path | None = None, seed: int = 0
) -> Dataset:
    """Data for a step from `path`, or a sample; `tokenizer`: a folder with GPT-2's vocab.json and
    merges.txt. The inputs of later micro-batches ("tokens.1") get batches of their own.

    Raises: ArgumentError for a step whose inputs no dataset has; RecordError for files that can't
    be read.
    """
    try:
        return _open(trace, path, tokenizer, seed)
    except OSError as error:  # a folder that can't be searched, or no place for the sample's files
        where = error.filename or path or "the sample"
        raise RecordError(f"[data] {where}: cannot be read: {error.strerror or error}") from error


def _open(trace: Trace, path: Path | None, tokenizer: Path | None, seed: int) -> Dataset:
    inputs = {info.name: info for info in trace.tensors if info.is_given and not info.is_view}
    own = {name: info for name, info in inputs.items() if "." not in name}
    if set(own) in ({"tokens", "targets"}, {"tokens", "segments", "targets"}):
        return _text(own, path, tokenizer, seed)
    if set(own) == {"mel", "tokens", "targets"}:
        return _speech(own, path, tokenizer, seed)
    if set(own) in ({"images"}, {"images", "labels"}):
        if tokenizer is not None:
            needed = "a step of text or speech is needed; images have no tokens"
            raise refused("data", "tokenizer", str(tokenizer), needed)
        return _images(own, path, seed)
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


def _speech(
    inputs: dict[str, TensorInfo], path: Path | None, tokenizer: Path | None, seed: int
) -> Dataset:
    batch, frames, mels = inputs["mel"].shape
    length = inputs["tokens"].shape[1]
    made = open_tokenizer(tokenizer, inputs["tokens"].index_limit)
    return Speech(path, made, batch, frames, mels, length, seed)


def _images(inputs: dict[str, TensorInfo], path: Path | None, seed: int) -> Dataset:
    rows, size = inputs["images"].shape[:2]
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            write_sample(Path(folder))
            images, labels = read_cifar(Path(folder))
    else:
        images, labels = read_cifar(path)
    source = "the sample" if path is None else name_of(path)
    if "labels" not in inputs:
        return SimclrViews(images, rows, size, source, seed)
    if labels.max() >= inputs["labels"].index_limit:
        needed = f"needed: below {inputs['labels'].index_limit}, the model's classes"
        raise ArgumentError(f"[data] labels to {labels.max()} in {source}; {needed}")
    return LabelledImages(images, labels, rows, size, source, seed)
