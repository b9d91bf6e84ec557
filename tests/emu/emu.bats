#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# long
# The engine of g4-gpu on an emulated machine (tests/emu): its kernels without a GPU, and several
# devices, which a machine with one GPU cannot test.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated g4-gpu
}

@test "emulated g4-gpu: the sums of g4-cpu, blocks, a cutoff, several components, both kernels of factored" {
    argon_gas "$(whole 12 21)" 40
    for o in "--sum mic --lags 9" "--sum mic --lags 20 --blocks 3" "--lags 5 --component all --cutoff 4.1" "--sum mic --method direct --lags 3"; do
        # shellcheck disable=SC2086
        g4-cpu -q --series cpu.mbf $o gas.mbf -o cpu.cf
        # the last two machines are A100 (one buffer of sums) and RTX (no room); groups: steps go to
        # the device in sevens, each once; check-all tests all groups with each machine
        for how in "" $([[ -z ${CHECK_ALL:-} && $o != *blocks* ]] || echo EMU_G4=small) $([[ -z ${CHECK_ALL:-} && $o != *component* ]] || echo EMU_G4=groups) \
            $(whole "" "EMU_SHARED=163 EMU_SHARED=99"); do
            # shellcheck disable=SC2086
            env $how "$EMU" -q --series emu.mbf $o gas.mbf -o emu.cf
            compare -q --rtol 1e-9 --atol 1e-9 cpu.cf emu.cf || { echo "$o $how"; compare cpu.cf emu.cf; false; }
            compare cpu.mbf emu.mbf | grep -q ^identical
        done
    done
}

@test "emulated g4-gpu: blocks joined to pieces have the bits of blocks one by one" {
    argon_gas 21 "$(whole 355 600)"
    # 200 KiB: a block has room for one task at a time. By default, 355 steps give blocks of 32 time
    # origins and a piece of 256, and the last block is not full. With --lags 60, blocks have 64
    # time origins, and beta comes from a table in two passes; 600 steps have three pieces
    one_by_one() {
        # shellcheck disable=SC2086
        env "${2:-NONE=}" "$EMU" -q $1 gas.mbf -o joined.cf
        # shellcheck disable=SC2086
        env "${2:-NONE=}" EMU_SHARED=200 "$EMU" -q $1 gas.mbf -o single.cf
        [ "$(content joined.cf)" = "$(content single.cf)" ] || { echo "$*"; compare joined.cf single.cf; false; }
    }
    one_by_one "--sum mic --lags 20 --component xz"
    one_by_one "--sum taper:3,4.25 --lags 5 --component zz" EMU_G4=lists
    [ "$(bin2txt joined.cf | awk '/^## blocks/ { print $3 }')" -gt 10 ]
    left
    one_by_one "--sum taper --lags 49 --component xy"
    one_by_one "--sum mic --lags 60 --component xz"
    one_by_one "--sum mic --lags 9 --component all" EMU_G4=groups
    one_by_one "--sum ewald:4,5,1e-3 --lags 9 --component zz"
    for b in 1 4; do one_by_one "--sum mic --lags 9 --component xz --blocks $b"; done
    md-cpu -q --atoms 8 --density 0.021 --steps 4200 --every 1 -o gas.mbf # --blocks 2: 64 time origins
    one_by_one "--sum mic --lags 9 --component xz --blocks 2"
    argon_gas 21 600
    "$EMU" -q --sum mic --lags 20 --component xz gas.mbf -o whole.cf
    for k in 1 2 3; do "$EMU" -q --sum mic --lags 20 --component xz --shard $k/3 gas.mbf -o "p.$k"; done
    frame-merge p.? -o merged.cf
    compare whole.cf merged.cf | grep -q ^identical
}

@test "emulated g4-gpu: fft, blocks of all lags, origins, pairs, f64, and cells that change" {
    argon_gas "$(whole 8 21)" 200
    beta-gen gas.mbf -o gas.pair
    bin2xyz gas.mbf | xyz2bin --dtype f64 -o gas64.mbf
    bin2xyz gas.mbf | awk '/Lattice=/ { n++; sub("Lattice=\"[0-9.]*", sprintf("Lattice=\"%.3f", 40 + 0.01 * n)) } 1' | xyz2bin -q --unsorted-ok -o npt.mbf
    all=("--lags 20 --blocks 5 --origins 133" "" "--blocks 4" "--lags 30 --blocks 3" "--lags 50 --origins 111" "--lags 1")
    for f in gas.mbf gas.pair gas64.mbf npt.mbf; do
        for o in "${all[@]:0:$(whole 1 6)}"; do
            # shellcheck disable=SC2086
            g4-cpu -q --method fft $o $f -o cpu.cf
            # shellcheck disable=SC2086
            "$EMU" -q --method fft $o $f -o emu.cf
            compare -q --rtol 1e-9 --atol 1e-9 cpu.cf emu.cf || { echo "$f $o"; compare cpu.cf emu.cf; false; }
        done
    done
    for o in "" "--blocks 3"; do
        # shellcheck disable=SC2086
        EMU_DEVICES=3 "$EMU" -q --devices all --method fft $o gas.mbf -o three.cf
        # shellcheck disable=SC2086
        "$EMU" -q --method fft $o gas.mbf -o one.cf
        compare one.cf three.cf | grep -q ^identical || { compare one.cf three.cf; false; }
    done
}

@test "emulated g4-gpu: fft of every length, of more steps than one transform has, and what it refuses" {
    md-cpu -q --atoms 4 --density 0.003 --steps 70000 --every 1 -o long.mbf
    b=$(whole "--blocks 1" "")
    for n in $(whole 4000 "4000 8000 20000 70001"); do
        frame-cut 0:$n long.mbf -o part.mbf
        # shellcheck disable=SC2086
        g4-cpu -q --method fft --lags 60 $b part.mbf -o cpu.cf
        # shellcheck disable=SC2086
        "$EMU" -q --method fft --lags 60 $b part.mbf -o emu.cf
        compare -q --rtol 1e-9 --atol 1e-9 cpu.cf emu.cf || { echo "$n"; compare cpu.cf emu.cf; false; }
    done
    [ -z "$CHECK_ALL" ] || frame-cut 0:33000 long.mbf -o part.mbf
    o="--method fft --lags $(whole 900 9000) --blocks 2"
    # shellcheck disable=SC2086
    g4-cpu -q $o part.mbf -o cpu.cf
    # shellcheck disable=SC2086
    "$EMU" -q $o part.mbf -o emu.cf
    compare -q --rtol 1e-9 --atol 1e-9 cpu.cf emu.cf
    fails 2 "$EMU" --method fft long.mbf -o x.cf
    [[ $output == *"at most 32768 lags"*"--method factored"* ]]
    EMU_SHARED=64 fails 3 "$EMU" --method fft --lags 9 part.mbf -o x.cf
    [[ $output == *"96 KiB of shared memory"*"--method factored"* ]]
}

@test "emulated g4-gpu: three devices, each with its own memory and streams, and the same numbers" {
    argon_gas 18 60
    beta-gen gas.mbf -o gas.pair
    for o in "--lags 9 gas.mbf" "--lags 9 gas.pair" "--method direct --lags 2 gas.mbf"; do
        # shellcheck disable=SC2086
        EMU_DEVICES=3 "$EMU" -q --devices all $o -o three.cf
        # shellcheck disable=SC2086
        "$EMU" -q $o -o one.cf
        compare one.cf three.cf | grep -q ^identical || { compare one.cf three.cf; false; }
    done
    EMU_DEVICES=2 fails 3 "$EMU" --devices 0,2 --lags 2 gas.mbf -o x.cf
    [[ $output == *"device 2 does not exist: 2 devices are visible"* ]]
    EMU_DEVICES=0 fails 3 "$EMU" --lags 2 gas.mbf -o x.cf
    [[ $output == *"no usable GPU"* ]]
    left
    argon_gas 8 2600 # three chunks: the third one makes sub-blocks merge
    EMU_G4=groups EMU_DEVICES=3 "$EMU" -q --devices all --method direct --lags 2 --blocks 2 gas.mbf -o three.cf
    "$EMU" -q --method direct --lags 2 --blocks 2 gas.mbf -o one.cf
    compare one.cf three.cf | grep -q ^identical || { compare one.cf three.cf; false; }
    g4-cpu -q --method direct --lags 2 --blocks 2 gas.mbf -o cpu.cf
    compare -q --rtol 1e-9 --atol 1e-9 cpu.cf three.cf
}

@test "emulated g4-gpu: a bad step behind the last origin's lags does not matter" {
    argon_gas 12 20
    bin2xyz gas.mbf -o gas.xyz
    awk '{ f = int((NR - 1) / 14); k = (NR - 1) % 14 - 2 } f == 9 && k == 2 { keep = $0 } f == 9 && k == 7 { $0 = keep } 1' gas.xyz >same.xyz
    xyz2bin same.xyz -o same.mbf
    fails 2 "$EMU" -q --lags 2 same.mbf -o x.cf
    [[ $output == *": frame 9: atoms 2 and 7 (counted from 0) are at the same place" ]]
    "$EMU" -q --lags 2 --origins 7 same.mbf -o emu.cf
    g4-cpu -q --lags 2 --origins 7 same.mbf -o cpu.cf
    compare -q --rtol 1e-9 --atol 1e-9 cpu.cf emu.cf
}

@test "dawid-figures.sh, with the emulated g4-gpu: every figure has its numbers" {
    left
    mkdir bin
    ln -s "$BIN"/* bin/
    ln -sf "$EMU" bin/g4-gpu
    BIN=$PWD/bin OUT=fig LOOPS=24 SYSTEMS="12 20" STEPS=4000 EQUILIBRATE=0 sh "$ROOT/pipelines/dawid-figures.sh" >said
    awk '!/^#/ { n++; for (k = 1; k <= NF; k++) if (!($k > 0)) bad = 1; if (NF != 10 || $7 != sprintf("%.6g", $3 / $6)) bad = 1 } END { exit bad || n != 2 }' fig/fig5.txt
    awk '!/^#/ { n++; for (k = 3; k <= NF; k++) if (!($k > 0)) bad = 1 } END { exit bad || n != 11 }' fig/fig6.txt
    # per cent of G2(0), so the 1e-10 that the engines promise each other
    awk '!/^#/ { n++; if (!($3 >= 0 && $3 < 1e-8)) bad = 1 } END { exit bad || n != 48 }' fig/fig7.txt
}
