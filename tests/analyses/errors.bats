# SPDX-License-Identifier: MIT
# Tests whether stated errors equal the scatter between runs. This is the short form of
# tests/analyses/calibrate, which check-long runs in full.

load ../helpers

@test "errors of G, G2, G3, G4, g(r) and S(q) are the scatter of 20 runs of 60 atoms" {
    # few samples widen an error, so that rms(se) exceeds the scatter if the coverage is right
    ATOMS=60 EQUILIBRATE=2000 "$ROOT/tests/analyses/calibrate" 20 60 >t || true # so few runs know a column to 0.2, and all to 0.1
    awk '$1 ~ /^(G[234]?|g|S)$/ { n++; known += $3 / 6; r += $4 / 6; c += $5 / 6 } END { print n, known, r, c
        exit !(n == 6 && known > 0.65 && r > 0.9 && r < 1.35 && c > 0.63 && c < 0.74) }' t || { cat t; false; }
}

# series FACTOR: for 60 series of each kind, fraction with stated errors, rms(se)/scatter and
# coverage, and a mark
series() {
    FACTOR=$1 "$ROOT/tests/analyses/calibrate" --series 60 >t || [ $? = 1 ] || skip "$(cat t)"
}

@test "errors of short series, of long ones, of 1/f noise and of pulses are stated and true" {
    series 1
    awk '/^[a-z0-9\/-]+ +(acf|integral)/ { n++; known += $3 / 26; c += $5 / 26; low = n == 1 || $5 < low ? $5 : low }
        END { print n, known, c, low
              exit !(n == 26 && known > 0.95 && c > 0.63 && c < 0.75 && low > 0.5) }' t || { cat t; false; }
}

@test "calibration sees errors that are three quarters, or five quarters, of what they are" {
    for factor in 0.75 1.3; do
        series $factor
        awk '/^(ou50|ou100|ou800|white|two|1.f|pulses)/ { c += $5 / 16 } END { print c; exit !(c < 0.63 || c > 0.74) }' t || { cat t; false; }
    done
}
