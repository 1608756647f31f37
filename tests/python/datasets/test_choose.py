from __future__ import annotations

import tempfile

import pytest

import siliconprof as sp
from siliconprof.datasets import cifar, open_dataset, speech

TEXT = {"batch": 2, "seq": 8, "layers": 1, "width": 8, "heads": 2, "vocab": 300}
IMAGE = {"batch": 2, "channels": 4}


@pytest.mark.parametrize(
    ("id", "sizes", "told"),
    [
        ("gpt2-small", TEXT, "the sample text as bytes"),
        ("bert-base", TEXT, "masked"),
        ("whisper-tiny", {**TEXT, "frames": 20, "label_len": 8}, "clips of the sample"),
        ("simclr-resnet18", IMAGE, "images of the sample in two views"),
        ("resnet18", {**IMAGE, "image": 32}, "images of the sample"),
    ],
)
def test_every_family_has_a_sample_that_fits_its_step(id, sizes, told):
    sizes = {name: size for name, size in sizes.items() if id != "whisper-tiny" or name != "seq"}
    step = sp.workload(id, **sizes)
    data = open_dataset(step)
    assert told in data.description
    batch = data.batch(3)
    given = {info.name: info for info in step.tensors if info.is_given and not info.is_view}
    assert batch.keys() == given.keys()
    for name, info in given.items():
        assert batch[name].shape == info.shape
        if info.dtype == "int32":
            assert batch[name].min() >= 0 and batch[name].max() < info.index_limit


@pytest.mark.parametrize("id", ["gpt2-small", "whisper-tiny", "resnet18"])
def test_data_that_the_system_refuses_are_named_with_its_reason(tmp_path, id):
    path = tmp_path / ("x" * 300)
    with pytest.raises(sp.RecordError, match=r"^\[data\] .*x: cannot be read: File name too long"):
        open_dataset(sp.workload(id, batch=2), path)


def test_a_sample_without_a_place_for_its_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(sp.RecordError, match=r"^\[data\] .*gone.*: cannot be read: No such file"):
        open_dataset(sp.workload("resnet18", batch=2))


def test_a_step_that_no_data_fit_is_refused():
    with pytest.raises(sp.ArgumentError, match=r"no dataset has the inputs"):
        open_dataset(sp.op("matmul", m=2, k=2, n=2))


def test_images_have_no_use_for_a_tokenizer(tmp_path):
    with pytest.raises(sp.ArgumentError, match=r"tokenizer = .*a step of text or speech"):
        open_dataset(sp.workload("resnet18", image=32, **IMAGE), tokenizer=tmp_path)


def test_more_labels_than_the_model_has_classes_are_refused():
    with pytest.raises(sp.ArgumentError, match=r"labels to 9 .*below 5, the model's classes"):
        open_dataset(sp.workload("resnet18", image=32, classes=5, **IMAGE))


def written(folder, id):
    """A folder's files that a step of the model reads, as a sample has them."""
    if id == "gpt2-small":
        (folder / "text.txt").write_text("abc " * 40)
        return folder / "text.txt"
    write = speech.write_sample if id == "whisper-tiny" else cifar.write_sample
    write(folder)
    return folder


@pytest.mark.parametrize(
    ("id", "sizes", "changed", "at"),
    [
        ("gpt2-small", TEXT, "text.txt", 0),
        ("resnet18", {**IMAGE, "image": 32}, "data_batch_1.bin", 0),  # a label
        ("resnet18", {**IMAGE, "image": 32}, "data_batch_1.bin", 100),  # a pixel
        ("simclr-resnet18", IMAGE, "data_batch_1.bin", 100),
        ("whisper-tiny", {"frames": 20, "label_len": 8}, "train.tsv", -3),  # of a sentence
        ("whisper-tiny", {"frames": 20, "label_len": 8}, "clips/*.wav", None),  # longer
    ],
)
def test_other_contents_of_the_same_names_are_described_otherwise(tmp_path, id, sizes, changed, at):
    step, data = sp.workload(id, **{"batch": 2, **sizes}), written(tmp_path, id)
    before = open_dataset(step, data).description
    assert open_dataset(step, data).description == before
    file = sorted(tmp_path.glob(changed))[0]
    content = bytearray(file.read_bytes())
    if at is None:
        content += bytes(4)
    else:
        content[at] ^= 1
    file.write_bytes(content)
    assert open_dataset(step, data).description != before
