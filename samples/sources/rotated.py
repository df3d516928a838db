"""Three pages: upright, one with a wide table that /Rotate turns into place, one that was drawn upside down and turned by 180."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu, table


class Turned:
    """Drawing on a page as the reader sees it after /Rotate."""

    def __init__(self, page):
        self.page = page
        self.pdf = page.pdf
        side = page.rotate in (90, 270)
        self.width, self.height = (page.height, page.width) if side else (page.width, page.height)

    def place(self, x, y):
        p = self.page
        if p.rotate == 90: return y, p.height - x
        if p.rotate == 180: return p.width - x, p.height - y
        return x, y

    def show(self, x, y, font, size, pieces, **more):
        x, y = self.place(x, y)
        self.page.show(x, y, font, size, pieces, turn={90: (0, 1, -1, 0), 180: (-1, 0, 0, -1)}[self.page.rotate], **more)

    def text(self, x, y, font, size, text, **more): self.show(x, y, font, size, [text], **more)

    def frame(self, x, y, w, h, thick=0.5):
        (x0, y0), (x1, y1) = self.place(x, y), self.place(x + w, y + h)
        self.page.frame(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0), thick)


def build():
    pdf = Pdf(title='Rainfall at Carn Head', language='en')
    fonts = dejavu()
    body = Style(fonts, 11, 15, align='left', after=8)
    first = pdf.page(420, 595)
    flow = Flow(iter([Frame(first, 60, 70, 300, 540)]))
    flow.text('Rainfall at Carn Head', body.but(face='b', size=17, leading=24))
    flow.text('The keeper of the lighthouse has emptied the rain gauge every morning at seven since 1961. The table on the next page '
              'gives the sums of four years by season; it lies on its side so that it may keep its width.', body)
    flow.text('Snow is melted before it is measured.', body)

    wide = Turned(pdf.page(420, 595, rotate=90))
    flow = Flow(iter([Frame(wide, 60, 60, 475, 380)]))
    flow.text('Rain in millimetres', body.but(face='b', size=14, leading=20))
    rows = [['Year', 'Winter', 'Spring', 'Summer', 'Autumn', 'Whole year'], ['2019', '312', '188', '201', '340', '1041'],
            ['2020', '405', '97', '176', '298', '976'], ['2021', '287', '210', '143', '322', '962'], ['2022', '331', '164', '88', '361', '944']]
    flow.y = table(wide, 60, flow.y + 4, [70, 80, 80, 80, 80, 85], rows, body, aligns=['left'] + ['right'] * 5)
    flow.skip(12)
    flow.text('The winter of 2020 was the wettest of the whole series.', body)

    over = Turned(pdf.page(420, 595, rotate=180))
    flow = Flow(iter([Frame(over, 60, 70, 300, 540)]))
    flow.text('How the gauge is read', body.but(face='b', size=14, leading=20))
    flow.text('The funnel is lifted off, the water poured into the glass, and the glass held at the height of the eye. Half a millimetre '
              'is rounded up on odd days and down on even ones.', body)
    flow.text('This page was put into the scanner of the printer upside down and turned by the program.', body)
    return pdf
