# SPDX-License-Identifier: MIT
# Loaded by every bats file: where things are, and the few assertions that all of them use.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BIN=${BIN:-$ROOT/build/bin}
DATA=$ROOT/tests/data
export ROOT BIN DATA LC_ALL=C PATH="$BIN:$PATH"
unset OMP_NUM_THREADS MBF_SIMD

# Tests write into a folder of their own.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# fails STATUS COMMAND...: the command must exit with exactly that status; its output is in $output.
fails() {
    local want=$1
    shift
    run "$@"
    if [ "$status" -ne "$want" ]; then
        echo "expected status $want, found $status: $*"
        echo "$output"
        return 1
    fi
}

# near A B TOL: |A - B| <= TOL, numerically; anything that is not a number fails.
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
        ok = a ~ /^[-+0-9.eE]+$/ && b ~ /^[-+0-9.eE]+$/ && (a - b <= t + 0) && (b - a <= t + 0)
        if (!ok) print "expected " b " within " t ", found " a
        exit !ok
    }'
}

# declared TAG: lines `# TAG: PROGRAM KIND OPTIONS...` of all bats files, as "PROGRAM INPUT OPTIONS...", where the environment
# has an input for KIND (POSN=a.mbf, ...; "-": none is needed). So a program joins the tests that loop over programs.
declared() {
    local program kind options
    sed -n "s/^# $1: //p" "$ROOT"/tests/*.bats | while read -r program kind options; do
        [ "$kind" = - ] || [ -n "${!kind:-}" ] || continue
        echo "$program $([ "$kind" = - ] && echo - || echo "${!kind}") $(sed "s|@$kind|${!kind:-}|" <<<"$options")"
    done
}

# emulated TOOL: EMU is the program on the emulated machine (tests/emu); a skip where this tree has none
emulated() {
    EMU=$(dirname "$BIN")/emu/$1
    [ -x "$EMU" ] || skip "no emulated $1 in this tree"
}

# argon_gas ATOMS STEPS: by md-cpu, file gas.mbf
argon_gas() { md-cpu -q --atoms "$1" --density 0.021 --steps $((10 * $2)) --every 10 -o gas.mbf; }
