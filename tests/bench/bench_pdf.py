#!/usr/bin/env python3
"""Pages a second of docparse beside pdftotext and, where it is installed, pymupdf4llm.

    bench_pdf.py DOCPARSE EVALDIR ROUNDS

All programs run in turn in each round, on the same files, so that a busy machine slows them
alike; medians over the rounds.  Ratios are of those medians.  Beside the clock on the wall stands
processor time, which a busy machine changes less.  No assertions.
"""
import glob
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def pages_of(files):
    total = 0
    for f in files:
        out = subprocess.run(['pdfinfo', f], capture_output=True).stdout.decode('utf-8', 'replace')
        total += next((int(l.split()[1]) for l in out.splitlines() if l.startswith('Pages:')), 0)
    return total


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command):
    """Seconds on the wall and of processors."""
    start, used = time.perf_counter(), processor()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start, processor() - used


def each(make):
    def run(files, work): return tuple(map(sum, zip(*(timed(make(f, work)) for f in files))))
    return run


BATCH = 'docparse, batch, --jobs 1'
BATCH_TEXT = 'docparse, batch, no pictures read'
RIVAL = 'pymupdf4llm, one process, one round'


def contenders(docparse):
    quiet = ['--images', 'off', '-q']
    return {
        'pdftotext, a process per file': each(lambda f, w: ['pdftotext', f, w + '/out.txt']),
        'docparse, a process per file': each(lambda f, w: [docparse, f, '-o', w + '/out.md', '--jobs', '1', *quiet]),
        'docparse, no pictures read': each(lambda f, w: [docparse, f, '-o', w + '/out.md', '--jobs', '1', '--method', 'text', *quiet]),
        BATCH: lambda files, w: timed([docparse, *files, '-o', w + '/batch/', '--jobs', '1', *quiet]),
        BATCH_TEXT: lambda files, w: timed([docparse, *files, '-o', w + '/batch/', '--jobs', '1', '--method', 'text', *quiet]),
        'docparse, batch, all processors': lambda files, w: timed([docparse, *files, '-o', w + '/batch/', *quiet]),
    }


PYMUPDF = '''
import sys, time, pymupdf4llm
start, used = time.perf_counter(), time.process_time()
for f in sys.argv[1:]: pymupdf4llm.to_markdown(f)
print(time.perf_counter() - start, time.process_time() - used)
'''


def pymupdf4llm(files):
    """Seconds, as above, for all files in one process, start-up not counted; None if it is not installed."""
    run = subprocess.run([sys.executable, '-c', PYMUPDF, *files], capture_output=True, text=True)
    return tuple(map(float, run.stdout.split()[-2:])) if run.returncode == 0 else None


def bench(title, files, docparse, rounds, rival):
    pages = pages_of(files)
    print(f'\n{title}: {len(files)} files, {pages} pages, median of {rounds} rounds')
    runs = contenders(docparse)
    times = {name: [] for name in runs}
    work = tempfile.mkdtemp(prefix='docparse-bench-')
    try:
        for run in runs.values(): run(files[:2], work)  # caches warm
        for _ in range(rounds):
            for name, run in runs.items(): times[name].append(run(files, work))
        stages(docparse, files, work)
    finally:
        shutil.rmtree(work)
    medians = {name: tuple(map(statistics.median, zip(*t))) for name, t in times.items()}
    if rival:
        seconds = pymupdf4llm(files)
        if seconds: medians[RIVAL] = seconds
    wall, cpu = medians['pdftotext, a process per file']
    print(f"  {'':36} {'ms/page':>9} {'pages/s':>9} {'to pdftotext':>13} {'processor ms':>13} {'to pdftotext':>13}")
    for name, (w, c) in medians.items():
        print(f'  {name:36} {1000 * w / pages:9.2f} {pages / w:9.0f} {w / wall:12.2f}x {1000 * c / pages:13.2f} {c / cpu:12.2f}x')
    if RIVAL in medians:
        # one process for all files on both sides; ours counts its start
        for name in (BATCH, BATCH_TEXT):
            wall, cpu = (theirs / ours for theirs, ours in zip(medians[RIVAL], medians[name]))
            print(f'  {name} is {wall:.1f} times as fast as pymupdf4llm ({cpu:.1f} by processor time)')


def stages(docparse, files, work):
    """Where the time goes, as docparse's own report tells it."""
    report = work + '/report.json'
    subprocess.run([docparse, *files, '-o', work + '/batch/', '--jobs', '1', '--images', 'off', '-q', '--report', report], stderr=subprocess.DEVNULL)
    try:
        with open(report) as f: data = json.load(f)
    except (OSError, ValueError): return
    times = data['ms']
    total = sum(times.values())
    if total: print('  where the time goes: ' + ', '.join(f'{k} {100 * v / total:.0f} %' for k, v in sorted(times.items(), key=lambda kv: -kv[1])))


def main():
    docparse, evaluation, rounds = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    if not shutil.which('pdftotext'):
        print('bench: pdftotext is not installed (apt install poppler-utils)', file=sys.stderr)
        return 1
    rival = subprocess.run([sys.executable, '-c', 'import pymupdf4llm'], capture_output=True).returncode == 0
    print('== PDF path')
    bench('samples', [f for f in sorted(glob.glob('samples/*.pdf')) if 'scan' not in f], docparse, rounds, rival)
    for name, title in (('odl', 'one-page documents'), ('readoc', 'papers of many pages')):
        files = sorted(glob.glob(os.path.join(evaluation, 'docs', name, 'pdf', '*.pdf')))
        if files: bench(title, files, docparse, rounds, rival)
        else: print(f'{title}: skipped, no documents in {evaluation}')
    if not rival: print('\npymupdf4llm: skipped, not installed (python3 -m pip install "pymupdf4llm<1")')
    return 0


if __name__ == '__main__': sys.exit(main())
