# SPDX-License-Identifier: MIT
# Loaded by every bats file: where things are, and the few assertions that all of them use.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BIN=${BIN:-$ROOT/build/bin}
DATA=$ROOT/tests/data
export ROOT BIN DATA LC_ALL=C PATH="$BIN:$PATH"
unset OMP_NUM_THREADS MBF_SIMD
UNIFORM=$(<"$ROOT/tests/random.awk") # before a program of awk: seed(N), uniform()

# left: this test, or the rest of it, is for `make check-all`
left() { [ -n "${CHECK_ALL:-}" ] || skip "left to make check-all"; }
# whole SMALL WHOLE: what a test takes in `make check`, and in check-all
whole() { if [ -n "${CHECK_ALL:-}" ]; then echo "$2"; else echo "$1"; fi; }

# on_linux WHY: skip this test, which needs calls of Linux, for programs of make PORTABLE=1
on_linux() { [ -z "${PORTABLE:-}" ] || skip "PORTABLE=1: $1"; }

# Tests write into a folder of their own.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# modules: Python finds lib/python and tests/oracle. Sanitized programs are in a tree below the
# plain one, whose library it can load.
modules() { export MBF_LIBRARY=$BIN/../${SANITIZED:+../}pic/libmbf.so PYTHONPATH=$ROOT/lib/python:$ROOT/tests PYTHONDONTWRITEBYTECODE=1; }

# py FOLDER/NAME ARGUMENT...: a Python program of tests/
py() {
    local name=$1
    shift
    PYTHONPATH=${PYTHONPATH:+$PYTHONPATH:}$ROOT/tests PYTHONDONTWRITEBYTECODE=1 "${PY:-python3}" "$ROOT/tests/$name.py" "$@"
}

# numpy_python: PY is a Python that has NumPy, Debian's first, for which deps brings it; without one
# the test is skipped. The tests of a file whose setup_file has found it do not look for it.
numpy_python() {
    modules
    [ -z "${NUMPY_PYTHON:-}" ] || { PY=$NUMPY_PYTHON && return; }
    for PY in /usr/bin/python3 python3; do "$PY" -c 'import numpy' 2>/dev/null && export NUMPY_PYTHON=$PY && return; done
    skip "no NumPy for Python (python3-numpy)"
}

# What a test that failed has left running holds the output of bats, which waits for ever.
teardown() { jobs -p | xargs -r kill -9 2>/dev/null || :; }

# until_true SECONDS COMMAND...: false when it was not true for so long
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { echo "not within the time: $*" >&2; return 1; }
        sleep 0.02
    done
}

# size_of FILE: 0 where there is none
size_of() { stat -c %s "$1" 2>/dev/null || echo 0; }

# cmp, to which two empty files are no proof.
cmp() {
    local f
    command cmp "$@" || return
    for f; do
        [ ! -f "$f" ] || [ -s "$f" ] || { echo "cmp: $f is empty"; return 1; }
    done
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

# The content hash of each segment of FILE...; where there is none, what equals no other.
content() { frame-check -v "$@" 2>/dev/null | awk -v none="none: $* $BASHPID" '$1 == "content" { n++; print $2 } END { if (!n) print none }'; }

# sharing N WORKERS PROGRAM FILE OPTIONS...: N shares by so many at a time, merged in some order,
# have the content of the one run.
sharing() {
    local n=$1 workers=$2
    shift 2
    rm -f share.*
    "$@" -q -o whole.s
    shuf -i "1-$n" | xargs -P "$workers" -I% "$@" -q -t 1 --shard "%/$n" -o share.% || return 1
    # shellcheck disable=SC2046
    frame-merge $(shuf -e share.*) -o merged.s
    [ "$(content merged.s)" = "$(content whole.s)" ] || { echo "$*: $n shares are another content"; return 1; }
}

# cut_in_last FILE PROGRAM OPTION...: PROGRAM reads FILE, cut at each byte of its last line. It
# must accept the file with a warning and the result of the whole file, or refuse it as truncated or
# not a number. Prints the number of missing bytes for each file that was accepted.
cut_in_last() {
    local file=$1 size last k lacks=
    shift
    size=$(stat -c %s "$file") last=$(tail -n 1 "$file" | wc -c)
    "$@" "$file" -o whole.mbf 2>/dev/null && bin2txt whole.mbf | grep -v '^## [^e]' >whole.txt || return 1
    for ((k = 1; k < last; k++)); do
        head -c -$k "$file" >"cut-$file"
        rm -f cut.mbf
        if "$@" "cut-$file" -o cut.mbf 2>err; then
            bin2txt cut.mbf | grep -v '^## [^e]' | cmp - whole.txt || { echo "$* $file, $k bytes cut: taken with other numbers"; return 1; }
            grep -q "warning: cut-$file: the last line has no newline, but is accepted" err || { echo "no warning"; return 1; }
            lacks="$lacks $k"
        else
            [ ! -e cut.mbf ] && grep -qE 'the last line has no newline and may be incomplete|truncated|expected' err || { cat err; return 1; }
        fi
    done
    echo "lacks:$lacks"
}

# near A B TOL: |A - B| <= TOL, numerically; anything that is not a number fails.
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
        ok = a ~ /^[-+0-9.eE]+$/ && b ~ /^[-+0-9.eE]+$/ && (a - b <= t + 0) && (b - a <= t + 0)
        if (!ok) print "expected " b " within " t ", found " a
        exit !ok
    }'
}

# inputs STEPS ROWS: an input of each KIND of `declared` in this folder, named by the variable KIND:
# STEPS of 256 argon atoms as text, and ROWS of a table. A new kind needs a line here.
inputs() {
    zcat "$DATA/argon256.xyz.gz" | head -n $(($1 * 258)) >text
    xyz2bin -q --cell 22.6 --dt 0.01 text -o posn
    awk 'NF == 1 { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n256\nITEM: BOX BOUNDS pp pp pp\n0 23\n0 23\n0 23\n", f++
            print "ITEM: ATOMS id x y z"; k = 0; next } NF == 4 { print ++k, $2, $3, $4 }' text >dump
    md-cpu -q --atoms 64 --density 0.02 --steps 1000 --every 5 --velocities -o velo
    unwrap -q velo | msd-cpu -q --lags 60 -o msd
    g4-cpu -q --lags 4 posn -o corr
    rdf-cpu -q posn -o hist
    seq "$2" >table
    txt2bin -q --dt 1 table -o seri
    awk "$UNIFORM"'BEGIN { seed(3); for (k = 0; k < 2000; k++) print uniform() - 0.5 }' | txt2bin -q --dt 1 -o flux
    py forge/planted_ions free 4 "$1" | traj2bin -q --units metal --timestep 0.001 --velocities --scalars q | unwrap -q -o ions
    current --quantity dipole ions | acf -q -o dipole
    alpha-cpu -q --polarizability Ar=1.64 --order 1 --parts posn -o pi
    export TEXT=$PWD/text POSN=$PWD/posn DUMP=$PWD/dump VELO=$PWD/velo MSD=$PWD/msd CORR=$PWD/corr HIST=$PWD/hist TABLE=$PWD/table \
        SERI=$PWD/seri FLUX=$PWD/flux IONS=$PWD/ions DIPOLE=$PWD/dipole PI=$PWD/pi
}

# declared TAG...: prints the lines `# TAG: PROGRAM KIND OPTIONS...` of all bats files as "PROGRAM
# INPUT OPTIONS...", if the environment has an input for KIND (POSN=a.mbf, ...; "-": no input). In
# this way, a program is included in tests that loop over programs.
declared() {
    local program kind options
    sed -nE "s/^# ($(IFS='|' && echo "$*")): //p" "$ROOT"/tests/*/*.bats | while read -r program kind options; do
        [ "$kind" = - ] || [ -n "${!kind:-}" ] || continue
        echo "$program $([ "$kind" = - ] && echo - || echo "${!kind}") $(sed "s|@$kind|${!kind:-}|" <<<"$options")"
    done
}

# undeclared: prints the programs of this build without a line for `declared reads writes`, except
# imd2bin, whose input is an engine, and frame-index, whose output has the name of its input
undeclared() {
    local p
    for p in "$BIN"/*; do
        p=${p##*/}
        [[ $p == *-gpu || $p == imd2bin || $p == frame-index ]] || grep -qE "^# (reads|writes): $p " "$ROOT"/tests/*/*.bats || echo "$p"
    done
}

# emulated TOOL: sets EMU to the program on the emulated GPU (tests/emu), which check-all builds, or
# skips the test if this tree has none
emulated() {
    EMU=$(dirname "$BIN")/emu/$1
    [ -x "$EMU" ] || left
    [ -x "$EMU" ] || skip "no emulated $1 in this tree"
}

# alike OPTIONS FILE [NAME=VALUE]: compares cpu.cf of g4-cpu with emu.cf of the emulated g4-gpu. Set
# ATOL if terms of a million cancel
alike() {
    # shellcheck disable=SC2086
    g4-cpu -q $1 "$2" -o cpu.cf
    # shellcheck disable=SC2086
    env "${3:-NONE=}" "$EMU" -q $1 "$2" -o emu.cf
    compare -q --rtol 1e-10 --atol "${ATOL:-1e-10}" cpu.cf emu.cf || { echo "$*"; compare cpu.cf emu.cf; false; }
}

# argon_gas ATOMS STEPS: by md-cpu, file gas.mbf
argon_gas() { md-cpu -q --atoms "$1" --density 0.021 --steps $((10 * $2)) --every 10 -o gas.mbf; }

# A port of the loopback interface that nobody listens to.
free_port() {
    local p
    while p=$((20000 + RANDOM % 12000)); (exec 3<>/dev/tcp/127.0.0.1/$p) 2>/dev/null; do :; done
    echo $p
}

# sshd_in DIR [NAME=VALUE...]: a real sshd on the loopback interface, with keys and a configuration
# of its own in DIR, and NAME=VALUE in the environment of what it starts. It is host NAME-OF-DIR of
# DIR/ssh_config; its process id is in DIR/sshd.pid.
sshd_in() {
    local d=$1 port
    port=$(free_port)
    shift
    ssh-keygen -q -t ed25519 -N '' -f "$d/host"
    ssh-keygen -q -t ed25519 -N '' -f "$d/user"
    cp "$d/user.pub" "$d/authorized"
    chmod 600 "$d/authorized"
    [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
    cat >"$d/sshd_config" <<CONF
Port $port
ListenAddress 127.0.0.1
HostKey $d/host
AuthorizedKeysFile $d/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
PidFile $d/sshd.pid
${1:+SetEnv $*}
CONF
    cat >"$d/ssh_config" <<CONF
Host ${d##*/}
HostName 127.0.0.1
Port $port
IdentityFile $d/user
BatchMode yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
CONF
    "$(command -v sshd || echo /usr/sbin/sshd)" -f "$d/sshd_config" -E "$d/sshd.log" 3>&- || { cat "$d/sshd.log"; return 1; }
    until_true 10 test -s "$d/sshd.pid"
}

# cloud "CELL(9 numbers)" ATOMS FRAMES [GROW]: atoms on a grid of the cell, each moved anew in every
# frame, as xyz
cloud() {
    awk -v cell="$1" -v n="$2" -v frames="$3" -v grow="${4:-0}" "$UNIFORM"'BEGIN { seed(5); split(cell, h); m = 1
        while (m * m * m < n) m++
        for (a = 0; a < n; a++) for (k = 0; k < 3; k++) at[a, k] = uniform()
        for (f = 0; f < frames; f++) {
            s = 1 + grow * f
            printf "%d\nLattice=\"", n
            for (k = 1; k <= 9; k++) printf "%.9g%s", h[k] * s, k < 9 ? " " : "\" Properties=species:S:1:pos:R:3\n"
            for (a = 0; a < n; a++) {
                u = (a % m + 0.3 * at[a, 0] + 0.1 * uniform()) / m
                v = (int(a / m) % m + 0.3 * at[a, 1] + 0.1 * uniform()) / m
                w = (int(a / m / m) + 0.3 * at[a, 2] + 0.1 * uniform()) / m
                printf "Ar %.9g %.9g %.9g\n", s * (u * h[1] + v * h[4] + w * h[7]), s * (u * h[2] + v * h[5] + w * h[8]), s * (u * h[3] + v * h[6] + w * h[9])
            } } }'
}
CUBE="17.25 0 0 0 17.25 0 0 0 17.25"
SKEW="17.25 0 0 30 20 0 -37 48 22"

# dense KIND: writes x.mbf, model.txt and `want`, the dipole moments of the dense solver of
# oracle/dipole_dense, for one of the kinds DENSE. Sets the array thole to the options for damping
DENSE="cubic cubic-charges triclinic long chains free free-charges damped-exp damped-cubic"
dense() {
    py oracle/dipole_dense "$1"
    xyz2bin -q --dtype f64 x.xyz -o x.mbf
    case $1 in free*) ;; *) unwrap -q x.mbf -o u.mbf && mv u.mbf x.mbf ;; esac
    thole=()
    case $1 in damped-exp) thole=(--thole 2.1304) ;; damped-cubic) thole=(--thole cubic:0.572) ;; esac
}
