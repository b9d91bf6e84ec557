#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# what a user types: default options, from a file, frames 0.125 ps apart; start and time per frame
# The time per frame is the difference of a long and a short run over the difference of their
# frames; the start is the rest of the short run. "to one block" divides the time per frame with the
# default errors by that with --blocks 1. A row is "too short" if the long run takes no longer than
# the short one. Medians of ROUNDS (3) of processor seconds, or of seconds
# by the clock with GPU=1, which runs the programs for the GPU. SIZES: ATOMS:SHORT:LONG...
set -eu
BIN=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/build/bin}
PATH=$BIN:$PATH
export LC_ALL=C
t=$(mktemp -d "${TMPDIR:-/tmp}/typed.XXXXXX")
trap 'rm -rf "$t"' EXIT
rounds=${ROUNDS:-3} on=cpu
[ "${GPU:-0}" = 0 ] || on=gpu

seconds() { # COMMAND...
    bash -c 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>/dev/null' - "$@" 2>&1 | awk -v on=$on '{ print on == "gpu" ? $1 : $2 + $3 }'
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# measure NAME SHORT LONG COMMAND...: @KIND in the command is the file $t/SHORT.KIND or LONG.KIND
measure() {
    local name=$1 short=$2 long=$3 k n
    shift 3
    for k in $(seq "$rounds"); do
        for n in "$short" "$long"; do
            seconds "${@/#@/$t/$n.}" >>"$t/$name.$n"
        done
    done
}
# row SHORT LONG COMMAND...: with --blocks 1 too if the program has blocks
row() {
    local s=$1 l=$2 one=-
    shift 2
    "${@/#@/$t/$s.}" >/dev/null 2>"$t/err" || { echo "$*: $(head -n 1 "$t/err")"; exit 1; }
    rm -f "$t"/all.* "$t"/one.*
    measure all "$s" "$l" "$@"
    if "$1" --help-all 2>/dev/null | grep -q -e '--blocks'; then
        measure one "$s" "$l" "$@" --blocks 1
        one=$(awk -v a="$(median "$t/one.$s")" -v b="$(median "$t/one.$l")" 'BEGIN { print b - a }')
    fi
    awk -v name="$(sed "s/ *@[a-z]*//" <<<"$*")" -v s="$s" -v l="$l" -v a="$(median "$t/all.$s")" -v b="$(median "$t/all.$l")" -v one="$one" 'BEGIN {
        per = (b - a) / (l - s); start = a - s * per
        if (per <= 0) { printf "%-42s  too short %7.3f s          -\n", name, a; exit }
        printf "%-42s %10.4f ms %8.3f s %10s\n", name, 1e3 * per, start < 0 ? 0 : start, one == "-" || one <= 0 ? "-" : sprintf("%.2f", (b - a) / one) }'
}
# system ATOMS SHORT LONG: liquid argon, frames 0.125 ps apart, with and without velocities
system() {
    echo "# $1 atoms of liquid argon, $2 and $3 frames 0.125 ps apart"
    printf '%-42s %13s %10s %12s\n' '#' 'per frame' 'start' 'to one block'
    "md-$on" -q --atoms "$1" --density 0.0213 --equilibrate 1000 --steps $(($3 * 50)) --every 50 -o "$t/$3.mbf"
    "md-$on" -q --atoms "$1" --density 0.0213 --equilibrate 1000 --steps $(($3 * 50)) --every 50 --velocities -o "$t/$3.vel"
    for k in mbf vel; do frame-cut -q "0:$2" "$t/$3.$k" -o "$t/$2.$k"; done
    for n in "$2" "$3"; do unwrap -q "$t/$n.mbf" -o "$t/$n.far"; done
}
if [ "$on" = gpu ]; then
    sizes='256:10000:40000 10000:500:2500 100000:200:800' # ATOMS:SHORT:LONG
else
    sizes='256:2000:10000 10000:50:200'
fi
for size in ${SIZES:-$sizes}; do
    IFS=: read -r n s l <<<"$size"
    system "$n" "$s" "$l"
    row "$s" "$l" "rdf-$on" @mbf
    row "$s" "$l" "sq-$on" --qmax 3 @mbf
    row "$s" "$l" "fqt-$on" --qmax 1 --lags 48 @mbf
    row "$s" "$l" "ql-$on" --rmax 5.2 @mbf
    row "$s" "$l" "g4-$on" --sum mic --lags 48 @mbf
    row "$s" "$l" "g4-$on" --sum taper:5,8 --lags 48 @mbf
    row "$s" "$l" "g4-$on" --lags 48 @mbf
    row "$s" "$l" "alpha-$on" --polarizability Ar=1.6411 @mbf
    [ "$on" = cpu ] || continue
    row "$s" "$l" msd-cpu @far
    row "$s" "$l" vacf-cpu @vel
    row "$s" "$l" unwrap @mbf
    row "$s" "$l" frame-check @mbf
    for k in "$s" "$l"; do
        bin2xyz -q "$t/$k.mbf" -o "$t/$k.xyz"
        alpha-cpu -q --polarizability Ar=1.6411 "$t/$k.mbf" -o "$t/$k.seri"
    done
    row "$s" "$l" bin2xyz @mbf
    row "$s" "$l" traj2bin @xyz
    row "$s" "$l" acf @seri
done
