# SPDX-License-Identifier: MIT
# Loaded by the files of this folder: the run that every engine must end in, and trouble on the way.

load ../helpers

# The trajectory argon.mbf (256 atoms, 4,000 steps) with its index, and what one run makes of it:
# whole.cf, whole.sp.
argon_run() {
    cd "$BATS_FILE_TMPDIR" || return 1
    md-cpu -q --atoms 256 --density 0.02095 --temperature 90 --equilibrate 2000 --steps 40000 --every 10 -o argon.mbf --index
    g4-cpu -q --lags 48 argon.mbf -o whole.cf
    fft-spectrum -q whole.cf -o whole.sp
    export RUN=$BATS_FILE_TMPDIR
}


# same CORRELATION [SPECTRUM]: have they the content of the one run?
same() {
    [ "$(content "$1")" = "$(content "$RUN/whole.cf")" ] || { echo "$1: content $(content "$1"), expected $(content "$RUN/whole.cf")"; return 1; }
    [ $# -eq 1 ] || [ "$(content "$2")" = "$(content "$RUN/whole.sp")" ] || { echo "$2 has another content"; return 1; }
}

# trouble SHARE KIND [SHARE KIND]...: what happens, once, to the worker that makes the share.
# Workers find a g4-cpu on PATH that looks what is to come and starts the real one.
trouble() {
    export TROUBLE=$PWD/trouble REAL=$BIN
    mkdir -p trouble bin
    install -m 755 "$ROOT/tests/cluster/worker" bin/g4-cpu
    PATH=$PWD/bin:$PATH
    while [ $# -gt 1 ]; do
        echo "$2" >"trouble/$1"
        shift 2
    done
}

# Did everything come that trouble announced?
troubled() {
    [ -z "$(ls trouble | grep -vE '[.](done|pid|node)$')" ] || { ls trouble; return 1; }
}

parent() { awk '{ sub(/.*[)] /, ""); print $2 }' "/proc/$1/stat"; }
gone() { ! kill -0 "$1" 2>/dev/null; }
