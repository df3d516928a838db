"""A tagged PDF with an outline: the structure tree says what the plain type does not show (heading levels, a list, table heads)."""
from pdf import Element, Name, Pdf
from typeset import Flow, Frame, Style, dejavu, table


def build():
    pdf = Pdf(title='House rules of the allotment', language='en')
    pdf.structure = Element('Document')
    root = pdf.structure
    fonts = dejavu('DejaVuSansCondensed')
    page = pdf.page()
    body = Style(fonts, 10.5, 14.5, align='left', after=7)
    # all headings look the same: only the tags know their level
    head = body.but(face='b', size=12, leading=17, before=6)
    flow = Flow(iter([Frame(page, 72, 70, 451, 790)]))

    def heading(level, text):
        if not flow.fresh: flow.skip(6)
        pdf.heading(level, text, page, flow.y)
        flow.text(text, head.but(before=0), element=root.add('H%d' % level))

    heading(1, 'House rules of the allotment')
    flow.text('These rules were agreed at the meeting of 9 May and hold for all forty plots. They replace the sheet of 1998.', body, element=root.add('P'))
    heading(2, 'Growing')
    heading(3, 'Beds')
    flow.text('At least a third of every plot is dug. Who goes away for more than a month finds somebody to water.', body, element=root.add('P'))
    heading(3, 'Trees')
    flow.text('Fruit trees stay below four metres. The following are not planted:', body, element=root.add('P'))
    listing = root.add('L')
    for text in ('walnut, because nothing grows below it;', 'poplar, because of the drains;', 'bamboo, because of the neighbours.'):
        li = listing.add('LI')
        page.begin(li.add('Lbl'))
        page.text(flow.frame.x + 6, flow.y + 14.5 * 0.5 + 10.5 * 0.34, fonts[''], 10.5, '\u2022')
        page.end()
        flow.text(text, body.but(left=20, after=3), element=li.add('LBody'))
    flow.skip(4)
    heading(2, 'Water')
    flow.text('The pump runs at these hours. Outside them the tank at the gate is open to all.', body, element=root.add('P'))
    rows = [['Months', 'Morning', 'Evening'], ['April, May', '7 to 9', '18 to 20'], ['June to August', '6 to 8', '19 to 22']]
    flow.y = table(page, 72, flow.y + 2, [130, 100, 100], rows, body, element=root.add('Table')) + 10
    heading(2, 'Fires')
    flow.text('Fires are lit from October to March only, on calm days, and never left alone.', body, element=root.add('P'))
    page.begin_artifact()
    page.text(288, 815, fonts[''], 8, '1')
    page.end()
    return pdf
