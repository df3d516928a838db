#!/usr/bin/env python3
"""What the scorers beside the evaluation documents do not measure.  Standard library only.

    measures.py headings GT PRED      headings found, and found with the right level: F1 over all documents
    measures.py tables GT PRED        tables printed where the ground truth has none; tables found: pairs that share
                                      half of their words or more, F1 over all documents
    measures.py formulas GT PRED      formulas of the ground truth found, by edit similarity of LaTeX without blanks,
                                      braces, spacing and sizes of brackets
    measures.py tagged PDFDIR PRED    headings with levels, list items with nesting and tables (TEDS, by the scorer that
                                      lies beside the documents) against the PDFs' own structure trees
                                      (pdfinfo -struct-text); documents whose tree has none do not count.  Tables twice:
                                      as the tree has them, and as a reader sees them (lays_out_prose, without_empty);
                                      nesting too: of all trees, and of those whose items 1. and 2. stand in one list

Two texts are the same if they agree in letters and digits, up to a tenth of edits.
"""
import collections
import difflib
import html
import os
import re
import subprocess
import sys
import unicodedata


def key(text):
    text = re.sub(r'<[^>]*>|\\', '', text)
    return ''.join(c for c in unicodedata.normalize('NFKD', text).lower() if c.isalnum())


def same(a, b): return a == b or (min(len(a), len(b)) > 4 and difflib.SequenceMatcher(None, a, b, False).ratio() >= 0.9)


def matches(truth, found):
    """Pairs of equal texts, in document order where there is a choice; each used once.  Items: (level, key)."""
    left, pairs = list(found), []
    for t in truth:
        best = next((f for f in left if f == t), None) or next((f for f in left if f[1] == t[1]), None) or next((f for f in left if same(f[1], t[1])), None)
        if best:
            left.remove(best)
            pairs.append((t, best))
    return pairs


class F1:
    def __init__(self): self.hit = self.truth = self.found = 0

    def add(self, hit, truth, found): self.hit, self.truth, self.found = self.hit + hit, self.truth + truth, self.found + found

    def __str__(self):
        if not self.truth: return '- (nothing to find)'
        p, r = self.hit / max(self.found, 1), self.hit / self.truth
        return '%.3f (precision %.3f, recall %.3f, %d in the ground truth)' % (2 * p * r / max(p + r, 1e-9), p, r, self.truth)


def lines_outside_code(markdown):
    fence = None
    for line in markdown.splitlines():
        mark = re.match(r'\s*(`{3,}|~{3,})', line)
        if mark and (fence is None or mark.group(1).startswith(fence)):
            fence = mark.group(1) if fence is None else None
        elif fence is None: yield line


def headings_of(markdown):
    out = []
    for line in lines_outside_code(markdown):
        m = re.match(r'(#{1,6})\s+(.*)', line)
        if m and key(m.group(2)): out.append((len(m.group(1)), key(m.group(2))))
    return out


def items_of(markdown):
    """(nesting from 0, text) of list items: an item is nested in the last one that is indented less."""
    out, open_ = [], []
    for line in lines_outside_code(markdown):
        m = re.match(r'(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)', line)
        if line.strip() and not m and not line[0].isspace(): open_ = []
        if not m: continue
        indent = len(m.group(1))
        while open_ and open_[-1] >= indent: open_.pop()
        if key(m.group(2)): out.append((len(open_), key(m.group(2))))
        open_.append(indent)
    return out


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as f: return f.read()
    except FileNotFoundError: return ''


def documents(gt, pred):
    for f in sorted(os.listdir(gt)):
        if f.endswith('.md'): yield f, read(os.path.join(gt, f)), read(os.path.join(pred, f))


def rank(headings):
    """Levels counted from the highest that the document uses, without gaps: what a reader sees."""
    used = sorted({level for level, _ in headings})
    return [(used.index(level) + 1, text) for level, text in headings]


def measure_headings(gt, pred):
    text, exact, ranked = F1(), F1(), F1()
    for _, truth, found in documents(gt, pred):
        t, f = headings_of(truth), headings_of(found)
        pairs = matches(t, f)
        text.add(len(pairs), len(t), len(f))
        exact.add(sum(a[0] == b[0] for a, b in pairs), len(t), len(f))
        t, f = rank(t), rank(f)
        ranked.add(sum(a[0] == b[0] for a, b in matches(t, f)), len(t), len(f))
    print('headings F1', text)
    print('headings with exact level F1', exact)
    print('headings with level counted without gaps F1', ranked)


def tables_in(markdown): return len(re.findall(r'<table', markdown)) + len(re.findall(r'(?m)^\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)+\|?\s*$', markdown))


def words_of_tables(markdown):
    """The words of each table, counted."""
    out = []
    for m in re.finditer(r'<table.*?</table>|(?m:(?:^[ \t]*\|[^\n]*(?:\n|$))+)', markdown, re.S):
        text = re.sub(r'<[^>]*>|[|\\$]|:?-{3,}:?', ' ', m.group(0))
        words = collections.Counter(w for w in (key(w) for w in text.split()) if w)
        if words: out.append(words)
    return out


def share(a, b):
    """Words in both, by the larger table's words."""
    return sum((a & b).values()) / max(sum(a.values()), sum(b.values()), 1)


def detection(truth, found):
    """How many tables of the ground truth have a printed table for themselves, best pairs first."""
    pairs = sorted(((share(a, b), i, k) for i, a in enumerate(truth) for k, b in enumerate(found)), reverse=True)
    left, right = set(), set()
    for s, i, k in pairs:
        if s >= 0.5 and i not in left and k not in right:
            left.add(i)
            right.add(k)
    return len(left)


def measure_tables(gt, pred):
    false = none = missed = some = 0
    detected = F1()
    for _, truth, found in documents(gt, pred):
        t, f = words_of_tables(truth), words_of_tables(found)
        detected.add(detection(t, f), len(t), len(f))
        if tables_in(truth):
            some += 1
            missed += not tables_in(found)
        else:
            none += 1
            false += bool(tables_in(found))
    print(f'tables: printed in {false} of {none} documents that have none, in none of {missed} of {some} documents that have some')
    print('tables detected F1', detected)


FORMULA = re.compile(r'\$\$(.+?)\$\$|\$(.+?)\$|\\\[(.+?)\\\]|\\\((.+?)\\\)', re.S)
SAME = {r'\le': r'\leq', r'\ge': r'\geq', r'\rightarrow': r'\to', r'\ne': r'\neq', r'\dots': r'\ldots', r'\dotsc': r'\ldots', r'\dotsb': r'\cdots',
        r'\tfrac': r'\frac', r'\dfrac': r'\frac', r'\lbrace': r'\{', r'\rbrace': r'\}', r'\mid': '|', r'\vert': '|', r'\bf': r'\mathbf'}
SILENT = r'left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr limits nolimits displaystyle textstyle scriptstyle quad qquad operatorname mathrm rm text textrm mbox'


def latex_key(text):
    out = []
    for token in re.findall(r'\\[a-zA-Z]+|\\.|[^\s{}]', text, re.S):
        if token in (r'\,', r'\;', r'\:', r'\!', r'\ ') or token[1:] in SILENT.split(): continue
        out.append(SAME.get(token, token))
    return ' '.join(out)


def formulas_of(markdown): return [latex_key(next(g for g in m if g)) for m in FORMULA.findall(markdown)]


def measure_formulas(gt, pred):
    found = whole = n = 0
    for _, truth, text in documents(gt, pred):
        have = formulas_of(text)
        for want in formulas_of(truth):
            best = max((difflib.SequenceMatcher(None, want.split(' '), f.split(' '), False).ratio() for f in have), default=0)
            n, found, whole = n + 1, found + best, whole + (best > 0.999)
    print('formulas: similarity %.3f, exact %.3f (%d in the ground truth)' % (found / max(n, 1), whole / max(n, 1), n))


def joined_strings(text):
    """Lines of pdfinfo; a string that holds line breaks as one line."""
    open_ = None
    for line in text.splitlines():
        if open_ is not None: open_ += ' ' + line
        elif line.lstrip().startswith('"'): open_ = line
        else:
            yield line
            continue
        if open_.rstrip().endswith('"') and len(open_.strip()) > 1:
            yield open_
            open_ = None
    if open_ is not None: yield open_


def structure(pdf):
    """(headings, list items, whether its numbered lists are level: 2. does not stand in another list than 1.)."""
    text = subprocess.run(['pdfinfo', '-struct-text', pdf], capture_output=True, timeout=60).stdout.decode('utf-8', 'replace')
    headings, items, stack, counts = [], [], [], []  # stack: (indent, kind, parts); counts: (number, nesting) of labels

    def close(indent):
        while stack and stack[-1][0] >= indent:
            _, kind, parts = stack.pop()
            whole = key(' '.join(parts))
            if re.fullmatch(r'H[1-6]?', kind) and whole: headings.append((int(kind[1:] or 0), whole))
            if kind == 'Lbl' and re.fullmatch(r'\d{1,3}', whole): counts.append((int(whole), sum(k == 'L' for _, k, _ in stack)))
            if kind in ('LBody', 'TOCI') and whole: items.append((max(sum(k == 'L' or k == 'TOC' for _, k, _ in stack) - 1, 0), whole))
    for line in joined_strings(text):
        indent = len(line) - len(line.lstrip())
        m = re.match(r'\s*([A-Za-z0-9]+)(\s+".*")?( \((?:block|inline|grouping)\))?:?\s*$', line)
        if line.lstrip().startswith('"'):
            for entry in stack:
                inner = next((k for _, k, _ in reversed(stack) if k in ('L', 'Lbl')), None)
                if entry[1] in ('LBody',) and inner == 'L' and stack[-1][1] != 'LBody': continue
                if entry[1] == 'LBody' and any(k == 'Note' for _, k, _ in stack): continue
                entry[2].append(line.strip().strip('"'))
        elif m:
            close(indent)
            stack.append((indent, m.group(1), []))
    close(-1)
    return headings, items, all(b[0] != a[0] + 1 or a[1] == b[1] for a, b in zip(counts, counts[1:]))


def tree_tables(pdf):
    """Tables of the structure tree: lists of rows of cells (text, columns, rows).  A table inside a cell is text of that
    cell.  What has fewer than two rows or columns with text is a frame for the layout, and its inner tables stand for it."""
    text = subprocess.run(['pdfinfo', '-struct-text', pdf], capture_output=True, timeout=60).stdout.decode('utf-8', 'replace')
    stack, done = [], []  # stack: [indent, kind, table rows or cell]

    def is_table(rows):
        cells = [[bool(key(' '.join(c['text']))) for c in row] for row in rows]
        return sum(map(any, cells)) > 1 and sum(sum(row[i:i + 1] == [True] for row in cells) > 0 for i in range(max(map(len, cells)))) > 1

    def close(indent):
        while stack and stack[-1][0] >= indent:
            _, kind, it = stack.pop()
            if kind == 'Table' and it['rows'] and is_table(it['rows']): found = [it['rows']]
            elif kind == 'Table': found = it['inner']
            else: continue
            outer = next((x for _, k, x in reversed(stack) if k == 'Table'), None)
            (done if outer is None else outer['inner']).extend(found)
    for line in joined_strings(text):
        indent = len(line) - len(line.lstrip())
        m = re.match(r'\s*([A-Za-z0-9]+)(?: <.*>)?(\s+".*")?( \((?:block|inline|grouping)\))?:?\s*$', line)
        span = re.match(r'\s*/(ColSpan|RowSpan) (\d+)$', line)
        if line.lstrip().startswith('"'):
            for _, kind, it in stack:
                if kind in ('TD', 'TH') and it: it['text'].append(line.strip()[1:-1])
        elif span and stack and stack[-1][1] in ('TD', 'TH') and stack[-1][2]: stack[-1][2][span.group(1)] = int(span.group(2))
        elif m:
            close(indent)
            kind, it = m.group(1), None
            table = next((x for _, k, x in reversed(stack) if k == 'Table'), None)
            if kind == 'Table': it = {'rows': [], 'inner': []}
            elif kind == 'TR' and table: table['rows'].append([])
            elif kind in ('TD', 'TH') and table and table['rows']:
                it = {'text': [], 'ColSpan': 1, 'RowSpan': 1}
                table['rows'][-1].append(it)
            stack.append((indent, kind, it))
    close(-1)
    return done


def tables_as_html(tables):
    def cell(c):
        spans = ''.join(f' {n.lower()}="{c[n]}"' for n in ('ColSpan', 'RowSpan') if c[n] > 1)
        return f'<td{spans}>' + html.escape(re.sub(r'\s+', ' ', ''.join(c['text'])).strip()) + '</td>'
    return '\n'.join('<table>' + ''.join('<tr>' + ''.join(map(cell, row)) + '</tr>' for row in rows) + '</table>' for rows in tables)


def plain_tables(tables, spans):
    """Cells as a structure tree has them: without links and styles, without spans if it tells none."""
    tables = re.sub(r'\[([^][]*)\]\([^()\s]*\)', r'\1', tables)
    tables = re.sub(r'</?(?:a|sup|sub|b|i|em|strong|code|del)\b[^>]*>|[*`]|\\(?=[^\w\s])', '', tables)
    return tables if spans else re.sub(r' (?:col|row)span="\d+"', '', tables)


def lays_out_prose(rows):
    """A tree's table that is none to a reader: up to three columns, most of whose words stand in cells of more than forty."""
    words = [len(' '.join(c['text']).split()) for row in rows for c in row]
    return max(map(len, rows)) <= 3 and sum(n for n in words if n > 40) > 0.6 * sum(words)


def without_empty(table, columns):
    """The table's HTML without the rows, and where columns says so the columns, in which no text begins: blank lines of a form
    and white space that a tree counts.  Spans count what is left."""
    cells, taken = [], set()  # (row, column, rows, columns, whole cell, its text)
    for r, row in enumerate(re.findall(r'<tr>(.*?)</tr>', table, re.S)):
        c = 0
        for tag, attributes, text in re.findall(r'<(t[dh])([^>]*)>(.*?)</t[dh]>', row, re.S):
            span = {n: int(v) for n, v in re.findall(r'(colspan|rowspan)="(\d+)"', attributes)}
            while (r, c) in taken: c += 1
            down, right = span.get('rowspan', 1), span.get('colspan', 1)
            taken.update((r + i, c + k) for i in range(down) for k in range(right))
            cells.append((r, c, down, right, tag, text))
            c += right
    rows = {r for r, _, _, _, _, text in cells if key(text)}
    filled = {c for _, c, _, _, _, text in cells if key(text)} if columns else {c for _, c in taken}
    out = []
    for r in sorted(rows):
        out.append('<tr>')
        for top, left, down, right, tag, text in cells:
            n, m = sum(i in rows for i in range(top, top + down)), sum(k in filled for k in range(left, left + right))
            if top != r or not m: continue
            out.append('<%s%s%s>%s</%s>' % (tag, f' colspan="{m}"' if m > 1 else '', f' rowspan="{n}"' if n > 1 else '', text, tag))
        out.append('</tr>')
    return '<table>' + ''.join(out) + '</table>'


def tables_seen(tables, columns):
    return '\n'.join(without_empty(t, columns) for t in re.findall(r'<table.*?</table>', tables, re.S))


def teds_of_document(teds, tree, found):
    """(as the tree has them, as a reader sees them), None where there is no table."""
    def score(tables, change):
        truth = tables_as_html(tables)
        spans = 'span=' in truth
        return teds(change(truth, spans), plain_tables(change(found, spans), spans))[0] if truth else None
    return score(tree, lambda t, _: t), score([t for t in tree if not lays_out_prose(t)], tables_seen)


def print_teds(name, scores):
    worst = ', '.join('%s %.2f' % (f, t) for t, f in sorted(scores) if t < 0.85)
    print('%s %.3f (%d documents with tables%s)' % (name, sum(t for t, _ in scores) / max(len(scores), 1), len(scores), worst and '; ' + worst))


def measure_tagged(folder, pred):
    sys.path.insert(0, os.path.join(folder, '..', '..', '..'))
    import score  # the scorer that lies beside the documents
    text, exact, items, nested, level, tables, seen = F1(), F1(), F1(), F1(), F1(), [], []
    for f in sorted(os.listdir(folder)):
        if not f.endswith('.pdf'): continue
        headings, listed, sound = structure(os.path.join(folder, f))
        found = read(os.path.join(pred, f[:-4] + '.md'))
        if headings:
            t, p = rank(headings), rank(headings_of(found))
            pairs = matches(t, p)
            text.add(len(pairs), len(t), len(p))
            exact.add(sum(a[0] == b[0] for a, b in pairs), len(t), len(p))
        raw, visible = teds_of_document(score.teds, tree_tables(os.path.join(folder, f)), score.tables_as_html(found))
        if raw is not None: tables.append((raw, f[:-4]))
        if visible is not None: seen.append((visible, f[:-4]))
        if listed:
            p = items_of(found)
            pairs = matches(listed, p)
            items.add(len(pairs), len(listed), len(p))
            nested.add(sum(a[0] == b[0] for a, b in pairs), len(listed), len(p))
            if sound: level.add(sum(a[0] == b[0] for a, b in pairs), len(listed), len(p))
    print('tagged headings F1', text)
    print('tagged headings with level F1', exact)
    print('tagged list items F1', items)
    print('tagged list items with nesting F1', nested)
    print('tagged list items with nesting, trees whose 1. and 2. stand in one list F1', level)
    print_teds('tagged tables TEDS', tables)
    print_teds('tagged tables TEDS as seen', seen)


if __name__ == '__main__':
    commands = {'headings': measure_headings, 'tables': measure_tables, 'formulas': measure_formulas, 'tagged': measure_tagged}
    if len(sys.argv) != 4 or sys.argv[1] not in commands: sys.exit(__doc__)
    commands[sys.argv[1]](sys.argv[2], sys.argv[3])
