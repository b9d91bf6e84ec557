#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The engine of fqt-gpu on an emulated machine (tests/emu) gives the functions of fqt-cpu: partials,
# currents, self part, several devices.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated fqt-gpu
}

@test "emulated fqt-gpu: the functions of fqt-cpu to 1e-12 of one: partial, of currents, of single atoms; the same bits on three devices" {
    md-cpu -q --atoms 20 --density 0.021 --temperature 120 --steps 120 --every 10 --velocities -o gas.mbf
    bin2xyz gas.mbf | awk '/^Ar/ { if (n++ % 3 == 1) sub("Ar", "Kr") } NF == 1 { n = 0 } 1' | xyz2bin -q --unsorted-ok --sigma 3.4 --dtype f64 -o mix.mbf
    for o in "--qmax 1.2 --lags 5 --currents --self gas.mbf" "--qmax 1 --qstep 0.2 --vectors 40 --pair all mix.mbf" "--direction 1,1,0 --qmax 2 --currents gas.mbf"; do
        # shellcheck disable=SC2086
        fqt-cpu -q $o -o cpu.fqt
        # shellcheck disable=SC2086
        "$EMU" -q $o -o emu.fqt
        # F(q,0) is about 1, and C about kT/m = 0.25 (A/ps)^2: sums of 20 atoms in another order
        compare -q --rtol 1e-12 --atol 1e-12 cpu.fqt emu.fqt || { echo "$o"; compare --rtol 1e-12 --atol 1e-12 cpu.fqt emu.fqt; false; }
        # shellcheck disable=SC2086
        EMU_DEVICES=3 "$EMU" -q --devices all $o -o three.fqt
        compare emu.fqt three.fqt | grep -q ^identical
    done
    EMU_DEVICES=0 fails 3 "$EMU" --lags 2 gas.mbf -o x.fqt
    [[ $output == *"no usable GPU"* ]]
}
