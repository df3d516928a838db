"""Checks of vlm/nano/training that need no fonts and no texts.  Prints TAP (test_nano_training.sh)."""
import random
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

from charset import BOS, CHARS, EOS, FIRST, ID, VOCABULARY, collapse, decode, encode, normalise
from dataset import collate, fits_ctc, shard_of
from degrade import blank, needles, view
from evaluate import answer, candidates, choose, edits, repeats
from export import fold, load_exported
from model import CONFIG, Nano, _RmsNorm, places
from render import Drawing, Renderer
from text import Writer
from train import ctc, pointers

torch.set_num_threads(1)
torch.manual_seed(5)
count = failed = 0


def ok(good, what):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, what), flush=True)


def text():
    ok(decode(encode('Größe 3 kΩ') + [EOS] + encode('x')) == 'Größe 3 kΩ', 'encode and decode are inverse up to the end sign')
    ok(normalise('e\u0301 \u00a0 \ufb01x \u2011 \u00b5') == 'é fix - μ', 'one form for look-alikes')
    ok(collapse([0, 5, 5, 0, 5, 6, 6, 0]) == [5, 5, 6], 'repeats and blanks collapse')
    ok(edits('kitten', 'sitting')[0] == 3 and sorted(edits('abc', 'axc')[1]) == [('b', 'x')], 'edit distance and its pairs')
    ok(repeats([9, 4, 5, 4, 5, 4, 5, 4, 5], [9, 4, 5]) and not repeats([7, 7, 7, 7], [7, 7, 7, 7, 7]), 'the loop guard asks the draft')
    ok([shard_of(v) for v in (0, 1, 2, 27, 28)] == [0, 0, 0, 9, 1], 'shards are visited three times, lagging')


def drawings():
    renderer, writer = Renderer.__new__(Renderer), Writer.__new__(Writer)
    renderer.rng = writer.rng = random.Random(4)
    writer.words = ['straße', 'pond']
    pieces, said = renderer.small_capitals('Abcd', 'face', 40)
    ok(said == 'Abcd' and [p[0] for p in pieces] == ['A', 'BCD'] and pieces[1][2] < pieces[0][2] == 40, 'small capitals beside a taller one are small letters')
    ok(renderer.small_capitals('abcd', 'face', 40)[1] == 'ABCD', 'a line of one height is capitals')
    made = [f() for _ in range(300) for f in (writer.dotted, writer.figures)]
    ok(all(made) and all(c in ID or c == ' ' for t in made for c in t), 'figures and abbreviations are of known characters')
    ok(all(any(t.startswith(start) for t in made) for start in ('**', '(', '-', '$', 'Q')), 'figures, marks of footnotes and tickers of all kinds come')
    ink = np.zeros((64, 200), np.float32)
    ink[12:52, 60:68] = 1
    dots = needles(ink, np.random.default_rng(1))
    ok(dots.shape == ink.shape and dots[:, 80:].max() == 0 and 0 < dots[:, 56:72].sum() < 1.5 * ink.sum(), 'needles print where the ink is')


def losses():
    logits = torch.randn(3, 40, VOCABULARY)
    target = torch.tensor([encode('abba') + [EOS], encode('ab') + [EOS, 0, 0], [EOS, 0, 0, 0, 0]])
    lengths = torch.tensor([4, 2, 0])
    full = F.ctc_loss(logits.log_softmax(-1).transpose(0, 1), target, torch.full((3,), 40), lengths, blank=0, reduction='none')
    ok(torch.allclose(ctc(logits, target, lengths), full, rtol=1e-4), 'CTC over the characters of the batch is CTC')
    frames = torch.tensor([[0, ID['a'], ID['a'], 0, 0, 0, 0, 0, ID['b'], 0, 0, 0], [ID['a']] + [0] * 11])
    ok(places(frames).tolist() == [[1, 2, 3], [1, 2, 2]], 'a row of the prefix stands midway between the characters begun before and by its end')
    where = pointers(torch.tensor([[BOS] + encode('ab'), [BOS] + encode('ab')]), torch.tensor([2, 2]), frames)
    ok(where.tolist() == [[0, 2, -1], [-1, -1, -1]], 'pointers follow the peaks of a right draft only')
    x = torch.randn(6, 16, requires_grad=True)
    w = torch.rand(16, requires_grad=True)
    g = torch.randn(6, 16).bfloat16()
    _RmsNorm.apply(x, w, 1e-6).backward(g)
    mine = x.grad.clone(), w.grad.clone()
    x.grad = w.grad = None
    F.rms_norm(x, (16,), w, 1e-6).backward(g.float())
    ok(torch.allclose(mine[0], x.grad, atol=1e-5) and torch.allclose(mine[1], w.grad, atol=1e-5), "RMSNorm's gradient")


def pictures():
    r = np.random.default_rng(3)
    ink = np.zeros((90, 300), np.uint8)
    ink[35:60, 40:260:12] = 255
    ink[35:60, 41:260:12] = 255
    d = Drawing(ink, (40, 35, 258, 60), (28, 68), 30., 'l' * 19)
    made = [view(d, r) for _ in range(60)]
    kept = [x for x in made if x is not None]
    ok(len(kept) > 40 and all(x.shape[0] == 32 and x.dtype == np.uint8 for x in kept), 'views are 32 rows high')
    again = np.random.default_rng(3)
    ok(all((a is None and b is None) or np.array_equal(a, b) for a, b in zip(made, (view(d, again) for _ in range(60)))), 'the same seed gives the same views')
    ok(blank(r).shape[0] == 32, 'blank crops are 32 rows high')
    picture, tokens, target, lengths = collate([(kept[0], 'ab'), (kept[1], 'c')])
    ok(picture.shape[3] % CONFIG['column_multiple'] == 0 and tokens[0].tolist() == [BOS] + encode('ab') and target[1].tolist() == encode('c') + [EOS, 0], 'batches')
    ok(fits_ctc(np.zeros((32, 40)), 'abcd') and not fits_ctc(np.zeros((32, 16)), 'abcdefgh'), 'lines too narrow for CTC are dropped')


def choices():
    ok([''.join(t) for t in candidates(list('kitten'), list('mittens'))] == ['kitten', 'mitten', 'kittens', 'mittens'], 'draft, mixtures, and the decoder\'s text')
    ok(len(candidates(list('a quick fox'), list('a quik  fx'))) == 8, 'three places, eight candidates')
    ok([''.join(t) for t in candidates(list('abcdefgh'), list('AbCdEfGh'))] == ['abcdefgh', 'AbCdEfGh'], 'no mixtures where much differs')
    ok(answer([5, 6], [5, 6, EOS]) == [5, 6] and answer([5, 6], [5, 7]) == [5, 6] and answer([5, 6], [5, BOS, EOS]) == [5, 6] and answer([5, 6], [5, 7, EOS]) is None,
       'a text without an end or with signs is none')
    model = Nano().eval()
    picture = torch.randint(0, 256, (1, 1, 32, 96), dtype=torch.uint8)
    with torch.no_grad():
        encoded = model.encode(picture)
        frames = torch.full((24, VOCABULARY), -30.)
        for f, c in enumerate('a.b.c...................'):
            frames[f, ID[c] if c != '.' else 0] = 0.
        said, margin = choose(model, encode('abc'), encode('axc'), frames, model.prefix(encoded), torch.zeros(1, 24, dtype=torch.long))
        ok(decode(said) == 'abc' and margin > 20, 'the sure one of the models decides')


def network():
    model = Nano().eval()
    for norm in model.stem.norm:
        norm.running_mean.normal_(std=.1)
        norm.running_var.uniform_(.5, 2)
    picture = torch.randint(0, 256, (2, 1, 32, 96), dtype=torch.uint8)
    with torch.no_grad():
        encoded = model.encode(picture)
        ok(encoded.shape == (2, 12, 256) and model.frames(encoded).shape == (2, 24, VOCABULARY), 'a token for 8 columns, a frame for 4')
        draft = model.frames(encoded).argmax(-1)
        ids, _ = model.greedy(encoded, draft, 7, BOS, -1)
        forced = model.decode(model.prefix(encoded), torch.cat((torch.full((2, 1), BOS), ids[:, :-1]), 1), draft)
        ok(bool((forced.argmax(-1) == ids).float().mean() > .9), 'step by step and all at once agree')
        tokens = torch.randint(FIRST, FIRST + len(CHARS), (2, 6))
        a = model.decode(model.prefix(encoded), tokens, draft)
        tokens[:, 4] = FIRST
        ok(torch.equal(a[:, :4], model.decode(model.prefix(encoded), tokens, draft)[:, :4]), 'the decoder does not see what follows')
        with tempfile.TemporaryDirectory() as folder:
            from safetensors.torch import save_file
            save_file(fold(model.state_dict()), folder + '/model.safetensors')
            other = Nano().eval()
            load_exported(other, folder)
            close = (model.frames(encoded).float() - other.frames(other.encode(picture)).float()).abs().max()
            ok(float(close) < .15, 'exported weights, batch norm folded, compute the same (%.3f)' % close)


for part in (text, drawings, losses, pictures, choices, network):
    part()
print('1..%d' % count)
sys.exit(failed > 0)
