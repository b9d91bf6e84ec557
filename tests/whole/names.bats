# SPDX-License-Identifier: MIT
# Names are data: for any name of a file, a folder or an option, no shell, make, gnuplot, awk or
# host over ssh runs the name.

load ../helpers

# A name that is run would create a file "pwned" somewhere below this folder.
hostile() {
    # shellcheck disable=SC2016
    printf '%s\n' 'a b' "q'uote" 'd"q' '-dash' 'x=1' '$(touch pwned)' '`touch pwned`' ';touch pwned;' "';touch pwned;'" '$(shell touch pwned)' \
        "'.system('touch pwned').'" '|touch pwned|' '&touch pwned&' 'nl\nx' '*'
}

clean() { [ -z "$(find . -name pwned)" ] || { echo "$1 was run"; return 1; }; }

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    zcat "$DATA/argon256.xyz.gz" | head -n "$(whole 12900 51600)" >plain.xyz
}

@test "scripts: every hostile name as trajectory and as folder of results gives the plain result" {
    few=$(whole few "all ")
    OUT=plain "$ROOT/pipelines/stage-swap.sh" plain.xyz >want
    while IFS= read -r name; do
        cp plain.xyz "./$name.xyz"
        OUT="out$name" "$ROOT/pipelines/stage-swap.sh" "$name.xyz" >got || { echo "$name"; false; }
        cmp want got
        clean "$name"
        # the longer script, in `make check`: forms of a quote, a command, gnuplot, an option and an
        # assignment
        case $few$name in "few"'a b' | few*'"'* | few-* | few*=* | few'`'* | few'$(t'* | few*.system* | [!f]*) ;; *) continue ;; esac
        OUT="$name" TMAX=1 FORMAT=png "$ROOT/pipelines/argon-spectrum.sh" "$name.xyz" >said 2>&1 || { echo "$name"; cat said; false; }
        [ -s "./$name/spectrum.txt" ]
        if command -v gnuplot >/dev/null; then [ -s "./$name/spectrum.png" ] || { echo "$name: no plot"; cat said; false; }; fi
        clean "$name"
    done < <(hostile)
}

@test "plots: FORMAT and SIZES are no code" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    for bad in "png'; system('touch pwned'); x='" 'svg"; touch pwned; "'; do
        ! OUT=o TMAX=1 FORMAT="$bad" "$ROOT/pipelines/argon-spectrum.sh" plain.xyz >said 2>&1 || false
        grep -q "expected png, svg or pdf" said
        ! gnuplot -c "$ROOT/pipelines/argon-orders.gp" "$ROOT/pipelines" "$bad" >said 2>&1 || false # scripts that leave it to gnuplot
        grep -q "expected png, svg or pdf" said
        clean "$bad"
    done
}

@test "cached.mk: a hostile trajectory is read or refused, hostile options are refused, none is run" {
    while IFS= read -r name; do
        cp plain.xyz "./$name.xyz"
        rm -rf o
        make -s -f "$ROOT/pipelines/cached.mk" BIN="$BIN" OUT=o TMAX=1 TRAJECTORY="$name.xyz" >said 2>&1 && [ -s o/spectrum.txt ] ||
            grep -q 'cached.mk: expected a trajectory without' said || { echo "$name"; cat said; false; }
        clean "$name"
        for v in OUT TMAX BLOCKS WINDOW CELL; do
            [ "$name" != -dash ] || continue
            ! make -s -f "$ROOT/pipelines/cached.mk" BIN="$BIN" OUT=p TRAJECTORY=plain.xyz "$v=$name" >said 2>&1 || false
            grep -q 'cached.mk: expected letters, digits' said || { echo "$v=$name"; cat said; false; }
            ! env "$v=$name" make -s -f "$ROOT/pipelines/cached.mk" BIN="$BIN" TRAJECTORY=plain.xyz >said 2>&1 || false
            clean "$v=$name"
        done
    done < <(hostile | grep -v '^-dash')
}

@test "cached.mk: the folder that it is in is no code either" {
    for name in "it's" "a';touch pwned;'b" 'a$(touch pwned)b' 'a`touch pwned`b'; do
        mkdir -p "$name"
        cp "$ROOT/pipelines/cached.mk" "$name/"
        (cd "$name" && make -s -f "$PWD/cached.mk" BIN="$BIN" OUT=o TMAX=1 TRAJECTORY=../plain.xyz) >said 2>&1 || { cat said; false; }
        [ -s "$name/o/spectrum.txt" ]
        clean "$name"
        [ ! -e "$name/pwned" ]
    done
}

@test "two-hosts.sh: the shell over there gets words, and no host is an option" {
    cat >ssh.sh <<'SSH'
#!/bin/sh
shift
exec sh -c "$*"
SSH
    chmod +x ssh.sh
    export SSH=$PWD/ssh.sh REMOTE_BIN=$BIN
    "$ROOT/pipelines/two-hosts.sh" there plain.xyz >want 2>/dev/null || true
    while IFS= read -r name; do
        ! TMAX="$name" "$ROOT/pipelines/two-hosts.sh" there plain.xyz >said 2>&1 || false
        ! G4="$name" "$ROOT/pipelines/two-hosts.sh" there plain.xyz >said 2>&1 || false
        clean "$name"
    done < <(hostile)
    TMAX=1 "$ROOT/pipelines/two-hosts.sh" there plain.xyz | grep -q '^## origin'
    fails 2 "$ROOT/pipelines/two-hosts.sh" -oProxyCommand="touch pwned" plain.xyz
    clean host
}

@test "shellcheck has nothing to say of any script" {
    command -v shellcheck >/dev/null || skip "no shellcheck"
    cd "$ROOT"
    found=$(grep -lE '^#!.*(sh|bash)$' pipelines/*.sh tests/* tests/*/* 2>/dev/null | grep -v '\.bats$' | xargs -d '\n' shellcheck -x -P SCRIPTDIR -S warning -f gcc 2>&1 || true)
    [ -z "$found" ] || { echo "$found"; false; }
}
