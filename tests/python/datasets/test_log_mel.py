from __future__ import annotations

import numpy
import pytest

from siliconprof.datasets.log_mel import log_mel, mel_filters


def sound(samples):
    return numpy.random.default_rng(4).normal(0, 0.1, samples).astype(numpy.float32)


def test_filters_are_triangles_of_the_same_area_around_rising_frequencies():
    filters = mel_filters(80)
    assert filters.shape == (80, 201) and filters.dtype == numpy.float32
    assert (filters >= 0).all() and filters[:, 0].max() == 0
    assert (numpy.diff(filters.argmax(1)) >= 0).all()
    # Wide ones hold many bins of 40 Hz: their sum times 40 Hz is the area.
    numpy.testing.assert_allclose(filters[60:].sum(1) * 40.0, 1.0, atol=0.05)


def test_the_first_filters_are_linear_in_frequency():
    """Slaney's scale: below 1000 Hz the edges are as far apart as each other."""
    highest = 15 + 27 * numpy.log(8.0) / numpy.log(6.4)
    step = highest / 81 * 200 / 3
    filters = mel_filters(80)
    place = 40.0  # Hz of bin 1
    wanted = min(place / step, (2 * step - place) / step) * 2 / (2 * step)
    assert filters[0, 1] == pytest.approx(wanted, rel=1e-5)


def test_the_highest_filter_value_is_that_of_librosa():
    assert mel_filters(80).max() == pytest.approx(0.025880684545275, rel=1e-6)
    assert mel_filters(128).max() == pytest.approx(0.041681749283745, rel=1e-6)


def test_features_are_frames_by_mels_and_silence_is_flat():
    found = log_mel(sound(16000), 200, 80)
    assert found.shape == (200, 80) and found.dtype == numpy.float32
    assert found[150:].std() < 1e-6, "past the sound there is silence"
    assert found.max() - found.min() <= 2.0 + 1e-6


def test_features_are_whispers():
    torch = pytest.importorskip("torch")
    audio = sound(48000)
    stft = torch.stft(
        torch.tensor(audio), 400, 160, window=torch.hann_window(400), return_complex=True
    )
    mel = torch.tensor(mel_filters(80)) @ stft[..., :-1].abs() ** 2
    logs = torch.clamp(mel, min=1e-10).log10()
    logs = (torch.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0
    numpy.testing.assert_allclose(log_mel(audio, 300, 80).T, logs.numpy(), atol=1e-5)
