"""A starting point from the prototype's checkpoint: its encoder blocks, heads and embeddings, and a slim stem taught to
give what the prototype's wide stem gives (feature regression; the blocks behind it then work from the first step).

    warm.py CHECKPOINT CHARS SHARD_DIR OUT [--lines 12000]

The two further encoder blocks start as identities, the decoder's two blocks from the prototype's first and last, a pair
of visual tokens from the mean of two.
"""
import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from charset import FIRST, ID
from dataset import Batches
from model import Nano


def teacher_stem(state):
    """The prototype's five convolutions and projection."""
    layers = nn.Sequential()
    for n, (i, o, s) in enumerate(((1, 32, (2, 2)), (32, 64, (2, 2)), (64, 128, (1, 1)), (128, 128, (2, 2)), (128, 256, (2, 1)))):
        layers.add_module(str(n), nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU()))
    layers.load_state_dict({k[len('enc.c.'):]: v for k, v in state.items() if k.startswith('enc.c.')})
    return layers.eval().to(torch.bfloat16, memory_format=torch.channels_last)


@torch.no_grad()
def teach(layers, state, picture):
    x = layers((picture.float() / 127.5 - 1).to(torch.bfloat16, memory_format=torch.channels_last))
    b, c, h, w = x.shape
    return F.linear(x.permute(0, 3, 1, 2).reshape(b, w, c * h).float(), state['enc.p.weight'], state['enc.p.bias'])


def blocks(model, state):
    names = {'n1.w': 'norm1.weight', 'n2.w': 'norm2.weight', 'qkv.weight': 'qkv.weight', 'o.weight': 'out.weight', 'gu.weight': 'gate_up.weight', 'dn.weight': 'down.weight'}
    old = 1 + max(int(k.split('.')[2]) for k in state if k.startswith('enc.b.'))
    last = max(int(k.split('.')[1]) for k in state if k.startswith('b.'))
    for i, block in enumerate(model.encoder):
        if i < old:
            block.load_state_dict({new: state['enc.b.%d.%s' % (i, was)] for was, new in names.items()})
        else:
            nn.init.zeros_(block.out.weight)
            nn.init.zeros_(block.down.weight)
    for block, i in zip(model.decoder, (0, last)):
        block.load_state_dict({new: state['b.%d.%s' % (i, was)] for was, new in names.items()})


def heads(model, state, characters):
    model.encoder_norm.weight.copy_(state['enc.n.w'])
    model.decoder_norm.weight.copy_(state['n.w'])
    model.ctc_split.load_state_dict({'weight': state['ctc.weight'], 'bias': state['ctc.bias']})
    model.visual.weight.copy_(torch.cat((state['proj.weight'], state['proj.weight']), 1) / 2)
    model.visual.bias.copy_(state['proj.bias'])
    rows = {i: i for i in range(FIRST)} | {ID[c]: FIRST + n for n, c in enumerate(characters) if c in ID}
    model.embedding.weight.normal_(std=float(state['emb.weight'].std()))
    model.ctc_head.weight.normal_(std=.01)
    model.ctc_head.bias.fill_(float(state['ctc2.bias'].min()))
    new, old = torch.tensor(list(rows)), torch.tensor(list(rows.values()))
    model.embedding.weight[new] = state['emb.weight'][old]
    model.ctc_head.weight[new] = state['ctc2.weight'][old]
    model.ctc_head.bias[new] = state['ctc2.bias'][old]


def main():
    p = argparse.ArgumentParser()
    p.add_argument('checkpoint')
    p.add_argument('characters')
    p.add_argument('shards')
    p.add_argument('out')
    p.add_argument('--lines', type=int, default=12000)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    state = {k: v.float() if v.is_floating_point() else v for k, v in torch.load(a.checkpoint, weights_only=True)['model'].items()}
    with open(a.characters, encoding='utf8') as f:
        characters = f.read().split('\n')
    model = Nano().to(memory_format=torch.channels_last)
    with torch.no_grad():
        blocks(model, state)
        heads(model, state, characters)
    layers = teacher_stem(state)
    optimizer = torch.optim.AdamW(model.stem.parameters(), lr=3e-3, betas=(.9, .98), weight_decay=.01, fused=True)
    seen, begin = 0, time.time()
    for step, (picture, *_) in enumerate(Batches(a.shards, 7, 10000, 0, 1, 0)):
        rate = 3e-3 * min(1, (step + 1) / 50) * max(.02, 1 - seen / a.lines)
        for group in optimizer.param_groups:
            group['lr'] = rate
        want = teach(layers, state, picture)
        loss = (model.stem(picture) - want).square().mean() / want.var()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen += len(picture)
        if step % 25 == 0:
            print('lines %d unexplained variance %.4f, %.0f lines/s' % (seen, loss.item(), seen / (time.time() - begin)), flush=True)
        if seen >= a.lines:
            break
    torch.save(model.state_dict(), a.out)


if __name__ == '__main__':
    main()
