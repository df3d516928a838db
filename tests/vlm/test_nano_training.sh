#!/bin/sh
# The training side of the built-in model, where PyTorch is at hand (PYTHON=, vlm/nano/training/requirements.txt).  Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${PYTHON:-python3}
if ! "$python" -c 'import torch, numpy, PIL, safetensors' 2>/dev/null; then
  echo "1..0 # SKIP PyTorch is not installed"
  exit 0
fi
PYTHONPATH=vlm/nano/training PYTHONDONTWRITEBYTECODE=1 exec "$python" tests/vlm/nano_training.py
