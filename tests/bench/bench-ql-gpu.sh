#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ql-gpu, 500, 4,000 and 108,000 atoms of a warm fcc crystal: a frame with 12 nearest neighbours and
# with a cutoff, file to q_l once the engine is ready; ql-cpu on the same frames, whose bits it has
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
# row NAME COMMAND...: milliseconds per frame once the engine is ready (-v), the median of five runs
row() {
    local name=$1
    shift
    for _ in 1 2 3 4 5; do "$@" -v "$t/many.mbf" -o "$t/o" 2>&1; done | sed -n 's/.*: \([0-9]*\) frames in \([0-9.]*\) s$/\1 \2/p' |
        awk '{ print 1e3 * $2 / $1 }' | sort -g | awk -v n="$name" 'NR == 3 { printf "%-62s %9.3f ms per frame\n", n, $1 }'
}
for size in "500 5000" "4000 1000" "108000 20"; do
    read -r n frames <<<"$size"
    crystal=(-q --units lj --atoms "$n" --density 1 --temperature 0.5 --steps $((20 * frames)) --every 20 -o "$t/many.mbf")
    { md-gpu "${crystal[@]}" || md-cpu "${crystal[@]}"; } 2>/dev/null
    for o in "--nearest 12" "--nearest 12 --averaged --w" "--rmax 1.5"; do
        # shellcheck disable=SC2086
        ql-cpu -q $o "$t/many.mbf" -o "$t/cpu.ql"
        # shellcheck disable=SC2086
        ql-gpu -q $o "$t/many.mbf" -o "$t/gpu.ql"
        compare "$t/cpu.ql" "$t/gpu.ql" | tail -n 1 | sed "s/^/# $n atoms, $o: /"
        # shellcheck disable=SC2086
        row "ql-gpu, N = $n, $o" ql-gpu $o
        # shellcheck disable=SC2086
        row "ql-cpu, N = $n, $o, $(nproc) threads" ql-cpu $o
    done
done
