"""A handbook: title in two sizes, a stack of centred lines, contents with boxed links and chapters without dots, bullets that
are painted, numbers on balls, a stanza with a line turned over, compounds at line ends, a note's mark at a line's end."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu

BLUE = (50, 50, 180)


def contents(page, fonts, y):
    entries = (('1', 'Before leaving', '2', 0), ('1.1', 'The boat', '2', 1), ('1.2', 'The crew', '2', 1), ('2', 'Under way', '5', 0), ('2.1', 'In fog', '6', 1),
               ('2.2', 'In ice', '8', 1), ('A', 'Words of command', '9', 0), ('', 'Index', '11', 0))
    for number, title, at, level in entries:
        face, x = fonts['' if level else 'b'], 60 + 14 * level
        y += 14 if level else 19
        text = (number + '  ' if number else '') + title
        width = face.width(text) / 100
        page.text(x, y, face, 10, text)
        page.link(x - 1, y - 8, width + 2, 11, name='section.' + (number or 'index'))
        end = 360 - face.width(at) / 100
        page.text(end, y, face, 10, at)
        if level:
            dot = 348
            while dot > x + width + 6:
                page.text(dot, y, fonts[''], 10, '.')
                dot -= 6
    return y


def build():
    pdf = Pdf(title='The ferry handbook', language='en')
    fonts = dejavu()
    body = Style(fonts, 10, 13.5, align='left', after=7)
    first, second = pdf.page(420, 595), pdf.page(420, 595)
    flow = Flow(iter([Frame(first, 60, 50, 300, 560)]))
    flow.text('The ferry handbook', Style(fonts, 26, 32, align='centre'))
    flow.text('Rules and advice for crews', Style(fonts, 15, 20, align='centre', after=14))
    flow.text('Anna Lindqvist\nFerry owners of Westport\n3 Customs Steps\nWestport', body.but(align='centre', after=10))
    flow.text('4 May 1922', body.but(align='centre', after=22))
    flow.text('Contents', Style(fonts, 14, 19, face='b', align='left'))
    contents(first, fonts, flow.y)

    flow = Flow(iter([Frame(second, 60, 50, 300, 560)]))
    flow.text('1  Before leaving', Style(fonts, 14, 19, face='b', align='left', after=6))
    flow.text('Whoever takes the boat out has seen three things with his own eyes, and not with the eyes of the boy:', body)
    for text in ('the chain, link by link, and its cross-\u00adsection where it runs over the wheel,', 'the lamp,', 'the bar.'):
        y = flow.y + 13.5 * 0.5
        for r in (3.2, 2.4, 1.6): second.disc(70, y, r, tuple(min(255, c + int(60 * (3.2 - r))) for c in BLUE))
        flow.text(text, body.but(left=20, after=3))
    flow.text('Then, and only then, he does this:', body.but(before=6))
    for n, text in enumerate(('He rings the bell.', 'He counts the passengers.', 'He lets go of the quay, which is not his to keep.'), 1):
        y = flow.y + 13.5 * 0.5
        second.disc(70, y, 5, BLUE)
        second.text(70 - fonts[''].width(str(n)) * 7 / 2000, y + 2.5, fonts[''], 7, str(n), colour=(255, 255, 255))
        flow.text(text, body.but(left=20, after=3))
    flow.text('The old men put it in a rhyme, which has one line too long for the page:', body.but(before=6))
    verse = body.but(after=0)
    for text, left in (('Ring the bell and count the heads,', 20), ('and count them once again,', 34),
                       ('for those who came and those who went and those who', 20), ('[wait', 110), ('will want to know it when', 34),
                       ('the bar is under water.', 20)):
        flow.text(text, verse.but(left=left))
    flow.text('The bar is nine feet under water at the highest tide of the year.<sup>1</sup> The timetable says when that is, and is '
              'always right about it.', body.but(before=9))
    second.line(60, 530, 140, 530)
    Flow(iter([Frame(second, 60, 534, 300, 580)])).text('<sup>1</sup> Seven in a year of east wind.', Style(fonts, 8, 10.5, align='left'))
    return pdf
