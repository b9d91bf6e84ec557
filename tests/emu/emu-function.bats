#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# long
# The pair functions of g4-gpu on an emulated machine (tests/emu) give the sums of g4-cpu.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated g4-gpu
    for t in f32 f64 oblique; do
        cell="17.25 0 0 0 22 0 0 0 29"
        [ $t != oblique ] || cell="17.25 0 0 2.5 16 0 -3 1.5 18"
        cloud "$cell" 18 7 | awk '/^Ar/ { if (n++ % 3 == 1) sub("Ar", "Kr") } NF == 1 { n = 0 } 1' |
            xyz2bin -q --sigma 3.4 --dt 0.1 --dtype ${t/oblique/f32} -o $t.mbf
    done
    n=0
    for head in "rank 0;unit A^3" "rank 1;unit D" "rank 2;unit A^3" "rank 2 +did;unit 1"; do
        awk -v head="$head" 'BEGIN { gsub(/;/, "\n", head); one = head ~ /rank 1/; print head "\nr", one ? "Kr-Ar" : "Ar-Ar Kr-Ar Kr-Kr"
            for (k = 0; k <= 60; k++) { r = 0.5 + k / 10; u = (6.5 - r) / 6; a = 4 * u * u * u
                print r, one ? a * cos(r) : a " " a * cos(r) " " (-a) } }' >f$n
        n=$((n + 1))
    done
}

@test "emulated g4-gpu: pair functions of every rank, by tables, lists, fft, direct and of pairs that the host makes: the sums of g4-cpu" {
    for f in f32 f64; do
        alike "--lags 3 --pair-function f0" $f.mbf
        alike "--lags 3 --pair-function f1 --component all" $f.mbf
        alike "--lags 3 --pair-function f2 --component all --beta-weights Ar=1.64,Kr=-2.48 --exclude 3" $f.mbf
        alike "--lags 3 --pair-function f3" $f.mbf
        alike "--lags 3 --pair-function f1 --component y --method fft" $f.mbf
        alike "--lags 2 --pair-function f2 --component zz --method direct" $f.mbf
        alike "--lags 2 --pair-function f3 --sum taper --method direct --pair Ar-Kr" $f.mbf
        alike "--lags 3 --pair-function f1" $f.mbf EMU_G4=lists
        alike "--lags 3 --pair-function f2 --component all" $f.mbf EMU_G4=lists
    done
    alike "--lags 3 --pair-function f2 --component zz" f32.mbf EMU_G4=small
    alike "--lags 3 --pair-function f1 --component all" oblique.mbf
    alike "--lags 3 --pair-function f3 --component all" oblique.mbf
}

@test "emulated g4-gpu: a pair function added to DID on a mesh; a pair closer than the first point" {
    for f in f32 f64; do
        alike "--sum ewald:5,7,1e-3 --lags 2 --pair-function f3" $f.mbf
        alike "--sum ewald:5,7,1e-3 --lags 2 --pair-function f3 --component all --beta-weights Ar=1,Kr=3 --pair Ar-Kr" $f.mbf
    done
    awk '$1 + 0 > 0 { $1 += 4 } 1' f2 | awk '$1 == "r" || $1 + 0 == 0 || $1 < 8.6' | sed '$s/ .*/ 0 0 0/' >late
    for m in factored fft direct; do
        fails 2 "$EMU" --lags 2 --method $m --pair-function late f32.mbf -o no
        [[ $output == *"closer than the first point of --pair-function late, 4.5 Å" ]]
    done
}
