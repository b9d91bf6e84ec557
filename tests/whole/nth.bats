# SPDX-License-Identifier: MIT
# long
# The n-th system call fails, for every n, once or from then on: malloc, read, write, open, close,
# rename, fsync, pthread_create. A program then ends with status 0 and the same content, or with 4
# (memory) or 3 (otherwise) and no file.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    export IN=$BATS_FILE_TMPDIR PRELOAD=$BATS_FILE_TMPDIR/preload_fail.so
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -o "$PRELOAD" "$ROOT/tests/unit/preload_fail.c" -ldl
    inputs 10 80
    gzip -k text
    frame-cut 0:5 posn -o one
    frame-cut --atoms 0:60 one -o few
    g4-cpu --lags 9 --component all --blocks 8 posn -o run.corr
    frame-cut 5:10 posn -o two
    frame-cut -z : posn -o packed
    for k in one two; do g4-cpu --lags 3 $k -o $k.corr; done
    py forge/imd session
    if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
        printf '%s\0' rich.h5 id=1 species=text velocity=1 image=1 pack=1 edges=moving '' | PY=/usr/bin/python3 py forge/h5md >made
    fi
    for _ in $(seq 40); do cat dump; done | awk 'step { $1 = f++; step = 0 } /TIMESTEP/ { step = 1 } 1' >long.dump
    md-cpu -q --atoms 64 --density 0.02 --steps 20 --restart restart --data data -o md
        for k in 1 2; do rdf-cpu -q --shard $k/2 posn -o share.$k; done
    python3 -c 'import struct, sys
def mark(b): return struct.pack("<i", len(b)) + b + struct.pack("<i", len(b))
x = mark(b"\0\0\200?" * 30000)
head = mark(b"CORD" + struct.pack("<20i", 20, *[0] * 18, 24)) + mark(struct.pack("<i", 1) + b" " * 80) + mark(struct.pack("<i", 30000))
sys.stdout.buffer.write(head + 60 * x)' >long.dcd
}

# Commands, one per line, each in an empty folder: one for every program by its bats file, then
# commands for other code paths. Their inputs are in $IN.
commands() {
    declared reads writes | while read -r p input options; do echo "$p -t 3 $options -o out $([ "$input" = - ] || echo "$input")"; done
    [ ! -e "$IN/rich.h5" ] || echo "traj2bin --velocities --unwrap -o out $IN/rich.h5"
    sed "s,@,$IN/,g; s,%,$DATA/formats/,g" <<'LIST'
xyz2bin -o out @text
xyz2bin -t 3 -z -o out @text.gz
xyz2bin --index --cell 22.6 --dt 0.01 -o out @text
bin2txt -o out @corr
bin2txt --format json -o out @one
frame-cut -t 3 -z 1:9:2 -o out @packed
frame-cat -o out @one @two
frame-merge -o out @one.corr @two.corr
g4-cpu -t 3 --lags 4 -o out @posn
g4-cpu -t 3 --lags 4 --method fft -o out @one
g4-cpu --lags 4 --sum ewald -o out @one
g4-cpu --lags 4 --series series -o out @one
rdf-cpu -t 3 -o out @posn
sq-cpu -t 3 --qmax 2 -o out @posn
fqt-cpu -t 3 --qmax 1 --lags 2 --self -o out @posn
fqt-cpu -t 3 --qmax 1 -o out @posn
acf -o out @seri
traj2bin -t 3 --dt 1 --units real -o out @long.dump
traj2bin --dt 1 -o out %water10.dcd
traj2bin -t 3 --dt 1 --pbc none -o out @long.dcd
traj2bin -o out %water10.ncdf
traj2bin -o out %water10.trr
traj2bin -o out %water10.xtc
traj2bin -q --allow-partial -o out @session
compare -o out @corr @corr
md-cpu -q -t 2 --atoms 64 --density 0.02 --steps 10 --every 5 --thermo thermo --restart restart -o out
md-cpu -q --from-restart @restart --steps 10 --every 5 -o out
md-cpu -q --from-data @data --temperature 90 --steps 10 --every 5 --velocities -o out
md-cpu -q --atoms 64 --density 0.02 --steps 10 --every 5 --thermo thermo --data data -o out
xyz2bin -t 3 --dtype f64 -o out @text.gz
frame-cut -t 3 --index : -o out @packed
frame-cat -z --index -o out @posn
frame-merge -o out @share.1 @share.2
rdf-cpu --shard 1/2 -o out @posn
g4-cpu --lags 3 --shard 2/2 -o out @posn
g4-cpu -t 3 --lags 4 --method direct -o out @few
bin2xyz -t 3 -o out @packed
bin2txt -o out @hist
acf -t 3 --lags 5 -o out @seri
traj2bin --velocities -o out %water10.trr
traj2bin --select 1: --keep-duplicates --dt 1 -o out %water10.xtc %water10.xtc
LIST
}

@test "the n-th failure of every kind, in every program: the same content, or status 3 or 4 and no file" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    # the reader of imd2bin is the reader of a recorded session
    [ -z "$(undeclared)" ] || { echo "expected a line '# reads:' or '# writes:', found none of $(undeclared)"; false; }
    mkdir here
    cd here
    while read -r line; do
        # shellcheck disable=SC2086
        "$TREE/tests/unit/nth" "${NTH_MOST:-$(whole 8 24)}" "$PRELOAD" $line >../said </dev/null || { echo "$line"; head -n 8 ../said; false; }
        [ "$(awk '/runs/ { print $1 }' ../said)" -gt "$(whole 10 50)" ] || { echo "$line"; cat ../said; false; }
    done < <(commands | grep -E "$(whole "^(bin2txt -o|frame-cat -o|frame-cut -t|g4-cpu -t 3 --lags 4 -o|xyz2bin --index|traj2bin -o|rdf-cpu -t 3 -o|frame-merge -o out @one|compare)" .)")
}

@test "every single call of some runs: names of results, input, engine, outputs; no room at one step, the next one asks again" {
    left
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    mkdir all && cd all
    while read -r line; do
        # shellcheck disable=SC2086
        "$TREE/tests/unit/nth" 2000 "$PRELOAD" $line >../said </dev/null || { echo "$line"; head -n 8 ../said; false; }
        [ "$(awk '/runs/ { print $1 }' ../said)" -gt 300 ] || { echo "$line"; tail -n 1 ../said; false; }
    done <<LIST
rdf-cpu -o out $IN/one
bin2txt -o out $IN/run.corr
optics -o out $IN/pi
md-cpu -q --atoms 64 --density 0.02 --steps 4 --every 2 --thermo thermo --restart restart -o out
alpha-cpu -t 1 --polarizability Ar=1.64 --order 1 -o out $IN/one
fqt-cpu -t 1 --qmax 1 --lags 2 --self -o out $IN/one
g4-cpu -t 1 --lags 2 --sum ewald -o out $IN/few
LIST
}

@test "the same where files of those names stand: after status 3 or 4 they stand there still" {
    left
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    mkdir stood && cd stood
    while read -r line; do
        # shellcheck disable=SC2086
        NTH_OLD=1 "$TREE/tests/unit/nth" 60 "$PRELOAD" $line >../said </dev/null || { echo "$line"; head -n 8 ../said; false; }
        [ "$(awk '/runs/ { print $1 }' ../said)" -gt 100 ]
    done <<LIST
frame-cut --index : -o out $IN/one
bin2txt -o out $IN/run.corr
g4-cpu --lags 4 --series series -o out $IN/one
md-cpu -q --atoms 64 --density 0.02 --steps 4 --every 2 --thermo thermo --restart restart --data data -o out
LIST
}

@test "the loop itself sees a program that breaks the law" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    mkdir there
    cd there
    run "$TREE/tests/unit/nth" 8 "$PRELOAD" cp "$IN/posn" out
    [ "$status" -eq 1 ]
    [[ $output == *"break the law"* ]]
}

@test "soak: random pipelines under random trouble keeps the law, and a seed repeats its case" {
    [ -z "$SANITIZED" ] || skip "preload and sanitizers do not mix"
    "$ROOT/tests/soak" --cases "$(whole 8 50)" --seed 7 >said || { cat said; false; }
    grep -q ' 0 broke the law' said
    "$ROOT/tests/soak" --cases 1 --seed 907282 # one write of bin2xyz fails, at the end of a frame
    [ "$("$ROOT/tests/soak" --cases 1 --seed 7 | grep -c ' cases, ')" -eq 2 ]
    # the test finds a program that breaks the rule
    mkdir bad
    cp "$BIN"/* bad/
    printf '#!/bin/sh\ncat >out; cat >/dev/null; exit 0\n' >bad/bin2txt
    chmod +x bad/bin2txt
    ! BIN=$PWD/bad "$ROOT/tests/soak" --cases 8 --seed 7 >said || false
    grep -q 'the reference failed\|status 0, another file' said || { cat said; false; }
    # programs that crash in place of failing, or fail without a message, and leave no file
    for way in 'kill -SEGV $$' 'exit $s'; do
        printf '#!/bin/sh\n"%s/${0##*/}" "$@" 2>/dev/null; s=$?; [ $s -ne 0 ] || exit 0; %s\n' "$BIN" "$way" >bad/bin2txt
        ! BIN=$PWD/bad "$ROOT/tests/soak" --cases 12 --seed 7 >said || false
        grep -q 'bin2txt ended with status .*not a word' said || { cat said; false; }
    done
}
