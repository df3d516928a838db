"""Gathers running text and words from installed Debian packages (README.md lists them with their licences).

    corpus.py OUT_DIR        writes train.txt, dev.txt (paragraphs, language before a tab) and words.txt

Every paragraph is normalised (charset.py); one in forty goes to the development set and is never trained on.
"""
import collections
import glob
import gzip
import html
import os
import random
import re
import subprocess
import sys

from charset import known, normalise

LANGUAGES = 'de fr es it pt_BR nl pl ru cs sv da hu ro uk el fi nb sr'.split()
PER_LANGUAGE, ENGLISH = 1_300_000, 4_000_000  # characters
WORDS = dict(zip('american-english ngerman french spanish italian polish portuguese dutch danish swedish catalan ukrainian'.split(),
                 (30, 12, 12, 10, 10, 8, 8, 8, 6, 6, 4, 6)))  # thousands of words taken


def read(path):
    try:
        with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as f:
            return f.read().decode('utf8', errors='ignore')
    except OSError:
        return ''


def paragraphs(text):
    for part in re.split(r'\n\s*\n', text):
        p = normalise(' '.join(part.split('\n')))
        if 20 <= len(p) < 4000 and sum(c.isalpha() for c in p) > 0.5 * len(p) and known(p):
            yield p


def manual(text):
    """The prose of a manual page: requests and font changes removed."""
    out = []
    for line in text.split('\n'):
        if line.startswith(('.\\"', "'\\\"")):
            continue
        if re.match(r'\.(PP|P|SH|SS|TP|IP|LP|br|sp)\b', line):
            out.append('')
            line = re.sub(r'^\.\w+\s*', '', line)
        elif re.match(r'\.(B|I|BR|IR|RB|RI|BI|IB)\b', line):
            line = re.sub(r'^\.\w+\s*', '', line)
        elif line.startswith(('.', "'")):
            continue
        line = re.sub(r'\\f[BIRPC]|\\f\(..|\\f\[[^\]]*\]', '', line)
        for a, b in (('\\-', '-'), ('\\(em', '—'), ('\\(en', '–'), ('\\(aq', "'"), ('\\(dq', '"'), ('\\(lq', '“'), ('\\(rq', '”'), ('\\(oq', '‘'),
                     ('\\(cq', '’'), ('\\&', ''), ('\\e', '/'), ('\\ ', ' '), ('\\~', ' ')):
            line = line.replace(a, b)
        out.append(re.sub(r'\\\*?[\(\[]..?\]?', '', line).replace('\\', ''))
    return '\n'.join(out)


def page(text):
    text = re.sub(r'(?is)<(script|style|head|nav)[^>]*>.*?</\1>', '', text)
    text = re.sub(r'(?i)</?(p|li|td|th|tr|h[1-6]|dt|dd|div|pre|br)[^>]*>', '\n\n', text)
    return html.unescape(re.sub(r'<[^>]+>', '', text))


def sources():
    """(language, characters wanted, iterator of texts), in a fixed order."""
    def files(*patterns):
        found = sorted({f for p in patterns for f in glob.glob(p, recursive=True) if os.path.isfile(f)})
        random.Random(1).shuffle(found)
        return found
    yield 'en', ENGLISH // 3, (manual(read(f)) for f in files('/usr/share/man/man[1-8]/*.gz'))
    for lang in LANGUAGES:
        yield lang, PER_LANGUAGE, (manual(read(f)) for f in files('/usr/share/man/%s/man[1-8]/*.gz' % lang, '/usr/share/man/%s/man[1-8]/*.gz' % lang[:2]))
    for f in files('/usr/share/doc/debian-handbook/html/*/index.html'):
        lang = f.split('/')[-2]
        if lang[:2] in ('en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'cs', 'sv', 'da', 'ro', 'el', 'hu', 'uk', 'nb'):
            yield lang, PER_LANGUAGE if lang[:2] != 'en' else ENGLISH // 3, (page(read(g)) for g in files(os.path.dirname(f) + '/*.html'))
    for lang in 'en de fr it es pt'.split():
        yield lang, PER_LANGUAGE // 2, (page(read(f)) for f in files('/usr/share/debian-reference/*.%s.html' % lang))
    for f in ('debian/FAQ', 'developers-reference', 'debian-faq'):
        yield 'mixed', PER_LANGUAGE, (page(read(g)) for g in files('/usr/share/doc/%s/**/*.html' % f))
    try:
        bible = subprocess.run(['bible', 'gen1:1-rev22:21'], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        bible = ''
    yield 'en', 600_000, [re.sub(r'(?m)^\s*\d+:\d+\s*', '\n\n', bible)]
    yield 'en', ENGLISH // 4, (read(f)[:40000] for f in files('/usr/share/doc/*/README*', '/usr/share/doc/*/NEWS*'))


def words():
    found = []
    for name, thousands in WORDS.items():
        path = '/usr/share/dict/' + name
        if os.path.exists(path):
            every = [w for w in (normalise(x) for x in read(path).split('\n')) if w and "'" not in w and known(w)]
            found += random.Random(2).sample(every, min(len(every), thousands * 1000))
    return found


def main(out):
    os.makedirs(out, exist_ok=True)
    seen, kept, count = set(), [], collections.Counter()
    for lang, wanted, texts in sources():
        taken = 0
        for text in texts:
            for p in paragraphs(text):
                if p not in seen:
                    seen.add(p)
                    kept.append(lang + '\t' + p)
                    taken += len(p)
            if taken > wanted:
                break
        count[lang] += taken
    random.Random(3).shuffle(kept)
    cut = len(kept) // 40
    for name, part in (('dev.txt', kept[:cut]), ('train.txt', kept[cut:])):
        with open(os.path.join(out, name), 'w', encoding='utf8') as f:
            f.write('\n'.join(part))
    found = words()
    with open(os.path.join(out, 'words.txt'), 'w', encoding='utf8') as f:
        f.write('\n'.join(found))
    print('%d paragraphs, %d words; characters: %s' % (len(kept), len(found), dict(count)))


if __name__ == '__main__':
    main(sys.argv[1])
