#!/bin/sh
# SPDX-License-Identifier: MIT
# argon-neutrons.sh [TRAJECTORY] computes the neutron scattering of a liquid, as text and as a
# plot: S(q,E) with standard errors, its width as a function of q, the dispersion of the
# longitudinal current, and the sum rules. TRAJECTORY is a POSN stream, or XYZ text that xyz2bin
# reads, with frames about 20 fs apart. If the trajectory contains velocities (traj2bin
# --velocities), the current is computed from them, and otherwise as omega^2 S/q^2. Without
# TRAJECTORY, md-cpu simulates liquid argon near its triple point.
# Variables, with their defaults in brackets:
#   OUT           folder for the results (.)
#   FQT           program to use (fqt-cpu)
#   TMAX          largest time lag, ps (8)
#   QMAX          largest q, 1/A (3)
#   VECTORS       maximum number of wave vectors (600)
#   TEMPERATURE   temperature, K (89)
#   MASS          mass of an atom, u (39.948)
#   BIN           folder of the programs
#   FORMAT        format of the plot: png, svg or pdf (png)
#   ATOMS, STEPS  numbers of atoms and steps of md-cpu (864, 60000)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
export LC_ALL=C
begin
p=$out/positions.mbf
if [ $# -eq 0 ]; then
    md-cpu -q --atoms "${ATOMS:-864}" --density 0.0211 --temperature "${TEMPERATURE:-89}" --start random --thermostat berendsen:1 --equilibrate 20000 \
        --steps "${STEPS:-60000}" --every 8 --velocities >"$p"
elif head -c 4 -- "$1" 2>/dev/null | grep -q MBF; then
    p=$1
else
    xyz2bin -o "$p" -- "$1"
fi
currents=
frame-cut 0:1 -- "$p" | bin2txt -o "$out/first.txt"
! grep -q vx_A/ps "$out/first.txt" || currents=--currents
rm -- "$out/first.txt"
# F and currents for all shells; F_s for the wave vectors along one axis
"${FQT:-fqt-cpu}" -q --tmax "${TMAX:-8}" --qmax "${QMAX:-3}" --qstep 0.1 --vectors "${VECTORS:-600}" $currents -o "$out/fqt.mbf" -- "$p"
"${FQT:-fqt-cpu}" -q --tmax "${TMAX:-8}" --qmax "${QMAX:-3}" --direction 1,0,0 --self -o "$out/self.mbf" -- "$p"
for f in fqt self; do fft-spectrum -q --unit meV --window hann -o "$out/$f.spec" -- "$out/$f.mbf"; done
bin2txt "$out/fqt.mbf" -o "$out/fqt.txt"
bin2txt "$out/fqt.spec" -o "$out/spectrum.txt"
bin2txt "$out/self.spec" -o "$out/self.txt"

# one row per shell: S(q), half width at half maximum of S(q,E) (including the window), position of
# the maximum of C_L, sum rules
awk -v T="${TEMPERATURE:-89}" -v m="${MASS:-39.948}" 'function at(name,   i) { for (i = 2; i <= NF; i++) if ($i == name) return i - 1 }
    FNR == 1 { file++; s[file] = at(file == 1 ? "F" : "S"); c[file] = at("C_L") }
    FNR > 1 && $2 == "moment2" { for (k = 3; k <= NF; k++) m2[k - 3] = $k }
    FNR > 1 && $2 == "moment2.window" { for (k = 3; k <= NF; k++) w2[k - 3] = $k }
    FNR > 1 && $2 == "moment2.se" { for (k = 3; k <= NF; k++) e2[k - 3] = $k }
    /^#/ || !NF { next }
    file == 1 { if ($1 == 0) { q[++n] = $2; S[n] = $s[1]; C[n] = c[1] ? $c[1] : "-" } next }
    { if ($2 != last) { last = $2; r++; top = $s[2]; was = top; before = 0; high = 0 }
      if (!(r in half) && $s[2] < top / 2) half[r] = before + ($1 - before) * (was - top / 2) / (was - $s[2])
      was = $s[2]; before = $1
      v = c[2] ? $c[2] : $1^2 * $s[2]
      if (v > high) { high = v; peak[r] = $1 } }
    END { step = c[1] ? 3 : 1; print "# q_A-1 S half_meV peak_meV m2_over_q2kTm m2_se C_L0_over_kTm"
        for (k = 1; k <= n; k++) { want = 0.6582119569^2 * q[k]^2 * 0.8314462618 * T / m; i = (k - 1) * step
            printf "%.4f %.4f %s %.3f %.3f %s %s\n", q[k], S[k], k in half ? sprintf("%.3f", half[k]) : "-", peak[k], (m2[i] - w2[i]) / want,
                i in e2 ? sprintf("%.3f", e2[i] / want) : "-",
                (C[k] == "-" ? "-" : sprintf("%.3f", C[k] / (0.8314462618 * T / m))) } }' "$out/fqt.txt" "$out/spectrum.txt" >"$out/table.txt"
echo "q; S(q); half width of S(q,E) and peak of the longitudinal current, meV; second moment of S(q,E) and C_L(0) relative to a classical fluid:"
cat -- "$out/table.txt"

draw argon-neutrons
publish
echo "Plot: $final/neutrons.${FORMAT:-png}"
