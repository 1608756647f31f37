"""Text to train on: plain files, folders of them, PTB, IMDB's reviews, or the packaged sample."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import numpy

from .._core import ArgumentError, RecordError
from .base import name_of
from .tokenizer import Tokenizer, Words, open_tokenizer

SAMPLE = "public_domain.txt"


def sample_text() -> str:
    """A few pages of old prose and verse."""
    return (files("siliconprof") / "data" / "samples" / SAMPLE).read_text(encoding="utf-8")


def read_text(path: Path) -> str:
    """A text file. Raises: RecordError naming it and the reason."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"[data] {path}: not text in UTF-8: {error}") from error
    except OSError as error:
        raise RecordError(f"[data] {path}: cannot be read: {error.strerror}") from error


def read_texts(path: Path) -> list[str]:
    """The texts of a file, of PTB's or IMDB's folder, or of a folder of .txt files."""
    if not path.is_dir():
        return [read_text(path)]
    if (path / "ptb.train.txt").is_file():
        return [read_text(path / "ptb.train.txt")]
    if (path / "pos").is_dir() or (path / "train").is_dir():
        return [text for text, _ in read_reviews(path)]
    found = sorted(path.glob("*.txt"))
    if not found:
        raise ArgumentError(f"[data] {path} has no text; needed: .txt files, or train/pos/*.txt")
    return [read_text(file) for file in found]


def read_reviews(path: Path, part: str = "train") -> list[tuple[str, int]]:
    """IMDB's reviews, (text, 1 where it praises), from `path`/`part`/{neg,pos}/*.txt or
    `path`/{neg,pos}/*.txt; line breaks written as <br /> are line breaks.

    Raises: ArgumentError where a folder is missing or empty.
    Source: Maas et al., Learning Word Vectors for Sentiment Analysis.
    """
    root = path / part if (path / part).is_dir() else path
    reviews = []
    for label, name in enumerate(("neg", "pos")):
        found = sorted((root / name).glob("*.txt"))
        if not found:
            raise ArgumentError(f"[data] {root / name} has no review; needed: .txt files in it")
        for file in found:
            reviews.append((re.sub(r"<br\s*/?>", "\n", read_text(file)), label))
    return reviews


def is_ptb(path: Path) -> bool:
    """Whether a path is PTB's folder or one of its files."""
    return path.name.startswith("ptb.") or (path / "ptb.train.txt").is_file()


def as_ptb(text: str) -> str:
    """Text in PTB's form: a sentence a line, lower case, words apart, numbers as N."""
    sentences = re.split(r"(?<=[.!?])\s+|\n\s*\n", text.lower())
    lines = []
    for sentence in sentences:
        words = re.findall(r"[a-z]+(?:'[a-z]+)?|\d+", sentence)
        lines.append(" ".join("N" if word.isdigit() else word for word in words))
    return "".join(f" {line} \n" for line in lines if line)


def read_tokens(
    path: Path | None, tokenizer: Path | None, vocab: int
) -> tuple[numpy.ndarray, str, Tokenizer]:
    """The tokens (n, int32) of a path or of the sample, what they are, and their tokenizer: words
    for PTB unless another one is given. Texts are joined by the end-of-text token.

    Raises: RecordError, ArgumentError.
    """
    texts = [sample_text()] if path is None else read_texts(path)
    made: Tokenizer
    if path is not None and tokenizer is None and is_ptb(path):
        made = Words(texts[0], vocab)
    else:
        made = open_tokenizer(tokenizer, vocab)
    tokens: list[int] = []
    for text in texts:
        tokens += [*made.encode(text), made.end] if len(texts) > 1 else made.encode(text)
    name = "the sample text" if path is None else name_of(path)
    return numpy.array(tokens, numpy.int32), f"{name} as {made.name}", made
