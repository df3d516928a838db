"""Order on the page, tables, rotation, what runs over pages."""
from pdf import Name, Pdf
from recipe import BOLD, PLAIN, grid, lines, recipe
from pictures import near_white, striped

LEFT = ['The left column comes first and is', 'read to its end before the eye goes', 'up again. It has enough lines to look', 'like a column of a real paper, and',
        'its last line ends with the word alpha.']
RIGHT = ['The right column comes second. It', 'begins at the same height as the left', 'one and must not be mixed with it, line', 'by line, as simple programs do, so that',
         'its last line ends with the word omega.']


@recipe(13, 'two-columns', order=['On the order of columns', 'This abstract runs across', 'comes first and is read to its end', 'the word alpha.', 'comes second. It begins', 'the word omega.'])
def two_columns():
    """Two columns below a title and an abstract across the page: the second column is read before the first ends."""
    pdf = Pdf()
    page = pdf.page()
    page.text(150, 80, BOLD, 20, 'On the order of columns')
    lines(page, 72, 115, ['This abstract runs across both columns. It says in two lines what the paper says in ten, and', 'it is set a little smaller than the text, as abstracts often are in printed journals.'], size=9.5, leading=12)
    lines(page, 60, 170, LEFT * 3, size=10.5)
    lines(page, 315, 170, RIGHT * 3, size=10.5)
    return pdf.save()


@recipe(14, 'wide-heading', order=['A heading that is a good deal wider than the text below it', 'The text below is narrow', 'A second heading', 'ends here.'])
def wide_heading():
    """The first heading of the page is wider than the text and is printed last."""
    pdf = Pdf()
    page = pdf.page()
    page.text(40, 80, BOLD, 17, 'A heading that is a good deal wider than the text below it')
    y = lines(page, 160, 130, ['The text below is narrow and stands', 'in the middle of the page, as in some', 'reports of public offices, for which', 'nobody has ever given a reason.'])
    page.text(160, y + 20, BOLD, 13, 'A second heading')
    lines(page, 160, y + 45, ['It belongs to the narrow text, which', 'ends here.'])
    return pdf.save()


@recipe(15, 'side-headings', order=['Opening', 'unlocks the door', 'Closing', 'puts out the lamps', 'Holidays', 'stays shut'])
def side_headings():
    """Narrow headings on the left, text on the right: all headings first, then all paragraphs."""
    pdf = Pdf()
    page = pdf.page()
    for k, (head, text) in enumerate((('Opening', ['Whoever comes first unlocks the door, turns on the lamps in the', 'hall and looks whether the post has come. The key hangs in', 'the box beside the window.']),
                                      ('Closing', ['Whoever leaves last puts out the lamps, in the hall as well, and', 'tries the door twice. The key goes back into the box, and the', 'box is closed.']),
                                      ('Holidays', ['On holidays the house stays shut. A notice on the door says so a', 'week before, and the neighbours are asked to take in the post', 'until we return.']))):
        page.text(60, 100 + 90 * k, BOLD, 11, head)
        lines(page, 190, 100 + 90 * k, text)
    return pdf.save()


@recipe(16, 'rotations', order=['This page stands upright as usual.', 'This page is wider than high.', 'This page was turned by ninety degrees.', 'This page was turned by one hundred and eighty.',
                                'This page was turned by two hundred and seventy.'])
def rotations():
    """Upright, landscape and /Rotate 90, 180, 270 in one file: pages unread, words reversed."""
    pdf = Pdf()
    more = ['It has a second line too, so that the', 'order of lines can be seen.']
    lines(pdf.page(), 72, 90, ['This page stands upright as usual.'] + more)
    lines(pdf.page(842, 595), 72, 90, ['This page is wider than high.'] + more)
    for angle, turn, spelled in ((90, (0, 1, -1, 0), 'ninety degrees'), (180, (-1, 0, 0, -1), 'one hundred and eighty'), (270, (0, -1, 1, 0), 'two hundred and seventy')):
        page = pdf.page(rotate=angle)
        for i, text in enumerate(['This page was turned by %s.' % spelled] + more):
            down = 90 + 14 * i
            x, y = {90: (down, page.height - 72), 180: (page.width - 72, page.height - down), 270: (page.width - down, 72)}[angle]
            page.text(x, y, PLAIN, 11, text, turn=turn)
    return pdf.save()


@recipe(17, 'turned-figure', order=['The figure on the next page lies on its side.', 'Figure 1: Bands of sand'], match=[r'<!-- image|!\['])
def turned_figure():
    """A figure turned by 90 degrees on the last page is left out."""
    pdf = Pdf()
    lines(pdf.page(), 72, 90, ['The figure on the next page lies on its side.', 'It shows what the diver saw.'])
    page = pdf.page()
    page.images['Im'] = pdf.grey_image(90, 60, striped(90, 60))
    page.op('q 0 450 -300 0 450 300 cm /Im Do Q')
    lines(page, 150, 570, ['Figure 1: Bands of sand below the pier, seen from the side of the sea.'])
    return pdf.save()


@recipe(21, 'only-table', order=['Port', 'Depth', 'Holm', '3.4', 'Carn', '5.1'], once=['Holm', 'Carn', '5.1'])
def only_table():
    """A page that holds one table and nothing else: index error."""
    pdf = Pdf()
    grid(pdf.page(), 72, 90, [120, 80], [['Port', 'Depth'], ['Holm', '3.4'], ['Carn', '5.1']])
    return pdf.save()


@recipe(23, 'table-between', once=['Keel', 'Mast', 'Rudder', '11.5'], order=['The list of parts follows.', 'Keel', 'Mast', 'Rudder', 'That was the list of parts.'])
def table_between():
    """Text, table, text: the first column is printed once more before the table."""
    pdf = Pdf()
    page = pdf.page()
    lines(page, 72, 90, ['The list of parts follows. Prices are without tax and hold until the end', 'of the year, unless the price of oak rises.'])
    y = grid(page, 72, 130, [150, 90, 90], [['Part', 'Wood', 'Price'], ['Keel', 'oak', '40.0'], ['Mast', 'larch', '25.0'], ['Rudder', 'ash', '11.5']])
    lines(page, 72, y + 30, ['That was the list of parts. The sails are made elsewhere and are not', 'our concern.'])
    return pdf.save()


@recipe(26, 'ragged-grid', once=['Monday', 'closed all day', 'Tuesday', '14 to 18'])
def ragged_grid():
    """A grid with two cells where the others have three: no output at all."""
    pdf = Pdf()
    page = pdf.page()
    y = grid(page, 72, 90, [100, 100, 100], [['Day', 'Morning', 'Afternoon']])
    y = grid(page, 72, y, [100, 200], [['Monday', 'closed all day']])
    grid(page, 72, y, [100, 100, 100], [['Tuesday', '8 to 12', '14 to 18']])
    return pdf.save()


@recipe(28, 'tight-rows', match=[r'(?m)^.*Dues.*1,204.*1,101.*$', r'(?m)^.*Rents.*310.*295.*$', r'(?m)^.*Wages.*\(640\).*\(612\).*$', r'(?m)^.*Surplus.*874.*784.*$'],
        lacks=[r'(?m)^.*Dues.*Rents', r'(?m)^.*Wages.*Surplus', r'1,204\s*310'])
def tight_rows():
    """A financial table without rules and with tight lines: several rows in one cell."""
    pdf = Pdf()
    page = pdf.page()
    lines(page, 72, 90, ['Statement of income, in thousands'])
    y = 115
    for name, a, b in (('', '2024', '2023'), ('Dues', '1,204', '1,101'), ('Rents', '310', '295'), ('Wages', '(640)', '(612)'), ('Surplus', '874', '784')):
        page.text(72, y, PLAIN, 9, name)
        for x, cell in ((330, a), (420, b)): page.text(x - PLAIN.width(cell) * 9 / 1000, y, PLAIN, 9, cell)
        y += 10.2
    return pdf.save()


@recipe(30, 'repeating-numbers', match=[r'(?s)rowspan="2"[^>]*>\s*Station'], once=['Station', 'High water', 'Low water', 'Sker'], lacks=[r'(?s)<table.*<table', r'(?m)^\|'])
def repeating_numbers():
    """A header of two rows with a cell over both, and the same numbers again and again: cells repeated, the table printed twice."""
    pdf = Pdf()
    page = pdf.page()
    x, y, w, h = 72, 90, 85, 18
    for cx, cy, cw, ch, text in ((0, 0, 1, 2, 'Station'), (1, 0, 2, 1, 'High water'), (3, 0, 2, 1, 'Low water'), (1, 1, 1, 1, 'am'), (2, 1, 1, 1, 'pm'), (3, 1, 1, 1, 'am'), (4, 1, 1, 1, 'pm')):
        page.frame(x + cx * w, y + cy * h, cw * w, ch * h)
        page.text(x + cx * w + 4, y + cy * h + ch * h - 6, BOLD, 10, text)
    grid(page, x, y + 2 * h, [w] * 5, [[name, '1.0', '1.0', '0.0', '0.0'] for name in ('Carn', 'Holm', 'Sker', 'Aune')])
    return pdf.save()


@recipe(31, 'nothing-to-read', lacks=[r'(?m)^(?!\s*$|<!--|!\[|7\s*$).*[A-Za-z0-9]'])
def nothing_to_read():
    """An empty page, a scan of white paper, a lone page number: a model invents text."""
    pdf = Pdf()
    pdf.page()
    pdf.page().image(0, 0, 595, 842, pdf.grey_image(300, 420, near_white(300, 420)))
    pdf.page().text(295, 800, PLAIN, 10, '7')
    return pdf.save()


@recipe(32, 'sentence-over-pages', has=['he walks to the very end of the pier', 'counts the boats that have come home'], lacks=[r'(?s)very\s+https', r'(?s)have\s+https'])
def sentence_over_pages():
    """A sentence runs over the page above a footer with an address: words lost, the address inside the sentence."""
    pdf = Pdf()
    story = ['The keeper of the lighthouse has a habit. Every evening, when the lamp', 'burns and the soup is not yet warm, he puts on his coat and his boots,',
             'tells the cat where he is going and how long he means to stay away,', 'and then, whatever the weather may be, he walks to the very',
             'end of the pier. There he stands for as long as it takes to smoke a', 'pipe, although he gave up smoking long ago, looks at the water, at the',
             'sky and at the lamps that are lit one after the other on the far side', 'of the bay, and counts the boats that have',
             'come home. He does not write the number down. He says that he would', 'notice if one were missing, and so far he has been right about that.',
             'Whether anybody sees him does not matter to him in the least, as long', 'as the evening is quiet and the wind comes from the land.']
    for k in range(3):
        page = pdf.page(420, 160)
        lines(page, 40, 50, story[4 * k:4 * k + 4], size=10, leading=13)
        page.text(40, 145, PLAIN, 8, 'https://pier.example/keeper')
    return pdf.save()


@recipe(34, 'table-over-pages', once=['Part number', 'B-001', 'B-030', 'B-060', 'B-090', 'The end of the list.'], match=[r'B-029[^\n]*\n[^\n]*B-030[^\n]*\n[^\n]*B-031'])
def table_over_pages():
    """A table over three pages with a repeated header: cut off, its second part becomes text."""
    pdf = Pdf()
    rows = [['B-%03d' % n, 'Bolt of size %d' % (n % 7 + 3), '%d.50' % (n % 9)] for n in range(1, 91)]
    for k in range(3):
        page = pdf.page()
        y = grid(page, 72, 90, [120, 200, 80], [['Part number', 'Name', 'Price']] + rows[30 * k:30 * k + 30])
    lines(page, 72, y + 30, ['The end of the list. What is not in it is not in stock.'])
    return pdf.save()
