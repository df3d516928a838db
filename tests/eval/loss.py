#!/usr/bin/env python3
"""Splits what reading order (NID of the scorer) loses into its causes.  Standard library only.

    loss.py EVALDIR GT PRED [--show N] [DOCUMENT...]

Ground truth and prediction are cut into words, marks and tags and aligned.  What stays over is
  missing   in the ground truth alone        extra   in the prediction alone
  order     in both, at different places     markup  tags and marks (# * | ...) of either
each as a share of NID (in 1/1000, over all characters of both; blanks between them count with markup).
--show N prints the N longest pieces of each document; documents come worst first.
"""
import argparse
import collections
import difflib
import os
import re
import sys

MARKUP = re.compile(r'<[^>]*>$|[^\w\s]$')


def tokens(text): return re.findall(r'</?\w+[^>]*>|\w+|[^\w\s]', text)


def pieces(a, b):
    """Runs of tokens that are in a alone and in b alone."""
    left, right = [], []
    for tag, i, j, k, l in difflib.SequenceMatcher(None, a, b, False).get_opcodes():
        if tag != 'equal':
            left += [a[i:j]] if j > i else []
            right += [b[k:l]] if l > k else []
    return left, right


def weigh(runs, other):
    """Characters of the runs: (alone, also in other, markup); per run how much is alone."""
    pool, alone, order, markup, each = collections.Counter(t for r in other for t in r), 0, 0, 0, []
    for run in runs:
        mine = moved = 0
        for t in run:
            if MARKUP.match(t): markup += len(t)
            elif pool[t]:
                pool[t] -= 1
                moved += len(t)
            else: mine += len(t)
        alone, order = alone + mine, order + moved
        each.append((mine, moved, run))
    return alone, order, markup, each


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('eval')
    ap.add_argument('gt')
    ap.add_argument('pred')
    ap.add_argument('document', nargs='*')
    ap.add_argument('--show', type=int, default=0)
    args = ap.parse_args()
    sys.path.insert(0, args.eval)
    import score
    rows = []
    for name in sorted(os.listdir(args.gt)):
        stem = name[:-3]
        if not name.endswith('.md') or (args.document and stem not in args.document):
            continue
        gt, pred = (score.fold(score.tables_as_html(score.read(os.path.join(d, name)) or '')) for d in (args.gt, args.pred))
        if not gt:
            continue
        loss, total = 1000 * (1 - score.indel_ratio(gt, pred)), (len(gt) + len(pred)) / 1000
        left, right = pieces(tokens(gt), tokens(pred))
        missing, order_gt, markup_gt, lost = weigh(left, right)
        extra, order_pred, markup_pred, added = weigh(right, left)
        order = order_gt + order_pred
        rows.append((loss, stem, missing / total, extra / total, order / total, loss - (missing + extra + order) / total, lost, added))
    rows.sort(key=lambda r: -r[0])
    print('%-28s %6s = %7s + %6s + %6s + %6s' % ('document', 'loss', 'missing', 'extra', 'order', 'markup'))
    for loss, stem, missing, extra, order, markup, lost, added in rows:
        print('%-28s %6.1f = %7.1f + %6.1f + %6.1f + %6.1f' % (stem[:28], loss, missing, extra, order, markup))
        runs = [(m + o, '-' if m >= o else '<', r) for m, o, r in lost] + [(m + o, '+' if m >= o else '>', r) for m, o, r in added]
        for size, sign, run in sorted(runs, key=lambda r: -r[0])[:args.show]:
            text = ' '.join(run)
            print('      %s %5d  %s' % (sign, size, text if len(text) < 150 else text[:90] + ' ... ' + text[-55:]))
    n = max(len(rows), 1)
    print('%-28s %6.1f = %7.1f + %6.1f + %6.1f + %6.1f' % (('mean of %d' % len(rows),) + tuple(sum(r[i] for r in rows) / n for i in (0, 2, 3, 4, 5))))


if __name__ == '__main__': main()
