"""Prints how many lines a state has seen; 0 if it is not there."""
import os
import sys

import torch

print(torch.load(sys.argv[1], map_location='cpu', weights_only=True)['seen'] if os.path.exists(sys.argv[1]) else 0)
