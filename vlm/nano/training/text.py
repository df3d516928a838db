"""What the lines say: prose in many languages, numbers, cells, addresses, code, formulas and some nonsense.

The shares follow what lines of office documents hold: half are shorter than eleven characters, one character in eight is
a digit.
"""
import os
import string

from charset import CHARS, ID, normalise

LETTERS = [c for c in CHARS if c.isalpha()]
LATIN = [c for c in LETTERS if ord(c) < 0x180]
SIGNS = [c for c in CHARS if not c.isalnum() and c != ' ']
GREEK = 'αβγδεζηθλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ'
MONTHS = ('January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sept Oct Nov Dec '
          'Januar Februar März Mai Juni Juli Oktober Dezember janvier février mars avril juin juillet août septembre octobre décembre enero febrero '
          'marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio maggio giugno luglio ottobre января февраля мая июня').split()
UNITS = 'kg g mg km m cm mm μm kWh MW V mV A mA Hz kHz MHz GB MB kB °C °F K Pa kPa bar psi L mL mol s ms min h dB ft in lb oz % ‰ EUR USD GBP pts px'.split()
TITLES = ('Total|Subtotal|Amount|Date|Invoice No.|Page|Name|Address|Phone|Fax|Signature|Description|Quantity|Unit price|Balance|Year|Month|N/A|Yes|No|'
          'Figure|Table|Section|Appendix|Chapter|References|Abstract|Introduction|Contents|Notes|Source|Mean|SD|n|p|Min|Max|Average|Summe|Betrag|Datum|Seite|'
          'Nom|Prénom|Montant|Tel.|Fecha|Importe|Página|Data|Valore|Razem|Strona|Celkem|Дата|Итого|Сумма|Страница|Α/Α|Σύνολο').split('|')

# What speech, law and commerce put between words, and manual pages do not.
SMALL = ("I I I I’m I've I’d I'll don't don’t doesn't didn’t can't won’t it's it’s that's there’s we're we’re we've you're you’ve they're they’re they've isn't aren’t wasn't couldn't wouldn’t "
         "let's who's what’s II III IV VI VII VIII IX XI XIV I/II II/III v. vs. Inc. Corp. Co. Ltd. No. Nos. F.3d U.S. U.S.C. et al. e.g., i.e., cf. Id. at Mr. Ms. Dr. St. Jr. Ph.D. a.m. p.m. "
         "§ & -- — v. v. F.2d F.4th U.K. L.L.C. N.V. S.p.A. B.V. i.i.d. P.O. D.C. Q1 Q2 Q3 Q4 ‘90s ’70s 1st 2nd 3rd 4th 11th Q1 Q2 Q3 Q4 FY 10-K A/B w/o y/y EPS USD").split(' ')


class Writer:
    """One line of text after another from a random.Random."""

    def __init__(self, folder, rng, dev=False):
        self.rng = rng
        with open(os.path.join(folder, 'dev.txt' if dev else 'train.txt'), encoding='utf8') as f:
            self.by_language = {}
            for line in f:
                lang, text = line.rstrip('\n').split('\t', 1)
                self.by_language.setdefault(lang[:2], []).append(text)
        self.languages = sorted(self.by_language)
        # English two fifths of the time, the others alike
        self.weights = [len(self.languages) * 2 / 3 if l == 'en' else 1 for l in self.languages]
        with open(os.path.join(folder, 'words.txt'), encoding='utf8') as f:
            self.words = f.read().split('\n')

    def length(self):
        lo, hi = self.rng.choices(((1, 3), (4, 10), (11, 25), (26, 50), (51, 80), (81, 105)), (6, 22, 24, 22, 20, 6))[0]
        return self.rng.randint(lo, hi)

    def word(self):
        w = self.rng.choice(self.words)
        return w.upper() if self.rng.random() < .06 else w.capitalize() if self.rng.random() < .2 else w

    def prose(self, length=None):
        r = self.rng
        text = r.choice(self.by_language[r.choices(self.languages, self.weights)[0]])
        n = length or max(3, self.length())
        start = r.randint(0, max(0, len(text) - n))
        while 0 < start < len(text) and text[start - 1] != ' ':
            start += 1
        cut = text[start:start + n]
        if start + n < len(text) and ' ' in cut.strip() and r.random() < .9:
            cut = cut[:cut.rstrip().rfind(' ')]
        if r.random() < .12 and ' ' in cut:
            words = cut.split(' ')
            words.insert(r.randint(0, len(words)), r.choice(SMALL) if r.random() < .8 else self.dotted())
            cut = ' '.join(words)[:n + 4]
        if r.random() < .05 and ' ' in cut:
            at = r.choice([i for i, c in enumerate(cut) if c == ' '])
            cut = cut[:at] + r.choice(('—', '—', ' — ', '–', ' – ', '--', ' -- ', ' - ', '/', ' | ', '...', ' “', '” ', ' "', '" ', '.” ', ',” ', '.’” ', ' “‘')) + cut[at + 1:]
        if r.random() < .03 and cut[-1:].isalpha():
            cut += r.choice(('', '.', ',', '.”')) + r.choice('¹²³⁴⁵⁶⁷⁸⁹')
        return cut + '-' if r.random() < .04 and cut and cut[-1].isalpha() else cut

    def dotted(self):
        """Stops with no space behind them: abbreviations, tickers, hosts."""
        r = self.rng
        letter = lambda: r.choice(string.ascii_uppercase)
        some = lambda lo, hi: ''.join(letter() for _ in range(r.randint(lo, hi)))
        return r.choice((lambda: f'({some(2, 4)}.{letter()})', lambda: f'{self.word().capitalize()}{self.word().capitalize()}.{r.choice(("com", "org", "net"))}',
                         lambda: ''.join(letter() + '.' for _ in range(r.randint(2, 4))), lambda: f'{letter()}.{r.randint(2, 4)}d', lambda: f'{letter()}.{self.word().capitalize()}',
                         lambda: f'{letter()}. {self.word().capitalize()}', lambda: f'{some(1, 3)}/{some(1, 3)}'))()

    def figures(self):
        """Estimates, quarters, grades: a figure with a letter or a sign at one end; marks of footnotes."""
        r = self.rng
        n, letter = r.randint(1, 99), r.choice(string.ascii_uppercase)
        return r.choice((lambda: f'{n} {letter}', lambda: f'{n}{letter}', lambda: f'{n}-{letter}', lambda: f'{n}-{r.randint(1, 30)}', lambda: f'{r.choice("QHFT")}{r.randint(1, 4)}', lambda: f'{letter} ({self.number()})',
                         lambda: f'${self.number()}{r.choice("AE")}', lambda: f'$({r.randint(0, 9)}.{n:02d}){r.choice("AE")}', lambda: f'FY{r.randint(1990, 2030)}{r.choice("AE")}', lambda: f'{r.choice("-–+")}{n}%',
                         lambda: f'({n}.{r.randint(0, 9)})', lambda: f'${r.randint(1, 999)}.{r.randint(0, 9)}', lambda: '*' * r.randint(1, 5), lambda: f'{r.randint(0, 999)}.{r.randint(0, 9)}', lambda: f'{n} bp', lambda: f'{r.randint(0, 9)}.{r.randint(0, 9)}x'))()

    def number(self):
        r = self.rng
        k = r.randrange(20)
        i, x = r.randint(0, 10 ** r.randint(1, 6)), r.random() * 10 ** r.randint(0, 5)
        point = '%.*f' % (r.randint(1, 4), x)
        thousand = r.choice(('%s', '%s', '%s.00')) % format(i, ',')
        if k < 4:
            return str(i)
        if k < 6:
            return point if r.random() < .75 else point.replace('.', ',')
        if k < 8:
            return thousand if r.random() < .7 else thousand.replace(',', r.choice(' ’')) if '.' not in thousand else thousand.translate({44: '.', 46: ','})
        if k == 8:
            return r.choice(('$%s', '€%s', '£%s', '%s €', '$ %s', '¥%s', 'US$%s', '(%s)', '%s $', 'R$ %s', '₹%s', '%s zł', '%s Kč', '%s ₽')) % thousand
        if k < 11:
            return r.choice(('%s%%', '%s %%', '(%s%%)', '+%s%%', '-%s%%')) % ('%.*f' % (r.randint(0, 2), r.random() * 100))
        d, m, y = r.randint(1, 31), r.randint(1, 12), r.randint(1900, 2040)
        if k == 11:
            return r.choice((f'{d}/{m}/{y}', f'{m:02d}/{d:02d}/{y % 100:02d}', f'{d:02d}.{m:02d}.{y}', f'{y}-{m:02d}-{d:02d}', f'{m}/{d}', f'{y}', f'{y}–{y + 5}', f'{d}-{m}-{y}'))
        if k == 12:
            month = r.choice(MONTHS)
            return r.choice((f'{month} {d}, {y}', f'{d} {month} {y}', f'{d}. {month} {y}', f'{month} {y}', f'{d}-{month[:3]}-{y % 100:02d}'))
        if k == 13:
            return r.choice(('(%d)', '[%d]', '%d.', '%d)', '#%d', 'No. %d', '%d:', '§ %d', '№ %d', 'p. %d', '%d/12', '(%d', '*%d')) % r.randint(1, 120)
        if k == 14:
            return r.choice((f'{r.randint(0, 23)}:{r.randint(0, 59):02d}', f'{r.randint(1, 12)}:{r.randint(0, 59):02d} {r.choice(("am", "pm", "AM", "PM", "a.m.", "p.m."))}',
                             f'{r.randint(1, 9)}.{r.randint(0, 30)}', f'{r.randint(1, 9)}.{r.randint(1, 9)}.{r.randint(1, 20)}', f'{i % 90}–{i % 90 + r.randint(1, 30)}', f'{i % 50}-{i % 60}'))
        if k == 15:
            return point + r.choice((' ', ' ', '')) + r.choice(UNITS)
        if k == 16:
            return r.choice(('−', '-', '–', '+', '±', '<', '>', '~', '≈', '≤', '≥', '< ', '= ')) + point
        if k == 17:
            return r.choice((f'{point} ± {r.random():.2f}', f'{point} ({r.random() * 9:.2f})', f'{r.randint(1, 9)}.{r.randint(0, 9)}×10{r.choice("⁻²³⁴⁵⁶")}', f'{point}*', f'{point}**', f'{r.random():.3f}', f'.{r.randint(0, 999):03d}'))
        if k == 18:
            return f'({r.randint(200, 999)}) {r.randint(200, 999)}-{r.randint(0, 9999):04d}' if r.random() < .4 else f'+{r.randint(1, 99)} {r.randint(10, 999)} {r.randint(100, 999)} {r.randint(10, 99)} {r.randint(10, 99)}' \
                if r.random() < .5 else f'{r.randint(200, 999)}{r.choice("-. ")}{r.randint(200, 999)}{r.choice("-. ")}{r.randint(0, 9999):04d}'
        return ''.join(r.choice(string.digits) for _ in range(r.randint(4, 14)))

    def numbers(self):
        n = self.rng.choice((1, 1, 1, 1, 2, 2, 3, 4, 5, 7))
        return ' '.join(self.number() if self.rng.random() < .88 else self.word() for _ in range(n))

    def cell(self):
        r = self.rng
        k = r.randrange(9)
        few = ' '.join(self.word() for _ in range(r.choice((1, 1, 2, 2, 3, 4))))
        if k < 3:
            return few
        if k == 3:
            return r.choice(TITLES) + r.choice(('', '', ':', ' %d' % r.randint(1, 30), ': ' + self.number(), ' (%s)' % r.choice(UNITS)))
        if k == 4:
            return r.choice((f'{r.randint(1, 9)}.{r.randint(1, 9)} ', f'{r.randint(1, 20)}. ', 'Table %d: ' % r.randint(1, 20), 'Figure %d. ' % r.randint(1, 20), '• ', '– ', '- ', '■ ', '● ', '▪ ', '* ', '◦ ', '→ ', '✓ ', '☐ ',
                             f'({r.choice("abcdefivx")}) ', f'{r.choice("abcdefghij")}. ', f'{r.choice(("I", "II", "III", "IV", "V", "VI"))}. ', f'{r.randint(1, 30)}) ')) + few
        if k == 5:
            return few + r.choice((' ', ': ', ' .', ' ')) + r.choice(('.' * r.randint(3, 30), '. ' * r.randint(3, 15), ' ', '…')) + ' ' + str(r.randint(1, 400))
        if k == 6:
            return few.title()
        if k == 7:
            return few + r.choice((':', ';', ',', '.', '?', '!', '*', '†', '%', '/', ')', '”', '’s', ' –', ' &')) + (' ' + self.word() if r.random() < .5 else '')
        return r.choice(('(%s)', '“%s”', '"%s"', '[%s]', '‘%s’', '«%s»', '„%s“', "'%s'", '<%s>', '{%s}')) % few

    def row(self):
        """A table row or the like read in one: codes, units, capitals and money side by side; a number or a letter before text."""
        r = self.rng
        letter = lambda: r.choice(string.ascii_uppercase)
        some = (lambda: letter(), lambda: str(r.randint(0, 99)), self.number, self.number, lambda: self.word().upper()[:r.randint(2, 12)], lambda: self.word(),
                lambda: f'{r.randint(1, 800)}{r.choice(UNITS).upper()}', lambda: f'({self.number()})', lambda: f'{r.randint(0, 99999):05d}-{r.randint(0, 9999):04d}-{r.randint(0, 99):02d}',
                lambda: f'{letter()}{r.randint(1, 9)}', lambda: f'{r.randint(1, 99)}{letter()}', lambda: '$%.2f' % (r.random() * 10 ** r.randint(1, 3)), lambda: r.choice('-–—&/#'), lambda: letter() + letter(),
                lambda: '(' + ''.join(letter() for _ in range(r.randint(2, 5))) + r.choice(('.O', '.N', '', ', ' + letter())) + ')', lambda: self.word().upper() + r.choice('/-&,') + self.word().upper(),
                lambda: '%g/%d%s' % (r.randint(1, 20) / 2, r.randint(1, 999), r.choice(UNITS).upper()))
        if r.random() < .3:
            return r.choice((letter() + '.', str(r.randint(1, 40)), f'{r.randint(1, 30)} {letter()}.', f'{r.randint(1, 99)}.', f'({letter().lower()})', '•')) + ' ' + self.prose()
        kinds = r.choices(some, k=r.choice((1, 1, 2, 2, 3, 4)))
        return ' '.join(r.choice(kinds)() for _ in range(r.choice((2, 2, 2, 3, 3, 4, 5, 7, 9))))

    def names(self):
        r = self.rng
        cap = lambda: self.word().capitalize()
        initial = lambda: r.choice(string.ascii_uppercase) + '.'
        return r.choice((
            lambda: f'{cap()} {initial()} {cap()}', lambda: f'{cap()}, {initial()} {initial()}', lambda: f'({cap()} et al., {r.randint(1950, 2026)})', lambda: f'{cap()} & {cap()} ({r.randint(1950, 2026)})',
            lambda: f'{r.randint(1, 9999)} {cap()} {r.choice(("Street", "St.", "Avenue", "Ave", "Road", "Blvd."))}', lambda: f'{cap()}{r.choice(("straße", "str.", "weg", "gasse"))} {r.randint(1, 200)}, {r.randint(10000, 99999)} {cap()}',
            lambda: f'{cap()}, {r.choice("NY CA TX MA IL WA OH PA FL".split())} {r.randint(10000, 99999)}', lambda: f'{cap()}, {initial()}, {cap()}, {initial()}: {cap()} {self.word()}. {r.randint(1, 99)}({r.randint(1, 12)}), {r.randint(1, 300)}–{r.randint(301, 900)}.',
            lambda: f'{r.choice(("Mr.", "Dr.", "Prof.", "Mrs.", "Ms.", "Herr", "M.", "Sra."))} {cap()} {cap()}', lambda: f'{cap()} {r.choice(("Inc.", "Ltd.", "GmbH", "AG", "S.A.", "LLC", "Co.", "s.r.o."))}', lambda: f'{initial()}{initial()} {cap()}',
            lambda: f'© {r.randint(1960, 2026)} {cap()} {cap()}', lambda: f'doi:10.{r.randint(1000, 9999)}/{self.word().lower()}.{r.randint(1, 99999)}'))()

    def code(self):
        r = self.rng
        low = lambda: self.word().lower()
        hexes = lambda n: ''.join(r.choice('0123456789abcdef') for _ in range(n))
        part = ''.join(r.choice(string.ascii_uppercase + string.digits + '-') for _ in range(r.randint(4, 14))).strip('-') or 'A1'
        url = r.choice(('http://www.', 'https://', 'www.', '')) + low() + r.choice(('.com', '.org', '.net', '.edu', '.gov', '.de', '.io', '.fr', '.co.uk')) + r.choice(('', '/', '/' + low(), '/' + low() + '?id=%d' % r.randint(1, 9999), '/' + low() + '/' + low() + '.html'))
        mail = low() + r.choice(('.', '_', '', '-')) + low() + '@' + low() + r.choice(('.com', '.org', '.edu', '.de'))
        return r.choice((part, part, url, url, mail, '/'.join(low() for _ in range(r.randint(1, 4))) + r.choice(('.c', '.txt', '.pdf', '.py', '/')), f'0x{hexes(r.randint(2, 8))}', hexes(r.randint(6, 16)), f'{low()}_{low()}({low()}, {r.randint(0, 99)});',
                         f'if ({low()} {r.choice(("==", "!=", "<", ">="))} {r.randint(0, 99)}) {{', f'{low()} = {low()}[{r.randint(0, 9)}] {r.choice("+-*/%&|^")} {r.randint(0, 999)}', f'--{low()}={low()}', f'$ {low()} -{r.choice(string.ascii_letters)} {low()}', f'<{low()} {low()}="{low()}">',
                         f'{low()}.{low()}()', f'def {low()}({low()}, {low()}):', f'// {low()} {low()}', f'{r.randint(1, 255)}.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(0, 255)}', f'#{hexes(6)}', f'v{r.randint(0, 20)}.{r.randint(0, 20)}.{r.randint(0, 20)}', f'{{"{low()}": {r.randint(0, 99)}}}'))

    def formula(self):
        r = self.rng
        v = lambda: r.choice('abcdefghijkmnpqrstuvwxyzABCDEFGHKLMNPQRSTVXYZ' + GREEK)
        term = lambda: r.choice((v, lambda: v() + r.choice('₁₂₃²³₀ⁿ⁰'), lambda: str(r.randint(0, 99)), lambda: f'({v()})', lambda: f'{v()}({v()})', lambda: f'{r.randint(2, 9)}{v()}', lambda: f'√{v()}', lambda: f'{v()}/{v()}'))()
        return ''.join(term() + r.choice((' = ', ' + ', ' − ', ' × ', ' < ', ' > ', ' ≤ ', ' ≥ ', ' ≠ ', ' ≈ ', ' ∈ ', ' → ', '·', ' ± ', '/', ', ', ' ≡ ', ' ∝ ', ' ∪ ', ' ∩ ', ' ⊂ ', ' ⇒ ', ' ∧ ')) for _ in range(r.randint(1, 6))) + term()

    def nonsense(self):
        r = self.rng
        pool = r.choice((CHARS, LATIN, string.ascii_letters, string.ascii_letters + string.digits, string.digits + '.,-', string.punctuation, LETTERS, SIGNS))
        return ' '.join(''.join(r.choice(pool) for _ in range(r.randint(1, 8))) for _ in range(r.choice((1, 1, 2, 3, 4))))

    def sign(self):
        """One or two characters alone: cells, bullets, axis labels."""
        r = self.rng
        return r.choice((r.choice(string.ascii_letters), r.choice(string.digits), r.choice('-–—•*.:/+%&?!$€§()|><=×✓■□●○→†'), r.choice('-–—-'), str(r.randint(10, 99)), str(r.randint(0, 999)), r.choice(CHARS[1:]), r.choice(string.ascii_uppercase) + r.choice(string.digits + '.)')))

    def line(self):
        """A normalised line of known characters."""
        r = self.rng
        while True:
            make = r.choices((self.prose, self.numbers, self.cell, self.row, self.names, self.code, self.formula, self.nonsense, self.sign, self.figures, self.dotted), (37, 15, 14, 11, 6, 5, 2, 1, 4, 4, 1))[0]
            text = make()
            if r.random() < .09:
                text = text.upper()
            text = normalise(''.join(c for c in text if c in ID or c.isspace()))[:110].strip().replace('‘‘', '“').replace('’’', '”')
            if text:
                return ''.join(c for c in text if c in ID)
