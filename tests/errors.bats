# SPDX-License-Identifier: MIT
# Are stated errors those of the scatter between runs? The short form of tests/calibrate, which check-long runs in full.

load helpers

@test "errors of G, G2, G3, G4, g(r) and S(q) are the scatter of 20 runs of 60 atoms" {
    ATOMS=60 EQUILIBRATE=2000 "$ROOT/tests/calibrate" 20 60 >t || true # so few runs know a column to 0.2, and all to 0.1
    awk '$1 ~ /^(G[234]?|g|S)$/ { n++; known += $3 / 6; r += $4 / 6; c += $5 / 6 } END { print n, known, r, c
        exit !(n == 6 && known > 0.9 && r > 0.9 && r < 1.15 && c > 0.63 && c < 0.73) }' t || { cat t; false; }
}
