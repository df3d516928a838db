"""Four slides: an ornament at the left, titles, bullets in bullets, an item over two lines, a slide with two columns."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu


def build():
    pdf = Pdf(title='Rules for the ferry', language='en')
    fonts = dejavu('DejaVuSansCondensed')
    title = Style(fonts, 30, 38, align='left', colour=(20, 60, 120))
    one = Style(fonts, 20, 26, align='left', after=6)
    two = Style(fonts, 16, 21, align='left', after=4)
    contents = (
        ('Rules for the ferry', ()),
        ('Why we need rules', ((0, 'Boats are fuller than they were'), (1, 'on market days'), (1, 'when the train is late'), (0, 'The crew is younger'),
                               (0, 'Nobody can remember what was agreed in the spring, when all of us were still friends'))),
        ('What we propose', ((0, 'No more than forty passengers'), (0, 'One bell before leaving'), (1, 'two in fog'), (0, 'The clerk counts'))),
        ('What it costs', ((0, 'Bell: nothing'), (0, 'Clerk: one passage a day'), (0, 'Paint for the sign'))))
    for n, (head, items) in enumerate(contents, 1):
        page = pdf.page(720, 405)
        page.fill(0, 0, 46, 405, (200, 215, 235))
        for k in range(7): page.fill(8, 20 + 52 * k, 30, 30, (150, 175, 215))
        flow = Flow(iter([Frame(page, 84, 34 if items else 150, 590, 390)]))
        flow.text(head, title.but(after=12))
        if not items:
            flow.text('Meeting of the owners, 4 May', two)
        for level, text in items:
            style = (one, two)[level]
            flow.text(text, style.but(left=26 + 26 * level), label='\u2022' if level == 0 else '\u2013', label_x=4 + 26 * level)
        page.text(84, 392, fonts[''], 9, 'Ferry owners of Westport')
        page.text(680, 392, fonts[''], 9, str(n))
    return pdf
