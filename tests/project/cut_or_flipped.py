# SPDX-License-Identifier: MIT
"""Streams three and packed, cut anywhere and flipped anywhere, raise."""
import io, mbf
for name in "three", "packed":
    whole = open(name, "rb").read()
    assert len(list(mbf.open(io.BytesIO(whole)))) == 3
    for n in list(range(0, 600, 7)) + list(range(600, len(whole), 611)) + list(range(len(whole) - 300, len(whole))):
        try:
            for step in mbf.open(io.BytesIO(whole[:n])):
                pass
        except mbf.Truncated as e:
            assert "TRUNCATED" in str(e) or n == 0
        else:
            raise SystemExit("cut at %d: not seen" % n)
    for n in list(range(0, 600)) + list(range(600, len(whole) - 256, 397)) + list(range(len(whole) - 256, len(whole))):
        bad = bytearray(whole)
        bad[n] ^= 1 << n % 8
        try:
            for step in mbf.open(io.BytesIO(bytes(bad))):
                pass
        except mbf.Error:
            pass
        else:
            raise SystemExit("flipped at %d: not seen" % n)
    for tail in (whole[:200], b"x", bytes(128)):
        try:
            list(mbf.open(io.BytesIO(whole + tail)))
        except mbf.Error:
            continue
        raise SystemExit("bytes behind the end: not seen")
