#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shares of one trajectory: 1 worker against 2 and more, what a share reads, and the last step of a
# terabyte
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
export PATH=$BIN:$PATH
rounds=${ROUNDS:-5}
t=$(mktemp -d "${TMPDIR:-/tmp}/shards.XXXXXX")
trap 'rm -rf "$t"' EXIT
cd "$t"
md-cpu -q --atoms 256 --density 0.02095 --temperature 90 --equilibrate 2000 --steps "${STEPS:-100000}" --every 10 -o a.mbf --index
cp a.mbf plain.mbf

# work WORKERS PROGRAM...: 16 shares, on as many processors
work() {
    local w=$1
    shift
    seq 16 | taskset -c 0-$((w - 1)) xargs -P "$w" -I% "$@" -q -t 1 --shard %/16 a.mbf -o p.%
}
nanoseconds() {
    local a b
    a=$(date +%s%N)
    "$@" >/dev/null
    b=$(date +%s%N)
    echo $((b - a))
}
cores=$(nproc)
several=(2)
while [ $((several[-1] * 2)) -le "$cores" ] && [ "${several[-1]}" -lt 16 ]; do several+=($((several[-1] * 2))); done
while read -r name p; do
    # shellcheck disable=SC2086
    for _ in $(seq "$rounds"); do
        one=$(nanoseconds work 1 $p)
        printf '1 %s %s\n' "$one" "$(nanoseconds taskset -c 0 $p -q -t 1 a.mbf -o whole)"
        for w in "${several[@]}"; do printf '%s %s %s\n' "$w" "$one" "$(nanoseconds work "$w" $p)"; done
    done | sort -n | awk -v name="$name" '{ n[$1]++; r[$1, n[$1]] = $2 / $3; s[$1, n[$1]] = $3 / 1e9; if (!($1 in seen)) { seen[$1]; order[++m] = $1 } }
        function median(a, k, c,    i, j, v, x) { for (i = 1; i <= c; i++) v[i] = a[k, i]
            for (i = 2; i <= c; i++) { x = v[i]; for (j = i - 1; j && v[j] > x; j--) v[j + 1] = v[j]; v[j + 1] = x }
            return v[int((c + 1) / 2)] }
        END { for (i = 1; i <= m; i++) { k = order[i]
            if (k == 1) printf "%-28s 16 shares by 1 worker take %.2f x the one run\n", name, median(r, k, n[k])
            else printf "%-28s %2d workers on %2d processors %6.2f s, %5.2f x one worker\n", name, k, k, median(s, k, n[k]), median(r, k, n[k]) } }'
done <<'LIST'
g4-cpu,all,taper g4-cpu --sum taper --lags 48 --component all
rdf-cpu rdf-cpu --bins 200
LIST

reads() { bash -c '"$@"; exec cat /proc/$$/io' sh "$@" | sed -n 's/^rchar: //p'; }
size=$(stat -c %s a.mbf)
none=$(reads rdf-cpu --help)
for n in 1 4 16 64; do
    for f in a plain; do echo "$n $size $(($(reads rdf-cpu -t 1 --shard $(((n + 1) / 2))/$n $f.mbf -o o) - none))"; done
done | awk 'NR % 2 { with = 100 * $3 / $2 }
    NR % 2 == 0 { printf "rdf-cpu, share of %-3d         reads %6.2f %% of the file with an index, %6.2f %% without\n", $1, with, 100 * $3 / $2 }'
"$BIN/../tests/unit/make_sparse" big.mbf || exit 0
frame-index big.mbf
for _ in $(seq 9); do nanoseconds frame-cut $(((67108864 / 48) * 16384 + 2)): big.mbf -o end.mbf; done | sort -n |
    awk '{ v[NR] = $1 / 1e6 } END { printf "the last step of 1 TiB         %.1f ms with its index\n", v[int((NR + 1) / 2)] }'
