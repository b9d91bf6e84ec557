# SPDX-License-Identifier: MIT
# green-kubo and einstein on simulated processes with known values: the short form of
# tests/analyses/peers.py, which check-long runs beside STACIE and kinisi.

load ../helpers

@test "peers.py: values and errors of green-kubo and einstein on a few processes" {
    python3 -c 'import numpy' || skip "no NumPy for Python"
    python3 "$ROOT/tests/analyses/peers.py" --alone 8 "exponential, 200 times" "oscillation" "random walk" "persistence of 3" >t || { cat t; false; }
    [ "$(grep -cE '^  (exponential, 200|oscillation|random walk|persistence of 3) .* none 0$' t)" = 4 ]
    [ "$(grep -c ' ok$' t)" = 2 ]
    # the rms of 40 trials is 12 % and 11 %; that of 8 trials exceeds 2.5 times its expectation with
    # a chance of 4e-8
    awk '/^  (exponential|oscillation)/ { exit !(match($0, /[0-9.]+ %/) && substr($0, RSTART) + 0 < 30) }' t
}

@test "peers.py --rows: errors of walks hold, and without the scatter between atoms those of lasting differences are too small" {
    numpy_python
    "$PY" "$ROOT/tests/analyses/peers.py" --rows 12 "random walk" "exchange, T/2" >t || { cat t; false; }
    # rows with an error, within one and two errors, and the latter two without the scatter
    sed -nE 's/^  (random walk|exchange, T.2) +msd +([0-9]+) % +([0-9]+) +([0-9]+) \( *([0-9]+) +([0-9]+)\) .* ok$/\2 \3 \4 \5 \6/p' t |
        awk '{ if ($1 < 95 || $3 < 80) bad = 1 } NR == 1 && ($4 < $2 - 15) { bad = 1 } NR == 2 && ($4 > $2 - 10 || $5 > $3 - 10) { bad = 1 } END { exit bad || NR != 2 }' || { cat t; false; }
}
