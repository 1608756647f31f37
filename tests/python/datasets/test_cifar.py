from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets import cifar


def test_a_record_is_a_label_and_three_planes(tmp_path):
    record = numpy.zeros(3073, numpy.uint8)
    record[0] = 7
    record[1] = 10  # red, first row, first column
    record[1 + 1024 + 33] = 20  # green, second row, second column
    record.tofile(tmp_path / "data_batch_1.bin")
    images, labels = cifar.read_cifar(tmp_path)
    assert labels.tolist() == [7]
    assert images.shape == (1, 32, 32, 3)
    assert images[0, 0, 0].tolist() == [10, 0, 0]
    assert images[0, 1, 1].tolist() == [0, 20, 0]


def test_the_sample_is_in_the_format(tmp_path):
    cifar.write_sample(tmp_path, 30)
    images, labels = cifar.read_cifar(tmp_path / "data_batch_1.bin")
    assert images.shape == (30, 32, 32, 3) and sorted(set(labels)) == list(range(10))


@pytest.mark.parametrize("content", [b"", b"x" * 3072, b"\xff" * 3073])
def test_what_is_not_whole_records_is_named(tmp_path, content):
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(content)
    with pytest.raises(sp.RecordError, match=r"data_batch_1\.bin"):
        cifar.read_cifar(path)


def test_a_folder_without_batches_is_named(tmp_path):
    with pytest.raises(sp.RecordError, match=r"no data_batch_\*\.bin"):
        cifar.read_cifar(tmp_path)


def test_images_are_normalised_and_keep_their_labels(tmp_path):
    cifar.write_sample(tmp_path, 20)
    images, labels = cifar.read_cifar(tmp_path)
    batch = cifar.LabelledImages(images, labels, 20, 32, "it").batch(0)
    assert batch["images"].shape == (20, 32, 32, 3) and batch["images"].dtype == numpy.float32
    assert sorted(batch["labels"]) == sorted(labels)
    restored = batch["images"] * [0.2470, 0.2435, 0.2616] + [0.4914, 0.4822, 0.4465]
    wanted = {tuple(image[0, 0]) for image in images}
    assert {tuple(numpy.rint(image[0, 0] * 255).astype(int)) for image in restored} == wanted
