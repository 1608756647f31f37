"""What torch.compile makes of single operations and of chains of modules; used by
measure_torch_compile.py.

Kernels: each operation alone, at sizes that fill the device, forward and backward, by the device's
own trace. Host: chains of modules of a few elements, compiled as one, forward and backward; beside
the seconds of a chain stands what it issues, counted off PyTorch's own record of its calls.
"""

import contextlib
import statistics

import torch
import torch.nn.functional as F
from torch import nn
from torch_cuda_composites import norm, rotated
from torch_cuda_host import clock
from torch_cuda_modules import chains
from torch_cuda_timing import add, rand, use

ROWS_OF = ((4096, 768), (8192, 1024), (4096, 2048))
LENGTHS = (1 << 22, 1 << 24, 3 << 23)
IMAGES = ((256, 64, 32, 32), (256, 128, 16, 16), (512, 512, 4, 4), (64, 64, 56, 56))
DTYPES = ("float32", "bfloat16")
# Modules of a chain: few, as all of them are compiled.
DEPTH = 8
HOSTS = ("linear", "norm_linear", "linear_add", "linear_attention", "block", "whisper_layer")
HOSTS += ("whisper_decoder_layer", "conv2d", "conv_norm_relu", "resnet_block", "lora_linear")
HOSTS += ("layer_norm", "three_linear_attention")
# Calls of PyTorch that a compiled module makes besides its own kernels.
ISSUED = {
    "product": ("aten::mm", "aten::addmm", "aten::bmm"),
    "attention": ("aten::_scaled_dot_product",),
    "convolution": ("aten::convolution", "aten::convolution_backward"),
}


def rows(f):
    def cases(dtype):
        for shape in ROWS_OF:
            yield dict(rows=shape[0], n=shape[1]), [rand(*shape, dtype=use(dtype))], f(shape[1])

    return cases


def flat(f, count=1):
    def cases(dtype):
        for n in LENGTHS:
            yield dict(n=n), [rand(n, dtype=use(dtype)) for _ in range(count)], f

    return cases


def layer_norm(n):
    weight, bias = (torch.randn(n, device="cuda", requires_grad=True) for _ in range(2))
    return lambda x: F.layer_norm(x.float(), (n,), weight, bias).to(x.dtype)


def rms_norm(n):
    made = norm(n).cuda()
    return lambda x: made(x.float()).to(x.dtype)


def sums(dtype):
    for shape in ROWS_OF:
        dims = dict(outer=1, size=shape[0], inner=shape[1])
        yield dims, [rand(*shape, dtype=use(dtype))], lambda x: x.sum(0)


def lengthwise(dtype):
    for outer, size in ROWS_OF:
        dims = dict(outer=outer, size=size, inner=1)
        yield dims, [rand(outer, size, dtype=use(dtype))], lambda x: F.softmax(x, dim=-1)


def losses(dtype):
    for tokens, words in ((4096, 50257), (2048, 32000), (8192, 30522)):
        targets = torch.randint(0, words, (tokens,), device="cuda")
        logits = rand(tokens, words, dtype=use(dtype))
        yield (
            dict(rows=tokens, v=words),
            [logits],
            lambda x, t=targets: F.cross_entropy(x.float(), t),
        )


def tables(dtype):
    if dtype != "float32":
        return
    for words, tokens, width in ((50257, 4096, 768), (32000, 8192, 2048), (51865, 4096, 512)):
        table = torch.randn(words, width, device="cuda")
        index = torch.randint(0, words, (tokens,), device="cuda")
        yield (
            dict(v=words, n=tokens, c=width),
            [table],
            lambda t, i=index: F.embedding(i, t),
        )


def images(dtype):
    for batch, channels, height, width in IMAGES:
        x = rand(batch, channels, height, width, dtype=use(dtype))
        x = x.to(memory_format=torch.channels_last)
        made = nn.BatchNorm2d(channels).cuda()
        dims = dict(outer=batch, channels=channels, inner=height * width)
        yield dims, [x], lambda x, m=made: F.relu(m(x))


def rotations(dtype):
    for batch, heads, tokens in ((8, 32, 512), (2, 32, 2048)):
        turns = [torch.randn(1, 1, tokens, 64, device="cuda") for _ in range(2)]
        x = rand(batch, heads, tokens, 64, dtype=use(dtype))
        yield (
            dict(batch=batch, heads=heads, tokens=tokens, head_dim=64),
            [x],
            lambda x, t=turns: rotated(x, t[0].to(x.dtype), t[1].to(x.dtype)),
        )


def heads(dtype):
    for batch, tokens, count in ((8, 512, 12), (4, 1500, 12), (8, 1024, 16)):
        x = rand(batch, tokens, count, 64, dtype=use(dtype))
        dims = dict(outer=batch, m=tokens, n=count, inner=64)
        yield dims, [x], lambda x: x.transpose(1, 2).contiguous()


def wide_products(dtype):
    """Of a vocabulary whose rows fill no whole vectors."""
    for tokens, width, words in ((2048, 768, 50257), (8192, 1024, 50257), (4096, 512, 51865)):
        x, weight = rand(tokens, width, dtype=use(dtype)), rand(words, width, dtype=use(dtype))
        yield {"rows": tokens, "in": width, "out": words}, [x, weight], F.linear


CASES = {
    "layer_norm": rows(layer_norm),
    "gelu_tanh": flat(lambda x: F.gelu(x, approximate="tanh")),
    "gelu_erf": flat(F.gelu),
    "add": flat(lambda x, y: x + y, 2),
    "cast": flat(lambda x: x.to(torch.bfloat16 if x.dtype == torch.float32 else torch.float32)),
    "sum": sums,
    "softmax": lengthwise,
    "cross_entropy": losses,
    "embedding": tables,
    "batch_norm_relu": images,
    "rms_norm": rows(rms_norm),
    "silu_gate": flat(lambda x, y: F.silu(x) * y, 2),
    "rotary": rotations,
    "transpose": heads,
    "dropout": flat(lambda x: F.dropout(x, 0.1)),
    "product": wide_products,
}
PRODUCT_DTYPES = ("tf32", "float16", "bfloat16")


def kernels(names=tuple(CASES)):
    for name in names:
        for dtype in PRODUCT_DTYPES if name == "product" else DTYPES:
            torch._dynamo.reset()
            for dims, inputs, function in CASES[name](dtype):
                one(name, dims, dtype, inputs, function)
            torch.cuda.empty_cache()


def one(name, dims, dtype, inputs, function):
    made = torch.compile(function, dynamic=False)
    with torch.no_grad():
        add(name, dims, dtype, "forward", lambda: made(*inputs))
    leaves = [x.detach().requires_grad_() for x in inputs]
    y = made(*leaves)
    dy = torch.ones_like(y)

    def backward():
        for leaf in leaves:
            leaf.grad = None
        # Compiled gradients give up what they read: each time anew.
        made(*leaves).backward(dy)

    add(name, dims, dtype, "both", backward)


class CompiledChain:
    def __init__(self, name, dtype, mode=None):
        make, shape = chains()[name]
        self.modules = nn.Sequential(*(make() for _ in range(DEPTH))).cuda()
        self.leaf = torch.randn(*shape, device="cuda", requires_grad=True)
        self.run = torch.compile(self.modules, dynamic=False, mode=mode)
        self.dtype = dtype

    def forward(self):
        low = self.dtype
        with torch.autocast("cuda", dtype=low) if low else contextlib.nullcontext():
            return self.run(self.leaf)

    def samples(self, count):
        found = []
        for _ in range(count):
            self.leaf.grad = None
            self.modules.zero_grad(set_to_none=True)
            f, y = clock(self.forward)
            dy = torch.ones_like(y)
            b, _ = clock(lambda y=y, dy=dy: y.backward(dy))
            found.append((f, b))
        return found

    def issued(self):
        """What a forward and a backward pass issue: {kind: count} of each."""
        self.leaf.grad = None
        self.modules.zero_grad(set_to_none=True)
        y, forward = recorded(self.forward)
        forward |= {"kept": len(y.grad_fn.saved_tensors)}
        dy = torch.ones_like(y)
        _, backward = recorded(lambda: y.backward(dy))
        return forward, backward | {"parameter": len(list(self.modules.parameters()))}


def recorded(call):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as trace:
        result = call()
        torch.cuda.synchronize()
    on_device = torch.autograd.DeviceType.CUDA
    events = [(e.name(), e.device_type()) for e in trace.profiler.kineto_results.events()]
    counts = {"triton": sum(n.startswith("triton_") and d == on_device for n, d in events)}
    for kind, names in ISSUED.items():
        exact = kind != "attention"
        counts[kind] = sum(
            d != on_device and (n in names if exact else n.startswith(names)) for n, d in events
        )
    return result, counts


def hosts(read_pace, stop, names=HOSTS, mode=None):
    """Rows of every chain and dtype; a pace is read between them. With mode "reduce-overhead" each
    pass is replayed as a graph, of which the device's trace tells the compiler's kernels alone."""
    found, label_of_mode = [], mode.replace("-", "_") if mode else "compiled"
    for name in names:
        for label, dtype in (("", None), ("_autocast", torch.float16)):
            if stop():
                return found
            torch._dynamo.reset()
            chain = CompiledChain(name, dtype, mode)
            chain.samples(6)
            issued = chain.issued()
            samples = chain.samples(60)
            read_pace()
            for i, direction in enumerate(("forward", "backward")):
                values = [s[i] for s in samples]
                counts = ", ".join(f"{kind} {n}" for kind, n in issued[i].items())
                found.append(
                    [
                        f"host.{label_of_mode}.{name}{label}",
                        f"depth={DEPTH}",
                        "float32",
                        direction,
                        f"{statistics.median(values):.4e}",
                        counts,
                    ]
                )
    return found
