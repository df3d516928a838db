#!/usr/bin/env python3
"""Makes the hostile documents: one recipe for each kind of fault that users of other
converters have reported, and what docparse must do with it.

    make.py OUTDIR      writes NN-NAME.pdf (or several NN-NAME-K.pdf) and recipes.json

Standard library only, same bytes every time.  recipes_*.py hold the recipes; pdf.py of
samples/ writes the objects.

What a recipe can ask for (harness: check.py):
  exit     exit codes that are honest for this document alone
  has      text in the output if the exit code is 0 (white space folded, escapes removed)
  always   text in the output whatever the exit code
  once     text exactly once
  order    texts in this order
  lacks    regular expressions that must not match the output
  match    regular expressions that must match the raw Markdown
  says     regular expression that must match the messages on stderr
  memory   megabytes, where less than the general gigabyte is asked for
  seconds  where many pages have to be read from pictures
  options  more options of the command line;  env: environment
  stdout   the Markdown is written to standard output
  no_output  no Markdown file is expected
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', '..', 'samples'), HERE]
sys.dont_write_bytecode = True

import recipes_damage
import recipes_layout
import recipes_load
import recipes_text
from recipe import RECIPES, good_document


def main(out):
    os.makedirs(out, exist_ok=True)
    for old in os.listdir(out):
        if old.endswith('.pdf'): os.remove(os.path.join(out, old))
    with open(os.path.join(out, 'good.pdf'), 'wb') as f: f.write(good_document())
    listing = []
    for number, name, build, wants in sorted(RECIPES, key=lambda r: r[0]):
        made = build()
        made = made if isinstance(made, list) else [made]
        files = ['%02d-%s%s.pdf' % (number, name, '-%02d' % k if len(made) > 1 else '') for k in range(len(made))]
        for file, data in zip(files, made):
            with open(os.path.join(out, file), 'wb') as f: f.write(data)
        listing.append({'number': number, 'name': name, 'fault': ' '.join(build.__doc__.split()), 'files': files, **wants})
    with open(os.path.join(out, 'recipes.json'), 'w') as f: json.dump(listing, f, indent=1)


if __name__ == '__main__': main(sys.argv[1])
