#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench-xyz.sh [COPIES] [ROUNDS]: XYZ text, plain and gzip, to numbers, next to a strtod loop, gzip
# -dc and MDAnalysis; medians.
set -eu
BIN=${BIN:-build/bin}
CC=${CC:-cc}
copies=${1:-20}
rounds=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data/argon256.xyz.gz
dir=$(mktemp -d "${TMPDIR:-/tmp}/xyz.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C PATH="$BIN:$PATH"

for ((i = 0; i < copies; i++)); do zcat "$data"; done >"$dir/big.xyz"
gzip -c "$dir/big.xyz" >"$dir/big.xyz.gz"
for ((i = 0; i < 2; i++)); do zcat "$data"; done >"$dir/small.xyz" # for the peer that takes long
"$CC" -O3 -o "$dir/xyz_strtod" "$here/xyz_strtod.c"
bytes=$(stat -c %s "$dir/big.xyz")
small=$(stat -c %s "$dir/small.xyz")

# Check first, then time: the sum of all coordinates must be the same.
want=$("$dir/xyz_strtod" "$dir/small.xyz")
got=$(xyz2bin -q --unsorted-ok "$dir/small.xyz" | bin2txt | awk '!/^#/ { s += $4 + $5 + $6 } END { printf "%.17g\n", s }')
awk -v a="$want" -v b="$got" 'BEGIN { d = (a - b) / a; exit !(d < 1e-9 && d > -1e-9) }' ||
    { echo "bench-xyz: the yardstick sums to $want, xyz2bin to $got"; exit 1; }

cat >"$dir/peer.py" <<'PY'
import sys, time, warnings
warnings.simplefilter("ignore")
from MDAnalysis.coordinates.XYZ import XYZReader
r = XYZReader(sys.argv[1])           # counts frames: not timed
n = len(r)
t = time.perf_counter()
for ts in r:
    pass
print(int(1e9 * (time.perf_counter() - t)))
PY
python=
for p in python3 /usr/bin/python3; do "$p" -W ignore -c 'import MDAnalysis' 2>/dev/null && python=$p && break; done

t_cat() { cat "$dir/big.xyz" >/dev/null; }
t_strtod() { "$dir/xyz_strtod" "$dir/big.xyz" >/dev/null; }
t_one() { xyz2bin -q -t 1 --unsorted-ok "$dir/big.xyz" >/dev/null; }
t_two() { xyz2bin -q -t 2 --unsorted-ok "$dir/big.xyz" >/dev/null; }
t_f64() { xyz2bin -q -t 1 --dtype f64 --unsorted-ok "$dir/big.xyz" >/dev/null; }
t_select() { xyz2bin -q -t 1 --select ::1000 --unsorted-ok "$dir/big.xyz" >/dev/null; }
t_gzip() { gzip -dc "$dir/big.xyz.gz" >/dev/null; }
t_piped() { gzip -dc "$dir/big.xyz.gz" | xyz2bin -q -t 2 --unsorted-ok >/dev/null; }
t_gz_one() { xyz2bin -q -t 1 --unsorted-ok "$dir/big.xyz.gz" >/dev/null; }
t_gz_two() { xyz2bin -q -t 2 --unsorted-ok "$dir/big.xyz.gz" >/dev/null; }
t_back() { bin2xyz -q -t 1 "$dir/big.mbf" >/dev/null; }
seconds() {
    local a b
    a=$(date +%s%N)
    "$1"
    b=$(date +%s%N)
    echo $((b - a))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

xyz2bin -q --unsorted-ok "$dir/big.xyz" -o "$dir/big.mbf"
back=$(bin2xyz -q "$dir/big.mbf" | wc -c)
tests="t_cat t_strtod t_one t_two t_f64 t_select t_gzip t_piped t_gz_one t_gz_two t_back"
for ((i = 0; i < rounds; i++)); do
    for t in $tests; do seconds "$t" >>"$dir/$t.ns"; done
    if [ -n "$python" ] && [ "$i" -lt 3 ]; then "$python" "$dir/peer.py" "$dir/small.xyz" 2>/dev/null >>"$dir/t_peer.ns"; fi
done
[ -n "$python" ] || echo "note: MDAnalysis is not installed (python3-mdanalysis): that row is left out"
{
    for t in $tests; do printf '%s %s %s\n' "$t" "$(median "$dir/$t.ns")" "$([ $t = t_back ] && echo "$back" || echo "$bytes")"; done
    if [ -n "$python" ]; then printf 't_peer %s %s\n' "$(median "$dir/t_peer.ns")" "$small"; fi
} | awk '
    BEGIN {
        name["t_cat"] = "cat FILE >/dev/null"; name["t_strtod"] = "strtod loop (yardstick)"
        name["t_one"] = "xyz2bin -t 1"; name["t_two"] = "xyz2bin -t 2"; name["t_f64"] = "xyz2bin -t 1 --dtype f64"
        name["t_select"] = "xyz2bin -t 1 --select ::1000"; name["t_back"] = "bin2xyz -t 1"; name["t_peer"] = "MDAnalysis XYZReader"
        name["t_gzip"] = "gzip -dc FILE.gz >/dev/null"; name["t_piped"] = "gzip -dc FILE.gz | xyz2bin -t 2"
        name["t_gz_one"] = "xyz2bin -t 1 FILE.gz"; name["t_gz_two"] = "xyz2bin -t 2 FILE.gz"
        printf "%-32s %9s %9s\n", "text", "s", "MB/s"
    }
    { v[$1] = $3 / $2; printf "%-32s %9.3f %9.0f\n", name[$1], $2 / 1e9, 1e3 * $3 / $2 }
    END {
        printf "xyz2bin -t 1: %.1f times the strtod loop (target 5)\n", v["t_one"] / v["t_strtod"]
        if (v["t_peer"]) printf "xyz2bin -t 1: %.1f times MDAnalysis (target 10)\n", v["t_one"] / v["t_peer"]
        printf "xyz2bin -t 2: %.2f times -t 1 (target 1.8)\n", v["t_two"] / v["t_one"]
        printf "xyz2bin -t 2 of gzip: %.2f times -t 1, %.2f times gzip -dc | xyz2bin\n", v["t_gz_two"] / v["t_gz_one"], v["t_gz_two"] / v["t_piped"]
    }'
