"""Fonts and characters: text layers with holes, ligatures, garbage, markup."""
from pdf import EmbeddedFont, Name, Pdf, StandardFont, to_unicode
from recipe import BOLD, FIXED, PLAIN, lines, recipe
from pictures import striped
from typeset import DEJAVU

KEEPER = ['The keeper of the lighthouse walks to the end of the pier every evening,', 'counts the boats that have come home and writes the number into a book.',
          'On Sundays he walks a little further and counts the gulls as well, though', 'nobody has ever asked him to and nobody reads what he writes about them.']


class EncodedFont(StandardFont):
    """Helvetica with its own names for some codes, and perhaps a ToUnicode map."""

    def __init__(self, differences, unicode_map=None, widths=None):
        super().__init__('Helvetica')
        self.differences, self.map, self.widths = differences, unicode_map, widths

    def write(self, pdf):
        listed = []
        for code, name in sorted(self.differences.items()): listed += [code, Name(name)]
        entries = {'Type': Name('Font'), 'Subtype': Name('Type1'), 'BaseFont': Name('Helvetica'),
                   'Encoding': {'Type': Name('Encoding'), 'BaseEncoding': Name('WinAnsiEncoding'), 'Differences': listed}}
        if self.map: entries['ToUnicode'] = pdf.stream({}, to_unicode([(bytes([c]), t) for c, t in sorted(self.map.items())]))
        return pdf.add(entries)


class HoledFont(EmbeddedFont):
    """An embedded subset whose ToUnicode map leaves characters out (all of them: no map)."""

    def __init__(self, path, left_out): super().__init__(path); self.left_out = left_out

    def write(self, pdf):
        ref = super().write(pdf)
        kept = [(self.used[c].to_bytes(2, 'big'), c) for c in self.used if c not in self.left_out]
        old = pdf.objects[ref - 1]
        head, tail = old.split(b'/ToUnicode ')
        rest = tail.split(b' R', 1)[1]
        pdf.objects[ref - 1] = head + (b'/ToUnicode %d 0 R' % pdf.stream({}, to_unicode(kept)) if kept else b'') + rest
        return ref


@recipe(8, 'unicode-hole', exit=[0, 1], has=['counts the boats that have come home', '\ufffdood \ufffdulls \ufffdather.'],
        lacks=[r'GLYPH', r'cmap:', r'\(cid:'])
def unicode_hole():
    """A font with a hole in ToUnicode: every G becomes GLYPH(cmap:df00), or is gone without a trace."""
    pdf = Pdf()
    font = HoledFont(DEJAVU + 'DejaVuSans.ttf', 'G')
    lines(pdf.page(), 60, 90, ['Good Gulls Gather.'] + KEEPER, font=font, size=10)
    return pdf.save()


@recipe(9, 'odd-names', exit=[0, 1], has=['counts the boats that have come home'], lacks=[r'/89', r'notdef'])
def odd_names():
    """A Type 1 font with Differences of its own: /89 and /.notdef in the text."""
    pdf = Pdf()
    page = pdf.page()
    lines(page, 60, 90, KEEPER, size=10)
    lines(page, 60, 200, ['abc'], font=EncodedFont({97: '89', 98: '.notdef', 99: 'g123'}), size=10)
    return pdf.save()


@recipe(10, 'ligatures-apart', has=['verification', 'reflection of the flame', 'official'], lacks=[r'veri fi', r're fl', r'of fi', r'fi cation'])
def ligatures_apart():
    """fi and fl drawn apart with wrong widths: veri fi cation."""
    pdf = Pdf()
    page = pdf.page()
    font = EncodedFont({1: 'fi', 2: 'fl'})
    y = 90
    for sentence in (['The veri', '\1', 'cation took nine days in all.'], ['We saw the re', '\2', 'ection of the ', '\2', 'ame in the lens.'],
                     ['An of', '\1', 'cial came and left again by boat.']):
        x = 72
        for part in sentence:
            page.text(x, y, font, 11, part)
            x += (font.width(part) if part >= ' ' else 500) * 11 / 1000 + 0.9
        y += 15
    return pdf.save()


@recipe(11, 'arabic-hole', exit=[0, 1], has=['counts the boats that have come home'], lacks=[r'#(?![# ])|[^#\s] *#', r'\(cid:'])
def arabic_hole():
    """A subset font, an Arabic ligature has code 0x23 and no entry in ToUnicode: a # in the text."""
    pdf = Pdf()
    page = pdf.page()
    lines(page, 60, 90, KEEPER, size=10)
    font = HoledFont(DEJAVU + 'DejaVuSans.ttf', '\ufefb')
    font.show('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef')  # codes 1 to 0x20, the ligature is the third from here
    page.text(300, 240, font, 12, '\u0645\u0627\ufefb\u0633')
    assert font.used['\ufefb'] == 0x23
    return pdf.save()


@recipe(12, 'markup', has=['Write <s nip> where the cut is, and <b>not</b> here.', 'Two ** stars ** and a | pipe | and `ticks` and $5 or $6.',
                           '# is no heading', '&amp; stays', 'snake_case_name', '[not](a link)'])
def markup():
    """Text that contains <s nip>, stars, pipes, backticks: becomes a tag, the rest is struck through."""
    pdf = Pdf()
    page = pdf.page()
    lines(page, 72, 90, ['Write <s nip> where the cut is, and <b>not</b> here.'])
    lines(page, 72, 120, ['Two ** stars ** and a | pipe | and `ticks` and $5 or $6.'])
    lines(page, 72, 150, ['# is no heading, &amp; stays, snake_case_name too, and [not](a link).'])
    return pdf.save()


@recipe(18, 'ligature-code', has=['The first line is plain.', 'The office filed the final figures.', 'The third line is plain.'])
def ligature_code():
    """A line with a real U+FB01 vanishes as a whole."""
    pdf = Pdf()
    page = pdf.page()
    font = EncodedFont({1: 'fi'}, {**{c: chr(c) for c in range(32, 127)}, 1: '\ufb01'})
    page.text(72, 90, PLAIN, 11, 'The first line is plain.')
    page.text(72, 105, font, 11, 'The of\1ce \1led the \1nal \1gures.')
    page.text(72, 120, PLAIN, 11, 'The third line is plain.')
    return pdf.save()


@recipe(20, 'text-on-picture', has=['COUNTS THE BOATS', 'Typed over the picture'])
def text_on_picture():
    """Courier, not embedded, over a picture that covers the page: empty output."""
    pdf = Pdf()
    page = pdf.page()
    page.image(5, 5, 585, 832, pdf.grey_image(60, 84, bytes(b | 0xc0 for b in striped(60, 84))))
    lines(page, 72, 120, ['Typed over the picture of a form:', 'THE KEEPER COUNTS THE BOATS', 'AND WRITES THEM INTO A BOOK', 'EVERY EVENING OF THE YEAR'], font=FIXED)
    return pdf.save()


@recipe(27, 'no-unicode', has=['The keeper of the lighthouse walks to the end of the pier'], lacks=[r'\(cid:', r'\ufffd', r'[\x01-\x08\x0b\x0e-\x1f]'])
def no_unicode():
    """A font with glyph numbers only: empty text or (cid:588).  Only a model can read this."""
    pdf = Pdf()
    lines(pdf.page(), 60, 90, KEEPER * 4, font=HoledFont(DEJAVU + 'DejaVuSans.ttf', {chr(c) for c in range(32, 127)}), size=10)
    return pdf.save()


@recipe(29, 'rare-characters', stdout=True, env={'LANG': 'C', 'LC_ALL': 'C'}, has=['A dash \u2015 and a kana \uff89 in one line.'])
def rare_characters():
    """U+2015 and U+FF89 with LANG=C: a crash while printing, the file is left empty."""
    pdf = Pdf()
    font = EncodedFont({1: 'afii00208', 2: 'a2'}, {**{c: chr(c) for c in range(32, 127)}, 1: '\u2015', 2: '\uff89'})
    pdf.page().text(72, 90, font, 11, 'A dash \1 and a kana \2 in one line.')
    return pdf.save()


@recipe(37, 'shifted-layer', has=['The keeper of the lighthouse walks to the end of the pier'], lacks=[r'Uif', r'lffqfs', r'cpbut'])
def shifted_layer():
    """An invisible text layer shifted by one letter over a clean scan: the wrong text is trusted."""
    from truetype import Raster, TrueType
    pdf = Pdf()
    page = pdf.page()
    raster, face = Raster(1240, 1754), TrueType(DEJAVU + 'DejaVuSans.ttf')
    for i, text in enumerate(KEEPER * 3): raster.text(120, 200 + 50 * i, face, 24, text)
    page.image(0, 0, 595, 842, pdf.grey_image(1240, 1754, raster.packed(), bits=1))
    for i, text in enumerate(KEEPER * 3):
        shifted = ''.join(chr(ord(c) + 1) if c != ' ' else c for c in text)
        page.text(57.6, 96 + 24 * i, PLAIN, 11.5, shifted, mode=3)
    return pdf.save()
