"""A small PDF writer: objects, pages, fonts, structure tree.  Standard library only.

For samples/make.py and tests/hostile/make.py.  Same input, same bytes: no dates, no random
identifiers.  Written from ISO 32000-1; names are the standard's own.

Lengths are points.  Page drawing has its origin at the TOP LEFT, y down, as a reader counts;
the writer turns it round.
"""
import hashlib
import zlib

from truetype import TrueType


class Name(str):
    """/Name; a str is a text string, bytes are a hexadecimal string."""


class Ref(int):
    """12 0 R"""


class Raw(bytes):
    """Written as it is."""


def number(x):
    if isinstance(x, int): return b'%d' % x
    s = ('%.4f' % x).rstrip('0').rstrip('.')
    return (s if s not in ('', '-0') else '0').encode()


def text_string(s):
    try: data = s.encode('ascii')
    except UnicodeEncodeError: return b'<' + (b'\xfe\xff' + s.encode('utf-16-be')).hex().encode() + b'>'
    for a, b in ((b'\\', b'\\\\'), (b'(', b'\\('), (b')', b'\\)')): data = data.replace(a, b)
    return b'(' + data + b')'


def write_object(x):
    if isinstance(x, Raw): return bytes(x)
    if x is None: return b'null'
    if isinstance(x, bool): return b'true' if x else b'false'
    if isinstance(x, Ref): return b'%d 0 R' % int(x)
    if isinstance(x, (int, float)): return number(x)
    if isinstance(x, Name):
        return b'/' + b''.join(bytes([c]) if 33 <= c <= 126 and chr(c) not in '#/()<>[]{}%' else b'#%02x' % c for c in x.encode())
    if isinstance(x, str): return text_string(x)
    if isinstance(x, bytes): return b'<' + x.hex().encode() + b'>'
    if isinstance(x, (list, tuple)): return b'[' + b' '.join(write_object(v) for v in x) + b']'
    if isinstance(x, dict): return b'<<' + b' '.join(b'/' + k.encode() + b' ' + write_object(v) for k, v in x.items() if v is not None) + b'>>'
    raise TypeError(type(x))


def to_unicode(pairs):
    """CMap stream of (code bytes, text)."""
    wide = len(pairs[0][0]) if pairs else 1
    out = [b'/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def /CMapType 2 def',
           b'1 begincodespacerange <%s> <%s> endcodespacerange' % (b'00' * wide, b'ff' * wide)]
    for i in range(0, len(pairs), 100):
        part = pairs[i:i + 100]
        out.append(b'%d beginbfchar' % len(part))
        out += [b'<%s> <%s>' % (c.hex().encode(), t.encode('utf-16-be').hex().encode()) for c, t in part]
        out.append(b'endbfchar')
    out.append(b'endcmap CMapName currentdict /CMap defineresource pop end end')
    return b'\n'.join(out)


# ---- fonts ------------------------------------------------------------------------------

# Advance widths of codes 32..126, from Adobe's metrics of the standard 14 fonts.
HELVETICA = [278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278] + [556] * 10 + [
    278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611,
    722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584]
HELVETICA_BOLD = [278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278] + [556] * 10 + [
    333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611,
    722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584]
STANDARD = {'Helvetica': HELVETICA, 'Helvetica-Bold': HELVETICA_BOLD, 'Helvetica-Oblique': HELVETICA,
            'Courier': [600] * 95, 'Courier-Bold': [600] * 95}


class StandardFont:
    """One of the standard 14, not embedded, WinAnsi."""
    ascent, descent = 718, -207

    def __init__(self, name): self.name = name

    def width(self, text):
        table = STANDARD[self.name]
        total = 0
        for b in text.encode('cp1252'): total += table[b - 32] if 32 <= b < 127 else 556
        return total

    def show(self, text): return bytes(text.encode('cp1252'))

    def write(self, pdf):
        return pdf.add({'Type': Name('Font'), 'Subtype': Name('Type1'), 'BaseFont': Name(self.name), 'Encoding': Name('WinAnsiEncoding')})


class EmbeddedFont:
    """A TrueType file, embedded as a subset: Type0, Identity-H, with ToUnicode."""

    def __init__(self, path):
        self.face = TrueType(path)
        self.name = self.face.name
        self.ascent, self.descent = self.face.ascent, self.face.descent
        self.used = {}  # character -> code in the subset

    def width(self, text): return sum(self.face.advance(c) for c in text)

    def show(self, text):
        for c in text: self.used.setdefault(c, len(self.used) + 1)
        return b''.join(self.used[c].to_bytes(2, 'big') for c in text)

    def write(self, pdf):
        chars = list(self.used)
        data = self.face.subset(chars)
        tag = ''.join(chr(65 + b % 26) for b in hashlib.sha256(data).digest()[:6])
        base = Name(tag + '+' + self.name)
        descriptor = pdf.add({'Type': Name('FontDescriptor'), 'FontName': base, 'Flags': 4, 'FontBBox': self.face.bbox,
                              'ItalicAngle': -11 if self.face.italic else 0, 'Ascent': self.ascent, 'Descent': self.descent, 'CapHeight': 729,
                              'StemV': 140 if self.face.bold else 80, 'FontFile2': pdf.stream({'Length1': len(data)}, data)})
        cid = pdf.add({'Type': Name('Font'), 'Subtype': Name('CIDFontType2'), 'BaseFont': base,
                       'CIDSystemInfo': {'Registry': 'Adobe', 'Ordering': 'Identity', 'Supplement': 0}, 'FontDescriptor': descriptor,
                       'W': [1, [self.face.advance(c) for c in chars]], 'CIDToGIDMap': Name('Identity')})
        cmap = to_unicode([(self.used[c].to_bytes(2, 'big'), c) for c in chars])
        return pdf.add({'Type': Name('Font'), 'Subtype': Name('Type0'), 'BaseFont': base, 'Encoding': Name('Identity-H'),
                        'DescendantFonts': [cid], 'ToUnicode': pdf.stream({}, cmap)})


# ---- pages ------------------------------------------------------------------------------

class Page:
    def __init__(self, pdf, width, height, rotate=0):
        self.pdf, self.width, self.height, self.rotate = pdf, width, height, rotate
        self.ops, self.annots, self.images, self.marks = [], [], {}, 0
        self.extra = {}  # more entries of the page dictionary

    def op(self, *parts): self.ops.append(b' '.join(p if isinstance(p, bytes) else p.encode() if isinstance(p, str) else number(p) for p in parts))

    def colour(self, rgb, stroke=False): self.op(*[round(c / 255, 3) for c in rgb], 'RG' if stroke else 'rg')

    def show(self, x, y, font, size, pieces, colour=(0, 0, 0), mode=0, turn=None):
        """pieces: strings and, between them, extra space in points.  y is the baseline."""
        items = []
        for p in pieces:
            items.append(b'<' + font.show(p).hex().encode() + b'>' if isinstance(p, str) else number(round(-p * 1000 / size, 2)))
        self.op('BT', self.pdf.font_name(font), size, 'Tf')
        if colour != (0, 0, 0): self.colour(colour)
        if mode: self.op(mode, 'Tr')
        a, b, c, d = turn or (1, 0, 0, 1)
        self.op(a, b, c, d, round(x, 3), round(self.height - y, 3), 'Tm [' + b' '.join(items).decode() + '] TJ ET')
        if mode: self.op('0 Tr')
        if colour != (0, 0, 0): self.op('0 0 0 rg')

    def text(self, x, y, font, size, text, **more): self.show(x, y, font, size, [text], **more)

    def line(self, x0, y0, x1, y1, thick=0.5, colour=(0, 0, 0)):
        self.colour(colour, True)
        self.op(thick, 'w', x0, self.height - y0, 'm', x1, self.height - y1, 'l S')

    def fill(self, x, y, w, h, colour):
        self.colour(colour)
        self.op(x, self.height - y - h, w, h, 're f 0 0 0 rg')

    def frame(self, x, y, w, h, thick=0.5):
        self.op('0 0 0 RG', thick, 'w', x, self.height - y - h, w, h, 're S')

    def image(self, x, y, w, h, ref):
        name = 'Im%d' % len(self.images)
        self.images[name] = ref
        self.op('q', w, 0, 0, h, x, self.height - y - h, 'cm /' + name, 'Do Q')

    def disc(self, x, y, radius, colour):
        """A filled circle about x, y: four curves."""
        self.op('q')
        self.colour(colour)
        r, k, cy = radius, 0.5523 * radius, self.height - y
        self.op(x + r, cy, 'm')
        for a, b, c in (((r, k), (k, r), (0, r)), ((-k, r), (-r, k), (-r, 0)), ((-r, -k), (-k, -r), (0, -r)), ((k, -r), (r, -k), (r, 0))):
            self.op(x + a[0], cy + a[1], x + b[0], cy + b[1], x + c[0], cy + c[1], 'c')
        self.op('f Q')

    def link(self, x, y, w, h, uri=None, page=None, name=None):
        """name: of a place that the reader looks up, with a border around the link, as LaTeX makes them."""
        if name:
            self.annots.append(self.pdf.add({'Type': Name('Annot'), 'Subtype': Name('Link'), 'Border': [0, 0, 1], 'C': [1, 0, 0],
                                             'Rect': [x, self.height - y - h, x + w, self.height - y],
                                             'A': {'S': Name('GoTo'), 'D': Raw(b'(' + name.encode() + b')')}}))
            return
        what = {'A': {'S': Name('URI'), 'URI': uri}} if uri else {'Dest': [page.ref, Name('XYZ'), None, page.height, None]}
        self.annots.append(self.pdf.add({'Type': Name('Annot'), 'Subtype': Name('Link'), 'Border': [0, 0, 0],
                                         'Rect': [x, self.height - y - h, x + w, self.height - y], **what}))

    def begin(self, element):
        """What follows, up to end(), is content of this structure element."""
        self.op('/' + element.kind, '<</MCID', self.marks, '>> BDC')
        element.kids.append((self, self.marks))
        self.pdf.mark_parents.setdefault(id(self), []).append(element)
        self.marks += 1

    def begin_artifact(self): self.op('/Artifact BMC')

    def end(self): self.op('EMC')


class Element:
    """A structure element: kids are elements or (page, MCID)."""

    def __init__(self, kind, **entries): self.kind, self.kids, self.entries = kind, [], entries

    def add(self, kind, **entries):
        kid = Element(kind, **entries)
        self.kids.append(kid)
        return kid


class Pdf:
    def __init__(self, title=None, author=None, language=None):
        self.objects, self.pages, self.fonts, self.outline, self.fields = [], [], {}, [], []
        self.title, self.author, self.language = title, author, language
        self.structure, self.mark_parents = None, {}
        self.catalog = {}

    def reserve(self):
        self.objects.append(None)
        return Ref(len(self.objects))

    def put(self, ref, obj): self.objects[ref - 1] = write_object(obj)

    def add(self, obj):
        ref = self.reserve()
        self.put(ref, obj)
        return ref

    def stream(self, entries, data, compress=True):
        if compress and 'Filter' not in entries:
            data = zlib.compress(data, 9)
            entries = {**entries, 'Filter': Name('FlateDecode')}
        ref = self.reserve()
        self.objects[ref - 1] = write_object({**entries, 'Length': len(data)}) + b'\nstream\n' + data + b'\nendstream'
        return ref

    def font_name(self, font):
        if id(font) not in self.fonts: self.fonts[id(font)] = ('/F%d' % (len(self.fonts) + 1), font)
        return self.fonts[id(font)][0]

    def page(self, width=595, height=842, rotate=0):
        page = Page(self, width, height, rotate)
        page.ref = self.reserve()
        self.pages.append(page)
        return page

    def grey_image(self, width, height, rows, bits=8):
        return self.stream({'Type': Name('XObject'), 'Subtype': Name('Image'), 'Width': width, 'Height': height,
                            'ColorSpace': Name('DeviceGray'), 'BitsPerComponent': bits}, rows)

    def heading(self, level, title, page, y): self.outline.append((level, title, page, y))

    def text_field(self, page, x, y, w, h, name, value):
        self.fields.append(self.widget(page, x, y, w, h, {'FT': Name('Tx'), 'T': name, 'V': value, 'DA': '/Helv 10 Tf 0 g'}, value))

    def check_box(self, page, x, y, size, name, on):
        state = Name('Yes' if on else 'Off')
        self.fields.append(self.widget(page, x, y, size, size, {'FT': Name('Btn'), 'T': name, 'V': state, 'AS': state}, None))

    def widget(self, page, x, y, w, h, entries, value):
        top = page.height - y
        if value is None:  # a check box: a cross when on
            make = lambda ops: self.stream({'Type': Name('XObject'), 'Subtype': Name('Form'), 'BBox': [0, 0, w, h]}, ops)
            look = {'Yes': make(b'1 w 2 2 m %d %d l S 2 %d m %d 2 l S' % (w - 2, h - 2, h - 2, w - 2)), 'Off': make(b'')}
        else:
            ops = b'/Tx BMC BT /Helv 10 Tf 2 4 Td ' + text_string(value) + b' Tj ET EMC'
            look = self.stream({'Type': Name('XObject'), 'Subtype': Name('Form'), 'BBox': [0, 0, w, h],
                                'Resources': {'Font': {'Helv': self.helv()}}}, ops)
        ref = self.add({'Type': Name('Annot'), 'Subtype': Name('Widget'), 'Rect': [x, top - h, x + w, top], 'P': page.ref, 'F': 4,
                        'AP': {'N': look}, **entries})
        page.annots.append(ref)
        return ref

    def helv(self):
        if not hasattr(self, 'helv_ref'): self.helv_ref = StandardFont('Helvetica').write(self)
        return self.helv_ref

    # -- the end ---------------------------------------------------------------------------

    def write_outline(self):
        root = self.reserve()
        refs = [self.reserve() for _ in self.outline]
        parents, stack = [], []
        for level, *_ in self.outline:
            while stack and self.outline[stack[-1]][0] >= level: stack.pop()
            parents.append(stack[-1] if stack else -1)
            stack.append(len(parents) - 1)
        for i, (level, title, page, y) in enumerate(self.outline):
            siblings = [j for j, p in enumerate(parents) if p == parents[i]]
            kids = [j for j, p in enumerate(parents) if p == i]
            at = siblings.index(i)
            self.put(refs[i], {'Title': title, 'Parent': refs[parents[i]] if parents[i] >= 0 else root,
                               'Prev': refs[siblings[at - 1]] if at else None, 'Next': refs[siblings[at + 1]] if at + 1 < len(siblings) else None,
                               'First': refs[kids[0]] if kids else None, 'Last': refs[kids[-1]] if kids else None,
                               'Count': len(kids) or None, 'Dest': [page.ref, Name('XYZ'), None, page.height - y, None]})
        top = [j for j, p in enumerate(parents) if p < 0]
        self.put(root, {'Type': Name('Outlines'), 'First': refs[top[0]], 'Last': refs[top[-1]], 'Count': len(top)})
        return root

    def write_structure(self):
        root = self.reserve()
        refs = {}

        def write(element, parent):
            ref = refs[id(element)] = self.reserve()
            kids = []
            for kid in element.kids:
                kids.append(write(kid, ref) if isinstance(kid, Element) else {'Type': Name('MCR'), 'Pg': kid[0].ref, 'MCID': kid[1]})
            self.put(ref, {'Type': Name('StructElem'), 'S': Name(element.kind), 'P': parent, 'K': kids, **element.entries})
            return ref

        top = write(self.structure, root)
        numbers = []
        for i, page in enumerate(self.pages):
            if id(page) in self.mark_parents:
                page.extra['StructParents'] = i
                numbers += [i, [refs[id(e)] for e in self.mark_parents[id(page)]]]
        self.put(root, {'Type': Name('StructTreeRoot'), 'K': [top], 'ParentTree': self.add({'Nums': numbers}), 'ParentTreeNextKey': len(self.pages)})
        return root

    def save(self):
        """The file's bytes."""
        structure = self.write_structure() if self.structure else None
        fonts = {name[1:]: font.write(self) for name, font in self.fonts.values()}
        tree = self.reserve()
        for p in self.pages:
            content = self.stream({}, b'\n'.join(p.ops))
            self.put(p.ref, {'Type': Name('Page'), 'Parent': tree, 'MediaBox': [0, 0, p.width, p.height], 'Rotate': p.rotate or None,
                             'Resources': {'Font': fonts, 'XObject': p.images or None}, 'Contents': content, 'Annots': p.annots or None, **p.extra})
        self.put(tree, {'Type': Name('Pages'), 'Kids': [p.ref for p in self.pages], 'Count': len(self.pages)})
        form = {'Fields': self.fields, 'DR': {'Font': {'Helv': self.helv()}}, 'DA': '/Helv 10 Tf 0 g'} if self.fields else None
        catalog = self.add({'Type': Name('Catalog'), 'Pages': tree, 'Lang': self.language, 'AcroForm': form, 'StructTreeRoot': structure,
                            'MarkInfo': {'Marked': True} if structure else None,
                            'Outlines': self.write_outline() if self.outline else None, **self.catalog})
        info = self.add({'Title': self.title, 'Author': self.author, 'Producer': 'samples/pdf.py'})
        return assemble(self.objects, {'Root': catalog, 'Info': info})


def assemble(objects, trailer, version=b'1.7'):
    """Body, cross-reference table and trailer from the written objects."""
    out = bytearray(b'%PDF-' + version + b'\n%\xe2\xe3\xcf\xd3\n')
    offsets = []
    for i, obj in enumerate(objects):
        offsets.append(len(out))
        out += b'%d 0 obj\n' % (i + 1) + obj + b'\nendobj\n'
    start = len(out)
    out += b'xref\n0 %d\n0000000000 65535 f \n' % (len(objects) + 1)
    for at in offsets: out += b'%010d 00000 n \n' % at
    identifier = hashlib.sha256(bytes(out)).digest()[:16]
    out += b'trailer\n' + write_object({'Size': len(objects) + 1, **trailer, 'ID': [identifier, identifier]}) + b'\nstartxref\n%d\n%%%%EOF\n' % start
    return bytes(out)
