# SPDX-License-Identifier: MIT
# sanitize
# acf: correlation functions of time series.
# reads: acf SERI --lags 4
# rounds: acf

load ../helpers

# noise N COLUMNS: values with a finite correlation time, in columns.
noise() {
    awk -v n="$1" -v c="$2" "$UNIFORM"'BEGIN { seed(7); for (i = 0; i < n; i++) { s = ""; for (k = 1; k <= c; k++) {
        x[k] = 0.9 * x[k] + uniform() - 0.4; s = s " " sprintf("%.15g", x[k] + 0.2 * x[1]) } print s } }'
}

# direct TABLE LAGS: the sums over origins of columns 1 and 2, with one rounding per product: lag,
# origins, <11>, <22>, <12>, and the same without the means.
direct() {
    py oracle/direct_sums "$@"
}

# within A B COLUMNS TOL: two tables agree in these columns, relative to their largest value.
within() {
    paste -d' ' <(grep -v '^#' "$1") "$2" | awk -v spec="$3" -v tol="$4" '
        BEGIN { m = split(spec, pair, ",") }
        { for (i = 1; i <= m; i++) { split(pair[i], c, ":"); d = $c[1] - $c[2]; if (d < 0) d = -d
            v = $c[2] < 0 ? -$c[2] : $c[2]; if (d > worst[i]) worst[i] = d; if (v > top[i]) top[i] = v } n++ }
        END { if (!n) exit 1; for (i = 1; i <= m; i++) if (!(worst[i] <= tol * top[i])) { print pair[i], worst[i], top[i]; exit 1 } }'
}

@test "the sums over all origins, auto and cross, mean kept and subtracted, to 1e-12" {
    noise 400 2 >t.txt
    direct t.txt 60 >exact.txt
    txt2bin --dt 0.5 t.txt -o t.mbf
    for b in 1 2 7 10; do
        acf --lags 60 --pairs c1,c2,c1-c2 --blocks $b t.mbf | bin2txt >a.txt
        w=$([ $b = 1 ] && echo 5 || echo 8) # columns of the table before those of "direct"
        within a.txt exact.txt "2:$((w + 2)),3:$((w + 3)),4:$((w + 4)),5:$((w + 5))" 1e-12
        acf --lags 60 --pairs c1,c2,c1-c2 --blocks $b --mean subtract t.mbf | bin2txt >a.txt
        within a.txt exact.txt "3:$((w + 6)),4:$((w + 7)),5:$((w + 8))" 1e-12
    done
    acf t.mbf | bin2txt | awk '!/^#/ { n++; last = $2 } END { exit !(n == 400 && last == 1) }'
    acf --tmax 3 t.mbf | bin2txt | awk '!/^#/ { n++; t = $1 } END { exit !(n == 7 && t == 3) }'
    [ "$(acf --lags 2 t.mbf | bin2txt | head -n 1)" = "# t_ps origins c1 c2 c1_se c2_se" ]
}

@test "the mean over pairs as one function, with an error that knows their correlation" {
    noise 4000 1 | awk '{ print $1, $1 }' >t.txt
    txt2bin --dt 1 t.txt -o t.mbf
    acf --lags 5 --average c t.mbf | bin2txt >mean.txt
    acf --lags 5 --pairs c1 t.mbf | bin2txt >one.txt
    grep -v '^#' mean.txt | diff - <(grep -v '^#' one.txt)
    [ "$(head -n 1 mean.txt)" = "# t_ps origins c c_se" ]
}

@test "--integral: the trapezoid of what is printed, and its error covers the known integral" {
    noise 200 1 >t.txt
    txt2bin --dt 0.25 t.txt | acf --lags 30 --integral --mean subtract | bin2txt >i.txt
    [ "$(head -n 1 i.txt)" = "# t_ps origins c1 int_c1 c1_se int_c1_se" ]
    awk '!/^#/ { sum += n++ ? 0.125 * (last + $3) : 0; last = $3; d = sum - $4; if (d < 0) d = -d; if (d > 1e-12) bad = 1 } END { exit bad || n != 30 }' i.txt
    # x' = 0.9 x + u: the sum over all lags is var(x) (1/2 + 0.9/0.1) = 9.5/(12 (1 - 0.81)), in
    # steps of 1
    awk "$UNIFORM"'BEGIN { seed(3); for (i = 0; i < 200000; i++) { x = 0.9 * x + uniform() - 0.5; print x } }' |
        txt2bin --dt 1 | acf --lags 60 --integral | bin2txt | grep -v '^#' | tail -n 1 >last.txt
    awk '{ want = 9.5 / (12 * 0.19); d = ($4 - want) / $6; good = d < 4 && d > -4 && $6 < 0.1 * want && $6 > 0 } END { exit !good }' last.txt
}

@test "blocks, threads and compression do not change the sums; merged runs add up" {
    noise 3000 2 >t.txt
    txt2bin --dt 1 t.txt -o t.mbf
    acf --lags 20 -t 1 t.mbf -o a.cf
    acf --lags 20 -t 3 -z t.mbf -o b.cf
    [ "$(content a.cf)" = "$(content b.cf)" ]
    acf --lags 20 --blocks 1 t.mbf | bin2txt | grep -v '^#' >whole.txt
    bin2txt a.cf >a.txt
    within a.txt whole.txt 2:8,3:9,4:10 1e-12
    frame-merge a.cf <(noise 500 2 | txt2bin --dt 1 | acf --lags 20) -o m.cf
    [ "$(bin2txt m.cf | awk '!/^#/ { print $2; exit }')" = 3500 ]
    fails 2 frame-merge a.cf <(txt2bin --columns 1 --dt 1 t.txt | acf --lags 20) -o n.cf
    [ ! -e n.cf ]
}

@test "--integral and --response: bin2txt names the units of the columns that it computes" {
    noise 50 2 | txt2bin -q --dt 0.5 -o s.mbf
    # units TEXT OPTION...: the units of integrals and responses in the header, without their errors
    units() { acf -q --lags 5 --unit "$@" s.mbf | bin2txt -q | sed -n 's/^## unit.of //p' | tr ' ' '\n' | grep -E '^(int|response)' | grep -v _se: | paste -sd ' '; }
    [ "$(units D^2)" = "" ]
    [ "$(units D^2 --integral)" = "int_c1:D^2*ps int_c2:D^2*ps" ]
    [ "$(units 1 --integral --pairs c1-c2)" = "int_c1-c2:ps" ]
    [ "$(units 'mPa s/ps' --integral --average g)" = "int_g:mPa*s" ]
    [ "$(units A^6 --response 300 --average g)" = "response_g:A^6/(meV*ps)" ]
    [ "$(units 'e A' --integral --response 300 --average g)" = "int_g:e*A*ps response_g:e*A/(meV*ps)" ]
    acf -q --lags 5 --integral s.mbf | bin2txt -q | grep -q '^## unit.of .* c1:- c2:- int_c1:- int_c2:-' # columns without a unit
}

@test "--integral: lags too far apart are told, by about what they do" {
    walk() { # MEMORY in rows: an autoregression of variance 1
        python3 - "$1" <<'E'
import math, sys
state, rho, x = 7, math.exp(-1 / float(sys.argv[1])), 0.0
for i in range(100000):
    z = 0.0
    for k in range(12):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        z += (state >> 11) / 2**53
    x = rho * x + math.sqrt(1 - rho * rho) * (z - 6)
    print(f"{x:.6f}")
E
    }
    # if h = tau, the sum is h/2 coth(1/2) = 1.082 in place of 1
    walk 1 | txt2bin -q --dt 1 | acf -q --lags 9 --integral | bin2txt 2>said | tail -n 2 | head -n 1 >last
    awk '{ d = ($4 - 1.082) / $6; exit !(d * d < 9) }' last
    by=$(sed -n 's/.*, int_c1 is .*, but may be wrong by \([0-9.]*\), more than its error (use more closely spaced rows)$/\1/p' said)
    near "$by" 0.08 0.02
    walk 20 | txt2bin -q --dt 1 | acf -q --lags 101 --integral | bin2txt >fine.txt 2>said
    [ ! -s said ]
}

@test "samples: of noise nearly as many as blocks, of a slow series about the run over its correlation time" {
    # 100 blocks: x^2 has half the correlation time of x, so 6,400 steps of tau = 200 hold 6400/200
    while read -r tau from to; do
        awk -v tau="$tau" "$UNIFORM"'BEGIN { seed(1); r = exp(-1 / tau); for (i = 0; i < 6400; i++) {
            x = -6; for (k = 0; k < 12; k++) x += uniform(); print y = r * y + sqrt(1 - r * r) * x } }' | txt2bin -q --dt 0.5 | acf -q --lags 8 --integral --mean keep -o s.cf
        { bin2txt -q s.cf; fft-spectrum -q s.cf | bin2txt -q; } | sed -n 's/^## samples //p' | tr ' ' '\n' |
            awk -F: -v from="$from" -v to="$to" '!($2 > from && $2 <= to) { print; bad = 1 } END { exit bad || NR != 3 }'
    done <<<"0.001 30 100
200 8 40"
}

@test "--response: of a cosine, and with its errors by NumPy from the sums" {
    # for cos(2 pi t), C is cos/2 and the response pi sin(2 pi t)/kT; at 0.02 ps, fourth order has
    # an error of (2 pi 0.02)^4/30 = 8e-6 (second order 3e-3), and the terms of cos(2 pi (2 t + k))
    # at the ends of the run are 2e-4
    awk 'BEGIN { for (i = 0; i < 50000; i++) printf "%.17g\n", cos(6.283185307179586 * i * 0.02) }' | txt2bin -q --dt 0.02 |
        acf -q --lags 51 --blocks 1 --response 90 | bin2txt >r.txt
    [ "$(head -n 1 r.txt)" = "# t_ps origins c1 response_c1" ]
    grep -qx '## response 90' r.txt
    awk '!/^#/ && n++ < 49 { w = 3.141592653589793 * sin(6.283185307179586 * $1) / (0.08617333262145179 * 90); d = $4 - w; if (d < 0) d = -d
        if (d > m) m = d } END { exit !(n == 51 && m < 3e-4 * 0.405) }' r.txt
    numpy_python
    noise 400 1 | txt2bin -q --dt 0.5 | acf -q --lags 12 --blocks 5 --integral --response 250 -o r.cf
    [ "$(bin2txt r.cf 2>/dev/null | head -n 1)" = "# t_ps origins c1 int_c1 response_c1 c1_se int_c1_se response_c1_se" ]
    py oracle/response r.cf 250 >want
    bin2txt r.cf 2>/dev/null | grep -v '^#' | paste -d' ' - want | awk '{ for (k = 0; k < 2; k++) { d = $(k ? 8 : 5) - $(9 + k); if (NR > 1 && d * d > 1e-22) bad = 1 } }
        NR == 1 && $5 != 0 { bad = 1 } END { exit bad || NR != 12 }'
    # runs add up, and an invalid temperature is refused
    noise 300 1 | txt2bin -q --dt 0.5 | acf -q --lags 12 --blocks 5 --integral --response 250 -o more.cf
    frame-merge -q r.cf more.cf | bin2txt 2>/dev/null | grep -q '^# .* response_c1 '
    fails 2 acf --response 0 bare.mbf
}

@test "of several series a result each, as of each alone" {
    noise 300 2 | tee t.txt | txt2bin --dt 1 -o a.mbf
    txt2bin --dt 0.5 --columns 2,1 t.txt -o b.mbf
    acf --tmax 9 -o '%.cf' a.mbf b.mbf
    for f in a b; do acf --tmax 9 $f.mbf | compare - $f.cf | grep -q '^identical'; done
    fails 2 acf --tmax 9 a.mbf b.mbf
}

@test "its spectrum: one line of a sine; the integral is C(0)" {
    awk 'BEGIN { for (i = 0; i < 20000; i++) print sin(6.283185307179586 * i * 0.05 * 2) }' |
        txt2bin --dt 0.05 | acf --lags 400 --blocks 1 | fft-spectrum -q --unit THz --window hann | bin2txt >s.txt
    head -n 1 s.txt | grep -q '^# nu_THz I_c1'
    awk '!/^#/ { if ($2 > top) { top = $2; at = $1 } } END { exit !(at > 1.95 && at < 2.05) }' s.txt
}

@test "refusals: nothing to correlate, pairs that are not there, too many lags, other streams" {
    noise 50 2 | txt2bin --dt 1 -o t.mbf
    fails 2 acf --pairs c1-c3 t.mbf -o x.cf
    [[ $output == *"'c1-c3'"* ]]
    fails 2 acf --pairs c1-c2,c1,c1-c2 t.mbf -o x.cf
    [[ $output == *"--pairs: 'c1-c2' is given twice"* ]]
    xyz2bin --select 0:9 "$DATA/argon256.xyz.gz" -o posn.mbf
    fails 2 acf --lags 3 posn.mbf
    [[ $output == "acf: posn.mbf: frame 0: expected a time series (SERI), found POSN" ]]
    fails 2 acf --lags 51 t.mbf -o x.cf
    [[ $output == *"51 lags"*"found 50"* ]]
    fails 2 acf --lags 5 --tmax 5 t.mbf -o x.cf
    fails 2 acf --blocks 51 t.mbf -o x.cf
    fails 4 acf --max-mem 1K t.mbf -o x.cf
    xyz2bin -q "$DATA/argon8.xyz" -o p.mbf
    fails 2 acf p.mbf -o x.cf
    [[ $output == *"SERI"* ]]
    head -c 700 t.mbf >cut.mbf
    fails 2 acf cut.mbf -o x.cf
    fails 2 acf </dev/null
    [ ! -e x.cf ]
    printf 'a-b b a\n1 2 3\n2 3 5\n' | txt2bin --dt 1 -o names.mbf
    fails 2 acf --pairs a-b names.mbf -o x.cf
    [[ $output == *"is ambiguous"* ]]
    acf --pairs b-a --lags 1 names.mbf | bin2txt | grep -q '^0 2 10.5'
}

@test "--average over more columns than there may be functions; --scale and --unit" {
    noise 300 130 >t.txt
    txt2bin --dt 1 t.txt -o t.mbf
    acf --lags 6 --mean subtract --average c --blocks 3 t.mbf -o c.mbf
    bin2txt c.mbf | grep -v '^#' >mean.txt
    # the mean of the first 60, the next 60 and the rest, by numbers; rounding of sums of 300
    for f in 1,60 61,120 121,130; do
        acf --lags 6 --mean subtract --average c --blocks 3 --pairs "$(seq -f c%g -s , "${f%,*}" "${f#*,}")" t.mbf | bin2txt | grep -v '^#' >"part.$f"
    done
    paste -d' ' mean.txt part.1,60 part.61,120 part.121,130 | awk '{ w = (60 * $7 + 60 * $11 + 10 * $15) / 130
        if (($3 / w - 1)^2 > 1e-24 || !($4 > 0)) exit 1 }'
    fails 2 acf --lags 6 t.mbf
    [[ $output == *"expected at most 64 columns, found 130 (choose pairs with --pairs, or use --average)" ]]
    [ "$(acf -t 3 --lags 6 --mean subtract --average c --blocks 3 t.mbf | bin2txt | grep -v '^#')" = "$(cat mean.txt)" ]
    acf --lags 6 --mean subtract --average c --blocks 3 --scale 2.5 --unit mPa t.mbf -o s.mbf
    frame-check -v s.mbf | grep -E 'data.unit +mPa$'
    paste -d' ' mean.txt <(bin2txt s.mbf | grep -v '^#') | awk '{ if (($7 / $3 - 2.5)^2 > 1e-28 || ($8 / $4 - 2.5)^2 > 1e-20) exit 1 }'
}

# series KIND SEED: 4000 values; normal() uses two uniform numbers
series() {
    awk -v kind="$1" -v s="$2" "$UNIFORM"'function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform()) }
        function sign() { return uniform() < 0.5 ? -1 : 1 }
        BEGIN { seed(s); n = 4000; level = 1
            for (i = 0; i < n; i++) {
                u = uniform(); w = normal()
                if (kind == "dipole" || kind == "wrapped") { x = 0.98 * x + 0.6 * w; if (kind == "wrapped" && i % 900 == 500) jump += (i % 1800 == 500 ? 1 : 2) * 60; v = x + jump }
                else if (kind == "white") v = w
                else if (kind == "cauchy") v = w / normal()
                else if (kind == "student") v = w / sqrt(normal() ^ 2 + normal() ^ 2 + normal() ^ 2)
                else if (kind == "lognormal") v = exp(2 * w)
                else if (kind == "squared") v = w ^ 4
                else if (kind == "walk") v = (x += w)
                else if (kind == "telegraph") { if (u < 0.01) level = -level; v = level }
                else if (kind == "noisy telegraph") { if (u < 0.01) level = -level; v = level + 0.002 * w }
                else if (kind == "three levels") { if (u < 0.02) level = int(3 * uniform()); v = level }
                else if (kind == "pulse") v = (i > 1500 && i < 1800) + 0.001 * w
                else if (kind == "pulses") v = (i % 400 < 30) + 0.001 * w
                else if (kind == "shots") { x *= 0.9; if (u < 0.01) x += -log(uniform()); v = x }
                else if (kind == "shots of both signs") { x *= 0.95; if (u < 0.02) x += sign() * -log(uniform()); v = x + 0.01 * w }
                else if (kind == "counts") { v = 0; for (k = 0; k < 40; k++) v += uniform() < 0.02 }
                else if (kind == "chirp") v = sin(i * i / 20000)
                else if (kind == "quantised") v = int((x = 0.99 * x + w) / 3)
                else if (kind == "vibration") { vel += -0.04 * x - 0.02 * vel + w; v = (x += vel) }
                printf "%.9g\n", v
            } }'
}

@test "--derivative: the functions of the differences over dt; its spectrum has nu^2 of that of the series, at any frequency" {
    noise 400 2 >t.txt
    awk 'NR > 1 { printf "%.15g %.15g\n", ($1 - a) / 0.5, ($2 - b) / 0.5 } { a = $1; b = $2 }' t.txt | txt2bin --dt 0.5 - -o d.mbf
    txt2bin --dt 0.5 t.txt -o t.mbf
    for o in "" "--pairs c1-c2 --blocks 3" "--average one --mean subtract"; do
        # shellcheck disable=SC2086
        paste -d' ' <(acf -q --lags 60 $o --derivative t.mbf | bin2txt -q | grep -v '^#') <(acf -q --lags 60 $o d.mbf | bin2txt -q | grep -v '^#') |
            awk '{ n = NF / 2; for (k = 1; k <= 3; k++) if (($k - $(k + n))^2 > 1e-22) { print; exit 1 } } END { exit NR != 60 }'
    done
    # for a sine of 0.3/dt, the difference is sin(y)/y of the derivative, with y = 0.942, but the
    # spectrum is that of the derivative
    awk 'BEGIN { for (t = 0; t < 4000; t++) printf "%.15g\n", sin(6.283185307179586 * 0.3 * t) }' | txt2bin -q --dt 1 - | acf -q --derivative --lags 1000 -o s.cf
    fft-spectrum -q --unit THz --window hann s.cf | bin2txt --meta | sed -n 's/^data.moment0	//p' | awk '{ print; exit !(($1 / (0.5 * (6.283185307179586 * 0.3)^2) - 1)^2 < 1e-6) }'
    frame-cut -q 0:1 t.mbf -o one.mbf
    fails 2 acf --derivative one.mbf
    [[ $output == *"expected 2 or more steps, found 1" ]]
    printf '2\nx\nNa 1 1 1\nCl 2 2 2\n2\nx\nNa 1 1 1\nCl 2 2 3\n' | xyz2bin -q --charges Na=1,Cl=-1 --unsorted-ok - | current --quantity dipole -o still.mbf
    fails 2 acf --derivative still.mbf
    [[ $output == *"--derivative needs a time step, but the input has none" ]]
    fails 2 acf --derivative --lags 9 <(seq 9 | txt2bin -q --dt 1 -)
    [[ $output == *"9 lags need at least 10 steps, found 9" ]]
}

@test "--modulo: jumps by quanta are undone, and the function is that of the series without them; ambiguous ones are warned of" {
    noise 300 2 | awk '{ print $1, 3 * $2 }' >t.txt
    awk '{ printf "%.15g %.15g\n", $1 - 4 * int($1 / 4) + (NR % 3) * 4, $2 - 30 * int(NR / 100) }' t.txt >jumps.txt
    for f in t jumps; do txt2bin -q --dt 1 $f.txt -o $f.mbf; done
    acf -q --lags 40 --mean subtract t.mbf | bin2txt -q | grep -v '^#' >want
    acf -v --lags 40 --mean subtract --modulo 4,10 jumps.mbf -o j.cf 2>said
    bin2txt -q j.cf | grep -v '^#' | paste -d' ' - want | awk '{ for (k = 3; k < 5; k++) if (($k - $(k + 6))^2 > 1e-20) { print; exit 1 } } END { exit NR != 40 }'
    grep -qE 'jumps.mbf: c2: 3 jumps by multiples of 10 were undone; the largest other change is [0-9.]+, at row [0-9]+ \(counted from 0\)$' said
    ! grep -q warning said
    acf --lags 40 --modulo 4,1.5 jumps.mbf -o j.cf 2>said
    grep -qE 'warning: jumps.mbf: c2: [0-9]+ jumps by multiples of 1.5 were undone; the largest other change is 0.7.*, so some jumps are ambiguous \(use rows closer in time\)' said
    fails 2 acf --modulo 1,2,3 jumps.mbf
    [[ $output == *"--modulo: expected one number, or one per column (2), found 3 numbers" ]]
    fails 2 acf --modulo 1,2,3 <(head -c -40 jumps.mbf) # before the end is read
    [[ $output == *"--modulo: expected one number"* ]]
    fails 2 acf --modulo 1,-2 jumps.mbf
    [[ $output == *"--modulo: expected positive numbers, found '-2'" ]]
    fails 2 acf --modulo 1 --invariant iso jumps.mbf
    [[ $output == *"--modulo"*"with --invariant"* ]]
}

@test "jumps of a dipole moment are warned of, with column, number, place and size; ordinary series have none" {
    for s in 1 2 3; do
        paste <(series dipole $s) <(series wrapped $s) <(series dipole 9) | { echo '# Mx My Mz' && cat; } | txt2bin -q --dt 0.002 -o j.mbf
        acf --average M --lags 50 j.mbf -o j.cf 2>said
        [ "$(wc -l <said)" = 1 ]
        grep -qE '^acf: warning: j.mbf: My jumps to another level, which dominates its correlation function. Number of jumps: 4; first jump: row 500 \(counted from 0\); smallest jump: (5[89]|60).*; median change from row to row: 0\.[34].*, unwrap the positions first, or use --modulo to undo jumps by multiples of one value$' said
        acf --pairs Mx,Mz --lags 50 j.mbf -o j.cf 2>said # of what is correlated
        [ ! -s said ]
    done
    acf --pairs My --modulo 1e6 --lags 50 j.mbf -o j.cf 2>said # the advice is followed already
    grep -q 'unwrap the positions first$' said
    for kind in dipole white cauchy student lognormal squared walk telegraph "noisy telegraph" "three levels" pulse pulses shots "shots of both signs" counts chirp \
        quantised vibration; do
        for s in 4 5 6 7; do series "$kind" $s | txt2bin -q --dt 0.002 | acf --lags 50 -o j.cf 2>said && { [ ! -s said ] || { [ "$kind" = chirp ] && ! grep -v 'do not describe one state of equilibrium' said; }; } || { echo "$kind $s"; cat said; false; }; done
    done
    # green-kubo warns of jumps in fluxes
    paste <(series dipole 1) <(series wrapped 1) <(series dipole 9) | { echo '# jx jy jz' && cat; } | txt2bin -q --dt 0.002 -o j.mbf
    green-kubo --property none j.mbf >/dev/null 2>said || { cat said; false; }
    grep -q 'warning: flux component 2 jumps to another level, which dominates its correlation function. Number of jumps: 4;' said
}

@test "--invariant total and induced: sums of all parts, or the columns of that name; a series without parts is refused" {
    (echo {permanent,order1,higher}_{xx,xy,xz,yy,yz,zz} && noise 300 18) >table
    txt2bin -q --dt 0.1 table -o parts
    awk 'NR == 1 { for (p = 1; p < 3; p++) for (k = 1; k <= 6; k++) { split($k, w, "_"); printf "%s_%s ", p == 1 ? "all" : "rest", w[2] } print ""; next }
        { for (k = 1; k <= 6; k++) printf "%.17g ", $k + $(k + 6) + $(k + 12); for (k = 1; k <= 6; k++) printf "%.17g ", $(k + 6) + $(k + 12); print "" }' table |
        txt2bin -q --dt 0.1 - -o sums
    acf -q --lags 9 --invariant vh:total,vv:induced,vh:total-induced,iso:induced parts | bin2txt | grep -v '^#' >a
    (acf -q --lags 9 --invariant vh:all,vv:rest,vh:all-rest sums | bin2txt | grep -v '^#' | cut -d' ' -f3-5) >b
    within a b 3:11,4:12,5:13 1e-12
    # columns with that name are read unchanged
    sed '1s/all_/total_/g; 1s/rest_/induced_/g' <(bin2txt sums --format tsv | awk -v OFS=' ' '{ $1 = $2 = ""; print }') | txt2bin -q --dt 0.1 - -o named
    [ "$(acf -q --lags 9 --invariant vh:total-induced named | bin2txt | grep -v '^#')" = "$(acf -q --lags 9 --invariant vh:all-rest sums | bin2txt | grep -v '^#')" ]
    (printf '%s ' p{01..19}_{xx,xy,xz,yy,yz,zz} && echo && noise 30 114) | txt2bin -q --dt 0.1 - -o many
    fails 2 acf --invariant vh:total many
    [[ $output == *"--invariant: expected a sum of at most 18 parts, found more"* ]]
    txt2bin -q --dt 0.1 <(echo a b; noise 30 2) -o plain
    fails 2 acf --invariant vh:total plain
    [[ $output == *"expected the parts of total in separate columns, such as order1_xx, found none (use alpha-cpu --parts)"* ]]
}

@test "a run that is too short: bin2txt states the correlation time and the length that would be long enough" {
    # The correlation time of products of this series is 30 ps, which is half of the run.
    for s in {1..40}; do
        awk "$(<"$BATS_TEST_DIRNAME/../random.awk")"' BEGIN { seed('$s'); a = exp(-1 / 60)
            for (t = -300; t < 60; t++) { x = a * x + uniform() - 0.5; if (t >= 0) print x } }' |
            txt2bin -q --dt 1 | acf -q --lags 30 | bin2txt -q | grep '^## errors\.c1_se' || true
    done >said
    sed -E 's/.* about ([0-9.e+]+) ps; a run of ([0-9.e+]+) ps would be long enough$/\1 \2/' said |
        awk '{ n++; sum += log($1); if ($2 < 11 * $1 || $2 > 13 * $1) { print; exit bad = 1 } }
            END { tau = exp(sum / n); print n, tau; exit bad || n < 3 || tau < 10 || tau > 60 }'
}

@test "a series whose mean changed is reported, and so by the programs that read its functions" {
    # white noise of variance 1; the mean of mx is 0.6 in the first tenth and then 0
    awk "$UNIFORM"' BEGIN { seed(9); print "mx my mz"; for (t = 0; t < 3200; t++) { for (k = 0; k < 3; k++)
        printf "%.9g ", sqrt(12) * (uniform() - 0.5) + (k == 0 && t < 320 ? 0.6 : 0); print "" } }' | txt2bin -q --dt 0.1 - -o m.mbf
    text='the mean of mx is 0\.[4-7][0-9]* in the first 1[0-9] % of the run and .* in the rest, a change of .* standard errors\. The results and their errors do not describe one state of equilibrium'
    acf --lags 9 --unit '(e*A)^2' m.mbf -o c 2>said
    grep -q "^acf: warning: m.mbf: $text" said || { cat said; false; }
    for program in 'dielectric --temperature 300 --volume 1000' fft-spectrum; do
        $program c -o s 2>said
        grep -q "^${program%% *}: warning: c: $text" said || { cat said; false; }
        [ "$(bin2txt -q s | grep '^## changed')" = "$(bin2txt -q c | grep '^## changed')" ]
        bin2txt -q s | grep -q "^## changed $text"
        for format in text tsv csv json; do
            bin2txt --format $format s 2>said >/dev/null
            grep -q "^bin2txt: warning: s: $text" said && [ "$(wc -l <said)" = 1 ] || { echo $format; cat said; false; }
        done
        bin2txt --meta s 2>said >/dev/null
        [ ! -s said ]
    done
    # not after --from, and not for other columns
    acf --lags 9 --from 32 m.mbf -o c 2>said
    [ ! -s said ]
    acf --lags 9 --pairs my,mz m.mbf -o c 2>said
    [ ! -s said ]
    [ -z "$(bin2txt -q c | grep '^## changed')" ]
}
