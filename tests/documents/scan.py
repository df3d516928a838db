#!/usr/bin/env python3
"""Born-digital samples as scans, and how well a reading agrees with what was typed.  Standard library and pdftoppm.

    scan.py make IN.pdf OUT.pdf DPI TURN SKEW     an image-only PDF: turned clockwise by TURN, skewed by SKEW degrees, with
                                                  the grain and the uneven light of a cheap scanner
    scan.py spreads IN.pdf OUT.pdf                 the pages two by two, as a book lies open, each with a skew of its own
    scan.py mixed OUT.pdf                         a typed page with a picture of text and a picture of clouds on it
    scan.py signs OUT.pdf [FACE.ttf]              a typed page with program text and displayed formulas between its paragraphs
    scan.py framed OUT.pdf FACE.ttf               a typed page whose links stand in frames
    scan.py judge TYPED.md READ.md CER            says what is wrong: other blocks (headings, lists, tables, paragraphs) or more
                                                  wrong characters than CER; exit code 1 then
"""
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples'))


def pages(path, dpi):
    """Grey pages as (width, height, list of rows)."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['pdftoppm', '-r', str(dpi), '-gray', path, os.path.join(folder, 'p')], check=True)
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), 'rb') as file: data = file.read()
            head = re.match(rb'P5\s+(\d+)\s+(\d+)\s+255\s', data)
            w, h = int(head[1]), int(head[2])
            at = head.end()
            yield w, h, [data[at + y * w:at + (y + 1) * w] for y in range(h)]


def shift(row, by):
    """Moves the pixels of a row to the right; white comes in."""
    if by > 0: return (b'\xff' * by + row)[:len(row)]
    return (row + b'\xff' * -by)[-len(row):] if by else row


def columns(rows): return [bytes(c) for c in zip(*rows)]


def skewed(rows, degrees):
    """Two shears, which is a rotation as long as the angle is small."""
    t = math.tan(math.radians(degrees))
    h = len(rows)
    rows = [shift(row, round((h / 2 - y) * t)) for y, row in enumerate(rows)]
    turned = columns(rows)
    w = len(turned)
    return columns([shift(c, round((x - w / 2) * t)) for x, c in enumerate(turned)])


def turned(rows, degrees):
    if degrees == 90: return [c[::-1] for c in columns(rows)]
    if degrees == 180: return [r[::-1] for r in reversed(rows)]
    if degrees == 270: return list(reversed(columns(rows)))
    return rows


def grainy(rows):
    """Paper between 238 and 250 that darkens to one side, ink between 20 and 30; the same every time."""
    out, seed = [], 12345
    tables = [bytes(max(0, min(255, round(25 + v / 255 * (217 - shade) + grain))) for v in range(256)) for shade in range(0, 24, 3) for grain in (-3, 0, 3, 1)]
    for y, row in enumerate(rows):
        seed = (seed * 1103515245 + 12345) & 0x7fffffff
        out.append(row.translate(tables[y * 8 // len(rows) * 4 + (seed >> 16) % 4]))
    return out


def make(path, out, dpi, turn, skew):
    from pdf import Pdf
    pdf = Pdf(title='')
    for w, h, rows in pages(path, dpi):
        rows = turned(grainy(skewed(rows, skew) if skew else rows), turn)
        w, h = len(rows[0]), len(rows)
        page = pdf.page(w * 72 / dpi, h * 72 / dpi)
        page.image(0, 0, w * 72 / dpi, h * 72 / dpi, pdf.grey_image(w, h, b''.join(rows)))
    with open(out, 'wb') as file: file.write(pdf.save())


def spreads(path, out, dpi=150):
    from pdf import Pdf
    pdf = Pdf(title='')
    all_pages = list(pages(path, dpi))
    for (w, h, left), (_, _, right) in zip(all_pages[::2], all_pages[1::2]):
        rows = grainy([a + b for a, b in zip(skewed(left, 0.9), skewed(right, -0.8))])
        page = pdf.page(2 * w * 72 / dpi, h * 72 / dpi)
        page.image(0, 0, 2 * w * 72 / dpi, h * 72 / dpi, pdf.grey_image(2 * w, h, b''.join(rows)))
    with open(out, 'wb') as file: file.write(pdf.save())


def mixed(out):
    """Typed lines; below them, as an image, some lines of the letter; then an image without text."""
    from pdf import Pdf, StandardFont
    pdf = Pdf(title='')
    page = pdf.page(595, 842)
    font = StandardFont('Helvetica')
    for i, text in enumerate(('The clerk typed these lines himself and pasted in below them', 'what the trustees had written, as a picture.')):
        page.text(72, 90 + 14 * i, font, 11, text)
    letter = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'samples', 'letter.pdf')
    w, h, rows = next(pages(letter, 200))
    rows = rows[h * 30 // 100:h * 44 // 100]
    page.image(40, 140, w * 72 / 200, len(rows) * 72 / 200, pdf.grey_image(w, len(rows), b''.join(rows)))
    clouds = [bytes(round(140 + 60 * math.sin(x / 23 + y / 41) + 40 * math.cos(y / 17 - x / 31)) for x in range(300)) for y in range(200)]
    page.image(150, 500, 300, 200, pdf.grey_image(300, 200, b''.join(clouds)))
    with open(out, 'wb') as file: file.write(pdf.save())


PROSE = ('The keeper of the ferry writes down each crossing in a book that lies', 'on the table beside the window, and his wife adds up the fares on Sunday',
         'when the chain is greased and the bell is polished for the coming week.')


def signs(out, face=None):
    """Prose, program text in a typewriter's face (whatever stands in for Courier here, or a font file), and fractions between their bars."""
    from pdf import EmbeddedFont, Pdf, StandardFont
    pdf = Pdf(title='')
    page = pdf.page(595, 842)
    serif, slanted, mono = StandardFont('Times-Roman'), StandardFont('Times-Italic'), EmbeddedFont(face) if face else StandardFont('Courier')

    def prose(y):
        for i, text in enumerate(PROSE): page.text(72, y + 14 * i, serif, 11, text)

    prose(100)
    for i, text in enumerate(('for port in harbours:', '    tides.append(height_of(port))', 'return sorted(tides)')): page.text(90, 162 + 13 * i, mono, 10, text)
    prose(220)
    for y, top, foot in ((290, 'x + y', 'a b'), (420, 'p + q', 'r s')):
        page.text(230, y, slanted, 12, 'f')
        page.text(240, y, serif, 12, '( x ) =')
        page.text(282, y - 9, slanted, 12, top)
        page.fill(280, y - 4.4, 40, 0.7, (0, 0, 0))
        page.text(290, y + 9, slanted, 12, foot)
        page.text(505, y, serif, 12, '(%d)' % (y // 130))
        prose(y + 45)
    with open(out, 'wb') as file: file.write(pdf.save())


def framed(out, face):
    """Prose whose links stand in frames, as hyperref prints them: one figure, a word, several.  Set in a font file: what stands in
    for a font that is not there may be wider than its place, and reach into the frames."""
    from pdf import EmbeddedFont, Pdf
    pdf = Pdf(title='')
    page = pdf.page(595, 842)
    sans = EmbeddedFont(face)

    def line(y, *pieces):
        x = 72
        for i, piece in enumerate(pieces):
            w = sans.width(piece) * 10 / 1000
            page.text(x, y, sans, 10, piece)
            if i % 2:
                for x0, y0, x1, y1 in ((x - 1, y - 8.6, x + w + 1, y - 8.6), (x - 1, y + 2.4, x + w + 1, y + 2.4), (x - 1, y - 8.6, x - 1, y + 2.4), (x + w + 1, y - 8.6, x + w + 1, y + 2.4)):
                    page.line(x0, y0, x1, y1, 0.6, (0.8, 0, 0) if i == 1 else (0, 0.6, 0))
            x += w

    for i, text in enumerate(PROSE): page.text(72, 100 + 14 * i, sans, 10, text)
    line(142, 'The fares are listed in Table ', '3', ', the crossings by ', 'Marten and Rowe', ' in Section ', '12', '.')
    line(170, 'His log is kept in the harbour office [', '4', ', ', '17', '], and was printed by ', 'the Ferry Trust', '.')
    for i, text in enumerate(PROSE): page.text(72, 198 + 14 * i, sans, 10, text)
    with open(out, 'wb') as file: file.write(pdf.save())


# ---- judging ----------------------------------------------------------------------------------------------------------

def kind(line):
    for pattern, name in ((r'#+ ', None), (r'\s*[-*] ', 'item'), (r'\s*\d+[.)] ', 'number'), (r'\|', 'row'), (r'\s*<', 'html'), (r'\[\^', 'note')):
        found = re.match(pattern, line)
        if found: return name or found[0].strip()
    return 'text'


def blocks(markdown):
    """The kinds of the lines that begin something."""
    return [kind(line) for line in markdown.splitlines() if line.strip()]


def plain(markdown):
    markdown = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', markdown)
    text = re.sub(r'<[^>]*>|[*_`|\\#]|^\s*[-*] |-{3,}|:-+', ' ', markdown, flags=re.M)
    return re.sub(r'\s+', ' ', text.translate(str.maketrans('\u2018\u2019\u201c\u201d\u2013\u2014', "''\"\"--"))).strip()


def edits(a, b):
    """Levenshtein distance inside a band, enough for texts that are nearly equal."""
    band = 80 + abs(len(a) - len(b))
    row = {j: j for j in range(min(len(b), band) + 1)}
    for i, c in enumerate(a, 1):
        new = {}
        for j in range(max(0, i - band), min(len(b), i + band) + 1):
            best = row.get(j, 10**9) + 1
            if j > 0: best = min(best, new.get(j - 1, 10**9) + 1, row.get(j - 1, 10**9) + (c != b[j - 1]))
            new[j] = best
        row = new
    return row[len(b)]


def judge(typed, read, limit):
    with open(typed, encoding='utf-8') as file: t = file.read()
    with open(read, encoding='utf-8') as file: r = file.read()
    wrong = 0
    if blocks(t) != blocks(r):
        wrong = 1
        print('other blocks:\n  typed', ' '.join(blocks(t)), '\n  read ', ' '.join(blocks(r)))
    a, b = plain(t), plain(r)
    cer = edits(b, a) / max(1, len(a))
    if cer > limit: wrong = 1
    print('CER %.4f, allowed %.4f' % (cer, limit))
    return wrong


if __name__ == '__main__':
    if sys.argv[1] == 'make': make(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))
    elif sys.argv[1] == 'spreads': spreads(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == 'mixed': mixed(sys.argv[2])
    elif sys.argv[1] == 'signs': signs(*sys.argv[2:4])
    elif sys.argv[1] == 'framed': framed(sys.argv[2], sys.argv[3])
    else: sys.exit(judge(sys.argv[2], sys.argv[3], float(sys.argv[4])))
