"""Raised and lowered glyphs: powers, indices, chemical formulas, fractions made of small figures."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu


def build():
    pdf = Pdf(title='Notes for the brewing course', language='en')
    fonts = dejavu()
    page = pdf.page(420, 420)
    body = Style(fonts, 11, 16, align='left', after=8)
    flow = Flow(iter([Frame(page, 56, 60, 308, 400)]))
    flow.text('Notes for the brewing course', body.but(face='b', size=16, leading=23))
    flow.text('Yeast turns sugar into alcohol and carbon dioxide: one molecule of C<sub>6</sub>H<sub>12</sub>O<sub>6</sub> gives two of '
              'C<sub>2</sub>H<sub>5</sub>OH and two of CO<sub>2</sub>.', body)
    flow.text('The gas fills the space above the beer. A round vessel of radius <i>r</i> and height <i>h</i> holds \u03c0<i>r</i><sup>2</sup><i>h</i>; '
              'with <i>r</i> = 0.4 m and <i>h</i> = 1 m that is about 0.5 m<sup>3</sup>.', body)
    flow.text('Of this we fill <sup>3</sup>\u2044<sub>4</sub> and leave <sup>1</sup>\u2044<sub>4</sub> for the foam. At 20 \u00b0C there are roughly '
              '10<sup>7</sup> cells in a millilitre after one day, and the number <i>N</i><sub>2</sub> after the second day is about '
              '4<i>N</i><sub>1</sub>.', body)
    flow.text('Keep the vessel closed: x<sup>2</sup> grows faster than you think.', body)
    return pdf
