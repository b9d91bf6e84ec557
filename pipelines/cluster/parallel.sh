#!/bin/sh
# SPDX-License-Identifier: MIT
# Analyses the parts of a trajectory on several hosts, with GNU parallel over ssh. The hosts are
# given as for parallel -S. The second command refuses a missing or truncated part:
#   pipelines/cluster/parallel.sh node1,node2,: argon.mbf 48
#   frame-merge shares/*.cf | fft-spectrum -o spectrum.mbf
# Another analysis:
#   ANALYSIS=rdf-cpu OPTIONS='--bins 500 --pair O-O' pipelines/cluster/parallel.sh node1 water.mbf
# The trajectory must be on every host, under this name relative to the login folder. Results
# return through ssh, so no shared file system is needed. If a host, a connection or a program
# fails, the part is computed again on another host, at most three times. If a part fails every
# time, the message of the first such part is printed.
# Variables, with their defaults in brackets:
#   ANALYSIS      program to use (g4-cpu)
#   OPTIONS       options of this program (--lags LAGS)
#   SHARES        number of parts (16)
#   REMOTE_BIN    folder of the programs on the hosts (PATH)
#   PARALLEL_SSH  ssh command with its options (ssh)
set -eu
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
hosts=${1:?usage: parallel.sh HOST,HOST,... TRAJECTORY [LAGS]}
n=${SHARES:-16}
case $n in *[!0-9]* | 0*) echo "parallel.sh: SHARES: expected a number from 1, found '$n'" >&2; exit 2 ;; esac
mkdir -p shares
status=0
# shellcheck disable=SC2086 # OPTIONS are words
seq "$n" | parallel -q --sshlogin "$hosts" --retries 3 --joblog shares/jobs.tsv --results "shares/{}-of-$n.cf" \
    "${REMOTE_BIN:+$REMOTE_BIN/}${ANALYSIS:-g4-cpu}" -t 1 ${OPTIONS---lags ${3:-48}} --shard "{}/$n" -- "${2:?expected a trajectory}" \
    >shares/said 2>&1 || status=$?
[ $status -eq 0 ] || for k in $(seq "$n"); do
    awk -v k="$k" 'NR > 1 { ends[$1] = $7 } END { exit !(k in ends) || ends[k] == 0 }' shares/jobs.tsv || continue
    echo "parallel.sh: part $k of $n: $(tail -n 1 "shares/$k-of-$n.cf.err")" >&2
    break
done
exit $status
