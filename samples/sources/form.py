"""A filled-in form: text fields and check boxes beside their printed labels."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu


def build():
    pdf = Pdf(title='Application for a berth', language='en')
    fonts = dejavu('DejaVuSansCondensed')
    page = pdf.page(420, 460)
    body = Style(fonts, 10, 13.5, align='left', after=8)
    flow = Flow(iter([Frame(page, 50, 50, 320, 440)]))
    flow.text('Application for a berth', body.but(face='b', size=16, leading=22))
    flow.text('Please fill in all fields and hand the form in at the harbour office.', body)
    y = flow.y + 10
    for label, name, value in (('Name', 'name', 'Morwenna Pascoe'), ('Boat', 'boat', 'Second Wind'), ('Length in metres', 'length', '7.4')):
        page.text(50, y + 12, fonts[''], 10, label)
        page.frame(160, y - 1, 210, 18, 0.4)
        pdf.text_field(page, 160, y - 1, 210, 18, name, value)
        y += 30
    y += 4
    for label, name, on in (('The boat has an engine', 'engine', True), ('I live on board', 'on_board', False)):
        page.frame(50, y, 11, 11, 0.4)
        pdf.check_box(page, 50, y, 11, name, on)
        page.text(70, y + 9.5, fonts[''], 10, label)
        y += 22
    flow = Flow(iter([Frame(page, 50, y + 14, 320, 440)]))
    flow.text('Berths are given away in the order of the applications. The harbour master answers within two weeks.', body)
    return pdf
