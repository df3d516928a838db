"""A page of a newspaper and its second page: a headline over three columns, two columns below, a pull quote across a gutter, a box
beside the text, a picture between columns, a heading inside a column."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu

MAIN = ('The bridge over the Lode has been closed to carts since Tuesday. A beam gave way when the brewer crossed with eleven barrels, '
        'one more than the sign allows. Nobody was hurt, and ten of the barrels were saved.',
        'The council met on the same evening and sent for a carpenter from Holm. He is expected by the end of the week, if the road is '
        'dry. Until then carts must go round by the ford, which takes an hour longer and is not to be tried after rain.',
        'The brewer says that the sign was hidden by a bush. The clerk says that the bush was cut in March. Both were seen on Wednesday '
        'beside the bridge, looking at the bush.',
        'Farmers on the far bank have begun to bring their milk across on foot. A boy from the upper farm carried forty litres on the '
        'first morning and was given a medal by the school.',
        'The oldest inhabitant remembers that the bridge fell once before, in the year of the comet, when nobody was on it but a goose.',
        'The carpenter has asked for oak. Oak is to be had from the wreck on the sand, which belongs to nobody, or from the wood behind '
        'the church, which belongs to the church. The council will decide on Friday.')
SECOND = ('Two columns are enough for the letters this week. A reader from Sker asks why the ferry no longer waits for the train. The '
          'ferryman answers that the train no longer waits for the ferry, and that he began.',
          'Another reader has found a glove near the ford. It is of brown wool and has been mended at the thumb. It can be had from the '
          'office of this newspaper on any day but Sunday.',
          'A third, who signs himself a friend of order, wants to know who rings the bell at noon. It is the sexton. He has done so since '
          'his father gave up, and he is never more than two minutes late, whatever is said at the inn.')


def build():
    pdf = Pdf(title='The Westport Messenger', language='en')
    fonts = dejavu()
    body = Style(fonts, 9, 11.5, first=8)
    page = pdf.page(520, 700)
    page.text(260 - fonts['b'].width('The Westport Messenger') * 24 / 2000, 52, fonts['b'], 24, 'The Westport Messenger')
    page.line(36, 62, 484, 62, 0.8)
    head = Style(fonts, 19, 23, align='left', face='b')
    flow = Flow(iter([Frame(page, 36, 74, 448, 690)]))
    flow.text('Bridge over the Lode closed to carts', head)
    top = flow.y + 6
    columns = [Frame(page, 36 + 154 * i, top, 140, 296) for i in range(3)]
    flow = Flow(iter(columns + [Frame(pdf.page(520, 700), 36, 70, 216, 650)]))
    for n, text in enumerate(MAIN): flow.text(text, body if n else body.but(first=0))
    assert flow.frame in columns
    # below: another article in two columns, a box beside it
    y = 330
    page.line(36, y - 10, 484, y - 10, 0.5)
    flow = Flow(iter([Frame(page, 36, y, 290, 690)]))
    flow.text('Letters to the editor', head.but(size=14, leading=18))
    top = flow.y + 5
    left, right = Frame(page, 36, top, 138, 480), Frame(page, 188, top, 138, 690)
    flow = Flow(iter([left, right]))
    for n, text in enumerate(SECOND): flow.text(text, body if n else body.but(first=0))
    page.fill(344, y, 140, 118, (232, 232, 222))
    box = Flow(iter([Frame(page, 352, y + 8, 124, 690)]))
    box.text('Tides this week', Style(fonts, 10, 14, align='left', face='b'))
    box.text('High water on Monday is at ten in the morning and stands for a quarter of an hour. It comes fifty minutes later on each '
             'day that follows, so that by Friday the ferry can cross before supper.', body.but(first=0, align='left'))
    quote = '\u201cThe bush was cut in March.\u201d'
    page.line(60, 560, 300, 560, 0.6)
    page.text(180 - fonts['i'].width(quote) * 14 / 2000, 580, fonts['i'], 14, quote)
    page.line(60, 590, 300, 590, 0.6)
    return pdf
