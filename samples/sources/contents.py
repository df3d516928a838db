"""Contents with levels and leaders, a chapter, and an index in two columns with page numbers."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu

ENTRIES = ((1, 'Preface', 'v'), (1, '1 The river', '1'), (2, '1.1 The source', '2'), (2, '1.2 The mouth, and why it moves from one year to the next', '5'),
           (1, '2 The ferry', '11'), (2, '2.1 The boat', '12'), (2, '2.2 The crew', '19'), (1, 'Index', '27'))
INDEX = (('bar', '3, 5\u20137'), ('barge', '11'), ('bear', '14'), ('bell', '19, 22'), ('bridge', '8'), ('brothers, silent', '20'), ('chain', '12'), ('coal', '13'),
         ('doctor', '11'), ('dredging', '6, 24'), ('fares', '21'), ('fog', '22'), ('goose', '8'), ('horses', '13'), ('mare, grey', '11'), ('mill', '9'))


def build():
    pdf = Pdf(title='River and ferry', language='en')
    fonts = dejavu()
    body = Style(fonts, 10, 14, first=12)
    page = pdf.page(420, 595)
    flow = Flow(iter([Frame(page, 60, 70, 300, 540)]))
    flow.text('Contents', Style(fonts, 15, 22, face='b', align='left', after=6))
    dot = fonts[''].width('.') * 10 / 1000
    for level, title, number in ENTRIES:
        indent = 14 * (level - 1)
        base = flow.y + 10
        wide, right = fonts[''].width(title) * 10 / 1000, fonts[''].width(number) * 10 / 1000
        if wide > 260:
            cut = title.index(' from')
            page.text(60 + indent, base, fonts[''], 10, title[:cut])
            flow.y += 13
            base += 13
            title = title[cut + 1:]
            indent += 18
            wide = fonts[''].width(title) * 10 / 1000
        page.text(60 + indent, base, fonts[''], 10, title)
        at = 60 + indent + wide + 4
        page.text(at, base, fonts[''], 10, '.' * int((360 - right - 4 - at) / dot))
        page.text(360 - right, base, fonts[''], 10, number)
        flow.y += 16
    page = pdf.page(420, 595)
    flow = Flow(iter([Frame(page, 60, 70, 300, 540)]))
    flow.text('Preface', Style(fonts, 15, 22, face='b', align='left', after=6))
    flow.text('This is a book about a river that has moved and a ferry that has not. It was written in the winters, when there is little to '
              'carry, from the books of the ferry and from what the crew told me.', body.but(first=0))
    flow.text('I have left out the names of those who are still alive and asked me to, and put in those who asked me to.', body)
    page = pdf.page(420, 595)
    flow = Flow(iter([Frame(page, 60, 70, 300, 540)]))
    flow.text('Index', Style(fonts, 15, 22, face='b', align='left', after=6))
    entry = Style(fonts, 9, 12, align='left')
    top = flow.y
    columns = Flow(iter([Frame(page, 60, top, 140, top + 12 * 8.5), Frame(page, 220, top, 140, 540)]))
    for word, pages in INDEX: columns.text(word + ', ' + pages, entry)
    return pdf
