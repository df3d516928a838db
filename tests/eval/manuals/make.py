#!/usr/bin/env python3
"""Manuals, reports, letters, brochures, books and papers as PDFs whose truth is the HTML that they were set from.

    make.py SEED COUNT OUT        writes OUT/html/NAME.html and OUT/pdf/NAME.pdf; needs weasyprint

What is written and how it is set are drawn apart: every kind comes in many faces, sizes, numberings, columns and colours.  The HTML
is well-formed, and of it only these elements carry truth: h1-h6, p (with br where lines must stay lines), ul, ol, dl, pre, table,
blockquote, aside, caption and span.note (a footnote at its mark).
"""
import os
import random
import sys
import xml.sax.saxutils

from words import Words

KINDS = 'manual report letter brochure book verse newsletter handout'.split()
LANGUAGES = ('en', 'de', 'en', 'fr', 'en', 'ja', 'en', 'he', 'de', 'en', 'fr')
SERIF = ('DejaVu Serif', 'Liberation Serif', 'EB Garamond', 'TeX Gyre Termes', 'Caladea', 'Latin Modern Roman', 'Linux Libertine O')
SANS = ('DejaVu Sans', 'Liberation Sans', 'Carlito', 'Lato', 'Open Sans', 'TeX Gyre Heros', 'Fira Sans')
CODE = ('for (i = 0; i < count; i++)\n{\n    total += values[i];\n    if (total > limit)\n        break;\n}', 'import os\n\ndef read(path):\n    with open(path) as file:\n        return file.read()',
        '$ sensorctl --device /dev/ttyS0 status\nport 2: ok, 4.5 bar\nport 3: no answer', '[network]\naddress = 192.0.2.17\ntimeout = 30   # seconds\n\n[log]\nlevel = warn',
        '<unit id="7">\n  <name>Pump</name>\n  <limit value="12"/>\n</unit>', 'SELECT name, SUM(amount)\n  FROM orders\n WHERE year = 2024\n GROUP BY name;')


def escape(text): return xml.sax.saxutils.escape(text)


class Document:
    """Grows the body of one document; every method adds one element."""

    def __init__(self, words, rng):
        self.words, self.rng, self.out, self.notes = words, rng, [], 0
        self.number = rng.choice(('', '', '%d', '%d.'))
        self.counters = [0] * 6

    def add(self, html): self.out.append(html)

    def chance(self, p): return self.rng.random() < p

    def heading(self, level, numbered=True):
        text = self.words.title()
        self.counters[level - 1] += 1
        self.counters[level:] = [0] * (6 - level)
        if self.number and numbered and level > 1:
            text = '%s %s' % (self.number % self.counters[1] if level == 2 else '.'.join(map(str, self.counters[1:level])), text)
        self.add('<h%d>%s</h%d>' % (level, escape(text), level))

    def inline(self, text, notes=False, drop=False):
        """Marks a few words, and now and then sets a footnote; drop: the first letter may be a large one beside several lines."""
        text = escape(text)
        words = text.split(' ')
        if len(words) > 8 and self.chance(0.3):
            at = self.rng.randrange(1, len(words) - 3)
            tag = self.rng.choice(('b', 'i', 'code'))
            words[at] = '<%s>%s' % (tag, words[at])
            words[at + 1] += '</%s>' % tag
        text = ' '.join(words)
        if drop: text = '<span class="drop">%s</span>%s' % (text[0], text[1:])
        if notes and self.chance(0.25):
            self.notes += 1
            text += '<span class="note">%s</span>' % escape(self.words.sentence())
        return text

    def paragraph(self, sentences=None, notes=False, cls=''):
        self.add('<p%s>%s</p>' % (' class="%s"' % cls if cls else '', self.inline(self.words.prose(sentences or self.rng.randint(2, 6)), notes, cls == 'first')))

    def items(self, depth=1):
        tag = self.rng.choice(('ul', 'ol'))
        out = ['<%s>' % tag]
        for _ in range(self.rng.randint(2, 5)):
            text = self.words.phrase() if self.chance(0.5) else self.words.prose(self.rng.randint(1, 2))
            out.append('<li>%s%s</li>' % (escape(text), self.items(depth + 1) if depth < 3 and self.chance(0.15) else ''))
        out.append('</%s>' % tag)
        return ''.join(out)

    def list(self): self.add(self.items())

    def definitions(self):
        self.add('<dl>' + ''.join('<dt>%s</dt><dd>%s</dd>' % (escape(self.words.pick('word').capitalize()), escape(self.words.prose(self.rng.randint(1, 2))))
                                  for _ in range(self.rng.randint(2, 4))) + '</dl>')

    def code(self): self.add('<pre>%s</pre>' % escape(self.rng.choice(CODE)))

    def table(self, caption=True):
        columns, rows = self.rng.randint(2, 4), self.rng.randint(3, 7)
        names = self.rng.sample(self.words.bank['word'], columns)
        out = ['<table>']
        if caption: out.append('<caption>%s %d: %s</caption>' % (self.words.bank['table'], self.rng.randint(1, 9), escape(self.words.phrase())))
        out.append('<tr>%s</tr>' % ''.join('<th>%s</th>' % escape(n.capitalize()) for n in names))
        wordy = self.chance(0.3)
        for _ in range(rows):
            first = self.words.phrase() if wordy else self.words.pick('word')
            out.append('<tr><td>%s</td>%s</tr>' % (escape(first), ''.join('<td class="n">%s</td>' % self.words.number() for _ in range(columns - 1))))
        self.add(''.join(out) + '</table>')

    def quote(self): self.add('<blockquote><p>%s</p></blockquote>' % escape(self.words.prose(self.rng.randint(1, 3))))

    def box(self):
        title = '<p><b>%s</b></p>' % escape(self.words.bank['note']) if self.chance(0.5) else ''
        self.add('<aside>%s<p>%s</p></aside>' % (title, escape(self.words.prose(self.rng.randint(1, 3)))))

    def lines(self, lines, cls=''): self.add('<p class="lines %s">%s</p>' % (cls, '<br/>'.join(escape(l) for l in lines)))

    def some(self, choices, count):
        """Blocks drawn from choices, a paragraph before each."""
        for _ in range(count):
            self.paragraph()
            if self.chance(0.6): getattr(self, self.rng.choice(choices))()


def manual(d):
    d.heading(1)
    d.paragraph()
    for _ in range(d.rng.randint(3, 5)):
        d.heading(2)
        d.some(('list', 'code', 'table', 'box', 'definitions', 'list'), d.rng.randint(1, 3))
        for _ in range(d.rng.randint(0, 2)):
            d.heading(3)
            d.some(('list', 'code', 'table', 'box'), d.rng.randint(1, 2))


def report(d):
    d.heading(1)
    d.add('<p class="byline">%s, %d</p>' % (escape('A. Linden, M. Okafor'), d.rng.randint(1990, 2025)))
    d.paragraph(3, cls='abstract')
    d.add('<div class="body">')
    for _ in range(d.rng.randint(3, 5)):
        d.heading(2)
        for _ in range(d.rng.randint(1, 4)):
            d.paragraph(notes=True)
            if d.chance(0.3): getattr(d, d.rng.choice(('table', 'quote', 'list')))()
    d.add('</div>')


def address(d):
    return ['%s %s' % (d.rng.choice('Anna Martin Ruth Jonas Clara'.split()), d.rng.choice('Harrison Lindner Moreau Sato Levy'.split())),
            '%s 1%d' % (d.rng.choice('Harbour_Road Mill_Lane Gartenstraße Rue_du_Port'.split()).replace('_', ' '), d.rng.randint(0, 99)),
            '%05d %s' % (d.rng.randint(10000, 99999), d.rng.choice('Westport Lindau Rennes Haifa'.split()))]


def letter(d):
    opening, closing, enclosures, reference = d.words.bank['letter']
    d.add('<p class="lines letterhead"><b>%s</b><br/>%s<br/>%s</p>' % (escape(d.words.title()), *map(escape, address(d)[1:])))
    d.lines(address(d))
    d.add('<p class="date">%d.%d.%d</p>' % (d.rng.randint(1, 28), d.rng.randint(1, 12), d.rng.randint(1995, 2025)))
    d.lines(['%s: %d/%d' % (reference, d.rng.randint(10, 99), d.rng.randint(100, 999))])
    d.add('<p class="subject"><b>%s</b></p>' % escape(d.words.phrase()))
    d.add('<p>%s</p>' % escape(opening))
    for _ in range(d.rng.randint(3, 6)): d.paragraph()
    if d.chance(0.4): d.list()
    d.add('<p>%s</p>' % escape(closing))
    d.add('<p class="signed">%s</p>' % escape(address(d)[0]))
    d.add('<p>%s</p>' % escape(enclosures))


def brochure(d):
    d.add('<div class="banner">')
    d.heading(1)
    d.add('<p>%s</p></div><div class="body">' % escape(d.words.sentence()))
    for _ in range(d.rng.randint(3, 6)):
        d.heading(2, numbered=False)
        d.some(('box', 'list', 'box', 'quote'), d.rng.randint(1, 2))
    d.lines(address(d))
    d.add('</div>')


def book(d):
    d.number = ''
    for _ in range(d.rng.randint(2, 3)):
        d.heading(1)
        for i in range(d.rng.randint(7, 14)):
            d.paragraph(d.rng.randint(2, 9), notes=d.chance(0.3), cls='' if i else 'first')
            if d.chance(0.1): d.quote()


def verse(d):
    d.number = ''
    d.heading(1)
    for _ in range(d.rng.randint(2, 4)):
        d.heading(2)
        for _ in range(d.rng.randint(2, 4)): d.lines([d.words.line() for _ in range(d.rng.randint(3, 6))], 'verse')
        if d.chance(0.5): d.paragraph()


def newsletter(d):
    brochure(d)
    d.add('<div class="body">')
    for _ in range(3):
        d.heading(2, numbered=False)
        for _ in range(d.rng.randint(2, 4)): d.paragraph()
        if d.chance(0.3): d.table(False)
    d.add('</div>')


def handout(d):
    """Questions and answers, terms, things to bring: half of it lists and definitions."""
    d.heading(1)
    for _ in range(d.rng.randint(3, 6)):
        d.heading(2)
        d.paragraph(1)
        getattr(d, d.rng.choice(('list', 'definitions', 'table', 'list', 'box')))()


def style(kind, language, rng):
    r = rng.choice
    face = {'ja': 'Droid Sans Fallback, Noto Sans CJK JP', 'he': 'DejaVu Sans, FreeSerif'}.get(language) or '%s, %s' % ((r(SERIF), 'serif') if rng.random() < 0.6 else (r(SANS), 'sans-serif'))
    head = r((face, r(SANS) + ', sans-serif'))
    size = r((9, 10, 10.5, 11, 12))
    columns = {'report': r((1, 1, 2)), 'brochure': r((1, 2, 3)), 'newsletter': r((2, 3))}.get(kind, 1)
    side = 'A4 landscape' if kind == 'brochure' and columns > 1 and r((0, 1)) else r(('A4', 'letter')) if kind != 'book' else 'A5'
    indent = kind == 'book' or r((0, 0, 1))
    colour = r(('black', 'black', '#143a6b', '#8a1c1c'))
    rule = 'border-bottom: 0.7pt solid ' + colour if r((0, 0, 1)) else ''
    running = escape(r(('Operating manual 4.2', 'Annual report 2024', 'Harbour district', 'Draft of 12 March')))
    cell = r(('border: 0.5pt solid black', 'border-bottom: 0.4pt solid #888', 'border-top: 0.8pt solid black; border-bottom: 0.8pt solid black', ''))
    table_head = r(('background: #dde3ee', 'font-weight: bold', 'background: #234; color: white'))
    margins = 'size: %s; margin: %s' % (side, r(('2cm', '2.5cm 2cm', '1.8cm 3cm')))
    return '''@page { %(margins)s; %(where)s { content: "%(running)s"; font-size: 8pt } @bottom-%(page)s { content: %(counter)s; font-size: 8pt }
  @footnote { border-top: 0.5pt solid black; padding-top: 3pt } }
@page :first { %(first)s }
body { font: %(size)gpt/%(leading)g %(face)s; text-align: %(align)s; hyphens: auto }
h1, h2, h3 { font-family: %(head)s; color: %(colour)s; text-align: %(start)s; hyphens: none; break-after: avoid; %(caps)s; %(outline)s }
h1 { font-size: %(h1)gpt; %(h1extra)s } h2 { font-size: %(h2)gpt; %(rule)s } h3 { font-size: %(h3)gpt }
p { %(p)s } li { margin: %(li)s 0 } ul, ol { padding-%(start)s: %(hang)s } .lines, .date, .subject, .signed, .byline { text-indent: 0; hyphens: none; text-align: %(start)s; margin: 1em 0 } .verse { margin: 1em 2em }
pre, code { font-family: "DejaVu Sans Mono", monospace; font-size: 0.85em; hyphens: none } pre { %(pre)s; text-align: left; direction: ltr }
table { border-collapse: collapse; margin: 1em 0 } td, th { %(cell)s; padding: 2pt 6pt; text-align: %(start)s; hyphens: none } th { %(table_head)s } td.n { text-align: right }
caption { caption-side: %(caption)s; text-align: %(start)s; font-size: 0.9em; padding: 3pt 0 }
blockquote { margin: 1em 2.5em; %(quote)s } aside { %(aside)s; padding: 6pt 9pt; margin: 1em 0 } .note { float: footnote; font-size: 0.8em; text-indent: 0 }
dt { font-weight: bold } dd { margin: 0 0 0.5em %(dd)s } .banner { %(banner)s } .body { columns: %(columns)d; column-gap: 7mm }
.abstract { margin: 1em 2em; %(abstract)s } .date { text-align: %(date)s } .signed { margin-top: 3em } .letterhead { text-align: %(letterhead)s }
.first { text-indent: 0 } %(drop)s''' % {
        'margins': margins, 'where': r(('@top-center', '@top-left', '@top-right')), 'running': running, 'page': r(('center', 'right')),
        'counter': r(('counter(page)', '"%s " counter(page)' % 'Page', 'counter(page) " / " counter(pages)')),
        'first': r(('', '@top-left { content: "" } @top-center { content: "" } @top-right { content: "" }')),
        'size': size, 'leading': 1.7 if language == 'ja' else r((1.2, 1.3, 1.45)), 'face': face, 'align': r(('left', 'justify')) if language != 'he' else 'right', 'start': 'right' if language == 'he' else 'left', 'head': head, 'colour': colour,
        'caps': 'font-variant: small-caps' if r((0,) * 9 + (1,)) and language != 'ja' else '', 'outline': r(('', 'bookmark-level: none')), 'h1': size * r((1.8, 2, 2.4)), 'h1extra': r(('', 'text-align: center', 'break-before: page')) if kind == 'book' else r(('', 'text-align: center')),
        'h2': size * r((1.3, 1.5)), 'h3': size * r((1.1, 1.2)), 'rule': rule, 'p': 'margin: 0; text-indent: 1.5em' if indent else 'margin: 0.7em 0', 'li': r(('0', '0.3em')), 'hang': r(('2.5em', '1.6em')) if columns == 1 else '1.4em',
        'pre': r(('background: #eee; padding: 5pt', 'border: 0.5pt solid #999; padding: 5pt', 'margin-left: 1.5em')), 'cell': cell, 'table_head': table_head, 'caption': r(('top', 'bottom')),
        'quote': r(('', 'font-style: italic', 'border-left: 2pt solid #999; padding-left: 8pt')), 'aside': r(('background: #e8eef7', 'border: 0.8pt solid ' + colour, 'background: #fbeecb; border-left: 3pt solid #c90')),
        'dd': r(('1.5em', '3em')), 'banner': r(('background: #143a6b; color: white; padding: 12pt', 'border-bottom: 2pt solid black', '')) + '} .banner h1 { color: inherit' , 'columns': columns,
        'abstract': r(('font-style: italic', 'font-size: 0.9em', '')), 'date': r(('left', 'right')), 'letterhead': r(('left', 'center', 'right')),
        'drop': '.drop { float: left; font-size: %gem; line-height: 1; padding-right: 3pt }' % r((2.6, 3, 3.8)) if r((0, 1)) else ''}


def document(seed, number):
    rng = random.Random(seed * 100003 + number)
    kind, language = KINDS[number % len(KINDS)], LANGUAGES[number % len(LANGUAGES)]
    d = Document(Words(language, rng), rng)
    if language in ('ja', 'he'): d.number = ''
    globals()[kind](d)
    name = '%03d-%s-%s' % (number, kind, language)
    return name, '<html lang="%s"%s><head><meta charset="utf-8"/><style>%s</style></head><body>\n%s\n</body></html>\n' % (
        language, ' dir="rtl"' if language == 'he' else '', style(kind, language, rng), '\n'.join(d.out))


def main():
    seed, count, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    from weasyprint import HTML
    for folder in ('html', 'pdf'): os.makedirs(os.path.join(out, folder), exist_ok=True)
    for number in range(count):
        name, html = document(seed, number)
        with open(os.path.join(out, 'html', name + '.html'), 'w', encoding='utf-8') as file: file.write(html)
        HTML(string=html).write_pdf(os.path.join(out, 'pdf', name + '.pdf'))


if __name__ == '__main__': main()
