#!/usr/bin/env python3
"""Photographs of pages and open books, made of born-digital PDFs whose text is known: how well they are read.

    photos.py DOCPARSE OUT [FILE.pdf...]      default: four of samples/*.pdf; SHOTS="table curl spread" chooses kinds

    table    the page seen from one side on a dark table, with a shadow across
    curl     lines that bend towards a spine, no edge of the paper in the picture
    spread   two pages of an open book side by side, each a little askew

Prints the rate of wrong characters of each against the text of the born-digital file as docparse itself reads it, beside that of
Tesseract 5 where it is installed.  Needs pdftoppm and convert (ImageMagick).  The same input always gives the same picture.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'documents'))
import scan

DPI = 200
CHOSEN = ('letter', 'lists', 'languages', 'running-heads')


def run(*command): return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode('utf-8', 'replace')


def size(path): return tuple(int(v) for v in run('identify', '-format', '%w %h', path).split())


def table(pages, out):
    """A quadrilateral on dark wood."""
    w, h = size(pages[0])
    corners = ((0, 0, .13 * w, .08 * h), (w, 0, 1.02 * w, .12 * h), (w, h, 1.10 * w, 1.03 * h), (0, h, .06 * w, 1.06 * h))
    run('convert', pages[0], '-background', 'gray(25%)', '-virtual-pixel', 'background', '-set', 'option:distort:viewport',
        '%dx%d+0+0' % (1.18 * w, 1.14 * h), '-distort', 'Perspective', ' '.join('%d,%d %d,%d' % c for c in corners), '(', '-size', '%dx%d' % (1.18 * w, 1.14 * h),
        'gradient:gray(70%)-white', '-rotate', '180', ')', '-compose', 'Multiply', '-composite', '-seed', '7', '-attenuate', '0.2', '+noise', 'Gaussian', '-colorspace',
        'Gray', '-quality', '80', out)


def curl(pages, out):
    """Rows rise towards the left edge, more at the head of the page than at its foot."""
    w, h = size(pages[0])
    points = []
    for v in (0, .25, .5, .75, 1):
        for u in (0, .1, .25, .5, .75, 1):
            points.append('%d,%d %d,%d' % (u * w, v * h, u * w, v * h + (1 - .5 * v) * .03 * h * (1 - u) ** 3 - .006 * h * u))
    run('convert', pages[0], '-virtual-pixel', 'edge', '-distort', 'Polynomial', '3 ' + ' '.join(points), '-blur', '0x0.6', '-quality', '80', out)


def spread(pages, out):
    left, right = pages[0], pages[1 % len(pages)]
    run('convert', '(', left, '-virtual-pixel', 'white', '-distort', 'SRT', '0.9', ')', '(', right, '-virtual-pixel', 'white', '-distort', 'SRT', '-1.1', ')', '+append',
        '-quality', '80', out)


SHOTS = {'table': (table, 1), 'curl': (curl, 1), 'spread': (spread, 2)}


def text_of(docparse, *arguments): return scan.plain(run(docparse, *arguments, '-o', '-', '-t', 'txt', '-q', '-j', '1'))


def wrong(read, truth): return scan.edits(read, truth) / max(1, len(truth))


def main():
    docparse, out, *files = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for shot in (os.environ.get('SHOTS') or 'table curl spread').split():
        make, n = SHOTS[shot]
        rates = []
        for path in files or ['samples/%s.pdf' % name for name in CHOSEN]:
            stem = os.path.join(out, os.path.basename(path)[:-4])
            run('pdftoppm', '-r', str(DPI), '-gray', '-png', '-l', '2', path, stem)
            pages = [p for p in ('%s-%s.png' % (stem, k) for k in ('1', '2', '01', '02')) if os.path.exists(p)]
            picture = '%s-%s.jpg' % (stem, shot)
            make(pages, picture)
            numbers = ','.join(str(k % len(pages) + 1) for k in range(n)) if len(pages) >= n else '1'
            truth = text_of(docparse, path, '--pages', numbers)
            if len(pages) < n: truth = (truth + ' ') * n
            rate = [wrong(text_of(docparse, picture, '--method', 'ocr'), truth)]
            if shutil.which('tesseract'): rate.append(wrong(scan.plain(run('tesseract', picture, '-', '--psm', '3', '-l', 'eng')), truth))
            rates.append(rate)
            print('%-8s %-16s CER %s' % (shot, os.path.basename(path)[:-4], '  tesseract '.join('%.4f' % r for r in rate)), flush=True)
        print('%-8s %-16s CER %s' % (shot, 'mean', '  tesseract '.join('%.4f' % (sum(r) / len(r)) for r in zip(*rates))))


if __name__ == '__main__': main()
