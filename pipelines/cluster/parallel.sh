#!/bin/sh
# SPDX-License-Identifier: MIT
# Shares of a trajectory on several hosts by GNU parallel over ssh:
#   pipelines/cluster/parallel.sh node1,node2,: argon.mbf 48       # hosts as for parallel -S
#   frame-merge shares/*.cf | fft-spectrum -o spectrum.mbf         # refuses while a share is missing or cut
# Another analysis: ANALYSIS=rdf-cpu OPTIONS='--bins 500 --pair O-O' pipelines/cluster/parallel.sh node1,node2,: water.mbf
# The trajectory lies on every host, under this name from where ssh arrives; the shares come home through ssh, so that no disk need
# be common. A share whose host, connection or program dies is made again elsewhere, three times at most; where one fails for good,
# the first of them says why.
# Variables: ANALYSIS (g4-cpu), OPTIONS of it (--lags LAGS), SHARES (16), REMOTE_BIN (folder of the programs there, if not on PATH
# there), PARALLEL_SSH (ssh, with its options).
set -eu
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
hosts=${1:?usage: parallel.sh HOST,HOST,... TRAJECTORY [LAGS]}
n=${SHARES:-16}
case $n in *[!0-9]* | 0*) echo "parallel.sh: SHARES: a number from 1 expected, found '$n'" >&2; exit 2 ;; esac
mkdir -p shares
status=0
# shellcheck disable=SC2086 # OPTIONS are words
seq "$n" | parallel -q --sshlogin "$hosts" --retries 3 --joblog shares/jobs.tsv --results "shares/{}-of-$n.cf" \
    "${REMOTE_BIN:+$REMOTE_BIN/}${ANALYSIS:-g4-cpu}" -t 1 ${OPTIONS---lags ${3:-48}} --shard "{}/$n" -- "${2:?which trajectory?}" \
    >shares/said 2>&1 || status=$?
[ $status -eq 0 ] || for k in $(seq "$n"); do
    awk -v k="$k" 'NR > 1 { ends[$1] = $7 } END { exit !(k in ends) || ends[k] == 0 }' shares/jobs.tsv || continue
    echo "parallel.sh: share $k of $n: $(tail -n 1 "shares/$k-of-$n.cf.err")" >&2
    break
done
exit $status
