#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sanitize
# fqt-cpu (or $FQT): every function by its definition, lag 0 against sq, ideal gas, small q, sum
# rules, two axes, shares, refusals.
# reads: fqt-cpu POSN --lags 3 --qmax 1.5
load ../helpers

FQT=${FQT:-fqt-cpu}

rows() { bin2txt "$1" | grep -v '^#' | grep .; }
meta() { bin2txt --meta "$2" | sed -n "s/^$1	//p"; }

# like REFERENCE OURS TOL: ours has t and q in columns 1 and 2, and functions from column 4 on; the
# reference begins with q, t.
like() {
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] && [ -s "$1" ] || { echo "$(wc -l "$1" "$2")"; return 1; }
    paste "$1" "$2" | awk -v c="$(awk '{ print NF; exit }' "$1")" -v t="$3" 'function far(a, b) { return !((a - b)^2 <= t * t * (1 + a * a)) }
        { if (far($1, $(c + 2)) || far($2, $(c + 1))) { print "axes: " $0; exit 1 }
          for (i = 3; i <= c; i++) if (far($i, $(c + i + 1))) { print NR ", column " i ": " $i " and " $(c + i + 1); exit 1 } }'
}

# argon: 108 atoms near the triple point, with velocities; FRAMES frames, 20 fs apart.
argon() {
    md-cpu -q --atoms 108 --density 0.0211 --temperature 95 --thermostat berendsen:0.3 --equilibrate 2000 --dt 5 --steps $((4 * $1)) --every 4 --velocities \
        --seed "${2:-1}" -o l.mbf
}

CELL="11 0 0 3 12 0 -2 4 10"

@test "random triclinic cells, two species: every function and lag is the sum of its definition" {
    numpy_python
    # sums of 40 unit vectors in double have errors of 1e-15 each, times |h| up to 4; 1e-11 allows
    # for both sides
    py forge/free_flight t.mbf 30 23 0.05 1 2 "$CELL" "A B B"
    bin2txt t.mbf >t.txt
    for lags in 23 1 2 5 9; do
        py oracle/density_correlations "$CELL" 1.6 0.2 $lags "10*(A 1 B 2)" <t.txt >want
        "$FQT" --qmax 1.6 --qstep 0.2 $([ $lags = 23 ] || echo --lags $lags) --self --self-vectors 1000 --currents --pair A-A --pair A-B --pair B-B t.mbf -o t.fqt
        rows t.fqt >got
        like want got 1e-11
    done
    # more atoms of one species than are summed at a time, 256
    py forge/free_flight p.mbf 810 4 0.05 1 2 "$CELL" "A B B"
    bin2txt p.mbf | py oracle/density_correlations "$CELL" 1.2 0.2 3 "270*(A 1 B 2)" >want
    "$FQT" --qmax 1.2 --qstep 0.2 --lags 3 --self --self-vectors 1000 --currents --pair A-A --pair A-B --pair B-B p.mbf -o p.fqt
    rows p.fqt >got
    like want got 3e-10
    bin2txt t.fqt | head -n 1 | grep -qx '# t_ps q_A-1 origins F F_A-A F_A-B F_B-B C_L C_L_A-A C_L_A-B C_L_B-B C_T C_T_A-A C_T_A-B C_T_B-B F_s F_s_A F_s_B .*'
    py oracle/density_correlations "$CELL" 2.5 0.2 6 "10*(A 1 B 2)" 0,-1,1 <t.txt >want
    "$FQT" --qmax 2.5 --direction 0,-4,4 --lags 6 --self --currents --pair all t.mbf -o t.fqt
    rows t.fqt >got
    like want got 1e-11
}

@test "uneven times: every pair of frames of equal lag, by the definition; all frames give the even run" {
    numpy_python
    py forge/free_flight t.mbf 30 29 0.05 1 2 "$CELL" "A B B"
    bin2xyz -q --digits 17 t.mbf >t.xyz
    opts="--qmax 1.6 --qstep 0.2 --self --self-vectors 1000 --currents --pair A-A --pair A-B --pair B-B"
    # only NUMBER...: the frames of t.xyz with these numbers, as a stream at uneven times
    only() { awk -v list="$*" 'BEGIN { n = split(list, k, " "); for (i = 1; i <= n; i++) keep[k[i]] } int((NR - 1) / 32) in keep' t.xyz >o.xyz
        traj2bin -q --format xyz --velocities --uneven --dtype f64 o.xyz; }
    only 0 1 2 4 8 9 10 12 16 20 21 22 24 28 >u.mbf
    bin2txt u.mbf >u.txt
    py oracle/density_correlations "$CELL" 1.6 0.2 0 "10*(A 1 B 2)" <u.txt >want
    # shellcheck disable=SC2086
    "$FQT" -q -t 1 $opts u.mbf -o u.fqt
    rows u.fqt >got
    like want got 1e-11
    [ "$(awk '$1 == 0 { print $3; exit }' got)" -eq 14 ]
    # shellcheck disable=SC2086
    cmp <("$FQT" -q -t 3 $opts u.mbf | rows -) got
    # shellcheck disable=SC2086
    "$FQT" -q --blocks 1 $opts u.mbf | rows - >one # a block of several chunks
    like want one 1e-11
    # shellcheck disable=SC2086
    "$FQT" -q $opts --tmax 0.4 u.mbf -o s.fqt
    rows s.fqt | cut -d' ' -f1-6 | cmp - <(awk '$1 < 0.41' got | cut -d' ' -f1-6)
    # shellcheck disable=SC2086,SC2046
    "$FQT" -q $opts <(only $(seq 0 28)) -o e.fqt
    # shellcheck disable=SC2086
    "$FQT" -q $opts t.mbf -o t.fqt
    paste <(rows e.fqt) <(rows t.fqt) | awk '{ for (i = 1; i <= 18; i++) { d = $i - $(i + NF / 2); if (d * d > 1e-22) { print NR, i, $i, $(i + NF / 2); exit 1 } } n++ } END { exit !(n > 100) }'
    for bad in "--lags 3" "--shard 1/2"; do
        # shellcheck disable=SC2086
        run "$FQT" -q $opts $bad u.mbf
        [[ $status -eq 2 && $output == *"${bad% *}: expected evenly spaced frames, found frames at uneven times"* ]]
    done
    # shellcheck disable=SC2086
    run "$FQT" -q $opts --max-mem 200k u.mbf
    [ "$status" -eq 4 ]
    run fft-spectrum u.fqt
    [[ $status -eq 2 && $output == *"expected evenly spaced frames, found frames at uneven times"* ]]
}

@test "positions in f32, one species, many windows: the same" {
    numpy_python
    py forge/free_flight t.mbf 13 97 0.02 2 3 "9 0 0 0 9 0 0 0 9" X f4
    bin2txt t.mbf >t.txt
    for o in "11 2.2" "80 1.1"; do # 80 lags: transforms of two tiles (FQT_TILE)
        read -r lags qmax <<<"$o"
        py oracle/density_correlations "9 0 0 0 9 0 0 0 9" "$qmax" 0.1 "$lags" "X 13" <t.txt >want
        "$FQT" --qmax "$qmax" --qstep 0.1 --lags "$lags" --self --self-vectors 1000 --currents --pair all t.mbf -o t.fqt
        rows t.fqt >got
        like want got 1e-11
    done
}

@test "lag 0 is sq, with weights, partials and form factors" {
    numpy_python
    py forge/free_flight t.mbf 60 20 0.05 3 2 "$CELL" "A B B"
    for o in "--weights A=2,B=-0.5" "--form-factor f.txt" "--vectors 40"; do
        printf '# q A B\n0 1 2\n3 0.5 -1\n' >f.txt
        # shellcheck disable=SC2086
        sq-cpu --qmax 1.6 --qstep 0.2 --vectors 1000 $o --pair A-A --pair A-B --pair B-B t.mbf -o t.sq
        # shellcheck disable=SC2086
        "$FQT" --qmax 1.6 --qstep 0.2 $o --lags 3 --pair A-A --pair A-B --pair B-B t.mbf -o t.fqt
        rows t.fqt | awk '$1 == 0 { print $2, $4, $5, $6, $7 }' >zero
        # 20 products of sums of 60 have errors of 1e-12 of the terms
        rows t.sq | awk '{ print $1, $3, $4, $5, $6 }' | paste - zero | awk '{ for (i = 1; i <= 5; i++) if (!(($i - $(i + 5))^2 <= 1e-24 * (1 + $i * $i))) { print; exit 1 } n++ } END { exit n < 5 }'
    done
    # more vectors than a step has room for in the cache
    frame-cut -q 0:3 t.mbf -o few.mbf
    sq-cpu --qmax 20 --vectors 70000 few.mbf | rows - | awk '{ print $1, $3 }' >want
    "$FQT" --qmax 20 --vectors 70000 --lags 2 few.mbf | rows - | awk '$1 == 0 { print $2, $4 }' | paste -d' ' - want |
        awk '{ if (!(($1 - $3)^2 + ($2 - $4)^2 < 1e-20)) { print; exit 1 } n++ } END { exit n < 100 }'
}

@test "F_s has the weights of F: f^2 of each species, form factors at each q; equal ones change nothing" {
    numpy_python
    py forge/free_flight t.mbf 60 20 0.05 3 2 "$CELL" "A B B"
    printf '# q A B\n0 1 2\n3 0.5 1\n' >f.txt
    # columns: t q origins F F_AA F_s F_s_A F_s_B
    fs() { "$FQT" --qmax 1.6 --qstep 0.2 --lags 5 --self --pair A-A "$@" t.mbf -o s.fqt && rows s.fqt | awk '{ print $2, $6, $7, $8 }'; }
    na=20 nb=40
    while read -r a b o; do
        # shellcheck disable=SC2086
        fs $o | awk -v a="$a" -v b="$b" -v A="$na" -v B="$nb" '{ want = (A * a * a * $3 + B * b * b * $4) / (A * a * a + B * b * b)
            if (!(($2 - want) ^ 2 < 1e-26)) { print; exit 1 } n++ } END { exit n < 10 }'
    done <<'EOF'
1 1
3 3 --weights A=3,B=3
2 -0.5 --weights A=2,B=-0.5
1 0 --weights A=1,B=0
1 2 --form-factor f.txt
EOF
    # form factors 1:2 at any q; form factors with a changing ratio, at the q of each row (0.2 wide)
    printf '0 1 2\n3 1 -1\n' | sed '1i # q A B' >g.txt
    fs --form-factor g.txt | awk -v A="$na" -v B="$nb" '{ b = 2 - $1; want = (A * $3 + B * b * b * $4) / (A + B * b * b)
        if (!(($2 - want) ^ 2 < 1e-6)) { print; exit 1 } n++ } END { exit n < 10 }'
    # one atom that moves a quarter of a wave per step: 1, 0, -1, exactly
    for x in 0 2 4 6 8 10; do printf '1\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3\nX %d 1 1\n' $x; done | xyz2bin -q --dt 1 -o t.mbf
    [ "$("$FQT" --direction 1,0,0 --qmax 0.8 --lags 3 --self --blocks 1 t.mbf | rows - | cut -d' ' -f1,3-)" = "0 6 1 1
1 5 0 0
2 4 -1 -1" ]
}

@test "the same bits for any number of threads, any instructions, and however steps come" {
    argon 120
    "$FQT" -t 1 --qmax 1.5 --lags 7 --self --currents l.mbf -o one
    for t in 2 3 5; do # v5 is not a level, so the best one is used
        MBF_SIMD=v$t "$FQT" -t $t --qmax 1.5 --lags 7 --self --currents l.mbf -o many
        cmp one many
    done
    for k in 0 17 60; do frame-cut $k:$((k == 0 ? 17 : k == 17 ? 60 : 120)) l.mbf -o $k.part; done
    frame-cat 0.part 17.part 60.part | "$FQT" -t 1 --qmax 1.5 --lags 7 --self --currents -o many
    [ "$(content one)" = "$(content many)" ]
    # limits that allow fewer time origins at a time do not refuse the run
    few() { fqt-cpu -t 2 --qmax 1.2 --lags 30 --blocks 1 --self "$@" l.mbf | content; }
    all=$(few)
    for limit in 520K 300K 220K; do [ "$(few --max-mem $limit)" = "$all" ]; done
    # all lags of a pipe, whose steps are not known beforehand
    [ "$(cat l.mbf | "$FQT" --qmax 1.2 --self | content)" = "$("$FQT" --qmax 1.2 --self l.mbf | content)" ]
}

@test "shares are the bits of the one run, of a window of lags and of all" {
    argon 100
    sharing 7 3 "$FQT" l.mbf --qmax 1.2 --lags 9 --self --currents
    sharing 3 2 "$FQT" l.mbf --qmax 1.2 --self
    sharing 4 2 "$FQT" l.mbf --direction 1,1,0 --lags 5 --blocks 3
    ! frame-merge share.1 share.2 share.4 -o no 2>err
    grep -q 'expected 4 parts, found 3' err
}

@test "ideal gas: F and F_s fall as exp(-q² v² t²/2), C_L and C_T begin at v²" {
    numpy_python
    py forge/free_flight t.mbf 6000 12 0.1 4 1.5 "40 0 0 0 40 0 0 0 40"
    "$FQT" --qmax 1.6 --qstep 0.2 --vectors 500 --lags 10 --self --currents t.mbf -o t.fqt
    # F_s: the mean of N cosines, 5 deviations of 1/sqrt(2N) at most; F: that of 60 vectors, whose
    # products of waves are spread by 1 about their mean, over 2 times that forgot each other;
    # within a shell of 0.2 q varies by 6 %: the bias of that, 0.01. At lag 0 490 vectors, twice: 3
    # % of a product, three or four times that, for C_T of two directions 2 %
    rows t.fqt | awk '{ want = exp(-0.5 * ($2 * 1.5 * $1)^2); n++
        if (($7 - want)^2 > (5 / sqrt(2 * 6000) + 0.01)^2) { print "F_s " $0 " not " want; exit 1 }
        if (($4 - want)^2 > 0.6^2) { print "F " $0 " not " want; exit 1 }
        if ($1 == 0 && $2 > 0.2) { m += $4; l += $5; t += $6; k++ } } END { if (n < 60) exit 1; print m / k, l / k, t / k
        exit !((m / k - 1)^2 < 0.15^2 && (l / k - 2.25)^2 < 0.3^2 && (t / k - 2.25)^2 < 0.22^2) }'
}

@test "F_s at small q is exp(-q² MSD/6)" {
    numpy_python
    argon 300
    "$FQT" --qmax 0.4 --qstep 0.4 --lags 40 --self --self-vectors 3 l.mbf -o t.fqt
    # the next term is q^4 (<x^4> - 3 <x²>²)/24, below 2e-5 at MSD 1.5 and q 0.36
    bin2txt l.mbf | py oracle/mean_square 108 40 "$(meta sys.cell l.mbf)" >msd
    rows t.fqt | paste - msd | awk '{ want = exp(-$2 * $2 * $NF / 6); n++; if (($5 - want)^2 > 4e-10) { print $0, want; exit 1 } } END { exit n != 40 }'
}

@test "--self-vectors: so many of a shell, and no others" {
    # two atoms fly together, and q d of the first shell is 0.1, 0.2 and 0.3 turns per step
    for t in {0..9}; do
        printf '2\nLattice="10 0 0 0 10 0 0 0 10" Time=%s\nX %s %s %s\nX %s %s %s\n' $t $t $((2 * t)) $((3 * t)) $((t + 1)) $((2 * t + 4)) $((3 * t + 2))
    done | xyz2bin -q --unsorted-ok --dt 1 --dtype f64 -o t.mbf
    for n in 1 2 3; do
        "$FQT" -q --qmax 0.63 --qstep 0.63 --lags 4 --self --self-vectors $n t.mbf -o t.fqt
        rows t.fqt | awk -v n=$n '$1 == 1 { seen++; for (i = 1; i < 8; i++) { s = c = 0
                for (a = 1; a < 4; a++) if (int(i / 2 ^ (a - 1)) % 2) { c++; s += cos(0.2 * a * 3.14159265358979) }
                good += c == n && (s / c - $5)^2 < 1e-12 } } END { exit !(seen == 1 && good == 1) }' || { rows t.fqt; false; }
    done
}

@test "sum rules: the second moment of S(q,omega) is q² kT/m, omega² S is q² C_L" {
    argon 1600
    "$FQT" --qmax 1.2 --lags 60 --currents l.mbf -o t.fqt
    fft-spectrum -q --unit rad/ps --window gauss:0.35 t.fqt -o t.spec
    # S decays as exp(-2.5 q), so moments are taken where it is large; 4 errors of C_L(0), and 2 %
    # for the step of 20 fs and the window
    bin2txt t.fqt | awk '/^#/ { next } $1 == 0 && NF { q[++n] = $2; c[n] = $5; e[n] = $8 } END { for (i = 1; i <= n; i++) print q[i], c[i], e[i] }' >c
    meta data.moment2 t.spec | tr ' ' '\n' | awk 'NR % 3 == 1' >m2
    meta data.moment2.window t.spec | tr ' ' '\n' | awk 'NR % 3 == 1' >w2
    paste c m2 w2 | awk '{ want = $1^2 * $2; got = $4 - $5; if ((got - want)^2 > (4 * $1^2 * $3 + 0.02 * want)^2) { print; exit 1 } n++ } END { exit n < 8 }'
    # -d²F/dt² = q² C_L(t): the second difference is q² (C(t - dt) + 10 C(t) + C(t + dt))/12, except
    # for dt^4 and for origins at the ends of the run that only one side has: 2 % of the largest
    rows t.fqt | awk '{ if ($2 != q) { q = $2; n = 0 } f[n] = $4; c[n] = $5; if (n == 0) { top = q^2 * c[0] } if (n > 1) {
        got = -(f[n] - 2 * f[n - 1] + f[n - 2]) / 0.02^2; want = q^2 * (c[n] + 10 * c[n - 1] + c[n - 2]) / 12; all++
        if ((got - want)^2 > (0.02 * top)^2) { print $0, got, want, top; exit 1 } } n++ } END { exit all < 400 }'
}

@test "phonons: the lines of a Lennard-Jones crystal are those of its dynamical matrix" {
    md-cpu -q --atoms 256 --density 0.026 --cutoff 8 --temperature 1 --dt 5 --equilibrate 1000 --steps 9600 --every 4 --velocities -o x.mbf
    edge=$(bin2txt --meta x.mbf | awk '$1 == "sys.cell" { printf "%.10f", $2 / 4 }')
    for d in 1,0,0 1,1,1; do
        "$FQT" --direction $d --qmax 1.2 --currents --lags 600 x.mbf | fft-spectrum -q --unit rad/ps --window hann --pad 2 -o x.spec
        # the peak of a parabola through the logarithms of three points
        bin2txt x.spec | awk 'function peak(v,   k, b, a, c) { for (k = 2; k < n; k++) if (v[k] > v[b]) b = k; a = log(v[b - 1]); c = log(v[b + 1])
                return w[b] + (w[2] - w[1]) * (a - c) / 2 / (a - 2 * log(v[b]) + c) }
            /^#/ { next } NF { q = $2; w[++n] = $1; l[n] = $4; t[n] = $5; next } n { print q, peak(l), peak(t); n = 0 } END { print q, peak(l), peak(t) }' >ours
        py oracle/fcc_phonons "$edge" 8 $d "$(wc -l <ours)" 4 >want
        # at 0.5 K the anharmonic shift is 0.2 %, a fortieth of the width of the window's line 0.3 %
        paste ours want | awk '{ for (i = 1; i <= 3; i++) if (($i / $(i + 3) - 1)^2 > 0.006^2) { print; exit 1 } n++ } END { exit n < 2 }'
    done
}

@test "dynasor, over the same vectors of a leaning cell: every function to 1e-6" {
    left
    numpy_python
    peer=${DYNASOR:-python3} # a Python that has it
    env -u PYTHONPATH "$peer" -c 'import dynasor' 2>/dev/null || skip "no dynasor for Python (pip install dynasor; DYNASOR names that Python)"
    local leaning="12 0 0 3 13 0 2 4 11"
    py forge/free_flight t.mbf 60 60 0.05 7 2 "$leaning" "Ar Ne Ne"
    bin2xyz t.mbf | sed 's/:velo:R:3/:vel:R:3/' >t.xyz # (its reader of LAMMPS dumps takes bounds of a leaning cell for its edges)
    env -u PYTHONPATH "$peer" "$ROOT/tests/oracle/dynasor_peer.py" t.xyz "$leaning" 1.5 0.1 20 0.05 "Ar Ne" >want
    "$FQT" --qmax 1.5 --qstep 0.1 --lags 20 --self --self-vectors 10000 --vectors 100000 --currents --pair all t.mbf -o t.fqt
    rows t.fqt >got
    like want got 1e-6 # its displacements and phases by polynomials
}

@test "two axes: text with a line between values of q, one table of others, compare, spectra, merging, a map" {
    argon 60
    argon 60 2 && mv l.mbf m.mbf && argon 60
    for f in l m; do "$FQT" --qmax 1.2 --lags 5 $f.mbf -o $f.fqt; done
    q=$(meta data.axis2.values l.fqt | wc -w)
    [ "$q" -gt 3 ] && [ "$(bin2txt l.fqt | grep -c '^$')" -eq $((q - 1)) ]
    [ "$(bin2txt --format tsv l.fqt | wc -l)" -eq $((5 * q + 1)) ]
    [ "$(bin2txt --format csv l.fqt | head -n 1)" = "t_ps,q_A-1,origins,F,F_se" ]
    compare l.fqt l.fqt | tail -n 1 | grep -q '^identical'
    run compare l.fqt m.fqt
    [ "$status" -eq 1 ]
    [[ "$output" == *"at_t_ps,q_A-1"* ]]
    "$FQT" --qmax 1.1 --lags 5 l.mbf -o o.fqt
    fails 2 compare l.fqt o.fqt
    frame-merge l.fqt m.fqt -o both.fqt
    [ "$(rows both.fqt | awk '$1 == 0 { print $3; exit }')" -eq 120 ]
    fft-spectrum -q --unit meV l.fqt -o l.spec
    [ "$(bin2txt l.spec | head -n 1)" = "# E_meV q_A-1 S S_se" ]
    # frames without memory have an error in every row
    awk "$UNIFORM"'BEGIN { seed(3); for (t = 0; t < 200; t++) { print "30\nLattice=\"9 0 0 0 9 0 0 0 9\""
        for (i = 0; i < 30; i++) print "A", 9 * uniform(), 9 * uniform(), 9 * uniform() } }' | xyz2bin -q --jumps-ok --dt 1 |
        "$FQT" --qmax 1.2 --lags 5 --self -o w.fqt
    fft-spectrum -q --unit rad/ps --window none w.fqt -o w.spec
    [ "$(bin2txt w.spec | head -n 1)" = "# omega_rad/ps q_A-1 S S_s S_se S_s_se" ]
    # S(q) is about 1, the same at each frequency and larger than its error; S_s has a smaller one
    rows w.spec | awk '!($5 > 0 && $6 > 0 && $6 < $5 && ($3 * 6.2831853 - 1)^2 < (6 * 6.2831853 * $5)^2 + 0.1 && $5 < 0.2) { print; exit 1 }'
    compare --sigma 1 w.spec w.spec >same
    [ "$(rows l.spec | cut -d' ' -f2 | uniq | wc -l)" -eq "$q" ]
    # the integral over both signs is F(q,0)
    rows l.fqt | awk '$1 == 0 { print $4 }' >zero
    meta data.moment0 l.spec | tr ' ' '\n' | paste - zero | awk '{ if (($1 - $2)^2 > 1e-24 * $2^2) { print; exit 1 } n++ } END { exit n < 3 }'
    bin2txt l.spec -o map.txt
    command -v gnuplot >/dev/null || skip "no gnuplot"
    gnuplot -e 'set table "scans"; splot "map.txt" using 1:2:3'
    [ "$(grep -c IsoCurve scans)" -eq "$q" ] # a grid for splot, with pm3d a map
}

@test "memory: a window of lags holds no more of a run eight times as long" {
    numpy_python
    [ -z "${SANITIZED:-}" ] || skip "memory is the sanitizer's"
    for n in 1000 8000; do
        py forge/free_flight $n.mbf 20 $n 0.05 1 2 "9 0 0 0 9 0 0 0 9" X f4
        /usr/bin/time -f %M -o $n.kib "$FQT" -t 1 --qmax 2 --lags 100 --self --currents $n.mbf -o $n.fqt
    done
    # all lags of the long run would take 60 MB more; blocks of origins grow to 64 blocks of 130 KiB
    awk 'NR == 1 { a = $1 } END { print a, $1; exit !($1 < a + 12000) }' 1000.kib 8000.kib
    [ "$(content 8000.fqt)" = "$("$FQT" --max-mem 64M --qmax 2 --lags 100 --self --currents 8000.mbf -o less.fqt && content less.fqt)" ]
}

@test "memory: the memory of all lags is stated before the first step, and is about what the run takes" {
    numpy_python
    [ -z "${SANITIZED:-}" ] || skip "memory is the sanitizer's"
    py forge/free_flight long.mbf 20 30000 0.05 1 2 "9 0 0 0 9 0 0 0 9" X f4
    for o in "" --self; do
        # shellcheck disable=SC2086
        /usr/bin/time -f %M -o kib "$FQT" -v -t 1 --qmax 2.8 --qstep 2.8 $o long.mbf -o all --force 2>err
        head -n 1 err | grep -E "long.mbf: the density waves${o:+ and the positions} of 30000 steps need [0-9.]+ MiB of memory, because all lags are computed"
        said=$(sed -n 's/.* need \([0-9.]*\) MiB of memory.*/\1/p' err)
        [[ $FQT == *-gpu ]] || # CUDA has memory of its own
            awk -v said="$said" 'NR == FNR { exit !(said > 1 && said < $1 / 1024 && $1 / 1024 < 1.5 * said + 60) }' kib
    done
    "$FQT" -v --lags 10 long.mbf -o few 2>err
    ! grep 'of memory' err
}

@test "refuses what cannot be correlated, with one line" {
    argon 20
    says() { [ "$(tail -n 1 <<<"$output")" = "$1" ] || { echo "$output"; return 1; }; }
    fails 2 "$FQT" --lags 21 l.mbf -o no
    says "$FQT: l.mbf: 21 lags need at least 21 steps, found 20"
    fails 2 "$FQT" --lags 3 --tmax 1 l.mbf
    fails 2 "$FQT" --direction 0,0,0 l.mbf
    says "$FQT: --direction: expected three whole numbers h,k,l, not all 0, found '0,0,0'"
    fails 2 "$FQT" --direction 1,2 l.mbf
    fails 2 "$FQT" --direction 1,0,0 --qmax 0.1 l.mbf
    [[ "$output" == *"expected a wave vector below q = 0.1 1/A along this direction, but the shortest one has q = 0.36"* ]]
    fails 2 "$FQT" --qmax 0.2 l.mbf
    fails 2 "$FQT" --weights Ar=1,X=1 --lags 3 l.mbf -o no
    [[ "$output" == *"expected a weight only for species of the input, found one for "* ]]
    fails 2 "$FQT" --lags 10 --blocks 30 l.mbf
    [[ "$output" == *"30 blocks of at least 2 time origins each, found 20"* ]]
    xyz2bin "$DATA/argon8.xyz" -o small.mbf
    fails 2 "$FQT" --currents --lags 1 small.mbf
    [[ "$output" == *"expected velocities for --currents, found none"* ]]
    printf '1\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 pbc="T T T"\nX 1 1 1\n1\nLattice="9 0 0 0 9 0 0 0 9.1" Properties=species:S:1:pos:R:3 pbc="T T T"\nX 1 1 1\n' >c.xyz
    xyz2bin --dt 1 c.xyz -o c.mbf
    fails 2 "$FQT" --lags 1 c.mbf -o no
    says "$FQT: c.mbf: frame 1: expected the cell of the first frame, found a different cell; F(q,t) needs the same wave vectors at all times"
    printf '1\nProperties=species:S:1:pos:R:3\nX 1 1 1\n' >c.xyz
    xyz2bin -q --dt 1 c.xyz -o c.mbf
    fails 2 "$FQT" --lags 1 c.mbf -o no
    [[ "$output" == *"expected a cell that is periodic along all three vectors, found no cell"* ]]
    cat l.mbf l.mbf >two.mbf
    fails 2 "$FQT" --lags 3 two.mbf -o no
    [[ "$output" == *"frame 20: expected one segment, found a second one"* ]]
    frame-cut -q 4:4 l.mbf -o none.mbf
    for options in "" "--lags 3" "--shard 1/2" "--lags 3 --shard 2/2"; do
        # shellcheck disable=SC2086
        fails 2 "$FQT" $options none.mbf -o no
        says "$FQT: none.mbf: expected at least one step, found none"
    done
    fails 4 "$FQT" --max-mem 100K --lags 10 l.mbf -o no
    [[ "$output" == *"--max-mem"* ]]
    [ ! -e no ]
}

@test "F_s: the scatter between atoms: its definition, for positions anywhere in the periodic cell" {
    # every fourth atom moves five times as far, and each position is shifted by random cell vectors
    awk -v cell="$CELL" "$UNIFORM"'BEGIN { seed(3); split(cell, h, " "); for (t = 0; t < 290; t++) { row = ""; printf "12\nLattice=\"%s\" pbc=\"T T T\"\n", cell
        for (i = 0; i < 12; i++) { line = i % 3 == 2 ? "B" : "A"; for (v = 0; v < 3; v++) n[v] = int(3 * uniform()) - 1
            for (a = 0; a < 3; a++) { x[i, a] += (i % 4 ? 0.1 : 0.5) * (uniform() - 0.5); row = row sprintf(" %.9f", x[i, a])
                line = line sprintf(" %.9f", x[i, a] + n[0] * h[1 + a] + n[1] * h[4 + a] + n[2] * h[7 + a]) }
            print line }
        print row >"x.txt" } }' | xyz2bin -q --dt 1 --dtype f64 --unsorted-ok --jumps-ok - -o x.mbf
    for lags in "" "--lags 200"; do
        # shellcheck disable=SC2086
        "$FQT" -q --self --qmax 1 --qstep 0.5 --pair all $lags x.mbf -o f.c
        [ -z "$(py oracle/lasting F_s x.txt "$(meta data.scatter f.c)" | tee /dev/stderr)" ]
    done
    # the error contains the scatter, in terms of F_s log F_s
    meta data.scatter f.c | awk '{ split($2, e, ":"); print e[3], e[4] }' >e
    bin2txt f.c | sed -n '1s/^# //p' | tr ' ' '\n' | grep -n -e '^F_s$' -e '^F_s_se$' | cut -d: -f1 | tr '\n' ' ' >columns
    rows f.c | awk -v e="$(cat e)" -v c="$(cat columns)" 'BEGIN { split(e, E, " "); split(c, C, " ") } $1 > 0 && $1 < 17 { f = $C[1]; w = -f * log(f) * sqrt(E[$1 <= 4 ? 1 : 2]); n++; if (!(w > 0) || $C[2] < w) { print; bad = 1 } } END { exit bad || n < 16 }'
    "$FQT" -q --self --qmax 1 --qstep 0.5 --blocks 2 x.mbf -o b.c
    "$FQT" -q --self --qmax 1 --qstep 0.5 --lags 9 --shard 1/2 x.mbf -o s.c
    [ -z "$(meta data.scatter b.c)$(meta data.scatter s.c)" ]
    # its memory counts: 39 KiB for 12 atoms, with blocks of 1600 KiB
    "$FQT" -q --self --qmax 1 --qstep 0.5 --pair all --lags 200 --max-mem 1640K x.mbf -o f.c
    run "$FQT" -q --self --qmax 1 --qstep 0.5 --pair all --lags 200 --max-mem 1638K x.mbf
    [[ $status -eq 4 && $output == *"1.601 MiB of memory is needed for blocks and the scatter between atoms"* ]]
}

@test "errors of F_s relative to F_s log F_s do not decrease in the second half of the run" {
    for seed in 1 2 3 4; do
        md-cpu -q --atoms 64 --density 0.021 --temperature 100 --seed "$seed" --equilibrate 500 --steps 4000 --every 20 -o - |
            fqt-cpu -q --self --qmax 1 --qstep 0.5 - | bin2txt -q --format tsv
    done | awk -F '\t' '$1 == "t_ps" { for (k in last) delete last[k]; for (k = 1; k <= NF; k++) at[$k] = k; next }
        { t = $at["t_ps"]; q = $at["q_A-1"]; f = $at["F_s"]; se = $at["F_s_se"] }
        t > 5.01 && f > 0.05 && f < 0.95 && tolower(se) != "nan" { r = se / (-f * log(f)); n++; if (r < 0.999 * last[q]) bad++; last[q] = r }
        END { print n, bad + 0; exit !(n > 300 && !bad) }'
}
