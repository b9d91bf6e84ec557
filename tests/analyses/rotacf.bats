# SPDX-License-Identifier: MIT
# sanitize
# rotacf-cpu: a planar rotor in closed form, shards, refusals.
# reads: rotacf-cpu POSN --axis Ar-Ar --molecules 2 --lags 4
# options: rotacf-cpu shares in --axis=O-H --molecules=3 --lags=8
# option: rotacf-cpu axis O-H H-O-H
# option: rotacf-cpu molecules 3 6
# option: rotacf-cpu lags 5 6
# option: rotacf-cpu tmax 0.05 0.07
# option: rotacf-cpu blocks 4 6
load ../helpers

rows() { bin2txt "$1" | grep -v '^#'; }

@test "a planar rotor: cos wt and (1 + 3 cos 2wt)/4 to 1e-12, wrapped; both methods; the normal is 1" {
    awk 'BEGIN { for (t = 0; t < 60; t++) { printf "3\nLattice=\"10 0 0 0 10 0 0 0 10\" pbc=\"T T T\" Properties=species:S:1:pos:R:3\n"
        x = 9.9 + cos(0.1 * t); y = sin(0.1 * t); printf "O 9.9 0 5\nH %.17g %.17g 5\nH %.17g %.17g 5\n", (x >= 10 ? x - 10 : x), (y < 0 ? y + 10 : y), 9.9 - sin(0.1 * t), cos(0.1 * t) } }' |
        xyz2bin -q --dtype f64 --unsorted-ok --dt 1 - -o rotor.mbf
    for m in fft window; do
        rotacf-cpu -q --axis O-H --molecules 3 --lags 60 --method $m --blocks 1 rotor.mbf -o c
        rows c | awk '{ a = $3 - cos(0.1 * $1); b = $4 - (1 + 3 * cos(0.2 * $1)) / 4; if (a * a > 1e-24 || b * b > 1e-24) { print; bad = 1 } n++ } END { exit bad || n != 60 }'
    done
    rotacf-cpu -q --axis H-O-H --molecules 3 --lags 60 --blocks 1 rotor.mbf -o c
    rows c | awk '{ if (($3 - 1) ^ 2 > 1e-24 || ($4 - 1) ^ 2 > 1e-24) exit 1 }'
}

@test "refused: a missing atom, an axis without length, no axis" {
    printf '2\nc\nO 1 1 1\nH 2 1 1\n2\nc\nO 1 1 1\nH 1 1 1\n' | xyz2bin -q --dt 1 --unsorted-ok - -o x.mbf
    run rotacf-cpu --axis O-N --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"found none left in molecule 0"* ]]
    run rotacf-cpu --axis O-H --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"frame 1: "*"molecule 0"* ]]
    run rotacf-cpu --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"found no --axis"* ]]
}

@test "water: two parts give the bits of one run" {
    w="$BATS_TEST_DIRNAME/../data/water64.mbf"
    rotacf-cpu -q --axis O-H --molecules 3 --lags 80 "$w" -o whole
    for k in 1 2; do rotacf-cpu -q --axis O-H --molecules 3 --lags 80 --shard $k/2 "$w" -o part.$k; done
    frame-merge -q part.1 part.2 -o merged
    [[ $(rows merged) == "$(rows whole)" ]]
}
