# SPDX-License-Identifier: MIT
"""read_and_write.py FILE: what mbf reads of it as rows, and the same written again, whole and step by step."""
import sys, mbf
run = mbf.read(sys.argv[1])
with open("rows", "w") as f:
    for k in range(3):
        for i, r in enumerate(run.positions[k]):
            print(run.index[k], run.time[k], i, *("%.9g" % x for x in r), file=f)
keep = {k: v for k, v in run.meta.items() if k in ("sys.sigma", "x.note")}
mbf.write("all.mbf", run.positions, time=run.time, cell=run.cell, species=mbf.species_of(run.meta), meta=keep)
with mbf.Writer("packed.mbf", compress=1, dt=0.125, species=run.meta["sys.species"]) as w:
    for step in mbf.open(sys.argv[1]):
        w.put(step.positions, step.time, step.cell)
