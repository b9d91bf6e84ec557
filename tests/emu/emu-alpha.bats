#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The engine of alpha-gpu on an emulated machine (tests/emu): the polarizabilities of alpha-cpu,
# refusals, and the same bits for any division of the steps.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated alpha-gpu
}

# alike TOLERANCE FILE OPTION...: both engines agree within this fraction of the largest number. Two
# engines that reach the residual of --tolerance differ by less than twice this residual, 2e-10.
# EXACT is the difference without a residual: the polynomials of the GPU for all images have an
# error of 3e-11/A^3 per pair, and the waves of the CPU 3e-11 of Pi; 20 sites have less than 1e-10
# of Pi.
EXACT=1e-10
alike() {
    local t=$1 f=$2
    shift 2
    alpha-cpu -q "$@" "$f" -o cpu.pi
    "$EMU" -q "$@" "$f" -o emu.pi || return 1
    paste <(bin2txt --format tsv cpu.pi) <(bin2txt --format tsv emu.pi) | awk -v t="$t" '
        NR == 1 { n = NF / 2; next }
        { for (i = 3; i <= n; i++) { a = $i < 0 ? -$i : $i; if (a > most) most = a
              d = $i - $(n + i); if (d < 0) d = -d; if (d > worst) worst = d } }
        END { print "worst", worst, "of", most; exit !(NR > 1 && most > 0 && worst <= t * most) }' || { echo "$f $*"; return 1; }
}

# molecules NAME CELL: x.mbf and model.txt with bent molecules that have a tensor, a site at the
# mass centre and atoms without polarizability
molecules() {
    cloud "$1" 21 2 | awk '$1 == "Ar" { $1 = substr("ABC", n++ % 3 + 1, 1) } 1' |
        { [ -n "${2:-}" ] && sed 's/^Lattice.*//' || cat; } | xyz2bin -q --dtype f64 --dt 1 -o x.mbf
    printf 'molecule M A B C\n mass 1 1 8\n site B 0.6 0.4 0.9 frame 1-2,3\n site centre 0.15\n site C 0.25\n' >model.txt
}

@test "emulated alpha-gpu: the numbers of alpha-cpu in every kind of cell: tensors, damping, orders, parts" {
    for cell in "12 0 0 0 12 0 0 0 12" "11 0 0 3.5 12 0 -2 4 13" "10 0 0 0 11 0 0 0 34" free; do
        [ "$cell" = free ] && molecules "12 0 0 0 12 0 0 0 12" free || molecules "$cell"
        echo "$cell"
        alike $EXACT x.mbf --model model.txt --order 3 --parts
        alike 2e-10 x.mbf --model model.txt --parts
        alike $EXACT x.mbf --model model.txt --tolerance 1e-14
        [ "$cell" = "12 0 0 0 12 0 0 0 12" ] && [ -z "$CHECK_ALL" ] && continue
        alike $EXACT x.mbf --model model.txt --thole 2.1304 --order 2
        alike 2e-10 x.mbf --model model.txt --thole cubic:0.39 --parts
    done
}

@test "emulated alpha-gpu: cells that change from step to step, bricks and others, atoms that are no tile's whole" {
    n=$(whole 33 70)
    cloud "17.25 0 0 0 22 0 0 0 29" "$n" 3 0.01 | xyz2bin -q --sigma 3.4 --dt 0.1 -o brick.mbf
    cloud "17.25 0 0 2.5 16 0 -3 1.5 18" "$n" 2 0.02 | xyz2bin -q --sigma 3.4 --dt 0.1 --dtype f64 -o skew.mbf
    { bin2xyz brick.mbf; bin2xyz skew.mbf; } | sed "s, Time=[^ ]* time_unit=fs,," | xyz2bin -q --unsorted-ok --sigma 3.4 --dt 0.1 --dtype f64 -o both.mbf
    for f in brick skew both; do
        alike 2e-10 $f.mbf --polarizability Ar=0.3 --parts
    done
    "$EMU" -q --polarizability Ar=0.3 both.mbf -o whole.pi
    { "$EMU" -q --polarizability Ar=0.3 --to 0.15 both.mbf; "$EMU" -q --polarizability Ar=0.3 --from 0.16 both.mbf; } | frame-cat |
        compare --rtol 0 whole.pi - >/dev/null
}

@test "emulated alpha-gpu: a mesh: the numbers of all pairs to its error; cells that change; the same bits on three devices and backward" {
    # an error of 1e-6 of the field at a site is at most 1e-6 / sqrt(sites) of Pi; 1e-6 allows for
    # an untypical site
    for cell in "12 0 0 0 12 0 0 0 12" "13 0 0 3 14 0 -2 4 15"; do
        molecules "$cell"
        export EMU_ALPHA=mesh
        alike 1e-6 x.mbf --model model.txt --order 2 --parts
        alike 1e-6 x.mbf --model model.txt --parts
        alike 1e-6 x.mbf --model model.txt --thole cubic:0.39
        unset EMU_ALPHA
    done
    cloud "17.25 0 0 2.5 16 0 -3 1.5 18" "$(whole 33 70)" 4 0.02 | xyz2bin -q --sigma 3.4 --dt 0.1 -o skew.mbf
    export EMU_ALPHA=mesh
    alike 1e-6 skew.mbf --polarizability Ar=0.5
    EMU_DEVICES=3 "$EMU" -q --devices all --polarizability Ar=0.5 skew.mbf -o three.pi
    EMU_BACKWARD=1 "$EMU" -q --polarizability Ar=0.5 skew.mbf -o back.pi
    compare emu.pi three.pi | grep -q ^identical
    compare emu.pi back.pi | grep -q ^identical
    printf '3\n\nAr 0 0 0\nAr 1 2 3\nAr 0 0 0\n' | xyz2bin -q --cell 20 --dt 1 -o same.mbf
    fails 2 "$EMU" --polarizability Ar=1.64 same.mbf -o out
    [[ $output == *'frame 0: sites 0 and 2 (counted from 0) are at the same place' ]]
    fails 2 "$EMU" --polarizability Ar=1.64 --thole 0.3 skew.mbf -o out
    [[ $output == *'skew.mbf: frame 0: the damping extends to '*' but a sum on a mesh limits it to half the smallest width of the cell, '*' (use --sum ewald:pairs)' ]]
}

@test "emulated alpha-gpu: three devices, threads that come in another order, and a second run: the same bits" {
    argon_gas 20 7
    for o in "" "--order 3 --parts"; do
        # shellcheck disable=SC2086
        "$EMU" -q --polarizability Ar=1.64 $o gas.mbf -o one.pi
        # shellcheck disable=SC2086
        EMU_DEVICES=3 "$EMU" -q --devices all --polarizability Ar=1.64 $o gas.mbf -o three.pi
        # shellcheck disable=SC2086
        EMU_BACKWARD=1 "$EMU" -q --polarizability Ar=1.64 $o gas.mbf -o back.pi
        compare one.pi three.pi | grep -q ^identical
        compare one.pi back.pi | grep -q ^identical
    done
    EMU_DEVICES=2 fails 3 "$EMU" --device 2 --polarizability Ar=1.64 gas.mbf -o x.pi
    [[ $output == *"device 2 does not exist: 2 devices are visible"* ]]
    EMU_DEVICES=0 fails 3 "$EMU" --polarizability Ar=1.64 gas.mbf -o x.pi
    [[ $output == *"no usable GPU"* ]]
    fails 4 "$EMU" --max-mem 32k --polarizability Ar=1.64 gas.mbf -o x.pi
    [[ $output == *"the pairs of 20 sites"* ]]
}

@test "emulated alpha-gpu: what has no solution is refused with step and pair; what hardly has one is solved in double throughout" {
    printf '2\n\nAr 0 0 0\nAr 0 0 3.8\n2\n\nAr 0 0 0\nAr 0 0 1.4857962\n2\n\nAr 0 0 0\nAr 0 0 1.48579\n' | xyz2bin -q --dt 1 --dtype f64 -o near.mbf
    # alpha along the axis is 2 alpha/(1 - 2 alpha/r^3), here 2e5 alpha; the difference in the
    # divisor has an error of 1e-8 in double
    frame-cut 0:2 near.mbf -o two.mbf
    alike 1e-8 two.mbf --polarizability Ar=1.64
    bin2txt --format tsv emu.pi | awk 'NR == 3 { exit !($8 > 1e5) }'
    fails 2 "$EMU" --polarizability Ar=1.64 near.mbf -o out
    [[ $output == *'near.mbf: frame 2: polarization catastrophe: '*'the closest sites, 0 and 1 (counted from 0), are 1.486 Å apart'* ]]
    [ ! -e out ]
    printf '3\n\nAr 0 0 0\nAr 1 2 3\nAr 0 0 0\n' | xyz2bin -q --cell 20 --dt 1 -o same.mbf
    fails 2 "$EMU" --polarizability Ar=1.64 same.mbf -o out
    [[ $output == *'frame 0: sites 0 and 2 (counted from 0) are at the same place' ]]
}
