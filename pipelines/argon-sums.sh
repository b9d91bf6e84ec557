#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-sums.sh [N...] compares the sums over images --sum mic, taper and ewald in liquid argon at
# 90 K, for N atoms (default: 108 256), with frames 10 fs apart. It computes G(0)/N and the
# spectrum I(nu)/N for two groups of components, T = {xz, xy, yz} and E = {xx-yy, zz}, as means
# over runs with standard errors. In an isotropic liquid, the two groups agree. With mic, the
# spectrum of T has a wing proportional to 1/nu^2. The default sizes take minutes, 864 atoms an
# hour, and 4000 atoms a night. With MD=md-gpu G4=g4-gpu, all sizes take minutes. The file
# argon-sums.txt contains results.
# Variables, with their defaults in brackets:
#   PS           length of each run, ps (200)
#   RUNS         number of runs (4)
#   EQUILIBRATE  number of equilibration steps (20000)
#   SUMS         sums to compare (mic taper ewald)
#   OUT          folder for the results (.)
#   BIN          folder of the programs
#   MD, G4       programs to use (md-cpu, g4-cpu)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
begin
number PS "${PS:-200}"
number RUNS "${RUNS:-4}"
work=$out ps=${PS:-200} runs=${RUNS:-4} sums=${SUMS:-mic taper ewald}
[ $# -gt 0 ] || set -- 108 256
: >"$out/sums-runs.txt"

spectrum() { # N SUM: prints lines "N SUM GROUP quantity value" for one run; input columns: G, G2, G3, G4 for xz, xy, yz, xx-yy, zz
    bin2txt "$work/g.cf" -o "$work/g.txt"
    awk -v n="$1" -v k="$1 $2" '!/^#/ { print k, "T G0", ($3 + $7 + $11) / 3 / n
        print k, "E G0", ($15 + $19) / 2 / n; exit }' "$work/g.txt"
    fft-spectrum -q --window hann --pad 4 "$work/g.cf" | bin2txt -o "$work/g.txt"
    awk -v n="$1" -v k="$1 $2" '
        BEGIN { top = split("20 50 80 120 150 200 250 300", want); m = 1 }
        !/^#/ { t = ($2 + $6 + $10) / 3 / n; e = ($14 + $18) / 2 / n
            for (; m <= top && want[m] <= $1; m++) { f = (want[m] - at) / ($1 - at)
                print k, "T", want[m], t0 + f * (t - t0); print k, "E", want[m], e0 + f * (e - e0) }
            at = $1; t0 = t; e0 = e }' "$work/g.txt"
}

for n in "$@"; do
    run=1
    while [ "$run" -le "$runs" ]; do
        "${MD:-md-cpu}" -q --atoms "$n" --density 0.020954 --temperature 90 --thermostat berendsen:0.5 --seed "$run" \
            --equilibrate "${EQUILIBRATE:-20000}" --steps $((ps * 400)) --every 4 -o "$work/x.mbf"
        for sum in $sums; do
            "${G4:-g4-cpu}" -q --sum "$sum" --component all --components --tmax 1.2 --blocks 1 "$work/x.mbf" -o "$work/g.cf"
            spectrum "$n" "$sum" >>"$out/sums-runs.txt"
        done
        run=$((run + 1))
    done
done
awk '{ k = $1 " " $2 " " $3; if (!(k in seen)) { seen[k] = 1; order[++m] = k } s[k, $4] += $5; t[k, $4] += $5 * $5; c[k, $4]++ }
    END { q = split("G0 20 50 80 120 150 200 250 300", col)
        printf "%5s %-6s %s", "N", "sum", "group"; for (j = 1; j <= q; j++) printf "%18s", (j == 1 ? "G(0)/N" : col[j] " cm-1"); print ""
        for (i = 1; i <= m; i++) { k = order[i]; split(k, w); printf "%5d %-6s %s    ", w[1], w[2], w[3]
            for (j = 1; j <= q; j++) { n = c[k, col[j]]; a = s[k, col[j]] / n; v = t[k, col[j]] / n - a * a
                printf "  %9.3e(%4.1f%%)", a, (n > 1 ? 100 * sqrt((v > 0 ? v : 0) / (n - 1)) / a : 0) }
            print "" } }' "$out/sums-runs.txt" >"$out/sums.txt"
cat -- "$out/sums.txt"
rm -- "$out/x.mbf" "$out/g.cf" "$out/g.txt"
publish
