"""Where the wrong characters of a page come from.  Used by ocr.py; standard library only.

Runs of words that truth and reading have in common are matched wherever they stand (Wise's greedy string tiling, with the
longest runs first).  What is left between the same two neighbours is a misreading of each other, what has no partner was missed
or invented, and those edits of the plain comparison that all this does not explain are its order.
"""
import collections

KINDS = ('misread', 'spaces', 'missed', 'invented', 'order')
RUNS = (8, 4, 2, 1)  # words
ALIKE = 0.6          # edits per character of two pieces that read the same ink


def tiles(truth, read):
    """Pairs of equal runs as partner[i] = k: word i of truth is word k of the reading, -1 if none is."""
    partner, taken = [-1] * len(truth), [False] * len(read)
    for n in RUNS:
        places = collections.defaultdict(list)
        for k in range(len(read) - n + 1):
            if not any(taken[k:k + n]): places[tuple(read[k:k + n])].append(k)
        i = 0
        while i <= len(truth) - n:
            if any(p >= 0 for p in partner[i:i + n]):
                i += 1
                continue
            best, length = -1, 0
            for k in places.get(tuple(truth[i:i + n]), ()):
                m = 0
                while i + m < len(truth) and k + m < len(read) and truth[i + m] == read[k + m] and partner[i + m] < 0 and not taken[k + m]: m += 1
                # a single word says little: only where it goes on from a neighbour, or is the only one of its kind
                if n == 1 and not beside(partner, i, k) and (len(truth[i]) < 5 or len(places[(truth[i],)]) > 1): continue
                if m > length: best, length = k, m
            for m in range(length):
                partner[i + m] = best + m
                taken[best + m] = True
            i += max(1, length)
    return partner, taken


def beside(partner, i, k):
    return (i > 0 and partner[i - 1] == k - 1) or (i + 1 < len(partner) and partner[i + 1] == k + 1)


def runs(free):
    """First and last + 1 of each run of true values."""
    out, begin = [], None
    for i, f in enumerate(list(free) + [False]):
        if f and begin is None: begin = i
        elif not f and begin is not None:
            out.append((begin, i))
            begin = None
    return out


def pairs(truth, read, partner, taken, levenshtein):
    """What is left, as pairs of texts; one of them may be empty."""
    left, right = runs(p < 0 for p in partner), runs(not t for t in taken)
    by_begin, by_end, used, out = {b: (b, e) for b, e in right}, {e: (b, e) for b, e in right}, set(), []
    alone = []
    for b, e in left:
        after = by_begin.get(partner[b - 1] + 1 if b else 0)
        before = by_end.get(partner[e] if e < len(truth) else len(read))
        text = ' '.join(truth[b:e])
        for gap in (after, before):
            if gap and gap not in used and levenshtein(text, ' '.join(read[gap[0]:gap[1]])) <= ALIKE * max(len(text), gap[1] - gap[0]):
                used.add(gap)
                out.append((text, ' '.join(read[gap[0]:gap[1]])))
                break
        else: alone.append(text)
    rest = [' '.join(read[b:e]) for b, e in right if (b, e) not in used]
    for text in alone:
        near = [r for r in rest if 2 * abs(len(r) - len(text)) <= max(len(r), len(text))]
        best = min(near, key=lambda r: levenshtein(text, r), default=None)
        if best is not None and levenshtein(text, best) <= 0.5 * len(text):
            rest.remove(best)
            out.append((text, best))
        else: out.append((text, ''))
    return out + [('', r) for r in rest]


def split(truth, read, edits, levenshtein):
    """Edits by kind, and the pairs that they come from.  truth, read: plain texts; edits: their distance."""
    tw, rw = truth.split(), read.split()
    counts, found = collections.Counter(), pairs(tw, rw, *tiles(tw, rw), levenshtein)
    for t, r in found:
        if not r: counts['missed'] += len(t) + 1
        elif not t: counts['invented'] += len(r) + 1
        elif t.replace(' ', '') == r.replace(' ', ''): counts['spaces'] += levenshtein(t, r)
        else:
            wrong, more = levenshtein(t, r), len(r) - len(t)
            counts['misread'] += wrong if abs(more) <= 3 else wrong - abs(more)
            if more > 3: counts['invented'] += more
            if more < -3: counts['missed'] -= more
    counts['order'] = max(0, edits - sum(counts.values()))
    return counts, found
