#!/bin/sh
# SPDX-License-Identifier: MIT
# Shares of a trajectory as a job array of Slurm, which may requeue any of them:
#   sbatch --array=1-16 pipelines/cluster/slurm.sh argon.mbf 48
#   frame-merge shares/*.cf | fft-spectrum -o spectrum.mbf          # refuses while a share is missing
# Where the programs are: PATH. Shares: as many as the array has tasks, or $SHARES.
#SBATCH --requeue
#SBATCH --cpus-per-task=1
set -eu
mkdir -p shares
k=${SLURM_ARRAY_TASK_ID:?to be started by sbatch --array=1-N}
n=${SHARES:-${SLURM_ARRAY_TASK_COUNT:?}}
g4-cpu -t "${SLURM_CPUS_PER_TASK:-1}" --lags "${2:-48}" --shard "$k/$n" "${1:?which trajectory?}" -o "shares/$k-of-$n.cf" --log shares.tsv
