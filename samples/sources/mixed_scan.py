"""A typed page and a scanned one: the second page is a picture of text and nothing else."""
from pdf import Pdf
from truetype import Raster, TrueType
from typeset import DEJAVU, Flow, Frame, Style, dejavu

LINES = ('I, the undersigned, have received from', 'the Westport Museum one ship\u2019s compass', 'in a wooden box, on loan until the',
         'end of the exhibition.', '', 'The glass has a crack at north-east,', 'which was there before.', '', 'Carn Head, 2 June 1987', '', 'J. Tregear')


def build():
    pdf = Pdf(title='Loan of a compass', language='en')
    fonts = dejavu()
    page = pdf.page(420, 595)
    body = Style(fonts, 11, 15, align='left', after=8)
    flow = Flow(iter([Frame(page, 60, 70, 300, 540)]))
    flow.text('Loan of a compass', body.but(face='b', size=17, leading=24))
    flow.text('The museum lent a compass to the lighthouse in 1987 and has not seen it since. Our claim rests on the receipt on the '
              'next page, of which only a photograph survives.', body)
    flow.text('We ask for the compass, or for its value, by the end of the year.', body)

    scan = pdf.page(420, 595)
    dpi = 150
    width, height = round(420 * dpi / 72), round(595 * dpi / 72)
    raster, face = Raster(width, height), TrueType(DEJAVU + 'DejaVuSerif.ttf')
    raster.text(125, 190, face, 31, 'RECEIPT')
    for i, text in enumerate(LINES):
        raster.text(125 + (i % 3), 300 + 44 * i, face, 26, text)  # no typewriter keeps its margin
    scan.image(0, 0, 420, 595, pdf.grey_image(width, height, raster.packed(), bits=1))
    return pdf
