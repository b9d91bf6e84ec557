#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make.sh: how the streams of this folder were made, with the programs of mbf 0.1.0 first on PATH.
# They are kept as they came: what reads streams today has to read these. Not to be run with later
# programs.
set -euo pipefail
cd "$(dirname "$0")"
md-cpu -q --atoms 8 --density 0.0213 --temperature 90 --steps 230 --every 10 --seed 3 | frame-cut -q -z 0:24 -o posn.mbf
{
    for L in 20 21 21.5; do
        printf '4\nLattice="%s 0 0 0 %s 0 0 0 %s" Properties=species:S:1:pos:R:3\n' $L $L $L
        printf 'A 1 2 3\nB 4 5.5 6\nA %s 1 2.25\nB 9 1 8\n' "$(awk -v l=$L 'BEGIN { print l / 4 }')"
    done
} | xyz2bin -q --dt 0.5 --dtype f64 -o cells.mbf
beta-gen -q --sigma 3.4 --component all cells.mbf -o pair.mbf
g4-cpu -q --lags 5 --blocks 3 --component all posn.mbf -o corr.mbf 2>/dev/null
g4-cpu -q --lags 3 --blocks 2 --component all --apart posn.mbf -o apart.mbf 2>/dev/null
g4-cpu -q --lags 3 pair.mbf -o one.mbf 2>/dev/null
rdf-cpu -q --bins 8 --rmax 5 --blocks 3 posn.mbf -o hist.mbf
rdf-cpu -q --bins 6 --rmax 9 --pair A-A --pair A-B cells.mbf -o species.mbf
fft-spectrum -q corr.mbf -o spec.mbf 2>/dev/null
rdf2sq -q --qmax 3 --qstep 0.5 hist.mbf -o sq.mbf 2>/dev/null
for f in *.mbf; do bin2txt "$f" >"${f%.mbf}.txt"; done
