"""What a CUDA graph adds, by its fit."""

from __future__ import annotations

import pytest


def test_the_packaged_constants_of_graphs_are_the_fits(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    from statistics import median

    import fit_graphs

    import siliconprof as sp

    rows = sp.load("h200_graph_ops").rows
    numbers = sp.framework("torch-cuda@graphs").numbers
    gap = numbers["launch.nvidia-hopper.graph_gap_s"].value
    assert gap == pytest.approx(median(fit_graphs.chain_gaps(rows)), rel=0.01)
    each_s, longer = fit_graphs.adamw(rows)
    assert numbers["access.nvidia.adamw.start_s"].value == pytest.approx(each_s, rel=0.01)
    plain = sp.framework("torch-cuda").numbers
    for key in ("efficiency.nvidia.adamw.bandwidth", "row.nvidia.adamw.float32.bytes_per_cycle"):
        assert numbers[key].value == pytest.approx(plain[key].value / longer, rel=0.01)


def test_the_gap_of_a_graph_is_what_its_chains_add(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_graphs

    import siliconprof as sp

    def row(what, value, note):
        made = sp.load("h200_graph_ops").rows[0].__class__
        return made(what, "d", "f", "float32", value, "s", note)

    rows = [
        row("chain.add n=1", 9e-6, "kernel_s=1e-6 kernels=1"),  # of one number: not asked
        row("chain.add n=64", 3e-6, "kernel_s=2e-6 kernels=1"),
        row("chain.matmul m=8 k=8 n=8", 9e-6, "kernel_s=5e-6 kernels=2"),
        row("adamw tensors=1 n=1024", 5e-6, "plain_s=2e-6 plain_kernels=8"),
        row("adamw tensors=101 n=1024", 309e-6, "plain_s=6e-6 plain_kernels=8"),
        row("adamw tensors=2 n=16777216", 126e-6, "plain_s=100e-6 plain_kernels=8"),
    ]
    assert fit_graphs.chain_gaps(rows) == pytest.approx([1e-6, 2e-6])
    assert fit_graphs.adamw(rows) == pytest.approx((3e-6, 1.2))
