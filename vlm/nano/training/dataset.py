"""Batches from shards: each visit to a shard degrades its drawings anew, sorts them by width and cuts batches.

Visit v of the run reads shard v // REUSE, or one LAG shards back, so every drawing is seen REUSE times, each time another
view; what a visit gives depends on the seed and its number alone, so a run can stop and go on anywhere.
"""
import os
import pickle
import time

import numpy as np
import torch

from charset import BOS, EOS, encode
from degrade import blank, view
from generate import shard_path, unpack
from model import COLUMNS, HEIGHT

REUSE, LAG = 3, 8
BLANKS = .015


def shard_of(visit):
    return max(0, visit // REUSE - LAG * (visit % REUSE))


def rule(picture, r):
    """A vertical rule from edge to edge (nearly): what parts cells, taller than a bar that is a character."""
    x, thick = int(r.integers(1, picture.shape[1] - 3)), int(r.integers(1, 4))
    y0, y1 = (0, HEIGHT) if r.random() < .8 else (int(r.integers(0, 3)), HEIGHT - int(r.integers(0, 3)))
    shade = r.uniform(0, .6) if r.random() < .8 else r.uniform(.6, .8)
    picture[y0:y1, x:x + thick] = (picture[y0:y1, x:x + thick] * shade).astype(np.uint8)
    if r.random() < .5:
        picture[y0:y1, x + thick - 1] = (picture[y0:y1, x + thick - 1] * r.uniform(.8, 1)).astype(np.uint8)


def views(folder, number, seed, limit=None):
    """[(picture u8 [32, W], text)] of a shard; waits until the generator has written it."""
    path = shard_path(folder, number)
    while not os.path.exists(path):
        time.sleep(1)
    with open(path, 'rb') as f:
        records = pickle.load(f)
    r, out = np.random.default_rng(seed), []
    for record in records[:limit]:
        if r.random() < BLANKS:
            out.append((blank(r), ''))
        y = view(unpack(record), r)
        if y is not None:
            out.append((y, record[-1]))
    # two lines in one picture, as table rows are: the gap is a space, and a rule in it is no character
    for i in range(int(len(out) * .12)):
        (a, s), (b, t) = out[r.integers(len(out))], out[r.integers(len(out))]
        if s and t and a.shape[1] + b.shape[1] < 900 and (abs(float(np.median(a[:, -1])) - float(np.median(b[:, 0]))) < 25 or r.random() < .2):
            gap = np.repeat((a[:, -1:] / 2 + b[:, :1] / 2).astype(np.uint8), int(r.integers(6, 120)), 1)
            if r.random() < .6:
                rule(gap, r)
            out.append((np.concatenate((a, gap, b), 1), s + ' ' + t))
    # and one at an end of the crop, or across it
    for i in range(len(out)):
        if r.random() < .05:
            x, t = out[i]
            side = np.repeat(x[:, -1:] if r.random() < .5 else x[:, :1], int(r.integers(6, 30)), 1)
            rule(side, r)
            out[i] = (np.concatenate((x, side) if r.random() < .5 else (side, x), 1), t)
    return out


def collate(items, extra=0):
    """Pictures u8 [N, 1, 32, W], decoder input and target i64 [N, L], lengths; the right end continues the edge's grey.

    At least COLUMNS of it, for the decoder knows the end of a line by the paper behind it.
    """
    width = max(x.shape[1] for x, _ in items) + COLUMNS + extra
    width = (width + COLUMNS - 1) // COLUMNS * COLUMNS
    longest = max(len(t) for _, t in items) + 1
    picture = np.empty((len(items), 1, HEIGHT, width), np.uint8)
    tokens, target = np.zeros((len(items), longest), np.int64), np.zeros((len(items), longest), np.int64)
    for i, (x, t) in enumerate(items):
        picture[i, 0] = int(np.median(x[:, -2:]))
        picture[i, 0, :, :x.shape[1]] = x
        ids = encode(t)
        tokens[i, 0], tokens[i, 1:len(ids) + 1] = BOS, ids
        target[i, :len(ids)], target[i, len(ids)] = ids, EOS
    return torch.from_numpy(picture), torch.from_numpy(tokens), torch.from_numpy(target), torch.tensor([len(t) for _, t in items])


def fits_ctc(x, text):
    """CTC needs a frame a character and one between equal neighbours; leave some room."""
    repeats = sum(a == b for a, b in zip(text, text[1:]))
    return (x.shape[1] + 7) // 8 * 2 >= 1.15 * len(text) + repeats


class Batches(torch.utils.data.IterableDataset):
    """Batches of about `columns` picture columns, for rank of ranks, from `visit` on; each ends with its visit number."""

    def __init__(self, folder, seed, columns, rank, ranks, visit):
        self.folder, self.seed, self.columns, self.rank, self.ranks, self.visit = folder, seed, columns, rank, ranks, visit

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        part, parts = (info.id, info.num_workers) if info else (0, 1)
        visit = self.visit + self.rank + self.ranks * part
        while True:
            r = np.random.default_rng((self.seed, 1, visit))
            items = [(x, t) for x, t in views(self.folder, shard_of(visit), (self.seed, 0, visit)) if fits_ctc(x, t)]
            items.sort(key=lambda it: it[0].shape[1] + r.uniform(0, 40))
            batches, i = [], 0
            while i < len(items):
                n = max(2, int(self.columns / (items[min(i + 16, len(items) - 1)][0].shape[1] + 16)))
                batches.append(items[i:i + n])
                i += n
            for j in r.permutation(len(batches)):
                yield *collate(batches[j], int(r.choice((0, 0, 16, 32)))), visit
            visit += self.ranks * parts
