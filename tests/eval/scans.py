#!/usr/bin/env python3
"""Structure that a scan loses: the Markdown of a born-digital PDF beside that of its picture.

    scans.py DOCPARSE OUT [FILE.pdf...]      default: samples/*.pdf

Each file is made into a scan (grey, 200 dpi, half a degree of skew) and both are converted.  Prints for each file how alike the two are,
1 = the same: BLOCKS, the sequence of kinds of blocks (headings with their level, paragraphs, list items, rows of tables, notes, figures), and
TEXT, the characters of the Markdown.  OUT/NAME.diff has the differences.  Needs pdftoppm, convert and img2pdf.
"""
import difflib
import glob
import os
import re
import subprocess
import sys


def scan(path, out):
    if os.path.exists(out): return
    stem = out[:-4]
    subprocess.run(['pdftoppm', '-r', '200', '-gray', '-png', path, stem], check=True)
    pages = sorted(glob.glob(glob.escape(stem) + '-*.png'))
    for page in pages:
        subprocess.run(['convert', page, '-background', 'white', '-virtual-pixel', 'white', '-distort', 'SRT', '0.5', '-density', '200', '-units',
                        'PixelsPerInch', page], check=True)
    subprocess.run(['img2pdf', '-o', out, *pages], check=True, stderr=subprocess.DEVNULL)
    for page in pages: os.remove(page)


def markdown(docparse, path, out):
    subprocess.run([docparse, path, '-o', out, '-t', 'md', '--images', 'placeholder', '-q'], check=False)
    with open(out, encoding='utf-8') as file: return file.read()


def kind(line):
    if re.match(r'#+ ', line): return line.split()[0]
    if re.match(r'\s*([-*+]|\d+[.)]) ', line): return 'item'
    if re.match(r'\s*\|[\s|:-]+\|\s*$', line): return ''
    if re.match(r'\s*(\||<tr)', line): return 'row'
    if re.match(r'\[\^', line): return 'note'
    if re.match(r'!\[', line): return 'figure'
    if re.match(r'\s*</?(table|thead|tbody|td|th)\b|\s*</tr', line): return ''
    return 'text'


def kinds(text): return [k for k in (kind(line) for line in text.splitlines() if line.strip()) if k]


def plain(text): return re.sub(r'\s+', ' ', re.sub(r'!\[[^\]]*\]\([^)]*\)', '', text))


def main():
    docparse, out, *files = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    all_blocks, all_text = [], []
    for path in files or sorted(glob.glob('samples/*.pdf')):
        name = os.path.basename(path)[:-4]
        picture = os.path.join(out, name + '.pdf')
        scan(path, picture)
        typed, read = markdown(docparse, path, os.path.join(out, name + '.typed.md')), markdown(docparse, picture, os.path.join(out, name + '.md'))
        blocks = difflib.SequenceMatcher(None, kinds(typed), kinds(read), autojunk=False).ratio()
        text = difflib.SequenceMatcher(None, plain(typed).split(), plain(read).split(), autojunk=False).ratio()
        all_blocks.append(blocks)
        all_text.append(text)
        with open(os.path.join(out, name + '.diff'), 'w', encoding='utf-8') as file:
            file.writelines(difflib.unified_diff(typed.splitlines(True), read.splitlines(True), 'typed', 'scan', n=0))
        print('%-16s BLOCKS %.3f  TEXT %.3f' % (name, blocks, text), flush=True)
    print('%-16s BLOCKS %.3f  TEXT %.3f' % ('mean', sum(all_blocks) / len(all_blocks), sum(all_text) / len(all_text)))


if __name__ == '__main__': main()
