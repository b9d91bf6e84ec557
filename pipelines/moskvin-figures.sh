#!/bin/sh
# SPDX-License-Identifier: MIT
# moskvin-figures.sh [--steps N]: figures 3 and 4 of Moskvin, Sotsky, Usol'tseva (2014): time of 10,000 iterations against the number of
# atoms, Verlet lists and linked cells, CPU and GPU; mirror walls, Euler steps, their potential. A table, speed-ups, a plot.
# Fewer --steps are scaled to 10,000, and the plot says so. Lists are rebuilt when an atom has left its buffer, and with REBUILD=10
# after ten iterations, too, the paper's other rule. Variables: SIZES, THREADS, SKIN, OUT (.), BIN, FORMAT png, svg or pdf. A laptop: SIZES="16384 32768" with --steps 50
set -eu
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
here=$(cd -- "$(dirname -- "$0")" && pwd)
PATH=${BIN:-$here/../build/bin}:$PATH
out=${OUT:-.}
case ${1:-} in
--steps) steps=${2:?--steps needs a number} ;;
"") steps=${STEPS:-10000} ;;
*) echo "usage: moskvin-figures.sh [--steps N]" >&2; exit 2 ;;
esac
mkdir -p -- "$out"
out=$(cd -- "$out" && pwd)

# seconds PROGRAM N METHOD: time of 10,000 iterations as the program says it, or - where it cannot run; starting up is not counted
seconds() {
    "$1" -v --units lj --lj rmin --boundary mirror --integrator euler --atoms "$2" --density 1.1 --temperature 1 --dt 0.002 \
        --cutoff 2.5 --skin "${SKIN:-0.4}" --neighbours "$3" --every 1000000000 ${THREADS:+-t "$THREADS"} ${REBUILD:+--rebuild "$REBUILD"} -o /dev/null \
        --steps "$steps" 2>"$out/moskvin.one" || { cat "$out/moskvin.one" >>"$out/moskvin.log"; echo -; return 0; }
    cat "$out/moskvin.one" >>"$out/moskvin.log"
    awk -v n="$steps" '/ steps in / { sub(/.* steps in /, ""); printf "%.4g\n", $1 * 10000 / n }' "$out/moskvin.one"
}

: >"$out/moskvin.log"
echo "# N cpu_lists_s cpu_cells_s gpu_lists_s gpu_cells_s speedup_lists speedup_cells" | tee "$out/moskvin.txt"
for n in ${SIZES:-16384 32768 49152 65536 81920 98304}; do
    cl=$(seconds md-cpu "$n" verlet)
    cc=$(seconds md-cpu "$n" cells)
    gl=$(seconds md-gpu "$n" verlet)
    gc=$(seconds md-gpu "$n" cells)
    echo "$n $cl $cc $gl $gc" | awk '{ print $0, ($4 > 0 ? $2 / $4 : "-"), ($5 > 0 ? $3 / $5 : "-") }'
done | tee -a "$out/moskvin.txt"
rm -f "$out/moskvin.one"
grep -q ' - ' "$out/moskvin.txt" && echo "-: not run here (no GPU or no md-gpu; see $out/moskvin.log)"
command -v gnuplot >/dev/null || { echo "no gnuplot: no plot"; exit 0; }
(cd -- "$out" && LC_ALL=C.UTF-8 gnuplot -c "$here/moskvin-figures.gp" "$here" "${FORMAT:-png}" "$steps")
echo "Plot: $out/moskvin.${FORMAT:-png}"
