#!/usr/bin/env python3
"""Markdown against the HTML that its PDF was set from (make.py).  Standard library only.

    judge.py HTMLDIR MDDIR [--show] [DOCUMENT...]

Over all documents, each 0 to 1:
  text      words in the right order (longest common subsequence), notes apart
  heads     headings with their level, F1        paras     paragraphs joined and cut as in the HTML, F1
  items     list items, F1                       nesting   items found that are as deep as in the HTML
  code      listings with their lines and spaces lines     lines of verse and addresses kept, of those in the HTML
  tables    tables of the same words, F1         cells     cells in the right row and column, F1
  notes     footnotes with their text, F1        leaks     running heads and page numbers left in the text, a document
Texts are the same if all their letters and digits are.  --show says for each document what is missing (-) and too much (+).
"""
import argparse
import collections
import html
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from measures import items_of, key

FREE = {'subject', 'letterhead', 'byline'}
RUNNING = re.compile(r'^(Operating manual 4\.2|Annual report 2024|Harbour district|Draft of 12 March|(Page )?\d+( / \d+)?)$')


class Facts:
    """What a document says, in order of reading."""

    def __init__(self):
        self.words, self.heads, self.paras, self.items, self.lines, self.code, self.tables, self.notes = [], [], [], [], [], [], [], []
        self.free = set()  # texts that may be a heading, a paragraph or a line as one likes: captions, terms, a letter's subject

    def text(self, text): self.words += words(text)


def words(text):
    """Words; where a language writes without blanks, characters."""
    return re.findall(r'[぀-鿿]|[^\W_぀-鿿]+', text.lower())


def squeeze(text): return ' '.join(text.split())


def own_text(element, skip=()):
    """All text below an element but that of the tags in skip and of notes."""
    out = [element.text or '']
    for child in element:
        if child.get('class') != 'note' and child.tag not in skip: out.append('\n' if child.tag == 'br' else own_text(child, skip))
        out.append(child.tail or '')
    return ''.join(out)


def walk_html(element, facts, depth=0):
    for child in element: read_element(child, facts, depth)


def read_element(e, facts, depth):
    """One element of the truth and all below it."""
    for note in e.findall('.//span[@class="note"]') if e.tag == 'p' else (): facts.notes.append(key(own_text(note)))
    if re.fullmatch('h[1-6]', e.tag): facts.heads.append((int(e.tag[1]), key(own_text(e))))
    elif FREE & set((e.get('class') or '').split()) or e.tag in ('dt', 'dd'): facts.free |= {key(l) for l in own_text(e).split('\n')} | {key(own_text(e))}
    elif e.tag == 'p':
        if e.find('br') is not None: facts.lines += [key(l) for l in own_text(e).split('\n')]
        else: facts.paras.append(key(own_text(e)))
    elif e.tag == 'li': facts.items.append((depth - 1, key(own_text(e, ('ul', 'ol')))))
    elif e.tag == 'pre': facts.code.append(own_text(e).strip('\n'))
    elif e.tag == 'table':
        facts.tables.append([[key(own_text(c)) for c in row] for row in e.findall('tr')])
        facts.free |= {key(own_text(c)) for c in e.findall('caption')}
    elif e.tag == 'dl': facts.free |= {key(own_text(term) + own_text(sense)) for term, sense in zip(e.findall('dt'), e.findall('dd'))}
    if e.tag in ('body', 'div', 'ul', 'ol', 'dl', 'aside', 'blockquote', 'table', 'tr'): return walk_html(e, facts, depth + (e.tag in ('ul', 'ol')))
    facts.text(own_text(e, ('ul', 'ol')))
    if e.tag == 'li': walk_html([c for c in e if c.tag in ('ul', 'ol')], facts, depth)


def facts_of_html(text):
    facts = Facts()
    walk_html(xml.etree.ElementTree.fromstring(text).find('body'), facts)
    return facts


def plain(markdown):
    """Inline Markdown without its marks."""
    text = re.sub(r'!?\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)', r'\1', re.sub(r'\[\^[^\]]+\]', '', markdown))
    return html.unescape(re.sub(r'</?(?:sup|sub|u|b|i|em|strong)>|\\(?=[^\w\s])|\*+|`', '', text))


def blocks_of(markdown):
    """(kind, lines) of the blocks of a page of Markdown: code, html, head, note, item, table, para."""
    block, kind, fence = [], None, None
    for line in markdown.splitlines() + ['']:
        mark = re.match(r'\s*(`{3,})', line)
        if fence:
            if mark and mark.group(1) == fence: yield 'code', block; block, kind, fence = [], None, None
            else: block.append(line)
            continue
        bare = re.sub(r'^(\s*>)+ ?', '', line)
        starts = ('head' if re.match(r'#{1,6} ', bare) else 'note' if re.match(r'\[\^[^\]]+\]:', bare) else 'item' if re.match(r'\s*([-*+]|\d{1,9}[.)]) ', bare)
                  else 'code' if mark else 'html' if re.match(r'\s*<table', bare) else 'table' if bare.lstrip().startswith('|') and kind != 'table' else None)
        inside_html = kind == 'html' and not any('</table>' in l for l in block)
        if block and not inside_html and (starts or not bare.strip()): yield kind, block; block, kind = [], None
        if mark and not inside_html: kind, fence = 'code', mark.group(1)
        elif bare.strip():
            kind = kind or starts or 'para'
            block.append(bare)


def cells_of(kind, lines):
    if kind == 'html':
        rows = re.findall(r'<tr[^>]*>(.*?)</tr>', ' '.join(lines), re.S)
        return [[key(plain(c)) for c in re.findall(r'<t[dh][^>]*>(.*?)</t[dh]>', row, re.S)] for row in rows]
    rows = [re.split(r'(?<!\\)\|', l.strip().strip('|')) for l in lines if not re.fullmatch(r'[\s|:-]+', l) or not '-' in l]
    return [[key(plain(c)) for c in row] for row in rows]


def facts_of_markdown(markdown):
    facts = Facts()
    facts.items = [(depth, key(plain(text))) for depth, text in items_with_marks(markdown)]
    for kind, lines in blocks_of(markdown):
        text = '\n'.join(lines)
        if kind == 'note': facts.notes.append(key(plain(re.sub(r'^\[\^[^\]]+\]:', '', text))))
        elif kind == 'code':
            indent = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
            facts.code.append('\n'.join(l[indent:].rstrip() for l in lines))
        elif kind in ('html', 'table'): facts.tables.append(cells_of(kind, lines))
        elif kind == 'head': facts.heads.append((len(text) - len(text.lstrip('#')), key(plain(text))))
        elif kind == 'para':
            kept = [key(plain(l)) for l in re.split(r'(?:\\|  )\n|<br ?/?>', text)]
            if len(kept) > 1: facts.lines += kept
            else: facts.paras += kept
        if kind != 'note': facts.text(plain(re.sub(r'<[^>]*>', ' ', text) if kind == 'html' else text))
    return facts


def items_with_marks(markdown):
    """(depth, text) of the items; a line below an item that starts no item belongs to it."""
    out = []
    for kind, lines in blocks_of(markdown):
        if kind == 'item': out.append(re.sub(r'^\s*([-*+]|\d{1,9}[.)]) ', '', '\n'.join(lines)))
    depths = [d for d, _ in items_of(markdown)]
    return list(zip(depths, out)) if len(depths) == len(out) else [(0, text) for text in out]


def common(a, b):
    """Length of the longest common subsequence (Hyyrö's bit-parallel one)."""
    places = collections.defaultdict(int)
    for i, x in enumerate(a): places[x] |= 1 << i
    all_ = (1 << len(a)) - 1
    v = all_
    for x in b:
        u = v & places[x] if x in places else 0
        v = ((v + u) | (v - u)) & all_
    return len(a) - bin(v).count('1')


class Score:
    """Hits of two sides: F1 over all documents."""

    def __init__(self): self.hits = self.truth = self.found = 0

    def add(self, hits, truth, found): self.hits, self.truth, self.found = self.hits + hits, self.truth + truth, self.found + found

    def value(self): return 2 * self.hits / (self.truth + self.found) if self.truth + self.found else 1.0


def bags(truth, found):
    a, b = (collections.Counter(x for x in side if x) for side in (truth, found))
    return sum((a & b).values()), a - b, b - a


def without(texts, free): return [t for t in texts if (t[1] if isinstance(t, tuple) else t) not in free]


def pair_tables(truth, found):
    """Pairs of tables that share most of their words."""
    left, pairs = list(found), []
    for t in truth:
        words_of = lambda table: collections.Counter(c for row in table for c in row)
        share = lambda f: sum((words_of(t) & words_of(f)).values())
        best = max(left, key=share, default=None)
        if best is not None and 2 * share(best) > sum(map(len, t)):
            left.remove(best)
            pairs.append((t, best))
    return pairs, left


def judge(truth, found, scores, markdown):
    """Adds one document to scores and returns what differs, for --show."""
    shown = []
    scores['text'].add(common(truth.words, found.words), len(truth.words), len(found.words))
    paras = found.paras + [l for l in found.lines if l not in truth.lines]
    for name, a, b in (('heads', truth.heads, without(found.heads, truth.free)), ('paras', truth.paras, without(paras, truth.free)),
                       ('items', [t for _, t in truth.items], without([t for _, t in found.items], truth.free)), ('code', truth.code, found.code), ('notes', truth.notes, found.notes)):
        hits, missing, extra = bags(a, b)
        scores[name].add(hits, hits + sum(missing.values()), hits + sum(extra.values()))
        shown += ['  %s %s %s' % (sign, name, str(x)[:150]) for sign, side in (('-', missing), ('+', extra)) for x in side]
    deep, _, other = bags(truth.items, found.items)
    both = bags([t for _, t in truth.items], [t for _, t in found.items])[0]
    scores['nesting'].add(deep, both, both)
    hits, missing, _ = bags(truth.lines, found.lines)
    scores['lines'].add(hits, sum(map(bool, truth.lines)), sum(map(bool, truth.lines)))
    shown += ['  - lines %s' % x for x in missing]
    pairs, left = pair_tables(truth.tables, found.tables)
    scores['tables'].add(len(pairs), len(truth.tables), len(found.tables))
    for a, b in pairs:
        at = lambda t: [(i, j, c) for i, row in enumerate(t) for j, c in enumerate(row)]
        scores['cells'].add(bags(at(a), at(b))[0], len(at(a)), len(at(b)))
    shown += ['  - table'] * (len(truth.tables) - len(pairs)) + ['  + table'] * len(left)
    leaks = [l for l in markdown.splitlines() if RUNNING.match(plain(l).strip('# '))]
    scores['leaks'].add(len(leaks), 1, 1)
    return shown + ['  + leak %s' % l for l in leaks]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('html')
    ap.add_argument('markdown')
    ap.add_argument('document', nargs='*')
    ap.add_argument('--show', action='store_true')
    args = ap.parse_args()
    scores, documents = collections.defaultdict(Score), 0
    for name in sorted(os.listdir(args.html)):
        stem = name[:-5]
        if args.document and not any(d in stem for d in args.document): continue
        documents += 1
        with open(os.path.join(args.html, name), encoding='utf-8') as file: truth = facts_of_html(file.read())
        try:
            with open(os.path.join(args.markdown, stem + '.md'), encoding='utf-8') as file: markdown = file.read()
        except FileNotFoundError: markdown = ''
        one = collections.defaultdict(Score)
        shown = judge(truth, facts_of_markdown(markdown), one, markdown)
        for k, s in one.items(): scores[k].add(s.hits, s.truth, s.found)
        if args.show: print('\n'.join([stem + '  ' + line(one)] + shown))
    print('manuals: %d documents  %s' % (documents, line(scores)))


def line(scores):
    order = 'text heads paras items nesting code lines tables cells notes leaks'.split()
    return '  '.join('%s %.3f' % (k, scores[k].value()) for k in order if scores[k].truth or scores[k].found)


if __name__ == '__main__': main()
