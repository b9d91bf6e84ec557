#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# long
# The weights and pair selections of g4-gpu on an emulated machine (tests/emu): sums of g4-cpu.
load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    emulated g4-gpu
    ATOL=1e-8 # of weights up to 2.48 in the fourth power
}

# mixture ATOMS TYPE NAME CELL [FRAMES]
mixture() {
    cloud "$4" "$1" "${5:-7}" | awk '/^Ar/ { if (n++ % 3 == 1) sub("Ar", "Kr") } NF == 1 { n = 0 } 1' |
        xyz2bin -q --sigma 3.4 --dt 0.1 --dtype "$2" -o "$3.mbf"
}

@test "emulated g4-gpu: weights and selections by tables, by lists, by fft and direct, and of pairs that the host makes: the sums of g4-cpu" {
    mixture 21 f32 brick "17.25 0 0 0 22 0 0 0 29"
    mixture 12 f64 double "17.25 0 0 0 22 0 0 0 29"
    mixture 12 f32 oblique "17.25 0 0 2.5 16 0 -3 1.5 18"
    for f in brick double oblique; do
        for sum in $(whole "$([ $f = double ] && echo taper || echo ewald)" "taper ewald"); do
            alike "--lags 3 --sum $sum --weights Ar=1.64,Kr=-2.48 --exclude 3" $f.mbf
            alike "--lags 3 --sum $sum --component all --within 3" $f.mbf
        done
        alike "--lags 3 --method fft --pair Ar-Kr" $f.mbf
        alike "--lags 2 --method direct --weights Ar=1,Kr=2" $f.mbf
        alike "--lags 3 --method $(whole direct fft) --sum taper --exclude 3 --weights Ar=1,Kr=-2 --component zz" $f.mbf
    done
    alike "--lags 3 --sum mic --weights Ar=1,Kr=2 --pair Ar-Ar --pair Kr-Ar" brick.mbf
    seq 0 20 | xargs -n 7 >seven
    alike "--lags 3 --sum ewald --weights Ar=1,Kr=2 --exclude seven" brick.mbf EMU_G4=small
    for o in "--sum taper:4,6 --component all --weights Ar=1,Kr=0.5 --exclude 3" "--sum mic --cutoff 7 --pair Ar-Kr" "--sum taper:4,6 --within 3"; do
        alike "--lags 3 $o" brick.mbf EMU_G4=lists
        alike "--lags 3 $o" double.mbf EMU_G4=lists
    done
}

@test "emulated g4-gpu: weights and selections by a mesh, in cells that are no cubes: the sums of g4-cpu; shares and devices give the same bits" {
    mixture 21 f32 brick "17.25 0 0 0 22 0 0 0 29" 3
    mixture 21 f64 oblique "17.25 0 0 2.5 16 0 -3 1.5 18" 3
    m="--sum ewald:5,7,1e-3 --lags 2"
    alike "$m --weights Ar=1.64,Kr=-2.48 --exclude 3" brick.mbf
    alike "$m --pair Ar-Kr --between 3 --component yz" oblique.mbf
    alike "$m --weights Ar=1,Kr=3 --pair Ar-Kr --pair Kr-Kr" oblique.mbf
    alike "$m --weights Ar=0,Kr=1 --component zz" brick.mbf
    # shellcheck disable=SC2086
    "$EMU" -q $m brick.mbf -o plain.cf
    # shellcheck disable=SC2086
    "$EMU" -q $m --weights Ar=4,Kr=4 brick.mbf -o four.cf
    # awk reads the numbers of bin2txt exactly
    paste -d ' ' <(bin2txt plain.cf | grep -v '^#') <(bin2txt four.cf | grep -v '^#') | awk '{ for (k = 3; k <= 6; k++) bad += 256 * $k != $(NF / 2 + k) } END { exit bad || NR != 2 }'
    printf '4\n\nO 1 2 3\nH 1 2 3\nO 5 6 7\nH 5 6 7.25\n' | xyz2bin -q --cell 21 --sigma 3.4 --dt 1 -o same.mbf
    alike "--sum ewald:5,7,1e-3 --lags 1 --exclude 2" same.mbf
    left
    alike "$m --component all --exclude 3" brick.mbf
    alike "$m --component all --weights Ar=1,Kr=3 --between 3" oblique.mbf
    mixture 21 f32 skew "17.25 0 0 2.5 16 0 -3 1.5 18" 200
    export EMU_G4=lists
    o="--sum ewald:5,7,1e-3 --lags 3 --exclude 3 --weights Ar=1,Kr=1.5"
    # shellcheck disable=SC2086
    "$EMU" -q $o skew.mbf -o whole.cf
    # shellcheck disable=SC2086
    for k in 1 2 3; do EMU_DEVICES=3 "$EMU" -q $o --devices all --shard $k/3 skew.mbf -o p.$k; done
    frame-merge p.? -o merged.cf
    compare whole.cf merged.cf | grep -q ^identical
}

@test "emulated g4-gpu: shares with weights are the bits of the one run; atoms at one place that do not count" {
    mixture 21 f32 skew "17.25 0 0 2.5 16 0 -3 1.5 18" $(whole 131 200) # more than two groups of 64 steps
    o="--sum taper:4,6 --lags 3 --exclude 3"
    for how in NONE= EMU_G4=lists; do
        # shellcheck disable=SC2086
        env $how "$EMU" -q $o skew.mbf -o whole.cf
        for k in 1 2 3; do
            # shellcheck disable=SC2086
            env $how "$EMU" -q $o --shard $k/3 skew.mbf -o p.$k
        done
        frame-merge p.? -o merged.cf
        compare whole.cf merged.cf | grep -q ^identical
    done
    printf '4\n\nO 1 2 3\nH 1 2 3\nO 5 6 7\nH 5 6 7.25\n' | xyz2bin -q --cell 21 --sigma 3.4 --dt 1 -o same.mbf
    for sum in mic taper ewald; do
        for m in factored fft; do
            alike "--lags 1 --sum $sum --method $m --exclude 2" same.mbf
            fails 2 "$EMU" --lags 1 --sum $sum --method $m --within 2 same.mbf -o out
            [[ $output == *"frame 0: atoms 0 and 1 (counted from 0) are at the same place" ]] || { echo "$output"; false; }
        done
    done
}
