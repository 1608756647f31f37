"""The steps of the records beside h200_steps, which judge predictions; used by
measure_torch_steps.py."""

PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16")

# Sizes, batches and precisions beside those of h200_steps (record h200_others).
OTHERS = """
gpt2-small batch=1 seq=1024 tf32 amp-bf16
gpt2-small batch=2 seq=128 fp32 amp-fp16
gpt2-small batch=4 seq=512 fp32 amp-fp16
gpt2-small batch=32 seq=64 tf32
gpt2-small batch=32 seq=1024 fp32 tf32 amp-fp16 amp-bf16
gpt2-medium batch=1 seq=1024 tf32
gpt2-medium batch=2 seq=512 fp32
gpt2-medium batch=4 seq=1024 amp-bf16
gpt2-medium batch=16 seq=512 amp-fp16
gpt2-medium batch=32 seq=256 tf32
gpt2-large batch=1 seq=512 fp32 amp-bf16
gpt2-large batch=2 seq=1024 tf32
gpt2-large batch=4 seq=512 amp-fp16
gpt2-large batch=16 seq=256 amp-bf16
gpt2-xl batch=1 seq=1024 amp-bf16
gpt2-xl batch=2 seq=1024 amp-fp16
gpt2-xl batch=4 seq=256 fp32
gpt2-xl batch=4 seq=512 amp-bf16
gpt2-xl batch=16 seq=256 tf32
gpt2-small batch=16 seq=512 lora=16 fp32
gpt2-medium batch=2 seq=256 lora=8 tf32
gpt2-large batch=1 seq=1024 lora=8 amp-fp16
gpt2-xl batch=4 seq=512 lora=8 tf32 amp-bf16
whisper-tiny batch=1 label_len=64 fp32 tf32 amp-bf16
whisper-tiny batch=16 label_len=32 amp-fp16
whisper-base batch=1 label_len=32 tf32
whisper-base batch=8 label_len=128 fp32 amp-fp16
whisper-base batch=16 label_len=64 amp-bf16
whisper-small batch=1 label_len=64 amp-fp16
whisper-small batch=2 label_len=128 fp32
whisper-small batch=16 label_len=64 tf32
whisper-medium batch=1 label_len=64 tf32
whisper-medium batch=8 label_len=64 amp-bf16
simclr-resnet18 batch=8 image=32 tf32 amp-fp16
simclr-resnet18 batch=16 image=32 fp32 amp-bf16
simclr-resnet18 batch=64 image=32 fp32 tf32 amp-fp16
simclr-resnet18 batch=512 image=32 fp32 tf32 amp-fp16
"""

# Steps of neither, measured once the models of a day were as they are (record h200_blind).
BLIND = """
gpt2-small batch=1 seq=128 fp32 amp-bf16
gpt2-small batch=8 seq=256 amp-fp16 tf32
gpt2-medium batch=2 seq=128 fp32
whisper-tiny batch=2 label_len=48 tf32 amp-fp16
whisper-base batch=4 label_len=96 amp-bf16
whisper-small batch=8 label_len=64 fp32
whisper-medium batch=2 label_len=32 amp-fp16
simclr-resnet18 batch=48 image=32 fp32 amp-fp16
simclr-resnet18 batch=192 image=32 tf32 amp-bf16
gpt2-medium batch=4 seq=256 amp-bf16
gpt2-medium batch=12 seq=1024 tf32
gpt2-large batch=2 seq=512 fp32 amp-fp16
gpt2-large batch=8 seq=128 tf32
gpt2-xl batch=1 seq=128 amp-bf16
gpt2-xl batch=2 seq=512 tf32 fp32
gpt2-xl batch=6 seq=1024 amp-fp16
gpt2-small batch=24 seq=1024 amp-bf16
gpt2-medium batch=8 seq=512 lora=16 amp-bf16
gpt2-xl batch=2 seq=256 lora=8 fp32
gpt2-large batch=4 seq=1024 lora=8 amp-fp16
whisper-tiny batch=32 label_len=64 amp-bf16
whisper-small batch=4 label_len=128 amp-fp16
"""

# Again such, beside the pace of their host (record h200_fresh).
FRESH = """
gpt2-small batch=1 seq=64 fp32 amp-fp16
gpt2-small batch=4 seq=128 tf32 amp-bf16
gpt2-small batch=16 seq=128 fp32
gpt2-small batch=12 seq=512 amp-fp16
gpt2-small batch=6 seq=1024 tf32
gpt2-medium batch=1 seq=256 amp-fp16 lora=8
gpt2-medium batch=8 seq=128 fp32
gpt2-medium batch=6 seq=512 amp-bf16
gpt2-medium batch=24 seq=512 tf32
gpt2-large batch=1 seq=128 tf32
gpt2-large batch=3 seq=512 amp-bf16
gpt2-large batch=6 seq=1024 fp32
gpt2-large batch=16 seq=128 amp-fp16
gpt2-xl batch=1 seq=512 tf32
gpt2-xl batch=3 seq=1024 amp-bf16
gpt2-xl batch=8 seq=256 amp-fp16
gpt2-xl batch=4 seq=128 fp32
gpt2-xl batch=8 seq=512 lora=8 amp-bf16
gpt2-small batch=32 seq=256 lora=8 tf32
whisper-tiny batch=4 label_len=32 fp32 amp-bf16
whisper-tiny batch=8 label_len=64 tf32
whisper-base batch=2 label_len=64 amp-fp16
whisper-base batch=32 label_len=64 tf32
whisper-small batch=1 label_len=32 fp32
whisper-small batch=6 label_len=96 amp-bf16
whisper-medium batch=1 label_len=128 amp-bf16
whisper-medium batch=6 label_len=64 fp32
simclr-resnet18 batch=24 image=32 fp32 amp-bf16
simclr-resnet18 batch=96 image=32 tf32 amp-fp16
simclr-resnet18 batch=384 image=32 fp32 amp-bf16
"""

# Again such, most of them decided by their host, whose pace stands beside each (record h200_paced).
PACED = """
gpt2-small batch=1 seq=32 tf32 amp-bf16
whisper-tiny batch=1 label_len=32 fp32 amp-fp16
simclr-resnet18 batch=4 image=32 fp32 amp-fp16
gpt2-medium batch=1 seq=64 fp32 amp-fp16
whisper-small batch=1 label_len=128 tf32 amp-bf16
gpt2-large batch=1 seq=64 tf32 amp-bf16
simclr-resnet18 batch=12 image=32 tf32 amp-bf16
whisper-base batch=1 label_len=64 fp32 amp-fp16
gpt2-xl batch=1 seq=64 amp-fp16
gpt2-small batch=2 seq=64 fp32 amp-fp16
gpt2-medium batch=1 seq=128 lora=8 amp-bf16
whisper-tiny batch=2 label_len=64 amp-bf16
gpt2-medium batch=8 seq=256 tf32
whisper-small batch=12 label_len=64 amp-fp16
simclr-resnet18 batch=320 image=32 tf32
gpt2-large batch=4 seq=256 fp32
gpt2-small batch=8 seq=64 amp-bf16
whisper-medium batch=1 label_len=32 amp-fp16
"""
# Again such, families in turn, adapters among them (record h200_mixed).
MIXED = """
gpt2-small batch=2 seq=32 fp32 amp-fp16
simclr-resnet18 batch=6 image=32 tf32 amp-fp16
whisper-tiny batch=3 label_len=32 fp32 amp-fp16
gpt2-medium batch=2 seq=64 lora=8 amp-fp16
whisper-base batch=3 label_len=48 tf32 amp-bf16
simclr-resnet18 batch=20 image=32 fp32 amp-bf16
gpt2-small batch=1 seq=96 lora=8 tf32 amp-bf16
whisper-small batch=2 label_len=48 amp-fp16
gpt2-medium batch=1 seq=32 tf32 amp-bf16
simclr-resnet18 batch=160 image=32 tf32
gpt2-large batch=1 seq=96 lora=8 amp-bf16
gpt2-large batch=2 seq=128 amp-fp16
gpt2-small batch=20 seq=512 amp-bf16
whisper-small batch=20 label_len=64 tf32
gpt2-medium batch=10 seq=512 lora=8 amp-fp16
gpt2-xl batch=1 seq=32 fp32
"""
# Again such, of all families at all sizes (record h200_sealed).
SEALED = """
gpt2-small batch=3 seq=256 fp32 amp-bf16
whisper-tiny batch=6 label_len=48 fp32 amp-bf16
simclr-resnet18 batch=40 image=32 fp32
gpt2-medium batch=3 seq=128 lora=8 tf32
simclr-resnet18 batch=224 image=32 fp32 tf32
gpt2-large batch=5 seq=256 amp-bf16
whisper-base batch=12 label_len=64 tf32
gpt2-xl batch=1 seq=256 amp-fp16
gpt2-medium batch=5 seq=512 amp-fp16
whisper-small batch=3 label_len=64 amp-fp16
gpt2-small batch=10 seq=1024 tf32
simclr-resnet18 batch=80 image=32 amp-bf16
gpt2-large batch=2 seq=256 fp32
whisper-medium batch=3 label_len=96 fp32
gpt2-small batch=16 seq=256 lora=8 amp-fp16
gpt2-xl batch=3 seq=512 tf32
"""
# Again such, most of them networks of images (record h200_unseen).
UNSEEN = """
simclr-resnet18 batch=2 image=32 fp32 amp-fp16
whisper-tiny batch=12 label_len=64 amp-fp16
simclr-resnet18 batch=10 image=32 tf32
simclr-resnet18 batch=14 image=32 amp-bf16
simclr-resnet18 batch=28 image=32 fp32 amp-fp16
whisper-base batch=24 label_len=64 amp-bf16
simclr-resnet18 batch=56 image=32 tf32
simclr-resnet18 batch=112 image=32 fp32
gpt2-medium batch=3 seq=512 amp-bf16
simclr-resnet18 batch=144 image=32 amp-bf16
whisper-small batch=10 label_len=64 amp-fp16
simclr-resnet18 batch=288 image=32 tf32 amp-fp16
whisper-medium batch=5 label_len=64 tf32
"""
# All models, on one more machine, after intervals took a host's chains together (h200_later).
LATER = """
gpt2-small batch=6 seq=128 fp32 amp-fp16
gpt2-small batch=12 seq=256 tf32
gpt2-small batch=24 seq=512 amp-bf16
gpt2-small batch=3 seq=768 lora=8 tf32
gpt2-medium batch=6 seq=256 fp32 amp-bf16
gpt2-medium batch=12 seq=512 tf32
gpt2-medium batch=24 seq=128 lora=16 amp-fp16
gpt2-large batch=3 seq=256 fp32
gpt2-large batch=6 seq=512 amp-bf16
gpt2-large batch=12 seq=128 lora=8 tf32
gpt2-xl batch=3 seq=128 tf32
gpt2-xl batch=6 seq=256 amp-fp16
gpt2-xl batch=3 seq=768 lora=8 amp-bf16
whisper-tiny batch=6 label_len=96 fp32
whisper-tiny batch=24 label_len=96 amp-bf16
whisper-base batch=6 label_len=96 tf32
whisper-small batch=3 label_len=96 amp-fp16
whisper-small batch=12 label_len=96 fp32
whisper-medium batch=6 label_len=64 amp-bf16
simclr-resnet18 batch=18 image=32 tf32
simclr-resnet18 batch=72 image=32 amp-fp16
simclr-resnet18 batch=176 image=32 fp32
simclr-resnet18 batch=208 image=32 amp-bf16
simclr-resnet18 batch=352 image=32 tf32
"""
# Steps of h200_steps on another device, an H100 (record h100_steps).
CROSSED = """
gpt2-small batch=4 seq=64 fp32 amp-bf16
gpt2-small batch=1 seq=256 tf32
gpt2-small batch=16 seq=256 tf32 amp-fp16
gpt2-small batch=8 seq=1024 fp32 tf32 amp-bf16
gpt2-medium batch=1 seq=256 fp32
gpt2-medium batch=8 seq=512 fp32 tf32 amp-fp16
gpt2-large batch=1 seq=256 amp-fp16
gpt2-large batch=8 seq=512 fp32 amp-bf16
gpt2-xl batch=1 seq=256 fp32 tf32
gpt2-xl batch=8 seq=512 tf32 amp-bf16
gpt2-small batch=8 seq=512 lora=8 fp32
gpt2-medium batch=8 seq=512 lora=8 tf32
gpt2-large batch=8 seq=512 lora=8 amp-fp16
whisper-tiny batch=4 label_len=64 fp32 amp-fp16
whisper-base batch=4 label_len=64 tf32
whisper-small batch=4 label_len=64 fp32 amp-fp16
whisper-medium batch=4 label_len=64 tf32
simclr-resnet18 batch=32 image=32 fp32
simclr-resnet18 batch=128 image=32 fp32 tf32 amp-fp16
simclr-resnet18 batch=256 image=32 tf32 amp-fp16
"""
# Steps of models that nothing of was measured before, on an H100 (record h100_families).
FAMILIES = """
bert-base batch=8 seq=128 fp32 amp-fp16
bert-base batch=16 seq=512 tf32 amp-bf16
bert-base batch=1 seq=128 tf32
bert-large batch=4 seq=512 fp32 amp-bf16
resnet50 batch=32 image=224 fp32 tf32 amp-fp16
resnet50 batch=128 image=224 tf32 amp-bf16
resnet18 batch=64 image=224 fp32 amp-fp16
vgg16 batch=32 image=224 fp32 tf32 amp-fp16
vgg16-bn batch=16 image=224 tf32
llama-1b batch=1 seq=512 tf32 amp-bf16
llama-1b batch=4 seq=512 fp32 amp-bf16
"""
# Steps of those models at other sizes, once their kernels were measured one by one (record
# h200_families).
RELATED = """
llama-1b batch=2 seq=256 fp32 amp-fp16
llama-1b batch=1 seq=1024 tf32 amp-bf16
llama-1b batch=8 seq=512 amp-bf16
resnet50 batch=64 image=224 fp32 tf32 amp-fp16
resnet50 batch=256 image=224 amp-bf16
resnet18 batch=128 image=224 tf32 amp-bf16
vgg16 batch=64 image=224 fp32 amp-bf16
vgg16-bn batch=32 image=224 fp32 tf32
bert-base batch=32 seq=128 tf32 amp-fp16
bert-large batch=8 seq=256 fp32
"""
# Steps at sizes of none of those, once what cores take of kernels and what memory does was told
# apart (records h200_parted and h100_parted).
PARTED = """
gpt2-small batch=6 seq=384 fp32 amp-bf16
gpt2-small batch=20 seq=512 tf32
gpt2-medium batch=6 seq=768 amp-fp16
gpt2-medium batch=12 seq=256 tf32
gpt2-large batch=4 seq=768 amp-bf16
gpt2-large batch=2 seq=384 fp32
gpt2-xl batch=2 seq=768 tf32
gpt2-xl batch=6 seq=384 amp-fp16
gpt2-medium batch=6 seq=384 lora=8 amp-bf16
gpt2-large batch=12 seq=512 lora=16 tf32
whisper-tiny batch=8 label_len=96 fp32
whisper-base batch=6 label_len=32 amp-bf16
whisper-small batch=3 label_len=128 tf32
whisper-medium batch=6 label_len=96 amp-fp16
simclr-resnet18 batch=112 image=32 fp32 tf32 amp-bf16
simclr-resnet18 batch=320 image=32 amp-fp16
"""
# Captured as CUDA graphs and replayed, most of them decided by their host otherwise (record
# h200_graphs); no scaled losses, whose optimizer the host waits for.
GRAPHS = """
gpt2-small batch=1 seq=64 fp32 tf32 amp-bf16
gpt2-small batch=4 seq=64 fp32 amp-bf16
gpt2-small batch=2 seq=256 tf32 amp-bf16
gpt2-small batch=8 seq=512 fp32 amp-bf16
gpt2-medium batch=1 seq=128 fp32 tf32 amp-bf16
gpt2-medium batch=4 seq=256 lora=8 amp-bf16
gpt2-large batch=1 seq=256 tf32 amp-bf16
gpt2-xl batch=1 seq=128 fp32 amp-bf16
gpt2-xl batch=2 seq=512 amp-bf16
simclr-resnet18 batch=8 image=32 fp32 tf32 amp-bf16
simclr-resnet18 batch=64 image=32 fp32 tf32 amp-bf16
simclr-resnet18 batch=256 image=32 tf32
whisper-tiny batch=1 label_len=32 fp32 amp-bf16
whisper-small batch=4 label_len=64 tf32 amp-bf16
"""
# Once what autograd keeps was told anew: the models whose memory that changed (h100_kept).
KEPT = """
llama-1b batch=4 seq=256 fp32 amp-bf16
llama-1b batch=2 seq=1024 fp32
llama-1b batch=16 seq=512 amp-bf16
vgg16 batch=96 image=224 fp32 amp-bf16
vgg16-bn batch=48 image=224 amp-fp16
resnet18 batch=256 image=224 fp32 amp-bf16
resnet50 batch=96 image=224 tf32 amp-fp16
bert-base batch=16 seq=384 tf32
bert-large batch=4 seq=384 amp-bf16
gpt2-medium batch=6 seq=640 tf32
gpt2-large batch=3 seq=640 amp-fp16
whisper-small batch=12 label_len=80 amp-bf16
simclr-resnet18 batch=96 image=32 amp-bf16
"""
# Once energy and peak memory had intervals: every model, at sizes of no other (h100_ranged).
RANGED = """
gpt2-small batch=6 seq=192 fp32 amp-bf16
gpt2-small batch=24 seq=320 tf32
gpt2-medium batch=5 seq=448 amp-fp16
gpt2-large batch=2 seq=768 tf32 amp-bf16
gpt2-xl batch=3 seq=320 amp-bf16
bert-base batch=12 seq=256 fp32 amp-fp16
bert-large batch=6 seq=192 tf32
llama-1b batch=3 seq=384 amp-bf16
whisper-tiny batch=10 label_len=48 amp-fp16
whisper-base batch=10 label_len=64 tf32
whisper-small batch=5 label_len=112 fp32
whisper-medium batch=7 label_len=72 amp-bf16
simclr-resnet18 batch=88 image=32 fp32 amp-fp16
simclr-resnet18 batch=200 image=32 tf32
resnet50 batch=40 image=224 amp-bf16
vgg16 batch=24 image=224 tf32
"""

LISTS = {
    "others": OTHERS,
    "blind": BLIND,
    "fresh": FRESH,
    "paced": PACED,
    "mixed": MIXED,
    "sealed": SEALED,
    "unseen": UNSEEN,
    "later": LATER,
    "crossed": CROSSED,
    "families": FAMILIES,
    "related": RELATED,
    "parted": PARTED,
    "graphs": GRAPHS,
    "kept": KEPT,
    "ranged": RANGED,
}
