"""What takes less memory is what was predicted to, with the option's own words."""

from __future__ import annotations

import re

import pytest

import siliconprof as sp
from siliconprof import alternatives
from siliconprof.capacity import memory_of, shares_memory, would_fit
from siliconprof.predict import predict


def said(device, id, memory_bytes=None, **given):
    """What would fit there, and what a step with other options takes at batch 1."""
    machine = sp.device(device)
    given["framework"] = sp.predict(sp.op("copy", n=8), machine).framework

    def peak_of(step):
        return predict(step, machine).peak_memory_bytes

    def taken(**changes):
        return peak_of(sp.workload(id, **{**given, "batch": 1, **changes}))

    software = sp.framework(given["framework"])
    memory_bytes = memory_of(machine, software) if memory_bytes is None else memory_bytes
    step = sp.workload(id, **given)
    assert peak_of(step) > memory_bytes
    return would_fit(step, memory_bytes, shares_memory(machine), peak_of), taken


def named(text):
    """The changes that a text names."""
    found = re.findall(r"(\w+)=('[^']+'|\w+)", text)
    values = {"True": True}
    changes = {
        name: values[word] if word in values else int(word) if word.isdigit() else word.strip("'")
        for name, word in found
    }
    changes.pop("batch")
    return changes


def test_what_is_named_fits_each_by_itself():
    text, taken = said("rtx-4090", "gpt2-xl", 24 * 2**30, seq=1)
    pattern = "no batch fits: at batch=1 .*offload=True.* would fit"
    assert re.fullmatch(pattern, text)
    for name, value in named(text).items():
        assert taken(**{name: value}) <= 24 * 2**30
    assert set(named(text)) == {"offload", "lora", "optimizer"}
    for useless in ({"checkpoint": True}, {"precision": "amp-bf16"}):
        assert taken(**useless) > 24 * 2**30


def test_what_fits_together_alone_is_said_so():
    text, taken = said("rtx-4060", "gpt2-xl", seq=1024)
    assert text.endswith(": at batch=1 lora=8 and checkpoint=True together would fit")
    assert taken(lora=8, checkpoint=True) <= 8 * 2**30
    for name, value in named(text).items():
        assert taken(**{name: value}) > 8 * 2**30


def test_the_least_that_was_found_is_told_where_nothing_fits():
    text, taken = said("m2-8", "gpt2-xl", seq=1024)
    match = re.search(r"together take least of what was tried, (\S+) GB at batch=1$", text)
    least = taken(**named(text))
    assert least == pytest.approx(float(match[1]) * 1e9, rel=1e-2)
    assert memory_of(sp.device("m2-8"), sp.framework("mlx")) < least < taken()


def test_images_are_made_smaller_and_take_no_adapters():
    text, taken = said("rtx-4060", "resnet18", image=8192)
    assert text == "no batch fits: at batch=1 image=4096 would fit"
    assert taken(image=4096) <= 8 * 2**30
    with pytest.raises(sp.Error):
        taken(lora=8)


def test_a_little_less_is_named_where_it_is_enough():
    whole = sp.predict(sp.workload("gpt2-xl", seq=1024), "rtx-4090").peak_memory_bytes
    text, taken = said("rtx-4090", "gpt2-xl", whole - 1, seq=1024)
    assert 0.99 * whole < taken(checkpoint=True) < whole
    assert "checkpoint=True" in text


def test_what_is_in_force_is_not_named_again():
    given = {"optimizer": "sgd", "lora": 8, "offload": True, "checkpoint": True, "seq": 1}
    text, _ = said("rtx-4090", "gpt2-small", 5e8, precision="amp-bf16", **given)
    assert "alone take" in text or "no batch fits" in text
    assert text.endswith(": nothing that was tried takes less")


def test_a_step_without_an_optimizer_is_offered_none():
    text, _ = said("rtx-4090", "gpt2-small", 5e8, optimizer=None, seq=1)
    assert "optimizer=" not in text


def test_trying_takes_few_predictions():
    step = sp.workload("gpt2-xl", seq=1024, framework="torch-cuda")
    asked = []

    def peak_of(one):
        asked.append(one)
        return predict(one, "rtx-4060").peak_memory_bytes

    alternatives.what_takes_less(step, 1.0, False, peak_of)
    assert 10 < len(asked) < 50


def test_a_step_that_nobody_can_make_again_names_no_option():
    step = sp.op("relu", n=8)
    assert alternatives.what_takes_less(step, 1.0, False, float) == "smaller sizes take less"
