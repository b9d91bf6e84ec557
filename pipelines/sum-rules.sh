#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sum-rules.sh [TRAJECTORY] tests exact sum rules, which hold for any fluid in equilibrium.
# TRAJECTORY is a POSN stream, or XYZ text that xyz2bin reads, with frames at most 20 fs apart.
# Without TRAJECTORY, md-cpu runs a simulation. The table contains each value and its error, the
# expected value and its error, and the verdict. The exit status is 0 if all rules hold and 1 if
# one does not. M2 is the second moment of a spectrum, and S is the structure factor.
#   G2(0)    = 0.6 sum (sigma/r)^6 over pairs, from g(r); for a Lennard-Jones run also W/24 - U/2
#              from its --thermo file
#   M2(G2)   = 2kT/m sum |grad beta|^2 over pairs, from g(r)
#   M2(G)    = kT/m sum over atoms |grad S|^2, from some frames
#   M2(G4)   = 0
#   M2(S)/q² = kT/m (1 - S/N): the f-sum rule of the dynamic structure factor, mean over all q up to
#              2 1/A, for N atoms without total momentum
#   C_L(0), C_T(0) = kT/m (1 - S/N), if there are velocities, and M2(S)/q² = C_L(0) at the same q
#   xz, xy and yz are equal, and xx-yy and zz are equal
#   kT       = sum of F^2 / sum of laplacians of U, from some frames, only for a Lennard-Jones run
#              (EPSILON, or a run of md-*)
# The rules for M2 assume that velocities are independent of positions. In M2(G), S is the sum of
# beta over all pairs. Only the last rule and W/24 - U/2 test sigma, because both sides of the
# other rules scale with sigma. Pairs are counted up to CUTOFF, and moments use a taper that begins
# at 0.7 CUTOFF.
# Variables, with their defaults in brackets:
#   TEMPERATURE   temperature, K (the mean of THERMO, or else the temperature set for the run)
#   THERMO        file that md-* --thermo has written
#   MASS          mass of an atom, u (from the input, or else that of argon)
#   SIGMA         Lennard-Jones sigma, A (from the input, or else that of argon)
#   EPSILON       Lennard-Jones epsilon, meV (from the input, or else that of argon)
#   CUTOFF        cut-off, A (from the run, or else half of the smallest edge)
#   TMAX          largest time lag, ps (3)
#   G4            program to use (g4-cpu)
#   ATOMS, STEPS  numbers of atoms and steps of the simulation (108, 96000)
#   OUT           folder for the results (.)
#   BIN           folder of the programs
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
p=$out/positions.mbf
if [ $# -eq 0 ]; then
    THERMO=$out/thermo.txt
    md-cpu --atoms "${ATOMS:-108}" --density 0.020955 --start random --thermostat berendsen:0.5 --equilibrate 20000 \
        --steps "${STEPS:-96000}" --every 8 --velocities --thermo "$THERMO" >"$p"
elif head -c 4 -- "$1" 2>/dev/null | grep -q MBF; then
    p=$1
else
    xyz2bin -o "$p" -- "$1"
fi
meta() { # FILE KEY
    bin2txt --meta -- "$1" | awk -F '\t' -v k="$2" '$1 == k { print $2 }'
}
# thermo NAME...: prints the means of columns over the steps that have frames
thermo() {
    awk -v F="$frames" -v names="$*" 'FNR == 1 { m = split(names, want, " "); for (i = 2; i <= NF; i++) at[$i] = i - 1 }
        !/^#/ { n++; for (k = 1; k <= m; k++) v[k, n] = $at[want[k]] }
        END { if (n < F) exit 1
            for (k = 1; k <= m; k++) { s = 0; for (i = n - F + 1; i <= n; i++) s += v[k, i] / F; printf "%.12g ", s } print "" }' "$THERMO"
}
mass=${MASS:-$(meta "$p" data.md_mass)}
lj_eps=${EPSILON:-$(meta "$p" data.md_eps)}
T=${TEMPERATURE:-}
form=$(meta "$p" data.md_form)
shift=$(meta "$p" data.md_shift)
[ "$form" != rmin ] && [ "$shift" != force ] || lj_eps=
mass=${mass:-39.948} eps=${lj_eps:-10.34}
[ -n "$lj_eps" ] || [ -n "${THERMO:-}" ] || echo "sum-rules.sh: no rule tests sigma, which positions alone do not determine (set EPSILON, meV, for Lennard-Jones atoms, or THERMO, a file of md-* --thermo)" >&2
frames=$(frame-check -v -- "$p" 2>&1 | sed -n 's/.* \([0-9]*\) steps, .* bytes$/\1/p' | tail -n 1)
[ -n "$T" ] || [ -z "${THERMO:-}" ] || T=$(thermo T_K)
T=${T:-$(meta "$p" data.md_temperature)}
[ -n "$T" ] || { echo "sum-rules.sh: expected a temperature, found none in the trajectory (set TEMPERATURE)" >&2; exit 2; }
rdf-cpu --bins 3000 --rmax "${CUTOFF:-half}" -o "$out/gr.mbf" -- "$p"
rc=$(meta "$out/gr.mbf" data.rmax)
ours=$(meta "$p" data.md_cutoff)
if [ -z "${CUTOFF:-}" ] && [ -n "$ours" ] && awk -v ours="$ours" -v rc="$rc" 'BEGIN { exit !(ours + 0 < rc + 0) }'; then
    rc=$ours
    rdf-cpu --bins 3000 --rmax "$rc" -o "$out/gr.mbf" -- "$p"
fi
r1=$(awk -v rc="$rc" 'BEGIN { printf "%.17g", 0.7 * rc }')
o=(--component all ${SIGMA:+--sigma "$SIGMA"})
"${G4:-g4-cpu}" --lags 1 "${o[@]}" --cutoff "$rc" -o "$out/static.mbf" -- "$p"
"${G4:-g4-cpu}" --tmax "${TMAX:-3}" "${o[@]}" --sum "taper:$r1,$rc" -o "$out/cf.mbf" -- "$p"
fft-spectrum --unit rad/ps --window hann -o "$out/spectrum.mbf" -- "$out/cf.mbf"
n=$(meta "$p" sys.natoms)
sigma=$(meta "$out/cf.mbf" data.sigma)
cell=$(meta "$p" sys.cell)

# sum over pairs per frame, from the counts: (sigma/r)^6 and, with h = sigma^3 f / r^3, |grad
# beta|^2 = 0.6 (h'^2 + 6 h^2 / r^2)
taper='function f(r,   u) { u = (r - r1) / (rc - r1); return u < 0 ? 1 : u > 1 ? 0 : 1 - u^3 * (10 - u * (15 - 6 * u)) }
    function df(r,   u) { u = (r - r1) / (rc - r1); return u < 0 || u > 1 ? 0 : -30 * u^2 * (1 - u)^2 / (rc - r1) }'
both=$(bin2txt -- "$out/gr.mbf" | awk -v s="$sigma" -v r1="$r1" -v rc="$rc" -v F="$frames" "$taper"'
    !/^#/ { r = $1; s6 += $2 * (s / r)^6; h = s^3 * f(r) / r^3; d = s^3 * (df(r) - 3 * f(r) / r) / r^3; g += $2 * 0.6 * (d * d + 6 * h * h / (r * r)) }
    END { printf "%.12g %.12g\n", s6 / F, g / F }')
read -r s6 gradient <<<"$both"

# sum over atoms of |grad S|^2, mean of the five components, from some frames far apart
some=$(awk -v n="$n" -v F="$frames" 'BEGIN { k = int(4e6 / n / n); k = k < 4 ? 4 : k > 40 ? 40 : k; k = k > F ? F : k; print int(F / k) }')
both=$(frame-cut "::$some" -- "$p" | bin2txt --digits 9 | awk -v cell="$cell" -v s="$sigma" -v r1="$r1" -v rc="$rc" -v fc="${ours:-$rc}" -v e="$eps" "$taper"'
    function near(d, l) { return d - l * int(d / l + (d < 0 ? -0.5 : 0.5)) }
    function frame(   i, j, k, a, b, c, q, w, v, r, P, sum, X, Y, Z, force, laplace) {
        for (i = 0; i < n; i++) {
            for (k = 0; k < 15; k++) A[k] = 0
            X = Y = Z = 0
            for (j = 0; j < n; j++) {
                a = near(x[i] - x[j], L[1]); b = near(y[i] - y[j], L[5]); c = near(z[i] - z[j], L[9]); r = sqrt(a * a + b * b + c * c)
                if (i != j && r < fc) { # force and laplacian of 4 e ((s/r)^12 - (s/r)^6)
                    q = (s / r)^6; w = 24 * e * q * (2 * q - 1) / (r * r)
                    X += w * a; Y += w * b; Z += w * c; laplace += 4 * e * q * (132 * q - 30) / (r * r)
                }
                if (i == j || r >= rc) continue
                q = 3 * s^3 * f(r) / r^5; w = 3 * s^3 * (df(r) - 5 * f(r) / r) / r^6
                v = w * a * c; A[0] += v * a + q * c; A[1] += v * b; A[2] += v * c + q * a
                v = w * a * b; A[3] += v * a + q * b; A[4] += v * b + q * a; A[5] += v * c
                v = w * b * c; A[6] += v * a; A[7] += v * b + q * c; A[8] += v * c + q * b
                v = w * (a * a - b * b) / 2; A[9] += v * a + q * a; A[10] += v * b - q * b; A[11] += v * c
                P = q / sqrt(3); v = w * (2 * c * c - a * a - b * b) / sqrt(12)
                A[12] += v * a - P * a; A[13] += v * b - P * b; A[14] += v * c + 2 * P * c
            }
            for (k = 0; k < 15; k++) sum += A[k]^2 / 5
            force += X * X + Y * Y + Z * Z
        }
        m++; S += sum; SS += sum * sum; F[m] = force; L2[m] = laplace; FF += force; LL += laplace
    }
    BEGIN { split(cell, L, " "); n = 0 }
    /^#/ { next }
    $1 != step && n { frame(); n = 0 }
    { step = $1; x[n] = $4; y[n] = $5; z[n++] = $6 }
    END { frame(); S /= m; for (i = 1; i <= m; i++) d += (F[i] - FF / LL * L2[i])^2
        printf "%.12g %.12g %.12g %.12g\n", S, sqrt((SS / m - S * S) / (m - 1)), FF / LL / 0.08617333, sqrt(d * m / (m - 1)) / LL / 0.08617333 }')
read -r grad grad_se hot hot_se <<<"$both"
[ -n "$lj_eps" ] || hot=-

# densities and currents: means over shells of q, weighted by errors, of M2(S)/q², C_L(0), C_T(0)
# and M2(S)/q² / C_L(0)
currents=
frame-cut 0:1 -- "$p" | bin2txt -o "$out/first.txt"
! grep -q vx_A/ps "$out/first.txt" || currents=--currents
rm -- "$out/first.txt"
fqt-cpu -q --tmax "${TMAX:-3}" --qmax 2 --qstep 0.1 --vectors 300 $currents -o "$out/fqt.mbf" -- "$p"
fft-spectrum -q --unit rad/ps --window hann -o "$out/fqt-spectrum.mbf" -- "$out/fqt.mbf"
densities=$({
    bin2txt --meta -- "$out/fqt-spectrum.mbf" | sed -n 's/^data\.//p' || exit
    bin2txt -- "$out/fqt.mbf" | awk 'function of(name) { return name in at ? $at[name] : 0 }
        /^# / { for (i = 2; i <= NF; i++) at[$i] = i - 1 }
        /^0 / { printf "zero\t%s %s %s %s %s %s\n", $2, $4, of("C_L"), of("C_L_se"), of("C_T"), of("C_T_se") }' || exit
} | awk -F '\t' -v N="$n" -v step="${currents:+3}" '
    function mean(k,   v) { v = sum[k] / weight[k]; return sprintf("%.10g %.10g", v, sqrt(1 / weight[k])) }
    function add(k, v, e) { if (e > 0) { sum[k] += v / e^2; weight[k] += 1 / e^2 } }
    $1 == "zero" { split($2, w, " "); q[++r] = w[1]; S[r] = w[2]; L[r] = w[3]; Le[r] = w[4]; T[r] = w[5]; Te[r] = w[6]; next }
    { value[$1] = $2 }
    END { step = step ? step : 1; split(value["moment2"], m, " "); split(value["moment2.window"], x, " "); split(value["moment2.se"], e, " ")
        for (k = 1; k <= r; k++) { i = (k - 1) * step + 1; f = q[k]^2 * (1 - S[k] / N)
            if (!(e[i] > 0)) continue
            add(1, (m[i] - x[i]) / f, e[i] / f)
            if (step == 3) { add(2, L[k] / (1 - S[k] / N), Le[k]); add(3, T[k] / (1 - S[k] / N), Te[k]); add(4, (m[i] - x[i]) / q[k]^2 / L[k], sqrt((e[i] / q[k]^2)^2 + Le[k]^2) / L[k]) } }
        print weight[1] ? mean(1) : "nan nan", weight[2] ? mean(2) " " mean(3) " " mean(4) : "- - - - - -" }')

lj=-
[ -z "${THERMO:-}" ] || lj=$(thermo U_meV W_meV | awk -v e="$eps" '{ printf "%.12g", ($2 / 24 - $1 / 2) / e }')

{
    bin2txt --meta -- "$out/spectrum.mbf" | sed -n 's/^data\.//p'
    bin2txt --meta -- "$out/cf.mbf" | sed -n 's/^data\.//p' | grep '^isotropy'
    bin2txt -- "$out/static.mbf" | awk '!/^#/ { printf "static\t%.12g\n", $4; exit }'
} | awk -F '\t' -v N="$n" -v s6="$s6" -v lj="$lj" -v gradient="$gradient" -v grad="$grad" -v grad_se="$grad_se" -v T="$T" -v m="$mass" -v hot="$hot" -v hot_se="$hot_se" -v densities="$densities" '
    function word(key, i,   w) { split(value[key], w, " "); return w[i] }
    function moment(i) { return (word("moment2", i) - word("moment2.window", i)) / N }
    function error(i) { return word("moment2.se", i) ~ /^$|nan/ ? "nan" : word("moment2.se", i) / N }
    # exact: relative tolerance; 0: four standard errors or, if the error is unknown, at most the
    # total contribution of the pairs
    function row(name, v, se, want, want_se, exact,   d, ok) {
        d = v - want; d = d < 0 ? -d : d
        if (se == "nan") ok = d <= 2 * kT * gradient / N ? "not known" : "NO"
        else ok = d <= (exact ? exact * want : 4 * sqrt(se * se + want_se * want_se)) ? "ok" : "NO"
        printf "%-28s %12.6g %9s %12.6g %9s  %s\n", name, v, (exact ? "-" : se == "nan" ? se : sprintf("%.2g", se)), want,
            want_se ? sprintf("%.2g", want_se) : "-", ok
    }
    { value[$1] = $2 }
    END {
        kT = 0.8314462618 * T / m # (A/ps)^2
        printf "%-28s %12s %9s %12s %9s  %s\n", "per atom; M2 in (rad/ps)^2", "value", "+-", "expected", "+-", "verdict"
        row("G2(0), from g(r)", value["static"] / N, 0, 0.6 * s6 / N, 0, 1e-4)
        if (lj != "-") row("G2(0), from W/24 - U/2", value["static"] / N, 0, 0.6 * lj / N, 0, 1e-4)
        row("M2(G2), from g(r)", moment(2), error(2), 2 * kT * gradient / N, 0, 0)
        row("M2(G), from grad S", moment(1), error(1), kT * grad / N, kT * grad_se / N, 0)
        row("M2(G4)", moment(4), error(4), 0, 0, 0)
        if (hot != "-") row("T, from forces (sigma)", hot, sqrt(hot_se^2 + (0.005 * T)^2), T, 0, 0)
        split(densities, d, " ")
        if (d[1] != "nan") row("M2(S)/q^2, f-sum", d[1], d[2], kT, 0.005 * kT, 0)
        if (d[3] != "-") { row("C_L(0)", d[3], d[4], kT, 0.005 * kT, 0); row("C_T(0)", d[5], d[6], kT, 0.005 * kT, 0); row("w^2 S over q^2 C_L", d[7], d[8], 1, 0.002, 0) }
        t = value["isotropy.sigma"]; c = value["isotropy.chance"]
        printf "%-28s %12s %9s %12s %9s  %s\n", "isotropy, in errors", (t == "" ? "nan" : sprintf("%.2g", t)), "-", 0, 1,
            (t == "" ? "not known" : c < 0.005 ? "NO" : "ok")
    }' >"$out/rules.txt"
cat -- "$out/rules.txt"
publish
! grep -q ' NO$' "$final/rules.txt"
