"""A short paper: title and abstract across the page, two columns, a chart, numbered headings, references."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu

LEFT, RIGHT, COLUMN, TOP, BOTTOM = 54, 307, 234, 50, 806


def build():
    pdf = Pdf(title='How Long Does a Tide Table Stay Good?', author='M. Arroyo and T. Lindqvist', language='en')
    fonts = dejavu()
    body = Style(fonts, 9.5, 12.2, first=12)
    first = body.but(first=0)
    section = Style(fonts, 11.5, 15, align='left', face='b', before=9, after=4)
    page = pdf.page()

    head = Flow(iter([Frame(page, 54, TOP, 487, BOTTOM)]))
    head.text('How Long Does a Tide Table Stay Good?', Style(fonts, 18, 24, align='centre', face='b', after=6))
    head.text('Marta Arroyo and Tove Lindqvist', Style(fonts, 11, 15, align='centre'))
    head.text('Institute of Coastal Measurement, Westport', Style(fonts, 9.5, 13, align='centre', face='i', after=14))
    head.text('Abstract', Style(fonts, 10, 14, align='centre', face='b', after=3))
    head.text('Harbours print their tide tables a year ahead. We compare the printed heights of nine small ports with what their gauges '
              'measured over six years and ask after how many months a table is no longer worth its paper. Where the sea bed is rock the '
              'answer is: never. Where a river brings sand, the error doubles within two winters, and dredging resets it.',
              Style(fonts, 9, 11.8, left=40, right=40, after=16))
    top = head.y

    def frames():
        yield Frame(page, LEFT, top, COLUMN, BOTTOM)
        yield Frame(page, RIGHT, top, COLUMN, BOTTOM)
        while True:
            nxt = pdf.page()
            yield Frame(nxt, LEFT, TOP, COLUMN, BOTTOM)
            yield Frame(nxt, RIGHT, TOP, COLUMN, BOTTOM)

    flow = Flow(frames())
    flow.text('1 Introduction', section, keep=30)
    flow.text('A tide table is a promise about the future that is kept surprisingly well. The moon and the sun do not change their minds, '
              'and a har\u00admonic analysis of one good year predicts the next ones to within a hand\u2019s breadth. What does change is the '
              'har\u00adbour itself: its bed silts up, its walls are length\u00adened, its chan\u00adnel is dredged.', first)
    flow.text('Large ports correct for this every month. Small ports do not have the staff. They buy a table, pin it to the office door, '
              'and re\u00admember by experi\u00adence how far it is off. We wanted to know whether that experi\u00adence could be written down.', body)
    flow.text('2 Data', section, keep=30)
    flow.text('Nine ports agreed to share the records of their gauges from January 2017 to December 2022. Four of them lie on rock, five at '
              'the mouth of a river. All gauges write one value every ten minutes; we kept only the high waters, about 705 a year and port.', first)
    flow.text('Storms were left in. A table that fails in a storm fails when it is needed most, and removing such days would have '
              'flat\u00adtered every port alike. Gaps of more than six hours, 31 in all, were left out together with the tide before and after.', body)
    flow.text('3 Method', section, keep=30)
    flow.text('For every high water we take the printed height minus the measured one. The error of a month is the median of the absolute '
              'differ\u00adences; the median does not care about a single broken gauge. A table counts as good while this error stays below '
              '20 centi\u00admetres, the clear\u00adance that the pilots of our region ask for.', first)
    flow.text('3.1 Wind', Style(fonts, 10, 13.5, align='left', face='b', before=6, after=3), keep=30)
    flow.text('Wind from the sea piles water up. We fitted one coeffi\u00adcient for each port to the hourly wind of the nearest airfield and '
              'took its effect out before compar\u00ading years, so that a calm winter does not look like a good table.', first)
    flow.text('3.2 Dredging', Style(fonts, 10, 13.5, align='left', face='b', before=6, after=3), keep=30)
    flow.text('Three of the river ports were dredged during the study. The dates come from the invoices, which turned out to be more exact '
              'than the harbour diaries.', first)
    flow.text('4 Results', section, keep=30)
    flow.text('Figure 1 shows the error after six years. On rock it hardly moves: the worst port went from 9 to 11 centi\u00admetres. At river '
              'mouths it grows by four to six centi\u00admetres a year until somebody dredges.', first)
    chart(flow, fonts)
    flow.text('After dredging the error falls back to that of a new table within one month. The effect lasted 14, 19 and 26 months at the '
              'three ports, longest where the river is slowest.', body)
    flow.text('The wind correc\u00adtion matters less than we had expected. It lowers the error by two centi\u00admetres at the most exposed port and '
              'by less than one elsewhere.', body)
    flow.text('5 Discussion', section, keep=30)
    flow.text('The rule that we offer to small ports is short. On rock, print the table and forget about it. At a river mouth, measure the '
              'error in the second spring; when it passes 20 centi\u00admetres, either dredge or order a new analy\u00adsis. Both cost money, but only '
              'one of them also lets the ferry in.', first)
    flow.text('We do not know how the rule fares where the tide is small. All our ports have a range of more than three metres. Readers with '
              'gauges in calmer seas are invited to repeat the compari\u00adson; our pro\u00adgrams are short and we shall gladly send them.', body)
    flow.text('References', section, keep=30)
    reference = Style(fonts, 8.5, 11, left=18, after=2)
    for n, item in enumerate(('P. Hale. <i>Reading the Gauge.</i> Quay Press, Westport, 2009.',
                              'S. Brandt and L. Ohm. Silting of small river ports. <i>Coastal Notes</i>, 12(3), 41\u201358, 2015.',
                              'Harbour Office of Westport. <i>Register of Dredging Works 2010\u20132022.</i> Unpublished.'), 1):
        flow.text(item, reference, label='[%d]' % n)
    return pdf


def chart(flow, fonts):
    flow.skip(8)
    flow.room(170)
    page, x, y, w = flow.frame.page, flow.frame.x, flow.y, flow.frame.width
    small = fonts['']
    base = y + 118
    page.line(x + 30, y + 4, x + 30, base)
    page.line(x + 30, base, x + w - 6, base)
    for value in (0, 10, 20, 30):
        at = base - value * 3.6
        page.line(x + 27, at, x + 30, at)
        label = str(value)
        page.text(x + 24 - small.width(label) * 7.5 / 1000, at + 2.6, small, 7.5, label)
    for i, (name, value) in enumerate((('Carn', 9), ('Ebb', 10), ('Holm', 11), ('Sker', 10), ('Aune', 23), ('Brede', 27), ('Lode', 31))):
        left = x + 40 + i * 27
        page.fill(left, base - value * 3.6, 17, value * 3.6, (90, 130, 180) if value < 15 else (190, 120, 70))
        page.text(left + 8.5 - small.width(name) * 7 / 2000, base + 10, small, 7, name)
    flow.y = base + 18
    flow.text('Figure 1: Median error in centimetres after six years, ports on rock (blue) and at rivers (brown).',
              Style(fonts, 8.5, 11, align='left', after=9))
