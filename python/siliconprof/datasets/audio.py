"""Sound files as Whisper takes them: one channel, 16,000 samples a second, from -1 to 1."""

from __future__ import annotations

import math
import wave
from pathlib import Path

import numpy

from .._core import RecordError

RATE = 16000
# From here on a header says nothing: whoever writes to a pipe doesn't know the length.
_UNTOLD_BYTES = 0x7FFF0000
# Zero crossings of the resampling filter to each side.
CROSSINGS = 32


def read_audio(path: Path) -> numpy.ndarray:
    """(samples) float32 at RATE. A .wav is read by the standard library, others (flac, mp3, ogg)
    by the package soundfile, where it is installed.

    Raises: RecordError naming the file and what is wrong, or the package that is missing.
    """
    samples, rate = _read_wav(path) if path.suffix.lower() == ".wav" else _read_other(path)
    return resampled(samples.mean(1), rate)


def _read_wav(path: Path) -> tuple[numpy.ndarray, int]:
    """(samples, channels) and the rate."""
    try:
        with wave.open(str(path), "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.getnframes()
            content = file.readframes(frames)
    except (OSError, EOFError, wave.Error) as error:
        raise RecordError(f"[data] {path}: not a whole PCM .wav: {error}") from error
    frame_bytes = width * channels
    is_cut = frames < _UNTOLD_BYTES // frame_bytes and len(content) != frames * frame_bytes
    if width > 4 or rate < 1 or len(content) % frame_bytes or is_cut:
        found = f"{len(content)} bytes of {frame_bytes} a sample, {rate} samples a second"
        raise RecordError(f"[data] {path}: not a whole PCM .wav: {found}")
    if width == 1:
        flat = numpy.frombuffer(content, numpy.uint8).astype(numpy.float64) - 128
    elif width == 3:
        three = numpy.frombuffer(content, numpy.uint8).reshape(-1, 3)
        padded = numpy.zeros((len(three), 4), numpy.uint8)
        padded[:, 1:] = three
        flat = (padded.view("<i4")[:, 0] >> 8).astype(numpy.float64)
    else:
        flat = numpy.frombuffer(content, f"<i{width}").astype(numpy.float64)
    return flat.reshape(-1, channels) / float(1 << (8 * width - 1)), rate


def _read_other(path: Path) -> tuple[numpy.ndarray, int]:
    try:
        import soundfile
    except ImportError:
        needed = "needed: the package soundfile (Debian's python3-soundfile), or .wav files"
        raise RecordError(f"[data] {path}: {needed}") from None
    try:
        samples, rate = soundfile.read(path, always_2d=True)
    except (OSError, RuntimeError) as error:
        raise RecordError(f"[data] {path}: cannot be read: {error}") from error
    return samples, rate


def write_wav(path: Path, samples: numpy.ndarray, rate: int = RATE) -> None:
    """One channel of 16 bits."""
    scaled = numpy.clip(numpy.rint(samples * 32767), -32768, 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(scaled.tobytes())


def resampled(samples: numpy.ndarray, rate: int, to: int = RATE) -> numpy.ndarray:
    """The samples (n) at another rate: a sinc under Hann's window, below both Nyquist rates."""
    if rate == to or len(samples) == 0:
        return samples.astype(numpy.float32)
    cutoff = min(1.0, to / rate)
    reach = math.ceil(CROSSINGS / cutoff)
    padded = numpy.pad(samples, reach + 1)
    made = numpy.empty(len(samples) * to // rate, numpy.float32)
    offsets = numpy.arange(-reach, reach + 1)
    for begin in range(0, len(made), 1 << 14):
        place = numpy.arange(begin, min(begin + (1 << 14), len(made))) * (rate / to)
        nearest = numpy.rint(place).astype(numpy.int64)
        away = offsets + (nearest - place)[:, None]
        window = numpy.cos(numpy.pi / 2 * numpy.clip(away / (reach + 1), -1, 1)) ** 2
        filters = cutoff * numpy.sinc(cutoff * away) * window
        around = padded[nearest[:, None] + offsets + reach + 1]
        made[begin : begin + len(place)] = (around * filters).sum(1)
    return made
