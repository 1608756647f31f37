from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof import safetensors
from siliconprof.training.saved_run import FORMAT

SIZES = {"batch": 1, "seq": 4, "threads": 1}
GPT2 = {"layers": 1, "width": 8, "heads": 2, "vocab": 257, "context": 8, **SIZES}


def weights_of(id, **sizes):
    run = sp.train(id, steps=1, learning_rate=0.0, **sizes)
    random = numpy.random.default_rng(0)
    return {
        name: random.normal(0.0, 0.1, array.shape).astype(numpy.float32)
        for name, array in run.weights.items()
    }


def loaded(path, id="gpt2-small", **sizes):
    sizes = sizes or GPT2
    run = sp.train(id, steps=1, learning_rate=0.0, weights=path, **sizes)
    return run.weights


@pytest.mark.parametrize("prefix", ["", "transformer."])
def test_gpt2_loads_from_hugging_faces_names_and_layout(tmp_path, prefix):
    ours = weights_of("gpt2-small", **GPT2)
    products = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    theirs = {
        f"{prefix}{name}": numpy.ascontiguousarray(value.T if name.endswith(products) else value)
        for name, value in ours.items()
    }
    theirs[f"{prefix}h.0.attn.bias"] = numpy.ones((1, 1, 8, 8), numpy.float32)  # its causal mask
    safetensors.write(tmp_path / "w.safetensors", theirs, {"format": "pt"})
    for name, value in loaded(tmp_path / "w.safetensors").items():
        numpy.testing.assert_array_equal(value, ours[name], err_msg=name)


def test_a_run_of_ours_gives_its_weights_to_another(tmp_path):
    state = tmp_path / "run.safetensors"
    first = sp.train("gpt2-small", steps=2, state=state, **GPT2)
    for name, value in loaded(state).items():
        numpy.testing.assert_array_equal(value, first.weights[name])


def test_bfloat16_weights_are_widened(tmp_path):
    ours = weights_of("llama-1b", **{**GPT2, "kv_heads": 2, "hidden": 16})
    theirs = {
        name: (value.view(numpy.uint32) >> 16).astype(numpy.uint16) for name, value in ours.items()
    }
    safetensors.write(tmp_path / "w.safetensors", theirs)
    sizes = {**GPT2, "kv_heads": 2, "hidden": 16}
    for weights in (tmp_path / "w.safetensors", theirs):
        for name, value in loaded(weights, "llama-1b", **sizes).items():
            numpy.testing.assert_allclose(value, ours[name], rtol=2**-7)


@pytest.mark.parametrize("kind", ["list", "float", "complex64", "U4"])
def test_what_is_no_array_of_real_numbers_is_no_weight(kind):
    weights = weights_of("gpt2-small", **GPT2)
    whole = weights["wte.weight"]
    others = {"list": whole.tolist(), "float": 0.5}
    weights["wte.weight"] = others[kind] if kind in others else whole.astype(kind)
    needed = "floating-point numbers"
    with pytest.raises(sp.ArgumentError, match=rf"weights\['wte.weight'\] = .*{needed}"):
        loaded(weights)


def test_masked_numbers_are_no_weights():
    weights = weights_of("gpt2-small", **GPT2)
    whole = weights["wte.weight"]
    weights["wte.weight"] = numpy.ma.masked_array(whole, mask=whole > 0.0)
    with pytest.raises(sp.ArgumentError, match=r"weights\['wte.weight'\] masks \d+ of its numbers"):
        loaded(weights)


def test_convolutions_are_turned_to_channels_last(tmp_path):
    sizes = {"batch": 2, "image": 32, "channels": 4, "threads": 1}
    ours = weights_of("resnet18", **sizes)
    theirs = {
        name: numpy.ascontiguousarray(numpy.moveaxis(v, -1, 1) if v.ndim == 4 else v)
        for name, v in ours.items()
    }
    safetensors.write(tmp_path / "w.safetensors", theirs)
    for name, value in loaded(tmp_path / "w.safetensors", "resnet18", **sizes).items():
        numpy.testing.assert_array_equal(value, ours[name], err_msg=name)


def test_a_weight_that_is_missing_is_named_with_what_is_near(tmp_path):
    ours = weights_of("gpt2-small", **GPT2)
    ours["wte.wait"] = ours.pop("wte.weight")
    with pytest.raises(sp.ArgumentError, match=r"no 'wte.weight'; there: .*wte.wait"):
        loaded(ours)
    with pytest.raises(sp.ArgumentError, match=r"needed: \(257, 8\)"):
        loaded({**weights_of("gpt2-small", **GPT2), "wte.weight": numpy.zeros((8, 8), "f4")})


def test_adapters_keep_their_initial_values_beside_the_weights_that_they_adapt(tmp_path):
    state = tmp_path / "base.safetensors"
    base = sp.train("gpt2-small", steps=2, state=state, **GPT2)
    for weights in (state, dict(base.weights)):
        run = sp.train("gpt2-small", steps=1, lora=2, learning_rate=0.0, weights=weights, **GPT2)
        for name, value in base.weights.items():
            numpy.testing.assert_array_equal(run.weights[name], value, err_msg=name)
        assert run.weights["h.0.attn.c_attn.lora_A"].any()
        assert not run.weights["h.0.attn.c_attn.lora_B"].any()
    adapted = dict(run.weights)
    adapted["h.0.attn.c_attn.lora_B"] = numpy.ones_like(adapted["h.0.attn.c_attn.lora_B"])
    del adapted["h.0.attn.c_attn.lora_A"]
    with pytest.raises(sp.ArgumentError, match=r"has no 'h\.0\.attn\.c_attn\.lora_A'"):
        sp.train("gpt2-small", steps=1, lora=2, weights=adapted, **GPT2)
    others = {**base.weights, "unet.lora_down.weight": numpy.zeros(2, numpy.float32)}
    with pytest.raises(sp.ArgumentError, match=r"has no 'h\.0\.attn\.c_attn\.lora_A'"):
        sp.train("gpt2-small", steps=1, lora=2, weights=others, **GPT2)
    adapted["h.0.attn.c_attn.lora_A"] = run.weights["h.0.attn.c_attn.lora_A"]
    again = sp.train("gpt2-small", steps=1, lora=2, learning_rate=0.0, weights=adapted, **GPT2)
    assert (again.weights["h.0.attn.c_attn.lora_B"] == 1.0).all()


@pytest.mark.parametrize("dtype", [bool, numpy.int8, numpy.complex64])
def test_numbers_that_no_weights_are_made_of_are_refused(tmp_path, dtype):
    weights = weights_of("gpt2-small", **GPT2)
    weights["wpe.weight"] = weights["wpe.weight"].astype(dtype)
    safetensors.write(tmp_path / "w.safetensors", weights)
    for given in (weights, tmp_path / "w.safetensors"):
        with pytest.raises(sp.ArgumentError, match=r"(?s)wpe\.weight.*floating-point numbers"):
            loaded(given)


def test_what_a_file_holds_besides_may_be_in_any_format(tmp_path):
    ours = weights_of("gpt2-small", **GPT2)
    path = tmp_path / "w.safetensors"
    extra = {"extra": numpy.zeros(4, numpy.int8)}
    safetensors.write(path, {**ours, **extra}, {"format": FORMAT})
    content = path.read_bytes().replace(b'{"dtype":"I8"', b'{"dtype":"F8_E4M3"')
    length = int.from_bytes(content[:8], "little") + len("F8_E4M3") - len("I8")
    path.write_bytes(length.to_bytes(8, "little") + content[8:])
    run = loaded(path)
    numpy.testing.assert_array_equal(run["wpe.weight"], ours["wpe.weight"])
