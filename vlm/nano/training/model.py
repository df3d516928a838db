"""docparse-nano: a line of print in, its characters out.

A slim convolution stem reads a grey line 32 pixels high into one visual token per 8 columns, six transformer blocks let
the tokens see the whole line, a CTC head drafts the text (two frames a token), and a decoder of two blocks, which sees
pairs of visual tokens as its prefix, writes it character by character.  Every step is an operator of ops/ops.h: conv2d
with the batch norm folded in, rms_norm, qkv_linear, apply_rotary (half style), prefill_attention, gate_up_silu, linear,
embedding, lm_head_argmax, ctc_argmax; pairs and frames are views of contiguous rows.

The residual stream is f32, products are bf16.  The norm and the attention are written out in the forms that are
cheap on a CPU (README.md, "Where the time goes").
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from charset import FIRST, VOCABULARY

HEIGHT = 32          # rows of a line picture
COLUMNS = 16         # its width is a multiple of this: two visual tokens, one decoder token
CONFIG = dict(model_type='docparse-nano', image_height=HEIGHT, column_multiple=COLUMNS, stem_channels=[32, 64, 96, 160],
              stem_strides=[[2, 2], [2, 2], [2, 1], [2, 2]], hidden_size=256, intermediate_size=640, encoder_layers=6,
              decoder_layers=2, num_attention_heads=4, encoder_key_value_heads=4, decoder_key_value_heads=2, head_dim=64,
              rope_theta=10000.0, rms_norm_eps=1e-6, hidden_act='silu', ctc_frames_per_token=2, visual_merge=2, decoder_rotary_step=0.5,
              vocab_size=VOCABULARY, blank_token_id=0, bos_token_id=1, eos_token_id=2, tie_word_embeddings=True,
              torch_dtype='bfloat16')
WORK = torch.bfloat16
POSITIONS = 2048     # of a rotary table; the longest line of 2,400 columns has room for 600 characters


def places(draft, merge=2 * CONFIG['ctc_frames_per_token']):
    """Where the decoder's prefix stands, in half characters, from the CTC head's best symbols [B, F]: i64 [B, F / merge].

    A row stands midway between the characters the draft has begun before it and those begun by its end.  The character after
    the decoder's k-th (which stands at 2 k) is then found at a fixed small distance however long the line is; before, the
    decoder had to guess from what it had written where in the line it was, and skipped and repeated.
    """
    before = torch.cat((torch.zeros_like(draft[:, :1]), draft[:, :-1]), 1)
    begun = ((draft >= FIRST) & (draft != before)).view(len(draft), -1, merge).sum(2).cumsum(1)
    return begun + torch.cat((torch.zeros_like(begun[:, :1]), begun[:, :-1]), 1)


class _RmsNorm(torch.autograd.Function):
    """Keeps the normed rows and their scale, so that going back is three passes (autograd's own form takes nine)."""

    @staticmethod
    def forward(ctx, x, weight, eps):
        rstd = (x.square().mean(-1, keepdim=True) + eps).rsqrt_()
        n = x * rstd
        ctx.save_for_backward(n, rstd, weight)
        return (n * weight).to(WORK)

    @staticmethod
    def backward(ctx, grad):
        n, rstd, weight = ctx.saved_tensors
        grad = grad.float()
        dw = (grad * n).flatten(0, -2).sum(0)
        grad = grad * weight
        return (grad - n * (grad * n).mean(-1, keepdim=True)).mul_(rstd), dw, None


class RmsNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return _RmsNorm.apply(x, self.weight, CONFIG['rms_norm_eps'])


class Linear(nn.Linear):
    """Weights are kept in f32 and multiplied in bf16."""

    def forward(self, x):
        return F.linear(x, self.weight.to(WORK), None if self.bias is None else self.bias.to(WORK))


_tables = {}


def rotary_tables(head_dim, step, device):
    key = (head_dim, step, str(device))
    if key not in _tables:
        inverse = CONFIG['rope_theta'] ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
        angle = torch.arange(POSITIONS, dtype=torch.float64)[:, None] * step * inverse[None]
        _tables[key] = (angle.cos().to(WORK).to(device), angle.sin().to(WORK).to(device))
    return _tables[key]


def rotate(x, positions, step):
    """x [B, T, heads, head_dim], positions [T] or [B, T]: element j turns with j + head_dim/2, by positions x step."""
    cos, sin = (t[positions].unsqueeze(-2) for t in rotary_tables(x.shape[-1], step, x.device))
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Block(nn.Module):
    def __init__(self, kv_heads, causal):
        super().__init__()
        self.step = CONFIG['decoder_rotary_step'] if causal else 1.
        size, inner = CONFIG['hidden_size'], CONFIG['intermediate_size']
        self.heads, self.kv_heads, self.dim, self.causal = CONFIG['num_attention_heads'], kv_heads, CONFIG['head_dim'], causal
        self.watched, self.share = False, None  # training looks at what the first head attends to
        self.norm1, self.norm2 = RmsNorm(size), RmsNorm(size)
        self.qkv = Linear(size, (self.heads + 2 * kv_heads) * self.dim, bias=False)
        self.out = Linear(self.heads * self.dim, size, bias=False)
        self.gate_up = Linear(size, 2 * inner, bias=False)
        self.down = Linear(inner, size, bias=False)

    def attend(self, q, k, v, offset):
        """q [B, T, heads, dim], k and v [B, S, kv_heads, dim]; queries of one key head are rows of one product."""
        b, t, h, d = q.shape
        s, kv, group = k.shape[1], self.kv_heads, self.heads // self.kv_heads
        q = q.view(b, t, kv, group, d).permute(0, 2, 3, 1, 4).reshape(b * kv, group * t, d)
        k = k.transpose(1, 2).reshape(b * kv, s, d)
        v = v.transpose(1, 2).reshape(b * kv, s, d)
        score = torch.baddbmm(self.mask(t, s, offset, group, q), q, k.transpose(1, 2), alpha=d ** -0.5) if self.causal and t > 1 \
            else torch.bmm(q, k.transpose(1, 2)) * d ** -0.5
        share = score.softmax(-1)
        if self.watched:
            self.share = share.view(b, kv, group, t, s)[:, 0, 0]
        out = torch.bmm(share, v)
        return out.view(b, kv, group, t, d).permute(0, 3, 1, 2, 4).reshape(b, t, h * d)

    @staticmethod
    def mask(t, s, offset, group, like):
        allowed = torch.arange(s, device=like.device)[None] <= torch.arange(t, device=like.device)[:, None] + offset
        return torch.zeros(t, s, device=like.device, dtype=like.dtype).masked_fill_(~allowed, -1e4).repeat(group, 1)[None]

    def forward(self, x, positions, cache=None):
        b, t, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(b, t, self.heads + 2 * self.kv_heads, self.dim)
        start = cache[0].shape[1] if cache else 0
        qk, v = rotate(qkv[:, :, :self.heads + self.kv_heads], positions, self.step), qkv[:, :, self.heads + self.kv_heads:]
        q, k = qk[:, :, :self.heads], qk[:, :, self.heads:]
        if cache is not None:
            if cache:
                k, v = torch.cat((cache[0], k), 1), torch.cat((cache[1], v), 1)
            cache[:] = (k, v)
        x = x + self.out(self.attend(q, k, v, start))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [1] + CONFIG['stem_channels']
        self.conv = nn.ModuleList(nn.Conv2d(i, o, 3, s, 1, bias=False) for i, o, s in zip(sizes, sizes[1:], CONFIG['stem_strides']))
        self.norm = nn.ModuleList(nn.BatchNorm2d(o) for o in sizes[1:])
        self.project = Linear(2 * sizes[-1], CONFIG['hidden_size'])  # as a convolution of 2 rows and 1 column

    def forward(self, picture):
        """picture u8 [B, 1, 32, W] -> f32 [B, W/8, hidden]."""
        x = (picture.float() * (1 / 127.5) - 1).to(WORK, memory_format=torch.channels_last)
        for conv, norm in zip(self.conv, self.norm):
            x = F.conv2d(x, conv.weight.to(WORK, memory_format=torch.channels_last), None, conv.stride, conv.padding)
            x = F.relu(norm(x), inplace=True)
        b, c, h, w = x.shape
        return self.project(x.permute(0, 3, 2, 1).reshape(b, w, h * c)).float()


class Nano(nn.Module):
    def __init__(self):
        super().__init__()
        size = CONFIG['hidden_size']
        self.stem = Stem()
        self.encoder = nn.ModuleList(Block(CONFIG['encoder_key_value_heads'], False) for _ in range(CONFIG['encoder_layers']))
        self.encoder_norm = RmsNorm(size)
        self.ctc_split = Linear(size, 2 * size)
        self.ctc_head = Linear(size, VOCABULARY)
        self.visual = Linear(2 * size, size)
        self.embedding = nn.Embedding(VOCABULARY, size)
        self.decoder = nn.ModuleList(Block(CONFIG['decoder_key_value_heads'], True) for _ in range(CONFIG['decoder_layers']))
        self.decoder_norm = RmsNorm(size)
        nn.init.normal_(self.embedding.weight, std=0.02)
        depth = CONFIG['encoder_layers'] + CONFIG['decoder_layers']
        for block in [*self.encoder, *self.decoder]:  # what a block adds starts small (GPT-2)
            for layer in (block.out, block.down):
                nn.init.normal_(layer.weight, std=0.02 / math.sqrt(2 * depth) * 4)

    def encode(self, picture):
        x = self.stem(picture)
        positions = torch.arange(x.shape[1], device=x.device)
        for block in self.encoder:
            x = block(x, positions)
        return self.encoder_norm(x)

    def frames(self, encoded):
        """CTC logits bf16 [B, W/4, V]."""
        b, t, size = encoded.shape
        return self.ctc_head(F.silu(self.ctc_split(encoded)).view(b, 2 * t, size))

    def prefix(self, encoded):
        b, t, size = encoded.shape
        return self.visual(encoded.reshape(b, t // 2, 2 * size)).float()

    def logits(self, hidden):
        return F.linear(hidden, self.embedding.weight.to(WORK))

    def decode(self, prefix, tokens, draft):
        """Teacher forcing: logits [B, L, V] after each of tokens [B, L]; draft: the CTC head's best symbols [B, F]."""
        x = torch.cat((prefix, self.embedding(tokens)), 1)
        written = 2 * torch.arange(tokens.shape[1], device=tokens.device).expand(tokens.shape)
        positions = torch.cat((places(draft), written), 1)
        for block in self.decoder:
            x = block(x, positions)
        return self.logits(self.decoder_norm(x[:, prefix.shape[1]:]))

    @torch.no_grad()
    def greedy(self, encoded, draft, limit, bos, eos):
        """Plain greedy decoding: ids [B, <= limit], and log-probabilities of each; draft as in decode."""
        caches, x = [[] for _ in self.decoder], self.prefix(encoded)
        for block, cache in zip(self.decoder, caches):
            x = block(x, places(draft), cache)
        token = torch.full((encoded.shape[0], 1), bos, device=encoded.device)
        done, ids, sure = torch.zeros(len(token), dtype=torch.bool, device=encoded.device), [], []
        for i in range(limit):
            x = self.embedding(token)
            for block, cache in zip(self.decoder, caches):
                x = block(x, torch.full((1,), 2 * i, device=x.device), cache)
            p, token = self.logits(self.decoder_norm(x))[:, -1].float().log_softmax(-1).max(-1, keepdim=True)
            ids.append(token)
            sure.append(p)
            done |= token[:, 0] == eos
            if done.all():
                break
        return torch.cat(ids, 1), torch.cat(sure, 1)
