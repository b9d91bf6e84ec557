# SPDX-License-Identifier: MIT
# pipelines/cluster/parallel.sh: GNU parallel over ssh to three sshd on loopback, as the current
# user, each with separate keys.

load cluster

setup_file() {
    command -v parallel >/dev/null || skip "no parallel (make deps-cluster)"
    command -v ssh >/dev/null || skip "no ssh"
    PATH=$PATH:/usr/sbin command -v sshd >/dev/null || skip "no sshd"
    argon_run
}

HOSTS="one two three"

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export PARALLEL_HOME=$PWD/parallel REMOTE_BIN=$PWD/bin
    mkdir parallel
}

# three hosts, whose programs fail as this test requires
start_hosts() {
    local h
    for h in $HOSTS; do
        mkdir $h
        sshd_in "$PWD/$h" "TROUBLE=$TROUBLE" "REAL=$REAL" "HOST=$h"
        cat $h/ssh_config >>ssh_config
    done
    export PARALLEL_SSH="ssh -F $PWD/ssh_config"
}

teardown() {
    local h
    for h in $HOSTS; do
        [ ! -s $h/sshd.pid ] || kill "$(cat $h/sshd.pid)" 2>/dev/null || true
    done
}

shares() { "$ROOT/pipelines/cluster/parallel.sh" one,two,three "$RUN/argon.mbf" 48 2>said; }

@test "the line of mbf(7) for one host" {
    command -v parallel >/dev/null || skip "no GNU parallel"
    cp "$RUN/argon.mbf" a.mbf
    line=$(sed -n 's/^\.Dl \(seq 16 | parallel .*\)/\1/p' "$ROOT/man/mbf.7")
    [ -n "$line" ]
    bash -euo pipefail -c "$line"
    frame-merge ./*.cf -o correlation.mbf
    same correlation.mbf
}

@test "shares over ssh to three hosts, workers killed, a disk full, a host lost: made again elsewhere, and the one content" {
    trouble 2 killed 9 full 5 lost
    start_hosts
    shares 3>&- &
    until_true 60 test -s trouble/5.pid
    # the host of part 5 fails: its sshd, and all processes from sshd to the worker
    host=$(cat trouble/5.node)
    p=$(cat trouble/5.pid)
    until [ "$p" = "$(cat "$host/sshd.pid")" ] || [ "${p:-0}" -le 1 ]; do
        echo "$p"
        p=$(parent "$p")
    done >fall
    # shellcheck disable=SC2046
    kill -9 "$(cat "$host/sshd.pid")" $(cat fall)
    wait $! || { cat said shares/jobs.tsv; false; }
    troubled
    frame-merge $(shuf -e shares/*.cf) -o correlation.mbf
    fft-spectrum -q correlation.mbf -o spectrum.mbf
    same correlation.mbf spectrum.mbf
}

@test "a share that is cut on its way home is refused by name; made again, it is the one content" {
    trouble 7 cut
    start_hosts
    shares
    troubled
    fails 2 frame-merge shares/*.cf -o correlation.mbf
    [[ $output == *shares/7-of-16.cf:*TRUNCATED* ]] || { echo "$output"; false; }
    [ ! -e correlation.mbf ]
    shares
    frame-merge shares/*.cf -o correlation.mbf
    same correlation.mbf
}

@test "no host answers: an error, and no share" {
    trouble
    start_hosts
    for h in $HOSTS; do kill "$(cat $h/sshd.pid)"; done
    fails 16 shares # of them failed
    fails 2 frame-merge shares/*.cf -o correlation.mbf
    [[ $output == *shares/1-of-16.cf:* ]] || { echo "$output"; false; }
}
