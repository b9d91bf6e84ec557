# SPDX-License-Identifier: MIT
# pipelines/mbf, the command mbf: lists the programs, runs them, prints recipes and pages, and tests
# the machine.

load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export BIN
}

mbf() { "$ROOT/pipelines/mbf" "$@"; }

@test "mbf lists every program once, by task" {
    mbf | sed -n 's/^  \([a-z0-9, -]*[a-z0-9]\)  *[^ ].*/\1/p' >rows
    mbf >all
    for p in "$BIN"/*; do
        n=$(grep -cE "^  (.*, )?${p##*/}[, ]" all || true)
        [ "$n" -eq 1 ] || { echo "${p##*/}: $n times"; false; }
    done
    [ "$(grep -c '^[A-Z].*:$' all)" -ge 5 ]
    [ "$(wc -l <rows)" -ge 25 ]
}

@test "mbf PROGRAM is the program: arguments, input, output and status" {
    printf '2\n\nAr 0 0 0\nAr 1 2 3\n' | mbf xyz2bin --cell 9 -o 'a b.mbf'
    mbf bin2txt 'a b.mbf' >one
    bin2txt 'a b.mbf' >two
    cmp one two
    fails 2 mbf rdf-cpu --bins x 'a b.mbf'
    fails 1 mbf compare 'a b.mbf' <(xyz2bin --cell 9 <<<$'2\n\nAr 0 0 0\nAr 1 2 4')
    for no in rdf '' ../bin/rdf-cpu /bin/sh mbf; do
        fails 2 mbf "$no"
        [[ $output == *"expected a program, help, doctor, plot or overview, found '$no' (mbf lists the programs)" ]]
    done
}

@test "mbf help: every recipe of the cookbook, the recipes about a word, the page of a program" {
    [ "$(mbf help | grep -c '^  ')" -eq "$(grep -c '^\.Ss' "$ROOT/man/mbf-cookbook.7")" ]
    sed -n 's/^\.Ss //p' "$ROOT/man/mbf-cookbook.7" | while read -r title; do
        mbf help "$title" >text
        grep -qF "$title" text
    done
    mbf help VISCOSITY >text
    grep -q 'green-kubo --property viscosity' text
    fails 1 grep -q 'g(r) and the coordination of water' text
    mbf help einstein >page # a program; and a word that only the text of a recipe has
    grep -q einstein page
    mbf help hydrogen bonds >text
    grep -q pos-1.xyz text
    fails 2 mbf help ''
    [[ $output == *"expected a program or words of a recipe, found ''"* ]]
    fails 2 mbf help no such thing
    [[ $output == *"expected a program or words of a recipe, found 'no such thing'"* ]]
    # without mandoc and groff the text is plainer
    mkdir path
    for c in awk sed cat dirname readlink ls head; do ln -s "$(command -v $c)" path/; done
    PATH=$PWD/path /bin/sh "$ROOT/pipelines/mbf" help viscosity >plain
    grep -q '^md-cpu --units lj' plain
    fails 1 grep -E '^\.|\\e|Fl ' plain
}

@test "mbf doctor tests the programs and names what is missing" {
    mbf doctor >report
    grep -qE '^programs +[0-9]+ in .*, version [0-9.]+$' report
    grep -qxE 'test +a simulation, g\(r\) and a table work' report
    [ "$(awk '{ print $1 }' report | xargs)" = "programs processor test GPU gzip H5MD zstd plots Python" ]
    if command -v gnuplot >/dev/null; then grep -q '^plots *gnuplot [0-9]' report; fi
    # without a program of the test, without gnuplot and python3
    mkdir bin path
    ln -s "$BIN"/* bin/
    rm -f bin/rdf-cpu bin/*-gpu
    printf '#!/bin/sh\ncase $1 in --version) exec "%s/rdf-cpu" "$@" ;; esac\necho "rdf-cpu: no luck" >&2\nexit 3\n' "$BIN" >bin/rdf-cpu
    chmod +x bin/rdf-cpu
    for c in awk sed cat dirname readlink ls head mktemp rm grep sh; do ln -s "$(command -v $c)" path/; done
    BIN=$PWD/bin PATH=$PWD/path fails 3 /bin/sh "$ROOT/pipelines/mbf" doctor
    grep -qx 'test *FAILED: rdf-cpu: no luck' <<<"$output"
    grep -q '^GPU *the GPU programs are not installed' <<<"$output"
    grep -q '^plots *gnuplot is not installed' <<<"$output"
    grep -q '^Python *python3 is not installed' <<<"$output"
    fails 2 mbf doctor now
    mkdir empty
    BIN=$PWD/empty fails 2 /bin/sh "$ROOT/pipelines/mbf" doctor
}

@test "mbf as installed, with a prefix and through a link, finds programs, pages and scripts" {
    [ -z "${SANITIZED:-}" ] || skip "plain build only"
    o=$(realpath --relative-to="$ROOT" "${BIN%/bin}")
    make -s -C "$ROOT" O="$o" CUDA=0 PROGRAM_PREFIX=q- PREFIX="$PWD/to" install-programs install-pages install-share >/dev/null
    ln -s to/bin/mbf link
    unset BIN
    for m in to/bin/mbf ./link; do
        "$m" compare --help | grep -q '^Usage: q-compare'
        "$m" q-compare --help | grep -q '^Usage: q-compare'
        "$m" | grep -q '^  q-rdf-cpu'
        "$m" help q-compare | grep -qi 'q-compare'
        "$m" help compare | grep -qi 'q-compare'
        "$m" help viscosity | grep -q q-green-kubo
        "$m" doctor >report
        grep -qxE 'test +a simulation, g\(r\) and a table work' report
        ! command -v gnuplot >/dev/null || { ./link rdf-cpu -q "$DATA/water64.mbf" -o g.mbf && "$m" plot -o g.png g.mbf && [ -s g.png ]; rm g.png; }
    done
    # for a python3 that does not find mbf, the report names the folder
    mkdir -p stub to/lib/python3/site-packages/mbf
    printf '#!/bin/sh\necho "ModuleNotFoundError: No module named '"'mbf'"'" >&2\nexit 1\n' >stub/python3
    chmod +x stub/python3
    PATH=$PWD/stub:$PATH ./link doctor | grep -qF "No module named 'mbf' (export PYTHONPATH=$PWD/to/lib/python3/site-packages)"
    make -s -C "$ROOT" O="$o" PROGRAM_PREFIX=q- PREFIX="$PWD/to" uninstall
    [ ! -e to/bin/mbf ]
}
