from __future__ import annotations

import re

import pytest

import siliconprof as sp
from siliconprof import capacity


@pytest.fixture(scope="module")
def step():
    return sp.workload("gpt2-small", batch=16, seq=1024)


def test_the_largest_batch_is_the_one_that_fits(step):
    assert capacity.would_fit(step, 21e9, False) == "a batch of 28 would fit"
    assert sp.workload("gpt2-small", batch=28, seq=1024).peak_memory_bytes <= 21e9
    assert sp.workload("gpt2-small", batch=29, seq=1024).peak_memory_bytes > 21e9


STEPS = {
    "gpt2-small": {"seq": 256},
    "bert-base": {"seq": 128, "precision": "amp-bf16"},
    "resnet50": {"optimizer": "sgd"},
    "whisper-base": {"checkpoint": True},
    "llama-1b": {"seq": 64, "lora": 8},
}
TARGETS = [
    ("rtx-4090", "torch-cuda"),
    ("m2-max", "torch-mps"),
    ("m2-max", "mlx"),
    ("m1-pro-cpu", "native"),
]


@pytest.mark.parametrize(("device", "framework"), TARGETS)
@pytest.mark.parametrize("id", STEPS)
def test_the_batch_that_is_named_fits_when_it_is_predicted_and_the_next_does_not(
    id, device, framework
):
    def predicted(batch):
        step = sp.workload(id, batch=batch, framework=framework, **STEPS[id])
        return step, sp.predict(step, device, framework).peak_memory_bytes

    step, whole = predicted(12)
    shares = capacity.shares_memory(sp.device(device))
    for part in (0.99, 0.8, 0.6):

        def peak_of(one):
            return sp.predict(one, device, framework).peak_memory_bytes

        text = capacity.would_fit(step, part * whole, shares, peak_of)
        if "alone take" in text or "no batch fits" in text:
            assert predicted(1)[1] > part * whole
            continue
        batch = int(re.fullmatch(r"a batch of (\d+) would fit", text)[1])
        assert 1 <= batch < 12
        assert predicted(batch)[1] <= part * whole < predicted(batch + 1)[1]


def test_the_size_of_an_operation_is_estimated_and_called_what_it_is():
    one = sp.op("relu", n=1000)
    assert capacity.would_fit(one, 4000, False) == "n of about 500 would fit"
    assert capacity.would_fit(one, 4000, False, lambda _: 16000) == "n of about 250 would fit"
    assert capacity.would_fit(one, 1, False) == "smaller sizes would fit"
    for vjp in (False, True):
        products = sp.op("matmul", batch=8, m=2, k=2, n=2, vjp=vjp)
        half = capacity.would_fit(products, products.peak_memory_bytes / 2, False)
        assert half == "a batch of about 4 would fit"
    assert capacity.would_fit(sp.op("matvec", m=9, n=9), 100, False) == "smaller sizes would fit"


def test_gradients_that_wait_for_their_update_stay(step):
    theirs = sp.workload("gpt2-small", batch=16, seq=1024, framework="torch-cuda")
    text = capacity.would_fit(theirs, 1e9, False)
    assert "parameters, gradients and optimizer states alone take 1.99 GB" in text
    given = {"batch": 16, "seq": 1024, "framework": "torch-cuda"}
    for precision, taken in (("amp-bf16", "1.99"), ("fp64", "3.98")):
        other = sp.workload("gpt2-small", precision=precision, **given)
        text = capacity.would_fit(other, 1e9, False)
        assert f"parameters, gradients and optimizer states alone take {taken} GB" in text


@pytest.mark.parametrize("offload", ["overlapped", "delayed", "serial", "pageable"])
def test_gradients_that_go_to_the_host_at_once_leave_room_for_a_batch(offload):
    """Of 8 GiB; sent after the pass they are all there at its end."""
    board = sp.device("rtx-3070")
    there = capacity.memory_of(board, sp.framework("torch-cuda"))

    def predicted(batch):
        options = {"offload": offload, "framework": "torch-cuda"}
        step = sp.workload("gpt2-xl", batch=batch, seq=64, **options)
        return step, sp.predict(step, board).peak_memory_bytes

    text = capacity.would_fit(
        predicted(32)[0], there, False, lambda step: sp.predict(step, board).peak_memory_bytes
    )
    if offload in ("serial", "pageable"):
        assert "parameters and gradients alone take 12.5 GB" in text
        assert predicted(1)[1] > there
        return
    batch = int(re.fullmatch(r"a batch of (\d+) would fit", text)[1])
    assert predicted(batch)[1] <= there < predicted(batch + 1)[1]


def test_gradients_that_go_to_a_host_of_the_same_memory_stay():
    step = sp.workload("gpt2-small", batch=16, seq=64, offload=True, framework="mlx")
    apart, shared = (capacity.would_fit(step, 0.6e9, shares) for shares in (False, True))
    assert "gradients" not in apart
    assert "parameters, gradients and optimizer states alone take" in shared


def test_a_model_that_is_too_large_asks_for_another_way(step):
    text = capacity.would_fit(step, 1e9, False)
    assert "parameters and optimizer states alone take 1.49 GB" in text
    assert text.endswith(": at batch=1 lora=8 and checkpoint=True together would fit")
    one = sp.workload("gpt2-small", batch=1, seq=1024, lora=8, checkpoint=True)
    assert one.peak_memory_bytes <= 1e9


def test_offloading_is_no_way_out_of_a_memory_that_the_host_shares(step):
    assert "offload" not in capacity.would_fit(step, 1e9, True)
    here = pytest.raises(sp.ArgumentError, match=r"available; parameters .*lora=8")
    with here:
        capacity.refuse_what_cannot_fit("run", step, 1_000_000_000)


def test_what_is_kept_is_what_there_is():
    bare = sp.workload("gpt2-small", optimizer=None, framework="torch-cuda")
    assert capacity.would_fit(bare, 6e8, False).startswith("parameters and gradients alone take")


def test_what_is_on_the_host_counts_where_its_memory_is_shared():
    offloaded = sp.workload("gpt2-small", batch=16, seq=64, offload=True)
    # In float32: parameters on either side, gradients, both moments.
    kept = (2 + 1 + 2) * 4 * offloaded.parameters
    assert f"alone take {kept / 1e9:.3g} GB" in capacity.would_fit(offloaded, 1e9, True)
    assert capacity.would_fit(offloaded, 2e9, False) == "a batch of 32 would fit"
    assert "offload=True" not in capacity.would_fit(offloaded, 1e8, False)


@pytest.mark.parametrize(
    ("device", "shares"), [("m2-max", True), ("m1-pro-cpu", True), ("rtx-4090", False)]
)
def test_macs_and_cpus_share_memory_with_their_host(device, shares):
    assert capacity.shares_memory(sp.device(device)) is shares


def test_a_step_that_cannot_fit_is_refused_with_needed_and_there(step):
    with pytest.raises(sp.ArgumentError, match=rf"{step.peak_memory_bytes} bytes .* 1000000000 "):
        capacity.refuse_what_cannot_fit("run", step, 1_000_000_000)


def test_a_step_that_fits_is_not_refused(step):
    capacity.refuse_what_cannot_fit("run", step, 10**12)


@pytest.mark.parametrize("run", [sp.run, sp.bind])
def test_running_refuses_before_anything_is_taken(run, monkeypatch, step):
    monkeypatch.setattr(capacity, "available_bytes", lambda: 10**6)
    with pytest.raises(sp.ArgumentError, match="are available"):
        run(step)


def test_memory_and_swap_are_what_is_available(tmp_path, monkeypatch):
    monkeypatch.setattr(capacity, "own_limit_bytes", lambda: None)
    file = tmp_path / "meminfo"
    file.write_text("MemTotal: 9 kB\nMemAvailable:   100 kB\nSwapFree:  28 kB\n")
    assert capacity.available_bytes(file) == 128 * 1024
    assert capacity.free_bytes(file) == 100 * 1024
    assert capacity.available_bytes(tmp_path / "none") is None
    assert capacity.free_bytes(tmp_path / "none") is None


def test_no_more_is_free_than_the_process_may_still_map(tmp_path, monkeypatch):
    monkeypatch.setattr(capacity, "own_limit_bytes", lambda: None)
    file = tmp_path / "meminfo"
    file.write_text("MemAvailable:   100 kB\nSwapFree:  28 kB\n")
    for unmapped, free in ((None, 102_400), (10**9, 102_400), (64, 64), (0, 0)):
        monkeypatch.setattr(capacity, "unmapped_bytes", lambda unmapped=unmapped: unmapped)
        assert capacity.free_bytes(file) == free
    assert capacity.free_bytes(tmp_path / "none") == 0


def test_no_more_is_available_than_the_processs_group_may_hold(tmp_path, monkeypatch):
    file = tmp_path / "meminfo"
    file.write_text("MemAvailable:   100 kB\nSwapFree:  28 kB\n")
    monkeypatch.setattr(capacity, "own_limit_bytes", lambda: 64 * 1024)
    assert capacity.available_bytes(file) == 92 * 1024
    assert capacity.free_bytes(file) == 64 * 1024
    monkeypatch.setattr(capacity, "own_limit_bytes", lambda: 10**9)
    assert capacity.available_bytes(file) == 128 * 1024


def test_what_an_offloaded_step_keeps_is_reserved_of_a_memory_that_its_host_shares():
    step = sp.workload("gpt2-small", batch=1, seq=32, offload=True, framework="torch-mps")
    found = sp.predict(step, "m2-ultra", "torch-mps")
    reserved = {each.name: each.value for each in found.counters}["reserved_memory_bytes"]
    assert reserved >= found.peak_memory_bytes > step.host_memory_bytes


def test_the_cpu_of_a_mac_waits_for_the_pages_that_its_gpu_waits_for():
    step = sp.workload("llama-7b", batch=64, seq=2048)
    for name, software in (("m3", "mlx"), ("m3-cpu", "mlx-cpu")):
        found = sp.predict(step, name, software)
        told = {each.name: each.value for each in found.counters}
        swapped_bytes = found.peak_memory_bytes - told["resident_bytes"]
        assert told["swapped_in_bytes"] == pytest.approx(swapped_bytes)
        note = capacity.swap_note(found, sp.device(name))
        assert "would go to swap, of which macOS makes 107 GB at most" in note
    small = sp.workload("gpt2-small", batch=1, seq=32)
    assert sp.predict(small, "m3-cpu", "mlx-cpu").terms["paging"] == 0.0


def test_apples_gpus_have_their_working_set():
    for software in ("mlx", "torch-mps"):
        there = capacity.usable_memory(sp.device("m2-max"), sp.framework(software))
        assert there == sp.device("m2-max").numbers["memory.working_set_limit_bytes"]
        assert there.value == 51_539_607_552


# GiB that PyTorch's out-of-memory messages tell of boards under Linux: what is taken of each, by
# its sources.
TOTALS = {
    "t4": (14.56, 14.76),
    "l4": (22.0, 22.2),
    "a10": (22.0, 22.2),
    "a40": (44.3, 44.6),
    "l40": (44.3, 44.6),
    "l40s": (44.3, 44.6),
    "v100": (31.7, 31.8),
    "a100-40": (39.4, 39.6),
    "a100": (79.0, 79.3),
    "h100": (79.1, 79.2),
    "h200": (139.7, 139.9),
    "rtx-2080-ti": (10.7, 10.8),
    "quadro-rtx-4000": (7.75, 7.85),
    "rtx-3060": (11.7, 11.8),
    "rtx-3070": (7.75, 7.85),
    "rtx-3090": (23.4, 23.7),
    "rtx-4090": (23.5, 23.7),
    "rtx-5090": (31.3, 31.4),
    "rtx-a4000": (15.6, 15.75),
    "rtx-a6000": (46.9, 47.6),
}


@pytest.mark.parametrize("board", TOTALS)
def test_of_a_boards_memory_a_step_may_take_what_pytorch_finds_less_its_context(board):
    low, high = TOTALS[board]
    software = sp.framework("torch-cuda")
    context_bytes = software.numbers["memory.nvidia.context_bytes"].value
    there = capacity.usable_memory(sp.device(board), software)
    assert low <= (there.value + context_bytes) / 2**30 <= high
    assert there.relative_error > 0.0


def test_every_board_says_what_programs_get_but_those_that_were_measured():
    boards = [sp.device(id) for id in sp.devices()]
    silent = {
        board.id
        for board in boards
        if board.vendor == "nvidia" and "memory.usable_part" not in board.numbers
    }
    assert silent == {"h100", "h100-pcie", "h200"}


def test_what_a_step_may_take_follows_a_capacity_that_is_set():
    board, software = sp.device("t4"), sp.framework("torch-cuda")
    context_bytes = software.numbers["memory.nvidia.context_bytes"].value
    twice = board.with_number("memory.capacity", 32 * 2**30)
    whole, more = (capacity.memory_of(each, software) for each in (board, twice))
    assert more + context_bytes == pytest.approx(2 * (whole + context_bytes))
    assert capacity.memory_of(
        board, software.with_number("memory.nvidia.context_bytes", 1e9)
    ) == pytest.approx(whole + context_bytes - 1e9)


@pytest.mark.parametrize("batch", [2, 16])
def test_offloading_takes_nothing_off_a_memory_that_host_and_device_share(batch):
    peaks = [
        sp.predict(
            sp.workload("resnet18", batch=batch, framework="torch-mps", offload=offload),
            "m3-ultra",
            "torch-mps",
        ).peak_memory_bytes
        for offload in (True, False)
    ]
    assert peaks[0] >= peaks[1]


def test_what_an_allocator_keeps_counts_on_cards_alone():
    step = sp.workload("gpt2-small", batch=4, seq=64)
    card, mac = sp.device("h200"), sp.device("m2")
    cuda, mlx = sp.framework("torch-cuda"), sp.framework("mlx")
    context_bytes = cuda.numbers["memory.nvidia.context_bytes"].value
    on_card, on_mac = sp.predict(step, card), sp.predict(step, mac)
    kept = {counter.name: counter.value for counter in on_card.counters}["reserved_memory_bytes"]
    assert capacity.held_bytes(on_card, card) == kept > on_card.peak_memory_bytes
    assert capacity.held_bytes(on_mac, mac) == on_mac.peak_memory_bytes
    assert capacity.beyond_note(on_card, card, cuda) == capacity.beyond_note(on_mac, mac, mlx) == ""
    for there, beyond in ((kept, False), (kept - 1, True), (on_card.peak_memory_bytes - 1, False)):
        small = card.with_number("memory.capacity", there + context_bytes)
        assert bool(capacity.beyond_note(on_card, small, cuda)) is beyond


def test_a_batch_is_held_to_what_the_allocator_keeps_where_one_can_be():
    step = sp.workload("gpt2-small", batch=64, seq=64)

    def kept(extra):
        return lambda trace: trace.peak_memory_bytes + extra

    alone = capacity.would_fit(step, 3e9, False)
    beside = capacity.would_fit(step, 3e9, False, None, kept(0.3e9))
    first, second = (
        int(re.fullmatch(r"a batch of (\d+) would fit", t)[1]) for t in (alone, beside)
    )
    assert first > second
    assert capacity.would_fit(step, 3e9, False, None, kept(3e9)) == alone


def test_more_than_macos_has_swap_for_is_said():
    step = sp.workload("gpt2-xl", batch=16, seq=1024)
    whole = sp.device("m1")
    profile = sp.predict(step, whole)
    swapped = {counter.name: counter.value for counter in profile.counters}["swapped_in_bytes"]
    part = whole.numbers["paging.compressed_part"].value
    assert swapped * part > 100 * 2**30  # [xnu-swap]
    note = capacity.swap_note(profile, whole)
    assert note.startswith(f"{swapped * part / 1e9:.3g} GB would go to swap") and "107 GB" in note
    less = sp.predict(sp.workload("gpt2-xl", batch=2, seq=1024), whole)
    assert {counter.name: counter.value for counter in less.counters}["swapped_in_bytes"] > 0
    assert capacity.swap_note(less, whole) == ""
    assert capacity.swap_note(sp.predict(step, "h200"), sp.device("h200")) == ""


def test_a_step_that_a_board_has_no_memory_for_says_so():
    large = sp.workload("gpt2-xl", batch=64, seq=1024, framework="torch-cuda")
    found = sp.predict(large, "rtx-4090", "torch-cuda").notes
    (note,) = [n for n in found if "it can't run" in n]
    assert note.startswith("the step needs ") and note.endswith(
        "GB of the 24.78 GB that the board leaves to it: it can't run there as it is"
    )
    small = sp.workload("gpt2-small", batch=1, seq=64, framework="torch-cuda")
    assert not any("it can't run" in n for n in sp.predict(small, "rtx-4090", "torch-cuda").notes)
    shared = sp.workload("gpt2-xl", batch=64, seq=1024, framework="mlx")
    beyond = sp.predict(shared, "m2-ultra", "mlx")
    assert beyond.peak_memory_bytes > 192e9, "a Mac pages"
    assert not any("it can't run" in n for n in beyond.notes)
