"""Converts links to the samples in one docparse process and samples the resident memory of
the process and of its children from /proc.  Fails when either grows, after a warm-up of a
fifth of the run, by more than 10 % + 8 MB.  Prints first, last and largest value.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

KIB = 1024


def children_of(pid):
    found = []
    for path in glob.glob(f'/proc/{pid}/task/*/children'):
        try:
            with open(path) as f: found += [int(p) for p in f.read().split()]
        except OSError: pass
    return found


def resident(pid):
    try:
        with open(f'/proc/{pid}/status') as f:
            for line in f:
                if line.startswith('VmRSS:'): return int(line.split()[1])
    except OSError: pass
    return 0


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def main():
    docparse, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    samples = sorted(glob.glob('samples/*.pdf'))
    work = tempfile.mkdtemp(prefix='docparse-soak-')
    try:
        for i in range(count):
            sample = samples[i % len(samples)]
            os.symlink(os.path.abspath(sample), f'{work}/{i:04d}-{os.path.basename(sample)}')
        start = time.monotonic()
        run = subprocess.Popen([docparse, work, '-o', work + '/out/', '--images', 'off', '-q', '--jobs', '1'], stderr=subprocess.DEVNULL)
        parent, child = [], []
        while run.poll() is None:
            parent.append(resident(run.pid))
            child.append(max([resident(p) for p in children_of(run.pid)], default=0))
            time.sleep(0.02)
        seconds = time.monotonic() - start
        made = len(glob.glob(work + '/out/**/*.md', recursive=True))
    finally:
        shutil.rmtree(work)
    failed = False
    print(f'{made} of {count} conversions in one process, exit code {run.returncode}, {seconds:.1f} s')
    if made != count or run.returncode not in (0, 1):
        print('FAIL: not every document was written')
        failed = True
    for name, values in (('process', [v for v in parent if v]), ('PDF child', [v for v in child if v])):
        if len(values) < 20:
            print(f'FAIL: only {len(values)} measurements of the {name}')
            failed = True
            continue
        fifth = len(values) // 5
        warm, last = median(values[fifth:2 * fifth]), median(values[-fifth:])
        grown = last - warm
        flat = grown <= warm * 0.1 + 8 * KIB
        print(f'{name:9}  resident: first {values[0] / KIB:.1f} MB, warm {warm / KIB:.1f} MB, last {last / KIB:.1f} MB, '
              f'largest {max(values) / KIB:.1f} MB  {"flat" if flat else "FAIL: grows"}')
        failed |= not flat
    return 1 if failed else 0


if __name__ == '__main__': sys.exit(main())
