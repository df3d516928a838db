"""See corpus.sh.  Exit 1 if any file breaks a limit or ends in an undocumented way."""
import collections
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import run


def main():
    folder = sys.argv[1]
    docparse = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else 'build/docparse')
    files = sorted(os.path.join(top, f) for top, _, names in os.walk(folder) for f in names if f.lower().endswith('.pdf'))
    if not files:
        print(f'{folder}: no PDFs there', file=sys.stderr)
        return 2
    work = tempfile.mkdtemp(prefix='docparse-corpus-')
    codes, slow, large, wrong = collections.Counter(), (0, ''), (0, ''), []
    seconds = 0
    try:
        for n, file in enumerate(files):
            out, err = os.path.join(work, 'out.md'), os.path.join(work, 'err')
            outcome = run([docparse, file, '-o', out, '--images', 'off', '--jobs', '1'], stderr=err)
            name = os.path.relpath(file, folder)
            codes[outcome.code] += 1
            seconds += outcome.seconds
            slow, large = max(slow, (outcome.seconds, name)), max(large, (outcome.megabytes, name))
            written = os.path.exists(out)
            if outcome.why: wrong.append(f'{name}: {outcome.why}')
            elif outcome.code not in (0, 1, 65, 77): wrong.append(f'{name}: exit code {outcome.code}: {outcome.stderr.strip()[-200:]}')
            elif outcome.code and not outcome.stderr.strip(): wrong.append(f'{name}: exit code {outcome.code} without a message')
            elif outcome.code in (0, 1) and not written: wrong.append(f'{name}: exit code {outcome.code}, but no file was written')
            if written: os.remove(out)
    finally:
        shutil.rmtree(work)
    print(f'hostile corpus: {len(files)} files in {seconds:.0f} s; exit codes ' + ', '.join(f'{c}: {n}' for c, n in sorted(codes.items())))
    print(f'  slowest {slow[0]:.2f} s ({slow[1]}), largest {large[0]:.0f} MB ({large[1]}), {len(wrong)} violations')
    for w in wrong: print('  ' + w.replace('\n', ' '))
    return 1 if wrong else 0


if __name__ == '__main__': sys.exit(main())
