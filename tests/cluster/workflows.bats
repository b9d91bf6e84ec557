# SPDX-License-Identifier: MIT
# pipelines/cluster: tests Snakemake with failures during the run. Tests Nextflow if it is
# installed, or else the commands in its file.

load cluster

setup_file() { argon_run; }

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export SNAKEFILE=$ROOT/pipelines/cluster/Snakefile
    cp "$RUN/argon.mbf" .
    export HOME=$PWD/nowhere # engines keep things there; the programs need none
}

@test "Snakemake: workers killed and a full disk are tried again, and end in the one content" {
    command -v snakemake >/dev/null || skip "no snakemake (make deps-cluster)"
    trouble 2 killed 7 named 11 full
    fails 1 snakemake -q -s "$SNAKEFILE" -j 4 --config trajectory=argon.mbf shares=16 lags=48
    [ ! -e correlation.mbf ]
    [ ! -e spectrum.mbf ]
    trouble 2 full 11 killed
    snakemake -q -s "$SNAKEFILE" -j 4 --retries 2 --config trajectory=argon.mbf shares=16 lags=48 >said 2>&1 || { cat said; false; }
    troubled
    same correlation.mbf spectrum.mbf
}

@test "Snakemake itself killed in the middle: begun again, it ends in the one content" {
    command -v snakemake >/dev/null || skip "no snakemake (make deps-cluster)"
    trouble 5 lost
    setsid snakemake -q -s "$SNAKEFILE" -j 4 --config trajectory=argon.mbf shares=16 lags=48 >said 2>&1 3>&- &
    until_true 60 test -s trouble/5.pid
    kill -9 -- -$!
    wait $! || true
    [ ! -e correlation.mbf ]
    snakemake -q -s "$SNAKEFILE" --unlock --config trajectory=argon.mbf shares=16 >said 2>&1 || { cat said; false; }
    snakemake -q -s "$SNAKEFILE" -j 4 --rerun-incomplete --config trajectory=argon.mbf shares=16 lags=48 >said 2>&1 || { cat said; false; }
    same correlation.mbf spectrum.mbf
}

@test "Snakemake with another analysis: its options, a result and no spectrum; options that are wrong are said" {
    command -v snakemake >/dev/null || skip "no snakemake (make deps-cluster)"
    snakemake -q -s "$SNAKEFILE" -j 2 --config trajectory=argon.mbf shares=3 analysis=rdf-cpu options='--bins 30 --rmax half' >said 2>&1 || { cat said; false; }
    [ "$(content result.mbf)" = "$(content <(rdf-cpu -q --bins 30 --rmax half argon.mbf))" ]
    [ ! -e spectrum.mbf ]
    rm result.mbf
    run snakemake -q -s "$SNAKEFILE" -j 2 --config trajectory=argon.mbf shares=3 analysis=rdf-cpu options='--bins 30 --rmax hlaf'
    [ "$status" -ne 0 ] && [ ! -e result.mbf ]
    [[ $output == *"rdf-cpu: --rmax: expected a number from 1e-09 to 1e+09, found 'hlaf'; is half meant?"* ]] || { echo "$output"; false; }
}

@test "Nextflow: the workflow, with workers killed and a full disk" {
    command -v nextflow >/dev/null || skip "no nextflow: what its file starts is run by the next test"
    trouble 2 killed 7 named 11 full
    nextflow run "$ROOT/pipelines/cluster/main.nf" --trajectory argon.mbf --shares 16 --lags 48 >said 2>&1 3>&- || { cat said; false; }
    troubled
    same correlation.mbf spectrum.mbf
}

# the command that the workflow starts in a process
starts() { groovy "$ROOT/tests/cluster/nextflow.groovy" "$ROOT/pipelines/cluster/main.nf" "$@"; }

# task PROCESS NAME=VALUE...: runs in a separate folder, where its inputs are links, as in Nextflow,
# and runs again if requested
task() {
    local tries status
    starts "$@" shares=4 >script
    for tries in 1 2 3 4; do
        rm -rf task && mkdir task
        find . -maxdepth 1 -name '*.mbf*' -o -maxdepth 1 -name '*.cf' | while read -r f; do ln -s "$PWD/$f" task/; done
        status=0
        (cd task && bash -ue ../script) || status=$?
        [ $status -ne 0 ] || break
        echo "$1: status $status" >>tried
        [ "$(starts "$@" status=$status)" = retry ] || return 1
    done
    find task -type f -exec mv {} . \;
}

@test "Nextflow's file, read by Groovy: its tasks, as a shell runs them, tried again as it says, end in the one content" {
    command -v groovy >/dev/null || skip "no groovy (make deps-cluster)"
    trouble 2 killed 3 full
    task index trajectory=argon.mbf
    for k in 1 2 3 4; do task share k=$k trajectory=argon.mbf index=argon.mbf.mbi; done
    [ "$(sort tried)" = "$(printf 'share: status %s\n' 137 3)" ] || { cat tried; false; }
    troubled
    task merge "parts=$(echo *.cf)"
    task spectrum correlation=correlation.mbf
    same correlation.mbf spectrum.mbf
    [ "$(starts share k=1 trajectory=argon.mbf index=x status=2)" = terminate ]
    [ "$(starts share k=1 trajectory=argon.mbf index=x status=4)" = retry ] # with more memory
}

@test "Nextflow's file with another analysis: its options in every share, one content; a wrong one ends it" {
    command -v groovy >/dev/null || skip "no groovy (make deps-cluster)"
    local o=(analysis=rdf-cpu options='--bins 30 --rmax half')
    task index trajectory=argon.mbf "${o[@]}"
    for k in 1 2 3 4; do task share k=$k trajectory=argon.mbf index=argon.mbf.mbi "${o[@]}"; done
    task merge "parts=$(echo *.cf)" "${o[@]}"
    [ "$(content correlation.mbf)" = "$(content <(rdf-cpu -q --bins 30 --rmax half argon.mbf))" ]
    starts share k=1 trajectory=argon.mbf index=argon.mbf.mbi shares=4 analysis=rdf-cpu options='--rmax hlaf' >script
    run bash -ue script
    [ "$status" -eq 2 ] && [[ $output == *"is half meant?"* ]]
}
