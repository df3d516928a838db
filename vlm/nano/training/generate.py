"""Writes shards of drawings; shard N depends on the seed and N alone.

    generate.py DATA_DIR SHARD_DIR [--first N] [--step N] [--count N] [--lines N] [--seed N] [--dev] [--ahead FILE N]

With --ahead it stays at most N shards before the number in FILE (train.py writes there what it has reached), so that the
generator takes no time from the trainer.  Several processes share the work: --first I --step PROCESSES.
"""
import argparse
import os
import pickle
import random
import time
import zlib

import numpy as np

from render import Renderer
from text import Writer


def pack(d):
    return (zlib.compress(d.ink.tobytes(), 1), d.ink.shape, d.box, d.body, d.size, d.text)


def unpack(record):
    from render import Drawing
    data, shape, box, body, size, text = record
    return Drawing(np.frombuffer(zlib.decompress(data), np.uint8).reshape(shape), box, body, size, text)


def shard_path(folder, number):
    return os.path.join(folder, 'shard%06d.bin' % number)


def write_shard(path, writer, renderer, rng, lines):
    out = []
    while len(out) < lines:
        d = renderer.draw(writer.line(), writer.line)
        if d is not None:
            out.append(pack(d))
    with open(path + '.part%d' % os.getpid(), 'wb') as f:
        pickle.dump(out, f, protocol=5)
    os.rename(path + '.part%d' % os.getpid(), path)


def reached(path):
    try:
        with open(path, encoding='ascii') as f:
            return int(f.read() or 0)
    except (OSError, ValueError):
        return 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument('data')
    p.add_argument('out')
    p.add_argument('--first', type=int, default=0)
    p.add_argument('--step', type=int, default=1)
    p.add_argument('--count', type=int, default=10 ** 9)
    p.add_argument('--lines', type=int, default=1000)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--dev', action='store_true')
    p.add_argument('--ahead', nargs=2)
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    rng = random.Random()
    writer, renderer = Writer(a.data, rng, a.dev), Renderer(os.path.join(a.data, 'fonts.json'), rng, a.dev)
    for n in range(a.first, a.first + a.count * a.step, a.step):
        while a.ahead and n > reached(a.ahead[0]) + int(a.ahead[1]):
            time.sleep(2)
        if os.path.exists(shard_path(a.out, n)):
            continue
        rng.seed('%d/%s/%d' % (a.seed, 'dev' if a.dev else 'train', n))
        begin = time.process_time()
        write_shard(shard_path(a.out, n), writer, renderer, rng, a.lines)
        print('shard %d: %.0f lines a CPU second' % (n, a.lines / (time.process_time() - begin)), flush=True)


if __name__ == '__main__':
    main()
