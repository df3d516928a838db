"""Draws a line of text as ink coverage, with what surrounds a line on a page.

Pillow's FreeType does the drawing, so the generator needs font files and nothing else.  A drawing keeps a margin around
the line; degrade.py cuts the crop, so that one drawing gives several views.
"""
import json
import re
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

RAISED = {ord(a): b for a, b in zip('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ', '0123456789+−n')}
LOWERED = {ord(a): b for a, b in zip('₀₁₂₃₄₅₆₇₈₉', '0123456789')}


@dataclass
class Drawing:
    ink: np.ndarray  # u8 [rows, columns], 255 is ink
    box: tuple       # x0, y0, x1, y1 of the line's ink
    body: tuple      # y0, y1 of a line of these letters: the height of capitals and the depth of descenders, as a line finder sees them
    size: float      # pixels per em
    text: str


class Renderer:
    def __init__(self, manifest, rng, dev=False):
        self.rng = rng
        with open(manifest, encoding='utf8') as f:
            faces = [x for x in json.load(f) if x['held_out'] == dev]
        for x in faces:
            x['set'] = frozenset(x['characters'] + ' ')
        families = {}
        for x in faces:
            families.setdefault(x['family'], []).append(x)
        self.families = [families[k] for k in sorted(families)]
        self.common = [f for f in self.families if f[0]['common']] or self.families
        self.fonts = {}

    def face(self, text):
        """A face that has all characters of text; rare ones narrow the choice."""
        r, need = self.rng, set(text)
        for _ in range(8):
            family = r.choice(self.common if r.random() < .5 else self.families)
            plain = [x for x in family if not x['bold'] and not x['italic']]
            face = r.choice(plain if plain and r.random() < (.4 if text.isupper() else .6) else family)
            if need <= face['set']:
                return face
        fit = [x for f in self.families for x in f if need <= x['set']]
        return r.choice(fit) if fit else None

    def font(self, face, size):
        key = (face['file'], face['index'], size)
        if key not in self.fonts:
            if len(self.fonts) > 400:
                self.fonts.clear()
            self.fonts[key] = ImageFont.truetype(face['file'], size, face['index'], layout_engine=ImageFont.Layout.BASIC)
        return self.fonts[key]

    def runs(self, text, face, size):
        """(string, face, size, rise) pieces: small capitals, raised and lowered figures, a change of weight or size."""
        r, style = self.rng, self.rng.random()
        if style < .06 and text.isascii() and any(c.islower() for c in text):
            return self.small_capitals(text, face, size)
        ordinal = re.search(r'\d(st|nd|rd|th)\b', text)
        if ordinal and r.random() < .4:
            a, b = ordinal.span(1)
            return [p for p in ((text[:a], face, size, 0), (text[a:b], face, max(6, round(size * .62)), .36 * size), (text[b:], face, size, 0)) if p[0]], text
        if style < .5 and any(ord(c) in RAISED or ord(c) in LOWERED for c in text):
            pieces = []
            for c in text:
                n = ord(c)
                piece = (RAISED[n], face, max(6, round(size * .62)), .36 * size) if n in RAISED else (LOWERED[n], face, max(6, round(size * .62)), -.14 * size) if n in LOWERED else (c, face, size, 0)
                if pieces and pieces[-1][2:] == piece[2:]:
                    pieces[-1] = (pieces[-1][0] + piece[0],) + piece[1:]
                else:
                    pieces.append(piece)
            return pieces, text
        if style > .93 and ' ' in text:
            cut = r.choice([i for i, c in enumerate(text) if c == ' '])
            other = self.face(text[cut:]) if r.random() < .6 else face
            return [(text[:cut], face, size, 0), (text[cut:], other or face, max(6, round(size * r.choice((1, 1, .8, 1.2)))), 0)], text
        return [(text, face, size, 0)], text

    def small_capitals(self, text, face, size):
        """Small letters as small capitals.  They are small letters to a reader where taller capitals or figures stand beside
        them, or ordinary small letters do; a line of one height is capitals."""
        r, little = self.rng, self.rng.uniform(.68, .84)
        change = r.choice([m.end() for m in re.finditer(' ', text)] or [len(text)]) if r.random() < .25 else len(text)
        pieces = []
        for i, c in enumerate(text):
            small = c.islower() and i < change
            piece = (c.upper() if small else c, face, max(6, round(size * little)) if small else size, 0)
            if pieces and pieces[-1][2] == piece[2]:
                pieces[-1] = (pieces[-1][0] + piece[0],) + piece[1:]
            else:
                pieces.append(piece)
        tall = any(c.isupper() or c.isdigit() for c in text) or any(c.islower() for c in text[change:])
        return pieces, text if tall else text.upper()

    def spaces(self, face, font, size):
        """Tracking, an extra for the space after a word, and the font whose widths are used (None: its own)."""
        r, k = self.rng, self.rng.random()
        own = font.getlength(' ')
        spacing = r.choice((r.uniform(.02, .12), r.uniform(.02, .25))) * size if k < .06 else r.uniform(-.075, -.015) * size if k < .13 else 0
        widths, k = None, r.random()
        if k < .03:  # a font that stands in for another is set with the other's widths
            widths = self.font(self.face('x') or face, round(size * r.uniform(.92, 1.06)))
        k = r.random()
        least = .09 * size - own - min(0, spacing) * 2  # a narrower one cannot be seen
        usual = r.uniform(.1, .5) * size if k < .05 else -r.uniform(.1, .6) * own if k < .23 else 0
        columns = r.uniform(.3, 3) * size if .23 <= k < .28 else 0
        stop = r.choice((r.uniform(.1, .6) * size, r.uniform(-.5, -.2) * own)) if r.random() < .15 else 0

        def after(word):
            extra = usual + (r.random() * columns if columns else 0)
            if stop and word and not word[-1].isalnum():
                extra += stop
            return max(extra, least)
        return spacing, after if usual or columns or stop or spacing < 0 or widths else None, widths

    def put(self, draw, x, y, text, font, spacing, after, widths=None):
        """Draws at baseline y and returns the pen's new place; words one by one where their gaps are unusual."""
        if not (spacing or after):
            draw.text((x, y), text, 255, font, anchor='ls')
            return x + font.getlength(text)
        words = text.split(' ')
        for i, word in enumerate(words):
            if spacing or widths:
                for c in word:
                    draw.text((x, y), c, 255, font, anchor='ls')
                    own = font.getlength(c)
                    x += (max(.7 * own, min(1.35 * own, widths.getlength(c))) if widths else own) + spacing
            else:
                draw.text((x, y), word, 255, font, anchor='ls')
                x += font.getlength(word)
            if i + 1 < len(words):
                x += font.getlength(' ') + max(0, spacing) + (after(word) if after else 0)
        return x

    def draw(self, text, neighbour):
        """neighbour (): a text for the lines above and below.  None if no face has the characters."""
        r = self.rng
        face = self.face(text)
        if face is None:
            return None
        size = round(min(72, max(10, 2 ** r.uniform(3.9, 5.9))))
        if '--' in text and '—' in face['set'] and self.font(face, size).getlength('i') < self.font(face, size).getlength('m'):
            text = re.sub(r'(?<=\w)--(?=\w)', '—', text)  # outside typewriting, what joins two words is a dash
        pieces, text = self.runs(text, face, size)
        if not set(''.join(p[0] for p in pieces)) <= face['set'] and len({id(p[1]) for p in pieces}) == 1:
            return None
        fonts = [self.font(p[1], p[2]) for p in pieces]
        if r.random() < .25 and {'‘', '’'} <= face['set']:  # two single quotes are how many typesetters write a double one
            pieces = [(p[0].replace('“', '‘‘').replace('”', '’’'),) + p[1:] for p in pieces]
        spacing, after, widths = self.spaces(face, fonts[0], size)
        margin = int(size * 1.1) + 2
        room = 1.35 if widths else 1
        width = int(sum(room * f.getlength(p[0]) + len(p[0]) * max(0, spacing) + (p[0].count(' ') * 3.7 * size if after else 0) for f, p in zip(fonts, pieces))) + 2 * margin + 4
        ascent, descent = fonts[0].getmetrics()
        if width > 9000 or ascent + descent > 4 * size:
            return None
        leading = r.uniform(.93, 1.5) * size
        base = margin + ascent
        image = Image.new('L', (width, base + descent + margin))
        pen = ImageDraw.Draw(image)
        if r.random() < .1:
            pen.fontmode = '1'
        x = start = margin + r.random()
        for f, p in zip(fonts, pieces):
            x = self.put(pen, x, base - p[3], p[0], f, spacing, after, widths)
        box = image.getbbox()
        if box is None:
            return None
        if r.random() < .35:
            for way in (-1, 1):
                if r.random() < .65:
                    other = ''.join(c for c in neighbour() if c in face['set'])
                    pen.text((start + r.uniform(-8, 8) * size * (r.random() < .3), base + way * leading), other, 255, fonts[0], anchor='ls')
        self.rules(pen, image.size, box, base, size)
        ink = np.asarray(image)[:, :min(width, box[2] + margin)]
        return Drawing(ink, box, (int(base - .72 * size), int(base + .22 * size)), size, text)

    def rules(self, pen, extent, box, base, size):
        """Underlines, rules, boxes, struck words, a bar at the edge."""
        r = self.rng
        thick = max(1, round(r.uniform(.02, .09) * size))
        shade = r.choice((255, 255, 160, 100))
        if r.random() < .06:
            y = base + r.uniform(.05, .25) * size
            a, b = (box[0], box[2]) if r.random() < .5 else (0, extent[0])
            pen.line((a, y, b, y), shade, thick)
        if r.random() < .08:
            for y in (box[1] - r.uniform(.08, .6) * size, box[3] + r.uniform(.08, .6) * size):
                if r.random() < .7:
                    pen.line((0, y, extent[0], y), shade, thick)
        if r.random() < .08:
            for x in (box[0] - r.uniform(.15, .6) * size, box[2] + r.uniform(.15, .6) * size):
                if r.random() < .6:
                    pen.line((x, 0, x, extent[1]), shade, thick)
        if r.random() < .004:
            pen.line((box[0], base - .25 * size, box[2], base - .25 * size), shade, thick)
