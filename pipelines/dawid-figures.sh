#!/bin/sh
# SPDX-License-Identifier: MIT
# dawid-figures.sh computes and plots Figures 5, 6 and 7 of Dawid 2019: the speed-up of g4-gpu over
# g4-cpu on all cores and on one core, as a function of the number of atoms and of the memory load
# (the size of the table of beta in the paper), and the relative error of G4. The columns cpu_s,
# cpu_one_core_s and gpu_s contain the times that -v prints, for reading and computing after
# startup. The column wall_s contains the time of the whole program g4-gpu, including the start of
# CUDA. Without a GPU, the columns of the GPU contain -, and Figures 5 to 7 are not drawn. The file
# loops.txt contains the cost of G2, G3 and G4 computed by direct loops on one core, in f32 as in
# the paper. The talk of 2014 reports costs of 1 : 495 : 10,597, and for 208 atoms the numbers of
# terms are 1 : 103 : 10,558.
# Variables, with their defaults in brackets:
#   SYSTEMS      numbers of atoms (17 sizes)
#   STEPS        number of MD steps, with one frame every 50 steps (1000000)
#   EQUILIBRATE  number of equilibration steps (100000)
#   LOOPS        numbers of atoms for the direct loops (64 100 136 208)
#   CC           C compiler (cc)
#   OUT          folder for the results (.)
#   BIN          folder of the programs
#   FORMAT       format of the plot: png, svg or pdf (png)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
older="fig7.txt loops.txt"
begin
steps=${STEPS:-1000000}
number STEPS "$steps"
systems=${SYSTEMS:-64 76 88 100 112 124 136 148 160 172 184 196 208 220 232 244 256}
density=$(echo 256 | awk '{ printf "%.10f", $1 / 23.03154 ^ 3 }')
seconds() { a=$(date +%s%N) && "$@" >/dev/null && echo "$(($(date +%s%N) - a))" | awk '{ print $1 / 1e9 }'; }
for md in md-gpu md-cpu none; do # --steps 1 tests whether the program runs on this host
    [ $md = none ] || ! "$md" --atoms 108 --density "$density" --steps 1 --every 1 -o "$out/one.mbf" 2>/dev/null || break
done
[ $md != none ] || { echo "dawid-figures.sh: expected md-gpu or md-cpu, found neither that runs" >&2; exit 3; }
gpu=yes
g4-gpu --sum mic --lags 1 "$out/one.mbf" -o "$out/cf.mbf" 2>"$out/gpu.err" || { # tests the GPU and raises its clocks
    gpu=no
    echo "no usable GPU: Figures 5, 6 and 7 need one and are not drawn; their tables contain the CPU times"
}
engine() { "$@" -v 2>"$out/said" >/dev/null && sed -n 's/.* frames in \([0-9.]*\) s$/\1/p' "$out/said"; }
row() { # LABEL FILE OPTION...: prints a line of a table; the results remain in cpu.mbf and gpu.mbf
    label=$1 file=$2
    shift 2
    all=$(engine g4-cpu "$@" "$file" -o "$out/cpu.mbf")
    one=$(engine g4-cpu -t 1 "$@" "$file" -o "$out/cpu.mbf")
    wall=- its=-
    if [ $gpu = yes ]; then
        wall=$(seconds g4-gpu -q "$@" "$file" -o "$out/gpu.mbf")
        its=$(engine g4-gpu "$@" "$file" -o "$out/gpu.mbf")
    fi
    echo "$label $all $one $wall $its" | awk '{ print $1, $2, $3, $4, $5, $6, by($3, $6), by($4, $6), by($3, $5), by($4, $5) }
        function by(a, b) { return b == "-" ? b : a / b }'
}
echo "# atoms pairs cpu_s cpu_one_core_s wall_s gpu_s speedup speedup_one_core wall_speedup wall_speedup_one_core" >"$out/fig5.txt"
for n in $systems; do
    "$md" -q --atoms "$n" --density "$density" --temperature 90 --thermostat berendsen:0.5 \
        --equilibrate "${EQUILIBRATE:-100000}" --steps "$steps" -o "$out/n.mbf"
    row "$n $((n * (n - 1) / 2))" "$out/n.mbf" --sum mic --lags 48 >>"$out/fig5.txt"
done
echo "# origins table_MB cpu_s cpu_one_core_s wall_s gpu_s speedup speedup_one_core wall_speedup wall_speedup_one_core" >"$out/fig6.txt"
frames=$((steps / 50))
for k in 1 2 3 4 6 8 10 12 14 16 18; do # twentieths of the frames
    origins=$((frames * k / 20 > 48 ? frames * k / 20 - 47 : 1))
    row "$origins $((n * (n - 1) / 2 * origins * 4 / 1000000))" "$out/n.mbf" --sum mic --lags 48 --origins "$origins" >>"$out/fig6.txt"
done
bin2txt "$out/cpu.mbf" -o "$out/cpu.txt"
[ $gpu = no ] || { bin2txt "$out/gpu.mbf" -o "$out/gpu.txt" && paste "$out/cpu.txt" "$out/gpu.txt" >"$out/both"; }
[ $gpu = no ] || awk 'BEGIN { print "# t_ps error_of_G4_percent the_same_of_G2(0)" }
    /^# t_ps/ { c = NF - 1; for (i = 2; i <= NF && !f; i++) { if ($i == "G4") f = i - 1; if ($i == "G2") g = i - 1; if ($i == "#") c = i - 2 } next }
    /^#/ { next } { if (!z) z = $g; d = $f - $(f + NF / 2); if (d < 0) d = -d; print $1, 100 * d / ($f < 0 ? -$f : $f), 100 * d / z }' "$out/both" >"$out/fig7.txt"
if command -v "${CC:-cc}" >/dev/null; then
    cat >"$out/loops.c" <<'C'
/* N [ORIGINS]: prints the seconds per time lag of G2, G3, G4 by the loops of A. Dawid's talk (2014) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static int n, origins;
static float *beta, sum;
static void pair(int i, int j, int k, int l)
{
    const float *a = beta + ((size_t)i * n + j) * origins, *b = beta + ((size_t)k * n + l) * origins;
    float s = 0;
    for (int t = 0; t < origins; t++)
        s += a[t] * b[t];
    sum += s / origins;
}
static double seconds(int body)
{
    struct timespec a, b;
    int times = body == 2 ? 200 : body == 3 ? 4 : 1;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int r = 0; r < times; r++)
        for (int i = 0; i < n; i++)
            for (int j = body == 2 ? 0 : i + 1; j < n; j++) {
                if (body == 2 && i != j)
                    pair(i, j, i, j);
                for (int k = 0; body > 2 && k < n; k++) {
                    if (body == 3 && k != i && k != j)
                        pair(i, j, i, k);
                    for (int l = k + 1; body == 4 && l < n; l++)
                        if (i != k && j != k && i != l && j != l)
                            pair(i, j, k, l);
                }
            }
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec)) / times;
}
int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 64;
    origins = argc > 2 ? atoi(argv[2]) : 32;
    beta = calloc((size_t)n * n * origins, sizeof *beta);
    for (size_t i = 0; i < (size_t)n * n * origins; i++)
        beta[i] = rand() / (float)RAND_MAX - 0.5f;
    double best[5], m = n;
    for (int body = 2; body <= 4; body++)
        for (int r = 0; r < (body == 4 ? 1 : 5); r++) {
            double s = seconds(body);
            best[body] = r && best[body] < s ? best[body] : s;
        }
    double two = best[2], three = best[3], four = best[4];
    printf("%d %.4g %.4g %.4g %.4g %.5g %.4g %.5g\n", n, two, three, four, three / two, four / two, (m - 2) / 2, (m - 2) * (m - 3) / 4);
    return sum == 1e30f;
}
C
    "${CC:-cc}" -O2 -o "$out/loops" "$out/loops.c"
    { echo "# atoms G2_s G3_s G4_s G3/G2 G4/G2 terms_of_G3/G2 terms_of_G4/G2"
        for n in ${LOOPS:-64 100 136 208}; do "$out/loops" "$n"; done; } >"$out/loops.txt"
    rm "$out/loops" "$out/loops.c"
    awk '!/^#/ { printf "direct loops, %d atoms: G2 : G3 : G4 cost 1 : %.0f : %.0f (terms 1 : %.0f : %.0f; the talk 1 : 495 : 10597)\n", $1, $5, $6, $7, $8 }' "$out/loops.txt"
fi
rm -f -- "$out/said" "$out/both"
draw dawid-figures
publish
echo "Tables: $final/fig5.txt fig6.txt fig7.txt loops.txt; plot: $final/dawid.${FORMAT:-png}"
