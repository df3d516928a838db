"""A report of several pages: running header with a rule, footer with the page number, paragraphs and words divided over pages."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu

PARTS = (
    ('The year in short',
     'The harbour handled 412 ships in 2024, nineteen fewer than in the year before. The tonnage rose nevertheless, since the two quarry '
     'vessels now sail fully loaded. Income from dues was 1.86 million, expend\u00adi\u00adture 1.79 million; the sur\u00adplus goes to the reserve for the '
     'north pier.',
     'Nobody was seriously hurt. There were three minor acci\u00addents, all of them on the old steps beside the ice house, which have been closed '
     'since Octo\u00adber and will be replaced in spring.'),
    ('Buildings and quays',
     'The north pier was inspected by divers in June. They found that the sea has washed out about forty cubic metres of filling below the '
     'lamp, and that two of the iron ties have rusted through. The authority had the hole filled with sacks of concrete before the autumn '
     'gales and has asked three firms for tenders for the lasting repair. The cheapest of them is still above what the reserve can bear in '
     'one year, so that the work will be done in two sections, the outer one first.',
     'The fish market received a new roof. It was paid for by the fish\u00ader\u00admen\u2019s co\u00adop\u00ader\u00ada\u00adtive and the '
     'authority in equal parts and was finished nine days before the season began. The gutters of the old roof were kept, because they are '
     'listed.'),
    ('Staff',
     'The authority employs seven people, two of them part of the year. Mr Angove, who has kept the gate since 1989, retired in August. His '
     'place was filled by Ms Rowe, who had been his deputy for eleven years and knows, as he put it, where every rope is buried.',
     'All seven took the first-aid course again. The pilots practised the rescue of a person from the water four times, once at night and '
     'once, against the plan, in earnest: a visitor had slipped from the ladder of the yacht pon\u00adtoon and was out of the water within two '
     'min\u00adutes.'),
    ('Water and dredging',
     'The channel was sounded in April and in Novem\u00adber. The depth at the bar was 3.4 metres in spring and 3.1 in autumn. Experience says '
     'that another thirty centimetres will be lost by next summer, and the ferry needs three metres at low water. The dredger has been '
     'ordered for May. Its spoil is clean sand, and the parish of Holm will take it for the beach that the winter of 2020 carried away.',
     'Oil was found on the water twice. Both times it was traced to the same pump, which has been taken out of service.'),
    ('Outlook',
     'In 2025 the authority intends to repair the outer section of the pier, to replace the steps and to raise the dues for yachts by four '
     'per cent, the first increase in six years. The dues for fishing boats stay as they are. If the quarry opens its second face, as '
     'announced, the tonnage will pass half a million for the first time since the war.',))

HEAD = 'Westport Harbour Authority'


def build():
    pdf = Pdf(title='Annual report 2024', author=HEAD, language='en')
    fonts = dejavu()
    body = Style(fonts, 10, 13.5, first=12)
    made = []

    def frames():
        while True:
            page = pdf.page(360, 350)
            made.append(page)
            yield Frame(page, 48, 62, 264, 300)

    flow = Flow(frames())
    flow.text('Annual report 2024', Style(fonts, 17, 24, align='left', face='b', after=8))
    for title, *paragraphs in PARTS:
        flow.text(title, Style(fonts, 12, 17, align='left', face='b', before=9, after=3), keep=28)
        for n, text in enumerate(paragraphs): flow.text(text, body if n else body.but(first=0))
    small = fonts['i']
    for n, page in enumerate(made, 1):
        page.text(48, 38, small, 8.5, HEAD)
        right = 'Annual report 2024'
        page.text(312 - small.width(right) * 8.5 / 1000, 38, small, 8.5, right)
        page.line(48, 43, 312, 43, 0.4)
        label = 'Page %d of %d' % (n, len(made))
        page.text(180 - fonts[''].width(label) * 8 / 2000, 328, fonts[''], 8, label)
    return pdf
