# SPDX-License-Identifier: MIT
"""Frames of a stream by bytes alone, in plain Python: no hash is looked at, nothing is unpacked."""
import struct


def arrays(path):
    """(kind, header, payload) of each frame."""
    with open(path, "rb") as f:
        b = f.read()
    at = 0
    while at < len(b):
        h = b[at:at + 128]
        stored, = struct.unpack_from("<Q", h, 96)
        yield h[12:16], h, b[at + 128:at + 128 + stored]
        at += 128 + (stored + 63) // 64 * 64
