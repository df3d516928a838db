"""A business letter: addresses, a subject line, paragraphs, a numbered list; Helvetica, not embedded."""
from pdf import Pdf
from typeset import Flow, Frame, Style, helvetica


def build():
    pdf = Pdf(title='Renewal of the reading room lease', author='Harbour Library Trust', language='en')
    fonts = helvetica()
    page = pdf.page()
    body = Style(fonts, 10.5, 14, align='left', after=8)

    def frames():
        yield Frame(page, 72, 80, 451, 770)

    flow = Flow(frames())
    flow.text('Harbour Library Trust\n14 Quay Street\nWestport QX4 9LM', body)
    flow.skip(14)
    flow.text('3 March 2025', body)
    flow.skip(6)
    flow.text('Ms Ingrid Solberg\nNorthern Estates Ltd\n200 Mill Lane\nWestport QX1 2AB', body)
    flow.skip(10)
    flow.text('Dear Ms Solberg,', body)
    flow.text('Renewal of the reading room lease', body.but(face='b', size=12, leading=16))
    flow.text('Thank you for your letter of 18 February. The trustees met last week and are glad to renew the lease of the reading room '
              'at 9 Quay Street for another five years. The room is used by about 340 visitors a week, and the school next door has asked '
              'whether it may hold its homework club there as well.', body)
    flow.text('Before we sign, we would like to settle three points:', body)
    for n, item in enumerate(('The rent for the first year stays at 1,250 a month and rises by no more than 3 % a year after that.',
                              'The landlord repairs the roof above the map room before the end of May, as the survey of last autumn recommends.',
                              'The trust may keep the room open on Sundays from October to March.'), 1):
        flow.text(item, body.but(left=36, after=4), label='%d.' % n, label_x=18)
    flow.skip(4)
    flow.text('If you agree, please send two signed copies of the lease to the address above. Our treasurer, Mr Okafor, can be reached at '
              '<a:mailto:treasurer@harbourlibrary.example>treasurer@harbourlibrary.example</a> and will gladly answer any question about the deposit.', body)
    flow.text('Yours sincerely,', body)
    flow.skip(30)
    flow.text('Eleanor Whitcombe\nChair of the trustees', body)
    return pdf
