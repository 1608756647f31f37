"""The models that measure_torch_steps.py trains: plain modules, transformers and torchvision."""

import torch
import torch.nn.functional as F
from torch import nn

GPT2 = {"small": (12, 768, 12), "medium": (24, 1024, 16), "large": (36, 1280, 20)}
GPT2["xl"] = (48, 1600, 25)
GPT2_VOCAB, GPT2_CONTEXT = 50257, 1024
WHISPER = {"tiny": (4, 384, 6), "base": (6, 512, 8), "small": (12, 768, 12)}
WHISPER |= {"medium": (24, 1024, 16), "large": (32, 1280, 20)}
BERT = {"base": (12, 768, 12), "large": (24, 1024, 16)}
LLAMA = {"1b": (22, 2048, 32, 4, 5632)}


class Lora(nn.Module):
    """A frozen linear layer with a trained product of low rank beside it."""

    def __init__(self, layer, rank):
        super().__init__()
        self.layer, self.scale = layer, 2.0
        self.low = nn.Linear(layer.in_features, rank, bias=False)
        self.high = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.high.weight)

    def forward(self, x):
        return self.layer(x) + self.scale * self.high(self.low(x))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.attn_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.mlp_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gelu = nn.GELU(approximate="tanh")

    def attend(self, x):
        b, t, c = x.shape
        q, k, v = (
            y.view(b, t, self.heads, c // self.heads).transpose(1, 2)
            for y in self.c_attn(x).split(c, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.attn_proj(y.transpose(1, 2).contiguous().view(b, t, c))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.mlp_proj(self.gelu(self.c_fc(self.ln_2(x))))


class Gpt2(nn.Module):
    def __init__(self, layers, width, heads):
        super().__init__()
        self.wte = nn.Embedding(GPT2_VOCAB, width)
        self.wpe = nn.Embedding(GPT2_CONTEXT, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.drop = None
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        if self.drop is not None:
            x = self.drop(x)
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.view(-1, GPT2_VOCAB), targets.view(-1))


def gpt2(size, batch, seq, lora=None, layers=None):
    """(model, a function of no arguments that returns the loss)."""
    own, width, heads = GPT2[size]
    model = Gpt2(layers or own, width, heads)
    if lora:
        model.requires_grad_(False)
        for block in model.blocks:
            block.c_attn = Lora(block.c_attn, lora)
    model.cuda()
    tokens = torch.randint(0, GPT2_VOCAB, (batch, seq), device="cuda")
    targets = torch.randint(0, GPT2_VOCAB, (batch, seq), device="cuda")
    return model, lambda: model(tokens, targets)


def on_own_tokens(model, batch, seq):
    """A model of transformers, and its loss on tokens that are their own labels."""
    model.cuda()
    tokens = torch.randint(0, model.config.vocab_size, (batch, seq), device="cuda")
    return model, lambda: model(input_ids=tokens, labels=tokens).loss


def whisper(size, batch, label_len, layers=None):
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    own, width, heads = WHISPER[size]
    own = layers or own
    config = WhisperConfig(
        d_model=width,
        encoder_layers=own,
        decoder_layers=own,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        use_cache=False,
    )
    model = WhisperForConditionalGeneration(config).cuda()
    mel = torch.randn(batch, config.num_mel_bins, 3000, device="cuda")
    labels = torch.randint(0, config.vocab_size, (batch, label_len), device="cuda")
    return model, lambda: model(input_features=mel, labels=labels).loss


def bert(size, batch, seq):
    """By transformers; the loss counts every place. No dropout."""
    from transformers import BertConfig, BertForMaskedLM

    layers, width, heads = BERT[size]
    config = BertConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return on_own_tokens(BertForMaskedLM(config), batch, seq)


def llama(size, batch, seq):
    """By transformers, with the sizes of TinyLlama."""
    from transformers import LlamaConfig, LlamaForCausalLM

    layers, width, heads, kv_heads, hidden = LLAMA[size]
    config = LlamaConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        intermediate_size=hidden,
        use_cache=False,
    )
    return on_own_tokens(LlamaForCausalLM(config), batch, seq)


def classifier(name, batch, image=224):
    """By torchvision: "resnet50", "vgg16-bn". No dropout."""
    import torchvision

    none = {"dropout": 0.0} if name.startswith("vgg") else {}
    model = getattr(torchvision.models, name.replace("-", "_"))(**none).cuda()
    images = torch.randn(batch, 3, image, image, device="cuda")
    labels = torch.randint(0, 1000, (batch,), device="cuda")
    return model, lambda: F.cross_entropy(model(images), labels)


class SimClr(nn.Module):
    def __init__(self, projection=128):
        super().__init__()
        from torchvision.models import resnet18

        self.trunk = resnet18()
        self.trunk.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
        self.trunk.maxpool, self.trunk.fc = nn.Identity(), nn.Identity()
        self.head = nn.Sequential(
            nn.Linear(512, 512, bias=False),
            nn.BatchNorm1d(512),
            nn.ReLU(),
            nn.Linear(512, projection, bias=False),
            nn.BatchNorm1d(projection),
        )

    def forward(self, images, others):
        z = F.normalize(self.head(self.trunk(images)), dim=1)
        similar = z @ z.T / 0.5
        itself = torch.eye(len(z), dtype=torch.bool, device=z.device)
        return F.cross_entropy(similar.masked_fill(itself, -1e4), others)


def simclr(batch, image):
    model = SimClr().cuda()
    images = torch.randn(2 * batch, 3, image, image, device="cuda")
    others = torch.arange(2 * batch, device="cuda").roll(batch)
    return model, lambda: model(images, others)


def make(what):
    """(model, loss) of "gpt2-small batch=8 seq=512 ..."."""
    name, *words = what.split()
    given = {k: int(v) for k, v in (w.split("=") for w in words if not w.startswith("precision="))}
    with torch.device("cuda"):  # where weights are drawn too
        if name.startswith("gpt2-"):
            return gpt2(name.removeprefix("gpt2-"), **given)
        if name.startswith("whisper-"):
            return whisper(name.removeprefix("whisper-"), **given)
        if name.startswith("bert-"):
            return bert(name.removeprefix("bert-"), **given)
        if name.startswith("llama-"):
            return llama(name.removeprefix("llama-"), **given)
        if name.startswith(("resnet", "vgg")):
            return classifier(name, **given)
        return simclr(**given)
