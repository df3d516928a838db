#!/usr/bin/env python3
"""Damages the sample documents at random and converts them all in one run; nothing may crash, hang or vanish.

    mutants.py DOCPARSE [NUMBER [SEED [FILE...]]]     1,000 mutants of the samples and of these files

Bytes are flipped, pieces cut out, doubled, swapped, numbers changed, objects exchanged.  Checked are: the exit code, that the
report has every document with every page in one state, that no sanitizer speaks in parent or child, that each document
that is said to be good has its Markdown, and the time.  Mutants that fail are kept in build/mutants.
"""
import glob, json, os, random, re, shutil, subprocess, sys

DOCPARSE = os.path.abspath(sys.argv[1])
NUMBER = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join('build', 'mutants')


def span(rng, data, most):
    start = rng.randrange(len(data))
    return start, min(len(data), start + 1 + int(most * rng.random() ** 3))


def mutate(rng, data):
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        kind = rng.randrange(7)
        a, b = span(rng, data, 400)
        if kind == 0:  # bits
            data[a] ^= 1 << rng.randrange(8)
        elif kind == 1:  # a piece is gone, or all from there on
            del data[a:b if rng.random() < .9 else len(data)]
        elif kind == 2:  # a piece comes twice
            data[a:a] = data[a:b]
        elif kind == 3:  # noise
            data[a:b] = rng.randbytes(b - a)
        elif kind == 4:  # a number
            numbers = list(re.finditer(rb'\d+', data))
            if numbers:
                one = rng.choice(numbers)
                data[one.start():one.end()] = str(rng.choice((0, 1, -1, 7, 255, 65536, 2**31 - 1, 2**32, 10**18))).encode()
        elif kind == 5:  # a name or an operator for another
            words = list(re.finditer(rb'/[A-Za-z]+|\b(?:obj|endobj|stream|endstream|R|xref|trailer)\b', data))
            if len(words) > 1:
                one, other = rng.sample(words, 2)
                data[one.start():one.end()] = bytes(other.group())
        else:  # objects change places
            objects = list(re.finditer(rb'(?s)\bobj\b.*?\bendobj\b', data))
            if len(objects) > 1:
                one, other = sorted(rng.sample(objects, 2), key=lambda m: m.start())
                data[:] = (data[:one.start()] + other.group() + data[one.end():other.start()] + one.group() + data[other.end():])
        if not data:
            return bytearray(b'%PDF-1.4')
    return data


def main():
    rng = random.Random(SEED)
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK + '/in')
    seeds = sorted(glob.glob(os.path.join(HERE, '../../samples/*.pdf')) + sys.argv[4:])
    for i in range(NUMBER):
        seed = rng.choice(seeds)
        name = '%05d-%s' % (i, os.path.basename(seed))
        open(f'{WORK}/in/{name}', 'wb').write(mutate(rng, bytearray(open(seed, 'rb').read())))
    command = [DOCPARSE, WORK + '/in', '-o', WORK + '/out/', '-t', 'md,html,txt,json,content-list', '--report', WORK + '/report.json']
    with open(WORK + '/err', 'wb') as err:
        code = subprocess.run(command, stderr=err, timeout=600 + 8 * NUMBER, env=dict(os.environ, DOCPARSE_DEBUG='1')).returncode
    said = open(WORK + '/err', errors='replace').read()
    report = json.load(open(WORK + '/report.json'))
    bad = re.findall(r'(?m)^.*(?:AddressSanitizer|runtime error|LeakSanitizer|CRITICAL).*$', said)
    if code not in (0, 1):
        bad.append('exit code %d' % code)
    if len(report['documents']) != NUMBER:
        bad.append('%d documents in the report' % len(report['documents']))
    for d in report['documents']:
        if d['status'] != 'failed' and sum(d['pages'].values()) != d['n_pages']:
            bad.append(d['input'] + ': pages are missing in the report')
        if d['status'] == 'failed' and not d.get('error'):
            bad.append(d['input'] + ': failed without a reason')
        if d['status'] != 'failed' and not all(os.path.exists(o) for o in d['outputs']):
            bad.append(d['input'] + ': outputs are missing')
        if d['status'] == 'good' and os.path.getsize(d['outputs'][0]) == 0:
            print('empty, and said to be good:', d['input'])
    states = {}
    for d in report['documents']:
        states[d['status']] = states.get(d['status'], 0) + 1
    print('%d mutants of seed %d: %s in %.0f s' % (NUMBER, SEED, states, report['seconds']))
    print('\n'.join(sorted(set(bad))))
    return 1 if bad else 0


sys.exit(main())
