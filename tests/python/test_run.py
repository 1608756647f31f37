from __future__ import annotations

import subprocess
import sys
import threading
import timeit

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


@pytest.mark.parametrize("threads", [0, -1, 4097, "2", 2.0, float("nan"), True, 2**40, [2]])
def test_a_thread_count_that_cannot_be_is_refused(threads):
    inputs = [numpy.zeros((1, 4, 4), numpy.float32)] * 2
    for place, call in (
        ("run", lambda: sp.run(tiny(), threads=threads)),
        ("evaluate", lambda: sp.evaluate(tiny(), *inputs, threads=threads)),
        ("bind", lambda: sp.bind(tiny(), threads=threads)),
    ):
        with pytest.raises(sp.ArgumentError, match=rf"^\[{place}\] threads = .*from 1 to 4096 is"):
            call()


@pytest.mark.parametrize("trace", [None, "matmul", sp.device("m2")])
def test_what_is_no_trace_is_refused(trace):
    with pytest.raises(sp.ArgumentError, match=r"\[run\] trace = .*a siliconprof.Trace is needed"):
        sp.run(trace)
    with pytest.raises(sp.ArgumentError, match=r"\[evaluate\] trace = .*a siliconprof.Trace"):
        sp.evaluate(trace)


@pytest.mark.parametrize("name", ["engine", "backend"])
@pytest.mark.parametrize("value", [None, b"openblas", 3])
def test_a_name_that_is_no_text_is_refused(name, value):
    with pytest.raises(sp.ArgumentError, match=rf"\[run\] {name} = .*a text is needed"):
        sp.run(tiny(), **{name: value})


# A run that never ends by itself, and an alarm in the middle of it, as Ctrl-C is one.
INTERRUPTED = """
import signal, sys, time
import siliconprof as sp

def interrupt(number, frame):
    raise KeyboardInterrupt

workload, engine, wait_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
trace = sp.workload(workload)
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, wait_s)
begin_s = time.perf_counter()
try:
    sp.run(trace, engine=engine, sampling=sp.Sampling.fixed(1_000_000, 0))
except KeyboardInterrupt:
    print(time.perf_counter() - begin_s - wait_s)
"""
LONG_RUNS = [
    ("batched-matmul", "openblas"),
    ("batched-matmul", "eigen"),
    ("batched-matmul", "reference"),
    ("triad", "openblas"),
]


def delay_of_interrupt_s(workload, engine, wait_s=1.0):
    command = [sys.executable, "-c", INTERRUPTED, workload, engine, str(wait_s)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return float(done.stdout)


@pytest.mark.parametrize(("workload", "engine"), LONG_RUNS)
def test_an_interrupt_ends_a_run_without_end(workload, engine):
    delay_of_interrupt_s(workload, engine)


@pytest.mark.timing
@pytest.mark.parametrize(("workload", "engine"), LONG_RUNS)
def test_a_run_stops_within_a_fifth_of_a_second_of_an_interrupt(workload, engine):
    # The best of three: other work on the machine only ever delays.
    delay_s = min(delay_of_interrupt_s(workload, engine, wait_s) for wait_s in (0.7, 1.0, 1.3))
    assert delay_s < 0.2


FORKED = """
import multiprocessing, sys
import siliconprof as sp

def measure(threads):
    try:
        trace = sp.op("matmul", m=64, k=64, n=64)
        return sp.run(trace, threads=threads, sampling=sp.Sampling.fixed(3)).origin
    except sp.Error as error:
        return type(error).__name__

if __name__ == "__main__":
    assert measure(2) == "measured"
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(*pool.map(measure, [1, 2, None]))
"""


def test_a_forked_child_runs_on_as_many_threads_as_its_parent():
    if sp._core.default_threads() < 2:
        pytest.skip("one core: every run is on one thread")
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == ["measured"] * 3


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


def test_masked_numbers_are_refused_not_read():
    trace, plain = sp.op("add", n=3), numpy.ones(3, numpy.float32)
    masked = numpy.ma.masked_array(plain, mask=[False, True, False])
    for ask in (sp.evaluate, sp.bind):
        with pytest.raises(sp.ArgumentError, match=r"array 1 masks 1 of its numbers; .*filled"):
            ask(trace, plain, masked)
        ask(trace, plain, numpy.ma.masked_array(plain))  # hides nothing
    with pytest.raises(sp.ArgumentError, match=r"\[evaluate\] named\['x'\] masks 1 of its"):
        sp.evaluate(trace, plain, plain, named={"x": masked})


def test_shapes_that_do_not_chain_are_refused():
    a = numpy.zeros((1, 3, 5), numpy.float32)
    b = numpy.zeros((1, 4, 2), numpy.float32)
    with pytest.raises(sp.ShapeError):
        sp.evaluate(sp.op("matmul", m=3, k=4, n=2), a, b)


def test_a_missing_array_is_refused():
    with pytest.raises(sp.ArgumentError, match="needed: 2"):
        sp.evaluate(tiny(), numpy.zeros((1, 4, 4), numpy.float32))


# ---- bound traces -----------------------------------------------------------------------


def test_a_bound_trace_follows_its_inputs_into_the_same_results():
    a, b = numpy.ones((1, 2, 3), numpy.float32), numpy.ones((1, 3, 2), numpy.float32)
    call = sp.bind(sp.op("matmul", m=2, k=3, n=2), a, b)
    (c,) = call.results
    call()
    assert (c == 3.0).all()
    a *= 2.0
    call()
    assert (c == 6.0).all()
    assert call.inputs[0] is a


def test_a_bound_trace_makes_the_inputs_that_it_is_not_given():
    call = sp.bind(sp.op("relu", n=1000), threads=1)
    (x,), (y,) = call.inputs, call.results
    call()
    assert -1.0 <= x.min() < 0.0 < x.max() < 1.0
    numpy.testing.assert_array_equal(y, numpy.maximum(x, 0.0))
    x[:] = 7.0
    call()
    assert (y == 7.0).all()


def test_the_results_outlive_the_name_of_the_bound_trace():
    call = sp.bind(sp.op("copy", n=4), numpy.arange(4, dtype=numpy.float32))
    call()
    results = call.results
    del call
    assert results[0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_bound_trace_of_several_calls_gives_every_gradient():
    trace = sp.op("matmul", m=2, k=3, n=4, vjp=True)
    generator = numpy.random.default_rng(1)
    arrays = [
        generator.random(shape).astype(numpy.float32) for shape in ((1, 2, 3), (1, 3, 4), (1, 2, 4))
    ]
    call = sp.bind(trace, *arrays)
    call()
    for bound, evaluated in zip(call.results, sp.evaluate(trace, *arrays)):
        numpy.testing.assert_array_equal(bound, evaluated)


@pytest.mark.parametrize(
    ("arrays", "error", "words"),
    [
        ([numpy.zeros(4, numpy.float64)] * 2, sp.DtypeError, "float64; needed: float32"),
        ([numpy.zeros(5, numpy.float32)] * 2, sp.ShapeError, r"\(5\); needed: \(4\)"),
        ([numpy.zeros(4, numpy.float32)], sp.ArgumentError, "1 inputs; needed: 2"),
        ([numpy.zeros(4, numpy.float32)] * 3, sp.ArgumentError, "3 inputs; needed: 2"),
        ([numpy.zeros(8, numpy.float32)[::2]] * 2, sp.ArgumentError, "contiguous"),
    ],
)
def test_arrays_that_do_not_fit_are_not_bound(arrays, error, words):
    with pytest.raises(error, match=rf"\[inputs\] .*{words}"):
        sp.bind(sp.op("add", n=4), *arrays)


def test_two_threads_cannot_run_one_bound_trace_at_once():
    call = sp.bind(sp.op("matmul", m=300, k=300, n=300), engine="reference")
    refusals = []

    def attempt(barrier):
        barrier.wait()
        try:
            call()
        except sp.ArgumentError as error:
            refusals.append(str(error))

    for _ in range(50):
        barrier = threading.Barrier(2)
        threads = [threading.Thread(target=attempt, args=(barrier,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if refusals:
            break
    assert "running in another thread" in refusals[0]
    call()  # once the other is done


@pytest.mark.timing
def test_calling_a_bound_trace_costs_less_than_two_microseconds():
    call = sp.bind(sp.op("relu", n=1), threads=1)
    assert min(timeit.repeat(call, number=20000, repeat=9)) / 20000 < 2e-6


def test_named_values_that_are_no_mapping_are_refused():
    with pytest.raises(sp.ArgumentError, match=r"\[evaluate\] named = 3 .*arrays by name"):
        sp.evaluate(sp.op("add", n=1), named=3)
    with pytest.raises(sp.ArgumentError, match=r"\[evaluate\] a name of named = 1 \(int\)"):
        sp.evaluate(sp.op("add", n=1), named={1: numpy.zeros(1)})


def test_named_numbers_go_into_the_traces_own_memory_never_into_given_arrays():
    x = numpy.arange(-4, 4, dtype=numpy.float32)
    named = {"input0": numpy.full(8, 7, numpy.float32)}
    with pytest.raises(sp.ArgumentError, match="named has 'input0', which is no parameter"):
        sp.evaluate(sp.op("relu", n=8), x, named=named)
    assert x[0] == -4
