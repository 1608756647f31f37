"""Text as numbers: bytes, words, or GPT-2's byte pairs from its own two files."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from .._core import ArgumentError, RecordError

END_OF_TEXT = "<|endoftext|>"


class Tokenizer(Protocol):
    """Text to numbers below `size`, of which `end` ends a text."""

    name: str
    size: int
    end: int

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, without an end."""
        ...

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens."""
        ...


class Bytes:
    """The bytes of UTF-8, and one token more for the end of a text."""

    name = "bytes"
    size = 257
    end = 256

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: Iterable[int]) -> str:
        return bytes(token for token in tokens if token < 256).decode(errors="replace")


class Words:
    """The words of a text between white space, as PTB is read; a line ends with `<eos>`.

    `size` at most: the most frequent ones, ties as they first come; others are `<unk>`.
    """

    name = "words"
    UNKNOWN, END = "<unk>", "<eos>"

    def __init__(self, text: str, size: int) -> None:
        counts = Counter(self._split(text))
        for own in (self.UNKNOWN, self.END):
            counts.pop(own, None)
        kept = [word for word, _ in counts.most_common(max(size - 2, 0))]
        self._words = [self.UNKNOWN, self.END, *kept]
        self._ids = {word: id for id, word in enumerate(self._words)}
        self.size = len(self._words)
        self.end = 1

    def encode(self, text: str) -> list[int]:
        return [self._ids.get(word, 0) for word in self._split(text)]

    def decode(self, tokens: Iterable[int]) -> str:
        return " ".join(self._words[token] for token in tokens).replace(f" {self.END}", "\n")

    def _split(self, text: str) -> Iterator[str]:
        for line in text.splitlines():
            yield from line.split()
            yield self.END


class BytePairs:
    """GPT-2's tokenizer, from its vocab.json and merges.txt.

    Source: Radford et al., Language Models are Unsupervised Multitask Learners.
    """

    def __init__(self, vocabulary: Mapping[str, int], merges: Iterable[tuple[str, str]]) -> None:
        self._ids = dict(vocabulary)
        self._texts = {id: text for text, id in self._ids.items()}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._characters = _byte_characters()
        self._bytes = {character: byte for byte, character in enumerate(self._characters)}
        self.name = f"byte pairs ({len(self._ids)})"
        self.size = 1 + max(self._ids.values(), default=-1)
        self.end = self._ids.get(END_OF_TEXT, self.size - 1)
        missing = [c for c in self._characters if c not in self._ids]
        if missing:
            raise RecordError(f"[tokenizer] the vocabulary lacks the byte {missing[0]!r}")

    @classmethod
    def read(cls, folder: Path) -> BytePairs:
        """The tokenizer of a folder. Raises: RecordError naming the file and what is wrong."""
        try:
            vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
            lines = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            needed = "needed: a folder with GPT-2's vocab.json and merges.txt"
            raise RecordError(f"[tokenizer] {folder}: {error}; {needed}") from error
        pairs = [tuple(line.split()) for line in lines if line and not line.startswith("#version")]
        ids = vocabulary.values() if isinstance(vocabulary, dict) else [None]
        are_ids = all(type(id) is int and id >= 0 for id in ids)
        if not are_ids or any("".join(pair) not in vocabulary or len(pair) != 2 for pair in pairs):
            raise RecordError(f"[tokenizer] {folder}: not GPT-2's vocab.json and merges.txt")
        return cls(vocabulary, [(first, second) for first, second in pairs])

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = []
        for piece in split_pieces(text):
            written = "".join(self._characters[byte] for byte in piece.encode())
            tokens.extend(self._ids[part] for part in self._merged(written))
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        text = "".join(self._texts.get(token, "") for token in tokens)
        return bytes(self._bytes[c] for c in text if c in self._bytes).decode(errors="replace")

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - a tokenizer lives as long as the program
    def _merged(self, word: str) -> tuple[str, ...]:
        """The pair of the lowest rank is joined, everywhere, until none is known."""
        parts = list(word)
        while len(parts) > 1:
            pairs = itertools.pairwise(parts)
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            joined: list[str] = []
            i = 0
            while i < len(parts):
                both = tuple(parts[i : i + 2]) == best
                joined.append(parts[i] + parts[i + 1] if both else parts[i])
                i += 2 if both else 1
            parts = joined
        return tuple(parts)


_CONTRACTION = re.compile(r"'(?:s|t|re|ve|m|ll|d)")
# GPT-2's pattern over one letter for each character: Letter, Number, blank, White space, Other.
_PIECE = re.compile(r" ?L+| ?N+| ?O+|[ W]+(?![LNO])|[ W]+")


def split_pieces(text: str) -> Iterator[str]:
    """The pieces that byte pairs are looked for in: words with the blank before them, numbers..."""
    kinds = "".join(map(_kind, text))
    place = 0
    while place < len(text):
        found = _CONTRACTION.match(text, place) or _PIECE.match(kinds, place)
        assert found is not None
        yield text[place : found.end()]
        place = found.end()


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if character == " ":
        return " "
    if category[0] == "Z" or character in "\t\n\v\f\r\x85":
        return "W"
    return category[0] if category[0] in "LN" else "O"


def _byte_characters() -> list[str]:
    """The character that stands for each byte: itself where it can be seen."""
    seen = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in seen]
    shown = {byte: chr(byte) for byte in seen}
    shown |= {byte: chr(256 + n) for n, byte in enumerate(others)}
    return [shown[byte] for byte in range(256)]


def open_tokenizer(folder: Path | None, vocab: int) -> Tokenizer:
    """Byte pairs of a folder, or bytes. Raises: ArgumentError for more tokens than `vocab`."""
    made: Tokenizer = Bytes() if folder is None else BytePairs.read(folder)
    if made.size > vocab:
        needed = f"needed: at most {vocab}, the vocabulary of the model"
        raise ArgumentError(f"[tokenizer] {made.name} has {made.size} tokens; {needed}")
    return made
