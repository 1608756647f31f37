"""Modules of a few elements that torch_cuda_host.py times, alone and as models hold them."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Heads of a product of all three, or of three products."""

    def __init__(self, packed):
        super().__init__()
        self.packed = packed
        self.inner = nn.ModuleList(
            [nn.Linear(32, 96)] if packed else [nn.Linear(32, 32) for _ in range(3)]
        )

    def forward(self, x):
        parts = self.inner[0](x).split(32, dim=2) if self.packed else [m(x) for m in self.inner]
        q, k, v = (p.view(1, 32, 2, 16).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).contiguous().view(1, 32, 32)


class Block(nn.Module):
    """All of a transformer's block, to hold the sum of its parts against."""

    def __init__(self):
        super().__init__()
        self.attention, self.out = Attention(True), nn.Linear(32, 32)
        self.ln_1, self.ln_2 = nn.LayerNorm(32), nn.LayerNorm(32)
        self.wide, self.narrow = nn.Linear(32, 128), nn.Linear(128, 32)
        self.gelu = nn.GELU(approximate="tanh")

    def forward(self, x):
        x = x + self.out(self.attention(self.ln_1(x)))
        return x + self.narrow(self.gelu(self.wide(self.ln_2(x))))


class Residual(nn.Module):
    def forward(self, x):
        return x + x


class WhisperAttention(nn.Module):
    """Attention of three products as transformers' models write it."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperAttention as Theirs

        config = WhisperConfig(d_model=32, attn_implementation="sdpa")
        self.inner = Theirs(embed_dim=32, num_heads=2, is_decoder=False, config=config)

    def forward(self, x):
        return self.inner(x)[0]


class WhisperLayer(nn.Module):
    """A whole layer of an encoder, to hold the sum of its parts against."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperEncoderLayer

        self.inner = WhisperEncoderLayer(
            WhisperConfig(
                d_model=32,
                encoder_attention_heads=2,
                encoder_ffn_dim=128,
                attn_implementation="sdpa",
            )
        )

    def forward(self, x):
        y = self.inner(x, None)
        return y[0] if isinstance(y, tuple) else y


class WhisperDecoderLayer(nn.Module):
    """A whole layer of a decoder, whose second attention reads the encoder."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperDecoderLayer as Theirs

        self.inner = Theirs(
            WhisperConfig(
                d_model=32,
                decoder_attention_heads=2,
                decoder_ffn_dim=128,
                attn_implementation="sdpa",
            ),
            0,
        )

    def forward(self, x):
        y = self.inner(x, encoder_hidden_states=x, use_cache=False)
        return y[0] if isinstance(y, tuple) else y


class LoraLinear(nn.Module):
    """A frozen linear layer with a trained product of low rank beside it."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(32, 32).requires_grad_(False)
        self.low, self.high = nn.Linear(32, 8, bias=False), nn.Linear(8, 32, bias=False)

    def forward(self, x):
        return self.layer(x) + 2.0 * self.high(self.low(x))


class ConvolutionLayer(nn.Module):
    """A convolution, its norm and activation, as a ResNet's blocks have them."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.norm, self.relu = nn.BatchNorm2d(4), nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.norm(self.convolution(x)))


class ResnetBlock(nn.Module):
    """torchvision's, to hold the sum of its parts against."""

    def __init__(self):
        super().__init__()
        from torchvision.models.resnet import BasicBlock

        self.inner = BasicBlock(4, 4)

    def forward(self, x):
        return self.inner(x)


class NormLinear(nn.Module):
    """A linear layer behind a norm: under autocast its data are cast, and their gradient back."""

    def __init__(self, outputs):
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.linears = nn.ModuleList(nn.Linear(32, 32) for _ in range(outputs))

    def forward(self, x):
        x = self.norm(x)
        if len(self.linears) == 1:
            return self.linears[0](x)
        return torch.cat([linear(x) for linear in self.linears], dim=1)[:, :32]


class LinearAdd(nn.Module):
    """A linear layer's result added to its data: under autocast of two dtypes."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(32, 32)

    def forward(self, x):
        return x + self.linear(x)


class Position(nn.Module):
    """A table's rows added, as positions are."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(32, 32)

    def forward(self, x):
        return x + self.table(torch.arange(32, device=x.device))


class Cast(nn.Module):
    """There and back."""

    def forward(self, x):
        return x.to(torch.float16).to(torch.float32)


class Sdpa(nn.Module):
    """Attention alone, of heads that lie as a split of one product leaves them."""

    def forward(self, x):
        q = x.view(1, 32, 2, 16).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, q, q, is_causal=True)
        return y.transpose(1, 2).contiguous().view(1, 32, 32)


def chains():
    flat, image = (1, 32, 32), (2, 4, 8, 8)
    return {
        "linear": (lambda: nn.Linear(32, 32), flat),
        "product": (lambda: nn.Linear(32, 32, bias=False), flat),
        "layer_norm": (lambda: nn.LayerNorm(32), flat),
        "gelu_tanh": (lambda: nn.GELU(approximate="tanh"), flat),
        "relu": (nn.ReLU, flat),
        "add": (Residual, flat),
        "dropout": (lambda: nn.Dropout(0.1), flat),
        "dropout_none": (lambda: nn.Dropout(0.0), flat),
        "cast": (Cast, flat),
        "norm_linear": (lambda: NormLinear(1), flat),
        "norm_three_linears": (lambda: NormLinear(3), flat),
        "linear_add": (LinearAdd, flat),
        "sdpa": (Sdpa, flat),
        "linear_attention": (lambda: Attention(True), flat),
        "three_linear_attention": (lambda: Attention(False), flat),
        "block": (Block, flat),
        "whisper_attention": (WhisperAttention, flat),
        "whisper_layer": (WhisperLayer, flat),
        "whisper_decoder_layer": (WhisperDecoderLayer, flat),
        "conv2d": (lambda: nn.Conv2d(4, 4, 3, padding=1, bias=False), image),
        "conv2d_wide": (lambda: nn.Conv2d(128, 128, 3, padding=1, bias=False), (8, 128, 8, 8)),
        "batch_norm": (lambda: nn.BatchNorm2d(4), image),
        "batch_norm_wide": (lambda: nn.BatchNorm2d(128), (8, 128, 8, 8)),
        "gelu_erf": (nn.GELU, flat),
        "lora_linear": (LoraLinear, flat),
        "conv_norm_relu": (ConvolutionLayer, image),
        "resnet_block": (ResnetBlock, image),
        "conv1d_gelu": (lambda: nn.Sequential(nn.Conv1d(4, 4, 3, padding=1), nn.GELU()), (2, 4, 8)),
        "position": (Position, flat),
    }


def _small_whisper():
    from transformers import WhisperConfig

    return WhisperConfig(
        vocab_size=64,
        d_model=32,
        encoder_layers=0,
        decoder_layers=0,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        max_source_positions=16,
        max_target_positions=16,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=3,
        use_cache=False,
        attn_implementation="sdpa",
    )


def whisper_ends():
    """All of transformers' Whisper but its layers: loss from mel and labels, of a few elements."""
    from transformers import WhisperForConditionalGeneration

    config = _small_whisper()
    model = WhisperForConditionalGeneration(config).cuda().train()
    mel = torch.randn(1, config.num_mel_bins, 32, device="cuda")
    labels = torch.randint(4, 64, (1, 16), device="cuda")
    return model, lambda: model(input_features=mel, labels=labels).loss


def whisper_encoder_ends():
    """The encoder but its layers: convolutions, positions, norm."""
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    config = _small_whisper()
    model = WhisperEncoder(config).cuda().train()
    mel = torch.randn(1, config.num_mel_bins, 32, device="cuda")
    return model, lambda: model(mel).last_hidden_state


def whisper_decoder_ends():
    """The decoder but its layers: tokens, positions, masks, norm."""
    from transformers.models.whisper.modeling_whisper import WhisperDecoder

    config = _small_whisper()
    model = WhisperDecoder(config).cuda().train()
    tokens = torch.randint(4, 64, (1, 16), device="cuda")
    seen = torch.randn(1, 16, 32, device="cuda")
    return (
        model,
        lambda: (
            model(input_ids=tokens, encoder_hidden_states=seen, use_cache=False).last_hidden_state
        ),
    )


class Gpt2Ends(nn.Module):
    """All of a GPT-2 of plain modules but its blocks."""

    def __init__(self):
        super().__init__()
        self.wte, self.wpe, self.ln_f = nn.Embedding(64, 32), nn.Embedding(64, 32), nn.LayerNorm(32)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.view(-1, 64), tokens.view(-1))


def gpt2_ends():
    model = Gpt2Ends().cuda()
    tokens = torch.randint(0, 64, (1, 16), device="cuda")
    return model, lambda: model(tokens)


class SimClrEnds(nn.Module):
    """What follows a SimCLR's trunk."""

    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(
            nn.Linear(32, 32, bias=False),
            nn.BatchNorm1d(32),
            nn.ReLU(),
            nn.Linear(32, 16, bias=False),
            nn.BatchNorm1d(16),
        )

    def forward(self, x, others):
        z = F.normalize(self.head(x), dim=1)
        similar = z @ z.T / 0.5
        itself = torch.eye(len(z), dtype=torch.bool, device=z.device)
        return F.cross_entropy(similar.masked_fill(itself, -1e4), others)


def simclr_ends():
    model = SimClrEnds().cuda()
    x = torch.randn(16, 32, device="cuda", requires_grad=True)
    others = torch.arange(16, device="cuda").roll(8)
    return model, lambda: model(x, others)


def scalar_loss():
    """Nothing but one function: what beginning a backward pass costs."""
    model = nn.Linear(1, 1, device="cuda")
    return model, lambda: model.bias.mul(2.0)


def whole_ends():
    """Models without their layers, by name."""
    return {
        "whisper_ends": whisper_ends,
        "whisper_encoder_ends": whisper_encoder_ends,
        "whisper_decoder_ends": whisper_decoder_ends,
        "gpt2_ends": gpt2_ends,
        "simclr_ends": simclr_ends,
        "scalar_loss": scalar_loss,
    }
