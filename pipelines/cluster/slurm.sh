#!/bin/sh
# SPDX-License-Identifier: MIT
# Analyses the parts of a trajectory as a job array of Slurm. The second command merges the results
# of all parts:
#   job=$(sbatch --parsable --array=1-16 pipelines/cluster/slurm.sh argon.mbf 48)
#   sbatch --dependency=afterok:$job --wrap 'frame-merge shares/*.cf -o correlation.mbf &&
#   fft-spectrum correlation.mbf -o spectrum.mbf'
# Another analysis:
#   sbatch --export=ALL,ANALYSIS=rdf-cpu,OPTIONS='--bins 500 --pair O-O' --array=1-16 \
#   pipelines/cluster/slurm.sh water.mbf
# The programs must be on PATH. If a part fails with status 2 (input or options) or 4 (more --mem
# of sbatch needed), the first message is stored in shares/error. After any other status, the part
# is queued again, at most three times. The parts of a lost node are also queued again.
# Variables, with their defaults in brackets:
#   ANALYSIS  program to use (g4-cpu)
#   OPTIONS   options of this program (--lags LAGS)
#   SHARES    number of parts (number of array tasks)
#SBATCH --requeue
#SBATCH --cpus-per-task=1
set -eu
mkdir -p shares
k=${SLURM_ARRAY_TASK_ID:?expected a job array (sbatch --array=1-N)}
n=${SHARES:-${SLURM_ARRAY_TASK_COUNT:?}}
status=0
# shellcheck disable=SC2086 # OPTIONS are words
"${ANALYSIS:-g4-cpu}" -t "${SLURM_CPUS_PER_TASK:-1}" ${SLURM_MEM_PER_NODE:+--max-mem "${SLURM_MEM_PER_NODE}M"} ${OPTIONS---lags ${2:-48}} \
    --shard "$k/$n" "${1:?expected a trajectory}" -o "shares/$k-of-$n.cf" --log shares.tsv 2>"shares/$k-of-$n.err" || status=$?
cat "shares/$k-of-$n.err" >&2
case $status in
0)
    rm -f "shares/$k-of-$n.err"
    exit 0
    ;;
2 | 4)
    ln "shares/$k-of-$n.err" shares/error 2>/dev/null || : # only the first of several messages is kept
    exit $status
    ;;
esac
echo "part $k of $n: status $status" >&2
[ "${SLURM_RESTART_COUNT:-0}" -ge 3 ] || scontrol requeue "${SLURM_ARRAY_JOB_ID:?}_$k"
exit $status
