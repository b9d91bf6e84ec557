# SPDX-License-Identifier: MIT
# sanitize
# fft-spectrum: tests the whole program with functions whose spectra are known.
# reads: fft-spectrum CORR -q
# rounds: fft-spectrum

load ../helpers

setup_file() {
    MAKE_CORR=${MAKE_CORR:-$(dirname "$BIN")/tests/unit/make_corr}
    [ -x "$MAKE_CORR" ]
    export MAKE_CORR
}

rows() { grep -v '^#'; }
meta() { sed -n "s/^data\\.$1	//p"; }

# peak: the axis value of the largest I
peak() { bin2txt | rows | awk 'NR == 1 || $2 > m { m = $2; x = $1 } END { print x }'; }

@test "a cosine of 1 THz is one line, at the right place in each unit" {
    "$MAKE_CORR" corr f=cos a=1 lags=64 dt=0.125 >c
    near "$(fft-spectrum -q --unit THz c | peak)" 1 1e-12
    near "$(fft-spectrum -q c | peak)" 33.35640951981521 1e-10
    near "$(fft-spectrum -q --unit rad/ps c | peak)" 6.283185307179586 1e-12
    near "$(fft-spectrum -q --window blackman --pad 3 c | peak)" 33.35640951981521 1e-10
    [ "$(fft-spectrum -q c | bin2txt | head -n 1)" = "# nu_cm-1 I I2 I3 I4" ]
    [ "$(fft-spectrum -q --unit THz c | bin2txt | head -n 1)" = "# nu_THz I I2 I3 I4" ]
}

@test "one lag, the shortest function, is the same at each frequency" {
    "$MAKE_CORR" corr f=exp a=0.5 lags=1 dt=0.1 >c
    for pad in 1 2 7; do
        fft-spectrum -q --unit rad/ps --pad $pad --window none c | bin2txt | rows >s
        # G(0) dt / (2 pi), up to the last frequency, pi / dt
        awk -v pad=$pad '($2 / 0.1 * 2 * 3.141592653589793 - 1)^2 > 1e-24 { print; exit 1 } { x = $1 } END { exit NR < 2 || (x / 31.41592653589793 - 1)^2 > 1e-24 }' s
    done
}

@test "the integral over both signs is G(0), from the columns and in META, whatever the window and unit" {
    "$MAKE_CORR" corr f=exp a=0.5 lags=50 dt=0.1 >c
    for o in "" "--window hann" "--window blackman --pad 1.7" "--window gauss:0.4 --unit THz" "--unit rad/ps --pad 3"; do
        # shellcheck disable=SC2086
        fft-spectrum -q $o c >s
        bin2txt s | rows | awk '{ x[NR] = $1; y[NR] = $2 }
            END { for (i = 2; i < NR; i++) s += 2 * y[i]; print (s + y[1] + y[NR]) * (x[2] - x[1]) }' OFMT=%.15g >sum
        near "$(cat sum)" 1 1e-12
        near "$(bin2txt --meta s | meta moment0 | cut -d' ' -f3)" -3 1e-12
    done
}

@test "a Gaussian gives a Gaussian, with its second moment" {
    "$MAKE_CORR" corr f=gauss a=0.3 lags=100 dt=0.05 | fft-spectrum -q --unit THz >s
    bin2txt s | rows | awk '{ w = 0.3 * sqrt(2 * 3.141592653589793) * exp(-2 * 3.141592653589793^2 * 0.09 * $1^2)
        d = $2 - w; if (!(d * d <= m)) m = d * d } END { print NR ? sqrt(m) : "none" }' >worst
    near "$(cat worst)" 0 1e-13
    near "$(bin2txt --meta s | meta moment2 | cut -d' ' -f1)" 0.28144773233982615 1e-12
    [ "$(bin2txt --meta s | meta moment2.unit)" = "(THz)^2" ]
    [ "$(bin2txt --meta s | meta unit)" = "per THz" ]
}

@test "an exponential gives a Lorentzian" {
    # tau = 0.5 ps, dt = 0.005 ps: the error of the trapezoidal rule is (dt/tau)²/12 = 1e-5 of the
    # peak, 1 ps
    "$MAKE_CORR" corr f=exp a=0.5 lags=2000 dt=0.005 | fft-spectrum -q --unit THz | bin2txt | rows |
        awk '$1 < 5 { w = 1 / (1 + (3.141592653589793 * $1)^2); d = $2 - w; if (!(d * d <= m)) m = d * d } END { print NR ? sqrt(m) : "none" }' >worst
    near "$(cat worst)" 0 2e-5
}

@test "I = I2 + I3 + I4 at every frequency, on real data, and the errors are not those of independent parts" {
    xyz2bin --select 0:200 "$DATA/argon256.xyz.gz" | g4-cpu --lags 32 --blocks 5 >c
    fft-spectrum -q c | bin2txt | rows >t
    # I comes from S, the parts from their own sums in double: rounding of G2 (450), not of G (13)
    awk '{ d = $2 - $3 - $4 - $5; if (!(d * d <= m)) m = d * d; e += $6; p += sqrt($7^2 + $8^2 + $9^2) }
        END { print sqrt(m), e / p }' t >x
    near "$(cut -d' ' -f1 x)" 0 1e-10
    awk '{ exit !($2 < 0.9) }' x
    [ "$(fft-spectrum -q c | bin2txt | head -n 1)" = "# nu_cm-1 I I2 I3 I4 I_se I2_se I3_se I4_se" ]
}

@test "components apart keep their names" {
    "$MAKE_CORR" corr comp="xz zz" apart=1 | fft-spectrum -q | bin2txt >t
    [ "$(head -n 1 t)" = "# nu_cm-1 I_xz I2_xz I3_xz I4_xz I_zz I2_zz I3_zz I4_zz" ]
}

@test "spectra are named after the functions: G gives I, any other NAME I_NAME" {
    [ "$("$MAKE_CORR" corr functions="C G G2 msd" blocks=2 | fft-spectrum -q | bin2txt | head -n 1)" = \
        "# nu_cm-1 I_C I I2 I_msd I_C_se I_se I2_se I_msd_se" ]
    "$MAKE_CORR" corr functions="C Gx" f=one dt=0.02 | fft-spectrum 2>err | bin2txt >t
    grep -q 'some functions have not decayed at the last lag: C (1 of lag 0), Gx (1 of lag 0);' err
    [ "$(head -n 1 t)" = "# nu_cm-1 I_C I_Gx" ]
    grep -qx '## convention integral of I over all frequencies, both signs = C(0)' t
}

@test "quantum corrections: factors, detailed balance, integral" {
    "$MAKE_CORR" corr f=gauss a=0.3 lags=64 dt=0.05 >c
    fft-spectrum -q --unit THz c | bin2txt | rows >plain
    for q in standard harmonic schofield; do
        fft-spectrum -q --unit THz --quantum $q --temperature 100 c >s
        bin2txt s | rows | paste -d' ' plain - | awk -v q=$q 'NR == 6 { x = 47.992430733662114 * $1 / 100
            w = q == "standard" ? 2 / (1 + exp(-x)) : q == "harmonic" ? x / (1 - exp(-x)) : exp(x / 2)
            print $7 / $2 - w }' >d
        near "$(cat d)" 0 1e-12
        [ "$(bin2txt --meta s | meta quantum)" = $q ]
        fft-spectrum -q --window hann --quantum $q --temperature 100 c >s # what a window adds is known of the classical moment
        [[ $(bin2txt --meta s | meta moment2.window) == "" ]]
        [ "$(bin2txt --meta s | meta temperature)" = 100 ]
    done
    near "$(fft-spectrum -q --quantum standard --temperature 100 c | bin2txt --meta | meta moment0 | cut -d' ' -f1)" 1 1e-12
    # egelstaff of a Gaussian: exp(-tau²/2a²), tau = hbar/2kT = 0.0381911 ps, at zero frequency
    fft-spectrum -q --unit THz --quantum egelstaff --temperature 100 c | bin2txt | rows | paste -d' ' plain - |
        awk 'NR == 1 { t = 47.992430733662114 / (400 * 3.141592653589793); print $7 / $2 - exp(-t * t / 0.18) }' >d
    near "$(cat d)" 0 2e-5
}

@test "detailed balance: both sides of every correction, and the Stokes ratio with a laser" {
    "$MAKE_CORR" corr f=gauss a=0.3 lags=64 dt=0.05 >c
    # fold FILE FACTOR: worst I(-nu) / (I(nu) FACTOR) - 1 up to 3 THz, x = h nu / kT, left = nu /
    # nu_0
    fold() {
        bin2txt "$1" | rows | awk -v kind="$2" '{ nu[NR] = $1; v[NR] = $2 } END { if (NR % 2 == 0 || nu[(NR + 1) / 2] != 0) { print "no middle"; exit }
            for (i = 1; i <= NR; i++) { j = NR + 1 - i; if (nu[i] != -nu[j]) { print "not even"; exit }
                if (nu[j] <= 0 || nu[j] > 3) continue
                x = 47.992430733662114 * nu[j] / 100; left = nu[j] * 33.35640951981521 / 19436
                w = (kind ~ /q/ ? exp(-x) : 1) * (kind ~ /4/ ? ((1 + left) / (1 - left)) ^ 4 : 1)
                d = v[i] / v[j] / w - 1; if (d < 0) d = -d; if (d > m) m = d; n++ } print (n > 15 ? m + 0 : "none") }'
    }
    for q in standard harmonic schofield egelstaff bose; do
        fft-spectrum -q --unit THz --two-sided --quantum $q --temperature 100 c >s
        near "$(fold s q)" 0 1e-13
        fft-spectrum -q --unit THz --two-sided --quantum $q --temperature 100 --weight nu4 --laser 19436 c >s
        near "$(fold s q4)" 0 1e-13
    done
    fft-spectrum -q --unit THz --two-sided c >s
    near "$(fold s plain)" 0 0
    # the side nu >= 0 and the moments are the same as without the option
    fft-spectrum -q --unit THz --two-sided --quantum bose --temperature 100 c >s
    fft-spectrum -q --unit THz --quantum harmonic --temperature 100 c >h
    bin2txt h | rows >one
    bin2txt s | rows | awk '$1 >= 0' | cmp - one
    [ "$(bin2txt --meta s | meta moment0)" = "$(bin2txt --meta h | meta moment0)" ]
}

@test "weights: nu2, nu-tanh, nu and the laser's powers, in each unit; nu-tanh is nu2 with the standard correction" {
    "$MAKE_CORR" corr f=gauss a=0.3 lags=64 dt=0.05 >c
    while read -r unit cm weight; do
        fft-spectrum -q --unit "$unit" c | bin2txt | rows >plain
        # shellcheck disable=SC2086
        fft-spectrum -q --unit "$unit" --weight $weight c | bin2txt | rows |
            paste -d' ' plain - | awk -v w="$weight" -v cm="$cm" '{ nu = $1; x = 1.4387768775039337 * nu * cm / 100 / 2; left = 1 - nu * cm / 500
                f = w == "nu" ? nu : w ~ /nu4/ ? left ^ 4 : w ~ /nu3/ ? left ^ 3 : w == "nu2" || !nu ? nu * nu : nu * nu * (1 - exp(-2 * x)) / (1 + exp(-2 * x)) / x
                d = $7 - f * $2; if (!(d * d <= m)) m = d * d; if (f * $2 > top) top = f * $2 } END { print NR ? sqrt(m) / top : "none" }' >d
        near "$(cat d)" 0 1e-13
    done <<'EOF'
THz 33.35640951981521 nu2
cm-1 1 nu2
cm-1 1 nu
rad/ps 5.308837458876146 nu-tanh --temperature 100
THz 33.35640951981521 nu-tanh --temperature 100
cm-1 1 nu4 --laser 500
rad/ps 5.308837458876146 nu3 --laser 500
EOF
    # 2 nu tanh(x/2) = nu (1 - e^-x) 2/(1 + e^-x): absorption less emission of the corrected
    # function
    fft-spectrum -q --quantum standard --temperature 100 c | bin2txt | rows >q
    fft-spectrum -q --weight nu-tanh --temperature 100 c | bin2txt | rows | paste -d' ' q - |
        awk '{ x = 1.4387768775039337 / 100; d = $7 - $1 * (1 - exp(-x * $1)) * $2 / x; if (d * d > m) m = d * d } END { print sqrt(m) }' >d
    near "$(cat d)" 0 1e-12
    fft-spectrum -q --weight nu4 --laser 500 c | bin2txt --meta >m
    [ "$(meta weight <m)" = nu4 ]
    near "$(meta weight.laser <m)" 500 0
    [ "$(meta convention <m)" = "integral of I/weight over all frequencies, both signs = G(0)" ]
    [ "$(fft-spectrum -q --weight nu2 c | bin2txt --meta | meta unit)" = "per cm-1 cm-1^2" ]
    fails 2 fft-spectrum --weight nu-tanh c
    [[ $output == *"--weight nu-tanh needs --temperature K"* ]]
    fails 2 fft-spectrum --weight nu2 --quantum bose --temperature 9 c
    [[ $output == *"cannot be combined with --quantum"* ]]
    fails 2 fft-spectrum --weight nu4 c
    [[ $output == *"--weight nu4 needs --laser CM1"* ]]
    fails 2 fft-spectrum --weight nu2 --laser 100 c
    fails 2 fft-spectrum --weight nu5 c
    [ ! -e s ]
}

@test "measured units: absorption of a Debye liquid, an oscillator and its current is 2 pi nu eps2; each correction; the Rayleigh ratio" {
    numpy_python
    for kind in debye line current; do
        lags=4096 dt=0.002 end=833
        [ $kind != debye ] || { lags=8000 dt=0.02 end=20; }
        py oracle/dielectric_corr $kind c.cf $lags $dt
        fft-spectrum -q --weight absorption --quantum harmonic --temperature 300 c.cf -o a
        [ "$(bin2txt a | head -n 1)" = "# nu_cm-1 alpha_n_M_cm-1 alpha_n_M_cm-1_se" ]
        # 2 pi nu eps2 in 1/cm, from the closed form, at each frequency, and the error for blocks
        # that differ by a factor
        paste -d' ' want <(bin2txt a | rows) | awk -v end=$end '$1 <= end { n++; if (($1 - $5)^2 > 1e-12 * (1 + $1^2)) exit 1
            w = 2 * atan2(0, -1) * $1 * $3; d = ($6 - w)^2; if (d > m) m = d; if (w > top) top = w; if ($6 > 0 && !($7 > 0.015 * $6 && $7 < 0.04 * $6)) bad++ }
            END { if (!(n > 50 && sqrt(m) < 2e-3 * top && bad == 0)) { print n, sqrt(m) / top, bad; exit 1 } }'
    done
    # other corrections at x = h nu/kT, relative to "harmonic": tanh(x/2)/(x/2) and sinh(x/2)/(x/2)
    for q in standard schofield; do
        fft-spectrum -q --weight absorption --quantum $q --temperature 300 c.cf | bin2txt | rows | paste -d' ' - <(bin2txt a | rows) |
            awk -v q=$q '$1 > 0 && $1 < 2000 { y = 1.438776877503933 * $1 / 600; s = (exp(y) - exp(-y)) / 2; f = (q == "standard" ? s / ((exp(y) + exp(-y)) / 2) : s) / y
                d = $2 / $5 / f - 1; n++; if (d * d > 1e-20) { print; exit 1 } } END { exit n < 50 }'
    done
    bin2txt a --meta >m
    [ "$(meta unit <m)" = "cm^-1" ]
    [ "$(meta convention <m)" = "alpha n = 2 pi^2 nu (1 - exp(-x)) I/(eps_0 h c V), x = h nu/kT" ]
    near "$(meta volume <m)" 1000 1e-9
    # scattered light is (2 pi nu_s)^4/V, here for a polarizability that oscillates
    seq 0 399 | awk 'BEGIN { print "xx xy xz yy yz zz" } { c = cos(0.3 * $1) * exp(-$1 / 40); print c, c, c / 2, -c, 0, c }' >table
    txt2bin -q --dt 0.05 table | acf -q --invariant vh,vv,iso --lags 100 --unit '(A^3)^2' -o p.cf
    fft-spectrum -q --weight rayleigh --laser 20000 --volume 5000 --quantum bose --temperature 90 p.cf -o r
    [ "$(bin2txt r | head -n 1 | cut -d' ' -f2-5)" = "nu_cm-1 R_VH_sr-1 R_VV_sr-1 R_iso_sr-1" ]
    fft-spectrum -q --quantum bose --temperature 90 p.cf | bin2txt | rows | paste -d' ' - <(bin2txt r | rows) |
        awk '{ n = NF / 2; k = (2 * atan2(0, -1) * (20000 - $1) * 1e-8) ^ 4 * 1e8 / 5000; for (i = 2; i <= 4; i++) { d = $(i + n) - k * $i; if (d * d > 1e-24 * k * k * $i * $i) { print i, $0; exit 1 } } } END { exit NR < 50 }'
    # a dipole whose unit is listed for each function
    bin2xyz "$DATA/water64.mbf" | xyz2bin -q --unsorted-ok --charges O=-0.8476,H=0.4238 - | current --quantity dipole --molecules 3 | acf --average M --tmax 0.2 |
        fft-spectrum -q --weight absorption --quantum standard --temperature 298 | bin2txt >d
    [ "$(head -n 1 d)" = "# nu_cm-1 alpha_n_M_cm-1 alpha_n_M_cm-1_se" ]
    grep -q '^## unit.of nu_cm-1:cm^-1 alpha_n_M_cm-1:cm^-1 ' d
    fails 2 fft-spectrum --weight rayleigh --laser 20000 --volume 5000 c.cf -o no
    [[ $output == *"expected correlation functions of a polarizability in A^3 (alpha-cpu), found the unit (e*A/ps)^2"* ]]
    fails 2 fft-spectrum --weight rayleigh --laser 20000 p.cf -o no
    [[ $output == *"expected the volume of the cell, found none (give --volume)"* ]]
    fails 2 fft-spectrum --weight absorption --temperature 300 c.cf -o no
    [[ $output == *"--weight absorption needs --quantum NAME (--quantum harmonic gives the classical absorption)"* ]]
    fails 2 fft-spectrum --weight absorption --quantum bose --temperature 300 p.cf -o no
    [[ $output == *"expected correlation functions of dipole moments"* ]]
    fails 2 fft-spectrum --weight rayleigh --laser 20000 --unit THz p.cf -o no
    [[ $output == *"--weight rayleigh: expected --unit cm-1, found THz"* ]]
    fails 2 fft-spectrum --volume 9 p.cf -o no
    [[ $output == *"--volume needs --amagat or --weight absorption or rayleigh"* ]]
    [ ! -e no ]
}

@test "the axis ends at the laser, or where a correction overflows: rows, moments, both sides and ratios; a message" {
    "$MAKE_CORR" corr functions="c1 c2" f=gauss a=0.02 lags=200 dt=0.0005 blocks=4 >c
    # frames of 0.5 fs reach 33356 cm-1, so a visible laser is on the axis; the rest is the table of
    # a plain spectrum
    fft-spectrum -q c | bin2txt | rows | awk '$1 < 19436' >plain
    for w in nu3 nu4; do
        fft-spectrum --weight $w --laser 19436 c -o s 2>said
        grep -q "the axis ends at 19346.7 cm-1, below the laser frequency, 19436 cm-1, .*up to 33356.4 cm-1" said
        bin2txt s | rows | paste -d' ' plain - | awk -v p="${w#nu}" '{ f = (1 - $1 / 19436) ^ p; d = $7 - f * $2
            if ($1 != $6 || !(d * d <= 1e-26 * $2 * $2)) exit 1 } END { exit NR != 117 }'
    done
    near "$(bin2txt --meta s | meta end)" 19346.7 0.1
    [ "$(bin2txt --meta s | meta nyquist | cut -d. -f1)" = 33356 ]
    # another unit gives the same rows; the anti-Stokes side has the same number
    [ "$(fft-spectrum -q --unit meV --weight nu4 --laser 19436 c | bin2txt | rows | wc -l)" = 117 ]
    fft-spectrum -q --two-sided --ratio c1/c2 --weight nu4 --laser 19436 c | bin2txt | rows >two
    awk '{ x[NR] = $1; if ($4 != $2 / $3 && ($4 * $3 / $2 - 1) ^ 2 > 1e-20) exit 1 } END { exit NR != 233 || x[1] != -x[NR] || x[117] != 0 }' two
    # M0 equals the sum of the rows
    awk '{ x[NR] = $1; s += $2 } END { printf "%.15g\n", s * (x[2] - x[1]) }' two >sum
    near "$(cat sum)" "$(fft-spectrum -q --weight nu4 --laser 19436 c | bin2txt --meta | meta moment0 | cut -d' ' -f1)" 1e-12
    # a laser beyond the axis does not end the axis
    fft-spectrum --weight nu4 --laser 40000 c -o s 2>said
    ! grep -q 'the axis ends' said
    [ -z "$(bin2txt --meta s | meta end)" ]
    # a correction, e^(x/2), that becomes larger than 1e100 at 10 K
    for q in schofield harmonic standard; do fft-spectrum --quantum $q --temperature 10 c -o $q.s 2>$q.said; done
    grep -q 'the axis ends at 3168.86 cm-1, .*larger than 1e100; the frames would resolve frequencies up to 33356.4 cm-1 (--quantum standard' schofield.said
    bin2txt schofield.s | rows | awk '$2 == "inf" || $2 == "nan" { exit 1 } END { exit !($1 > 3000 && $1 < 3300) }'
    for q in harmonic standard; do ! grep -q 'the axis ends' $q.said; [ "$(bin2txt $q.s | rows | tail -n 1 | cut -d. -f1)" = 33356 ]; done
}

@test "a ratio has no unit, nor alpha2; currents have their own: META, names and plots" {
    "$MAKE_CORR" corr functions="VH VV" blocks=4 >c
    fft-spectrum -q --ratio VH/VV c -o s
    bin2txt s | grep -qE '^## unit.of .* VH/VV:1( |$)'
    bin2txt --meta s | grep -qE '^data.unit.of.I_VH:.* VH/VV:1$'
    md-cpu -q --atoms 64 --density 0.021 --steps 400 --every 10 --velocities -o g.mbf
    fqt-cpu -q --lags 8 --qmax 1 --currents --self g.mbf -o f.mbf
    bin2txt f.mbf | grep -qF ' C_L:(A/ps)^2 C_T:(A/ps)^2 F_s:1'
    fft-spectrum -q --unit THz f.mbf | bin2txt | grep -qF ' C_L:(A/ps)^2/THz C_T:(A/ps)^2/THz S_s:1/THz'
    msd-cpu -q --alpha2 --apart --unwrapped --lags 8 g.mbf -o m.mbf
    bin2txt m.mbf | grep -q '^## unit.of .* msd:angstrom^2 .* alpha2:1' 
    # a power of the unit in a name belongs to the quantity with that unit
    [ "$(fft-spectrum -q m.mbf | bin2txt | head -n 1 | tr ' ' '\n' | grep -c alpha2_A2)" = 0 ]
}

# two_columns: time series whose second column contains much of the first column
two_columns() { awk "$UNIFORM"'BEGIN { seed(11); for (i = 0; i < 600; i++) { x = 0.8 * x + uniform() - 0.5; y = 0.5 * y + uniform() - 0.5; print x, x + 0.4 * y } }' | txt2bin -q --dt 0.02; }

@test "the ratio of two functions, with the covariance of its blocks: by NumPy from the sums" {
    numpy_python
    two_columns | acf -q --lags 24 --pairs c1,c2 --blocks 6 -o c
    fft-spectrum -q --window hann --pad 2 --ratio c1/c2 c >s
    [ "$(bin2txt s | head -n 1)" = "# nu_cm-1 I_c1 I_c2 c1/c2 I_c1_se I_c2_se c1/c2_se" ]
    py oracle/ratio_error c >want
    bin2txt s | rows | paste -d' ' - want | awk '{ for (k = 0; k < 2; k++) { d = $(k ? 7 : 4) - $(8 + k); w = $(8 + k); if (d * d > 1e-22 * w * w) bad = 1 }
        own += $7; apart += $4 * sqrt(($5 / $2) ^ 2 + ($6 / $3) ^ 2) } END { exit bad || NR != 49 || !(own < 0.7 * apart) }'
    # both spectra have corrections, weights and both sides
    fft-spectrum -q --window hann --pad 2 --ratio c1/c2 --weight nu4 --laser 19436 --quantum bose --temperature 90 --two-sided c | bin2txt | rows >two
    awk '$1 >= 0 { print $4, $7 }' two >right
    bin2txt s | rows | awk '{ print $4, $7 }' | cmp - right
    fails 2 fft-spectrum --ratio c1/c3 c
    [[ $output == *"--ratio c1/c3: expected A/B with the names of two functions, found functions named c1 and c2 in the input"* ]]
    fails 2 fft-spectrum --ratio c1 c
    fails 2 fft-spectrum --ratio c1/c1 c
}

@test "a correction without a temperature, and the reverse, are status 2" {
    "$MAKE_CORR" corr >c
    fails 2 fft-spectrum --quantum harmonic c
    [[ $output == *"--temperature"* ]]
    fails 2 fft-spectrum --temperature 100 c
    fails 2 fft-spectrum --quantum harmonic --temperature 0 c
    fails 2 fft-spectrum --window gauss c
    fails 2 fft-spectrum --window gauss:-1 c
    fails 2 fft-spectrum --pad 0.5 c
    fails 2 fft-spectrum --unit GHz c
}

@test "no time step: status 2, and the option that gives one is named" {
    "$MAKE_CORR" corr dt=0 >c
    fails 2 fft-spectrum c -o s
    [[ $output == *"sys.dt_ps"*"--dt PS to xyz2bin"* ]]
    [ ! -e s ]
}

@test "other streams are status 2 and named" {
    for k in spec hist posn; do
        "$MAKE_CORR" $k >x
        fails 2 fft-spectrum x
        [[ $output == *"expected correlation functions (CORR), found ${k^^}"* ]] || { echo "$output"; false; }
    done
}

@test "warnings: Nyquist in the chosen unit, tails, negative intensities; silent where there is nothing" {
    "$MAKE_CORR" corr f=cos a=1 lags=64 dt=0.125 | fft-spectrum >s 2>err
    grep -q "the spectrum ends at the Nyquist frequency, 133.4 cm-1, and higher frequencies are aliased (use frames that are closer together)" err
    grep -q "not decayed at the last lag: G (0.71 of lag 0)" err
    grep -q "I is negative at .* frequencies" err
    "$MAKE_CORR" corr f=cos a=1 lags=64 dt=0.125 | fft-spectrum --unit THz 2>&1 >s | grep -q "Nyquist frequency, 4 THz"
    "$MAKE_CORR" corr f=gauss a=0.3 lags=64 dt=0.05 | fft-spectrum --window hann 2>err >s
    cat err
    [ "$(grep -vc negative err)" -eq 0 ] # a Gaussian's far tail is rounding of either sign
    # with errors, 3 standard errors decide, not 1 %
    "$MAKE_CORR" corr f=one lags=8 blocks=8 noise=0.1 dt=0.05 | fft-spectrum 2>&1 >s | grep -q "not decayed"
    "$MAKE_CORR" corr f=exp a=0.05 lags=40 blocks=8 noise=0.5 seed=3 dt=0.05 | fft-spectrum 2>err >s
    [ "$(grep -c 'not decayed.*G ' err)" -eq 0 ]
}

@test "warnings judge G, and advise nothing that was done" {
    # G2 is far from 0 where G is near 0; only G counts
    xyz2bin "$DATA/argon256.xyz.gz" --select 0:400 | g4-cpu -q --tmax 3 --component all -o g.cf
    fft-spectrum g.cf 2>err >s
    ! grep -q "not decayed.*G2" err || false
    "$MAKE_CORR" corr f=one lags=8 dt=0.05 | fft-spectrum --window hann 2>err >s
    grep -q "some functions have not decayed at the last lag: G (1 of lag 0); the window broadens" err
    ! grep -q -- "--window" err
}

@test "egelstaff on frames that are too far apart is marked; the shift by a window is stated" {
    "$MAKE_CORR" corr f=gauss a=0.3 lags=100 dt=0.125 >far
    fft-spectrum --quantum egelstaff --temperature 90 far 2>err >s
    grep -q "egelstaff.*frames are 0.125 ps apart" err
    [ "$(bin2txt --meta s | meta quantum.frames)" = "too far apart" ]
    "$MAKE_CORR" corr f=gauss a=0.3 lags=400 dt=0.02 >near
    fft-spectrum --quantum egelstaff --temperature 90 near 2>err >s
    ! grep -q egelstaff err || false
    [ -z "$(bin2txt --meta s | meta quantum.frames)" ]
    # M2 with a window less its shift is M2 without one: G is smooth and gone by the last lag
    fft-spectrum -q near | bin2txt --meta >plain
    fft-spectrum -q --window gauss:0.5 near | bin2txt --meta >gauss
    near "$(paste <(meta moment2 <gauss) <(meta moment2.window <gauss) <(meta moment2 <plain) |
        tr '\t' ' ' | awk '{ print ($1 - $5) / $9 }')" 1 1e-3
    [ -z "$(meta moment2.window <plain)" ]
}

@test "META: where it came from, window, axis; the CORR stream's own keys do not linger" {
    "$MAKE_CORR" corr lags=50 dt=0.1 | fft-spectrum -q --window gauss:0.7 --pad 2 | bin2txt --meta >m
    [ "$(meta window <m)" = gauss ]
    near "$(meta window.gauss_ps <m)" 0.7 0
    [ "$(meta quantity <m)" = spectrum ]
    [ "$(meta length <m)" = 200 ]
    near "$(meta nyquist <m)" 166.78204759907602 1e-10
    near "$(meta step <m)" 1.6678204759907602 1e-12
    grep -q '^prov.2.tool	fft-spectrum$' m
    grep -q '^sys.dt_ps	0.10' m
    ! grep -q '^data.rmax' m
}

@test "META: what the correlation function is of stays" {
    local of='^data\.(average|component|prefactor|sigma|cutoff|sum|taper|weights|axis2|axis2.values|axis2.vectors|direction|form_factor|pairs|function)\b'
    md-cpu -q --atoms 32 --density 0.02 --steps 12 --every 2 -o m.mbf
    printf '# q Ar\n0 1\n9 2\n' >form
    printf 'rank 2\nunit 1\nr Ar-Ar\n1 1\n3 1\n4 1\n5 0\n' >function
    g4-cpu -q --lags 4 --weights Ar=2 --sum taper:3,5 m.mbf -o g.cf
    g4-cpu -q --lags 4 --pair-function function m.mbf -o f.cf
    fqt-cpu -q --qmax 1 --lags 4 --direction 1,0,0 --form-factor form --pair Ar-Ar m.mbf -o q.cf
    for c in g f q; do
        bin2txt --meta $c.cf | grep -E "$of" >$c.want
        fft-spectrum -q $c.cf | bin2txt --meta | grep -E "$of" | diff $c.want -
    done
    [ "$(cat ./*.want | cut -f 1 | sort -u | wc -l)" -eq 15 ]
}

@test "segments stay segments" {
    "$MAKE_CORR" corr segments=3 | fft-spectrum -q | bin2txt --meta | grep -c '^data.columns' >n
    [ "$(cat n)" -eq 3 ]
}

@test "a long transform is refused up front by --max-mem" {
    "$MAKE_CORR" corr lags=1000 >c
    fails 4 fft-spectrum --pad 1000 --max-mem 1M c
    [[ $output == *"of memory is needed for the spectrum, but the limit is 1 MiB (use a larger --max-mem, or a smaller --pad)"* ]]
}

@test "the same bytes twice" {
    "$MAKE_CORR" corr f=exp lags=777 blocks=3 noise=0.01 >c
    fft-spectrum -q --pad 2 c >a
    fft-spectrum -q --pad 2 c >b
    cmp a b
}

# within N-SIGMA VALUE ERROR WANT MAX-RELATIVE-ERROR
within() { awk -v n="$1" -v v="$2" -v e="$3" -v w="$4" -v m="$5" 'BEGIN { print v, e, w; d = v - w; exit !(e > 0 && e < m * w && d < n * e && d > -n * e) }'; }

@test "binary moments per amagat^2: free atoms with a pair dipole, and pairs with the Boltzmann factor of Lennard-Jones" {
    numpy_python
    # M of 40 free atoms: M0 and M2 of G2 are integrals over one pair, with the velocities of the
    # file
    py forge/free_flight gas.mbf 40 6000 0.04 5 2 "24 0 0 0 24 0 0 0 24" "Ar Kr"
    awk 'BEGIN { print "rank 1\nunit e*A\nr Ar-Kr"; for (k = 0; k < 240; k++) { r = k / 20 + 1e-6; printf "%.17g %.17g\n", r, 0.05 * r * exp(-r * r / 8) } }' >table
    g4-cpu -q --sum mic --pair-function table --component all --lags 150 gas.mbf | fft-spectrum -q --amagat 20,20 | bin2txt --meta >m
    frame-cut -q 0:1 gas.mbf | bin2xyz | awk 'NF == 7 { for (c = 5; c <= 7; c++) { s += $c * $c; a[$1, c] += $c } }
        END { v2 = s / 20 # mean square of the velocity of Ar relative to Kr
            for (c = 5; c <= 7; c++) v2 -= 2 * a["Ar", c] * a["Kr", c] / 400
            for (r = 0.0005; r < 12; r += 0.001) { g = 0.05 * exp(-r * r / 8); w = 4 * atan2(0, -1) * r * r * 0.001 / 3
                m0 += (g * r) ^ 2 * w; m2 += v2 / 3 * g * g * ((1 - r * r / 4) ^ 2 + 2) * w }
            n0 = 2.686780111e-5; print m0 * n0 ^ 2, m2 * (n0 * 33.356409519815204 / 2 / atan2(0, -1)) ^ 2 }' >want
    read -r m0 m2 <want
    within 3 "$(meta moment0 <m | cut -d' ' -f 2)" "$(meta moment0.se <m | cut -d' ' -f 2)" "$m0" 0.04
    within 3 "$(meta moment2 <m | cut -d' ' -f 2)" "$(meta moment2.se <m | cut -d' ' -f 2)" "$m2" 0.04
    [ "$(meta moment0.unit <m)" = '(e*A)^2*A^-3*amagat^-2' ]
    near "$(meta amagat <m | cut -d' ' -f 2)" 53.847326520546 1e-9
    # first order VH of two atoms in a sphere of 12 A, at 120 K = epsilon/k
    awk "$UNIFORM"'BEGIN { seed(8); while (n < 20000) { r = 12 * uniform() ^ (1 / 3); if (r < 2.5) continue; x = (3.4 / r) ^ 6
            if (uniform() > exp(-4 * (x * x - x) - 1)) continue
            c = 2 * uniform() - 1; f = 2 * atan2(0, -1) * uniform(); s = sqrt(1 - c * c)
            printf "2\n\nAr 0 0 0\nAr %.6f %.6f %.6f\n", r * s * cos(f), r * s * sin(f), r * c; n++ } }' | xyz2bin -q --dtype f64 --dt 1 -o pairs.mbf
    volume=$(awk 'BEGIN { print 4 * atan2(0, -1) / 3 * 12 ^ 3 }')
    alpha-cpu -q --polarizability Ar=1.64 --order 1 pairs.mbf | acf -q --invariant vh --lags 1 >pairs.cf
    fft-spectrum -q --amagat 2 --volume "$volume" pairs.cf | bin2txt --meta >m
    want=$(awk -v v="$volume" 'BEGIN { for (r = 2.5005; r < 12; r += 0.001) { x = (3.4 / r) ^ 6; w = exp(-4 * (x * x - x)) * r * r; z += w; m += w * (6 * 1.64 ^ 2 / r ^ 3) ^ 2 / 15 }
        n = 2 / v / 2.686780111e-5; printf "%.12g", m / z / v / n ^ 2 }')
    within 3 "$(meta moment0 <m)" "$(meta moment0.se <m)" "$want" 0.03
    [ "$(fft-spectrum -q --amagat 2 --volume 1e3 pairs.cf | bin2txt | head -n 1 | cut -d' ' -f 3)" = I_VH_A6cmA-3amagat-2 ]
    # in measured units and with a quantum correction: the spectrum is divided by the same
    # densities; the first moment
    n2=$(awk 'BEGIN { n = 1e3 * 2.686780111e-5; print 6 / n / n }')
    alpha-cpu -q --polarizability Ar=1.64 --order 1 pairs.mbf | acf -q --invariant vh --lags 9 >nine.cf
    for o in '--weight rayleigh --laser 18312 --volume 1e3' '--quantum standard --temperature 120 --two-sided'; do
        # shellcheck disable=SC2086
        fft-spectrum -q $o nine.cf | bin2txt --format tsv | tail -n +2 >one
        # shellcheck disable=SC2086
        fft-spectrum -q --volume 1e3 $o --amagat 2,3 nine.cf >two.mbf
        [[ $(bin2txt --meta two.mbf | meta convention) == *' n_B'* ]]
        v=$([[ $o == *rayleigh* ]] && echo 1 || echo 1e3)
        paste one <(bin2txt --format tsv two.mbf | tail -n +2) | awk -v k="$(awk "BEGIN { print $n2 * $v }")" '{ d = $2 / k / $5 - 1; if (!(d < 1e-5 && d > -1e-5)) exit 1 } END { exit NR < 5 }'
    done
    bin2txt --meta two.mbf >m
    bin2txt --format tsv two.mbf | awk 'NR > 1 { nu[++n] = $1; y[n] = $1 * $2 }
        END { for (k = 1; k < n; k++) s += (nu[k + 1] - nu[k]) * (y[k] + y[k + 1]) / 2; printf "%.12g %.3g\n", s, s * 1e-6 }' >sum
    read -r sum tolerance <sum
    near "$(meta moment1 <m)" "$sum" "$tolerance"
    near "$(meta moment1.se <m)" "$sum" "$sum"
    # a series whose columns state their units: the unit is that of the functions
    for u in D A^3; do
        awk -v u="$u" 'BEGIN { print "t_ps m[" u "] T[K]"; for (i = 0; i < 40; i++) print i / 100, sin(i * i), 300 + i % 3 }' | txt2bin -q | acf -q --lags 4 --pairs "m[$u]" | fft-spectrum -q --amagat 2 --volume 1e3 | bin2txt --meta >m
        [ "$(meta unit <m)" = "($u)^2*A^-3*amagat^-2 per cm-1" ]
        [ "$(meta moment0.unit <m)" = "($u)^2*A^-3*amagat^-2" ]
    done
    refuses() { fails 2 fft-spectrum -q "${@:2}" pairs.cf -o x && [[ $output == *"$1"* ]] || { echo "$output"; false; }; }
    refuses '--amagat: expected --weight none, absorption or rayleigh, found nu2' --amagat 2 --weight nu2
    refuses '--amagat: expected --unit cm-1, found THz' --amagat 2 --unit THz
    refuses "expected a number from 1 to 1e+15, found '0'" --amagat 2,0
    refuses 'expected the volume of the cell, found none (give --volume)' --amagat 2
}
