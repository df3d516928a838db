#!/usr/bin/env python3
"""Makes the sample documents: samples/sources/NAME.py becomes samples/NAME.pdf.

    make.py [NAME...]      all, or only these
    make.py --check        says which PDFs differ from what the sources give; exit 1 if any

Standard library only; embeds subsets of the DejaVu fonts (fonts-dejavu).  The PDFs are
kept in the tree, so that nobody needs this to build or test.
"""
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'sources')]
sys.dont_write_bytecode = True


def main(args):
    check = '--check' in args
    names = [a for a in args if a != '--check'] or sorted(
        f[:-3].replace('_', '-') for f in os.listdir(os.path.join(HERE, 'sources')) if f.endswith('.py'))
    different = 0
    for name in names:
        data = importlib.import_module(name.replace('-', '_')).build().save()
        path = os.path.join(HERE, name + '.pdf')
        if check:
            with open(path, 'rb') as f: same = f.read() == data
            if not same: print(f'{path}: differs from its source')
            different += not same
        else:
            with open(path, 'wb') as f: f.write(data)
            print(f'{name}.pdf  {len(data)} bytes')
    return 1 if different else 0


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
