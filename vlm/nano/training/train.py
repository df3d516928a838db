"""Trains docparse-nano: decoder cross-entropy plus CTC on the encoder.

    train.py RUN_DIR --shards DIR [--hours H | --lines N] [--ranks 2] [--lr 1e-3] [--warm FILE]
    train.py RUN_DIR --shards DIR --hours H --decay D    the rate falls to zero over the last D hours: RUN_DIR/cooled.pt

The trunk (RUN_DIR/trunk.pt) keeps a constant rate and is resumed where it stopped; it is last written before the decay
begins.  The decay goes by the clock, so that it ends in time on a machine that is shared.  Weights for use are an exponential average (warm-up, stable, decay: arXiv 2508.01483; averaging: Ajroldi, ICML 2025).  On a CPU each rank is one
process with one thread; their weights are averaged every --sync steps (local SGD, arXiv 1805.09767), for on a busy
machine ranks that meet at every step, like OpenMP threads, mostly wait for each other.  On a CUDA device there is one
rank and --loaders processes degrade beside it.
"""
import argparse
import json
import os
import random
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

from charset import BLANK, FIRST, VOCABULARY, collapse
from dataset import REUSE, Batches
from model import Block, Nano


def look_alikes():
    """id -> ids often taken for it: what decoder noise is mostly made of."""
    from charset import ID
    groups = ('0OoQDCGce', '1lI|i!jt7', '5Ss$8', '2Zz7', '6bGh', '8B3&S', '9gqy', 'ceo', 'nhmru', 'vyuwr', 'VYUW', "‘’'`´,", '“”"„', '.,:;·', '-–—_~−', 'EFBRPK', 'MNWHK', 'aáàâäãåæ@', 'eéèêëęě', 'iíìîïıl',
              'oóòôöõőø', 'uúùûüůű', 'nñňń', 'cçčć¢', 'sšśşș', 'zžźż', 'рpР', 'сcС', 'оoО', 'еeЕ', 'аaА', 'хxХ', 'нНH', 'вВB', 'шщц', 'ипл', '([{|', ')]}|', 'ft', 'rn', 'kx', 'αaа', 'νv', 'ρp', 'οo')
    table = {}
    for g in groups:
        ids = [ID[c] for c in g if c in ID]
        for i in ids:
            table.setdefault(i, []).extend(j for j in ids if j != i)
    return table


class Noise:
    """Decoder inputs as verification will meet them: look-alikes, strays, repeats, slips, and the CTC head's own drafts."""

    def __init__(self, device):
        rows = look_alikes()
        most = max(len(v) for v in rows.values())
        self.table = torch.arange(VOCABULARY, device=device)[:, None].repeat(1, most)
        for i, v in rows.items():
            self.table[i] = torch.tensor((v * most)[:most], device=device)

    def __call__(self, tokens, lengths, frames):
        n, longest = tokens.shape
        device = tokens.device
        out = tokens.clone()
        inside = tokens >= FIRST
        rate = torch.where(torch.rand(n, 1, device=device) < .5, .03, .12)
        hit = (torch.rand(n, longest, device=device) < rate) & inside
        kind = torch.rand(n, longest, device=device)
        like = self.table[tokens, torch.randint(self.table.shape[1], tokens.shape, device=device)]
        stray = torch.randint(FIRST, VOCABULARY, tokens.shape, device=device)
        before = torch.cat((tokens[:, :1], tokens[:, :-1]), 1)
        other = torch.where(kind < .45, like, torch.where((kind < .75) | (before < FIRST), stray, before))
        out = torch.where(hit, other, out)
        # a slip: from some place on, the input is one character behind or ahead
        slip = (torch.rand(n, 1, device=device) < .06) & (torch.arange(longest, device=device)[None] >= torch.randint(1, longest + 1, (n, 1), device=device)) & inside
        shifted = torch.where(torch.rand(n, 1, device=device) < .5, before, torch.cat((tokens[:, 1:], tokens[:, -1:]), 1))
        out = torch.where(slip & (shifted >= FIRST), shifted, out)
        # the draft itself, where it has the right length (its errors are substitutions)
        for i in (torch.rand(n) < .25).nonzero()[:, 0].tolist():
            draft = collapse(frames[i].tolist())
            if len(draft) == int(lengths[i]) and draft:
                out[i, 1:len(draft) + 1] = torch.tensor(draft, device=device)
        return out


def ctc(logits, target, lengths):
    """CTC over the batch's own characters: the others only weigh in the normaliser."""
    logits = logits.float()
    symbols, column = torch.unique(torch.cat((torch.full((1,), BLANK, device=target.device), target[target >= FIRST])), return_inverse=True)
    compact = torch.zeros_like(target)
    compact[target >= FIRST] = column[1:]
    p = logits[..., symbols] - logits.logsumexp(-1, keepdim=True)
    frames = torch.full((len(target),), logits.shape[1], dtype=torch.long)
    return F.ctc_loss(p.transpose(0, 1), compact, frames.to(target.device), lengths.to(target.device), blank=0, reduction='none', zero_infinity=True)


def pointers(tokens, lengths, frames):
    """Where the decoder has to look for its next character: the middle of that character's CTC peak, as a merged visual
    token; -1 where the draft is not the line's text."""
    where = torch.full(tokens.shape, -1, dtype=torch.long)
    for i, (row, n) in enumerate(zip(frames.tolist(), lengths.tolist())):
        peaks, last = [], BLANK
        for f, symbol in enumerate(row):
            if symbol >= FIRST:
                if symbol != last:
                    peaks.append([symbol, f, f])
                else:
                    peaks[-1][2] = f
            last = symbol
        if [p[0] for p in peaks] == tokens[i, 1:n + 1].tolist():
            where[i, :n] = torch.tensor([(p[1] + p[2]) // 8 for p in peaks], dtype=torch.long)
    return where


def pointing(block, where, prefix):
    """-log of the first head's attention within one token of `where` (guided attention, Tachibana 2018), mean over characters."""
    share = block.share[:, prefix:prefix + where.shape[1], :prefix].float()
    near = sum(share.gather(2, (where + k).clamp(0, prefix - 1)[..., None])[..., 0] for k in (-1, 0, 1))
    valid = where >= 0
    return -((near + 1e-3).log() * valid).sum() / valid.sum().clamp(min=1)


def average(model, ema, steps, every):
    """Fold the model into the average; the window is one in a hundred of the steps so far, 50 to 400."""
    keep = 1 - every / min(400., max(50., steps / 100))
    with torch.no_grad():
        for k, v in model.state_dict().items():
            if v.is_floating_point():
                ema[k].lerp_(v, 1 - keep)
            else:
                ema[k].copy_(v)


def examples(model, feed, a, device):
    """(encoded, frames or None, drafts, tokens, target, lengths, new lines, visit) to learn from.  With --freeze the encoder only
    reads; its results wait in a pool and the decoder meets each about `freeze` times, with other noise."""
    pool, pick = [], random.Random(a.seed)
    for picture, tokens, target, lengths, at in feed:
        picture, tokens, target = (t.to(device, non_blocking=True) for t in (picture, tokens, target))
        with torch.set_grad_enabled(not a.freeze):
            encoded = model.encode(picture)
            frames = model.frames(encoded)
        drafts = frames.detach().argmax(-1).cpu()
        if not a.freeze:
            yield encoded, frames, drafts, tokens, target, lengths, len(tokens), at
            continue
        pool.append((encoded, None, drafts, tokens, target, lengths))
        if len(pool) > 80:
            pool.pop(pick.randrange(40))
        for i in range(a.freeze):
            yield *pick.choice(pool), 0 if i else len(tokens), at


def save(path, state):
    torch.save(state, path + '.part')
    os.replace(path + '.part', path)


def meet(model, flat, ranks):
    """The ranks' parameters and batch norm statistics become their mean: one all-reduce over a flat copy."""
    parts = [v for v in model.state_dict().values() if v.is_floating_point()]
    at = 0
    for v in parts:
        flat[at:at + v.numel()].copy_(v.reshape(-1))
        at += v.numel()
    dist.all_reduce(flat)
    flat /= ranks
    at = 0
    for v in parts:
        v.copy_(flat[at:at + v.numel()].view_as(v))
        at += v.numel()


LATE = ('decoder', 'visual', 'embedding')  # what reads the encoder's results


def build(a, device):
    """The model and AdamW; matrices decay, the decoder learns faster."""
    model = Nano().to(device).to(memory_format=torch.channels_last)
    groups = {}
    for name, p in model.named_parameters():
        groups.setdefault((name.startswith(LATE), p.ndim > 1), []).append(p)
    optimizer = torch.optim.AdamW([{'params': g, 'weight_decay': .03 if matrix else 0., 'factor': a.decoder_rate if late else 1.} for (late, matrix), g in groups.items()],
                                  lr=a.lr, betas=(.9, .98), fused=True)
    for block in model.decoder:
        block.watched = a.pointer > 0
    return model, optimizer


def resume(a, model, optimizer, device):
    """Where the trunk stopped (or the warm start, or the beginning): average, step, lines seen, visit, seconds."""
    path = os.path.join(a.run, 'trunk.pt')
    if os.path.exists(path):
        state = torch.load(path, map_location=device, weights_only=True)
        model.load_state_dict(state['model'])
        for name, p in model.named_parameters():
            optimizer.state[p] = state['optimizer'][name]
        place = [state[k] for k in ('ema', 'step', 'seen', 'visit', 'seconds')]
    else:
        if a.warm:
            model.load_state_dict(torch.load(a.warm, map_location=device, weights_only=True))
        place = [{k: v.clone() for k, v in model.state_dict().items()}, 0, 0, 0, 0.]
    if a.freeze:
        model.load_state_dict(place[0])
        for name, p in model.named_parameters():
            p.requires_grad_(name.startswith(LATE))
    model.stem.train(not a.freeze)
    return place


def objective(model, example, noise, a):
    """The loss, and its parts: decoder, CTC, pointing."""
    encoded, frames, drafts, tokens, target, lengths = example
    device = tokens.device
    prefix = model.prefix(encoded)
    logits = model.decode(prefix, noise(tokens, lengths, drafts), drafts.to(device))
    characters = (lengths + 1).to(device)
    # per character, yet a short line counts for more than its share (half of all real lines are short)
    weight = characters.float() ** -.35
    weight = weight / (characters * weight).sum()
    ce = F.cross_entropy(logits.float().flatten(0, 1), target.flatten(), ignore_index=0, reduction='none').view_as(target).sum(1)
    parts = [(ce * weight).sum(), torch.zeros((), device=device), torch.zeros((), device=device)]
    if frames is not None:
        parts[1] = (ctc(frames, target, lengths) * weight).sum()
    if a.pointer:
        where = pointers(tokens, lengths, drafts).to(device)
        parts[2] = sum(pointing(block, where, prefix.shape[1]) for block in model.decoder) / len(model.decoder)
    return parts[0] + a.ctc * parts[1] + a.pointer * parts[2], torch.stack([p.detach() for p in parts])


def agree(a, done, keep):
    """Rank 0's decisions for all ranks."""
    if a.ranks > 1:
        word = torch.tensor([float(done) + 2 * float(keep)])
        dist.broadcast(word, 0)
        done, keep = int(word) % 2 == 1, int(word) >= 2
    return done, keep


def worker(rank, a):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    if a.ranks > 1:
        os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT=str(a.port))
        dist.init_process_group('gloo', rank=rank, world_size=a.ranks)
    torch.manual_seed(a.seed)
    if a.compile:
        Block.forward = torch.compile(Block.forward, dynamic=True)
    model, optimizer = build(a, device)
    ema, step, seen, visit, seconds = resume(a, model, optimizer, device)
    torch.manual_seed(a.seed * 1000003 + step * 17 + rank)
    feed = torch.utils.data.DataLoader(Batches(a.shards, a.seed, a.columns, rank, a.ranks, visit), batch_size=None, num_workers=a.loaders,
                                       pin_memory=device.type == 'cuda', prefetch_factor=4 if a.loaders else None)
    noise = Noise(device)
    flat = torch.empty(sum(v.numel() for v in model.state_dict().values() if v.is_floating_point()), device=device) if a.ranks > 1 else None
    start, begin, saved, sums = seen, time.time(), time.time(), torch.zeros(3, device=device)
    for *example, fresh, at in examples(model, feed, a, device):
        rate = a.lr * min(1., (step + 1) / a.warmup)
        if a.decay:
            rate *= min(1., max(0., a.hours - (time.time() - begin) / 3600) / a.decay)
        for group in optimizer.param_groups:
            group['lr'] = rate * group['factor']
        loss, parts = objective(model, example, noise, a)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1., foreach=device.type == 'cuda')
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        seen += fresh * a.ranks
        sums += parts
        if step % a.sync == 0:
            if a.ranks > 1:
                meet(model, flat, a.ranks)
            average(model, ema, step, a.sync)
        if step % a.log:
            continue
        took = time.time() - begin
        if rank == 0:
            with open(os.path.join(a.run, 'reached'), 'w', encoding='ascii') as f:
                f.write(str(at // REUSE))
            print('%s step %d lines %d ce %.4f ctc %.4f aim %.4f lr %.2e %.0f lines/s' % (time.strftime('%H:%M:%S'), step, seen, *(sums / a.log).tolist(), rate, (seen - start) / took), flush=True)
        sums.zero_()
        falls = a.decay > 0 and took > (a.hours - a.decay) * 3600
        done = took > a.hours * 3600 or (a.lines and seen >= a.lines) or os.path.exists(os.path.join(a.run, 'stop'))
        done, keep = agree(a, done, done or time.time() - saved > a.save)
        if keep and rank == 0:
            save(os.path.join(a.run, 'cooled.pt' if falls else 'trunk.pt'),
                 dict(model=model.state_dict(), ema=ema, optimizer={name: optimizer.state[p] for name, p in model.named_parameters()}, step=step, seen=seen,
                      visit=at - at % a.ranks, seconds=seconds + took))
        saved = time.time() if keep else saved
        if done:
            break
    if a.ranks > 1:
        dist.barrier()
        dist.destroy_process_group()


def main():
    p = argparse.ArgumentParser()
    p.add_argument('run')
    p.add_argument('--shards', required=True)
    p.add_argument('--hours', type=float, default=1e9)
    p.add_argument('--lines', type=int, default=0)
    p.add_argument('--decay', type=float, default=0, help='hours at the end of --hours in which the rate falls to zero')
    p.add_argument('--freeze', type=int, default=0, help='train the decoder alone, on each encoded line so many times')
    p.add_argument('--ranks', type=int, default=1 if torch.cuda.is_available() else 2)
    p.add_argument('--loaders', type=int, default=14 if torch.cuda.is_available() else 0)
    p.add_argument('--columns', type=int, default=260000 if torch.cuda.is_available() else 8000, help='picture columns a batch and rank')
    p.add_argument('--lr', type=float, default=2e-3 if torch.cuda.is_available() else 1e-3)
    p.add_argument('--decoder-rate', type=float, default=2.5, help='its learning rate relative to the encoder, which learns first')
    p.add_argument('--ctc', type=float, default=.7)
    p.add_argument('--pointer', type=float, default=.2, help='weight of the guided attention of the decoder')
    p.add_argument('--warmup', type=int, default=300)
    p.add_argument('--warm', help='state to start from')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--sync', type=int, default=10, help='steps between averages over the ranks')
    p.add_argument('--log', type=int, default=20, help='steps between lines of the log, a multiple of --sync')
    p.add_argument('--save', type=float, default=300, help='seconds between checkpoints')
    p.add_argument('--compile', action='store_true', help='fuse what stands between the products of a block: a quarter more lines a second; a minute to begin')
    p.add_argument('--port', type=int, default=29511)
    a = p.parse_args()
    os.makedirs(a.run, exist_ok=True)
    with open(os.path.join(a.run, 'arguments.jsonl'), 'a', encoding='utf8') as f:
        f.write(json.dumps(vars(a)) + '\n')
    if a.ranks == 1:
        worker(0, a)
    else:
        torch.multiprocessing.spawn(worker, (a,), a.ranks)


if __name__ == '__main__':
    main()
