"""The line reader in C against the network in PyTorch: the same texts, logits within a tolerance.

    nano_parity.py TOOL (--shards DIR [--lines N] | --tsv LINES.tsv [--every N] | --pictures FILE.pgm) [--weights DIR] [--fixture OUT]

TOOL is build/tests/tools/nano_lines.  Lines are views of a shard of drawings (vlm/nano/training/generate.py, --dev for faces
never trained on), or real ones, or those of an older fixture, which new weights read anew.  `make parity` runs it; it needs the packages of vlm/nano/training/requirements.txt.
--fixture writes OUT.pgm and OUT.json for tests/vlm/test_nano.c, which need no PyTorch.

A text may differ only where the two best characters are nearly equal: both sides round to bf16 in places of their own.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'vlm/nano/training'))

from charset import BOS, EOS, collapse, decode  # noqa: E402
from dataset import collate, views  # noqa: E402
from evaluate import answer, bound, choose, load, real_lines  # noqa: E402

TIE = .26  # logits: what bf16 leaves undecided, two of its steps between 16 and 32
LAST = .5  # of sums of log-probabilities over a line, by which candidates are judged


def run(tool, pictures, mode, weights):
    out = subprocess.run([tool, pictures, mode], check=True, stdout=subprocess.PIPE, env=dict(os.environ, DOCPARSE_NANO_DIR=weights)).stdout
    return out if mode == 'logits' else [line.split('\t') for line in out.decode().split('\n')[:-1]]


@torch.no_grad()
def reference(model, picture):
    """Logits of the frames, draft, decoder's ids, the answer, the smallest margin of any choice on the way and that of the last one."""
    batch, *_ = collate([(picture, '')])
    encoded = model.encode(batch)
    logits = model.frames(encoded).float()[0]
    best = logits.argmax(-1)
    draft = collapse(best.tolist())
    ids, _ = model.greedy(encoded, best[None], bound(draft), BOS, EOS)
    own = ids[0].tolist()
    n = own.index(EOS) if EOS in own else len(own)
    said, last = answer(draft, own), float('inf')
    if said is None:
        said, last = choose(model, draft, own[:n], logits.log_softmax(-1), model.prefix(encoded), best[None])
    step = model.decode(model.prefix(encoded), torch.tensor([[BOS] + own[:n]]), best[None]).float()[0]
    margins = [torch.sub(*t.topk(2, -1).values.unbind(-1)).min() for t in (logits, step)]
    return logits.numpy(), draft, own[:n], said, float(min(margins)), last


def write_pgm(path, pictures):
    with open(path, 'wb') as f:
        for x in pictures:
            f.write(b'P5 %d %d 255\n' % (x.shape[1], x.shape[0]) + np.ascontiguousarray(x).tobytes())


def read_pgm(path):
    with open(path, 'rb') as f:
        data, pictures = f.read(), []
    while data:
        head = re.match(rb'P5 (\d+) (\d+) 255\s', data)
        width, height = int(head[1]), int(head[2])
        pictures.append(np.frombuffer(data[head.end():head.end() + width * height], np.uint8).reshape(height, width))
        data = data[head.end() + width * height:]
    return pictures


def main():
    p = argparse.ArgumentParser()
    p.add_argument('tool')
    p.add_argument('--shards')
    p.add_argument('--tsv')
    p.add_argument('--pictures')
    p.add_argument('--lines', type=int, default=600)
    p.add_argument('--every', type=int, default=7)
    p.add_argument('--weights', default=os.path.join(ROOT, 'vlm/nano/weights'))
    p.add_argument('--fixture')
    a = p.parse_args()
    torch.set_num_threads(1)
    model = load(a.weights)
    pictures = read_pgm(a.pictures) if a.pictures else [x for x, *_ in (real_lines(a.tsv, a.every) if a.tsv else views(a.shards, 0, (4, 2), a.lines))]
    if a.fixture and not a.pictures:
        pictures = [x for x in pictures if x.shape[1] <= 420][:12] + [x for x in pictures if 560 <= x.shape[1] <= 760][:40]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'lines.pgm')
        write_pgm(path, pictures)
        texts, plain, drafts = (run(a.tool, path, mode, a.weights) for mode in ('verified', 'plain', 'draft'))
        logits = np.frombuffer(run(a.tool, path, 'logits', a.weights), np.float32).reshape(-1, model.ctc_head.out_features)
    at, worst, total, count, same, same_draft, close = 0, 0., 0., 0, 0, 0, 0
    cases = []
    for i, x in enumerate(pictures):
        ours, draft, own, said, margin, last = reference(model, x)
        off = np.abs(logits[at:at + len(ours)] - ours)
        at += len(ours)
        worst, total, count = max(worst, float(off.max())), total + float(off.sum()), count + off.size
        alike = texts[i][0] == decode(said)
        same += alike
        same_draft += drafts[i][0] == decode(draft)
        if not alike:
            close += margin < TIE or last < LAST
            print('differs (margins %.3f, %.3f): %r, PyTorch %r' % (margin, last, texts[i][0], decode(said)))
        cases.append(dict(text=decode(said), draft=decode(draft), peak=[round(float(v), 3) for v in ours.max(-1)[:8]], margin=round(min(margin, last / LAST * TIE), 3)))
    print('%d lines: %d texts and %d drafts the same, %d of the others within %.2f of a tie; CTC logits differ by %.4f on average, %.3f at most; '
          'verified and plain %s' % (len(pictures), same, same_draft, close, TIE, total / count, worst, 'agree' if texts == plain else 'DIFFER'))
    if a.fixture:
        sure = [i for i, c in enumerate(cases) if c['margin'] >= 2 * TIE and texts[i][0] == c['text']]
        kept = [i for i in sure if i < 12] + [i for i in sure if i >= 12][:11]  # a few short ones; bench_nano makes pages of all
        write_pgm(a.fixture + '.pgm', [pictures[i] for i in kept])
        with open(a.fixture + '.json', 'w', encoding='utf8') as f:
            json.dump(dict(lines=[cases[i] for i in kept]), f, ensure_ascii=False, indent=1)
            f.write('\n')
        print('%d lines in %s.pgm' % (len(kept), a.fixture))
    sys.exit(not (texts == plain and at == len(logits) and same + close == len(pictures) and total / count < .1))


if __name__ == '__main__':
    main()
