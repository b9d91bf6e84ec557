#!/bin/sh
# SPDX-License-Identifier: MIT
# nakano-figures.sh [TRAJECTORY] computes the figures of A. Nakano's lecture "Pair Distribution
# Computation on GPU", as text and as one plot: the histogram on CPU and GPU, the race condition,
# the finite size and the geometric factor, a displaced octant, and S(q) from wave vectors and from
# the transform of g(r). Without a GPU, the GPU histogram and the race condition are not drawn.
# Variables, with their defaults in brackets:
#   OUT     folder for the results (.)
#   BIN     folder of the programs
#   FORMAT  format of the plot: png, svg or pdf (png)
#   LADDER  program compiled from tests/bench/rdf_ladder.cu, for the race condition (needs a GPU)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
input=${1:-$here/../tests/data/argon256.xyz.gz}
older="gpu.mbf gpu.txt race.txt"
begin
xyz2bin -o "$out/argon.mbf" -- "$input"

rdf-cpu --bins 400 --rmax corner "$out/argon.mbf" -o "$out/cpu.mbf"
if rdf-gpu --bins 400 --rmax corner "$out/argon.mbf" -o "$out/gpu.mbf" 2>/dev/null; then
    compare --rtol 0 "$out/cpu.mbf" "$out/gpu.mbf"
else
    echo "no usable GPU: the GPU histogram and the race are not drawn"
fi
"${LADDER:-false}" 20000 200 race >"$out/ladder" 2>/dev/null || : # needs a GPU
awk '$1 == "lecture_bin" { print $2, $3, $4 }' "$out/ladder" >"$out/race.txt"
rdf-cpu --bins 400 --rmax corner --normalisation lecture "$out/argon.mbf" -o "$out/lecture.mbf"
# One octant is cut out and moved by half an edge along x, y and z, in a cell whose edges are 1.5
# times as long.
bin2xyz "$out/argon.mbf" -o "$out/argon.xyz"
awk -v L=23.03154 '/Lattice/ { print "Lattice=\"" 1.5*L " 0 0 0 " 1.5*L " 0 0 0 " 1.5*L "\" Properties=species:S:1:pos:R:3"; next }
    NF == 4 { for (i = 2; i <= 4; i++) { $i -= L * int($i / L); if ($i < 0) $i += L }
        if ($2 > L/2 && $3 > L/2 && $4 > L/2) { $2 += L/2; $3 += L/2; $4 += L/2 } } 1' "$out/argon.xyz" >"$out/octant.xyz"
xyz2bin --jumps-ok "$out/octant.xyz" | rdf-cpu --bins 400 --rmax corner -o "$out/octant.mbf"
rdf-cpu --bins 400 "$out/argon.mbf" | rdf2sq --qmax 12 -o "$out/sq.mbf"
rdf-cpu --bins 400 "$out/argon.mbf" | rdf2sq --qmax 12 --window lorch -o "$out/sq-lorch.mbf"
sq-cpu --qmax 12 --qstep 0.05 --vectors 20000 "$out/argon.mbf" -o "$out/waves.mbf"
for f in cpu gpu lecture octant sq sq-lorch waves; do [ ! -e "$out/$f.mbf" ] || bin2txt "$out/$f.mbf" -o "$out/$f.txt"; done
echo "g(r) at the first peak and in the last bins, exact and as in the lecture ($final/cpu.txt, lecture.txt):"
paste "$out/cpu.txt" "$out/lecture.txt" >"$out/both"
awk '!/^#/ && (n++ == 74 || n > 396) { printf "r %8.4f  count %8d  g %8.4f  lecture %8.4f\n", $1, $2, $3, $8 }' "$out/both"
rm -- "$out/ladder" "$out/argon.xyz" "$out/octant.xyz" "$out/both"
draw nakano-figures
publish
echo "Plot: $final/nakano.${FORMAT:-png}"
