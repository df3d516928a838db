#!/bin/sh
# docparse on every file of a folder of damaged, odd or malicious PDFs, one process each,
# under the limits of the hostile suite; prints exit codes, extremes, violations.
#   corpus.sh DIR [DOCPARSE]
exec python3 "$(dirname "$0")/corpus.py" "$@"
