# SPDX-License-Identifier: MIT
"""python3 -m oracle [FILE...]: the hashes of each segment, as frame-check -v has them; status 2 where the stream is not whole."""
import sys

from . import frames

try:
    for name in sys.argv[1:] or ["/dev/stdin"]:
        with open(name, "rb") as f:
            for item in frames.Reader(f, "stdin"):
                if isinstance(item, tuple):
                    print("stream", item[1].hex())
                    print("content", item[2].hex())
except frames.Error as e:
    sys.exit(print(e, file=sys.stderr) or 2)
