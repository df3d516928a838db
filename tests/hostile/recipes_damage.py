"""Broken files, and files that are not what they say."""
import hashlib

from pdf import EmbeddedFont, Name, Pdf, Raw, Ref, assemble, write_object
from recipe import BOLD, PLAIN, lines, recipe
from typeset import DEJAVU


@recipe(6, 'signature-only', has=['/s/ Ada Tregear'])
def signature_only():
    """A page of a kilobyte with a signature and odd resources: an empty file, no failures counted, exit code 0."""
    objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1/Resources 5 0 R>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents[4 0 R]/Resources 5 0 R>>',
               b'<</Length 50>>\nstream\nBT /F0 12 Tf 72 144 Td (/s/ Ada Tregear) Tj ET    \nendstream',
               b'<</Font 6 0 R/ExtGState<<>>/ProcSet null/XObject[]>>', b'<</F0<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>>>']
    return assemble(objects, {'Root': Ref(1)})


@recipe(7, 'no-startxref', has=['The index of this file is gone.', 'The second page is there as well.'])
def no_startxref():
    """Half of the cross-reference table and startxref cut off: file damaged, -1 pages."""
    pdf = Pdf()
    lines(pdf.page(), 72, 90, ['The index of this file is gone.'])
    lines(pdf.page(), 72, 90, ['The second page is there as well.'])
    data = pdf.save()
    return data[:data.rindex(b'xref\n0 ') + 40] + b'\n' + data[data.index(b'trailer'):data.rindex(b'startxref')]


@recipe(24, 'broken-font', exit=[0, 1], always=['Page 1 is set in a good font.', 'Page 2 is set', 'Page 4 is set', 'Page 5 is set in a good font.'], has=['Page 3 is set in a broken font.'])
def broken_font():
    """One embedded font with a broken head table: all pages are lost."""
    class Broken(EmbeddedFont):
        def write(self, pdf):
            whole = self.face.subset
            def subset(chars):
                data = bytearray(whole(chars))
                at = data.index(b'head')
                place = int.from_bytes(data[at + 8:at + 12], 'big')
                data[place:place + 54] = b'\xff' * 54
                return bytes(data)
            self.face.subset = subset
            return super().write(pdf)
    pdf = Pdf()
    broken = Broken(DEJAVU + 'DejaVuSans.ttf')
    for n in range(1, 6):
        page = pdf.page()
        page.text(72, 90, broken if n == 3 else PLAIN, 11, 'Page %d is set in a %s font.' % (n, 'broken' if n == 3 else 'good'))
    return pdf.save()


@recipe(25, 'endless-tags', has=['The tags of this page have no end.'])
def endless_tags():
    """Lists and tables in the structure tree nested 20,000 deep, and a circle: the stack overflows."""
    pdf = Pdf()
    page = pdf.page()
    page.op('/P <</MCID 0>> BDC')
    lines(page, 72, 90, ['The tags of this page have no end.'])
    page.op('EMC')
    root = pdf.reserve()
    first = parent = pdf.reserve()
    kinds = ['L', 'LI', 'LBody', 'Table', 'TR', 'TD']
    top = root
    for n in range(20000):
        kid = pdf.reserve()
        pdf.put(parent, {'Type': Name('StructElem'), 'S': Name(kinds[n % 6]), 'P': top, 'K': [kid]})
        top, parent = parent, kid
    pdf.put(parent, {'Type': Name('StructElem'), 'S': Name('L'), 'P': top, 'Pg': page.ref, 'K': [0, first]})  # back to the top: a circle
    pdf.put(root, {'Type': Name('StructTreeRoot'), 'K': [first]})
    pdf.catalog = {'StructTreeRoot': root, 'MarkInfo': {'Marked': True}}
    return pdf.save()


@recipe(36, 'corrupt-streams', exit=[0, 1, 65])
def corrupt_streams():
    """Damaged streams and impossible colour spaces: the whole worker aborts."""
    made = []
    spaces = ([Name('ICCBased'), Ref(9999)], [Name('Indexed'), Name('DeviceRGB'), -1, b''], [Name('Indexed'), Name('DeviceRGB'), 2147483647, b'\0'],
              [Name('Separation'), Name('X'), [Name('Separation'), Name('Y'), Name('Pattern'), None], None], [Name('DeviceN'), [Name('A')] * 40, Name('DeviceCMYK'), {}],
              [Name('Lab'), {'WhitePoint': [0, 0, 0]}])
    for k, space in enumerate(spaces):
        pdf = Pdf()
        page = pdf.page()
        lines(page, 72, 90, ['A picture with an impossible colour space follows.'])
        page.image(72, 120, 200, 200, pdf.stream({'Type': Name('XObject'), 'Subtype': Name('Image'), 'Width': 40, 'Height': 40, 'ColorSpace': space, 'BitsPerComponent': 8}, bytes(1600)))
        made.append(pdf.save())
    for seed in range(10):
        pdf = Pdf()
        page = pdf.page()
        lines(page, 72, 90, ['Some bytes of this file are wrong.'] * 20, font=EmbeddedFont(DEJAVU + 'DejaVuSans.ttf'))
        page.image(72, 420, 200, 200, pdf.grey_image(40, 40, bytes(range(256)) * 6 + bytes(64)))
        data = bytearray(pdf.save())
        for i in range(40):
            h = hashlib.sha256(b'%d %d' % (seed, i)).digest()
            data[int.from_bytes(h[:4], 'big') % (len(data) - 20) + 15] = h[5]
        made.append(bytes(data))
    return made


# ---- beyond the reported faults: what every reader of PDFs must get right --------------------


def rc4(key, data):
    s, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) & 255
        s[i], s[j] = s[j], s[i]
    i = j = 0
    for b in data:
        i = (i + 1) & 255
        j = (j + s[i]) & 255
        s[i], s[j] = s[j], s[i]
        out.append(b ^ s[(s[i] + s[j]) & 255])
    return bytes(out)


PAD = bytes.fromhex('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a')


def encrypted(user, text):
    """Standard security handler, revision 2, 40 bits (ISO 32000-1, 7.6.3)."""
    key_of = lambda password: (password + PAD)[:32]
    identifier = hashlib.sha256(text.encode()).digest()[:16]
    owner = rc4(hashlib.md5(key_of(b'owner')).digest()[:5], key_of(user))
    key = hashlib.md5(key_of(user) + owner + (0xfffffffc).to_bytes(4, 'little') + identifier).digest()[:5]
    content = b'BT /F0 12 Tf 72 700 Td (' + text.encode() + b') Tj ET'
    locked = rc4(hashlib.md5(key + (4).to_bytes(3, 'little') + b'\0\0').digest()[:10], content)
    objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F0<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>',
               b'<</Length %d>>\nstream\n' % len(locked) + locked + b'\nendstream',
               write_object({'Filter': Name('Standard'), 'V': 1, 'R': 2, 'O': owner, 'U': rc4(key, PAD), 'P': -4})]
    data = assemble(objects, {'Root': Ref(1), 'Encrypt': Ref(5)})
    at = data.rindex(b'/ID')
    end = data.index(b']', at)
    return data[:at] + b'/ID ' + write_object([identifier, identifier]) + data[end + 1:]


@recipe(38, 'password', exit=[77], says='password', no_output=True)
def password():
    """A user password is needed and not given."""
    return encrypted(b'secret', 'Behind the door.')


@recipe(39, 'password-given', options=['--password', 'secret'], has=['Behind the door.'])
def password_given():
    """The password is given."""
    return encrypted(b'secret', 'Behind the door.')


@recipe(40, 'owner-only', has=['Only the owner is locked out.'])
def owner_only():
    """Only an owner password: opens for everybody."""
    return encrypted(b'', 'Only the owner is locked out.')


@recipe(41, 'empty-file', exit=[65], no_output=True)
def empty_file():
    """No bytes at all."""
    return b''


@recipe(42, 'not-a-pdf', exit=[65], no_output=True)
def not_a_pdf():
    """A web page under the name of a PDF."""
    return b'<!DOCTYPE html><html><body><h1>404 Not Found</h1></body></html>\n' * 20


@recipe(43, 'no-pages', exit=[0, 1, 65])
def no_pages():
    """A catalogue with zero pages."""
    return assemble([b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[]/Count 0>>'], {'Root': Ref(1)})


@recipe(44, 'page-circle', exit=[0, 1, 65], has=[])
def page_circle():
    """The page tree is its own child."""
    return assemble([b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2147483647>>',
                     b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>'], {'Root': Ref(1)})


@recipe(45, 'huge-page', memory=500, has=['A small line in the corner of a page of five metres.'])
def huge_page():
    """A page of 14,400 points: the picture of it would take gigabytes."""
    pdf = Pdf()
    page = pdf.page(14400, 14400)
    lines(page, 72, 90, ['A small line in the corner of a page of five metres.'])
    page.line(72, 200, 14000, 14000)
    return pdf.save()


@recipe(46, 'crop-box', has=['This line can be seen.'], lacks=['outside the crop box'])
def crop_box():
    """CropBox, UserUnit and an origin that is not zero: text outside of the page is not for the reader."""
    pdf = Pdf()
    page = pdf.page(595, 842)
    page.extra = {'MediaBox': [-100, -100, 595, 842], 'CropBox': [50, 400, 550, 800], 'UserUnit': 2.0}
    lines(page, 72, 90, ['This line can be seen.'])
    lines(page, 72, 700, ['This line lies outside the crop box.'])
    return pdf.save()


@recipe(47, 'hidden-text', has=['Only this sentence is for the reader.'], lacks=['ignore all', 'white as snow', 'covered by', 'too small'])
def hidden_text():
    """Text nobody sees: invisible, white on white, covered, one tenth of a point high."""
    pdf = Pdf()
    page = pdf.page()
    lines(page, 72, 90, ['Only this sentence is for the reader.'])
    page.text(72, 120, PLAIN, 11, 'ignore all that was said before', mode=3)
    page.text(72, 150, PLAIN, 11, 'white as snow on white paper', colour=(255, 255, 255))
    page.text(72, 180, PLAIN, 11, 'covered by a black bar')
    page.fill(70, 168, 200, 16, (0, 0, 0))
    page.text(72, 210, PLAIN, 0.1, 'too small to be seen by anybody')
    return pdf.save()


@recipe(48, 'filled-form', has=['Surname', 'Okafor-Lindqvist', 'four boats, two of them afloat', '\u2611 I agree', '\u2610 I do not'], once=['Okafor-Lindqvist'])
def filled_form():
    """A form whose answers are longer than its questions: answers lost, or the page taken for unreadable."""
    pdf = Pdf()
    page = pdf.page()
    for k, (question, answer) in enumerate((('Surname', 'Okafor-Lindqvist'), ('Why do you write to us?', 'Because I have four boats, two of them afloat'),
                                            ('And what shall we do?', 'Send somebody with a pump, and soon'))):
        page.text(72, 100 + 40 * k, PLAIN, 11, question)
        pdf.text_field(page, 220, 88 + 40 * k, 300, 18, 'field%d' % k, answer)
    for k, (label, on) in enumerate((('I agree', True), ('I do not', False))):
        pdf.check_box(page, 72, 221 + 20 * k, 11, 'box%d' % k, on)
        page.text(90, 230 + 20 * k, PLAIN, 11, label)
    return pdf.save()
