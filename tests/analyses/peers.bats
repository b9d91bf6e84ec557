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
