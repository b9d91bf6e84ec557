# SPDX-License-Identifier: MIT
# pipelines/cluster/slurm.sh under a real Slurm: munged, slurmctld and two slurmd on loopback, as
# the current user, with a separate configuration.

load cluster

setup_file() {
    export PATH=$PATH:/usr/sbin
    { command -v munged && command -v slurmctld && command -v slurmd; } >/dev/null || skip "no Slurm (make deps-cluster)"
    { command -v sbatch && command -v scancel && command -v scontrol && command -v sinfo && command -v squeue; } >/dev/null ||
        skip "no Slurm (make deps-cluster)"
    argon_run
    start_slurm
}

teardown_file() { stop_slurm; }

start_slurm() {
    local me n
    me=$(id -un)
    S=$(mktemp -d "${TMPDIR:-/tmp}/mbf-slurm.XXXXXX") # not below the folder of bats: munged wants a way there for everybody
    export S SLURM_CONF=$S/slurm.conf
    chmod 755 "$S"
    mkdir "$S/state" "$S/spool.n1" "$S/spool.n2"
    head -c 128 /dev/urandom >"$S/key"
    chmod 600 "$S/key"
    cat >"$SLURM_CONF" <<CONF
ClusterName=check
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$S/munge,cred_expire=5
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool.%n
SlurmdPidFile=$S/slurmd.%n.pid
SlurmctldPidFile=$S/slurmctld.pid
SlurmctldLogFile=$S/slurmctld.log
SlurmdLogFile=$S/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerNode=100
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdTimeout=5
KillWait=1
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2 RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    (
        exec 3>&-
        set -e
        munged --key-file="$S/key" --socket="$S/munge" --pid-file="$S/munged.pid" --log-file="$S/munged.log" --seed-file="$S/seed"
        slurmctld -c
        for n in n1 n2; do slurmd -N $n; done
    ) >"$S/said" 2>&1 || { cat "$S/said"; return 1; }
    until_true 30 nodes_idle 2 || { tail -n 20 "$S"/*.log; return 1; }
}

stop_slurm() {
    local f p
    [ -d "${S:-}" ] || return 0
    scancel -u "$(id -un)" 2>/dev/null || true
    for f in "$S"/slurmd.*.pid "$S/slurmctld.pid" "$S/munged.pid"; do
        [ -s "$f" ] || continue
        p=$(cat "$f")
        kill "$p" 2>/dev/null || continue
        until_true 10 gone "$p" || kill -9 "$p"
    done
    for p in $(ours); do kill -9 "$p"; done
    rm -rf "$S"
}

# the processes of the jobs of this Slurm
ours() {
    local p
    for p in /proc/[0-9]*; do
        if grep -qzx "SLURM_CONF=$SLURM_CONF" "$p/environ" && grep -qz '^SLURM_JOB_ID=' "$p/environ"; then echo "${p#/proc/}"; fi
    done 2>/dev/null
}

nodes_idle() { [ "$(sinfo -h -N -o '%t' 2>/dev/null | grep -c '^idle$')" -eq "$1" ]; }
over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
# states JOB: the states of its tasks, each once
states() { scontrol -o show job "$1" | sed 's/.*JobState=\([A-Z_]*\).*/\1/' | sort -u | tr '\n' ' '; }

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    ln -s "$RUN/argon.mbf" "$RUN/argon.mbf.mbi" .
}

ended() {
    scontrol show job
    tail -n 30 "$S/slurmctld.log"
    cat slurm-*.out
    return 1
}

@test "a job array with workers killed, a full disk and a lost node: requeued, and the one content" {
    trouble 2 killed 7 named 9 full 11 full 13 killed 5 lost
    job=$(sbatch --parsable --array=1-16 "$ROOT/pipelines/cluster/slurm.sh" argon.mbf 48)
    after=$(sbatch --parsable --dependency="afterok:$job" --wrap 'frame-merge shares/*.cf -o correlation.mbf && fft-spectrum -q correlation.mbf -o spectrum.mbf')
    until_true 60 test -s trouble/5.pid || ended
    fails 2 frame-merge shares/*.cf -o early.mbf # while a share is missing
    [[ $output == *missing*5* ]]
    # the node of part 5 fails: its daemon, the processes that the daemon started, and the worker
    node=$(cat trouble/5.node)
    step=$(parent "$(parent "$(cat trouble/5.pid)")")
    [ "$(cat "/proc/$step/comm")" = slurmstepd ]
    kill -9 "$(cat "$S/slurmd.$node.pid")" "$step"
    for p in $(ours); do
        if grep -qzx "SLURMD_NODENAME=$node" "/proc/$p/environ"; then kill -9 "$p"; fi
    done
    until_true 120 over "$after" || ended
    [ "$(states "$job")" = "COMPLETED " ] && [ "$(states "$after")" = "COMPLETED " ] || ended
    troubled
    same correlation.mbf spectrum.mbf
}

@test "status 2 and 4 are the user's: not requeued, what is wrong is named, and the merge never starts" {
    rm argon.mbf
    cp "$RUN/argon.mbf" .
    printf '\x7f' | dd of=argon.mbf bs=1 seek=$(($(stat -c %s argon.mbf) / 2)) conv=notrunc status=none
    job=$(sbatch --parsable --array=1-4 "$ROOT/pipelines/cluster/slurm.sh" argon.mbf 48)
    after=$(sbatch --parsable --dependency="afterok:$job" --wrap 'frame-merge shares/*.cf -o correlation.mbf')
    until_true 60 over "$job" || ended
    until_true 20 eval '[[ $(squeue -h -o %r -j '"$after"') == DependencyNeverSatisfied ]]' || ended
    scancel "$after"
    [ "$(states "$job")" = "COMPLETED FAILED " ] || ended
    scontrol -o show job "$job" >jobs
    [ "$(grep -c 'ExitCode=2:0' jobs)" -ge 1 ] && ! grep -qE 'Restarts=[^0]|ExitCode=[^02]:' jobs || ended
    grep -q 'g4-cpu: argon.mbf: CORRUPT at offset' slurm-"$job"_*.out || ended
    [ ! -e correlation.mbf ]
    # less memory than the job needs
    ln -sf "$RUN/argon.mbf" .
    job=$(sbatch --parsable --array=1-2 --mem=1M "$ROOT/pipelines/cluster/slurm.sh" argon.mbf 48)
    until_true 60 over "$job" || ended
    scontrol -o show job "$job" >jobs
    [ "$(grep -c 'ExitCode=4:0' jobs)" -eq 2 ] && ! grep -q 'Restarts=[^0]' jobs || ended
    grep -q 'of memory is needed for .*, but the limit is 1 MiB (use a larger --max-mem' slurm-"$job"_*.out || ended
}
