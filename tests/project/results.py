# SPDX-License-Identifier: MIT
"""Tables and sums of gr.mbf and cf.mbf; g and its error, a bin a line."""
import mbf
t = mbf.table("gr.mbf")
assert list(t) == ["r_A", "count", "g", "n", "g_se"] and t["count"].dtype.kind == "i"
raw = mbf.read("gr.mbf")
assert raw.kind == "HIST" and (raw.counts.sum(axis=(0, 1)) == t["count"]).all() and raw.steps.sum() == 400
assert abs(raw.counts.sum(axis=(0, 1))[10] / raw.expected.sum(axis=(0, 1))[10] - t["g"][10]) < 1e-12
cf = mbf.read("cf.mbf")
assert cf.counts.shape == (4, 3) and cf.sums.shape == (4, 3, 1, 4)
with open("gr.mbf", "rb") as f:
    assert (mbf.table(f)["g"] == t["g"]).all()
assert (t.labels["g_se"], t.labels["r_A"], t.units["r_A"], t.units["g_se"], list(t.units)) == ("g(r), standard error", "r", "A", "1", list(t))
for g, se in zip(t["g"], t["g_se"]):
    print(repr(g), repr(se))
