"""A handout with lists: bullets in bullets, numbers, letters inside numbers, items over several lines."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu


def build():
    pdf = Pdf(title='Opening the workshop', language='en')
    fonts = dejavu('DejaVuSansCondensed')
    page = pdf.page()
    flow = Flow(iter([Frame(page, 72, 70, 451, 780)]))
    body = Style(fonts, 10.5, 14.5, align='left', after=6)
    head = body.but(face='b', size=13, leading=18, before=8, after=5)
    item = body.but(after=3)

    def bullet(level, text, mark='\u2022'): flow.text(text, item.but(left=18 + 18 * level), label=mark, label_x=4 + 18 * level)

    flow.text('Opening the workshop', body.but(face='b', size=19, leading=26, after=8))
    flow.text('This sheet hangs beside the door. Whoever unlocks the workshop in the morning works through it from top to bottom.', body)
    flow.text('Before you switch anything on', head)
    bullet(0, 'Walk round once and look at the floor.')
    bullet(1, 'Sawdust near the band saw goes into the metal bin, never into the paper bin, because it may still be glowing inside.', '\u2013')
    bullet(1, 'Oil is covered with sand.', '\u2013')
    bullet(0, 'Open the two windows on the yard side.')
    bullet(0, 'Check the first-aid box:')
    bullet(1, 'plasters,', '\u2013')
    bullet(1, 'eye wash that has not expired,', '\u2013')
    bullet(1, 'the list of telephone numbers.', '\u2013')
    flow.text('Starting the machines', head)
    for label, level, text in (('1.', 0, 'Turn the main switch to position II.'),
                               ('2.', 0, 'Start the dust extractor and wait until the lamp is green. This takes about half a minute, longer in winter '
                                         'when the bags are damp.'),
                               ('3.', 0, 'Start the machines in this order:'), ('a)', 1, 'planer,'), ('b)', 1, 'band saw,'),
                               ('c)', 1, 'lathe, but only if a second person is in the room.'),
                               ('4.', 0, 'Write your name and the time into the book.')):
        flow.text(text, item.but(left=20 + 20 * level), label=label, label_x=2 + 20 * level)
    flow.text('In the evening', head)
    flow.text('Everything in reverse order. The extractor runs on for ten minutes; do not wait for it, it stops by itself.', body)
    return pdf
