# SPDX-License-Identifier: MIT
# sanitize
# rotacf-cpu: a planar rotor in closed form, shards, refusals.
# reads: rotacf-cpu POSN --axis Ar-Ar --molecules 2 --lags 4
# options: rotacf-cpu shares in --axis=O-H --molecules=3 --lags=8
# option: rotacf-cpu axis O-H H-O-H
# option: rotacf-cpu integral: what bin2txt shows
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

@test "refused: a missing atom, an axis without length, no axis, no names, charges that are missing or do not add up" {
    printf '2\nc\nO 1 1 1\nH 2 1 1\n2\nc\nO 1 1 1\nH 1 1 1\n' >x.xyz
    xyz2bin -q --dt 1 --unsorted-ok x.xyz -o x.mbf
    run rotacf-cpu --axis O-N --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"--axis O-N: too few atoms are named N in each of the 1 molecules"* ]]
    run rotacf-cpu --axis O --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"expected A-B, A-B-C or dipole, found O"* ]]
    run rotacf-cpu --axis O-H --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"frame 1: "*"found length 0 in molecule 0"* ]]
    run rotacf-cpu --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"found no --axis"* ]]
    run rotacf-cpu --axis dipole --molecules 2 x.mbf
    [[ $status -eq 2 && $output == *"expected the charges of the atoms"*"--charges"* ]]
    xyz2bin -q --dt 1 --unsorted-ok --charges O=-1,H=0.5 x.xyz -o q.mbf
    run rotacf-cpu --axis dipole --molecules 2 q.mbf
    [[ $status -eq 2 && $output == *"frame 0: expected a neutral molecule, found a charge of -0.5 in molecule 0"* ]]
    xyz2bin -q --dt 1 --unsorted-ok --charges O=-1,H=1 x.xyz -o q.mbf
    run rotacf-cpu --axis dipole --molecules 1 q.mbf
    [[ $status -eq 2 && $output == *"expected molecules of at least two atoms, found none"* ]]
    run rotacf-cpu --axis dipole --molecules 2 q.mbf
    [[ $status -eq 2 && $output == *"frame 1: "*"found length 0 in molecule 0"* ]]
    traj2bin -q "$DATA/formats/water10.xtc" -o nameless.mbf
    run rotacf-cpu --axis O-H --molecules 2 nameless.mbf
    [[ $status -eq 2 && $output == *"--axis O-H: expected atoms with names, found none (name the atoms, e.g. traj2bin --species '"* ]]
}

@test "water: two parts give the bits of one run" {
    w="$BATS_TEST_DIRNAME/../data/water64.mbf"
    rotacf-cpu -q --axis O-H --molecules 3 --lags 80 "$w" -o whole
    for k in 1 2; do rotacf-cpu -q --axis O-H --molecules 3 --lags 80 --shard $k/2 "$w" -o part.$k; done
    frame-merge -q part.1 part.2 -o merged
    [[ $(rows merged) == "$(rows whole)" ]]
}

@test "water: C and M of a bond, a normal and a dipole are those of a double loop over steps and molecules; the integral is a trapezoid" {
    frame-cut -q 0:30 "$DATA/water64.mbf" | bin2xyz | xyz2bin -q --unsorted-ok --charges O=-0.8476,H=0.4238 - -o w.mbf
    for axis in O-H H-O-H dipole; do
        rotacf-cpu -q --axis $axis --molecules 3 --lags 4 --integral w.mbf -o c
        rotacf-cpu -q --axis $axis --molecules 3 --lags 4 --integral --method fft --blocks 3 w.mbf -o fft
        bin2xyz w.mbf | awk -v axis=$axis '/^(O|H)/ { for (a = 0; a < 3; a++) r[t, n, a] = $(2 + a); n++ } /^192/ { t = t == "" ? 0 : t + 1; n = 0 }
            function near(d) { return d - 12.417 * int(d / 12.417 + (d > 0 ? 0.5 : -0.5)) }
            END { steps = t + 1; for (s = 0; s < steps; s++) for (m = 0; 3 * m < n; m++) {
                    for (a = 0; a < 3; a++) { u[a] = near(r[s, 3 * m + 1, a] - r[s, 3 * m, a]); v[a] = near(r[s, 3 * m + 2, a] - r[s, 3 * m, a]) }
                    if (axis == "dipole") for (a = 0; a < 3; a++) u[a] += v[a]
                    if (axis == "H-O-H") { for (a = 0; a < 3; a++) w[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3]; for (a = 0; a < 3; a++) u[a] = w[a] }
                    l = sqrt(u[0]^2 + u[1]^2 + u[2]^2); for (a = 0; a < 3; a++) x[s, m, a] = u[a] / l }
                for (k = 0; k < 4; k++) { for (c = 0; c < 4; c++) f[c] = 0
                    for (s = 0; s + k < steps; s++) for (m = 0; 3 * m < n; m++) for (j = 0; 3 * j < n; j++) {
                        c = x[s, m, 0] * x[s + k, j, 0] + x[s, m, 1] * x[s + k, j, 1] + x[s, m, 2] * x[s + k, j, 2]; p = (3 * c * c - 1) / 2
                        f[2] += c; f[3] += p; if (m == j) { f[0] += c; f[1] += p } }
                    line = ""
                    for (c = 0; c < 4; c++) line = line " " f[c] * 3 / n / (steps - k)
                    print substr(line, 2) } }' OFMT=%.12g CONVFMT=%.12g >want
        for of in c fft; do
            rows $of | paste -d' ' - want | awk '{ n = NF - 4; dt = $1 - t; t = $1
                for (k = 1; k < 5; k++) { if (($(k + 2) - $(n + k))^2 > 4e-12) bad = 1
                    sum[k] += NR > 1 ? dt / 2 * ($(k + 2) + was[k]) : 0; was[k] = $(k + 2); if (($(k + 6) - sum[k])^2 > 1e-20) bad = 1 }
                if (bad) { print; exit } } END { exit bad || NR != 4 }'
        done
    done
}

@test "molecules without the axis are left out: ions in water; passes of a small memory give the bits of one" {
    frame-cut -q 0:200 "$DATA/water64.mbf" | bin2xyz -o w.xyz
    { sed 's/^192$/193/' w.xyz | awk '/^193/ { n = 2 } { print } n && !--n { print "Na 1 2 3 0 0 0" }'; } | xyz2bin -q --unsorted-ok --charges O=-0.8,H=0.4,Na=1 - -o ion.mbf
    seq 1 3 190 | awk '{ print $1, $1 + 1, $1 + 2 }' >molecules
    for axis in O-H dipole; do
        rotacf-cpu -q --axis $axis --molecules molecules ion.mbf -o c
        xyz2bin -q --unsorted-ok --charges O=-0.8,H=0.4 w.xyz | rotacf-cpu -q --axis $axis --molecules 3 -o want
        [[ $(rows c) == "$(rows want)" ]]
    done
    rotacf-cpu --axis O-H --molecules 3 --blocks 2 --max-mem 1400K "$DATA/water64.mbf" -o small 2>said
    grep -q "The file is read 4 times" said
    rotacf-cpu -q --axis O-H --molecules 3 --blocks 2 "$DATA/water64.mbf" -o large
    [[ $(rows small) == "$(rows large)" ]]
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
    rotacf-cpu -q --axis A-B --molecules 2 --lags 80 --integral d.mbf -o c
    bin2txt -q c | awk '!/^#/ && $1 > 0 && $1 < 21 && $1 % 5 == 0 {
        # with steps of finite length, the decay is 1 % slower than in the limit
        for (l = 1; l < 3; l++) if (($(2 + l) / exp(-l * (l + 1) * 0.01 * $1) - 1)^2 > (0.02 + 4 * $(10 + l))^2 || !($(10 + l) > 0)) { print; bad = 1 }
        n++ } END { exit bad || n != 4 }'
    # 2 tau_2 = 1/(3 D) from the integral, the spectrum at 0, and R1 and R2 of deuterons, which are
    # 3 pi^2/2 chi^2 tau_2
    rows c | tail -n 1 | awk '{ print 2 * $8, 2 * $16 }' >two
    fft-spectrum -q --unit THz c | bin2txt | awk '!/^#/ { print $3, $7; exit }' >>two
    nmr-rates -q --spin 2H --quadrupolar 256 c | bin2txt | awk '!/^#/ { k = 3 * 3.141592653589793^2 / 4 * 256e3^2 * 1e-12; print $2 / k, $4 / k; print $3 / k, $5 / k; exit }' >>two
    awk '($1 * 0.03 - 1)^2 > (0.02 + 4 * 0.03 * $2)^2 || !($2 > 0 && $2 < 4) { print; bad = 1 } END { exit bad || NR != 4 }' two
}

@test "a sample that changed is reported, but not after --from" {
    # a molecule of two atoms turns by 0.1 or, in the first tenth of the run, by 0.4 per step
    awk "$(<"$BATS_TEST_DIRNAME/../random.awk")"' BEGIN { seed(3); for (t = 0; t < 1000; t++) { print "16\nc"
        for (m = 0; m < 8; m++) { a[m] += (t < 100 ? 0.4 : 0.1) * (uniform() < 0.5 ? -1 : 1) * (0.5 + uniform()); x = 3 * m
            printf "O %.9g 0 5\nH %.9g %.9g 5\n", x, x + cos(a[m]), sin(a[m]) } } }' | xyz2bin -q --unsorted-ok --jumps-ok --pbc none --dt 0.1 - -o changed.mbf
    rotacf-cpu --axis O-H --molecules 2 --lags 5 changed.mbf -o out 2>err
    grep -q 'C_.* at lag 1 is .* in the first 1[0-9] % of the run and .* a change of .* standard errors.*\. The results and their errors do not describe one state of equilibrium' err || { cat err; false; }
    nmr-rates --spin 2H --quadrupolar 256 out -o rates 2>err
    grep -q '^nmr-rates: warning: out: C_.* at lag 1 is' err
    bin2txt -q rates | grep -q '^## changed C_.* at lag 1 is'
    rotacf-cpu --axis O-H --molecules 2 --lags 5 --from 15 changed.mbf -o out 2>err
    ! grep -q 'a change of' err
}

@test "the scatter between molecules: its definition, both methods" {
    # every second axis turns by steps that are a sixth as long
    awk "$UNIFORM"'BEGIN { seed(8); for (t = 0; t < 290; t++) { row = ""; print "20\n" >"d.xyz"
        for (m = 0; m < 10; m++) { for (a = 0; a < 3; a++) x[m, a] = (t ? x[m, a] : 0) + (t && m % 2 ? 0.1 : 0.6) * (uniform() - 0.5)
            n = sqrt(x[m, 0]^2 + x[m, 1]^2 + x[m, 2]^2); line = "H"
            for (a = 0; a < 3; a++) { x[m, a] /= n; line = line sprintf(" %.12f", x[m, a]); row = row sprintf(" %.12f", x[m, a]) }
            print "O 0 0 0\n" line >"d.xyz" }
        print row >"u.txt" } }'
    xyz2bin -q --dt 1 --dtype f64 --unsorted-ok --jumps-ok --pbc none d.xyz -o d.mbf
    for options in "--method fft" "--method window --lags 200"; do
        # shellcheck disable=SC2086
        rotacf-cpu -q --axis O-H --molecules 2 $options d.mbf -o c
        [ -z "$(py oracle/lasting C u.txt "$(bin2txt --meta c | sed -n 's/^data.scatter	//p')" | tee /dev/stderr)" ]
    done
    # the error contains the scatter, in terms of C log C
    bin2txt --meta c | awk '$1 == "data.scatter" { for (k = 3; k <= 4; k++) { split($k, e, ":"); print e[3], e[4], e[5] } }' >e
    rows c | awk 'NR == FNR { for (k = 1; k <= 3; k++) e[NR, k] = $k; next } FNR > 1 && FNR < 18 { k = FNR <= 5 ? 1 : 2
        for (l = 1; l <= 2; l++) { f = e[l, k] > 0 ? -$(2 + l) * log($(2 + l)) * sqrt(e[l, k]) : 0; if (f > 0) some = 1; if ($(6 + l) < f) { print; bad = 1 } } } END { exit bad || !some }' e -
}
