#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make.sh: how the streams of this folder were made, with the first programs that knew codec 3 first
# on PATH: water with links between its atoms, as floats and with decimals; argon without links.
# They are kept as they came: what reads streams today has to read these.
set -euo pipefail
cd "$(dirname "$0")"
frame-cut -q :9 ../../data/water64.mbf | bin2xyz --digits 5 | xyz2bin -q -z -o grid.mbf
frame-cut -q -z :9 ../../data/water64.mbf -o floats.mbf
md-cpu -q --atoms 16 --density 0.0213 --temperature 90 --steps 400 --every 10 --seed 3 -z -o argon.mbf
for f in *.mbf; do echo "$f $(frame-check -v "$f" | awk '$1 == "content" { print $2 }')"; done >contents
