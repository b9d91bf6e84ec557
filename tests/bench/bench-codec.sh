#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench-codec.sh [COPIES] [ROUNDS]: -z on positions: how much shorter, and GB a second of a core,
# interleaved, medians.
set -eu
BIN=${BIN:-build/bin}
copies=${1:-100}
rounds=${2:-5}
dir=$(mktemp -d "${TMPDIR:-/tmp}/codec.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C PATH="$BIN:$PATH"
data=$(dirname "$0")/../data/argon256.xyz.gz

# The carried sample (six digits) and with four decimals; all bits of floats, 125 fs and 10 fs
# apart.
xyz2bin -q "$data" -o "$dir/six-digits"
bin2xyz -q "$dir/six-digits" | awk 'NF == 4 { $0 = sprintf("%s %.4f %.4f %.4f", $1, $2, $3, $4) } 1' |
    xyz2bin -q -o "$dir/four-decimals"
for every in 50 4; do
    md-cpu -q --atoms 256 --density 0.02096 --temperature 90 --equilibrate 2000 --steps $((every * 1001)) --every $every \
        -o "$dir/floats-$((every * 5 / 2))fs"
done

# seconds FILE COMMAND...: seconds of processor time, into FILE
seconds() {
    local to=$1 TIMEFORMAT='%U %S'
    shift
    { time "$@" >/dev/null 2>&3; } 3>&2 2>>"$to"
}
median() { awk '{ print $1 + $2 }' "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '%-16s %8s %8s %10s %10s %10s\n' positions "-z" "zlib -1" "-z GB/s" "read GB/s" "plain GB/s"
for f in six-digits four-decimals floats-125fs floats-10fs; do
    for ((i = 0; i < copies; i++)); do echo "$dir/$f"; done | xargs frame-cat -q --jumps close -o "$dir/plain"
    frame-cat -q -z "$dir/plain" -o "$dir/z"
    frame-cat -q --compress=1 "$dir/$f" -o "$dir/zlib"
    for ((i = 0; i < rounds; i++)); do
        seconds "$dir/$f.pack" frame-cat -q -t 1 -z "$dir/plain"
        seconds "$dir/$f.read" frame-check -q "$dir/z"
        seconds "$dir/$f.plain" frame-check -q "$dir/plain"
    done
    awk -v name="$f" -v plain="$(stat -c %s "$dir/plain")" -v z="$(stat -c %s "$dir/z")" -v one="$(stat -c %s "$dir/$f")" \
        -v zlib="$(stat -c %s "$dir/zlib")" -v p="$(median "$dir/$f.pack")" -v r="$(median "$dir/$f.read")" -v q="$(median "$dir/$f.plain")" \
        'BEGIN { printf "%-16s %8.2f %8.2f %10.2f %10.2f %10.2f\n", name, plain / z, one / zlib, plain / p / 1e9, plain / r / 1e9, plain / q / 1e9 }'
done
