#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-orders.sh [TRAJECTORY]: the depolarised spectrum of a liquid of atoms by first order and by all orders of induction, absolute
# (A^6 cm), with their ratio by frequency, its errors from the covariances of both, and the ratio of their mean squares; a plot.
# TRAJECTORY: POSN, or XYZ that xyz2bin reads, in a periodic cell. Without one: liquid argon at 90 K, made by md-cpu.
# Variables: OUT folder for results (.), ALPHA program (alpha-cpu), POLARIZABILITY (Ar=1.64), TMAX ps (2.4), BIN folder of programs,
# FORMAT png, svg or pdf, ATOMS (108), STEPS (32000) of md-cpu, of which every eighth is a frame.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
p=$out/positions.mbf
if [ $# -eq 0 ]; then
    md-cpu -q --atoms "${ATOMS:-108}" --density 0.0211 --temperature 90 --start random --thermostat berendsen:1 --equilibrate 10000 \
        --steps "${STEPS:-32000}" --every 8 >"$p"
elif head -c 4 -- "$1" 2>/dev/null | grep -q MBF; then
    p=$1
else
    xyz2bin -o "$p" -- "$1"
fi
for order in 1 all; do
    "${ALPHA:-alpha-cpu}" --polarizability "${POLARIZABILITY:-Ar=1.64}" --order $order -o "$out/$order.pi" -- "$p"
    bin2txt --format tsv -o "$out/$order.txt" -- "$out/$order.pi"
done

# both tensors as one series, so that the ratio knows how their errors hang together
paste "$out/1.txt" "$out/all.txt" >"$out/paste.txt"
awk 'NR == 1 { n = NF / 2; printf "%s", $2; for (i = 3; i <= n; i++) printf " first_%s", $i
        for (i = 3; i <= n; i++) printf " all_%s", $i; print ""; next }
    { printf "%s", $2; for (i = 3; i <= 2 * n; i++) if (i <= n || i > n + 2) printf " %s", $i; print "" }' "$out/paste.txt" >"$out/both.txt"
txt2bin --time t_ps -o "$out/both.pi" -- "$out/both.txt"
acf --invariant vh:first,vh:all --mean subtract --tmax "${TMAX:-2.4}" -o "$out/orders.cf" -- "$out/both.pi"
fft-spectrum -q --window hann --ratio VH_all/VH_first -o "$out/orders.spec" -- "$out/orders.cf"
bin2txt -o "$out/orders.txt" -- "$out/orders.spec"
bin2txt -o "$out/cf.txt" -- "$out/orders.cf"
awk '/^# t_ps/ { for (i = 2; i <= NF; i++) at[$i] = i - 1 } !/^#/ {
    printf "mean squares at lag 0, A^6: first order %.6g, all orders %.6g, ratio %.3f\n", $at["VH_first"], $at["VH_all"], $at["VH_all"] / $at["VH_first"]; exit }' "$out/cf.txt"
rm -- "$out/1.txt" "$out/all.txt" "$out/paste.txt" "$out/both.txt" "$out/cf.txt"
draw argon-orders
publish
