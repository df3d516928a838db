"""One notice in German, French and Czech: accents, quotation marks, ligature-free subset fonts with ToUnicode."""
from pdf import Pdf
from typeset import Flow, Frame, Style, dejavu

TEXTS = (
    ('Hinweise für Gäste', 'Die Wanderhütte ist vom 1. Mai bis zum 31. Oktober geöffnet. Übernachten können höchstens zwölf Personen; größere '
     'Gruppen bitten wir, sich frühzeitig anzumelden. Hunde müssen draußen schlafen.',
     'Brennholz liegt unter der Treppe. Wer das letzte Scheit verheizt, spaltet neues: „Wer wärmt, der hackt“, sagt der Hüttenwart.'),
    ('Avis aux visiteurs', 'Le refuge est ouvert du 1er mai au 31 octobre. Il peut accueillir douze personnes au plus ; les groupes plus nombreux '
     'sont priés de s’annoncer à l’avance. Les chiens dorment dehors.',
     'Le bois se trouve sous l’escalier. Celui qui brûle la dernière bûche en fend de nouvelles : « Qui se chauffe, fend », dit le gardien. '
     'L’été, l’eau de la source gèle rarement, même là-haut.'),
    ('Upozornění pro hosty', 'Chata je otevřena od 1. května do 31. října. Přespat zde může nejvýše dvanáct osob; větší skupiny prosíme, aby se '
     'ohlásily předem. Psi spí venku.',
     'Dříví leží pod schodištěm. Kdo spálí poslední poleno, naštípe nové: „Kdo topí, ten štípe,“ říká správce. Žluťoučký kůň je vítán na louce.'))


def build():
    pdf = Pdf(title='Hinweise – Avis – Upozornění', language='de')
    fonts = dejavu()
    page = pdf.page()
    flow = Flow(iter([Frame(page, 80, 80, 435, 780)]))
    for title, *paragraphs in TEXTS:
        flow.text(title, Style(fonts, 14, 20, align='left', face='b', before=12, after=4))
        for text in paragraphs: flow.text(text, Style(fonts, 10.5, 14.5, after=6))
    return pdf
