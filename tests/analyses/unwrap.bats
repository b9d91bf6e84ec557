# SPDX-License-Identifier: MIT
# sanitize
# unwrap: positions without jumps across the cell.
# reads: unwrap POSN --molecules 1

load ../helpers

# walk ATOMS STEPS SIGMA: w.mbf wrapped, h.mbf by the heuristic scheme
walk() {
    py forge/breathing_walk "$1" "$2" "$3" w.xyz h.xyz
    for k in w h; do xyz2bin -q --unsorted-ok --dtype f64 --dt 0.1 $k.xyz -o $k.mbf; done
}
rows() { bin2txt "$@" | grep -v '^#'; }
meta() { bin2txt --meta "$2" | sed -n "s/^$1	//p"; }

# slopes FILE...: msd / 6 t at lags 1 and 60
slopes() { msd-cpu --drift keep --lags 61 "$@" | rows | awk '$1 > 0 { d[++n] = $3 / 6 / $1 } END { print d[1], d[60] }'; }

@test "a walk in a cell that breathes and is sheared has the planted D; whole cells added make it wrong" {
    walk 40 1500 0.3
    unwrap -q w.mbf -o u.mbf
    # D = 0.3^2 / 2 / 0.1 ps = 0.45. From 40 x 1500 x 3 numbers, D at lag 1 has an error of sqrt(2 /
    # 180000) = 0.33 %, and at lag 60 of sqrt(2 * 60 * 2/3 / 180000) = 2.1 % (overlapping origins);
    # the limits are four errors
    read -r short long <<<"$(slopes u.mbf)"
    near "$short" 0.45 0.006
    near "$long" 0.45 0.038
    # the heuristic scheme moves an atom that crossed n faces by n times the change of the cell
    read -r short long <<<"$(slopes --unwrapped h.mbf)"
    awk -v s="$short" -v l="$long" 'BEGIN { exit !(s > 0.45 + 0.02 && l > 0.45 + 0.2) }'
}

@test "in a cell that stays: whole vectors, and no step longer than its nearest image" {
    awk "$UNIFORM"'BEGIN { seed(3); L = 11; for (k = 0; k < 30; k++) x[k] = L * uniform()
        for (t = 0; t < 300; t++) { printf "10\nLattice=\"%g 0 0 %g %g 0 0 0 %g\" Properties=species:S:1:pos:R:3\n", L, 5, L, L
            for (i = 0; i < 10; i++) { for (a = 0; a < 3; a++) { x[3 * i + a] += uniform() - 0.5; free[3 * i + a] = x[3 * i + a] }
                c = int(free[3 * i + 2] / L + 100) - 100; b = int(free[3 * i + 1] / L + 100) - 100
                X = free[3 * i] - 5 * b; a = int(X / L + 100) - 100
                printf "Ar %.6f %.6f %.6f\n", X - L * a, free[3 * i + 1] - L * b, free[3 * i + 2] - L * c
                print free[3 * i], free[3 * i + 1], free[3 * i + 2] >"free.txt" } } }' >w.xyz
    xyz2bin -q --unsorted-ok --dtype f64 --dt 1 w.xyz -o w.mbf
    for t in 1 3; do unwrap -t $t w.mbf | rows | awk '{ print $4, $5, $6 }' >got$t; done
    cmp got1 got3
    # ours - free is the same vector in every step of an atom
    paste -d' ' got1 free.txt | awk '{ i = NR % 10; for (a = 1; a <= 3; a++) { d = $a - $(a + 3); if (NR <= 10) first[i, a] = d
        if ((d - first[i, a]) ^ 2 > 1e-8) exit 1 } }'
    [ "$(unwrap w.mbf | content)" = "$(unwrap <(cat w.mbf) | content)" ]
    [ "$(meta data.unwrapped <(unwrap w.mbf))" = tor ]
    fails 2 msd-cpu w.mbf -o out # and says unwrap
    unwrap w.mbf | msd-cpu -o out
    frame-cut 10:200 <(unwrap w.mbf) | msd-cpu -o out # the mark stays
}

@test "steps too coarse to tell are refused, with frame, atom and the step that would do; nearly so, warned of" {
    walk 20 40 1.0
    unwrap w.mbf -o u.mbf 2>err
    grep -Eq 'atom [0-9]+, frame [0-9]+: the move in one step is 0\.[0-9]+ of half the smallest cell width.*frames should be at most 0\.0[0-9]+ ps apart' err
    walk 20 40 4.0
    fails 2 unwrap w.mbf -o u2.mbf
    [[ $output == *"frame 1: atom "*"half the smallest cell width"*"frames should be at most 0.0"*" ps apart, but are 0.1 ps apart"* ]]
    [ ! -e u2.mbf ]
}

@test "--molecules: whole, each atom at the nearest image of the one before it" {
    # three chains of three atoms, 1.5 A apart along z, in a cell of 9; they move, and some cross
    # the face
    awk 'BEGIN { for (t = 0; t < 40; t++) { print "9\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3"
        for (m = 0; m < 3; m++) for (i = 0; i < 3; i++) printf "%s %.4f %.4f %.4f\n", i ? "H" : "O", 3 * m, 1, (7 + m + 1.5 * i + 0.4 * t) % 9 } }' >m.xyz
    xyz2bin -q --unsorted-ok --dtype f64 --dt 1 m.xyz -o m.mbf
    printf '0 1 2\n3,4,5\n6 7 8\n' >list
    for how in 3 list; do
        unwrap --molecules $how m.mbf -o w.mbf
        rows w.mbf | awk '{ z[NR] = $NF } NR % 3 != 1 { d = z[NR] - z[NR - 1] - 1.5; if (d * d > 1e-16) exit 1 }'
    done
    [[ $(meta data.molecules w.mbf) == "3 molecules, FNV-1a "???????????????? ]]
    # centres of mass move by 0.4 per step
    msd-cpu --drift keep --molecules 3 w.mbf | rows | awk '$1 == 20 { d = $3 - 64; exit !(d * d < 1e-12) }'
    fails 2 unwrap --molecules 4 m.mbf -o out
    # three molecules as one molecule: the message reports this, and not too coarse steps
    printf '0 3 6\n' >list
    sed 's/9 0 0 0 9 0 0 0 9/5 0 0 0 5 0 0 0 5/' m.xyz | awk 'NF == 4 { $2 = ($2 * 0.8) % 5 } { print }' | xyz2bin -q --unsorted-ok --dtype f64 --dt 1 -o near.mbf
    fails 2 unwrap --molecules list near.mbf -o out
    [[ $output == *"frame 0: atom 6: expected a distance of at most 2.5 A (half the smallest cell width) from the preceding atom of its molecule, found "*" A (check the list of --molecules)"* ]] || { echo "$output"; false; }
    [ ! -e out ]
}

@test "--drift subtract: the centre of mass stays; velocities, times and cells pass" {
    traj2bin --velocities --unsorted-ok "$DATA/formats/water10.trr" --species 'O 1 H 2 O 1 H 2 O 1 H 2 O 1' -o t.mbf
    unwrap --drift subtract t.mbf -o u.mbf
    traj2bin --velocities --unsorted-ok --dtype f64 "$DATA/formats/water10.trr" --species 'O 1 H 2 O 1 H 2 O 1 H 2 O 1' | unwrap --drift subtract -o u64.mbf
    paste <(rows u.mbf) <(rows u64.mbf) | awk '{ for (k = 1; k <= NF / 2; k++) if (($k - $(k + NF / 2)) ^ 2 > 1e-10) exit 1 } END { exit NR != 30 }'
    [ "$(frame-check -v t.mbf | grep -c VELO)" = "$(frame-check -v u.mbf | grep -c VELO)" ]
    bin2txt u.mbf | grep -v '^#' | awk '{ m = $3 % 3 ? 1.008 : 15.999; x[$1] += m * $4; y[$1] += m * $5; z[$1] += m * $6; w[$1] += m }
        END { for (s in x) { n++; if ((x[s] - x[0]) ^ 2 + (y[s] - y[0]) ^ 2 + (z[s] - z[0]) ^ 2 > 1e-6) exit 1 } exit n != 3 }'
}

@test "--scheme images: of who has them, with a warning where the cell changes; tor mends it" {
    awk 'BEGIN { for (t = 0; t < 30; t++) { L = 10 + (t % 2); x = 9.5 + 0.1 * t; n = 0; while (x >= L) { x -= L; n++ }
        printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 %g\n0 %g\n0 %g\nITEM: ATOMS id x y z ix iy iz\n1 %.5f 1 1 %d 0 0\n", t, L, L, L, 0.5 + 0.1 * t, 3 } }' >i.dump
    traj2bin -q --units real --unwrap --dt 1 --unsorted-ok i.dump -o i.mbf
    [ "$(meta data.unwrapped i.mbf)" = images ]
    unwrap --scheme images i.mbf -o u.mbf 2>err
    grep -q 'the cell changes: with image flags, atoms that crossed a face of the cell move with the cell' err
    rows i.mbf | cmp - <(rows u.mbf)
    for f in i u; do
        msd-cpu --drift keep $f.mbf -o out 2>err
        grep -q "msd-cpu: warning: $f.mbf: the cell changes, but the positions were unwrapped with image flags" err
    done
    unwrap -q i.mbf | msd-cpu --drift keep -o out 2>err
    [ ! -s err ]
    # x + 3 L jumps by 3 A if the cell changes; the minimum image of the displacement does not
    unwrap -q i.mbf | rows | awk 'NR > 1 { d = $4 - last - 0.1; if (d * d > 1e-9) exit 1 } { last = $4 }'
    traj2bin -q --units real --dt 1 --unsorted-ok i.dump -o plain.mbf
    fails 2 unwrap --scheme images plain.mbf -o out
    [[ $output == *"traj2bin --unwrap"* ]]
}

@test "a cell that is not periodic, segments, an ERR from before" {
    awk 'BEGIN { for (t = 0; t < 3; t++) print "1\nx\nAr", 5 * t, 0, 0 }' >f.xyz
    xyz2bin -q --pbc none --dt 1 --unsorted-ok f.xyz -o f.mbf
    unwrap f.mbf -o u.mbf 2>err
    grep -q 'not periodic, so no position is wrapped' err
    rows f.mbf | cmp - <(rows u.mbf)
    [ "$(content <(cat f.mbf f.mbf | unwrap -q) | wc -l)" = 2 ]
    head -c 500 f.mbf >cut
    fails 2 unwrap cut -o out
    [ ! -e out ]
}

@test "each axis of an orthorhombic cell counts by its own width" {
    # a thin cell: moves of 1.5 A per step along x (edge 20 A), and of 0.01 A along z (edge 0.4 A)
    awk 'BEGIN { for (t = 0; t < 30; t++) { print "1\nLattice=\"20 0 0 0 20 0 0 0 0.4\" Properties=species:S:1:pos:R:3"
        print "A", (1.5 * t) % 20, 1, (0.01 * t) % 0.4 } }' | xyz2bin -q --dt 1 --unsorted-ok -o thin.mbf
    unwrap thin.mbf -o u.mbf 2>err
    [ ! -s err ]
    rows u.mbf | awk '{ d = $4 - 1.5 * $1; e = $6 - 0.01 * $1; if (d * d > 1e-8 || e * e > 1e-8) exit 1 } END { exit NR != 30 }'
    # a move along z is reported when it is nearly half of the thin width
    awk 'BEGIN { for (t = 0; t < 30; t++) { print "1\nLattice=\"20 0 0 0 20 0 0 0 0.4\" Properties=species:S:1:pos:R:3"
        print "A", (1.5 * t) % 20, 1, (0.19 * t) % 0.4 } }' | xyz2bin -q --dt 1 --unsorted-ok -o fast.mbf
    unwrap fast.mbf -o u.mbf 2>err
    grep -q 'is 0.96 of half the smallest cell width' err
}
