"""What the kernels of whole training steps take on a CUDA device, without the host and its
launches: PyTorch's own trace of the device, added up. They judge predictions and no constant is
fitted on them (record h100_kernels).

  python3 tools/measure_torch_kernels.py OUT.csv --device h100 [--budget 500] [--only TEXT]

Steps are those of measure_torch_steps.py; each is run as often as 20 ms allow, four times at
least, and the value is the median of the sums; the note has the distance of their quartiles as a
part of it, and how many kernels, copies and fills a step has. Needs torch, transformers,
torchvision, nvidia-ml-py.
"""

import argparse
import csv
import sys
import time

import torch
from measure_torch_steps import COLUMNS, freed, in_time, listed, note_of, rows_of, stepper
from torch_cuda_drawn import SEED, drawn
from torch_cuda_timing import kernel_s

# Of all models and precisions; the first 15 showed what data that lie across each other, words and
# losses of 16 bits take (record hopper_layouts), the others came after.
CHOSEN = """
gpt2-small batch=24 seq=768 amp-bf16
gpt2-medium batch=8 seq=512 amp-fp16
gpt2-small batch=8 seq=1024 tf32 fp32
gpt2-small batch=8 seq=1024 lora=8 amp-bf16
llama-1b batch=4 seq=512 amp-bf16 tf32
bert-large batch=8 seq=512 amp-bf16
resnet50 batch=64 image=224 amp-bf16 tf32
vgg16 batch=32 image=224 amp-bf16
simclr-resnet18 batch=256 image=32 amp-fp16 tf32
whisper-base batch=24 label_len=64 tf32
whisper-medium batch=6 label_len=128 amp-bf16
bert-base batch=16 seq=128 fp32 amp-fp16
llama-1b batch=2 seq=256 amp-fp16
resnet18 batch=64 image=224 amp-fp16
vgg16-bn batch=16 image=224 tf32
"""
DRAWN = drawn(SEED + 4, 24)


def measure(what):
    """Seconds, spread and number of the kernels of a step."""
    step = stepper(what)
    for _ in range(4):  # a scaler finds its scale, an optimizer makes its moments
        step()
    return kernel_s(step)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--budget", type=float, default=500.0, help="seconds")
    parser.add_argument("--only", default="", help="steps that contain this text")
    parser.add_argument("--device", default="h100", help="its id in the record")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    end = time.perf_counter() + arguments.budget
    with open(arguments.out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for what in in_time([*listed(CHOSEN), *listed(DRAWN)], arguments.only, end):
            try:
                seconds, spread, kernels = measure(what)
            except torch.cuda.OutOfMemoryError:
                print("doesn't fit:", what, file=sys.stderr)
                continue
            finally:
                freed()
            note = f"{note_of(what)}; spread {spread:.3f}; {kernels} kernels"
            found = {"kernel time": (seconds, "s")}
            writer.writerows(rows_of(what, arguments.device, found, note))
            file.flush()
            print(what, f"{seconds:.5g} s, spread {spread:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main()
