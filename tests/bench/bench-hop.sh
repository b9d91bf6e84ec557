#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench-hop.sh [MIB] [ROUNDS]: what a verified hop costs next to plain dd over the same pipe,
# interleaved, medians.
set -eu
BIN=${BIN:-build/bin}
mib=${1:-1024}
rounds=${2:-7}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hop.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C PATH="$BIN:$PATH"

# A stream of the wanted size: 64 MiB of pseudo-random positions, cat'ed into segments and joined.
"$BIN/../tests/unit/make_frames" big >"$dir/one"
for ((i = 0; i < mib / 64; i++)); do cat "$dir/one"; done | frame-cat --jumps close -o "$dir/f"
rm "$dir/one"
size=$(stat -c %s "$dir/f")

t_dd() { dd if="$dir/f" bs=256K status=none | dd of=/dev/null bs=256K status=none; }
t_hop() { frame-cat "$dir/f" | frame-check -q >/dev/null; }
t_check() { frame-check -q "$dir/f" >/dev/null; }
t_read() { dd if="$dir/f" of=/dev/null bs=256K status=none; }

# seconds NAME: wall time of one run
seconds() {
    local a b
    a=$(date +%s%N)
    "$1"
    b=$(date +%s%N)
    echo $((b - a))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for t in t_dd t_hop; do "$t"; done
for ((i = 0; i < rounds; i++)); do
    for t in t_dd t_hop t_check t_read; do seconds "$t" >>"$dir/$t.ns"; done
done
for t in t_dd t_hop t_check t_read; do printf '%s %s\n' "$t" "$(median "$dir/$t.ns")"; done |
    awk -v size="$size" 'BEGIN {
        name["t_dd"] = "dd bs=256K FILE | dd bs=256K"; name["t_hop"] = "frame-cat FILE | frame-check"
        name["t_check"] = "frame-check FILE"; name["t_read"] = "dd bs=256K FILE"
        printf "%-32s %8s %8s\n", "one verified hop", "s", "GB/s" }
    { t[$1] = $2; printf "%-32s %8.3f %8.2f\n", name[$1], $2 / 1e9, size / $2 }
    END { printf "hop: %.0f %% of dd (target 85 %%)\n", 100 * t["t_dd"] / t["t_hop"] }'
