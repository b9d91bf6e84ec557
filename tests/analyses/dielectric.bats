# SPDX-License-Identifier: MIT
# sanitize
# dielectric: dielectric functions in closed form, a planted liquid of dipoles, and refusals.
# rounds: dielectric
# reads: dielectric DIPOLE -q --temperature 300
# options: dielectric spectra dipole.corr --temperature=300
# option: dielectric temperature 300 310
# option: dielectric volume 1000 1100
# option: dielectric epsilon-inf 1 2
# option: dielectric window none hann
load ../helpers

rows() { bin2txt -q "$1" | grep -v '^#'; }

@test "a Debye liquid and a damped oscillator: eps and alpha in closed form, from the dipole and from the current; errors" {
    numpy_python
    for kind in debye line current; do
        lags=4096 dt=0.002 tol=1e-3
        [ $kind != debye ] || { lags=8000 dt=0.02 tol=1e-3; }
        py oracle/dielectric_corr $kind c.cf $lags $dt
        dielectric -q --temperature 300 c.cf -o eps
        [ "$(bin2txt eps | head -n 1)" = "# nu_cm-1 eps1 eps2 alpha_cm-1 eps1_se eps2_se alpha_cm-1_se" ]
        # up to a frequency at which dt is a twentieth of a period, in units of the largest value
        rows eps | awk -v first="$(rows eps | awk '{ print $1 + 0; exit }')" -v end=$([ $kind = debye ] && echo 20 || echo 833) -v tol=$tol '
            NR == FNR { n++; for (k = 1; k < 5; k++) w[n, k] = $k; next }
            FNR == 1 { j = first > 0 ? 2 : 1 }
            $1 <= end { if (($1 - w[j, 1])^2 > 1e-12 * (1 + $1^2)) exit 1
                for (k = 2; k < 5; k++) { d = $k - w[j, k]; if (d < 0) d = -d; if (d > off[k]) off[k] = d; if (w[j, k] > top[k]) top[k] = w[j, k] } m++ }
            { j++ } END { for (k = 2; k < 5; k++) if (!(off[k] < tol * top[k])) { print k, off[k], top[k]; exit 1 } exit m < 50 }' want -
    done
    # blocks that differ by a factor x with a standard error of 0.0245: eps - 1 has that of x, at 0
    py oracle/dielectric_corr debye c.cf 8000 0.02
    dielectric -q --temperature 300 c.cf -o eps
    rows eps | awk 'NR == 1 { exit !($5 / ($2 - 1) > 0.015 && $5 / ($2 - 1) < 0.04 && $3 == 0 && $4 == 0) }'
    # the factors by which V, T and the unit divide, and eps_inf
    dielectric -q --temperature 150 --volume 4000 --epsilon-inf 1.7 c.cf -o other
    paste -d' ' <(rows eps) <(rows other) | awk '(($9 - 1.7) * 2 - ($2 - 1))^2 > 1e-20 || ($10 * 2 - $3)^2 > 1e-20 { print; exit 1 }'
}

@test "dipoles that relax as an Ornstein-Uhlenbeck process: eps(0) and the peak within their errors, from M and from differences" {
    # <M_x^2> = 9 and tau = 2 ps in 1000 A^3 at 300 K: eps(0) = 1 + 9 e^2 A^2/(eps_0 V kT) = 64.00
    awk "$UNIFORM"'function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN { seed(11); a = exp(-0.05); print "mx my mz"
            for (t = 0; t < 40000; t++) { for (k = 0; k < 3; k++) x[k] = t ? a * x[k] + 3 * sqrt(1 - a * a) * normal() : 3 * normal(); print x[0], x[1], x[2] } }' |
        txt2bin -q --dt 0.1 - -o m.mbf
    acf -q --unit '(e*A)^2' --tmax 40 m.mbf | dielectric -q --temperature 300 --volume 1000 -o eps
    rows eps | awk 'NR == 1 { if (($2 - 63.995)^2 > 9 * $5^2 || !($5 > 0.3 && $5 < 2)) exit 1 }
        # eps2 has its peak, half of eps(0) - 1, at 1/(2 pi tau) = 2.65 1/cm
        $1 > 2.4 && $1 < 2.9 { n++; if (($3 - 31.5)^2 > 9 * $6^2) { print; exit 1 } } END { exit n < 1 }'
    # differences: the same eps2 at frequencies below the Nyquist frequency
    acf -q --derivative --unit '(e*A/ps)^2' --tmax 40 m.mbf | dielectric -q --temperature 300 --volume 1000 -o d
    paste -d' ' <(rows eps | tail -n +2) <(rows d) | awk '$1 > 2 && $1 < 20 { n++; s += ($3 - $10)^2; t += $3^2 } END { exit !(n > 20 && s < 0.01 * t) }'
    # Debye units: 1 e A is 4.803 D
    awk -v OFMT=%.17g -v f=4.80320471 'NR == 1 { print; next } { print f * $1, f * $2, f * $3 }' <(bin2txt m.mbf | awk '/^# / { print "mx my mz" } !/^#/ { print $3, $4, $5 }') |
        txt2bin -q --dt 0.1 - | acf -q --unit '(D)^2' --average M --tmax 40 | dielectric -q --temperature 300 --volume 1000 -o debye
    paste -d' ' <(rows eps) <(rows debye) | awk '($2 - $9)^2 > 1e-10 || ($3 - $10)^2 > 1e-10 { print; exit 1 }'
}

@test "water: with --derivative, the false line below 30/cm of a dipole that has not decayed vanishes; the librations stay" {
    bin2xyz "$DATA/water64.mbf" | xyz2bin -q --unsorted-ok --charges O=-0.8476,H=0.4238 - | current --quantity dipole --molecules 3 -o m.mbf
    # the largest value below 30/cm over that of the librations, and their place
    low() { rows "$1" | awk -v c="$2" '$1 > 300 && $c > best { best = $c; nu = $1 } $1 < 30 && $c > low { low = $c } END { print low / best, nu }'; }
    acf -q --average M --mean subtract --tmax 1 m.mbf | fft-spectrum -q --window hann --weight nu2 -o false
    acf -q --derivative --tmax 1 m.mbf -o d.cf
    acf -q --derivative --average M --tmax 1 m.mbf | fft-spectrum -q --window hann -o true
    dielectric -q --temperature 298 --window hann d.cf -o eps
    { low false 2; low true 2; low eps 3; low eps 4; } >found
    awk '{ print; if (NR == 1 && $1 < 0.3) bad = 1; if ((NR == 2 || NR == 4) && $1 > 0.1) bad = 1; if ($2 < 600 || $2 > 800) bad = 1 } END { exit bad || NR != 4 }' found
}

@test "refused: no temperature, units and cells that are missing, other streams; functions that have not decayed are warned of" {
    numpy_python
    py oracle/dielectric_corr debye c.cf 500 0.02
    fails 2 dielectric c.cf
    [ "$output" = "dielectric: expected --temperature K, found none" ]
    fails 0 dielectric --temperature 300 c.cf -o x
    [[ $output == *"at the last lag, M is still 0.29 of its value at lag 0. The spectrum has ripples and, for a dipole moment, a false line at low frequencies (use more lags, or acf --derivative)" ]]
    # without errors of some lags, no errors are written, as by fft-spectrum
    seq 50 | txt2bin -q --dt 1 - | acf -q --unit '(D)^2' --lags 45 --blocks 2 -o none.cf
    fails 0 dielectric --temperature 300 --volume 1000 none.cf -o x
    [[ $output == *"no error estimates from lag 25 on: fewer than two blocks contain time origins (use fewer --lags or --blocks)"* ]]
    [ "$(bin2txt x | head -n 1)" = "# nu_cm-1 eps1 eps2 alpha_cm-1" ]
    fails 0 fft-spectrum none.cf -o x
    [[ $output == *"no error estimates from lag 25 on: "* ]]
    seq 50 | txt2bin -q --dt 1 - | acf -q --unit '(D)^2' --lags 20 --blocks 2 | dielectric -q --temperature 300 --volume 1000 | bin2txt | grep -q '^# .*eps1_se'
    seq 50 | txt2bin -q --dt 1 - | acf -q --lags 5 -o none.cf
    fails 2 dielectric --temperature 300 none.cf
    [[ $output == *"expected correlation functions of dipole moments in e*A, e*nm, e*bohr or D, or of currents in e*A/ps, found the unit - (give acf --unit '(D)^2')" ]]
    seq 50 | txt2bin -q --dt 1 - | acf -q --unit '(D)^2' --lags 5 -o none.cf
    fails 2 dielectric --temperature 300 none.cf
    [[ $output == *"expected the volume of the cell, found none (give --volume)" ]]
    py forge/planted_ions bound 4 20 | traj2bin -q --units metal --timestep 0.001 --velocities --scalars q | current --quantity both --unwrapped | acf -q --lags 5 -o both.cf
    fails 2 dielectric --temperature 300 both.cf
    [[ $output == *"expected functions in one unit, found (e*A/ps)^2 and (e*A)^2 (use acf --pairs)" ]]
    argon_gas 30 4
    fails 2 dielectric --temperature 300 gas.mbf
    [[ $output == *"expected correlation functions (CORR of acf), found POSN"* ]]
}

@test "a dipole and its parts are not averaged together: dielectric and fft-spectrum --weight absorption refuse them" {
    awk "$UNIFORM"'BEGIN { seed(5); print "mx my mz induced_mx"; for (t = 0; t < 500; t++) print uniform(), uniform(), uniform(), uniform() }' | txt2bin -q --dt 0.01 - -o m.mbf
    acf -q --unit '(e*A)^2' --lags 50 m.mbf -o all.cf
    acf -q --unit '(e*A)^2' --lags 50 --average M m.mbf -o mean.cf
    acf -q --unit '(e*A)^2' --lags 50 --average M --pairs mx,my,mz m.mbf -o vector.cf
    fails 2 dielectric --temperature 300 --volume 1000 all.cf -o no
    [[ $output == *"expected the x, y and z components of one vector, also found induced_mx"* ]]
    for f in 'dielectric' 'fft-spectrum --weight absorption --quantum standard'; do
        # shellcheck disable=SC2086
        fails 2 $f --temperature 300 --volume 1000 mean.cf -o no
        [[ $output == *"also found induced_mx (select the columns of one vector in acf, as in --pairs mx,my,mz)"* ]]
        # shellcheck disable=SC2086
        $f -q --temperature 300 --volume 1000 vector.cf -o yes
    done
    [ ! -e no ]
    acf -q --unit '(e*A)^2' --lags 50 --pairs mx,induced_mx --average M m.mbf -o two.cf # the same axis twice
    fails 2 dielectric --temperature 300 --volume 1000 two.cf
    acf -q --unit '(e*A)^2' --lags 50 --pairs mx m.mbf | dielectric -q --temperature 300 --volume 1000 -o yes
}
