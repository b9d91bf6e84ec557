#!/bin/sh
# SPDX-License-Identifier: MIT
# Shares of a trajectory as a job array of Slurm, and what becomes of them when all are there:
#   job=$(sbatch --parsable --array=1-16 pipelines/cluster/slurm.sh argon.mbf 48)
#   sbatch --dependency=afterok:$job --wrap 'frame-merge shares/*.cf -o correlation.mbf && fft-spectrum correlation.mbf -o spectrum.mbf'
# Another analysis: sbatch --export=ALL,ANALYSIS=rdf-cpu,OPTIONS='--bins 500 --pair O-O' --array=1-16 pipelines/cluster/slurm.sh water.mbf
# Where the programs are: PATH. Variables: ANALYSIS (g4-cpu), OPTIONS of it (--lags LAGS), SHARES (as many as the array has tasks).
# Whoever must act is told by the status of a share: 2 (the input, the options) and 4 (--mem of sbatch) by the user: the first of these
# says why in shares/error; anything else is the machine's, and the share goes back into the queue, three times at most. A node that
# is lost sends its shares back, too.
#SBATCH --requeue
#SBATCH --cpus-per-task=1
set -eu
mkdir -p shares
k=${SLURM_ARRAY_TASK_ID:?to be started by sbatch --array=1-N}
n=${SHARES:-${SLURM_ARRAY_TASK_COUNT:?}}
status=0
# shellcheck disable=SC2086 # OPTIONS are words
"${ANALYSIS:-g4-cpu}" -t "${SLURM_CPUS_PER_TASK:-1}" ${SLURM_MEM_PER_NODE:+--max-mem "${SLURM_MEM_PER_NODE}M"} ${OPTIONS---lags ${2:-48}} \
    --shard "$k/$n" "${1:?which trajectory?}" -o "shares/$k-of-$n.cf" --log shares.tsv 2>"shares/$k-of-$n.err" || status=$?
cat "shares/$k-of-$n.err" >&2
case $status in
0)
    rm -f "shares/$k-of-$n.err"
    exit 0
    ;;
2 | 4)
    ln "shares/$k-of-$n.err" shares/error 2>/dev/null || : # of several, one comes first
    exit $status
    ;;
esac
echo "share $k of $n: status $status" >&2
[ "${SLURM_RESTART_COUNT:-0}" -ge 3 ] || scontrol requeue "${SLURM_ARRAY_JOB_ID:?}_$k"
exit $status
