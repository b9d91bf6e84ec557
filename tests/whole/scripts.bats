# SPDX-License-Identifier: MIT
# Every script of pipelines/: no name or variable is run as a command, and a stage that fails leaves
# a status and no result. A new script needs a row in `runs`, a short run of the script; otherwise
# the test fails.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    mkdir real shims marks
    xyz2bin --select 0:60 --cell 22.6 --dt 0.01 --sigma 3.4 "$DATA/argon256.xyz.gz" | frame-cut --atoms 0:40 -o argon.mbf
    bin2xyz argon.mbf -o argon.xyz
    frame-cut 0:120 "$DATA/water64.mbf" | frame-cut --atoms 0:60 -o water.mbf
    frame-cut 0:60 "$DATA/co2-64.mbf" -o co2.mbf
    (echo "t_ps pxy pxz pyz" && awk "$UNIFORM"'BEGIN { seed(3); for (t = 0; t < 2000; t++) { for (k = 0; k < 3; k++) x[k] = 0.9 * x[k] + uniform() - 0.5; print t * 0.01, x[0], x[1], x[2] } }') >table
    # the imitation of LAMMPS writes a dump, and the imitation of ssh runs the command on this host
    bin2xyz argon.mbf | awk 'NF == 1 { n = $1; i = 0; next } /Lattice/ { printf "ITEM: UNITS\nreal\nITEM: TIME\n%g\nITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp pp pp\n0 22.6\n0 22.6\n0 22.6\nITEM: ATOMS id type x y z\n", t * 10, t++ * 10, n; next }
        { print ++i, 1, $2, $3, $4 }' >dump
    printf '#!/bin/sh\nwhile [ "$1" != dump ]; do shift; done\nexec cat "%s/dump" >"$2"\n' "$PWD" >lmp
    printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >ssh
    printf '#!/bin/sh\n: >"%s/marks/$$"\n' "$PWD" >shims/pwned
    # a stage is a program or command that a script starts; number KILL_AT of a run dies by KILL, or
    # ends with status 1 and no message
    for p in "$BIN"/* $(command -v awk sed cat paste gnuplot head grep tee mv); do
        printf '#!/bin/sh\nif [ -n "$COUNT" ]; then set -C\nn=1\nuntil true 2>/dev/null >"$COUNT/$n"; do n=$((n + 1)); done\n[ $n != "$KILL_AT" ] || { [ "$HOW" != kill ] || kill -9 $$; exit 1; }\nfi\nexec "%s" "$@"\n' "$p" >"shims/${p##*/}"
    done
    sed -i 's/^exec/unset COUNT\n&/' shims/gnuplot # which starts awk for every point
    chmod +x shims/* lmp ssh
}

# scripts: all, by path
scripts() { printf '%s\n' "$ROOT"/pipelines/*.sh "$ROOT"/pipelines/cluster/*.sh; }

# runs NAME: sets WORDS and VARS for a run, with inputs from this folder; false if the test of the
# script is elsewhere
runs() {
    VARS=() WORDS=()
    case $1 in
    argon-campaign.sh) VARS=(SIZES="60 64" EQUILIBRATE=10 STEPS=800 EVERY=10 TMAX=0.1 SEED=1 SUM=taper) ;;
    argon-neutrons.sh) VARS=(TMAX=0.2 QMAX=0.7 VECTORS=9) WORDS=(argon.mbf) ;;
    argon-orders.sh) VARS=(TMAX=0.2 POLARIZABILITY=Ar=1.64) WORDS=(argon.mbf) ;;
    argon-spectrum.sh) VARS=(TMAX=0.2 OPTIONS=--sigma=3.4) WORDS=(argon.xyz) ;;
    argon-sums.sh) VARS=(PS=2 RUNS=1 EQUILIBRATE=10 SUMS=mic) WORDS=(32) ;;
    co2-absorption.sh) VARS=(TMAX=0.5) WORDS=(co2.mbf) ;;
    co2-raman.sh) VARS=(TMAX=0.5) WORDS=(co2.mbf) ;;
    dawid-figures.sh) VARS=(SYSTEMS=32 STEPS=5000 EQUILIBRATE=10 LOOPS=8) ;;
    density-of-states.sh) VARS=(TMAX=0.3 MASSES=O=16) WORDS=(water.mbf) ;;
    diffusion.sh) VARS=(MOLECULES=3 VISCOSITY=0.7 T=298 PARTS=2) WORDS=(water.mbf) ;;
    live-lammps.sh) VARS=(LMP="$BATS_FILE_TMPDIR/lmp") ;;
    moskvin-figures.sh) VARS=(SIZES=256) WORDS=(--steps 2) ;;
    nakano-figures.sh) WORDS=(argon.xyz) ;;
    overview.sh) WORDS=(-o out/overview.html argon.xyz) ;;
    plot.sh) WORDS=(-o out/plot.png argon.gr) ;;
    published.sh) VARS=(SHORT=1 STEPS=100) ;;
    stage-swap.sh) WORDS=(argon.xyz) ;;
    rare-gas-absorption.sh) VARS=(STEPS=400 TMAX=0.1) ;;
    sum-rules.sh) VARS=(TEMPERATURE=90 TMAX=0.1 EPSILON=10) WORDS=(argon.mbf) ;;
    two-hosts.sh) VARS=(SSH="$BATS_FILE_TMPDIR/ssh" TMAX=0.1 REMOTE_BIN="$BATS_FILE_TMPDIR/shims") WORDS=(here argon.xyz) ;;
    viscosity.sh) VARS=(OUT=out/viscosity) WORDS=(table --unit bar --temperature 300 --volume 1000) ;;
    slurm.sh) VARS=(SLURM_ARRAY_TASK_ID=1 SHARES=2 OPTIONS=--lags=4) WORDS=(argon.mbf) ;;
    parallel.sh) command -v parallel >/dev/null && VARS=(SHARES=2 OPTIONS=--lags=4 REMOTE_BIN="$BATS_FILE_TMPDIR/shims") && WORDS=(: argon.mbf) ;;
    results.sh) ;; # the others read it
    lammps-yaml.sh | live-imd.sh | report.sh) false ;; # traj2bin.bats, imd2bin.bats; the other scripts
    *) echo "$1: expected a row of runs() in scripts.bats, found none" && exit 1 ;;
    esac
}

# begin_run: makes a new folder with the inputs
begin_run() {
    rm -rf run && mkdir -p run/out && cd run || return
    ln -s "$BATS_FILE_TMPDIR"/{argon.mbf,argon.xyz,water.mbf,co2.mbf,table} .
    rdf-cpu -q --bins 20 argon.mbf -o argon.gr
}

# started [VARIABLE=VALUE...] -- SCRIPT WORDS...: with the stages of shims/, results in out/
started() {
    local vars=()
    while [ "$1" != -- ]; do vars+=("$1") && shift; done
    shift
    env OUT=out BIN="$BATS_FILE_TMPDIR/shims" PATH="$BATS_FILE_TMPDIR/shims:$PATH" "${vars[@]}" timeout 100 "$@" </dev/null >said 2>&1
}

# results: files of a run, the texts among them with their content
results() { (cd out 2>/dev/null && find . -type f ! -name '*.part' | sort && find . -name '*.txt' ! -name 'fig*' ! -name 'loops*' ! -name 'moskvin*' -type f -exec cat {} + | grep -v '^# *prov'; cat *.html 2>/dev/null) || true; }

@test "a stage that dies, by KILL or with a status alone, leaves a status and no result: every script, any stage" {
    for s in $(scripts); do
        name=${s##*/}
        runs "$name" || continue
        cd "$BATS_TEST_TMPDIR" && begin_run
        mkdir count && status=0
        started COUNT="$PWD/count" KILL_AT=0 "${VARS[@]}" -- "$s" "${WORDS[@]}" || status=$?
        [ $status -eq 0 ] || { [ $name$status = sum-rules.sh1 ] && grep -q verdict said; } || { echo "$name: $status" && cat said && false; }
        stages=$(ls count | wc -l) good=$(results)
        echo "$name: $stages stages" >&3
        for k in $(if [ -n "${CHECK_ALL:-}" ]; then seq "$stages"; else shuf -n 1 -i 1-"$((stages > 0 ? stages : 1))"; fi); do
            [ "$stages" -gt 0 ] || break
            [ "$((k % 2))" = 0 ] && how=kill || how=status
            cd "$BATS_TEST_TMPDIR" && begin_run
            mkdir count && status=0
            started COUNT="$PWD/count" KILL_AT="$k" HOW=$how "${VARS[@]}" -- "$s" "${WORDS[@]}" || status=$?
            left=$(results)
            # no result, or a stage whose output is not used; shares/ of cluster/ has the reason; a
            # page states what is missing
            [ $status -ne 0 ] && { [ -z "$left" ] || [[ $s == */cluster/* || $left == *"No result, because a program"* ]]; } || [ "$left" = "$good" ] || {
                echo "$name, stage $k of $stages ($how): status $status, and other results"
                diff <(echo "$good") <(echo "$left")
                cat said
                false
            }
        done
    done
}

# hostile NUMBER: a text that is a command in a language that may read it: sh, gnuplot, awk, sed,
# arithmetic of bash
hostile() {
    local texts=("\$(pwned)\`pwned\`;pwned|pwned&" $'1"; system("pwned"); x="`pwned`\n!pwned\nsystem("pwned")\ne pwned' "';pwned;'a[\$(pwned)]" 'x,/,e pwned;s/.*/pwned/e;# |pwned' 'a[$(pwned)]' '-ü < pwned | \n %d')
    printf %s "${texts[$1 % ${#texts[@]}]}"
}
HOSTILE=6

# quiet_run WHAT SCRIPT: tests that no program `pwned` was started; the status is in $status
quiet_run() {
    [ -z "$(ls "$BATS_FILE_TMPDIR/marks")" ] || { echo "$1 was a command"; rm -f "$BATS_FILE_TMPDIR"/marks/*; false; }
}

# variables SCRIPT: its variables and the variables of results.sh; `make check` uses some of them
variables() {
    local all
    all=$(grep -ohE '\$\{[A-Z][A-Z_0-9]*' "$1" "$ROOT/pipelines/results.sh" | tr -d '${' | sort -u | grep -vxE 'CC|SLURM_ARRAY_JOB_ID')
    if [ -n "${CHECK_ALL:-}" ]; then echo "$all"; else
        grep -xE 'BIN|TMPDIR|OUT|[XY]RANGE' <<<"$all" | shuf -n 1
        grep -vxE 'BIN|TMPDIR|OUT|[XY]RANGE' <<<"$all" | shuf -n 1
    fi
}

@test "no name of a file or folder and no variable is a command: every script, every variable that it has" {
    turn=$RANDOM
    for s in $(scripts); do
        name=${s##*/}
        runs "$name" || continue
        # each variable of the script with each hostile text; `make check` uses the texts that once
        # ran commands and one other text
        for v in $(variables "$s"); do
            for k in $(if [ -n "${CHECK_ALL:-}" ]; then seq "$HOSTILE"; else echo $((turn++)); fi); do
                cd "$BATS_TEST_TMPDIR" && begin_run
                text=$(hostile "$k") status=0
                case $v in
                BIN) mkdir -p -- "./$text" && ln -s "$BATS_FILE_TMPDIR"/shims/* "./$text" && text=$PWD/$text ;; # programs in a folder of this name
                TMPDIR) mkdir -p "./$text" && text=$PWD/$text ;;
                esac
                started "${VARS[@]}" "$v=$text" -- "$s" "${WORDS[@]}" || status=$?
                quiet_run "$name $v=$text" || { cat said; false; }
                case $v in TMPDIR) [ $status -eq 0 ] || [ $name$status = sum-rules.sh1 ] || { echo "$name: $status of $v=$text"; cat said; false; } ;; esac
            done
        done
        # the files of a run, with such a name and in such a folder; and a bash in place of sh,
        # whose $((...)) would run a[$(pwned)]
        for k in $(if [ -n "${CHECK_ALL:-}" ]; then seq "$HOSTILE"; else echo $((turn++)); fi); do
            cd "$BATS_TEST_TMPDIR" && begin_run
            text=$(hostile "$k" | tr -d /) words=() status=0
            for w in "${WORDS[@]}"; do
                if [ -e "$w" ]; then mv "$w" "./$text.${w##*.}" && words+=("./$text.${w##*.}"); else words+=("$w"); fi
            done
            started "${VARS[@]}" -- bash "$s" "${words[@]}" || status=$?
            quiet_run "$name ${words[*]}" || { cat said; false; }
            [ $status -eq 0 ] || [ $name$status = sum-rules.sh1 ] || [[ $text == *%* || $name == parallel.sh ]] || { echo "$name ${words[*]}: $status"; cat said; false; }
        done
    done
}

@test "every script runs under bash --posix with the awk of macOS, and with the tools of busybox" {
    left
    command -v original-awk >/dev/null && command -v busybox >/dev/null || skip "needs original-awk and busybox"
    mkdir macos busybox
    ln -s "$(command -v original-awk)" macos/awk
    for c in sed grep sort uniq cut tr paste head tail cat tee cp mv rm ls mkdir mktemp date dirname basename wc seq env; do
        ln -s "$(command -v busybox)" busybox/$c
    done
    for s in $(scripts); do
        name=${s##*/}
        runs "$name" || continue
        for tools in macos busybox; do
            cd "$BATS_TEST_TMPDIR" && begin_run && status=0
            env OUT=out BIN="$BIN" PATH="$BATS_TEST_TMPDIR/$tools:$BIN:$PATH" "${VARS[@]}" timeout 100 $([ $tools = busybox ] || echo bash --posix) "$s" "${WORDS[@]}" </dev/null >said 2>&1 || status=$?
            [ $status -eq 0 ] || { [ $name$status = sum-rules.sh1 ] && grep -q verdict said; } || { echo "$name with $tools: $status" && cat said && false; }
        done
    done
}
