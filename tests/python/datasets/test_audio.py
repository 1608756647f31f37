from __future__ import annotations

import importlib.util
import struct
import wave

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets import audio


def tone(rate, hz=440.0, seconds=0.5):
    return 0.5 * numpy.sin(2 * numpy.pi * hz * numpy.arange(int(rate * seconds)) / rate)


def test_sixteen_bits_come_back(tmp_path):
    audio.write_wav(tmp_path / "t.wav", tone(16000))
    numpy.testing.assert_allclose(
        audio.read_audio(tmp_path / "t.wav"), tone(16000), atol=0.51 / 32767 + 2e-5
    )


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_channels_are_averaged_at_any_width(tmp_path, width):
    full = 1 << (8 * width - 1)
    values = [full // 2, 0, -full // 2, full // 4]
    with wave.open(str(tmp_path / "t.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(width)
        file.setframerate(16000)
        for value in values:
            signed = width > 1
            number = value if signed else value + 128
            file.writeframes(number.to_bytes(width, "little", signed=signed))
    found = audio.read_audio(tmp_path / "t.wav")
    numpy.testing.assert_allclose(found, [0.25, -0.125])


@pytest.mark.parametrize("rate", [8000, 22050, 44100, 48000])
def test_a_tone_keeps_its_pitch_at_another_rate(rate):
    found = audio.resampled(tone(rate), rate)
    wanted = tone(16000)
    assert len(found) == len(wanted)
    middle = slice(500, -500)
    numpy.testing.assert_allclose(found[middle], wanted[middle], atol=2e-3)


def test_what_is_too_high_for_the_new_rate_is_left_out():
    found = audio.resampled(tone(48000, hz=12000.0), 48000)
    assert abs(found[500:-500]).max() < 5e-3


def test_a_file_that_is_no_wav_is_named(tmp_path):
    (tmp_path / "t.wav").write_bytes(b"RIFFxxxx")
    with pytest.raises(sp.RecordError, match=r"t\.wav: not a whole PCM"):
        audio.read_audio(tmp_path / "t.wav")


@pytest.mark.parametrize(
    ("width", "channels", "rate", "found"),
    [
        (2, 1, 16000, "31 bytes of 2 a sample"),
        (3, 1, 16000, "31 bytes of 3"),
        (2, 2, 16000, "31 bytes of 4"),
        (1, 1, 0, "0 samples a second"),
        (5, 1, 16000, "31 bytes of 5"),
    ],
)
def test_a_wav_of_part_of_a_sample_or_of_no_rate_is_named(tmp_path, width, channels, rate, found):
    frame = width * channels
    kind = struct.pack("<HHIIHH", 1, channels, rate, rate * frame, frame, 8 * width)
    content = b"WAVEfmt " + struct.pack("<I", len(kind)) + kind + b"data" + struct.pack("<I", 60)
    head = b"RIFF" + struct.pack("<I", len(content) + 60)
    (tmp_path / "t.wav").write_bytes(head + content + bytes(31))
    with pytest.raises(sp.RecordError, match=rf"t\.wav: not a whole PCM .*{found}"):
        audio.read_audio(tmp_path / "t.wav")


@pytest.mark.skipif(importlib.util.find_spec("soundfile") is not None, reason="soundfile is here")
def test_other_formats_say_which_package_they_need(tmp_path):
    with pytest.raises(sp.RecordError, match="soundfile"):
        audio.read_audio(tmp_path / "t.mp3")


def test_other_formats_are_read_where_the_package_is(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "t.flac", tone(16000), 16000)
    numpy.testing.assert_allclose(audio.read_audio(tmp_path / "t.flac"), tone(16000), atol=1e-4)


def test_a_wav_that_ends_early_is_named_and_one_from_a_pipe_is_not(tmp_path):
    path = tmp_path / "t.wav"
    kind = struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16)
    for said, is_whole in ((60, True), (400, False), (0xFFFFFFFF, True), (0x7FFFFFFF, True)):
        content = b"WAVEfmt " + struct.pack("<I", len(kind)) + kind + b"data"
        size = struct.pack("<I", min(len(content) + 4 + said, 0xFFFFFFFF))
        path.write_bytes(b"RIFF" + size + content + struct.pack("<I", said) + bytes(60))
        if is_whole:
            assert len(audio.read_audio(path)) == 30
        else:
            with pytest.raises(sp.RecordError, match=r"t\.wav: not a whole PCM .*60 bytes of 2"):
                audio.read_audio(path)
