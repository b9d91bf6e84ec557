#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make.sh: how the streams of this folder were made, with the first programs that knew codec 2 first
# on PATH: all bits of floats; four decimals, with a number in a thousand that has more, and -0; the
# six digits of %g; velocities. They are kept as they came: what reads streams today has to read
# these.
set -euo pipefail
cd "$(dirname "$0")"
md() { md-cpu -q --atoms 16 --density 0.0213 --temperature 90 --steps "$1" --every 10 --seed 3 "${@:2}"; }
# as_text FORMAT: positions with other digits
as_text() {
    bin2xyz --digits 9 | awk -v form="$1" 'NF == 4 && $1 == "Ar" {
        for (k = 2; k <= 4; k++)
            $k = sprintf(form == "grid" && ++n % 997 == 0 ? "%.7f" : form == "grid" ? "%.4f" : "%g", n == 500 ? "-0" : $k)
    } { print }' | xyz2bin -q -z
}
md 400 -z -o floats.mbf
md 400 | as_text grid >grid.mbf
md 400 | as_text digits >digits.mbf
md 400 --velocities -z -o velocities.mbf
for f in *.mbf; do echo "$f $(frame-check -v "$f" | awk '$1 == "content" { print $2 }')"; done >contents
