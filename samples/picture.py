#!/usr/bin/env python3
"""Makes samples/page-and-markdown.png for the README: a sample page beside its Markdown.

    picture.py [MARKDOWN]      default: the typed samples/two-columns.md

Needs pdftoppm (poppler-utils) and the DejaVu fonts.
"""
import os
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from pdf import EmbeddedFont, Name, Pdf
from typeset import DEJAVU

WIDTH, HEIGHT, GAP = 595, 842, 28


def page_image(pdf, path, dpi=144):
    """The first page of a PDF as an image object."""
    ppm = subprocess.run(['pdftoppm', '-r', str(dpi), '-f', '1', '-l', '1', path], capture_output=True, check=True).stdout
    _, size, _, pixels = ppm.split(b'\n', 3)
    width, height = map(int, size.split())
    return pdf.stream({'Type': Name('XObject'), 'Subtype': Name('Image'), 'Width': width, 'Height': height, 'ColorSpace': Name('DeviceRGB'),
                       'BitsPerComponent': 8}, pixels)


def main(markdown):
    pdf = Pdf()
    regular, bold = EmbeddedFont(DEJAVU + 'DejaVuSansMono.ttf'), EmbeddedFont(DEJAVU + 'DejaVuSansMono-Bold.ttf')
    page = pdf.page(2 * WIDTH + 3 * GAP, HEIGHT + 2 * GAP)
    page.fill(0, 0, page.width, page.height, (226, 229, 234))
    for x in (GAP, 2 * GAP + WIDTH): page.fill(x, GAP, WIDTH, HEIGHT, (255, 255, 255))
    page.image(GAP, GAP, WIDTH, HEIGHT, page_image(pdf, os.path.join(HERE, 'two-columns.pdf')))
    x, y, size, leading = 2 * GAP + WIDTH + 26, GAP + 40, 8.2, 11
    with open(markdown, encoding='utf-8') as f: source = f.read().split('\n')
    for line in source:
        colour = (25, 70, 150) if line.startswith('#') else (120, 125, 130) if line.startswith('<!--') else (25, 25, 25)
        for part in textwrap.wrap(line, 108) or ['']:
            if y > GAP + HEIGHT - 34: break
            page.text(x, y, bold if line.startswith('#') else regular, size, part, colour=colour)
            y += leading
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'picture.pdf')
        with open(path, 'wb') as f: f.write(pdf.save())
        subprocess.run(['pdftoppm', '-r', '72', '-png', '-singlefile', path, os.path.join(HERE, 'page-and-markdown')], check=True)


if __name__ == '__main__': main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, 'two-columns.md'))
