"""Whisper's features of sound: the log of its power in mel bands.

Source: Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision; the mel scale
and its filters are Slaney's, Auditory Toolbox.
"""

from __future__ import annotations

import math

import numpy

from .audio import RATE

FFT, HOP = 400, 160
# Slaney's scale is linear up to 1000 Hz, then logarithmic: 27 steps for a factor of 6.4.
_HZ_PER_MEL, _BREAK_HZ, _LOG_STEP = 200.0 / 3.0, 1000.0, math.log(6.4) / 27.0


def mel_filters(mels: int) -> numpy.ndarray:
    """Triangles over the frequencies of a transform, (mels, FFT/2 + 1) float32, each of area 1."""
    highest = _mel_of(RATE / 2)
    edges = numpy.array([_hz_of(mel) for mel in numpy.linspace(0.0, highest, mels + 2)])
    hz = numpy.linspace(0.0, RATE / 2, FFT // 2 + 1)
    ramps = edges[:, None] - hz
    widths = numpy.diff(edges)[:, None]
    rising, falling = -ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]
    triangles = numpy.maximum(0.0, numpy.minimum(rising, falling))
    made: numpy.ndarray = triangles * (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return made.astype(numpy.float32)


def log_mel(audio: numpy.ndarray, frames: int, mels: int) -> numpy.ndarray:
    """(frames, mels) float32 of sound at RATE (samples), cut or continued by silence."""
    from ..run import evaluate
    from ..workloads import op

    samples = frames * HOP
    padded = numpy.zeros((1, samples), numpy.float32)
    kept = min(len(audio), samples)
    padded[0, :kept] = audio[:kept]
    trace = op("log_mel", batch=1, samples=samples, mels=mels, fft=FFT, hop=HOP)
    (found,) = evaluate(trace, padded, mel_filters(mels), threads=1)
    return numpy.ascontiguousarray(found[0].T)


def _mel_of(hz: float) -> float:
    if hz < _BREAK_HZ:
        return hz / _HZ_PER_MEL
    return _BREAK_HZ / _HZ_PER_MEL + math.log(hz / _BREAK_HZ) / _LOG_STEP


def _hz_of(mel: float) -> float:
    broken = _BREAK_HZ / _HZ_PER_MEL
    if mel < broken:
        return mel * _HZ_PER_MEL
    return _BREAK_HZ * math.exp(_LOG_STEP * (mel - broken))
