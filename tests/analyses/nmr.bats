# SPDX-License-Identifier: MIT
# sanitize
# nmr-rates: relaxation of spins from the pair function of g4-cpu, against functions whose rates are
# known.
# reads: nmr-rates CORR --spins 8

load ../helpers

setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

rows() { grep -v '^#'; }

# off FILE WANT FROM TO: the largest relative error of R1 and R2 between these frequencies (MHz)
off() {
    bin2txt "$1" | rows | paste -d' ' - "$2" | awk -v from="$3" -v to="$4" -v s="$(bin2txt "$1" | head -n 1 | wc -w)" '$1 >= from && $1 <= to { n++
        if (($1 - $s) ^ 2 > 1e-18 * $1 ^ 2) bad = 1
        for (k = 1; k < 3; k++) { d = $(1 + k) / $(s + k) - 1; if (d < 0) d = -d; if (d > m) m = d } } END { print (n > 0 && !bad ? m + 0 : "none") }'
}

@test "an exponential: Bloembergen, Purcell and Pound's rates, and errors that its blocks have planted" {
    numpy_python
    py oracle/nmr_corr exp e.cf 2000 0.05
    nmr-rates --lowest 1000 --decade 2 --highest 1e6 e.cf -o e.spec
    [ "$(bin2txt e.spec | head -n 1)" = "# nu_MHz R1 R2 R1_se R2_se" ]
    near "$(off e.spec want 0 1e6)" 0 1e-7 # of exp(-20), behind the last lag, and its half weight
    # by hand, at 0: 3/10 (mu_0/4 pi)^2 gamma^4 hbar^2/r^6 5 tau, r = 2 A, tau = 5 ps, except for
    # the error of the trapezoidal rule, (dt/tau)^2/12
    near "$(bin2txt e.spec | rows | awk 'NR == 1 { print $2 / 0.0667533 }')" 1 1e-4
    # blocks of one shape scatter by 0.02 of C(0), so rates have relative errors of 0.02/sqrt(40)
    bin2txt e.spec | rows | awk '{ r = $4 / $2 / (0.02 / sqrt(40)); q = $5 / $3 / (0.02 / sqrt(40)); if (!(r > 0.7 && r < 1.4 && q > 0.7 && q < 1.4)) exit 1 }'
    # another nucleus has another gamma^4 I(I+1)
    for s in 2H 7Li 19F; do nmr-rates --spin $s e.cf | bin2txt | rows | awk 'NR == 1 { print $2 }'; done >other
    nmr-rates e.cf | bin2txt | rows | awk 'NR == 1 { print $2 }' >own
    cat other own | paste -s | awk '{ g = 267.52219 ^ 4 * 0.75; split("41.0662791 103.977013 251.8148", y); split("2 3.75 0.75", s)
        for (k = 1; k < 4; k++) { d = $k / $4 / (y[k] ^ 4 * s[k] / g) - 1; if (d * d > 1e-18) exit 1 } }'
}

@test "quadrupoles: the rates of the same function by Abragam's factor, for spins 1 and 5/2; refusals" {
    numpy_python
    py oracle/nmr_corr exp g.cf 2000 0.05
    py oracle/nmr_corr exp c.cf 2000 0.05 C_2
    o="--lowest 1000 --decade 2 --highest 1e6"
    nmr-rates $o g.cf | bin2txt | rows >dipolar
    for s in "2H 1 256 0" "2H 1 300 0.5" "17O 2.5 7000 0.93"; do
        read -r n spin chi eta <<<"$s"
        nmr-rates $o --spin "$n" --quadrupolar "$chi" --asymmetry "$eta" c.cf | bin2txt | rows | paste -d' ' dipolar - |
            awk -v s="$spin" -v x="$chi" -v eta="$eta" 'BEGIN { pi = 3.141592653589793
                # rates at low frequencies: quad tau, and pair tau
                quad = 3 * pi^2 / 10 * (2 * s + 3) / (s^2 * (2 * s - 1)) * (1 + eta^2 / 3) * (1e3 * x)^2 * 1e-12
                pair = 5 / 3 * 1.5 * (1e-7 * 267.52219e6^2 * 1.054571817e-34)^2 * 0.75 * 1e48 * 8 / (30 * 3.4^6) }
                { for (k = 2; k < 6; k++) { d = $(k + 5) / $k / (quad / pair) - 1; if (d * d > 1e-14) { print; exit 1 } } } END { exit NR != 8 }'
    done
    nmr-rates -q --spin 2H --quadrupolar 256 c.cf | bin2txt --meta | grep -qx 'data.quadrupolar	256'
    py oracle/nmr_corr exp short.cf 60 0.05 C_2
    nmr-rates --spin 2H --quadrupolar 256 short.cf 2>said >x
    grep -q 'at the last lag, 2.95 ps, C_2 is still 0.5[0-9]* of its value at lag 0, so J is wrong below 5.4e+04 MHz (use more --lags in rotacf-cpu)' said
    fails 2 nmr-rates --quadrupolar 256 c.cf
    [[ $output == *"--quadrupolar: expected a nucleus with a spin of at least 1, found 1H (use --spin)" ]]
    fails 2 nmr-rates --spin 2H --quadrupolar 256 g.cf
    [[ $output == *"the input has no function C_2 (use rotacf-cpu)" ]]
    fails 2 nmr-rates --spin 2H --quadrupolar 256 --tail c.cf
    [[ $output == *"--tail"*"with --quadrupolar"* ]]
    fails 2 nmr-rates --asymmetry 0.1 g.cf
    [[ $output == *"--asymmetry"*"without --quadrupolar"* ]]
}

@test "Hwang and Freed's function: with --tail their density to 3e-4, without it 8 % less at 0" {
    numpy_python
    py oracle/nmr_corr hwang-freed h.cf 2000 0.05
    nmr-rates --tail --lowest 1000 --decade 2 --highest 1e6 h.cf -o t.spec 2>said
    [ ! -s said ]
    near "$(off t.spec want 0 3e4)" 0 6e-4 # 2e-4 of J(0) are the trapezoid's, which is more of R1 farther out
    near "$(bin2txt --meta t.spec | sed -n 's/^data.tail.share	//p')" 0.084 0.003
    nmr-rates --lowest 1000 --decade 2 --highest 1e6 h.cf -o n.spec 2>said
    grep -q 'a tail t^-3/2 after the last lag, 99.95 ps, would increase J(0) by a fraction of 0.0[89].*. The rates below .* MHz are too small (use --tail, or more --lags in g4-cpu)' said
    near "$(off n.spec want 0 0)" 0.084 0.003
    # 100 lags in place of 2,000: the tail is only a guess, which is reported
    py oracle/nmr_corr hwang-freed short.cf 100 0.05
    nmr-rates --tail short.cf -o x.spec 2>said
    grep -q 'G2 has not yet reached the power law\. .* (use more --lags)' said
}

@test "whatever sigma, prefactor and way to choose the spins: the same rates" {
    argon_gas 60 40
    xyz=$(bin2xyz gas.mbf | awk 'NF == 4 && /^Ar/ { $1 = k++ % 3 ? "O" : "H" } /Lattice/ { k = 0 } { print }')
    xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 <<<"$xyz" -o mix.mbf
    frame-cut -q --species H mix.mbf -o h.mbf
    first() { nmr-rates -q "$@" | bin2txt | rows | awk 'NR < 4 { print $2, $3 }'; }
    g4-cpu -q --sum mic --component all --lags 20 --blocks 1 h.mbf | first >want
    g4-cpu -q --sum mic --component all --lags 20 --blocks 1 --pair H-H mix.mbf | first >pair
    g4-cpu -q --sum mic --component all --lags 20 --blocks 1 --sigma 2 --prefactor 1 h.mbf | first >unit
    g4-cpu -q --sum mic --component all --lags 20 --blocks 1 --weights H=1,O=0 mix.mbf | first --spins 20 >weight
    for f in pair unit weight; do paste -d' ' want $f | awk '{ for (k = 1; k < 3; k++) if (($k / $(k + 2) - 1) ^ 2 > 1e-11) exit 1 } END { exit NR != 3 }'; done
    # the rates within and between molecules add up to the total
    for o in --within --between; do g4-cpu -q --sum mic --component all --lags 20 --blocks 1 $o 2 h.mbf | first; done | paste - - - - - - | tr '\t' ' ' |
        awk '{ print $1 + $7, $2 + $8; print $3 + $9, $4 + $10; print $5 + $11, $6 + $12 }' | paste -d' ' want - |
        awk '{ for (k = 1; k < 3; k++) if (($k / $(k + 2) - 1) ^ 2 > 1e-11) exit 1 } END { exit NR != 3 }'
}

@test "spins are the atoms of one species: water without --pair, and atoms without names, are refused" {
    argon_gas 60 40
    bin2xyz gas.mbf | awk 'NF == 4 && /^Ar/ { $1 = k++ % 3 ? "H" : "O" } /Lattice/ { k = 0 } { print }' | xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 -o water.mbf
    g4() { g4-cpu -q --sum mic --component all --lags 20 --blocks 1 "$@"; }
    g4 water.mbf -o all.cf
    fails 2 nmr-rates all.cf -o out
    [[ $output == *"expected pairs of one species, found all pairs of "*"O"*"(use g4-cpu --pair H-H, or first frame-cut --species H)"* ]]
    # both remedies give the rates for 40 spins, not for 60
    g4 --pair H-H water.mbf | nmr-rates -q | bin2txt | rows >pair
    frame-cut -q --species H water.mbf | g4 | nmr-rates -q | bin2txt | rows >cut
    g4 --pair H-H water.mbf | nmr-rates -q --spins 60 | bin2txt | rows >sixty
    paste -d' ' pair cut sixty | awk '{ for (k = 2; k < 4; k++) if (($k / $(k + 3) - 1) ^ 2 > 1e-22 || ($k / $(k + 6) - 1.5) ^ 2 > 1e-22) exit 1 } END { exit NR < 3 }'
    # pairs of one species within a molecule
    g4 --pair H-H --within 3 water.mbf | nmr-rates -q -o within.spec
    g4 --pair O-H water.mbf -o oh.cf
    fails 2 nmr-rates oh.cf
    [[ $output == *"expected pairs of one species, found O-H"*"(use g4-cpu --pair H-H, or give --spins N)"* ]]
    # atoms without names may be of any species
    MAKE_CORR=${MAKE_CORR:-$(dirname "$BIN")/tests/unit/make_corr}
    lammps='ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 20\n0 20\n0 20\nITEM: ATOMS id x y z\n1 1 1 1\n2 3 %d 1\n3 1 1 4\n'
    # shellcheck disable=SC2059
    for k in 0 1 2 3 4 5; do printf "$lammps" $k $((k % 3)); done | traj2bin -q --units metal --timestep 0.1 -o un.mbf -
    g4 --sigma 3.4 --lags 3 un.mbf -o un.cf
    fails 2 nmr-rates un.cf
    [[ $output == *"expected atom names, found none (give --spins N if all atoms have spins"* ]]
    nmr-rates -q --spins 3 un.cf -o un.spec
}

@test "the table ends where sampling makes R1 5 % too large; --highest beyond that is warned of, beyond 1/(4 dt) refused" {
    numpy_python
    # an exponential of 5 ps with a frame every 0.2 ps, against the rates of the function itself
    py oracle/nmr_corr exp e.cf 600 0.2
    nmr-rates --decade 40 e.cf -o e.spec 2>said
    [ ! -s said ]
    excess() { bin2txt "$1" | rows | awk '{ w = 2 * 3.14159265358979 * $1 * 1e-6 * 5; j1 = 1 / (1 + w * w); j2 = 1 / (1 + 4 * w * w)
        r = $2 / (j1 + 4 * j2); if (NR == 1) zero = r; x = r / zero - 1; if (x > m) m = x; nu = $1 } END { print m, nu }'; }
    read -r m nu <<<"$(excess e.spec)"
    near "$m" 0.047 0.003 # a step of the table below 5 %
    near "$nu" 380000 20000 # 1/(13 dt)
    # up to nearly 1/(4 dt), R1 is up to 85 % too large; the warning has the number of the table
    nmr-rates --highest 1.2e6 --decade 40 e.cf -o far.spec 2>said
    read -r m nu <<<"$(excess far.spec)"
    awk -v m="$m" 'BEGIN { exit !(m > 0.6 && m < 0.85) }'
    said=$(sed -n 's/.*make R1 up to \([0-9.]*\) % too large at.*/\1/p' said)
    near "$said" "$(awk "BEGIN { print 100 * $m }")" 3
    near "$nu" 1.19e6 3e4
    fails 2 nmr-rates --highest 1.25e6 e.cf -o no
    [[ $output == *"expected a frequency below 1.25e+06 MHz, which is 1/(4 dt), found 1.25e+06"* ]]
    # frames as far apart as the decay time of G2 change J(0) itself
    py oracle/nmr_corr exp c.cf 40 8
    nmr-rates c.cf -o c.spec 2>said
    grep -q 'frames 8 ps apart do not resolve G2\. With every second frame, J(0) changes by [0-9.e+]* %' said
    py oracle/nmr_corr exp ok.cf 200 2
    nmr-rates -v ok.cf -o c.spec 2>said
    ! grep -q 'do not resolve' said
}

@test "a random walk around a spin has Hwang and Freed's density" {
    left
    numpy_python
    # 27,000 A^3 and 60 walkers: C(0) = 2 (16 pi/15) n/d^3 for one spin; the 2 is because pairs
    # count from both sides
    py oracle/hwang_freed_walk 5 60 12000 | xyz2bin -q --dt 0.2 --sigma 3.4 -o walk.mbf
    g4-cpu -q --sum mic --component all --tmax 30 --pair A-B walk.mbf -o walk.cf
    nmr-rates -q --spins 1 --lowest 1000 --decade 2 --highest 1e5 walk.cf -o walk.spec
    py oracle/nmr_corr hwang-freed h.cf 2000 0.05
    # `want` is of C(0) = 0.8/3^6
    bin2txt walk.spec | rows | paste -d' ' - want | awk '$1 > 5000 && $1 < 1.1e5 { n++; f = 2 * 16 * 3.141592653589793 / 15 * 60 / 26886.9 / 27 / (0.8 / 729)
        for (k = 2; k < 4; k++) { z = ($k - f * $(k + 5)) / $(k + 2); print $1, $k, f * $(k + 5), $(k + 2), z; if (!(z * z < 12) || !($(k + 2) < 0.08 * $k)) bad = 1 } } END { exit bad || n < 3 }'
}

@test "NMRforMD: G of 27 atoms is 8/(3 N sigma^6) of G2 of zz, to 1e-5" {
    left
    peer=${NMRFORMD:-python3} # a Python that has it
    env -u PYTHONPATH "$peer" -c 'import nmrformd' 2>/dev/null || skip "no NMRforMD for Python (pip install nmrformd; NMRFORMD names that Python)"
    xyz2bin -q --atoms 0:27 --select 0:200 "$DATA/argon256.xyz.gz" -o few.mbf
    bin2txt few.mbf | env -u PYTHONPATH "$peer" "$ROOT/tests/oracle/nmrformd_peer.py" 23.03154 0.125 >peer
    g4-cpu -q --sum mic --component zz --method fft --blocks 1 few.mbf | bin2txt | awk '/^# t_ps/ { for (i = 2; i <= NF; i++) if ($i == "G2") k = i - 1 } !/^#/ { print 8 / (3 * 27 * 3.4 ^ 6) * $k }' >ours
    # the other numbers are in single precision, here 4e-6
    paste peer ours | awk '{ d = $5 / $2 - 1; if (NR < 150 && (n++ || 1) && d * d > 1e-10) { print; exit 1 } } END { exit n != 149 }'
}

@test "what has no rates is refused: other streams, components apart, unknown spins" {
    g4() { g4-cpu -q --sum mic --component all --lags 20 "$@"; }
    argon_gas 30 40
    # says PATTERN ARGS...
    says() { local p=$1; shift; fails 2 nmr-rates "$@" -o out && grep -q -e "$p" <<<"$output" || { echo "$output"; false; } && [ ! -e out ]; }
    g4 --apart gas.mbf -o apart.cf
    says 'the input has no function G2 (use g4-cpu .*without --components)' apart.cf
    g4 --weights Ar=2 gas.mbf -o w.cf
    says 'the number of spins is unknown for weighted pairs (give --spins N' w.cf
    g4 gas.mbf -o g.cf
    says 'expected --lowest no larger than --highest, found 10 and 1' --lowest 10 --highest 1 g.cf
    says 'expected' --spin 4He g.cf
    says 'expected functions of time (CORR of g4-cpu or rotacf-cpu), found POSN' gas.mbf
    g4-cpu -q --sum mic --component all --lags 15 gas.mbf -o few.cf
    says '--tail: expected at least 16 lags, found 15' --tail few.cf
    rdf-cpu -q gas.mbf -o h.hist
    says 'expected functions of time (CORR of g4-cpu or rotacf-cpu), found HIST' h.hist
    sq-cpu -q --qmax 3 gas.mbf -o s.cf
    says 'expected functions of time, found functions of q_A-1' s.cf
    head -c 3000 g.cf >cut.cf
    fails 2 nmr-rates cut.cf
}
