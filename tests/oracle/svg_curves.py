# SPDX-License-Identifier: MIT
"""svg_curves.py PICTURE.svg linear|log|loglog TITLE=TABLE...: are the curves of a picture by gnuplot those of tables "x y [se]", and its bands
y - se to y + se, cut at the floor of a logarithmic axis, half of the least y above 0? Pixels are a linear map of the numbers (of their
logarithm), the same for all: found from two points, checked at all."""
import math
import re
import sys

CLOSE = 0.02  # pixels: coordinates are written with two decimals
svg = open(sys.argv[1], encoding="utf-8").read()
of = (lambda v: v) if sys.argv[2] == "linear" else math.log10
along = math.log10 if sys.argv[2] == "loglog" else lambda v: v
groups = re.split(r'<g id="gnuplot_plot_\d+"[^>]*>', svg)[1:]
titles = [re.match("<title>(.*?)</title>", g).group(1) for g in groups]


def numbers(text):
    return [tuple(map(float, p)) for p in re.findall(r"(-?[\d.]+),(-?[\d.]+)", text)]


def path(body):
    """Points of its lines: two of the sample in the key, then the curve, which goes on where a path was broken off."""
    at = [(m, float(a), float(b)) for d in re.findall(r"<path stroke='rgb\(.*?d='(.*?)'", body, re.S) for m, a, b in re.findall(r"([ML])(-?[\d.]+),(-?[\d.]+)", d)]
    if keyed:
        assert at[0][2] == at[1][2], "a sample of the line in the key expected"
    else:
        at = [("", 0, 0), ("", 0, 0), *at]
    return [p[1:] for last, p in zip(at[1:], at[2:]) if p != ("M", *last[1:])]


def table(name):
    return [[float(v) for v in line.split()] for line in open(name, encoding="utf-8") if line.strip() and not line.startswith("#")]


wanted = dict(a.rsplit("=", 1) for a in sys.argv[3:])
drawn = [t for t in titles if not t.startswith("gnuplot_plot_")]
keyed = bool(drawn)
if not keyed and len(wanted) == 1:  # a single curve has no key; bands are below it
    titles[-1], drawn = list(wanted)[0], list(wanted)
assert drawn == list(wanted), "curves %s expected, found %s" % (list(wanted), drawn)
points, pairs = {}, []
for title, name in wanted.items():
    points[title], body = table(name), groups[titles.index(title)]
    rows = [r for r in points[title] if math.isfinite(r[1]) and (sys.argv[2] == "linear" or r[1] > 0) and (sys.argv[2] != "loglog" or r[0] > 0)]
    found = path(body)
    assert len(found) == len(rows), "%s: %d points expected, found %d" % (title, len(rows), len(found))
    pairs += [(along(r[0]), of(r[1]), *p) for r, p in zip(rows, found)]


def fit(k):
    low, high = min(pairs, key=lambda p: p[k]), max(pairs, key=lambda p: p[k])
    scale = (high[k + 2] - low[k + 2]) / (high[k] - low[k])
    return lambda v: low[k + 2] + (v - low[k]) * scale


x, y = fit(0), fit(1)
for p in pairs:
    assert abs(x(p[0]) - p[2]) < CLOSE and abs(y(p[1]) - p[3]) < CLOSE, "a point at %.2f,%.2f expected, found %.2f,%.2f" % (x(p[0]), y(p[1]), p[2], p[3])
banded = [rows for rows in points.values() if len(rows[0]) > 2]
assert len(groups) - len(drawn) == len(banded), "%d bands expected, found %d" % (len(banded), len(groups) - len(drawn))
floor = -math.inf if sys.argv[2] == "linear" else min(r[1] for rows in points.values() for r in rows if r[1] > 0) / 2
for rows, body in zip(banded, groups):
    rows = [r for r in rows if sys.argv[2] != "loglog" or r[0] > 0]
    there = [False] + [r[1] + r[2] > floor for r in rows] + [False]
    inside = [r for k, r in enumerate(rows) if there[k + 1] and (there[k] or there[k + 2])]  # a point that stands alone has no band
    edges = [(x(along(r[0])), y(of(max(r[1] + s * r[2], floor)))) for r in inside for s in (-1, 1)]
    found = [p for d in re.findall(r"points = '(.*?)'", body, re.S) for p in numbers(d)]
    for these, those, words in (edges, found, "expected"), (found, edges, "not expected"):
        for e in these:
            assert any(abs(e[0] - p[0]) < CLOSE and abs(e[1] - p[1]) < CLOSE for p in those), "a band through %.2f,%.2f %s" % (*e, words)
print(len(drawn), "curves,", sum(math.isfinite(r[2]) for rows in banded for r in rows), "errors")
