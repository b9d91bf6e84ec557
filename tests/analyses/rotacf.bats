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
    [[ $status -eq 2 && $output == *"found no further atom N in molecule 0 (counted from 0)"* ]]
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

@test "water: C_1 and C_2 of a bond and of a normal are those of a double loop over pairs of steps" {
    frame-cut -q 0:40 "$DATA/water64.mbf" -o w.mbf
    for axis in O-H H-O-H; do
        rotacf-cpu -q --axis $axis --molecules 3 --lags 9 w.mbf -o c
        bin2txt --digits 9 w.mbf | awk -v axis=$axis '!/^#/ { for (a = 0; a < 3; a++) r[$1, $3, a] = $(4 + a); steps = $1 + 1; atoms = $3 + 1 }
            function near(d) { return d - 12.417 * int(d / 12.417 + (d > 0 ? 0.5 : -0.5)) }
            END { for (t = 0; t < steps; t++) for (m = 0; 3 * m < atoms; m++) {
                    for (a = 0; a < 3; a++) { u[a] = near(r[t, 3 * m + 1, a] - r[t, 3 * m, a]); v[a] = near(r[t, 3 * m + 2, a] - r[t, 3 * m, a]) }
                    if (axis != "O-H") { for (a = 0; a < 3; a++) w[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3]; for (a = 0; a < 3; a++) u[a] = w[a] }
                    n = sqrt(u[0]^2 + u[1]^2 + u[2]^2); for (a = 0; a < 3; a++) x[t, m, a] = u[a] / n }
                for (k = 0; k < 9; k++) { one = two = n = 0
                    for (t = 0; t + k < steps; t++) for (m = 0; 3 * m < atoms; m++) { c = 0
                        for (a = 0; a < 3; a++) c += x[t, m, a] * x[t + k, m, a]
                        one += c; two += (3 * c * c - 1) / 2; n++ }
                    printf "%.12g %.12g\n", one / n, two / n } }' >want
        rows c | cut -d' ' -f3,4 | paste -d' ' - want | awk '{ for (k = 1; k < 3; k++) if (($k - $(k + 2))^2 > 4e-14) { print; bad = 1 } } END { exit bad || NR != 9 }'
    done
}

@test "rotational diffusion: C_l decays with l (l + 1) D" {
    # axes turn by a small random angle per step: D = 0.01 per step of 1 ps, 200 dumbbells
    awk "$UNIFORM"'function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN { seed(5); s = sqrt(0.02)
            for (t = 0; t < 300; t++) { print 400; print ""
                for (m = 0; m < 200; m++) {
                    for (a = 0; a < 3; a++) x[m, a] = t ? x[m, a] + s * normal() : normal()
                    n = sqrt(x[m, 0]^2 + x[m, 1]^2 + x[m, 2]^2)
                    for (a = 0; a < 3; a++) x[m, a] /= n
                    printf "A 0 0 0\nB %.9g %.9g %.9g\n", x[m, 0], x[m, 1], x[m, 2] } } }' |
        xyz2bin -q --dt 1 --pbc none -o d.mbf
    rotacf-cpu -q --axis A-B --molecules 2 --lags 21 d.mbf | bin2txt | awk '!/^#/ && $1 > 0 && $1 % 5 == 0 {
        # steps of a finite length: the decay is 1 % slower than in the limit
        for (l = 1; l < 3; l++) if (($(2 + l) / exp(-l * (l + 1) * 0.01 * $1) - 1)^2 > (0.02 + 4 * $(4 + l))^2 || !($(4 + l) > 0)) { print; bad = 1 }
        n++ } END { exit bad || n != 4 }'
}
