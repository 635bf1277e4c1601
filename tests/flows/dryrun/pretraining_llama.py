"""A Llama-3-8B as pre-training code writes it, for dry runs beside published runs of such code.

Complex rotary embedding in fp32, keys and values repeated for each query head, and the
norm in the operations of which torch 2.6 composed `rms_norm` on a GPU.
"""

import torch
from torch import nn
from torch.nn import functional

WIDTH, LAYERS, HEADS, KV_HEADS, INNER, VOCAB, LENGTH = 4096, 32, 32, 8, 14336, 128256, 8192


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True).add(1e-5))
        return (wide * scale).type_as(x) * self.weight


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = WIDTH // HEADS
        self.wq = nn.Linear(WIDTH, HEADS * self.size, bias=False)
        self.wk = nn.Linear(WIDTH, KV_HEADS * self.size, bias=False)
        self.wv = nn.Linear(WIDTH, KV_HEADS * self.size, bias=False)
        self.wo = nn.Linear(HEADS * self.size, WIDTH, bias=False)

    def forward(self, x, turns):
        batch, length, _ = x.shape
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        q = q.view(batch, length, -1, self.size)
        k = k.view(batch, length, -1, self.size)
        v = v.view(batch, length, -1, self.size)
        q, k = turned(q, k, turns[:length].view(1, length, 1, -1))
        k, v = repeated(k), repeated(v)
        q, k, v = (part.transpose(1, 2) for part in (q, k, v))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(mixed.transpose(1, 2).contiguous().view(batch, length, -1))


def turned(q, k, turns):
    pairs_q = torch.view_as_complex(q.float().reshape(*q.shape[:-1], -1, 2))
    pairs_k = torch.view_as_complex(k.float().reshape(*k.shape[:-1], -1, 2))
    out_q = torch.view_as_real(pairs_q * turns).flatten(3)
    out_k = torch.view_as_real(pairs_k * turns).flatten(3)
    return out_q.type_as(q), out_k.type_as(k)


def repeated(x):
    batch, length, heads, size = x.shape
    times = HEADS // KV_HEADS
    return x[:, :, :, None, :].expand(batch, length, heads, times, size).reshape(batch, length, heads * times, size)


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(WIDTH, INNER, bias=False)
        self.w2 = nn.Linear(INNER, WIDTH, bias=False)
        self.w3 = nn.Linear(WIDTH, INNER, bias=False)

    def forward(self, x):
        return self.w2(functional.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.feed_forward = Attention(), FeedForward()
        self.attention_norm, self.ffn_norm = Norm(), Norm()

    def forward(self, x, turns):
        h = x + self.attention(self.attention_norm(x), turns)
        return h + self.feed_forward(self.ffn_norm(h))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = Norm()
        self.output = nn.Linear(WIDTH, VOCAB, bias=False)
        turns = torch.zeros(LENGTH, WIDTH // HEADS // 2, dtype=torch.complex64)
        self.register_buffer("turns", turns, persistent=False)

    def forward(self, tokens):
        h = self.tok_embeddings(tokens)
        for layer in self.layers:
            h = layer(h, self.turns)
        return self.output(self.norm(h))


def build():
    return Model()
