"""Modules as models hold them beside those of torch_cuda_modules.py: frozen ones with adapters,
those of a model's own widths, layers in the containers that run them. Used by torch_cuda_turns.py.
"""

import torch
from torch import nn
from torch_cuda_models import Block, Lora
from torch_cuda_modules import _small_whisper, chains

WIDTH = 768


class Scaled(nn.Module):
    """What an adapter adds, beside itself."""

    def forward(self, x):
        return x + 2.0 * x


class WhisperLayer(nn.Module):
    """Of an encoder's own width."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperEncoderLayer

        sizes = {"d_model": 512, "encoder_attention_heads": 8, "encoder_ffn_dim": 2048}
        self.inner = WhisperEncoderLayer(WhisperConfig(**sizes, attn_implementation="sdpa"))

    def forward(self, x):
        y = self.inner(x, None)
        return y[0] if isinstance(y, tuple) else y


class WhisperDecoderLayer(nn.Module):
    """Of a decoder's own width, whose second attention reads what an encoder heard."""

    def __init__(self, heard):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperDecoderLayer as Theirs

        sizes = {"d_model": 512, "decoder_attention_heads": 8, "decoder_ffn_dim": 2048}
        self.inner = Theirs(WhisperConfig(**sizes, attn_implementation="sdpa"), 0)
        self.heard = [heard]  # no parameter of this layer's

    def forward(self, x):
        y = self.inner(x, encoder_hidden_states=self.heard[0], use_cache=False)
        return y[0] if isinstance(y, tuple) else y


def frozen(module):
    return module.requires_grad_(False)


def adapted_block(width=32, heads=2):
    """A GPT-2's block, frozen but for an adapter beside the product of queries, keys and values."""
    block = frozen(Block(width, heads))
    block.c_attn = Lora(block.c_attn, 8)
    return block


def basic_block(channels):
    from torchvision.models.resnet import BasicBlock

    return BasicBlock(channels, channels)


def convolution(channels):
    return nn.Conv2d(channels, channels, 3, padding=1, bias=False)


def every_chain():
    """Name -> (a function that makes one module, the shape of its data)."""
    flat, rows = (1, 32, 32), (1, 64, WIDTH)
    made = chains() | {
        "scaled_add": (Scaled, flat),
        "frozen_linear": (lambda: frozen(nn.Linear(32, 32)), flat),
        "frozen_product": (lambda: frozen(nn.Linear(32, 32, bias=False)), flat),
        "frozen_layer_norm": (lambda: frozen(nn.LayerNorm(32)), flat),
        "plain_block": (lambda: Block(32, 2), flat),
        "adapted_block": (adapted_block, flat),
        "linear_768": (lambda: nn.Linear(WIDTH, WIDTH), rows),
        "product_768": (lambda: nn.Linear(WIDTH, WIDTH, bias=False), rows),
        "layer_norm_768": (lambda: nn.LayerNorm(WIDTH), rows),
        "block_768": (lambda: Block(WIDTH, 12), rows),
        "adapted_block_768": (lambda: adapted_block(WIDTH, 12), rows),
    }
    heard = torch.randn(1, 1500, 512, device="cuda", requires_grad=True)
    made["whisper_layer_512"] = (WhisperLayer, (1, 1500, 512))
    made["whisper_decoder_layer_512"] = (lambda: WhisperDecoderLayer(heard), (1, 64, 512))
    for channels, side in ((64, 32), (128, 16), (256, 8), (512, 4)):
        image = (8, channels, side, side)
        made[f"conv2d_{channels}"] = (lambda c=channels: convolution(c), image)
        made[f"resnet_block_{channels}"] = (lambda c=channels: basic_block(c), image)
    return made


def containers():
    """Whisper's encoder and decoder of a few elements with four layers: beside those of none, what
    a layer takes where they hold it."""
    from transformers.models.whisper.modeling_whisper import WhisperDecoder, WhisperEncoder

    config = _small_whisper()
    config.encoder_layers = config.decoder_layers = 4
    config.encoder_ffn_dim = config.decoder_ffn_dim = 128
    mel = torch.randn(1, config.num_mel_bins, 32, device="cuda")
    tokens = torch.randint(4, 64, (1, 16), device="cuda")
    seen = torch.randn(1, 16, 32, device="cuda")
    encoder, decoder = WhisperEncoder(config).cuda().train(), WhisperDecoder(config).cuda().train()

    def decode():
        states = decoder(input_ids=tokens, encoder_hidden_states=seen, use_cache=False)
        return states.last_hidden_state

    return {
        "whisper_encoder_layers": (encoder, lambda: encoder(mel).last_hidden_state),
        "whisper_decoder_layers": (decoder, decode),
    }


def parameter_sets():
    """Trained parameters of models by their number, with shapes as they have them."""
    from torch_cuda_models import make

    sets = {}
    for what in (
        "simclr-resnet18 batch=2 image=32",
        "gpt2-small batch=1 seq=64",
        "gpt2-medium batch=1 seq=64 lora=8",
        "whisper-tiny batch=1 label_len=8",
        "whisper-base batch=1 label_len=8",
    ):
        model, _ = make(what)
        shapes = [p.shape for p in model.parameters() if p.requires_grad]
        del model
        torch.cuda.empty_cache()
        sets[len(shapes)] = [torch.randn(s, device="cuda").requires_grad_() for s in shapes]
    return sets
