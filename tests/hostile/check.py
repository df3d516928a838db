#!/usr/bin/env python3
"""Runs docparse on every hostile document and prints TAP: one line a recipe.

    check.py DOCPARSE DIR [NUMBER...]    DIR as make.py wrote it

For each recipe: bounded time and memory (10 s, 1 GB), an exit code that is honest for this
document, output that says the right thing, and neighbours in the same batch untouched.
"""
import html
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import SECONDS, read, run


def plain(markdown):
    """Text of the Markdown for comparing: no tags, no escapes, white space folded."""
    s = re.sub(r'<!--.*?-->', ' ', markdown, flags=re.S)
    s = re.sub(r'</?(table|tr|t[hd]|br|sup|sub)\b[^>]*>', ' ', s)
    s = re.sub(r'\\([!-/:-@\[-`{-~])|&#?\w+;', lambda m: m.group(1) or html.unescape(m.group()), s)
    return re.sub(r'\s+', ' ', s)


def judge(recipe, outcome, markdown):
    """What is wrong, as a list of sentences."""
    wrong = []
    if outcome.why: wrong.append(outcome.why)
    if outcome.code not in recipe['exit']: wrong.append(f"exit code {outcome.code}, honest would be {' or '.join(map(str, recipe['exit']))}")
    if outcome.code not in (0, 1, 65, 77): wrong.append(f'exit code {outcome.code} is not one for documents')
    if outcome.code and not outcome.stderr.strip(): wrong.append('failed without a word')
    says = recipe.get('says')
    if says and not re.search(says, outcome.stderr): wrong.append(f'messages do not say {says!r}: {outcome.stderr[:200]!r}')
    if recipe.get('no_output'):
        if markdown is not None: wrong.append('wrote a file for a document that it could not read')
        return wrong
    if outcome.code in (0, 1) and markdown is None: return wrong + ['no Markdown was written']
    text = plain(markdown or '')
    wanted = recipe.get('always', []) + (recipe.get('has', []) if outcome.code == 0 else [])
    wrong += [f'missing: {w!r}' for w in wanted if w not in text]
    wrong += [f'{text.count(w)} times instead of once: {w!r}' for w in recipe.get('once', []) if text.count(w) != 1]
    at = 0
    for w in recipe.get('order', []):
        found = text.find(w, at)
        if found < 0:
            wrong.append(f"{'out of order' if w in text else 'missing'}: {w!r}")
            break
        at = found + len(w)
    wrong += [f'must not be there: {p}' for p in recipe.get('lacks', []) if re.search(p, markdown or '')]
    wrong += [f'not found: {p}' for p in recipe.get('match', []) if not re.search(p, markdown or '')]
    return wrong


def markdown_of(path): return read(path) if os.path.exists(path) else None


def check(docparse, folder, work, recipe, neighbour):
    wrong, slowest, largest = [], 0, 0
    stem = '%02d' % recipe['number']
    options = recipe.get('options', [])
    memory = recipe.get('memory', 1000)
    alone = recipe['files'] if len(recipe['files']) <= 20 else recipe['files'][:1]
    for file in alone:
        out, err, std = (os.path.join(work, file + end) for end in ('.md', '.err', '.out'))
        target = ['-o', '-'] if recipe.get('stdout') else ['-o', out]
        outcome = run([docparse, os.path.join(folder, file), *target, *options], seconds=recipe.get('seconds', SECONDS), megabytes=memory, env=recipe.get('env'), stderr=err, stdout=std)
        wrong += judge(recipe, outcome, outcome.stdout if recipe.get('stdout') else markdown_of(out))
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.megabytes)
    # the same between two good neighbours
    batch = os.path.join(work, stem)
    os.makedirs(batch)
    for name in ('before', 'behind'): shutil.copy(os.path.join(folder, 'good.pdf'), os.path.join(batch, name + '.pdf'))
    inputs = [os.path.join(batch, 'before.pdf')] + [os.path.join(folder, f) for f in recipe['files']] + [os.path.join(batch, 'behind.pdf')]
    outcome = run([docparse, *inputs, '-o', batch + '/out/', '--jobs', '1', *options], seconds=recipe.get('seconds', SECONDS), megabytes=memory, stderr=batch + '/err')
    if outcome.why: wrong.append('batch: ' + outcome.why)
    if outcome.code not in (0, 1): wrong.append(f'batch: exit code {outcome.code}')
    if outcome.code == 0 and 0 not in recipe['exit']: wrong.append('batch: exit code 0 although a document failed')
    for name in ('before', 'behind'):
        got = find(batch + '/out', name + '.md')
        if got is None: wrong.append(f'batch: the neighbour {name} was not written')
        elif got != neighbour: wrong.append(f'batch: the neighbour {name} changed')
    return wrong, max(slowest, outcome.seconds), max(largest, outcome.megabytes)


def find(folder, name):
    for top, _, files in os.walk(folder):
        if name in files: return read(os.path.join(top, name))
    return None


def main():
    docparse, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    chosen = {int(n) for n in sys.argv[3:]}
    work = os.path.join(folder, 'work')
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(os.path.join(folder, 'recipes.json')) as f: recipes = [r for r in json.load(f) if not chosen or r['number'] in chosen]
    run([docparse, os.path.join(folder, 'good.pdf'), '-o', work + '/good.md'], stderr=work + '/good.err')
    neighbour = markdown_of(work + '/good.md') or ''
    failed = 'nothing wrong with it' not in neighbour
    if failed: print('# the good document cannot be converted: ' + read(work + '/good.err')[:500])
    print(f'1..{len(recipes)}')
    for n, recipe in enumerate(recipes, 1):
        wrong, seconds, megabytes = check(docparse, folder, work, recipe, neighbour)
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {n} - {recipe['number']:02d} {recipe['name']} ({seconds:.2f} s, {megabytes:.0f} MB)")
        if wrong: print(f"# {recipe['fault']}")
        for w in dict.fromkeys(wrong): print('#   ' + w.replace('\n', ' '))
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == '__main__': sys.exit(main())
