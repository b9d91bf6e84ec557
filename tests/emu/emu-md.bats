#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The engine of md-gpu on an emulated machine (tests/emu): every kernel gives the streams, states
# and totals of md-cpu, without a GPU.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated md-gpu
}

# alike OPTIONS [NAME=VALUE...]: frames and final state have the content of md-cpu, and totals its
# numbers. md-cpu rounds the energy and the virial of a pair to single precision, so their sums may
# also differ by 1e-7 per pair.
alike() {
    local o=$1 m
    shift
    # shellcheck disable=SC2086
    md-cpu -q --units lj $o --restart cpu.rst --thermo cpu.txt -o cpu.mbf
    # shellcheck disable=SC2086
    env "$@" "$EMU" -v --units lj $o --restart emu.rst --thermo emu.txt -o emu.mbf 2>log
    for m in mbf rst; do
        [ -n "$(content emu.$m)" ]
        [ "$(content emu.$m)" = "$(content cpu.$m)" ] || { echo "$o $*: .$m differs"; false; }
    done
    awk -v what="$o $*" '/^# step/ { for (i = 2; i <= NF; i++) pairs[i - 1] = $i ~ /^(U|E|W|E_shifted)$/ } /^#/ { next } NR == FNR { a[++n] = $0; next }
        { if (split(a[++k], x) != NF) exit bad = 1
          for (i = 1; i <= NF; i++) { e = $i - x[i]; m = $i < 0 ? -$i : $i; if (e * e > (1e-6 * (m + 1) + (pairs[i] ? 1e-7 * $NF : 0)) ^ 2) { print what, $0; print a[k]; exit bad = 1 } } }
        END { exit bad || k != n || k < 2 }' cpu.txt emu.txt
}

# builds LEAST: the last run has built at least this number of lists
builds() { awk -v least="$1" '/list builds/ { n = $(NF - 2) } END { exit !(n >= least) }' log || { cat log; false; }; }

@test "emulated md-gpu: all pairs, lists and cells in a block, a cluster and bricks: the bits of md-cpu" {
    for how in EMU_CC=9 EMU_CC=8; do
        alike "--atoms 64 --density 0.8 --steps 40 --every 20" $how
        alike "--atoms 300 --density 0.8 --steps 20 --every 10 --neighbours all-pairs" $how
    done
    alike "--atoms 256 --density 0.4 --cutoff 2 --temperature 3 --steps 80 --every 20 --neighbours verlet --replicas 1" EMU_CC=8
    alike "--atoms 600 --density 0.3 --cutoff 2 --temperature 2 --steps 120 --every 40" EMU_SMS=16 # lists in a cluster
    builds 4
    alike "--atoms 600 --density 0.5 --steps 30 --every 15 --neighbours cells"
}

@test "emulated md-gpu: several systems that share the machine, each in the smallest cluster that has room for lists" {
    local k
    set -- -q --units lj --atoms 600 --density 0.3 --cutoff 2 --temperature 2 --steps 60 --every 30 --replicas 2 --thermo-every 10 --stress-every 5
    md-cpu "$@" --restart cpu.rst --thermo cpu%.txt -o cpu%.mbf
    EMU_SMS=8 "$EMU" "$@" --restart emu.rst --thermo emu%.txt -o emu%.mbf
    for k in .rst 0.mbf 1.mbf; do
        [ -n "$(content "emu$k")" ]
        [ "$(content "emu$k")" = "$(content "cpu$k")" ] || { echo "$k differs"; false; }
    done
    for k in 0 1; do
        paste <(grep -v '^#' cpu$k.txt) <(grep -v '^#' emu$k.txt) |
            awk '{ for (i = 1; i <= NF / 2; i++) if (($i - $(i + NF / 2))^2 > 1e-10 * (1 + $i * $i)) bad = 1 } END { exit bad || NR < 6 }'
    done
}

@test "emulated md-gpu: lists in bricks, one or several a block, in several launches, and builds on demand" {
    alike "--atoms 1200 --density 0.6 --temperature 2 --steps 130 --every 26" # lists in shared memory
    builds 4
    alike "--atoms 2500 --density 0.8 --temperature 2 --steps 70 --every 35 --skin 0.2" EMU_SMS=1
    builds 4
    alike "--atoms 1200 --density 0.6 --steps 40 --every 20 --rebuild 7" EMU_SHARED=99
    builds 5
}

@test "emulated md-gpu: an atom a thread, the last atoms of a block by several lanes; lists in memory; a lattice that melts" {
    local n
    for n in $(whole 2053 "2053 2300 2600"); do # 513, 575, 650 atoms a block: 8, 2 lanes for the last, and one
        alike "--atoms $n --density 0.8 --temperature 2 --cutoff 1.5 --steps 60 --every 30"
        builds 3
    done
    left
    alike "--atoms 1100 --density 0.6 --temperature 2 --steps 24 --every 12" EMU_SMS=27 # eight lanes an atom
    alike "--atoms 2300 --density 0.8 --temperature 2 --steps 60 --every 30" # lists in memory
    alike "--atoms 2300 --density 0.8 --steps 30 --every 15 --precision double --thermostat berendsen:0.1"
    alike "--atoms 2300 --density 0.8 --steps 30 --every 15 --boundary mirror --rebuild 9"
    alike "--atoms 3000 --density 0.8442 --temperature 1.44 --steps 900 --every 450" # room for a lattice, then for what it melts to
}

@test "emulated md-gpu: thermostat, walls, Euler, double, a shifted force, an edge of its own, totals with tensors" {
    for o in "--atoms 150" "--atoms 1100"; do
        alike "$o --density 0.6 --steps 20 --every 10 --thermostat berendsen:0.1 --stress"
        alike "$o --density 0.6 --steps 20 --every 10 --thermo-every 5 --boundary mirror --integrator euler --dt 0.002"
        alike "$o --density 0.6 --steps 20 --every 10 --precision double --thermostat berendsen:0.1 --velocities"
        alike "$o --cell 11,13,14 --steps 20 --every 10 --shift force"
    done
}

@test "emulated md-gpu: threads and blocks in another order: what nobody waits for does not matter" {
    alike "--atoms 600 --density 0.3 --cutoff 2 --temperature 2 --steps 60 --every 20 --thermostat berendsen:0.1" EMU_BACKWARD=1 EMU_SMS=16
    alike "--atoms 1200 --density 0.6 --temperature 2 --steps 60 --every 20 --thermostat berendsen:0.1" EMU_BACKWARD=1
    alike "--atoms 2500 --density 0.8 --steps 20 --every 10 --thermostat berendsen:0.1" EMU_BACKWARD=1 EMU_SHARED=99
    for order in 0 1; do # more cells than a block counts for itself
        alike "--atoms 1300 --density 0.05 --temperature 2 --steps 20 --every 10" EMU_BACKWARD=$order
    done
}

@test "emulated md-gpu: a start that does not fit the plan: room is made, and the bits are those of md-cpu" {
    awk 'BEGIN { print "1331\nLattice=\"14 0 0 0 14 0 0 0 50\" Properties=species:S:1:pos:R:3"
        for (i = 0; i < 1331; i++) print "A", i % 11 * 1.25, int(i / 11) % 11 * 1.25, int(i / 121) * 1.25 }' | xyz2bin -q --dtype f64 --sigma 1 -o slab.mbf
    md-cpu -q --units lj slab.mbf --cutoff 2.5 --steps 20 --every 10 -o cpu.mbf
    "$EMU" -q --units lj slab.mbf --cutoff 2.5 --steps 20 --every 10 -o emu.mbf
    [ "$(content emu.mbf)" = "$(content cpu.mbf)" ]
}

@test "emulated md-gpu: replicas, several systems on several devices, and an explosion" {
    md-cpu -q --units lj --atoms 60 --density 0.5 --replicas 3 --steps 20 --every 10 -o cpu%.mbf
    "$EMU" -q --units lj --atoms 60 --density 0.5 --replicas 3 --steps 20 --every 10 -o emu%.mbf
    md-cpu -q --units lj --atoms 70,110 --density 0.5 --steps 20 --every 10 -o cpu%.mbf
    EMU_DEVICES=2 "$EMU" -q --units lj --atoms 70,110 --density 0.5 --devices all --steps 20 --every 10 -o emu%.mbf
    for k in 0 1 2 70 110; do
        [ -n "$(content emu$k.mbf)" ]
        [ "$(content emu$k.mbf)" = "$(content cpu$k.mbf)" ]
    done
    for n in 60 1100; do
        fails 2 "$EMU" -q --units lj --atoms $n --density 0.9 --dt 0.5 --steps 500 -o x.mbf
        [[ $output == *"too long"* ]]
    done
}
