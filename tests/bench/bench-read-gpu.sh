#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# trajectories in the page cache to results: GB/s once the engine was ready; starts against that of
# an empty CUDA program GB: of each file (1.2). ROUNDS (3), THREADS (all), SIZES. Files are in
# TMPDIR.
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
export PATH=$BIN:$PATH LC_ALL=C
rounds=${ROUNDS:-3}
t=$(mktemp -d "${TMPDIR:-/tmp}/read.XXXXXX")
trap 'rm -rf "$t"' EXIT
middle() { sort -g | awk '{ v[NR] = $1 } END { printf "%8.3f  %8.3f to %.3f\n", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
# row NAME COMMAND...: GB/s
row() {
    local name=$1
    shift
    for _ in $(seq "$rounds"); do "$@" -v -o "$t/out" 2>&1; done | sed -n 's/.*: \([0-9.]*\) GB\/s from the file.*/\1/p' | middle | sed "s|^|$name|"
}
rows() { # ATOMS BOX_OPTIONS...
    local n=$1 threads f=$t/$1.mbf
    md-gpu -q --atoms "$n" --density 0.021 --steps "$(awk -v gb="${GB:-1.2}" -v n="$n" 'BEGIN { printf "%d", gb * 1e9 / (12 * n) }')" --every 1 -o "$f"
    frame-check -q "$f" >/dev/null # it is in the page cache
    echo "# $n atoms, $(stat -c %s "$f") bytes"
    for threads in ${THREADS:-$(nproc)}; do
        printf '%-44s' "frame-check, $threads threads"
        for _ in $(seq "$rounds"); do frame-check -v -t "$threads" "$f" 2>&1; done | sed -n 's/.* s, \([0-9.]*\) GB\/s.*/\1/p' | middle
        row "$(printf '%-44s' "rdf-gpu --rmax 6, $threads threads")" rdf-gpu -t "$threads" --rmax 6 --bins 100 "$f"
        if [ "$n" -le 256 ]; then
            row "$(printf '%-44s' "g4-gpu --sum mic --lags 4, $threads threads")" g4-gpu -t "$threads" --sum mic --lags 4 "$f"
        else
            row "$(printf '%-44s' "g4-gpu --sum taper:5,6 --lags 4, $threads threads")" g4-gpu -t "$threads" --sum taper:5,6 --lags 4 "$f"
        fi
    done
    rm "$f"
}
echo "# GB/s: the median of $rounds, the least and the most"
for n in ${SIZES:-108 256 1000000}; do rows "$n"; done

printf '#include <cuda_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() != cudaSuccess; }\n' >"$t/empty.cu"
"$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -arch=native -cudart static -o "$t/empty" "$t/empty.cu"
md-cpu -q --atoms 108 --density 0.021 --steps 500 --every 10 -o "$t/few.mbf" 2>/dev/null
start() {
    case $1 in
    empty) "$t/empty" ;;
    md) md-gpu -q --atoms 108 --density 0.021 --steps 10 --every 10 -o "$t/out" ;;
    g4) g4-gpu -q --sum mic --lags 4 "$t/few.mbf" -o "$t/out" ;;
    *) "$1-gpu" -q "$t/few.mbf" -o "$t/out" ;;
    esac 2>/dev/null
}
echo "# seconds from the command to the end, 50 frames of 108 atoms, in turn with an empty kernel's program"
for _ in $(seq $((2 * rounds + 1))); do
    for p in empty g4 rdf sq md; do
        a=$(date +%s%N)
        start "$p"
        echo "$p $(($(date +%s%N) - a))"
    done
done >"$t/starts"
for p in empty g4 rdf sq md; do
    printf '%-8s' "$p"
    awk -v p="$p" '$1 == p { print $2 / 1e9 }' "$t/starts" | middle
done
