#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-campaign.sh repeats the study of A. Dawid (2019). It simulates argon at rho* = 0.8236 and
# 90 K in 17 systems of 64, 76, ... 256 atoms, with 10^6 equilibration steps and 10^6 production
# steps, and writes one frame every 50 steps. It computes G2, G3, G4 and the spectra of all
# systems, as a table and a plot. One md process simulates all systems at the same time. One g4
# process per device analyses all trajectories. It starts early and waits for its first input,
# which is a pipe.
# Variables, with their defaults in brackets:
#   SIZES         numbers of atoms (17 sizes)
#   EQUILIBRATE   number of equilibration steps (1000000)
#   STEPS         number of production steps (1000000)
#   EVERY         number of steps between frames (50)
#   TMAX          largest time lag, ps (6)
#   SEED          seed of the random numbers (1)
#   SUM           treatment of periodic images in g4 (ewald, the default of g4; the paper uses mic)
#   OUT           folder for the results (.)
#   BIN           folder of the programs
#   MD, G4        programs to use (md-cpu, g4-cpu)
#   DEVICES       numbers of several GPUs, such as "0 1"
#   FORMAT        format of the plot: png, svg or pdf (png)
#   KEEP          set to 1 to keep the trajectories
# Short demonstration:
#   SIZES="60 108" EQUILIBRATE=2000 STEPS=10000 TMAX=2 argon-campaign.sh
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
begin
sizes=${SIZES:-64 76 88 100 112 124 136 148 160 172 184 196 208 220 232 244 256}
list() { printf '%s\n' "$1" | tr -s ' ' ','; }
correlate() { # OPTIONS FILE...: options and input files of g4 for one device
    exec "${G4:-g4-cpu}" --tmax "${TMAX:-6}" --component all --sum "${SUM:-ewald}" -o "$out/%.cf.mbf" "$@"
}
one() { # N: computes the spectrum from the correlation functions, and one line of the table in a separate file
    run=$out/argon-$1
    fft-spectrum --window hann "$run.cf.mbf" | bin2txt -o "$run.spectrum.txt"
    bin2txt "$run.cf.mbf" -o "$run.cf.txt"
    t=$(awk '!/^#/ { s += $3; k++ } END { printf "%.2f", s / k }' "$run.thermo.txt")
    awk -v n="$1" -v t="$t" '/^# /{ for (i = 2; i <= NF; i++) c[$i] = i - 1; next } /^#/{ next }
        { print n, n * (n - 1) / 2, $c["origins"], t, $c["G2"] / n, $c["G3"] / n, $c["G4"] / n, $c["G"] / n, $c["G_se"] / n; exit }' \
        "$run.cf.txt" >"$run.line"
}
all() { # COMMAND...: runs the command for every size in parallel; fails after all have ended if any of them fails
    runs="" failed=0
    for n in $sizes; do "$@" "$n" & runs="$runs $!"; done
    for p in $runs; do wait "$p" || failed=$?; done
    return $failed
}
pipes=$(mktemp -d "${TMPDIR:-/tmp}/argon-campaign.XXXXXX")
pids="" feeds="" firsts=""
# shellcheck disable=SC2086 # lists
# KILL, because a child that has not yet started its program ignores TERM and waits at a pipe
trap 'kill -KILL $pids $feeds 2>/dev/null || :; wait; rm -rf -- "$pipes" "$out"' EXIT
trap 'exit 130' INT TERM
# shellcheck disable=SC2086 # a list
set -- ${DEVICES:-none}
devices=$# turn=0
for device; do
    set --
    k=0
    for n in $sizes; do
        if [ $((k % devices)) -eq $turn ] && [ $# -eq 0 ]; then
            mkfifo "$pipes/argon-$n.mbf"
            firsts="$firsts $n"
            set -- "$pipes/argon-$n.mbf"
        elif [ $((k % devices)) -eq $turn ]; then
            set -- "$@" "$out/argon-$n.mbf"
        fi
        k=$((k + 1))
    done
    turn=$((turn + 1))
    [ $# -gt 0 ] || continue
    [ "$device" = none ] || set -- --device "$device" "$@"
    correlate "$@" &
    pids="$pids $!"
done
"${MD:-md-cpu}" ${DEVICES:+--devices "$(list "$DEVICES")"} --atoms "$(list "$sizes")" --density 0.02095452 --cutoff half \
    --thermostat berendsen:0.5 --start random --seed "${SEED:-1}" --equilibrate "${EQUILIBRATE:-1000000}" --steps "${STEPS:-1000000}" \
    --every "${EVERY:-50}" --thermo "$out/argon-%.thermo.txt" -o "$out/argon-%.mbf"
for n in $firsts; do
    { cat "$out/argon-$n.mbf" >"$pipes/argon-$n.mbf"; } 2>/dev/null &
    feeds="$feeds $!"
done
for p in $pids; do wait "$p"; done
pids="" feeds=""
all one
echo "# N pairs frames T_K G2 G3 G4 G G_se" >"$out/campaign.txt"
for n in $sizes; do
    cat "$out/argon-$n.line" >>"$out/campaign.txt"
    [ "${KEEP:-0}" = 1 ] || rm "$out/argon-$n.mbf"
done
sed '1d; s/^/N, pairs, frames, T, G2 G3 G4 G G_se per atom: /' "$out/campaign.txt"
draw argon-campaign "$sizes"
publish
echo "Table: $final/campaign.txt   plot: $final/campaign.${FORMAT:-png}"
