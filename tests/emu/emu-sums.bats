#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# long
# The sums over images of g4-gpu on an emulated machine (tests/emu): taper and ewald, in every cell,
# by every method.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated g4-gpu
}

# cells: files in the supported kinds of cells: a cube, a brick, cells that grow and cells that
# change their shape, and skewed cells
cells() {
    argon_gas "$1" "$2"
    bin2xyz gas.mbf >gas.xyz
    cell() { awk -v how="$2" '/Lattice=/ { n++; split("10 0 0 0 10 0 0 0 10", h, " ")
        if (how == "brick") { h[1] = 13; h[5] = 10.5; h[9] = 11.25 }
        if (how == "grown") for (k in h) h[k] *= 1 + 0.01 * n
        if (how == "shape") h[9] = 10 + 0.25 * int(n / 4)
        if (how == "skew") { h[4] = 4.5; h[7] = -2.5; h[8] = 3 }
        if (how == "skews") { h[4] = 1 + 0.25 * int(n / 4); h[8] = 1.5 }
        l = h[1]; for (k = 2; k <= 9; k++) l = l " " h[k]; sub("Lattice=\"[^\"]*", "Lattice=\"" l) } 1' gas.xyz |
        xyz2bin -q --unsorted-ok --dtype "$3" -o "$1"; }
    for how in cube brick grown shape skew skews; do
        for t in f32 f64; do cell "$how.$t.mbf" "$how" "$t"; done
    done
}

@test "emulated g4-gpu: taper and ewald in every cell, by every method, the sums of g4-cpu" {
    cells 21 24
    for f in $(whole "brick.f32.mbf skews.f64.mbf" "$(echo {cube,brick,grown,shape,skew,skews}.{f32,f64}.mbf)"); do
        for s in taper ewald; do alike "--sum $s --lags 9 --component zz" "$f"; done
    done
    for f in $(whole grown.f32.mbf "brick.f32.mbf grown.f64.mbf shape.f32.mbf skew.f64.mbf skews.f32.mbf"); do
        for s in taper ewald; do
            alike "--sum $s --lags 9" "$f" EMU_G4=small
            alike "--sum $s --lags 3 --method direct" "$f"
            alike "--sum $s --component xy --lags 9 --method fft" "$f"
        done
        alike "--sum taper:3,4.25 --lags 9" "$f"
    done
    left
    alike "--sum taper --lags 20 --component all" cube.f64.mbf
    alike "--sum ewald --lags 20 --component all" skew.f64.mbf
    alike "--sum ewald --lags 20 --component all --blocks 2" grown.f32.mbf
    alike "--sum taper --lags 5 --blocks 3" skew.f32.mbf
    for c in xz xy yz xx-yy; do alike "--sum ewald --lags 5 --component $c" brick.f32.mbf; done
    "$EMU" -q --lags 9 --sum ewald --accumulate f32 brick.f32.mbf -o emu.cf
    g4-cpu -q --lags 9 --sum ewald brick.f32.mbf -o cpu.cf
    compare -q --rtol 1e-4 --atol 1e-4 cpu.cf emu.cf
    EMU_DEVICES=3 "$EMU" -q --devices all --lags 9 --sum ewald skew.f32.mbf -o three.cf
    "$EMU" -q --lags 9 --sum ewald skew.f32.mbf -o one.cf
    compare one.cf three.cf | grep -q ^identical
}

@test "emulated g4-gpu: ewald of atoms at the same x and at the same z, whose difference has no sign" {
    # on a lattice, with moves along y only: half of all differences are exactly 0 along an axis
    LC_ALL=C awk 'BEGIN { for (t = 0; t < 12; t++) { print 27; print "Lattice=\"12 0 0 0 12 0 0 0 12\" pbc=\"T T T\" Time=" t * 0.1 " time_unit=ps"
        for (i = 0; i < 27; i++)
            printf "Ar %.6f %.6f %.6f\n", i % 3 * 4 + 0.37, int(i / 3) % 3 * 4 + 0.6 * sin(i * i + 0.8 * t), int(i / 9) * 4 + 0.21 } }' |
        xyz2bin -q -o rows.mbf
    for c in xz xy yz; do
        alike "--sigma 3.4 --sum ewald --lags 6 --component $c --method fft" rows.mbf
        alike "--sigma 3.4 --sum ewald --lags 6 --component $c" rows.mbf EMU_G4=small
    done
}

@test "emulated g4-gpu: the default is that of g4-cpu: all images, a taper where an axis is not periodic" {
    argon_gas 21 24
    bin2xyz gas.mbf | sed 's/pbc="[TF ]*"/pbc="T T F"/' | xyz2bin -q -o slab.mbf
    for o in "gas.mbf ewald:pairs" "slab.mbf taper"; do
        alike "--lags 5 --component zz" "${o% *}"
        sum=${o#* }
        bin2txt emu.cf | grep -q "^## sum ${sum%:*}\$"
        "$EMU" -q --lags 5 --component zz --sum "$sum" "${o% *}" -o named.cf
        [ "$(content emu.cf)" = "$(content named.cf)" ] || { echo "$o"; false; }
    done
}

@test "emulated g4-gpu: beta of two atoms, all sums, has the bits of g4-cpu" {
    all=("10 0 0 0 10 0 0 0 10" "23 0 0 0 21.5 0 0 0 22.25" "10 0 0 4.5 10 0 -2.5 3 10")
    for cell in "${all[@]:$(whole 2 0)}"; do
        awk -v cell="$cell" "$UNIFORM"'BEGIN { seed(7); for (n = 0; n < 56; n++) {
            print 2; print "Lattice=\"" cell "\" Properties=species:S:1:pos:R:3 Time=" n / 100
            for (k = 0; k < 2; k++) printf "Ar %.4f %.4f %.4f\n", 30 * uniform(), 30 * uniform(), 30 * uniform() } }' >two.xyz
        for t in $(whole f32 "f32 f64"); do
            case "$t $cell" in "f64 10 0 0 0"*) continue ;; esac
            xyz2bin -q --unsorted-ok --sigma 3.4 --dt 0.01 --dtype $t two.xyz -o two.mbf
            for s in mic taper ewald; do
                o="--sum $s --method factored --origins 5 --blocks 5"
                case "$s $cell" in "mic 10 0 0 4.5"*) o="$o --cutoff 3.5" ;; esac
                # one product per lag and block: no rounding of f32 at lag 0; a table has more than
                # 49 lags
                for l in "1 all NONE=" "1 yz EMU_G4=small" "51 zz NONE="; do
                    read -r lags comp how <<<"$l"
                    # shellcheck disable=SC2086
                    g4-cpu -q $o --lags $lags --component "$comp" two.mbf -o cpu.cf
                    # shellcheck disable=SC2086
                    env "$how" "$EMU" -q $o --lags $lags --component "$comp" two.mbf -o emu.cf
                    tol=$([ "$lags" = 1 ] && echo 0 || echo 1e-12)
                    compare -q --rtol "$tol" --atol "${tol/-12/-14}" cpu.cf emu.cf || { echo "$t $cell $o $l"; compare cpu.cf emu.cf; false; }
                done
            done
        done
    done
}

@test "emulated g4-gpu: the series of taper and ewald, more lags than a pass, tables in several groups" {
    left
    cells 36 60
    for s in taper ewald; do
        for f in brick.f32.mbf skew.f64.mbf; do
            g4-cpu -q --sum "$s" --lags 9 --series cpu.mbf --component all "$f" -o cpu.cf
            "$EMU" -q --sum "$s" --lags 9 --series emu.mbf --component all "$f" -o emu.cf
            compare cpu.mbf emu.mbf | grep -q ^identical
        done
        alike "--sum $s --lags 60" brick.f32.mbf
    done
    argon_gas 100 6
    alike "--sum ewald --lags 3 --component all" gas.mbf EMU_G4=groups
}

@test "emulated g4-gpu: nearly as many lags as steps, through tables: what lies behind the last step counts nothing" {
    left
    argon_gas 12 250
    for s in mic taper ewald; do alike "--sum $s --method factored --lags 190" gas.mbf; done
    bin2xyz gas.mbf | xyz2bin --dtype f64 -o gas64.mbf
    alike "--sum mic --method factored --lags 190 --component all" gas64.mbf
}

# walk STEPS CELL: 96 atoms in a long cell, whose pairs cross the end of the sum all the time; %s in
# CELL grows
walk() {
    awk -v steps="$1" -v cell="$2" "$UNIFORM"'BEGIN { seed(3); for (i = 0; i < 96; i++) { x[i] = 8 * uniform(); y[i] = 8 * uniform(); z[i] = 1.5 * i }
        for (n = 0; n < steps; n++) {
            print 96; printf "Lattice=\"" cell "\" Properties=species:S:1:pos:R:3 Time=" n / 100 "\n", 144 + n / 50
            for (i = 0; i < 96; i++) { x[i] += uniform() - 0.5; y[i] += uniform() - 0.5; z[i] += 4 * (uniform() - 0.5)
                printf "Ar %.4f %.4f %.4f\n", x[i], y[i], z[i] } } }' | xyz2bin -q --unsorted-ok --sigma 3.4 --dt 0.01 "${@:3}"
}

@test "emulated g4-gpu: a sum that ends inside the cell by lists: the sums of all pairs" {
    walk 80 "8 0 0 0 8 0 0 0 144" -o long.mbf # two windows
    walk 80 "8 0 0 2 8 0 1 -2 %g" --dtype f64 -o skew.mbf
    alike "--sum taper:2,3.5 --lags 5 --component $(whole xz zz)" long.mbf EMU_G4=lists
    alike "--sum taper:2,3.5 --lags 5 --component xz" skew.mbf EMU_G4=lists
    EMU_G4=lists "$EMU" -v --sum mic --cutoff 3.5 --lags 2 long.mbf -o emu.cf 2>log
    grep -q 'neighbour lists: in each window of steps, on average 3.* of 4560' log
}

@test "emulated g4-gpu: lists are those of whole windows: shares of a run and several devices give its bits" {
    left
    walk 200 "8 0 0 2 8 0 1 -2 %g" -o skew.mbf
    export EMU_G4=lists
    o="--sum taper:2,3.5 --lags 3"
    # shellcheck disable=SC2086
    "$EMU" -q $o skew.mbf -o whole.cf
    # shellcheck disable=SC2086
    for k in 1 2 3; do EMU_DEVICES=3 "$EMU" -q $o --devices all --shard $k/3 skew.mbf -o p.$k; done
    frame-merge p.? -o merged.cf
    compare whole.cf merged.cf | grep -q ^identical
}

@test "emulated g4-gpu: all images by a mesh, in every cell: the sums of g4-cpu; shares, devices and batches give the same bits" {
    cells 21 24
    for f in $(whole "brick.f32.mbf skews.f64.mbf" "$(echo {cube,brick,grown,shape,skew,skews}.{f32,f64}.mbf)"); do
        alike "--sum ewald:3,4.25 --lags 5 --component zz" "$f"
    done
    left
    alike "--sum ewald:3,4.25,1e-3 --lags 20 --component all" skew.f64.mbf # through a table
    alike "--sum ewald:3,4.25,1e-4 --lags 5 --component all --blocks 2" grown.f32.mbf
    walk 200 "8 0 0 2 8 0 1 -2 %g" -o skew.mbf
    o="--sum ewald:2,3.5,1e-4 --lags 3"
    ATOL=1e-7 alike "$o" skew.mbf EMU_G4=lists
    cp emu.cf whole.cf
    for k in 1 2 3; do
        # shellcheck disable=SC2086
        EMU_G4=lists EMU_DEVICES=3 "$EMU" -q $o --devices all --shard $k/3 skew.mbf -o p.$k
    done
    frame-merge p.? -o merged.cf
    compare whole.cf merged.cf | grep -q ^identical
}

@test "emulated g4-gpu: memory, cells, devices and sums that a mesh cannot be had with" {
    argon_gas 21 8
    printf '2\nLattice="1e7 0 0 0 1e7 0 0 0 1e7" Properties=species:S:1:pos:R:3\nAr 1 2 3\nAr 4 5 3\n' | xyz2bin -q --sigma 3.4 --dt 1 -o vast.mbf
    fails 4 "$EMU" --sum ewald:10,12 --lags 1 vast.mbf -o x.cf
    [[ $output == *"2 atoms"*"of GPU memory"* ]]
    fails 2 "$EMU" --sum ewald:4,5.1 --lags 2 gas.mbf -o x.cf
    [[ $output == *"frame 0"*"half the smallest width"* ]]
    bin2xyz gas.mbf | awk '/Lattice=/ { n++; l = 10 - n / 4; sub("Lattice=\"[^\"]*", "Lattice=\"" l " 0 0 0 " l " 0 0 0 " l) } 1' |
        xyz2bin -q --unsorted-ok -o shrinks.mbf
    fails 2 "$EMU" --sum ewald:3,4.25 --lags 2 shrinks.mbf -o x.cf
    [[ $output == *"frame 6"*"half the smallest width"* ]]
    for x in 4 1; do printf '2\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3\nAr 1 2 3\nAr %s %s 3\n' $x $((x + 1)); done |
        xyz2bin -q --sigma 3.4 --dt 1 -o two.mbf
    fails 2 "$EMU" --sum ewald:3,4.25 --lags 1 two.mbf -o x.cf
    [[ $output == *"frame 1"*"atoms 0 and 1"* ]]
    for how in EMU_G4=small EMU_SHARED=99; do
        for o in "" "--weights Ar=2"; do
            # shellcheck disable=SC2086
            fails 2 env $how "$EMU" --sum ewald:3,4.25 --lags 2 $o gas.mbf -o x.cf
            [[ $output == *"A100"*"ewald:pairs"* ]]
        done
    done
    fails 2 "$EMU" --sum ewald:3,4.25 --accumulate f32 --lags 2 gas.mbf -o x.cf
    [[ $output == *"--accumulate f64"*"ewald:pairs"* ]]
}
