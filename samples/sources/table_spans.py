"""A timetable with ruled cells over several rows and columns, between two paragraphs."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu, table


def build():
    pdf = Pdf(title='Ferry timetable', language='en')
    fonts = dejavu('DejaVuSansCondensed')
    page = pdf.page()
    body = Style(fonts, 10, 13.5, align='left', after=8)
    flow = Flow(iter([Frame(page, 60, 70, 475, 780)]))
    flow.text('Winter timetable of the island ferry', body.but(face='b', size=16, leading=22))
    flow.text('Valid from 1 November to 31 March. The ferry does not sail when the wind is above force 8; ask the office in the '
              'morning.', body)
    flow.skip(6)
    rows = [[('Direction', 1, 2), ('Pier', 1, 2), ('Weekdays', 2, 1), None, ('Weekends', 2, 1), None],
            [None, None, 'First', 'Last', 'First', 'Last'],
            [('Outward', 1, 2), 'Westport', '6:40', '18:10', '8:00', '17:30'],
            [None, 'Holm', '7:05', '18:35', '8:25', '17:55'],
            [('Return', 1, 2), 'Skerry', '7:30', '19:00', '8:50', '18:20'],
            [None, 'Holm', '7:55', '19:25', ('no stop', 2, 1), None]]
    flow.y = table(page, 60, flow.y, [90, 90, 70, 70, 70, 70], rows, body, header=2)
    flow.skip(14)
    flow.text('Bicycles travel free of charge. Dogs need a ticket for children.', body)
    return pdf
