"""Common Voice: a table of clips and their sentences, as features and tokens for Whisper.

Source: Ardila et al., Common Voice: A Massively-Multilingual Speech Corpus.
"""

from __future__ import annotations

import csv
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy

from .._core import RecordError
from .audio import RATE, read_audio, write_wav
from .base import Batch, Order, digest, name_of, not_enough
from .log_mel import log_mel
from .text import sample_text
from .tokenizer import Tokenizer

TABLES = ("train.tsv", "validated.tsv", "dev.tsv", "test.tsv")
# Clips whose features are kept.
KEPT = 64


@dataclass(frozen=True)
class Clip:
    path: Path
    sentence: str


def read_clips(path: Path) -> list[Clip]:
    """The clips of a .tsv, or of the first of TABLES in a folder; sounds lie in clips/ beside it.

    Raises: RecordError naming the file, the line and what is missing.
    """
    tables = [path / name for name in TABLES] if path.is_dir() else [path]
    table = next((table for table in tables if table.is_file()), None)
    if table is None:
        raise RecordError(f"[data] {path}: no table; needed: one of {', '.join(TABLES)}")
    clips = []
    try:
        with table.open(encoding="utf-8-sig", newline="") as file:  # spreadsheets begin with a mark
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            for row in rows:
                if not row.get("path") or row.get("sentence") is None:
                    needed = "needed: columns path and sentence"
                    raise RecordError(f"[data] {table}, line {rows.line_num}: {needed}")
                clips.append(Clip(table.parent / "clips" / row["path"], row["sentence"]))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordError(f"[data] {table}: cannot be read: {error}") from error
    return clips


def write_sample(folder: Path, clips: int = 8) -> None:
    """A table and as many clips of one to two seconds: a tone for each letter of a sentence."""
    sentences = [s.strip() for s in sample_text().replace("\n", " ").split(".") if s.strip()]
    (folder / "clips").mkdir()
    lines = ["client_id\tpath\tsentence"]
    for number, sentence in enumerate(sentences[:clips]):
        said = sentence[:24]
        tones = []
        for letter in said.lower():
            time_s = numpy.arange(RATE // 16) / RATE
            hz = 220.0 * 2.0 ** ((ord(letter) % 32) / 12)
            fade = numpy.sin(numpy.pi * numpy.arange(len(time_s)) / len(time_s))
            tones.append(0.3 * fade * numpy.sin(2 * numpy.pi * hz * time_s))
        name = f"sample_{number}.wav"
        write_wav(folder / "clips" / name, numpy.concatenate(tones))
        lines.append(f"sample\t{name}\t{said}")
    (folder / "train.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _size(path: Path) -> int:
    """Of a sound, in bytes; 0 where it isn't there: whichever batch has it says so."""
    return path.stat().st_size if path.is_file() else 0


class Speech:
    """Clips as features, and their sentences between two ends of text, cut to `length` tokens."""

    def __init__(
        self,
        path: Path | None,
        tokenizer: Tokenizer,
        batch: int,
        frames: int,
        mels: int,
        length: int,
        seed: int = 0,
    ) -> None:
        if path is None:
            with tempfile.TemporaryDirectory() as folder:
                write_sample(Path(folder))
                self._clips = read_clips(Path(folder))
                held = [read_audio(clip.path) for clip in self._clips]
        else:
            self._clips, held = read_clips(path), []
        if not self._clips:
            raise not_enough("data", f"clips in {path}", 0, "at least 1")
        self._tokenizer, self._batch, self._length = tokenizer, batch, length
        self._order = Order(len(self._clips), seed)

        def features(item: int) -> numpy.ndarray:
            audio = held[item] if held else read_audio(self._clips[item].path)
            return log_mel(audio, frames, mels)

        self._features = lru_cache(KEPT)(features)
        name = "the sample" if path is None else name_of(path)
        sounds = held or [numpy.array(_size(clip.path)) for clip in self._clips]
        names = (f"{clip.path.name} {clip.sentence}\n".encode() for clip in self._clips)
        content = digest(*names, *sounds)
        what = f"{len(self._clips)} clips of {name} as {tokenizer.name}"
        self.description = f"{what}, {content}, seed {seed}"

    def batch(self, index: int) -> Batch:
        """mel (batch, frames, mels) float32; tokens and targets (batch, length) int32."""
        items = self._order.items(index, self._batch)
        rows = numpy.full((len(items), self._length + 1), self._tokenizer.end, numpy.int32)
        for row, item in zip(rows, items):
            said = self._tokenizer.encode(self._clips[item].sentence)[: self._length]
            row[1 : 1 + len(said)] = said
        mel = numpy.stack([self._features(item) for item in items])
        return {"mel": mel, "tokens": rows[:, :-1], "targets": rows[:, 1:]}
