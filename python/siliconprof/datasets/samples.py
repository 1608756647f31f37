"""Small samples of every kind of data, as files in its own format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .. import arguments
from .._core import Error
from ..names import unknown_name
from . import cifar, speech
from .text import as_ptb, sample_text


def _write_text(folder: Path) -> None:
    (folder / "sample.txt").write_text(sample_text(), encoding="utf-8")


def _write_ptb(folder: Path) -> None:
    lines = as_ptb(sample_text()).splitlines(keepends=True)
    (folder / "ptb.train.txt").write_text("".join(lines[: -len(lines) // 5]), encoding="utf-8")
    (folder / "ptb.valid.txt").write_text("".join(lines[-len(lines) // 5 :]), encoding="utf-8")


def _write_reviews(folder: Path) -> None:
    """A passage each, praised or not in turn."""
    passages = [passage for passage in sample_text().split("\n\n") if len(passage) > 80]
    verdicts = ("Dull and far too long.", "A pleasure from the first page to the last.")
    for label, name in enumerate(("neg", "pos")):
        (folder / "train" / name).mkdir(parents=True)
        for number, passage in enumerate(passages[label::2]):
            file = folder / "train" / name / f"{number}_{9 * label + 1}.txt"
            quoted = passage.replace("\n", "<br />")
            file.write_text(f"{verdicts[label]}<br /><br />{quoted}", encoding="utf-8")


SAMPLES: Mapping[str, Callable[[Path], None]] = {
    "text": _write_text,
    "ptb": _write_ptb,
    "imdb": _write_reviews,
    "common-voice": speech.write_sample,
    "cifar-10": cifar.write_sample,
}


def write_sample(kind: str, folder: str | Path) -> Path:
    """Writes the sample of a kind ("text", "ptb", "imdb", "common-voice", "cifar-10") into a
    folder, which is made where it isn't there, and returns it: data to train on by path.

    Raises: UnknownNameError; ArgumentError for a folder that isn't empty; Error where the system
    lets nothing be written there.
    """
    if arguments.text("write_sample", "kind", kind) not in SAMPLES:
        raise unknown_name("kind of data", kind, list(SAMPLES))
    place = arguments.path("write_sample", "folder", folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        is_empty = not any(place.iterdir())
        if is_empty:
            SAMPLES[kind](place)
    except OSError as error:
        where, why = error.filename or place, error.strerror or error
        raise Error(f"[write_sample] cannot write {where}: {why}") from error
    if not is_empty:
        raise arguments.refused("write_sample", "folder", str(place), "an empty folder is needed")
    return place
