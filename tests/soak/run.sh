#!/bin/sh
# make soak: 1,000 conversions in one process; memory must stay flat.
#   run.sh DOCPARSE [CONVERSIONS]
exec python3 "$(dirname "$0")/soak.py" "$@"
