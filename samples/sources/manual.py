"""A manual: table of contents with leaders, numbered chapters, code, links, characters that Markdown would take for its own."""
from pdf import Pdf
from typeset import Flow, Frame, Look, Style, dejavu

CODE = (('2.1', ('tide add --port holm \\', '    --height 3.2 --time 06:41')), ('2.2', ('for p in carn holm sker; do', '  tide show "$p" | head -3', 'done')))


def build():
    pdf = Pdf(title='The tide program', language='en')
    fonts = dejavu('DejaVuSansCondensed')
    pages = [pdf.page(420, 540) for _ in range(3)]
    body = Style(fonts, 10, 13.8, align='left', after=7)
    one, two = body.but(face='b', size=15, leading=21, before=8), body.but(face='b', size=12, leading=17, before=6, after=5)
    flow = Flow(iter([Frame(p, 54, 56, 312, 490) for p in pages]))
    flow.text('The tide program', body.but(face='b', size=20, leading=28, after=12))
    flow.text('Contents', two)
    entries = (('1 Installation', 2, 0), ('2 Use', 2, 0), ('2.1 Adding a height', 2, 14), ('2.2 Showing heights', 3, 14), ('3 Files', 3, 0))
    plain = Look('')
    for title, number, indent in entries:
        base, x = flow.y + 9, 54 + indent
        page = flow.frame.page
        page.text(x, base, fonts[''], 10, title)
        end = 366 - plain.width(body, str(number))
        dots = int((end - x - plain.width(body, title) - 8) // plain.width(body, '.'))
        page.text(end - 4 - dots * plain.width(body, '.'), base, fonts[''], 10, '.' * dots)
        page.text(end, base, fonts[''], 10, str(number))
        page.link(54, flow.y, 312, 13, page=pages[number - 1])
        flow.y += 15

    def chapter(level, title, page):
        pdf.heading(level, title, page, flow.y)
        flow.text(title, one if level == 1 else two)

    def code(lines):
        mono = fonts['m']
        for line in lines:
            indent = len(line) - len(line.lstrip())
            flow.frame.page.text(66 + indent * mono.width(' ') * 9 / 1000, flow.y + 9, mono, 9, line.lstrip())
            flow.y += 12.5
        flow.y += 8

    flow.next_frame()
    chapter(1, '1 Installation', pages[1])
    flow.text('Copy the file <m>tide</m> to a folder on your path. The newest version is at <a:https://tide.example/download>tide.example/download</a>; '
              'questions are answered by <a:mailto:help@tide.example>help@tide.example</a>. It costs $5 or 5 *friendly* smiles.', body)
    chapter(1, '2 Use', pages[1])
    flow.text('Every command begins with the word <m>tide</m>. A port is given as <lt>name>, a height in metres. Names with a # or a | in them '
              'are refused.', body)
    chapter(2, '2.1 Adding a height', pages[1])
    flow.text('Heights are added one at a time:', body)
    code(CODE[0][1])
    flow.text('The program answers with the number of the entry, or with the reason why it does not like it.', body)
    flow.next_frame()
    chapter(2, '2.2 Showing heights', pages[2])
    flow.text('To see the last three heights of some ports, write:', body)
    code(CODE[1][1])
    chapter(1, '3 Files', pages[2])
    flow.text('Everything is kept in the file <m>~/.tide/heights_v2.txt</m>, one line for each entry. Back it up now and then.', body)
    return pdf
