"""A chapter of a book: drop cap, run-in headings, verse, an address, block quotes, definitions, compounds divided at
their own hyphen, nested lists over pages, footnotes, notes at the end."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu, draw, lines_of


def build():
    pdf = Pdf(title='The ferry at Ebb Sand', author='R. Lindqvist', language='en')
    fonts = dejavu()
    made = []

    def frames():
        while True:
            page = pdf.page(420, 595)
            made.append(page)
            yield Frame(page, 54, 66, 312, 545 if len(made) != 2 else 470)

    flow = Flow(frames())
    body = Style(fonts, 10, 13.5, first=12)
    flat = body.but(first=0)
    flow.text('3', Style(fonts, 18, 22, align='centre'))
    flow.text('The ferry at Ebb Sand', Style(fonts, 18, 26, align='centre', face='b', after=14))
    # the initial: three lines high, the text beside it set in
    initial = 'T'
    top = flow.y
    flow.frame.page.text(54, top + 36, fonts[''], 46, initial)
    wide = fonts[''].width(initial) * 46 / 1000 + 3
    # set by hand: the lines beside it are narrower
    beside = lines_of('he first ferry was a coal barge with a rope. It crossed at half-tide, when the bar was covered and the current '
                      'slack, and it carried whoever had a penny.', flat, 312 - wide)
    for line in beside:
        base = flow.y + 13.5 * 0.5 + 10 * 0.34
        draw(flow.frame.page, line, flat, 54 + wide, base)
        flow.y += 13.5
    assert len(beside) == 3, len(beside)
    flow.text('Later the rope was replaced by a chain, the chain by a steam engine, and the penny by a ticket. The post-\u00adwar years were the '
              'busiest: a post-war census counted nine hundred passengers on one market day, and the well-known mare had long been '
              'replaced by a van.<sup>1</sup> Every pas\u00adsenger was counted by hand.', body)
    flow.text('<b>The crew.</b> Four men worked the boat, and a boy who was paid in fish. Two of them were brothers and had not spoken since the '
              'regatta of 1911.', body.but(before=6))
    flow.text('<b>The landing.</b> It was built of oak from the wreck of the <i>Aurora</i> and is still there at low water.', body.but(before=6))
    flow.text('The song of the ferrymen', Style(fonts, 12, 17, face='b', align='left', before=12, after=4), keep=30)
    flow.text('Children in the village still know two stanzas:', flat.but(after=6))
    verse = flat.but(left=30, align='left', after=7)
    flow.text('Over the bar when the water is high,\nover the bar and away,\nnobody asks for the reason why\nuntil the end of the day.', verse)
    flow.text('Under the bar when the water is low,\nunder the bar you must stay,\ncounting the hours and counting them slow\nuntil the end of the day.', verse)
    flow.text('The harbour master did not like the song. His report of that year says:', flat.but(after=6))
    flow.text('It is sung in a manner that suggests to passengers from inland that the bar is dangerous, which it has not been since '
              'the dredging, and that the crew is idle, which I shall not discuss in a report.<sup>2</sup>', flat.but(left=26, right=26, after=6))
    flow.text('He asked that complaints be sent to his office and not be shouted from the quay:', flat.but(after=6))
    flow.text('Harbour Office\n3 Customs Steps\nWestport', flat.but(left=30, align='left', after=7))
    flow.text('What was carried', Style(fonts, 12, 17, face='b', align='left', before=12, after=4), keep=30)
    flow.text('The books of the ferry list the freight by kind:', flat.but(after=4))
    item = flat.but(align='left', after=2)

    def listed(level, label, text): flow.text(text, item.but(left=16 + 16 * level), label=label, label_x=2 + 16 * level)

    listed(0, '1.', 'Animals, with a further entry for each kind:')
    listed(1, '\u2022', 'horses, which paid for two passengers,')
    listed(1, '\u2022', 'sheep, which were tied together by sixes and paid by the six, even when one of them had gone over board on the way,')
    listed(1, '\u2022', 'one bear.')
    listed(0, '2.', 'Goods in barrels.')
    listed(0, '3.', 'Goods in sacks:')
    listed(1, '\u2022', 'grain,')
    listed(1, '\u2022', 'coal.')
    flow.text('Words of the trade', Style(fonts, 12, 17, face='b', align='left', before=12, after=4), keep=30)
    term = flat.but(face='b', align='left')
    sense = flat.but(left=24, after=4)
    for word, text in (('slack', 'The time between two tides when the water stands still, about twenty minutes at Ebb Sand and less in a wind from the east.'),
                       ('bar', 'A bank of sand across the mouth of a river, over which ships can pass only near high water.'),
                       ('warping', 'Moving a ship by hauling on a rope that is made fast ashore, as the first ferry was moved.')):
        flow.text(word, term, keep=14)
        flow.text(text, sense)
    flow.text('Notes', Style(fonts, 12, 17, face='b', align='left', before=12, after=4), keep=30)
    small = Style(fonts, 8.5, 11, align='left', after=2)
    flow.text('The census is kept in the town archive of Westport, box 14.', small.but(left=14), label='1.', label_x=2)
    flow.text('Report of the harbour master for 1922, page 31.', small.but(left=14), label='2.', label_x=2)
    for n, page in enumerate(made, 31):
        label = str(n)
        page.text(210 - fonts[''].width(label) * 8 / 2000, 572, fonts[''], 8, label)
        if n > 31:
            head = 'The ferry at Ebb Sand'
            page.text(366 - fonts['i'].width(head) * 8 / 1000, 44, fonts['i'], 8, head)
    return pdf
