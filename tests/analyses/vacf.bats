# SPDX-License-Identifier: MIT
# sanitize
# vacf-cpu: velocity autocorrelation functions.
# reads: vacf-cpu VELO --lags 4
# rounds: vacf-cpu

load ../helpers

rows() { bin2txt "$@" | grep -v '^#'; }
head_of() { bin2txt "$1" | head -n 1; }
meta() { bin2txt --meta "$2" | sed -n "s/^$1	//p"; }

# moving ATOMS FILE: lines "name x y z vx vy vz" of stdin (A, A/ps), frame after frame, as FILE,
# f64, 0.1 ps apart
moving() {
    awk -v n="$1" '(NR - 1) % n == 0 { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\nITEM: ATOMS id element x y z vx vy vz\n", t++, n }
        { print (NR - 1) % n + 1, $0 }' >v.dump
    traj2bin -q --units metal --velocities --unsorted-ok --dtype f64 --dt 0.1 v.dump -o "$2"
}

# gas ATOMS STEPS: normal velocities of width 2, independent in every step (names A, B, B)
gas() {
    awk -v n="$1" -v steps="$2" "$UNIFORM"'function normal() { return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN { seed(9); for (k = 0; k < n * steps; k++) printf "%s 0 0 0 %.9f %.9f %.9f\n", k % n % 3 ? "B" : "A", 2 * normal(), 2 * normal(), 2 * normal() }'
}

# products TABLE LAGS [COLUMN...]: lag and sum of v(0).v(t) by definition, from one row "vx vy vz
# ..." per step, as the mean over points (all)
products() {
    awk -v lags="$2" -v points="${3:-all}" '{ for (k = 1; k <= NF; k++) v[NR, k] = $k; n = NF }
        END { m = split(points, p, ","); if (points == "all") { m = n / 3; for (i = 1; i <= m; i++) p[i] = i - 1 }
            for (l = 0; l < lags; l++) { s = 0; for (t = 1; t + l <= NR; t++) for (i = 1; i <= m; i++) for (a = 1; a <= 3; a++) s += v[t, 3 * p[i] + a] * v[t + l, 3 * p[i] + a]
                printf "%d %.17g\n", l, s / m / (NR - l) } }' "$1"
}

# same OURS COLUMN WANT TOL: equal relative to the largest value
same() {
    paste -d' ' "$1" "$3" | awk -v c="$2" -v tol="$4" '{ w = $NF; d = $c - w; if (d < 0) d = -d; if (d > worst) worst = d; if (w < 0) w = -w; if (w > top) top = w }
        END { if (!(NR > 1 && worst <= tol * top)) { print "off by " worst " of " top; exit 1 } }'
}

@test "both methods: the sum of the definition to 1e-12, species, weights, axes" {
    gas 6 50 >g.txt
    moving 6 v.mbf <g.txt
    awk '{ row = row " " $5 " " $6 " " $7; if (NR % 6 == 0) { print row; row = "" } }' g.txt >v.txt
    for m in fft window "fft --blocks 3"; do # by themselves, blocks are of one step here
        # shellcheck disable=SC2086
        vacf-cpu --drift keep --apart --lags 50 --method $m v.mbf -o v.c
        [[ $(head_of v.c) == "# t_ps origins vacf vacf_x vacf_y vacf_z vacf_A vacf_A_x"* ]]
        rows v.c >got
        products v.txt 50 >want
        same got 3 want 1e-12
        products v.txt 50 0,3 >want
        same got 7 want 1e-12
        awk '{ d = $3 - $4 - $5 - $6; if (d * d > 1e-24) exit 1 }' got
    done
    # without the drift of the centre of mass, for masses 2 and 5 (24 in total)
    awk '{ for (k = 1; k <= NF; k++) m[k] = int((k - 1) / 3) % 3 ? 5 : 2
        for (a = 1; a <= 3; a++) { d[a] = 0; for (k = a; k <= NF; k += 3) d[a] += m[k] * $k / 24 }
        for (k = 1; k <= NF; k++) printf "%.17g ", $k - d[(k - 1) % 3 + 1]; print "" }' v.txt >d.txt
    vacf-cpu --masses A=2,B=5 --lags 50 v.mbf | rows >got
    products d.txt 50 >want
    same got 3 want 1e-12
    # 0.10364269656 meV a u A^2/ps^2; sums over atoms
    vacf-cpu --drift keep --weights mass --masses A=2,B=5 --lags 50 v.mbf -o m.c
    [[ $(head_of m.c) == "# t_ps origins mvv_3NkT_meV mvv_3NkT_meV_A mvv_3NkT_meV_B"* ]]
    [ "$(meta data.unit m.c)" = meV ]
    rows m.c >got
    products v.txt 50 0,3 | awk '{ printf "%d %.17g\n", $1, $2 * 2 * 2 * 0.10364269656262175 }' >a
    products v.txt 50 1,2,4,5 | awk '{ printf "%d %.17g\n", $1, $2 * 4 * 5 * 0.10364269656262175 }' >b
    paste -d' ' a b | awk '{ printf "%d %.17g\n", $1, $2 + $4 }' >all
    same got 3 all 1e-12
    same got 4 a 1e-12
    same got 5 b 1e-12
    vacf-cpu --drift keep --weights A=2,B=-0.5 --lags 50 v.mbf -o w.c
    [[ $(head_of w.c) == "# t_ps origins wvv wvv_A wvv_B"* ]]
    rows w.c >got
    products v.txt 50 0,3 >a
    products v.txt 50 1,2,4,5 >b
    paste -d' ' a b | awk '{ printf "%d %.17g\n", $1, (2 * 2 * $2 - 0.5 * 4 * $4) / 6 }' >want
    same got 3 want 1e-12
}

@test "an ideal gas: lag 0 is three times the square of a component, later lags are 0 within their errors" {
    gas 40 1000 | moving 40 g.mbf
    vacf-cpu --drift keep --lags 20 g.mbf | rows >got
    # <v²> = 3 * 4; 120,000 numbers give an error of sqrt(2 / 120000) = 0.4 %; limit: four errors
    near "$(awk 'NR == 1 { print $3 }' got)" 12 0.2
    # z of 19 lags: each below 4, their mean square near 1 (0.4 to 2: a chi² of 19 leaves that in 1
    # of 1,000)
    awk 'NR > 1 { z = $3 / $6; s += z * z; n++; if (z * z > 16) bad = 1 } END { s /= n; exit bad || !(s > 0.3 && s < 2.2) }' <(vacf-cpu --drift keep --lags 20 g.mbf | rows | awk '{ print $1, $2, $3, $4, $5, $(NF - 2) }')
}

@test "a harmonic atom: cos wt, and all of the spectrum in its line, kT a degree of freedom" {
    # 4,000 steps are a whole number of periods of 40 steps of x = sin wt along one axis
    awk 'BEGIN { w = 2 * 3.14159265358979323846 / 4; for (t = 0; t < 4000; t++) printf "Ar %.12f 0 0 %.12f 0 0\n", sin(w * t / 10), w * cos(w * t / 10) }' | moving 1 h.mbf
    for m in fft window; do
        vacf-cpu --drift keep --lags 200 --method $m h.mbf | rows |
            awk '{ w = 2 * 3.14159265358979323846 / 4; want = w * w / 2 * cos(w * $1); d = $3 - want; if (d * d > (0.03 * w * w / 2) ^ 2) exit 1; if ($1 % 4 == 0 && d * d > 1e-4) bad = 1 } END { exit bad }'
    done
    vacf-cpu --drift keep --weights mass --lags 400 h.mbf -o m.c
    fft-spectrum -q --window hann --unit THz m.c -o m.s
    [[ $(head_of m.s) == "# nu_THz I_mvv_3NkT_meV"* ]]
    # the integral over both signs equals lag 0, and the line is at 1/4 ps
    rows m.s >s
    c0=$(rows m.c | awk 'NR == 1 { print $3 }')
    near "$(awk '{ n[NR] = $1; I[NR] = $2 } END { for (k = 2; k < NR; k++) s += 2 * I[k]; printf "%.15g", (s + I[1] + I[NR]) * n[2] }' s)" "$c0" "$(awk -v c="$c0" 'BEGIN { print 1e-9 * c }')"
    near "$(awk '$2 > top { top = $2; at = $1 } END { print at }' s)" 0.25 0.013
}

@test "an LJ liquid at (0.722, 0.8442): lag 0 is 3 kT/m, D by velocities is D by displacements and the published one" {
    n=$(whole 12000 60000)
    md-cpu -q --units lj --start random --atoms 256 --density 0.8442 --temperature 0.722 --thermostat berendsen:2 --equilibrate 10000 --steps "$n" --every 20 --velocities --thermo th.txt -o md.mbf
    T=$(awk '!/^#/ { s += $3; n++ } END { print s / n }' th.txt)
    vacf-cpu --lags 60 --integral md.mbf -o v.c
    bin2txt -q v.c | grep -q '^## unit.of t_ps:tau .* vacf:epsilon/m int_vacf:epsilon/m\*tau' # reduced units
    # the centre of mass is at rest: kT of 3 N - 3 degrees of freedom, distributed over 3 N. T of
    # the table and v are from the same steps
    near "$(rows v.c | awk -v T="$T" 'NR == 1 { print $3 / (3 * T) * 256 / 255 }')" 1 1e-4
    unwrap -q md.mbf | msd-cpu --lags 60 -o m.c
    # (msd(b) - msd(a)) / 6 (b - a) is the mean of the running integral between; trapezoids of 0.1
    # are 1 % off (0.004 at lag 0.1's bend)
    slope=$(rows m.c | awk '$1 > 2.95 && $1 < 3.05 { a = $1; x = $3 } $1 > 5.85 && $1 < 5.95 { print ($3 - x) / 6 / ($1 - a) }')
    integral=$(rows v.c | awk '$1 > 2.95 && $1 < 5.95 { s += $4 / 3; n++ } END { print s / n }')
    near "$slope" "$integral" "$(whole 0.002 0.0012)"
    # D of infinitely many atoms, D(N) + 2.837297 T / (6 pi eta L), eta 3.24 (STACIE, J. Chem. Inf.
    # Model. 65 (2025) 10445): 0.0351 by Levesque and Verlet, Phys. Rev. A 2 (1970) 2514, (0.006423
    # T/rho^2 + 0.0222 - 0.028 rho) sqrt(48). The error of this run: 3 % (5 times the steps: 1.4 %),
    # of their line 3 %
    near "$(awk -v D="$slope" -v T="$T" 'BEGIN { print D + 2.837297 * T / (6 * 3.14159265 * 3.24 * 6.71838) }')" 0.0351 "$(whole 0.0035 0.0022)"
    [ "$(meta data.unit v.c)" = epsilon/m ]
    [ "$(meta data.unit m.c)" = 'sigma^2' ]
}

@test "a sample that changed is reported by vacf, msd and acf, and not after --from" {
    # velocities and displacements per step are 4 times as large in the first tenth of the run
    gas 20 1000 | awk '{ k = (NR - 1) % 20; f = NR <= 2000 ? 4 : 1
        for (a = 0; a < 3; a++) { $(5 + a) *= f; x[k, a] += $(5 + a) * 0.1; $(2 + a) = x[k, a] } print }' | moving 20 changed.mbf
    awk 'BEGIN { for (t = 0; t < 1000; t++) print (t < 100 ? 4 : 1) * (t % 7 - 3) }' | txt2bin -q --dt 0.1 -o series.mbf
    for p in "vacf-cpu --drift keep:vacf:changed.mbf" "msd-cpu --drift keep:msd:changed.mbf" "acf:c1:series.mbf"; do
        IFS=: read -r run name in <<<"$p"
        $run --lags 5 "$in" -o out 2>err
        grep -q "$name.* is .* in the first 1[0-9] % of the run and .* The results and their errors do not describe one state of equilibrium" err || { echo "$p: $(<err)"; false; }
        $run --lags 5 --from 15 "$in" -o out 2>err # the remedy
        [ ! -s err ] || { echo "$p: $(<err)"; false; }
    done
}

@test "molecules: centres of mass; drift; the same bits for threads, pipes and shares" {
    gas 6 200 | moving 6 v.mbf
    printf '0 1 2\n3 4 5\n' >molecules
    for how in "" "--lags 70 --apart --method fft" "--lags 20" "--molecules molecules --weights mass --lags 40"; do
        # shellcheck disable=SC2086
        sharing 3 2 vacf-cpu v.mbf --masses A=1,B=3 $how
        # shellcheck disable=SC2086
        [ "$(cat v.mbf | MBF_SIMD=v3 vacf-cpu -t 3 --masses A=1,B=3 $how | content)" = "$(MBF_SIMD=v2 vacf-cpu -t 1 --masses A=1,B=3 $how v.mbf | content)" ]
    done
    # a single molecule moves only with the drift, so the drift is kept
    vacf-cpu --masses A=1,B=3 --drift keep --molecules 6 --lags 5 v.mbf | rows >want
    awk 'NR == 1 { exit !($3 > 0.5) }' want
    vacf-cpu --masses A=1,B=3 --molecules 6 --lags 5 v.mbf 2>err | rows | cmp - want
    grep -q 'the drift is kept, because all atoms of the system are needed to subtract it, found one point (--drift keep silences this warning)' err
    # the same for a selection, whose velocities unwrap does not change
    frame-cut --atoms 0:1 v.mbf -o one.mbf
    vacf-cpu --drift keep --lags 5 one.mbf | rows >want
    vacf-cpu --lags 5 one.mbf 2>err | rows | cmp - want
    grep -q 'found 1 of 6 atoms, a selection (--drift keep silences this warning)' err
}

@test "what cannot be is refused in one line" {
    gas 6 20 | moving 6 v.mbf
    for o in "--lags 5 --tmax 1" "--weights mass" "--weights A=1" "--weights A=1,B=2,C=3 --drift keep" "--weights heavy" "--lags 21 --drift keep"; do
        # shellcheck disable=SC2086
        fails 2 vacf-cpu -o out $o v.mbf
        [ "$(wc -l <<<"$output")" -eq 1 ]
    done
    # the remedy in the message works
    awk 'BEGIN { for (t = 0; t < 9; t++) { print "ITEM: TIMESTEP\n" t "\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id x y z vx vy vz"
        print 1, t, 1, 1, 1, 0, 0; print 2, t, 2, 2, 0, 1, 0 } }' | traj2bin -q --units real --velocities --timestep 1 -o nameless.mbf
    fails 2 vacf-cpu -o out --weights mass nameless.mbf
    [[ $output == *"or give --masses =MASS)" ]]
    vacf-cpu -q --lags 4 --weights mass --masses =12 --drift keep nameless.mbf -o out && rm out
    vacf-cpu --lags 4 --molecules 2 --drift keep nameless.mbf -o out 2>err && rm out
    grep -q "warning: nameless.mbf: atoms have no names, so all atoms of a molecule are given the same mass (name the atoms, e.g. traj2bin --species" err
    vacf-cpu --lags 4 --molecules 2 --masses =12 --drift keep nameless.mbf -o out 2>err && rm out
    ! grep -q "no names" err || false
    awk 'BEGIN { for (t = 0; t < 3; t++) print "1\nx\nAr", t, 0, 0 }' >f.xyz
    xyz2bin -q --pbc none --dt 1 --unsorted-ok f.xyz -o f.mbf
    fails 2 vacf-cpu -o out f.mbf
    [[ $output == *"expected velocities (VELO), found none (traj2bin --velocities"* ]]
}

@test "velocities pass frame-cut, -z, frame-cat, shards and Python" {
    gas 6 60 | moving 6 v.mbf
    vacf-cpu --drift keep --lags 10 v.mbf | rows >want
    frame-cut -z : v.mbf -o z.mbf
    frame-cat <(frame-cut :25 v.mbf) <(frame-cut 25: v.mbf) -o cat.mbf
    for f in z cat; do vacf-cpu --drift keep --lags 10 $f.mbf | rows | cmp - want; done
    for k in 1 2 3; do vacf-cpu --drift keep --lags 10 --shard $k/3 z.mbf -o part.$k; done
    frame-merge part.* | rows | cut -d' ' -f1-5 | cmp - <(cut -d' ' -f1-5 want) # errors: parts do not measure the scatter between atoms
    frame-cut --species A v.mbf | vacf-cpu --drift keep --lags 10 | rows | awk '{ print $3 }' | cmp - <(awk '{ print $4 }' want)
    numpy_python
    "$PY" -c 'import mbf
t = mbf.read("v.mbf")
mbf.write("py.mbf", t.positions if hasattr(t, "positions") else t.data, velocities=t.velocities, dt=0.1, dtype="<f8", species=["A", "B", "B"] * 2)'
    vacf-cpu --drift keep --lags 10 py.mbf | rows | cmp - want
}

@test "the scatter between atoms: its definition, both methods; --blocks and parts do not measure it" {
    # each third atom keeps its velocity ten times as long, so that atoms differ by more than chance
    awk "$UNIFORM"'BEGIN { seed(4); for (t = 0; t < 290; t++) for (i = 0; i < 12; i++) { a = i % 4 ? 0.3 : 0.93; printf "%s 0 0 0", i % 3 == 2 ? "B" : "A"
        for (k = 0; k < 3; k++) printf " %.9f", v[i, k] = a * v[i, k] + sqrt(1 - a * a) * (uniform() + uniform() - 1); print "" } }' >g.txt
    moving 12 v.mbf <g.txt
    awk '{ row = row " " $5 " " $6 " " $7; if (NR % 12 == 0) { print row; row = "" } }' g.txt >v.txt
    for options in "--method fft" "--method window --lags 200"; do
        # shellcheck disable=SC2086
        vacf-cpu -q --drift keep --apart $options v.mbf -o v.c
        [ -z "$(py oracle/lasting vacf v.txt "$(meta data.scatter v.c)" | tee /dev/stderr)" ]
    done
    # the error contains the scatter at the shortest interval that is at least as long as the lag
    meta data.scatter v.c | awk '{ split($2, e, ":"); print e[3], e[4], e[5] }' >e
    vacf-cpu -q --drift keep --lags 200 v.mbf | rows | awk 'NR == FNR { for (k = 1; k <= 3; k++) e[k] = $k > 0 ? $k : 0; next }
        FNR == 1 { zero = $3 } { k = FNR <= 5 ? 1 : FNR <= 17 ? 2 : 3; if ($6 < sqrt(e[k]) * zero) { print "row " FNR ": error " $6 " below " sqrt(e[k]) * zero; exit 1 } } FNR == 60 { exit }' e -
    vacf-cpu -q --drift keep --blocks 4 v.mbf -o b.c
    vacf-cpu -q --drift keep --lags 9 --shard 1/2 v.mbf -o s.c
    [ -z "$(meta data.scatter b.c)$(meta data.scatter s.c)" ]
    # the only atom of C adds nothing to the scatter of all atoms
    awk '{ if (NR % 12 == 1) $1 = "C"; print }' g.txt | moving 12 u.mbf
    vacf-cpu -q --drift keep u.mbf -o u.c
    meta data.scatter u.c | awk '{ split($2, e, ":"); exit !(NF == 4 && e[1] == "vacf" && e[2] == 12 && e[3] > 0) }'
    # merged runs state the scatter of each
    frame-merge v.c <(awk '{ $5 = -$5; print }' g.txt | moving 12 w.mbf && vacf-cpu -q --drift keep --apart --method window --lags 200 w.mbf) -o m.c
    [ "$(meta data.scatter m.c | grep -o ' vacf:' | wc -l)" = 2 ]
}
