"""A small typesetter: inline markup to lines, lines into frames over columns and pages.

Markup in text: <b> <i> <m> (monospaced) <sup> <sub> <a:URL>...</a>; a soft hyphen (U+00AD)
marks where a word may be divided.  Lines are broken greedily, as office programs do.
"""
import re
from dataclasses import dataclass, replace

from pdf import EmbeddedFont, StandardFont

DEJAVU = '/usr/share/fonts/truetype/dejavu/'


def dejavu(family='DejaVuSerifCondensed'):
    """Regular, bold, italic and monospaced faces of a sample."""
    italic = 'Italic' if 'Serif' in family else 'Oblique'
    return {'': EmbeddedFont(DEJAVU + family + '.ttf'), 'b': EmbeddedFont(DEJAVU + family + '-Bold.ttf'),
            'i': EmbeddedFont(DEJAVU + family + '-' + italic + '.ttf'), 'm': EmbeddedFont(DEJAVU + 'DejaVuSansMono.ttf')}


def helvetica():
    return {'': StandardFont('Helvetica'), 'b': StandardFont('Helvetica-Bold'), 'i': StandardFont('Helvetica-Oblique'), 'm': StandardFont('Courier')}


@dataclass(frozen=True)
class Style:
    fonts: dict
    size: float = 10
    leading: float = 13
    align: str = 'justify'  # left, justify, centre, right
    face: str = ''  # '', b, i, m
    colour: tuple = (0, 0, 0)
    first: float = 0  # indent of the first line
    left: float = 0  # indent of all lines
    right: float = 0
    before: float = 0
    after: float = 0

    def but(self, **changes): return replace(self, **changes)


@dataclass(frozen=True)
class Look:
    """How a run of text is set."""
    face: str
    shift: str = ''  # sup, sub
    uri: str = ''

    def size(self, style): return round(style.size * (0.66 if self.shift else 1) * (0.92 if self.face == 'm' and style.face != 'm' else 1), 3)

    def rise(self, style): return style.size * {'': 0, 'sup': 0.36, 'sub': -0.16}[self.shift]

    def width(self, style, text): return style.fonts[self.face].width(text) * self.size(style) / 1000


def parse(markup, face=''):
    """Words of the markup: each a list of (Look, text); None is a forced line break."""
    words, word, look, stack = [], [], Look(face), []
    for token in re.findall(r'<[^>]*>|\n| |[^<\n ]+', markup):
        if token in (' ', '\n'):
            if word: words.append(word)
            word = []
            if token == '\n': words.append(None)
        elif token.startswith('</'): look = stack.pop()
        elif token.startswith('<'):
            stack.append(look)
            tag = token[1:-1]
            if tag in ('b', 'i', 'm'): look = replace(look, face=tag)
            elif tag in ('sup', 'sub'): look = replace(look, shift=tag)
            elif tag.startswith('a:'): look = replace(look, uri=tag[2:])
            elif tag == 'lt': stack.pop(); word.append((look, '<'))
            else: raise ValueError(token)
        else: word.append((look, token))
    if word: words.append(word)
    return words


def width_of(style, word): return sum(look.width(style, text.replace('\u00ad', '')) for look, text in word)


def split(style, word, room):
    """Divides a word at its last soft hyphen that fits, or None."""
    places = [(i, m.start()) for i, (_, text) in enumerate(word) for m in re.finditer('\u00ad', text)]
    for i, at in reversed(places):
        look, text = word[i]
        head = word[:i] + [(look, text[:at] + ('' if text[:at].endswith('-') else '-'))]  # a compound breaks at its own hyphen
        if width_of(style, head) <= room: return head, [(look, text[at + 1:])] + word[i + 1:]
    return None


@dataclass
class Line:
    words: list
    x: float
    space: float  # between words
    width: float  # of the words alone
    room: float


def lines_of(markup, style, width):
    space = style.fonts[style.face].width(' ') * style.size / 1000
    out, current, used, indent = [], [], 0, style.first

    def close(last):
        nonlocal current, used, indent
        room = width - style.left - style.right - indent
        gap, x = space, style.left + indent
        natural = used + space * (len(current) - 1)
        if style.align == 'justify' and not last and len(current) > 1: gap = space + (room - natural) / (len(current) - 1)
        if style.align == 'centre': x += (room - natural) / 2
        if style.align == 'right': x += room - natural
        out.append(Line(current, x, gap, used, room))
        current, used, indent = [], 0, 0

    queue = parse(markup, style.face)
    while queue:
        word = queue.pop(0)
        if word is None:
            close(True)
            continue
        room = width - style.left - style.right - indent - used - space * len(current)
        if width_of(style, word) > room and current:
            parts = split(style, word, room)
            if parts:
                current.append(parts[0])
                used += width_of(style, parts[0])
                word = parts[1]
            close(False)
            queue.insert(0, word)
            continue
        current.append(word)
        used += width_of(style, word)
    if current: close(True)
    return out


def draw(page, line, style, x0, y, tail=False):
    """Draws a line with its baseline at y; tail: with a space behind it, as tagged text has it."""
    runs, x = [], x0 + line.x  # (look, x, pieces)
    for n, word in enumerate(line.words):
        if n:
            look = line.words[n][0][0] if line.words[n][0][0] == line.words[n - 1][-1][0] else Look(style.face)
            natural = look.width(style, ' ')
            if runs and runs[-1][0] == look: runs[-1][2].extend([' ', line.space - natural])
            else: runs.append((look, x, [' ', line.space - natural]))
            x += line.space
        for look, text in word:
            text = text.replace('\u00ad', '')
            if runs and runs[-1][0] == look: runs[-1][2].append(text)
            else: runs.append((look, x, [text]))
            w = look.width(style, text)
            if look.uri: page.link(x, y - style.size * 0.8, w, style.size, uri=look.uri)
            x += w
    if tail and not line.words[-1][-1][1].endswith('-'): runs[-1][2].append(' ')
    for look, at, pieces in runs:
        colour = (20, 60, 160) if look.uri else style.colour
        page.show(at, y - look.rise(style), style.fonts[look.face], look.size(style), merge(pieces), colour=colour)


def merge(pieces):
    out = []
    for p in pieces:
        if isinstance(p, str) and out and isinstance(out[-1], str): out[-1] += p
        elif isinstance(p, str) or abs(p) > 1e-6: out.append(p)
    return out


@dataclass
class Frame:
    page: object
    x: float
    y: float
    width: float
    bottom: float


class Flow:
    """Sets text into frames, one after the other; frames: an iterator that never ends."""

    def __init__(self, frames):
        self.frames = iter(frames)
        self.frame = next(self.frames)
        self.y = self.frame.y
        self.fresh = True

    def next_frame(self):
        self.frame = next(self.frames)
        self.y = self.frame.y
        self.fresh = True

    def room(self, height):
        """Makes room for something that must not be divided."""
        if self.y + height > self.frame.bottom: self.next_frame()

    def text(self, markup, style, label=None, label_x=0, element=None, keep=0):
        """A paragraph.  label is set at label_x on the first line; keep: extra height that must follow."""
        lines = lines_of(markup, style, self.frame.width)
        if not self.fresh: self.y += style.before
        if keep: self.room(len(lines) * style.leading + keep)
        marked = None
        for i, line in enumerate(lines):
            if self.y + style.leading > self.frame.bottom: self.next_frame()
            if element and marked is not self.frame.page:
                if marked: marked.end()
                self.frame.page.begin(element)
                marked = self.frame.page
            base = self.y + style.leading * 0.5 + style.size * 0.34
            if i == 0 and label: self.frame.page.text(self.frame.x + label_x, base, style.fonts['b' if style.face == 'b' else ''], style.size, label)
            draw(self.frame.page, line, style, self.frame.x, base, tail=bool(element) and i + 1 < len(lines))
            self.y += style.leading
            self.fresh = False
        if marked: marked.end()
        self.y += style.after

    def skip(self, height): self.y += 0 if self.fresh else height


def table(page, x, y, widths, rows, style, height=None, pad=4, rules='grid', header=1, aligns=None, element=None):
    """Rows of cells; a cell is text or (text, col_span, row_span); None is covered by a span.  Returns the y below.
    rules: grid (every border), book (three rules), none."""
    height = height or style.leading + 2 * pad
    edges = [x]
    for w in widths: edges.append(edges[-1] + w)
    for r, row in enumerate(rows):
        tr = element.add('TR') if element else None
        for c, cell in enumerate(row):
            if cell is None: continue
            text, cols, down = cell if isinstance(cell, tuple) else (cell, 1, 1)
            top, w = y + r * height, edges[c + cols] - edges[c]
            align = (aligns[c] if aligns and r >= header and cols == 1 else 'centre' if rules == 'grid' and cols > 1 else aligns[c] if aligns else 'left')
            s = style.but(align=align, face='b' if r < header else style.face)
            lines = lines_of(text, s, w - 2 * pad)
            at = top + (height * down - len(lines) * s.leading) / 2
            if tr:
                page.begin(tr.add('TH' if r < header else 'TD'))
            for line in lines:
                draw(page, line, s, edges[c] + pad, at + s.leading * 0.5 + s.size * 0.34)
                at += s.leading
            if tr: page.end()
            if rules == 'grid': page.frame(edges[c], top, w, height * down)
    bottom = y + len(rows) * height
    if rules == 'book':
        for at, thick in ((y, 0.9), (y + header * height, 0.5), (bottom, 0.9)): page.line(x, at, edges[-1], at, thick)
    return bottom
