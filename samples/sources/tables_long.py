"""A table with three rules, and a ruled one over three pages that repeats its header row."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu, table

TREES = [('Beech', 'Old Market', 31, 92), ('Oak', 'Old Market', 28, 110), ('Lime', 'Station Road', 22, 64), ('Lime', 'Station Road', 21, 61),
         ('Lime', 'Station Road', 23, 66), ('Plane', 'Harbour', 26, 98), ('Plane', 'Harbour', 25, 95), ('Ash', 'Mill Lane', 19, 48),
         ('Ash', 'Mill Lane', 17, 44), ('Birch', 'School Yard', 14, 29), ('Birch', 'School Yard', 13, 27), ('Yew', 'Churchyard', 11, 84),
         ('Yew', 'Churchyard', 10, 79), ('Horse chestnut', 'Fox and Anchor', 24, 88), ('Maple', 'Library', 16, 39), ('Maple', 'Library', 15, 36),
         ('Cherry', 'Mill Lane', 8, 22), ('Cherry', 'Mill Lane', 7, 20), ('Walnut', 'Vicarage', 18, 57), ('Willow', 'Mill Pond', 20, 75),
         ('Willow', 'Mill Pond', 19, 70), ('Alder', 'Mill Pond', 15, 34), ('Alder', 'Mill Pond', 14, 33), ('Hornbeam', 'Playing Field', 12, 30),
         ('Hornbeam', 'Playing Field', 12, 31), ('Rowan', 'School Yard', 9, 18), ('Elm', 'Quay Street', 13, 41), ('Poplar', 'Playing Field', 27, 60)]


def build():
    pdf = Pdf(title='Register of trees', language='en')
    fonts = dejavu()
    body = Style(fonts, 10, 13.5, align='left', after=8)
    page = pdf.page(480, 340)
    flow = Flow(iter([Frame(page, 60, 50, 360, 330)]))
    flow.text('Register of trees', body.but(face='b', size=16, leading=22))
    flow.text('Every fifth year the parish counts its trees and measures those that stand on public ground. Table 1 sums them up, '
              'Table 2 lists them one by one.', body)
    flow.text('Table 1: Trees on public ground', body.but(after=4))
    rows = [['Year', 'Counted', 'Felled', 'Planted'], ['2010', '41', '6', '9'], ['2015', '44', '5', '3'], ['2020', '42', '20', '6']]
    flow.y = table(page, 60, flow.y, [90, 90, 90, 90], rows, body, pad=3, rules='book', aligns=['left', 'right', 'right', 'right'])
    flow.skip(14)
    flow.text('The storm of February 2020 took fourteen trees in one night, most of them on the playing field.', body)
    flow.text('Table 2: The trees, with height in metres and girth in centimetres', body.but(after=4))
    widths, aligns, header = [120, 120, 60, 60], ['left', 'left', 'right', 'right'], ['Tree', 'Place', 'Height', 'Girth']
    left, y = [[a, b, str(c), str(d)] for a, b, c, d in TREES], flow.y
    while left:
        n = int((318 - y) // 17.5) - 1
        y = table(page, 60, y, widths, [header] + left[:n], body, pad=2, aligns=aligns)
        left = left[n:]
        if left: page, y = pdf.page(480, 340), 50
    Flow(iter([Frame(page, 60, y + 16, 360, 330)])).text('Girth is measured one metre above the ground.', body)
    return pdf
