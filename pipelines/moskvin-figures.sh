#!/bin/sh
# SPDX-License-Identifier: MIT
# moskvin-figures.sh [--steps N] repeats Figures 3 and 4 of Moskvin, Sotsky, Usol'tseva (2014), as
# a table with speed-ups and as a plot. The figures show the time of 10,000 iterations as a
# function of the number of atoms, for Verlet lists and linked cells on CPU and GPU, with mirror
# walls, Euler steps and the potential of the paper. If --steps is less than 10,000, the times are
# scaled to 10,000 iterations, as the plot states. Lists are rebuilt when an atom has left its
# buffer. With REBUILD=10, they are also rebuilt every ten iterations, which is the other rule of
# the paper.
# Variables, with their defaults in brackets:
#   SIZES    numbers of atoms
#   THREADS  number of threads
#   SKIN     buffer width of the lists
#   OUT      folder for the results (.)
#   BIN      folder of the programs
#   FORMAT   format of the plot: png, svg or pdf (png)
# On a laptop, use SIZES="16384 32768" and --steps 50.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
begin
case ${1:-} in
--steps) steps=${2:?--steps: expected a number} ;;
"") steps=${STEPS:-10000} ;;
*) echo "usage: moskvin-figures.sh [--steps N]" >&2; exit 2 ;;
esac
number steps "$steps"

# seconds PROGRAM N METHOD: prints the time of 10,000 iterations without startup as the program
# reports it, or - if the program cannot run
seconds() {
    "$1" -v --units lj --lj rmin --boundary mirror --integrator euler --atoms "$2" --density 1.1 --temperature 1 --dt 0.002 \
        --cutoff 2.5 --skin "${SKIN:-0.4}" --neighbours "$3" --every 1000000000 ${THREADS:+-t "$THREADS"} ${REBUILD:+--rebuild "$REBUILD"} -o /dev/null \
        --steps "$steps" 2>"$out/moskvin.one" && status=0 || status=$?
    cat "$out/moskvin.one" >>"$out/moskvin.log"
    case $1:$status in
    *:0) ;;
    *-gpu:3 | *-gpu:127) echo - && return ;; # no GPU, or no such program
    *) tail -n 1 "$out/moskvin.one" >&2 && return "$status" ;;
    esac
    awk -v n="$steps" '/ steps in / { sub(/.* steps in /, ""); printf "%.4g\n", $1 * 10000 / n }' "$out/moskvin.one"
}

: >"$out/moskvin.log"
echo "# N cpu_lists_s cpu_cells_s gpu_lists_s gpu_cells_s speedup_lists speedup_cells" >"$out/moskvin.txt"
for n in ${SIZES:-16384 32768 49152 65536 81920 98304}; do
    cl=$(seconds md-cpu "$n" verlet)
    cc=$(seconds md-cpu "$n" cells)
    gl=$(seconds md-gpu "$n" verlet)
    gc=$(seconds md-gpu "$n" cells)
    echo "$n $cl $cc $gl $gc" >"$out/row"
    awk '{ print $0, ($4 > 0 ? $2 / $4 : "-"), ($5 > 0 ? $3 / $5 : "-") }' "$out/row" >>"$out/moskvin.txt"
done
cat -- "$out/moskvin.txt"
rm -- "$out/moskvin.one" "$out/row"
! grep -q ' - ' "$out/moskvin.txt" || echo "-: not run here (no GPU, or no md-gpu; see moskvin.log)"
draw moskvin-figures "$steps"
publish
echo "Plot: $final/moskvin.${FORMAT:-png}"
