#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-sums.sh [N...]: which images of a pair should count? Liquid argon at 90 K, frames of 10 fs, by --sum mic, taper and
# ewald and by number of atoms (108 256): G(0)/N and the spectrum I(nu)/N, for the group T = {xz, xy, yz} and the group
# E = {xx-yy, zz}, which agree in an isotropic liquid; means over runs with standard errors. mic puts a wing 1/nu^2 into T.
# Minutes as it stands; an hour for 864 atoms and a night for 4000. The table is in g4-cpu(1).
# Variables: PS of each run (200), RUNS (4), EQUILIBRATE steps (20000), SUMS (mic taper ewald), OUT folder (.), BIN, MD (md-cpu).
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
out=${OUT:-.} ps=${PS:-200} runs=${RUNS:-4} sums=${SUMS:-mic taper ewald}
[ $# -gt 0 ] || set -- 108 256
mkdir -p -- "$out"
out=$(cd -- "$out" && pwd)
work=$(mktemp -d "$out/sums.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
: >"$out/sums-runs.txt"

spectrum() { # N SUM GROUP COLUMNS: lines "N SUM GROUP quantity value" of one run
    acf -q --tmax 1.2 --blocks 1 --pairs "$4" --average p "$work/s.mbf" -o "$work/a.cf"
    bin2txt "$work/a.cf" | awk -v n="$1" -v k="$1 $2 $3" '!/^#/ { print k, "G0", $3 / n; exit }'
    fft-spectrum -q --window hann --pad 4 "$work/a.cf" | bin2txt | awk -v n="$1" -v k="$1 $2 $3" '
        BEGIN { top = split("20 50 80 120 150 200 250 300", want); m = 1 }
        !/^#/ { for (; m <= top && want[m] <= $1; m++) print k, want[m], (last + (want[m] - at) / ($1 - at) * ($2 - last)) / n
            at = $1; last = $2 }'
}

for n in "$@"; do
    run=1
    while [ "$run" -le "$runs" ]; do
        "${MD:-md-cpu}" -q --atoms "$n" --density 0.020954 --temperature 90 --thermostat berendsen:0.5 --seed "$run" \
            --equilibrate "${EQUILIBRATE:-20000}" --steps $((ps * 400)) --every 4 -o "$work/x.mbf"
        for sum in $sums; do
            g4-cpu -q --sum "$sum" --component all --lags 1 --series "$work/s.mbf" "$work/x.mbf" -o "$work/g.cf"
            spectrum "$n" "$sum" T S_xz,S_xy,S_yz >>"$out/sums-runs.txt"
            spectrum "$n" "$sum" E S_xx-yy,S_zz >>"$out/sums-runs.txt"
        done
        run=$((run + 1))
    done
done
awk '{ k = $1 " " $2 " " $3; if (!(k in seen)) { seen[k] = 1; order[++m] = k } s[k, $4] += $5; t[k, $4] += $5 * $5; c[k, $4]++ }
    END { q = split("G0 20 50 80 120 150 200 250 300", col)
        printf "%5s %-6s %s", "N", "sum", "group"; for (j = 1; j <= q; j++) printf "%18s", j == 1 ? "G(0)/N" : col[j] " cm-1"; print ""
        for (i = 1; i <= m; i++) { k = order[i]; split(k, w); printf "%5d %-6s %s    ", w[1], w[2], w[3]
            for (j = 1; j <= q; j++) { n = c[k, col[j]]; a = s[k, col[j]] / n; v = t[k, col[j]] / n - a * a
                printf "  %9.3e(%4.1f%%)", a, (n > 1 ? 100 * sqrt((v > 0 ? v : 0) / (n - 1)) / a : 0) }
            print "" } }' "$out/sums-runs.txt" | tee "$out/sums.txt"
