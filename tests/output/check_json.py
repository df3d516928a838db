#!/usr/bin/env python3
"""Holds what docparse wrote against what is documented, one line for each fault; exit 1 if there is any.

    check_json.py FOLDER      NAME.json with NAME.md of the same run, and NAME_content_list.json, as far as they are there

NAME.json: output/README.md is read for the members, kinds, sources and styles that there are; types, order, boxes on their
pages, cells that fill their table without overlapping, and that the bytes of a block in the Markdown are its text.
NAME_content_list.json: the members of MinerU's content list by type, in reading order, with its types and ranges.
"""
import glob, html, json, os, re, sys

README = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../output/README.md'), encoding='utf-8').read()
NUMBER = (int, float)
TYPES = {  # of members, wherever they stand; "parts" and "spans" are looked into below
    'index': int, 'kind': str, 'page': int, 'box': list, 'parts': list, 'level': int, 'ordered': bool, 'start': int, 'label': str,
    'text': str, 'latex': str, 'spans': list, 'table': dict, 'picture': str, 'alt': str, 'sub_type': str, 'chart': bool, 'source': str,
    'confidence': NUMBER, 'agreement': NUMBER, 'markdown': list, 'children': list, 'row': int, 'column': int, 'row_span': int,
    'column_span': int, 'header': bool, 'number': int, 'width': NUMBER, 'height': NUMBER, 'rotation': int, 'turn': int, 'skew': NUMBER,
    'status': str, 'reason': str, 'schema': str, 'schema_version': int, 'generator': str, 'model': str, 'unit': str, 'origin': str,
    'document': dict, 'pages': list, 'blocks': list, 'path': str, 'n_pages': int, 'title': str, 'author': str, 'subject': str,
    'producer': str, 'tagged': bool, 'encrypted': bool, 'outline': list, 'rows': int, 'columns': int, 'header_rows': int,
    'quality': NUMBER, 'cells': list, 'styles': list, 'uri': str,
}
faults = []


def section(start, end):
    return README[README.index(start):README.index(end)]


def names(text):
    """What stands between backquotes."""
    return set(re.findall(r'`"?([a-z_-]+)"?`', text))


def members(table):
    return set().union(*(names(row.split('|')[1]) for row in table.split('\n') if row.startswith('| `')))


def row_of(member):
    return next(row for row in README.split('\n') if re.match(r'\| (`\w+`, )*`%s`' % member, row))


ROOT = members(section('## JSON', '### Blocks'))
BLOCK = members(section('### Blocks', "## MinerU's content list"))
KINDS, SOURCES = names(row_of('kind').split('|', 2)[2]), names(row_of('source').split('|', 2)[2])
STYLES = names(section('`styles` are', '`uri` is `#page=N`')) - {'uri', 'styles'}
DOCUMENT, PAGE, TABLE = (names(row_of(m).split('|', 2)[2]) for m in ('document', 'pages', 'table'))
CELL = names(section('A cell has', "## MinerU's content list"))


def fault(where, text):
    faults.append('%s: %s' % (where, text))


def check_members(where, thing, known):
    for name, value in thing.items():
        if name not in known:
            fault(where, 'member %s is not documented' % name)
        elif not isinstance(value, TYPES[name]) or isinstance(value, bool) and TYPES[name] is not bool:
            fault(where, '%s is %r' % (name, value))
        elif value == '' and name not in ('text', 'path'):
            fault(where, '%s is empty and not absent' % name)


def check_box(where, box, page):
    if len(box) != 4 or not (box[0] <= box[2] and box[1] <= box[3]):
        fault(where, 'box %r' % box)
    elif page is None:
        fault(where, 'stands on a page that is not listed')
    elif box[0] < -1 or box[1] < -1 or box[2] > page['width'] + 1 or box[3] > page['height'] + 1:
        fault(where, 'box %r is not on its page, %g by %g' % (box, page['width'], page['height']))


def check_spans(where, thing):
    for span in thing.get('spans', []):
        check_members(where + ' span', span, {'text', 'styles', 'uri'})
        for style in set(span.get('styles', [])) - STYLES:
            fault(where, 'style %s is not documented' % style)
    said = re.sub(r'[\s$]', '', ''.join(s['text'] for s in thing.get('spans', [])))
    if 'spans' in thing and said != re.sub(r'[\s$]', '', thing['text']):
        fault(where, 'the spans say something else than the text: %r' % thing['text'][:60])


def check_table(where, table, pages):
    check_members(where, table, TABLE)
    filled = set()
    for cell in table['cells']:
        check_members(where + ' cell', cell, CELL)
        check_spans(where + ' cell', cell)
        for row in range(cell['row'], cell['row'] + cell.get('row_span', 1)):
            for column in range(cell['column'], cell['column'] + cell.get('column_span', 1)):
                if (row, column) in filled or row >= table['rows'] or column >= table['columns']:
                    fault(where, 'cell at %d, %d overlaps or is outside' % (row, column))
                filled.add((row, column))
    for part in table.get('parts', []):
        check_box(where + ' part', part['box'], pages.get(part['page']))


def letters(markdown):
    """The letters and digits that a piece of Markdown shows."""
    text = re.sub(r'\[\^[^\]]*\]|(?<!\\)<!--.*?-->', '', markdown, flags=re.S)
    text = re.sub(r'(?<!\\)\]\((?:<[^>]*>|[^()\s]*)\)', ']', text)  # where links lead
    text = re.sub(r'</?(?:sup|sub|u|del|aside|br|div|figure|figcaption|table|tr|td|th|strong|em|code)\b[^>]*>', '', text)
    return re.sub(r'[\W_]', '', html.unescape(re.sub(r'\\([!-/:-@\[-`{-~])', r'\1', text)))


def bare(text):
    return re.escape(re.sub(r'[\W_]', '', text))


def shown(block):
    """A pattern for the letters and digits of a block and all below it, without the marks of notes.  Labels that Markdown has no number for
    stand in front, page numbers of contents behind."""
    label = '(?:%s)?' % bare(block.get('label', ''))
    spans = block.get('spans', [{'text': block.get('text', '')}])
    text = ''.join(s['text'] for s in spans if 'note-reference' not in s.get('styles', []))
    return label + bare(text) + label + ''.join(shown(child) for child in block.get('children', []))


VERBATIM = {  # what must be in the Markdown of those that do not print as their text alone
    'table': lambda block: [cell['text'] for cell in block['table']['cells']],
    'figure': lambda block: [block['picture']] if 'picture' in block else [],
    'page-picture': lambda block: [block['picture']] if 'picture' in block else [],
    'formula': lambda block: [block['latex']] if 'latex' in block else [],
    'code': lambda block: block.get('text', '').split('\n'),
}


def check_markdown(where, block, markdown):
    start, end = block['markdown']
    if not 0 <= start <= end <= len(markdown):
        fault(where, 'bytes %r of %d' % (block['markdown'], len(markdown)))
        return
    try:
        piece = markdown[start:end].decode('utf-8')
    except UnicodeDecodeError:
        fault(where, 'the Markdown is cut inside a character')
        return
    if block['kind'] in VERBATIM:
        for text in VERBATIM[block['kind']](block):
            if text not in piece and letters(text) not in letters(piece):
                fault(where, '%r is not in the Markdown at its place, %r' % (text[:60], piece[:60]))
    elif not re.fullmatch(shown(block), letters(piece)):
        fault(where, 'the Markdown at its place is %r, the text %r' % (piece[:60], block.get('text', '')[:60]))


def check_block(name, block, expected, pages, markdown):
    """Returns the index after it and all below."""
    where = '%s block %s' % (name, block.get('index'))
    check_members(where, block, BLOCK)
    for member in ('index', 'kind', 'page', 'box', 'source', 'confidence'):
        if member not in block:
            fault(where, 'has no ' + member)
    if block['index'] != expected:
        fault(where, 'should have the index %d' % expected)
    if block['kind'] not in KINDS or block['source'] not in SOURCES:
        fault(where, '%s from %s is not documented' % (block['kind'], block['source']))
    for part in [block] + block.get('parts', []):
        check_box(where, part['box'], pages.get(part['page']))
    check_spans(where, block)
    if 'table' in block:
        check_table(where + ' table', block['table'], pages)
    if 'markdown' in block and markdown is not None:
        check_markdown(where, block, markdown)
    expected += 1
    for child in block.get('children', []):
        expected = check_block(name, child, expected, pages, markdown)
    return expected


def check_document(name, file):
    document = json.load(open(file, encoding='utf-8'))
    markdown = file[:-5] + '.md'
    check_members(name, document, ROOT)
    check_members(name + ' document', document['document'], DOCUMENT)
    for page in document['pages']:
        check_members(name + ' page', page, PAGE)
        if page['status'] not in ('ok', 'needs-model', 'failed') or (page['status'] != 'ok') != ('reason' in page):
            fault(name, 'page %r' % page)
    pages = {page['number']: page for page in document['pages']}
    text = open(markdown, 'rb').read() if os.path.exists(markdown) else None
    index = 0
    for block in document['blocks']:
        index = check_block(name, block, index, pages, text)


# ---- MinerU's content list --------------------------------------------------------------------------------------

TEXT = {'text': str}
CAPTIONED = lambda kind: {kind + '_caption': list, kind + '_footnote': list}
CONTENT = {
    'text': TEXT, 'header': TEXT, 'footer': TEXT, 'page_number': TEXT, 'aside_text': TEXT, 'page_footnote': TEXT,
    'equation': {'text': str, 'text_format': str},
    'image': {'img_path': str, 'content': str, 'sub_type': str, **CAPTIONED('image')},
    'chart': {'img_path': str, 'content': str, 'sub_type': str, **CAPTIONED('chart')},
    'table': {'img_path': str, 'table_body': str, **CAPTIONED('table')},
    'code': {'sub_type': str, 'code_caption': list, 'code_body': str},
    'list': {'sub_type': str, 'list_items': list},
}
MAY = {'text': {'text_level': int}, 'equation': {'img_path': str}, 'code': {'code_footnote': list}}


def check_content_list(name, file):
    page = 0
    for i, item in enumerate(json.load(open(file, encoding='utf-8'))):
        where = '%s item %d' % (name, i)
        kind = item.get('type')
        if kind not in CONTENT:
            fault(where, 'type %r' % kind)
            continue
        must, may = {**CONTENT[kind], 'type': str, 'page_idx': int}, {**MAY.get(kind, {}), 'bbox': list}
        for member in set(item) | set(must):
            if member not in item or not isinstance(item[member], {**must, **may}.get(member, ())):
                fault(where, '%s %s: %r' % (kind, member, item.get(member)))
        box = item.get('bbox', [0, 0, 0, 0])
        if len(box) != 4 or not all(isinstance(v, int) and 0 <= v <= 1000 for v in box) or box[0] > box[2] or box[1] > box[3]:
            fault(where, 'bbox %r' % box)
        if not 0 <= item['page_idx'] >= page - 1:
            fault(where, 'page_idx %d after %d' % (item['page_idx'], page))
        page = item['page_idx']
        if kind == 'equation' and item['text_format'] != 'latex' or kind == 'table' and not item['table_body'].startswith('<table'):
            fault(where, '%r' % item)


def main():
    files = sorted(glob.glob(os.path.join(sys.argv[1], '*.json')))
    for file in files:
        name = os.path.basename(file)
        (check_content_list if name.endswith('_content_list.json') else check_document)(name, file)
    print('\n'.join(faults) or '%d files, no fault' % len(files))
    return 1 if faults or not files else 0


sys.exit(main())
