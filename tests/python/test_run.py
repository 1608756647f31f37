from __future__ import annotations

import numpy
import pytest

import siliconprof as sp

ONCE = sp.Sampling.fixed(3, 1)


def tiny() -> sp.Trace:
    return sp.op("matmul", m=4, k=4, n=4)


def test_a_run_is_measured_and_keeps_every_sample():
    profile = sp.run(tiny(), sampling=ONCE)
    assert profile.origin == "measured"
    assert len(profile.samples_s) == 3
    assert len(profile.warmup_samples_s) == 1
    assert profile.flops == tiny().flops


def test_a_run_carries_the_environment_of_the_machine_and_of_the_engine():
    facts = sp.run(tiny(), sampling=ONCE).environment
    assert {"cpu", "page_size_bytes", "transparent_huge_pages", "numpy", "cpu_governor"} <= set(
        facts
    )
    assert any("engine" in name or "openblas" in name for name in facts), facts


def test_the_thread_count_is_reported():
    facts = sp.run(tiny(), threads=1, sampling=ONCE).environment
    assert facts["threads"] == "1"


@pytest.mark.parametrize("engine", ["openblas", "eigen", "reference"])
def test_every_engine_computes_the_same_product(engine):
    a = numpy.arange(12, dtype=numpy.float32).reshape(1, 3, 4)
    b = numpy.arange(8, dtype=numpy.float32).reshape(1, 4, 2)
    (c,) = sp.evaluate(sp.op("matmul", m=3, k=4, n=2), a, b, engine=engine)
    numpy.testing.assert_array_equal(c, a @ b)


def test_an_unknown_backend_names_those_that_exist():
    with pytest.raises(sp.UnknownNameError, match=r"'cpuu'.*did you mean 'cpu'"):
        sp.run(tiny(), backend="cpuu")


def test_an_unknown_engine_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="openblas"):
        sp.run(tiny(), engine="openbals")


@pytest.mark.parametrize("threads", [0, -1])
def test_a_thread_count_below_one_is_refused(threads):
    with pytest.raises(sp.ArgumentError, match=f"threads = {threads}"):
        sp.run(tiny(), threads=threads)


def test_a_dtype_that_no_engine_has_is_refused():
    with pytest.raises(sp.DtypeError, match="tf32"):
        sp.run(sp.op("matmul", m=4, k=4, n=4, dtype="tf32"), sampling=ONCE)


def test_an_array_of_the_wrong_dtype_is_refused_not_converted():
    a = numpy.zeros((1, 3, 4), numpy.float64)
    b = numpy.zeros((1, 4, 2), numpy.float32)
    with pytest.raises(sp.DtypeError, match="float64"):
        sp.evaluate(sp.op("matmul", m=3, k=4, n=2), a, b)


def test_a_non_contiguous_array_is_refused_not_copied():
    a = numpy.zeros((1, 3, 8), numpy.float32)[:, :, ::2]
    b = numpy.zeros((1, 4, 2), numpy.float32)
    with pytest.raises(sp.Error, match="contiguous"):
        sp.evaluate(sp.op("matmul", m=3, k=4, n=2), a, b)


def test_shapes_that_do_not_chain_are_refused():
    a = numpy.zeros((1, 3, 5), numpy.float32)
    b = numpy.zeros((1, 4, 2), numpy.float32)
    with pytest.raises(sp.ShapeError):
        sp.evaluate(sp.op("matmul", m=3, k=4, n=2), a, b)


def test_a_missing_array_is_refused():
    with pytest.raises(sp.ArgumentError, match="needed: 2"):
        sp.evaluate(tiny(), numpy.zeros((1, 4, 4), numpy.float32))
