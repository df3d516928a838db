"""Documents that eat time or memory."""
import zlib

from pdf import Name, Pdf, Ref
from recipe import BOLD, FIXED, PLAIN, grid, lines, recipe
from pictures import jpeg

STORY = ['Every number has a square, and most people remember those up to twelve.', 'The rest are looked up, or worked out on the back of an envelope.',
         'Envelopes are getting rare, which some hold to be the true reason', 'why fewer people than before can do it in their heads.']


def form(pdf, data, resources=None, box=(0, 0, 595, 842)):
    return pdf.stream({'Type': Name('XObject'), 'Subtype': Name('Form'), 'BBox': list(box), 'Resources': resources or {}}, data)


@recipe(1, 'form-draws', exit=[0, 1], has=['Twelve scatter plots', 'Each dot is one measurement.'])
def form_draws():
    """One page with 40,000 draws of a form (twelve scatter plots): a hang in the parser that ignores the time limit."""
    pdf = Pdf()
    page = pdf.page()
    page.text(72, 60, BOLD, 16, 'Twelve scatter plots')
    page.images['Dot'] = form(pdf, b'0 0 1 1 re f', box=(0, 0, 1, 1))
    draws = bytearray()
    state = 1
    for i in range(40000):
        state = (state * 1103515245 + 12345) & 0x7fffffff
        draws += b'q 1 0 0 1 %d %d cm /Dot Do Q\n' % (60 + i % 12 % 4 * 120 + state % 100, 120 + i % 12 // 4 * 200 + (state >> 9) % 160)
    page.ops.append(bytes(draws))
    lines(page, 72, 790, ['Each dot is one measurement.'])
    return pdf.save()


@recipe(2, 'vector-figure', exit=[0, 1], has=['A figure with very many strokes', 'The lines are the paths of single particles.'])
def vector_figure():
    """A figure of 60,000 curves: a hang that no document time limit stops."""
    pdf = Pdf()
    page = pdf.page()
    page.text(72, 60, BOLD, 16, 'A figure with very many strokes')
    ops, state = bytearray(b'0.2 w\n'), 7
    for _ in range(60000):
        v = []
        for _ in range(8):
            state = (state * 1103515245 + 12345) & 0x7fffffff
            v.append(80 + (state >> 8) % 430)
        ops += b'%d %d m %d %d %d %d %d %d c S\n' % (v[0], v[1] + 150, v[2], v[3] + 150, v[4], v[5] + 150, v[6], v[7] + 150)
    page.ops.append(bytes(ops))
    lines(page, 72, 790, ['The lines are the paths of single particles.'])
    return pdf.save()


@recipe(3, 'nested-forms', exit=[1], says='page 1', always=['The page behind the forms is fine.'])
def nested_forms():
    """Forms that draw each other ten times, twelve deep, and a pattern with a tiny step: memory without end."""
    pdf = Pdf()
    page = pdf.page()
    inner = form(pdf, b'0 0 1 1 re f')
    for _ in range(12):
        inner = form(pdf, b'q /X Do Q 0.99 0 0 0.99 1 1 cm ' * 10, {'XObject': {'X': inner}})
    page.images['X'] = inner
    page.ops.append(b'/X Do')
    tile = pdf.stream({'Type': Name('Pattern'), 'PatternType': 1, 'PaintType': 1, 'TilingType': 1, 'BBox': [0, 0, 1, 1], 'XStep': 0.01, 'YStep': 0.01,
                       'Resources': {}}, b'0 0 1 1 re f')
    page.images['Tile'] = form(pdf, b'/Pattern cs /P scn 0 0 595 842 re f', {'Pattern': {'P': tile}})
    page.ops.append(b'/Tile Do')
    lines(pdf.page(), 72, 90, ['The page behind the forms is fine.'])
    return pdf.save()


@recipe(4, 'many-pages', memory=300, has=['The sum of page 1 is', 'The sum of page 350 is', 'The sum of page 700 is'])
def many_pages():
    """700 light pages with formulas: memory runs out at page 300, later pages lose their layout silently."""
    pdf = Pdf()
    for n in range(1, 701):
        page = pdf.page()
        y = 90 + n % 5 * 20
        page.text(72, y, BOLD, 14, ('Squares', 'Cubes', 'Roots', 'Sums', 'Limits', 'Primes', 'Angles')[n % 7])
        y = lines(page, 72, y + 30, STORY[n % 4:] + ['The sum of page %d is %d.' % (n, n * n)])
        page.text(200, y + 10, PLAIN, 11, 'x')
        page.text(206, y + 5, PLAIN, 7, '2')
        page.text(212, y + 10, PLAIN, 11, '+ y = %d' % n)
    return pdf.save()


@recipe(5, 'grey-scans', memory=400, seconds=30, match=[r'(?s)(page[- ]0*1\b.*page[- ]0*60\b)'])
def grey_scans():
    """60 full-page grey JPEG scans: nothing is written and no error shown."""
    pdf = Pdf()
    images = [pdf.stream({'Type': Name('XObject'), 'Subtype': Name('Image'), 'Width': 1240, 'Height': 1752, 'ColorSpace': Name('DeviceGray'),
                          'BitsPerComponent': 8, 'Filter': Name('DCTDecode')}, jpeg(1240, 1752, k)) for k in range(3)]
    for n in range(60): pdf.page().image(0, 0, 595, 842, images[n % 3])
    return pdf.save()


@recipe(19, 'rectangles', exit=[0, 1], has=['Sixty-five thousand rectangles', 'This line stands below them.'])
def rectangles():
    """65,000 small rectangles: half an hour on one page (every pair of them was compared)."""
    pdf = Pdf()
    page = pdf.page()
    page.text(72, 60, BOLD, 16, 'Sixty-five thousand rectangles')
    page.ops.append(b'0.4 0.6 0.9 rg\n' + b'\n'.join(b'%.2f %.2f 1.2 1.6 re f' % (70 + i % 250 * 1.8, 130 + i // 250 * 2.4) for i in range(65000)) + b'\n0 g')
    lines(page, 72, 790, ['This line stands below them.'])
    return pdf.save()


@recipe(22, 'bomb', exit=[0, 1], always=['The page behind the bomb survives.'])
def bomb():
    """A content stream that inflates to 200 MB: the whole file is given up."""
    pdf = Pdf()
    page = pdf.page()
    packer = zlib.compressobj(1)
    data = b''.join(packer.compress(b' ' * 4000000) for _ in range(50)) + packer.flush()
    page.extra['Contents'] = pdf.stream({'Filter': [Name('FlateDecode')] * 2}, zlib.compress(data, 9))
    lines(pdf.page(), 72, 90, ['The page behind the bomb survives.'])
    return pdf.save()


@recipe(33, 'burst', options=['--jobs', '2'], has=['Paragraph 16 of a short report'])
def burst():
    """50 reports of 16 pages at once: bursts overflow the engine, endless log."""
    made = []
    for k in range(50):
        pdf = Pdf(title='Report %d' % k)
        for n in range(1, 17):
            lines(pdf.page(), 72, 90 + n % 4 * 18, STORY[n % 4:] + ['Paragraph %d of a short report, number %d of fifty.' % (n, k + 1)])
        made.append(pdf.save())
    return made


@recipe(35, 'tiny-pages', memory=400, has=['Cell 60', 'Leaf 2 ', 'Leaf 4000'])
def tiny_pages():
    """A table of 60 columns and 4,000 tiny pages: memory runs out, the odd table freezes the run."""
    pdf = Pdf()
    wide = pdf.page(2500, 300)
    grid(wide, 40, 60, [40] * 60, [['Cell %d' % c for c in range(1, 61)]] + [['%d' % (r * c) for c in range(1, 61)] for r in range(2, 6)], size=8)
    for n in range(2, 4001): pdf.page(100, 60).text(10, 30, PLAIN, 10, 'Leaf %d ' % n)
    return pdf.save()
