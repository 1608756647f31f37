"""Training steps whose AdamW runs on the host under PyTorch; used by measure_torch_offload.py.

The model is on the device; gradients go to buffers on the host, torch's fused AdamW updates master
copies there, parameters come back. Four programs of it:

  pageable    after the backward pass, each copy waited for, in memory as malloc gives it
  serial      after the backward pass, in pinned memory
  overlapped  each gradient once it is complete, on a stream of its own; each parameter once it is
              updated, while the next one is
  delayed     as overlapped, but the update runs on a thread beside the pass, on the gradients of
              the step before
"""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import torch

MODES = ("pageable", "serial", "overlapped", "delayed")
RATE = {"lr": 1e-4, "beta1": 0.9, "beta2": 0.999, "weight_decay": 1e-2, "eps": 1e-8}


class HostAdamw:
    """Master copies, gradients and moments of parameters on the host."""

    def __init__(self, shapes, pinned, buffers=1):
        def made(shape):
            return torch.zeros(shape, pin_memory=pinned)

        self.masters = [made(s) for s in shapes]
        self.gradients = [[made(s) for s in shapes] for _ in range(buffers)]
        self.first = [torch.zeros(s) for s in shapes]
        self.second = [torch.zeros(s) for s in shapes]
        self.steps = [torch.tensor(0.0) for _ in shapes]

    def update(self, places, gradients):
        """One fused call for the parameters at `places`."""
        some = [[x[i] for i in places] for x in (self.masters, gradients, self.first, self.second)]
        steps = [self.steps[i] for i in places]
        torch._foreach_add_(steps, 1)
        torch._fused_adamw_(*some, [], steps, amsgrad=False, maximize=False, **RATE)


class OffloadedStep:
    """One training step of a model, AdamW on the host in one of MODES."""

    def __init__(self, model, loss_of, mode, low):
        self.mode, self.low, self.loss_of = mode, low, loss_of
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        shapes = [p.shape for p in self.parameters]
        self.host = HostAdamw(shapes, mode != "pageable", 2 if mode == "delayed" else 1)
        for master, p in zip(self.host.masters, self.parameters, strict=True):
            master.copy_(p.detach())
        self.everything = range(len(shapes))
        self.out, self.back = torch.cuda.Stream(), torch.cuda.Stream()
        self.worker = ThreadPoolExecutor(1)
        early = self.parameters if mode in ("overlapped", "delayed") else []
        self.hooks = [
            p.register_post_accumulate_grad_hook(lambda p, i=i: self.send(p, i))
            for i, p in enumerate(early)
        ]

    def close(self):
        """Breaks the cycle of the hooks, so that its memory is free."""
        for hook in self.hooks:
            hook.remove()
        self.worker.shutdown()
        self.host = self.parameters = self.loss_of = None

    @property
    def arriving(self):
        return self.host.gradients[-1]

    def send(self, p, i):
        self.out.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.out):
            self.arriving[i].copy_(p.grad, non_blocking=True)
        p.grad.record_stream(self.out)
        p.grad = None

    def backward(self):
        low = self.low
        with torch.autocast("cuda", dtype=low) if low else contextlib.nullcontext():
            loss = self.loss_of()
        loss.backward()

    @torch.no_grad()
    def send_all(self):
        for p, there in zip(self.parameters, self.arriving, strict=True):
            there.copy_(p.grad, non_blocking=self.mode == "serial")
            p.grad = None
        torch.cuda.synchronize()

    @torch.no_grad()
    def fetch(self, i):
        self.parameters[i].copy_(self.host.masters[i], non_blocking=self.mode != "pageable")

    def __call__(self):
        getattr(self, self.mode)()

    def pageable(self):
        self.backward()
        self.send_all()
        self.host.update(self.everything, self.arriving)
        for i in self.everything:
            self.fetch(i)
        torch.cuda.synchronize()

    serial = pageable

    def overlapped(self):
        self.backward()
        self.out.synchronize()
        for i in self.everything:
            self.host.update([i], self.arriving)
            with torch.cuda.stream(self.back):
                self.fetch(i)
        self.back.synchronize()

    def update_late(self):
        for i in self.everything:
            self.host.update([i], self.host.gradients[0])

    def delayed(self):
        late = self.worker.submit(self.update_late)
        self.backward()
        late.result()
        for i in self.everything:
            self.fetch(i)
        torch.cuda.synchronize()
        self.host.gradients.reverse()
