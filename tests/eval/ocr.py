#!/usr/bin/env python3
"""Reading scans: docparse beside Tesseract 5, in one run.  Driven by ocr.sh; nothing of EVAL is copied but into build/.

    ocr.py DOCPARSE EVAL OUT SET...      sets: clean300 office200 photo150 fax200 turned pages print

The first five are born-digital pages made into scans by EVAL/scanify.py; their ground truth is the page's own
text layer, in the two orders that docparse and pdftotext give it (each reader is judged by the one it comes nearer to,
since order is not what is measured here).  pages and print are pictures with ground truth beside them.
PAGES=N takes N pages of each set, evenly spaced over the names (default 6; 0 = all that have 500 characters), SHIFT=N the Nth
after each of these instead.
MODES: Tesseract's page modes, of which the best on the set counts (default "3", "1" for turned; the whole truth: "1 3 4 6").

CER, WER, BAG as in EVAL/ocr.py (macro over nothing: edits over characters of the set); LINES: share of the ground
truth's lines of two words and more that were read without a mistake; S: seconds a page, one thread each.  Below them,
for both readers, the edits by what went wrong (ocr_errors.py), per 1,000 characters.
A text layer lacks what its page holds in pictures.  Pages on which both readers find the same words that are not in the
truth are named, and the CER of the others is printed beside the CER of all.
WORST=N lists the N worst pages of a set; OUT/SET/READER/PAGE.errors says what is wrong on a page.  TESSERACT=kept takes what
Tesseract read in an earlier run, TESSERACT=no leaves it out.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import time

import ocr_errors

SCANNED = ('clean300', 'office200', 'photo150', 'fax200', 'turned')


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options).stdout.decode('utf-8', 'replace')


def chosen(names):
    n = int(os.environ.get('PAGES') or 6)
    shift = int(os.environ.get('SHIFT') or 0)
    if not n or n >= len(names): return names
    return [names[((2 * i + 1) * len(names) // (2 * n) + shift) % len(names)] for i in range(n)]


LIGATURES = {ord(l): plain for l, plain in zip('\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06', ('ff', 'fi', 'fl', 'ffi', 'ffl', 'ft', 'st'))}


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file: return file.read()


class Set:
    """Pictures or scans of one set, each with ground truths (one or two orders)."""

    def __init__(self, name, docparse, evaluation, out):
        self.name, self.docparse, self.out = name, docparse, os.path.join(out, name)
        os.makedirs(self.out, exist_ok=True)
        self.files, self.truth = [], {}
        if name in SCANNED: self.scans(evaluation, out)
        else: self.pictures(os.path.join(evaluation, 'ocr', name))

    def scans(self, evaluation, out):
        folder = os.path.join(evaluation, 'docs', 'odl', 'pdf')
        usable = [f for f in sorted(os.listdir(folder)) if self.own_text(os.path.join(folder, f), out)]
        originals = [os.path.join(folder, f) for f in chosen(usable)]
        subprocess.run([sys.executable, os.path.join(evaluation, 'scanify.py'), self.name, self.out, *originals], check=True)
        for original in originals:
            stem = os.path.basename(original)[:-4]
            self.files.append(os.path.join(self.out, stem + '.pdf'))
            self.truth[stem] = self.own_text(original, out)

    def own_text(self, original, out):
        cache = os.path.join(out, 'truth'); os.makedirs(cache, exist_ok=True)
        kept = os.path.join(cache, os.path.basename(original)[:-4])
        if not os.path.exists(kept + '.1'):
            with open(kept + '.0', 'w', encoding='utf-8') as file: file.write(run('pdftotext', original, '-'))
            with open(kept + '.1', 'w', encoding='utf-8') as file: file.write(self.own_reading(original, '--method', 'text'))
        texts = [read(kept + '.0'), read(kept + '.1')]
        return texts if len(texts[0].split()) >= 80 and len(texts[1]) >= 500 else None

    def pictures(self, folder):
        names = sorted(f for f in os.listdir(folder) if not f.endswith('.txt'))
        for f in chosen(names):
            stem = os.path.splitext(f)[0]
            self.files.append(os.path.join(folder, f))
            self.truth[stem] = [read(os.path.join(folder, stem + '.txt'))]

    def own_reading(self, path, *options):
        return run(self.docparse, path, '-o', '-', '-t', 'txt', '--keep', 'header,footer,page-number,footnote,aside', '--figure-text', '-q', '-j', '1', '--threads',
                   '1', *options)

    def picture_of(self, path):
        """What Tesseract gets: the pixels of the scan as they are."""
        if not path.endswith('.pdf'): return path
        stem = path[:-4]
        found = [f for f in (stem + '-000.png', stem + '-000.jpg') if os.path.exists(f)]
        if not found:
            run('pdfimages', '-all', path, stem)
            found = [f for f in (stem + '-000.png', stem + '-000.jpg') if os.path.exists(f)]
        return found[0]

    def ours(self, path): return self.own_reading(path, '--method', 'ocr')

    def tesseract(self, mode):
        return lambda path: run('tesseract', self.picture_of(path), '-', '--psm', mode, '-l', 'eng', env=dict(os.environ, OMP_THREAD_LIMIT='1'))


class Score:
    """What one reader made of the pages of a set."""

    def __init__(self): self.rows = []

    def add(self, stem, truths, text, seconds, plain, levenshtein):
        p = plain(text)
        options = []
        for truth in truths:
            g = plain(truth)
            options.append((levenshtein(p, g), g))
        edits, g = min(options, key=lambda o: o[0] / max(1, len(o[1])))
        gw, pw = g.split(), p.split()
        lines = [re.sub(r'[-\u00ad]$', '', plain(line)) for line in truths[0].splitlines()]
        lines = [line for line in lines if len(line.split()) >= 2]
        kinds, pairs = ocr_errors.split(g, p, edits, levenshtein)
        self.rows.append({'stem': stem, 'edits': edits, 'chars': len(g), 'word_edits': levenshtein(pw, gw), 'words': len(gw),
                          'hits': sum((collections.Counter(gw) & collections.Counter(pw)).values()), 'lines': len(lines),
                          'right': sum(line in p for line in lines), 'seconds': seconds, 'kinds': kinds, 'pairs': pairs,
                          'more': collections.Counter(pw) - collections.Counter(gw)})

    def sum(self, key, rows=None): return sum(r[key] for r in (self.rows if rows is None else rows))

    def share(self, a, b): return self.sum(a) / max(1, self.sum(b))

    def cer(self, without=()):
        rows = [r for r in self.rows if r['stem'] not in without]
        return self.sum('edits', rows) / max(1, self.sum('chars', rows))

    def __str__(self):
        return 'CER %.4f  WER %.4f  BAG %.4f  LINES %.3f  S %.2f' % (self.cer(), self.share('word_edits', 'words'), self.share('hits', 'words'),
                                                                     self.share('right', 'lines'), self.sum('seconds') / max(1, len(self.rows)))

    def kinds(self):
        chars = max(1, self.sum('chars'))
        return '  '.join('%s %.1f' % (kind, 1000 * sum(r['kinds'][kind] for r in self.rows) / chars) for kind in ocr_errors.KINDS)

    def print_worst(self, n):
        for r in sorted(self.rows, key=lambda r: -r['edits'] / max(1, r['chars']))[:n]:
            print('     %.3f %s  %s' % (r['edits'] / max(1, r['chars']), r['stem'], '  '.join('%s %d' % (k, r['kinds'][k]) for k in ocr_errors.KINDS if r['kinds'][k])))


def with_pictures_of_text(a, b):
    """Pages on which two readers agree about words that the truth lacks."""
    found = []
    for r, s in zip(a.rows, b.rows):
        both = r['more'] & s['more']
        if sum(len(w) * n for w, n in both.items() if len(w) > 2) > 0.02 * r['chars']: found.append(r['stem'])
    return found


def judge(set_, reader, out, plain, levenshtein, kept=False):
    score = Score()
    os.makedirs(out, exist_ok=True)
    for path in set_.files:
        stem = os.path.splitext(os.path.basename(path))[0]
        base = os.path.join(out, stem)
        if kept and os.path.exists(base + '.seconds'): text, seconds = read(base + '.txt'), float(read(base + '.seconds'))
        else:
            begin = time.monotonic(); text = reader(path); seconds = time.monotonic() - begin
            with open(base + '.txt', 'w', encoding='utf-8') as file: file.write(text)
            with open(base + '.seconds', 'w', encoding='utf-8') as file: file.write('%.3f' % seconds)
        score.add(stem, set_.truth[stem], text, seconds, plain, levenshtein)
        with open(base + '.errors', 'w', encoding='utf-8') as file:
            file.write('%s\n' % dict(score.rows[-1]['kinds']))
            for pair in score.rows[-1]['pairs']: file.write('- %s\n+ %s\n' % pair)
    return score


def beside_tesseract(set_, own, plain, levenshtein):
    how = os.environ.get('TESSERACT') or 'run'
    if how == 'no' or not shutil.which('tesseract'):
        print('  tesseract      %s' % ('left out' if how == 'no' else 'not installed (tesseract-ocr), nothing to compare with'))
        return
    modes = (os.environ.get('MODES') or ('1' if set_.name == 'turned' else '3')).split()
    scores = []
    for mode in modes:
        for path in set_.files: set_.picture_of(path)
        scores.append((judge(set_, set_.tesseract(mode), os.path.join(set_.out, 'tesseract-' + mode), plain, levenshtein, how == 'kept'), mode))
    best, mode = min(scores, key=lambda s: s[0].cer())
    print('  tesseract --%s  %s' % (mode, best))
    print('                 %s' % best.kinds())
    more = with_pictures_of_text(own, best) if set_.name in SCANNED else []
    if more: print('  without %s, whose pictures hold text that the truth lacks: CER %.4f, tesseract %.4f' % (' '.join(more), own.cer(more), best.cer(more)), flush=True)


def main():
    docparse, evaluation, out, *names = sys.argv[1:]
    sys.path.insert(0, evaluation)
    import ocr
    from score import levenshtein

    def plain(text): return ocr.plain(text.translate(LIGATURES))  # a matter of fonts

    for name in names:
        set_ = Set(name, docparse, evaluation, out)
        own = judge(set_, set_.ours, os.path.join(set_.out, 'docparse'), plain, levenshtein)
        print('%-10s %2d pages, %5d characters' % (name, len(set_.files), own.sum('chars')))
        print('  docparse       %s' % own)
        print('                 %s' % own.kinds(), flush=True)
        own.print_worst(int(os.environ.get('WORST') or 0))
        beside_tesseract(set_, own, plain, levenshtein)


if __name__ == '__main__': main()
