# SPDX-License-Identifier: MIT
# long
# The cost of programs at n and at 4 n, in time and memory: cost.py has a table with one row per
# class of inputs and program.

load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    command -v python3 >/dev/null || skip "no python3"
}

cost() { py whole/cost "$@"; }

@test "text and trajectories of other programs: linear in frames and atoms, memory constant in frames" {
    left
    cost text
}

@test "streams: linear in frames, atoms and parts, memory constant in frames and parts" {
    left
    cost frames
}

@test "physics: linear in frames, lags and neighbours, quadratic in atoms where all pairs count" {
    left
    cost physics
}

@test "hostile input: endless lines, blank lines, long comments, options and lists without end cost no more than their length" {
    cost hostile
}

@test "a cost that grows faster is seen, in time and in memory" {
    left
    run cost broken
    echo "$output"
    [ "$status" -eq 1 ]
    [ "$(grep -c '^NOT OK' <<<"$output")" -eq 2 ]
    [ "${#lines[@]}" -eq 2 ]
}
