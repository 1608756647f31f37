"""What a CUDA graph's kernels wait for each other, and what AdamW takes in one: times under PyTorch
that tools/fit_graphs.py reads (record h200_graph_ops).

  python3 tools/measure_cuda_graphs.py OUT.csv [--device h200]

chain rows: seconds a kernel of a graph of many of the same kind, each of which reads what the one
before wrote, beside the kernel's own seconds by the device's trace (note: kernel_s). adamw rows:
seconds of torch.optim.AdamW's capturable step over so many tensors of so many parameters each, as
a graph. Medians of 30 replays between events. Needs torch.
"""

import argparse
import csv
import statistics

import torch
from torch_cuda_timing import kernel_s

COLUMNS = ("what", "device", "framework", "dtype", "value", "unit", "note")
LINKS = 200  # kernels of a chain
REPLAYS = 30


def replayed_s(work):
    """Seconds of one replay of what `work` does."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    samples = []
    for _ in range(REPLAYS + 3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1e-3)
    return statistics.median(samples[3:])


def links():
    """(name, dtype, a function from a tensor to one like it), of one kernel each."""
    for n in (1, 1 << 14, 1 << 18):
        x = torch.randn(n, device="cuda")
        yield f"add n={n}", "float32", x, lambda y, x=x: y + x
    for dtype in (torch.float32, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        for rows in (64, 512):
            x = torch.randn(rows, 768, device="cuda", dtype=dtype)
            yield (
                f"gelu_tanh n={rows * 768}",
                name,
                x,
                lambda y: torch.nn.functional.gelu(y, approximate="tanh"),
            )
            weight = torch.randn(768, 768, device="cuda", dtype=dtype) / 28
            yield f"matmul m={rows} k=768 n=768", name, x, lambda y, w=weight: y @ w
            norm = torch.nn.LayerNorm(768, device="cuda", dtype=dtype)
            yield f"layer_norm rows={rows} n=768", name, x, norm


def chain(link, first):
    y = first
    for _ in range(LINKS):
        y = link(y)
    return y


def chain_rows(device):
    torch.backends.cuda.matmul.allow_tf32 = True
    for name, dtype, first, link in links():
        with torch.no_grad():
            each_s = replayed_s(lambda link=link, first=first: chain(link, first)) / LINKS
            own_s, _, kernels = kernel_s(lambda link=link, first=first: link(first))
        note = f"kernel_s={own_s:.4g} kernels={kernels}"
        yield [f"chain.{name}", device, "torch-cuda", dtype, f"{each_s:.5g}", "s", note]


def adamw_rows(device):
    for tensors, each in (
        (1, 1 << 10), (16, 1 << 10), (150, 1 << 10), (600, 1 << 10),
        (16, 1 << 20), (150, 1 << 20), (600, 1 << 20),
        (16, 1 << 24), (60, 1 << 24), (150, 1 << 16), (600, 1 << 16), (4, 1 << 26),
    ):  # fmt: skip
        parameters = [torch.nn.Parameter(torch.randn(each, device="cuda")) for _ in range(tensors)]
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        optimizer = torch.optim.AdamW(parameters, lr=1e-4, capturable=True)
        optimizer.step()
        seconds = replayed_s(optimizer.step)
        plain = torch.optim.AdamW(parameters, lr=1e-4)
        plain.step()
        own_s, _, kernels = kernel_s(plain.step)
        note = f"plain_s={own_s:.4g} plain_kernels={kernels}"
        what = f"adamw tensors={tensors} n={each}"
        yield [what, device, "torch-cuda", "float32", f"{seconds:.5g}", "s", note]
        del parameters, optimizer, plain
        torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--device", default="h200", help="its id in the record")
    arguments = parser.parse_args()
    with open(arguments.out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in (*chain_rows(arguments.device), *adamw_rows(arguments.device)):
            writer.writerow(row)
            file.flush()
            print(*row)


if __name__ == "__main__":
    main()
