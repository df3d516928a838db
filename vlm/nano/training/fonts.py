"""Which font faces the generator may use: free families of Debian packages, with the characters each can draw.

    fonts.py OUT.json        asks fontconfig (fc-list) and writes the manifest

A family is used when its name begins with one of FAMILIES.  HELD_OUT is never trained on: the development set uses it.
"""
import json
import subprocess
import sys

from charset import CHARS

# OFL, Apache-2.0, GUST, Bitstream Vera, or GPL with the font exception; README.md names the packages.
FAMILIES = (
    'Accanthis', 'Andika', 'Arimo', 'B612', 'Baskervald', 'Berenis', 'CMU', 'Caladea', 'Cantarell', 'Cardo', 'Carlito', 'Century Catalogue',
    'Charis SIL', 'Clear Sans', 'Comfortaa', 'Comic Neue', 'Cousine', 'Courier Prime', 'DejaVu', 'Dosis', 'Doulos SIL', 'EB Garamond',
    'Fanwood', 'Fira Code', 'Fira Mono', 'Fira Sans', 'Free', 'GFS Artemisia', 'GFS Didot', 'GFS Neohellenic', 'Gentium', 'Gillius', 'Go', 'Goudy Bookletter',
    'Hack', 'Inconsolata', 'Inter', 'JetBrains Mono', 'Josefin Sans', 'Junicode', 'Karla', 'Lato', 'Latin Modern', 'League Mono', 'Liberation', 'Libris',
    'Linux Biolinum', 'Linux Libertine', 'LMRoman', 'LMSans', 'LMMono', 'Mononoki', 'Noto Mono', 'Noto Sans', 'Noto Serif', 'Old Standard', 'OldStandard', 'Open Sans',
    'PT ', 'Paratype PT', 'Play', 'Prociono', 'Quicksand', 'Roboto', 'Romande', 'STIX', 'Switzera', 'Symbola', 'TeX Gyre', 'Tinos', 'Tribun', 'Universalis', 'Vollkorn', 'mononoki')
NEVER = ('Math', 'Emoji', 'Symbols', 'Initials', 'Outline', 'Shadow', 'Display Cond', 'Uprigh', 'Upright', 'Dunhill', 'Funny', 'Keyboard', 'Ornament',
         'Classical', 'Sans Mono Oblique Bold Line', 'Unslanted', 'Goth', 'BRK', 'Inter Display',
         'SC', 'Smallcaps', 'Caps', 'Style Std')  # the last four draw small letters as capitals: the text would be a lie
NOTO = ('Noto Sans', 'Noto Serif', 'Noto Mono', 'Noto Sans Mono', 'Noto Sans Display', 'Noto Serif Display')
HELD_OUT = ('Cardo', 'Charis SIL', 'Clear Sans', 'Courier Prime', 'Gillius', 'GFS Didot', 'Karla', 'Linux Libertine', 'Noto Serif Display', 'PT Serif', 'TeX Gyre Adventor',
            'TeX Gyre Schola', 'Tribun', 'mononoki', 'Libris')
# The designs most documents are set in: drawn in half of the lines.
COMMON = ('Arimo', 'CMU Serif', 'Caladea', 'Carlito', 'DejaVu Sans', 'EB Garamond', 'Fira Sans', 'Inter', 'LMRoman', 'Lato', 'Latin Modern Roman', 'Liberation Mono', 'Liberation Sans',
          'Liberation Sans Narrow', 'Liberation Serif', 'Noto Sans', 'Noto Serif', 'Open Sans', 'Roboto', 'Roboto Condensed', 'STIX', 'TeX Gyre Heros', 'TeX Gyre Heros Cn', 'TeX Gyre Pagella', 'TeX Gyre Termes',
          'TeX Gyre Bonum', 'Tinos')


def characters(ranges):
    """fontconfig's "20-7e a0-ff" -> the members of CHARS in it."""
    spans = [tuple(int(v, 16) for v in (r.split('-') * 2)[:2]) for r in ranges.split()]
    return ''.join(c for c in CHARS if any(a <= ord(c) <= b for a, b in spans))


def scan():
    out = subprocess.run(['fc-list', '--format', '%{file}|%{index}|%{family[0]}|%{style[0]}|%{weight}|%{slant}|%{variable}|%{charset}\n'],
                         capture_output=True, text=True, check=True).stdout
    faces = {}
    for line in sorted(out.splitlines()):
        fields = line.split('|')
        if len(fields) != 8:
            continue
        path, index, family, style, weight, slant, variable, ranges = fields
        if variable == 'True' or not path.endswith(('.ttf', '.otf', '.ttc')) or int(index) > 255:
            continue
        if not family.startswith(FAMILIES) or any(n in family or n in style for n in NEVER):
            continue
        if family.startswith('Noto') and family not in NOTO:
            continue
        chars = characters(ranges)
        if sum(c.isascii() for c in chars) < 90:
            continue
        faces[(family, style)] = dict(file=path, index=int(index), family=family, style=style, bold=float(weight) >= 180, italic=float(slant) > 0,
                                      common=family in COMMON, held_out=family.startswith(HELD_OUT), characters=chars)
    return [faces[k] for k in sorted(faces)]


if __name__ == '__main__':
    found = scan()
    with open(sys.argv[1], 'w', encoding='utf8') as f:
        json.dump(found, f, ensure_ascii=False)
    print('%d faces of %d families, %d faces held out' % (len(found), len({x['family'] for x in found}), sum(x['held_out'] for x in found)))
