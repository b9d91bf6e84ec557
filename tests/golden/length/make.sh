#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make.sh: how the streams of this folder were made, with the first programs that predict z from the
# lengths of links first on PATH: water with decimals and as floats. They are kept as they came:
# what reads streams today has to read these.
set -euo pipefail
cd "$(dirname "$0")"
frame-cut -q :9 ../../data/water64.mbf | bin2xyz --digits 5 | xyz2bin -q -z -o grid.mbf
frame-cut -q -z :9 ../../data/water64.mbf -o floats.mbf
for f in *.mbf; do echo "$f $(frame-check -v "$f" | awk '$1 == "content" { print $2 }')"; done >contents
