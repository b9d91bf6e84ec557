#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-campaign.sh: the study of A. Dawid (2019): argon at rho* 0.8236, 90 K, in 17 systems of 64, 76, ... 256 atoms, 10^6 steps to
# equilibrate and 10^6 to record, one frame in 50; then G2, G3, G4 and spectra of all, a table and a plot.
# Variables: SIZES, EQUILIBRATE and STEPS (1000000 each), EVERY (50), TMAX ps (6), SUM (ewald, which small cells need; the paper has mic), OUT (.), BIN, MD (md-cpu), G4 (g4-cpu), FORMAT png, svg or pdf.
# KEEP=1 keeps the trajectories. JOBS systems at once (1); MPS=1: on a GPU, really at once (9 s on an H200: JOBS=17 MPS=1). A demonstration: SIZES="60 108" EQUILIBRATE=2000 STEPS=10000 TMAX=2 argon-campaign.sh
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
mkdir -p -- "${OUT:-.}"
out=$(cd -- "${OUT:-.}" && pwd)
one() { # N: one system from start to spectrum; its line of the table in its own file
    run=$out/argon-$1
    "${MD:-md-cpu}" --atoms "$1" --density 0.02095452 --cutoff half --thermostat berendsen:0.5 --start random --seed "$1" \
        --equilibrate "${EQUILIBRATE:-1000000}" --steps "${STEPS:-1000000}" --every "${EVERY:-50}" \
        --thermo "$run.thermo.txt" -o "$run.mbf"
    "${G4:-g4-cpu}" --tmax "${TMAX:-6}" --component all --sum "${SUM:-ewald}" "$run.mbf" -o "$run.cf.mbf"
    fft-spectrum --window hann "$run.cf.mbf" | bin2txt -o "$run.spectrum.txt"
    bin2txt "$run.cf.mbf" -o "$run.cf.txt"
    t=$(awk '!/^#/ { s += $3; k++ } END { printf "%.2f", s / k }' "$run.thermo.txt")
    awk -v n="$1" -v t="$t" '/^# /{ for (i = 2; i <= NF; i++) c[$i] = i - 1; next } /^#/{ next }
        { print n, n * (n - 1) / 2, $c["origins"], t, $c["G2"] / n, $c["G3"] / n, $c["G4"] / n, $c["G"] / n, $c["G_se"] / n; exit }' \
        "$run.cf.txt" >"$run.line"
    [ "${KEEP:-0}" = 1 ] || rm "$run.mbf"
}
if [ "${MPS:-0}" = 1 ]; then
    command -v nvidia-cuda-mps-control >/dev/null || { echo "MPS=1: no nvidia-cuda-mps-control here" >&2; exit 3; }
    export CUDA_MPS_PIPE_DIRECTORY="$out/mps" CUDA_MPS_LOG_DIRECTORY="$out/mps"
    mkdir -p "$out/mps" && nvidia-cuda-mps-control -d && trap 'echo quit | nvidia-cuda-mps-control' EXIT
fi
echo "# N pairs frames T_K G2 G3 G4 G G_se" >"$out/campaign.txt"
sizes=${SIZES:-64 76 88 100 112 124 136 148 160 172 184 196 208 220 232 244 256} pids=""
for n in $sizes; do
    one "$n" &
    pids="$pids $!"
    # shellcheck disable=SC2086
    set -- $pids
    [ $# -lt "${JOBS:-1}" ] || { wait "$1"; shift; pids="$*"; }
done
for p in $pids; do wait "$p"; done
for n in $sizes; do
    tee -a "$out/campaign.txt" <"$out/argon-$n.line" | sed 's/^/N, pairs, frames, T, G2 G3 G4 G G_se an atom: /'
done
command -v gnuplot >/dev/null || { echo "no gnuplot: no plot"; exit 0; }
(cd -- "$out" && gnuplot -c "$here/argon-campaign.gp" "$here" "${FORMAT:-png}" "$sizes")
echo "Table: $out/campaign.txt   plot: $out/campaign.${FORMAT:-png}"
