#!/usr/bin/env python3
"""Reading scans: docparse beside Tesseract 5, in one run.  Driven by ocr.sh; nothing of EVAL is copied but into build/.

    ocr.py DOCPARSE EVAL OUT SET...      sets: clean300 office200 photo150 fax200 turned pages print

The first five are born-digital pages made into scans by EVAL/scanify.py; their ground truth is the page's own
text layer, in the two orders that docparse and pdftotext give it (each reader is judged by the one it comes nearer to,
since order is not what is measured here).  pages and print are pictures with ground truth beside them.
PAGES=N takes N pages of each set, evenly spaced over the names (default 6; 0 = all that have 500 characters).
MODES: Tesseract's page modes, of which the best on the set counts (default "3", "1" for turned; the whole truth: "1 3 4 6").

CER, WER, BAG as in EVAL/ocr.py (macro over nothing: edits over characters of the set); LINES: share of the ground
truth's lines of two words and more that were read without a mistake; S: seconds a page, one thread each.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import time

SCANNED = ('clean300', 'office200', 'photo150', 'fax200', 'turned')


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options).stdout.decode('utf-8', 'replace')


def chosen(names):
    n = int(os.environ.get('PAGES') or 6)
    if not n or n >= len(names): return names
    return [names[(2 * i + 1) * len(names) // (2 * n)] for i in range(n)]


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
    def __init__(self): self.edits = self.chars = self.word_edits = self.words = self.hits = self.lines = self.right = 0; self.seconds = self.pages = 0; self.rows = []

    def add(self, stem, truths, text, seconds, plain, levenshtein):
        p = plain(text)
        options = []
        for truth in truths:
            g = plain(truth)
            options.append((levenshtein(p, g), truth, g))
        edits, truth, g = min(options, key=lambda o: o[0] / max(1, len(o[2])))
        gw, pw = g.split(), p.split()
        self.edits += edits; self.chars += len(g)
        self.word_edits += levenshtein(pw, gw); self.words += len(gw)
        self.hits += sum((collections.Counter(gw) & collections.Counter(pw)).values())
        for line in truths[0].splitlines():
            line = re.sub(r'[-\u00ad]$', '', plain(line))
            if len(line.split()) >= 2:
                self.lines += 1
                self.right += line in p
        self.seconds += seconds; self.pages += 1
        self.rows.append((edits / max(1, len(g)), stem))

    def cer(self): return self.edits / max(1, self.chars)

    def __str__(self):
        return 'CER %.4f  WER %.4f  BAG %.4f  LINES %.3f  S %.2f' % (self.cer(), self.word_edits / max(1, self.words), self.hits / max(1, self.words),
                                                                     self.right / max(1, self.lines), self.seconds / max(1, self.pages))


def judge(set_, reader, out, plain, levenshtein):
    score = Score()
    os.makedirs(out, exist_ok=True)
    for path in set_.files:
        stem = os.path.splitext(os.path.basename(path))[0]
        begin = time.monotonic(); text = reader(path); seconds = time.monotonic() - begin
        with open(os.path.join(out, stem + '.txt'), 'w', encoding='utf-8') as file: file.write(text)
        score.add(stem, set_.truth[stem], text, seconds, plain, levenshtein)
    return score


def main():
    docparse, evaluation, out, *names = sys.argv[1:]
    sys.path.insert(0, evaluation)
    from ocr import plain
    from score import levenshtein
    worst = int(os.environ.get('WORST') or 0)
    for name in names:
        set_ = Set(name, docparse, evaluation, out)
        own = judge(set_, set_.ours, os.path.join(set_.out, 'docparse'), plain, levenshtein)
        print('%-10s %2d pages, %5d characters' % (name, len(set_.files), own.chars))
        print('  docparse       %s' % own, flush=True)
        for cer, stem in sorted(own.rows, reverse=True)[:worst]: print('     %.3f %s' % (cer, stem))
        if not shutil.which('tesseract'):
            print('  tesseract      not installed (tesseract-ocr), nothing to compare with')
            continue
        modes = (os.environ.get('MODES') or ('1' if name == 'turned' else '3')).split()
        scores = []
        for mode in modes:
            for path in set_.files: set_.picture_of(path)
            scores.append((judge(set_, set_.tesseract(mode), os.path.join(set_.out, 'tesseract-' + mode), plain, levenshtein), mode))
        best, mode = min(scores, key=lambda s: s[0].cer())
        print('  tesseract --%s  %s' % (mode, best), flush=True)


if __name__ == '__main__': main()
