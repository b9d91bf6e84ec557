#!/bin/sh
# SPDX-License-Identifier: MIT
# Shares of a trajectory as a job array of Slurm, and what becomes of them when all are there:
#   job=$(sbatch --parsable --array=1-16 pipelines/cluster/slurm.sh argon.mbf 48)
#   sbatch --dependency=afterok:$job --wrap 'frame-merge shares/*.cf -o correlation.mbf && fft-spectrum correlation.mbf -o spectrum.mbf'
# Where the programs are: PATH. Shares: as many as the array has tasks, or $SHARES.
# Whoever must act is told by the status of a share: 2 (the input, the options) and 4 (--mem of sbatch) by the user; anything else
# is the machine's, and the share goes back into the queue, three times at most. A node that is lost sends its shares back, too.
#SBATCH --requeue
#SBATCH --cpus-per-task=1
set -eu
mkdir -p shares
k=${SLURM_ARRAY_TASK_ID:?to be started by sbatch --array=1-N}
n=${SHARES:-${SLURM_ARRAY_TASK_COUNT:?}}
status=0
g4-cpu -t "${SLURM_CPUS_PER_TASK:-1}" ${SLURM_MEM_PER_NODE:+--max-mem "${SLURM_MEM_PER_NODE}M"} --lags "${2:-48}" --shard "$k/$n" \
    "${1:?which trajectory?}" -o "shares/$k-of-$n.cf" --log shares.tsv || status=$?
case $status in
0 | 2 | 4) exit $status ;;
esac
echo "share $k of $n: status $status" >&2
[ "${SLURM_RESTART_COUNT:-0}" -ge 3 ] || scontrol requeue "${SLURM_ARRAY_JOB_ID:?}_$k"
exit $status
