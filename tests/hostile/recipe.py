"""What the recipes share: the list they enter, plain text pages, tables of rules."""
from pdf import Pdf, StandardFont

RECIPES = []
PLAIN, BOLD, FIXED = StandardFont('Helvetica'), StandardFont('Helvetica-Bold'), StandardFont('Courier')


def recipe(number, name, **wants):
    """Enters a function that returns the bytes of one document, or a list of them."""
    wants.setdefault('exit', [0])

    def enter(build):
        RECIPES.append((number, name, build, wants))
        return build
    return enter


def lines(page, x, y, texts, size=11, leading=14, font=PLAIN):
    """Lines of text from y downwards; returns the y below."""
    for text in texts:
        page.text(x, y, font, size, text)
        y += leading
    return y


def grid(page, x, y, widths, rows, height=18, size=10, ruled=True):
    """A table: strings in cells, with rules if asked for; returns the y below."""
    for row in rows:
        at = x
        for width, cell in zip(widths, row):
            if ruled: page.frame(at, y, width, height)
            page.text(at + 4, y + height - 6, PLAIN, size, cell)
            at += width
        y += height
    return y


def good_document():
    """The neighbour in every batch."""
    pdf = Pdf(title='A good neighbour')
    page = pdf.page()
    page.text(72, 90, BOLD, 18, 'A good neighbour')
    lines(page, 72, 130, ['This page has nothing wrong with it. It stands before and behind every', 'broken document of the batch and must come out the same each time.'])
    return pdf.save()
