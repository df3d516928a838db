"""Character errors of a trained state (or of the exported weights) on rendered lines never seen and on real lines.

    evaluate.py STATE --dev SHARD_DIR [--lines N]
    evaluate.py STATE --tsv LINES.tsv [--every N] [--report FILE]

STATE is trunk.pt or cooled.pt (the average is used) or a folder with model.safetensors.  LINES.tsv has page, x0, y0, x1,
y1, text; pictures lie beside it in pages/.  Both texts are compared with quotes and dashes unified and white space folded.
Real lines are for judging only.
"""
import argparse
import collections
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from charset import BLANK, BOS, EOS, FIRST, collapse, decode, normalise
from dataset import collate, views
from model import HEIGHT, Nano

_UNIFY = str.maketrans({**dict.fromkeys('‘’‚`´′', "'"), **dict.fromkeys('“”„«»″', '"'), **dict.fromkeys('–—−', '-'), '…': '...', 'µ': 'μ'})


def plain(text):
    return ' '.join(normalise(text).translate(_UNIFY).split())


def align(a, b, substitute=1):
    """Edit distance (1: Levenshtein's; 2: as much as possible is the same) and one best path from the end: (i, j) for characters side by side, (i, None), (None, j)."""
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), np.int32)
    d[:, 0], d[0] = np.arange(n + 1), np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = min(d[i - 1, j - 1] + (a[i - 1] != b[j - 1]) * substitute, d[i - 1, j] + 1, d[i, j - 1] + 1)
    path, i, j = [], n, m
    while i or j:
        if i and j and d[i, j] == d[i - 1, j - 1] + (a[i - 1] != b[j - 1]) * substitute:
            i, j = i - 1, j - 1
            path.append((i, j))
        elif i and d[i, j] == d[i - 1, j] + 1:
            i -= 1
            path.append((i, None))
        else:
            j -= 1
            path.append((None, j))
    return int(d[n, m]), path


def edits(a, b):
    """Levenshtein distance and the substitutions, insertions and deletions of one best path, as (read, true) pairs."""
    distance, path = align(a, b)
    pairs = [(a[i] if i is not None else '', b[j] if j is not None else '') for i, j in path]
    return distance, [p for p in pairs if p[0] != p[1]]


def crop(page, box):
    """A line as the page reader cuts it: its box and a twelfth of its height around, 32 rows high."""
    x0, y0, x1, y1 = box
    h = y1 - y0
    pad_y, pad_x = max(1, round(h * .08)), max(2, round(h * .15))
    image = page.crop((max(0, x0 - pad_x), max(0, y0 - pad_y), min(page.width, x1 + pad_x), min(page.height, y1 + pad_y)))
    return np.asarray(image.resize((max(8, round(image.width * HEIGHT / image.height)), HEIGHT), Image.BILINEAR))


def real_lines(tsv, every):
    """[(picture, text, page)]."""
    out, pages = [], {}
    with open(tsv, encoding='utf8') as f:
        rows = [line.rstrip('\n').split('\t') for line in f][1:]
    for name, x0, y0, x1, y1, text in rows[::every]:
        if name not in pages:
            pages[name] = Image.open(os.path.join(os.path.dirname(tsv), 'pages', name)).convert('L')
        x = crop(pages[name], [int(v) for v in (x0, y0, x1, y1)])
        if x.shape[1] <= 2400:
            out.append((x, text, name))
    return out


def load(path):
    model = Nano()
    if os.path.isdir(path):
        from export import load_exported
        load_exported(model, path)
    else:
        model.load_state_dict(torch.load(path, map_location='cpu', weights_only=True)['ema'])
    return model.eval()


def bound(draft):
    """The most characters the decoder may write, its end sign included."""
    return -(-5 * len(draft) // 4) + 4


def repeats(ids, draft):
    """The loop guard: a period of at most 8 repeated four times at the end that the draft does not hold."""
    for period in range(1, 9):
        tail = ids[-period:]
        if len(ids) >= 4 * period and ids[-4 * period:] == tail * 4 and str(tail * 4)[1:-1] not in str(draft)[1:-1]:
            return True
    return False


PLACES = 3  # with more differences draft and text are the only candidates


def candidates(draft, own):
    """The draft, mixtures of both where they differ in few places, and the decoder's text."""
    places, a, c = [], 0, 0
    for i, j in [p for p in reversed(align(own, draft, 2)[1]) if None not in p and own[p[0]] == draft[p[1]]] + [(len(own), len(draft))]:
        if i > a or j > c:
            places.append((a, i, c, j))
        a, c = i + 1, j + 1
    made = []
    for mask in range(2 ** len(places) - 1 if len(places) <= PLACES else 1):
        text, at = [], 0
        for k, (a, b, c, d) in enumerate(places):
            if mask >> k & 1:
                text += draft[at:c] + own[a:b]
                at = d
        made.append(text + draft[at:])
    return [t for t in made if len(t) <= bound(draft)] + [list(own)]


def choose(model, draft, own, frames, prefix, best):
    """The candidate that the product of both models' likelihoods prefers, and by how much; frames: log-probabilities [F, V]."""
    texts = candidates(draft, own)
    tokens, target = torch.zeros(len(texts), 1 + max(map(len, texts)), dtype=torch.long), torch.full((len(texts), 1 + max(map(len, texts))), -100)
    for k, t in enumerate(texts):
        tokens[k, 0], tokens[k, 1:len(t) + 1] = BOS, torch.tensor(t, dtype=torch.long)
        target[k, :len(t)], target[k, len(t)] = torch.tensor(t, dtype=torch.long), EOS
    logits = model.decode(prefix.expand(len(texts), -1, -1).contiguous(), tokens, best.expand(len(texts), -1)).float()
    score = [-float(F.cross_entropy(logits[k], target[k], reduction='sum'))
             - float(F.ctc_loss(frames[:, None], torch.tensor([t], dtype=torch.long), torch.tensor([len(frames)]), torch.tensor([len(t)]), blank=BLANK, reduction='sum'))
             for k, t in enumerate(texts)]
    order = sorted(range(len(texts)), key=lambda k: (-score[k], k != len(texts) - 1, k))
    return texts[order[0]], score[order[0]] - score[order[1]]


def answer(draft, ids):
    """The draft, if the decoder's characters came to no end within the bound, loop or are no characters; the decoder's if they are
    the draft's; None where choose() must judge.  The rule for plain and for drafted decoding."""
    if EOS not in ids:
        return draft
    own = ids[:ids.index(EOS)]
    if own == draft:
        return own
    return draft if repeats(own, draft) or min(own, default=FIRST) < FIRST else None


@torch.no_grad()
def read(model, items, columns=9000):
    """For each picture: the draft, the decoder's text, the answer, the decoder's mean log-probability, whether they agree."""
    order = sorted(range(len(items)), key=lambda i: items[i][0].shape[1])
    results, i = [None] * len(items), 0
    while i < len(order):
        n = max(1, min(48, columns // (items[order[min(i + 24, len(order) - 1)]][0].shape[1] + 16)))
        part = order[i:i + n]
        i += n
        picture, *_ = collate([(items[j][0], '') for j in part])
        encoded = model.encode(picture)
        frames = model.frames(encoded).float().log_softmax(-1)
        best, prefix = frames.argmax(-1), model.prefix(encoded)
        drafts = [collapse(f.tolist()) for f in best]
        ids, sure = model.greedy(encoded, best, bound(max(drafts, key=len)), BOS, EOS)
        for row, j in enumerate(part):
            own = ids[row].tolist()[:bound(drafts[row])]
            length = own.index(EOS) if EOS in own else len(own)
            mean = float(sure[row, :length + 1].mean())
            said = answer(drafts[row], own)
            if said is None:
                said, _ = choose(model, drafts[row], own[:length], frames[row], prefix[row:row + 1], best[row:row + 1])
            results[j] = (decode(drafts[row]), decode(own), decode(said), mean, own[:length] == drafts[row])
    return results


LENGTHS = ((0, 3), (4, 10), (11, 25), (26, 50), (51, 80), (81, 999))


def summary(results, truths):
    """Rows of name, characters, lines, CER of draft, decoder and answer, exact draft and answer."""
    groups = {'all': range(len(truths))}
    for lo, hi in LENGTHS:
        groups['%d-%d characters' % (lo, hi)] = [i for i, t in enumerate(truths) if lo <= len(t) <= hi]
    groups['digits mostly'] = [i for i, t in enumerate(truths) if t and sum(c.isdigit() for c in t) * 2 > len(t)]
    groups['capitals'] = [i for i, t in enumerate(truths) if len(t) > 2 and t.isupper()]
    errors = [[edits(plain(r[k]), t)[0] for k in range(3)] for r, t in zip(results, truths)]
    rows = []
    for name, members in groups.items():
        n = sum(len(truths[i]) for i in members)
        if n:
            cer = [sum(errors[i][k] for i in members) / n for k in range(3)]
            rows.append((name, n, len(members), *cer, *(sum(errors[i][k] == 0 for i in members) / len(members) for k in (0, 2))))
    return rows, errors


def main():
    p = argparse.ArgumentParser()
    p.add_argument('state')
    p.add_argument('--dev')
    p.add_argument('--lines', type=int, default=600)
    p.add_argument('--tsv')
    p.add_argument('--every', type=int, default=1)
    p.add_argument('--report')
    p.add_argument('--brief', action='store_true')
    a = p.parse_args()
    torch.set_num_threads(1)
    model = load(a.state)
    if a.dev:
        items = [(x, t, '') for x, t in views(a.dev, 0, (99, 0), a.lines)]
    else:
        items = real_lines(a.tsv, a.every)
    truths = [plain(t) for _, t, _ in items]
    begin = time.process_time()
    results = read(model, items)
    took = time.process_time() - begin
    rows, errors = summary(results, truths)
    first = sum(r[4] for r in results) / len(results)
    lines = ['%-18s %7s %6s %8s %8s %8s %9s %9s' % ('', 'chars', 'lines', 'CER CTC', 'CER dec', 'answer', 'exact CTC', 'answer')]
    lines += ['%-18s %7d %6d %8.4f %8.4f %8.4f %9.3f %9.3f' % r for r in rows[:1 if a.brief else None]]
    lines.append('drafts accepted whole: %.3f; answers that are not the decoder\'s: %.3f; %.1f ms of CPU a line' % (first, sum(r[1] != r[2] for r in results) / len(results), took / len(results) * 1e3))
    if not a.brief:
        confusion = collections.Counter(pair for r, t in zip(results, truths) for pair in edits(plain(r[2]), t)[1])
        lines.append('read for true: ' + ', '.join('%s for %s %d' % (x or '-', y or '-', n) for (x, y), n in confusion.most_common(40)))
        pages = collections.defaultdict(lambda: [0, 0])
        for (_, _, name), e, t in zip(items, errors, truths):
            pages[name][0] += e[2]
            pages[name][1] += len(t)
        if len(pages) > 1:
            lines.append('worst pages: ' + ', '.join('%s %.3f' % (n, e / max(1, c)) for n, (e, c) in sorted(pages.items(), key=lambda x: -x[1][0] / max(1, x[1][1]))[:10]))
    print('\n'.join(lines), flush=True)
    if a.report:
        with open(a.report, 'w', encoding='utf8') as f:
            for r, t, e, it in sorted(zip(results, truths, errors, items), key=lambda z: -z[2][2]):
                if e[2]:
                    f.write('%s\t%d\t%s\t%s\t%s\n' % (it[2], e[2], t, r[2], r[0]))


if __name__ == '__main__':
    main()
