# SPDX-License-Identifier: MIT
"""direct_sums.py TABLE LAGS: exact sums over origins of columns 1 and 2, and the same with the means taken off: lag, origins, <11>, <22>, <12>."""
import sys
from math import fsum
rows = [[float(x) for x in l.split()] for l in open(sys.argv[1])]
n, lags = len(rows), int(sys.argv[2])
a, b = ([r[k] for r in rows] for k in (0, 1))
def sub(v):
    m = fsum(v) / n
    return [x - m for x in v]
def cf(u, v, k):
    return fsum(u[t] * v[t + k] for t in range(n - k)) / (n - k)
for k in range(lags):
    print(k, n - k, *["%.17g" % cf(u, v, k) for p, q in ((a, b), (sub(a), sub(b))) for u, v in ((p, p), (q, q), (p, q))])
