"""An essay of two pages with footnotes: raised marks in the text, a short rule, small print below."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu


def build():
    pdf = Pdf(title='On Borrowed Ladders', author='R. Penhallow', language='en')
    fonts = dejavu()
    pages = [pdf.page(420, 500), pdf.page(420, 500)]
    bottoms = [392, 420]
    flow = Flow(iter([Frame(p, 60, 60, 300, b) for p, b in zip(pages, bottoms)]))
    body = Style(fonts, 10.5, 14, first=14)
    flow.text('On Borrowed Ladders', Style(fonts, 17, 24, align='left', face='b', after=10))
    flow.text('Nobody in our street owns a ladder, and yet there is always one leaning somewhere. It belongs, as far as anyone can '
              'tell, to the late Mr Teague, who bought it in 1974<sup>1</sup> and lent it out the same evening. It has not been home since.',
              body.but(first=0))
    flow.text('A borrowed ladder teaches patience. You see it three gardens away, you ask, you are told that it was only resting there '
              'and that the Hoskings have it for the week. So you clean the windows that you can reach and find, often enough, that '
              'the others did not need it.', body)
    flow.text('There are rules, though no one has written them down. Whoever breaks a rung mends it.<sup>2</sup> Whoever paints with it wipes '
              'it. Whoever moves away carries it to the corner and leaves it there, under the lamp, where it is gone by the morning.', body)
    flow.text('I once tried to work out what it has cost us. If each of the eleven houses had bought its own, we should own eleven ladders, '
              'use each of them twice a year and trip over them on all other days. As it is we own a ninth part of a rumour, and the '
              'gutters are clean.', body)
    flow.text('The economists have a word for this and, as usual, two opinions about it.<sup>3</sup> I only know that the day we buy a second '
              'ladder somebody will ask whose it is, and that will be the end of both.', body)
    note = Style(fonts, 8, 10.5, left=10, after=2)
    for page, y, notes in ((pages[0], 402, (('1', 'The receipt hangs, framed, in the Fox and Anchor.'),
                                            ('2', 'Three of its fourteen rungs are now of ash, one of oak and one, nobody knows why, of mahogany.'))),
                           (pages[1], 430, (('3', 'See the long quarrel in the parish newsletter, numbers 88 to 97.'),))):
        page.line(60, y, 140, y, 0.5)
        small = Flow(iter([Frame(page, 60, y + 5, 300, 495)]))
        for mark, text in notes:
            page.text(60, small.y + 6, fonts[''], 5.5, mark)
            small.text(text, note)
    return pdf
