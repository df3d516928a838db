"""Writes the weights a runtime reads: batch norms folded into their convolutions, bf16, safetensors, tokenizer and configuration.

    export.py STATE OUT_DIR [--note TEXT]

Names: stem.conv.N.{weight,bias} [out, 3*3*in], columns ordered (row, column, channel); stem.project.{weight,bias} [256, 2*160],
columns ordered (row, channel): a convolution of 2 rows and 1 column; encoder.N.* and decoder.N.*: norm1, qkv (query, key, value
rows), out, norm2, gate_up (gate rows, then up rows), down; encoder_norm, ctc_split, ctc_head, visual, embedding (also the
output head), decoder_norm.
"""
import argparse
import json
import os

import torch
from safetensors.torch import load_file, save_file

from charset import BLANK, BOS, CHARS, EOS, FIRST
from model import CONFIG


def fold(state):
    """Batch norms vanish: w' = w g / sqrt (var + eps), b' = b - mean g / sqrt (var + eps)."""
    out = {}
    for name, value in state.items():
        if name.startswith('stem.norm') or 'num_batches' in name:
            continue
        if name.startswith('stem.conv'):
            n = name.split('.')[2]
            norm = {k: state['stem.norm.%s.%s' % (n, k)].double() for k in ('weight', 'bias', 'running_mean', 'running_var')}
            scale = norm['weight'] / (norm['running_var'] + 1e-5).sqrt()
            out[name] = (value.double() * scale[:, None, None, None]).permute(0, 2, 3, 1).flatten(1)
            out['stem.conv.%s.bias' % n] = norm['bias'] - norm['running_mean'] * scale
        else:
            out[name] = value
    return {k: v.to(torch.bfloat16).contiguous() for k, v in out.items()}


def load_exported(model, folder):
    """Puts exported weights back into the training model (its batch norms become identities)."""
    weights, state = load_file(os.path.join(folder, 'model.safetensors')), model.state_dict()
    for name, value in state.items():
        if name.startswith('stem.conv'):
            o, i, h, w = value.shape
            state[name] = weights[name].float().view(o, h, w, i).permute(0, 3, 1, 2)
        elif name.startswith('stem.norm'):
            n, part = name.split('.')[2:]
            state[name] = {'weight': torch.ones_like(value), 'bias': weights['stem.conv.%s.bias' % n].float() if part == 'bias' else value,
                           'running_mean': torch.zeros_like(value), 'running_var': torch.full_like(value, 1 - 1e-5) if part == 'running_var' else value,
                           'num_batches_tracked': value}[part]
        else:
            state[name] = weights[name].float()
    model.load_state_dict(state)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('state')
    p.add_argument('out')
    p.add_argument('--note', default='')
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    state = torch.load(a.state, map_location='cpu', weights_only=True)
    weights = fold(state['ema'])
    save_file(weights, os.path.join(a.out, 'model.safetensors'), {'format': 'pt', 'lines_seen': str(state['seen']), 'note': a.note})
    os.chmod(os.path.join(a.out, 'model.safetensors'), 0o644)
    config = dict(CONFIG, architectures=['DocparseNano'], characters=len(CHARS), lines_seen=state['seen'])
    with open(os.path.join(a.out, 'config.json'), 'w', encoding='utf8') as f:
        json.dump(config, f, indent=2)
        f.write('\n')
    tokenizer = dict(version='1.0', type='characters', blank_token_id=BLANK, bos_token_id=BOS, eos_token_id=EOS, first_character_id=FIRST, characters=CHARS)
    with open(os.path.join(a.out, 'tokenizer.json'), 'w', encoding='utf8') as f:
        json.dump(tokenizer, f, ensure_ascii=False, indent=0)
        f.write('\n')
    print('%d tensors, %.1f M parameters, %.1f MB' % (len(weights), sum(v.numel() for v in weights.values()) / 1e6, os.path.getsize(os.path.join(a.out, 'model.safetensors')) / 1e6))


if __name__ == '__main__':
    main()
