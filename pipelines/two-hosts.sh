#!/bin/sh
# SPDX-License-Identifier: MIT
# two-hosts.sh HOST [TRAJECTORY] reads the trajectory on this host, computes on HOST, and prints the
# result on this host. HOST needs the program G4 (default: g4-cpu), in the folder REMOTE_BIN or on
# its PATH. A broken connection, a login banner or a program that fails on HOST ends in an error,
# never in an incomplete result. Variables: SSH the ssh command with its options (ssh), TMAX ps (6),
# BIN folder of programs.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
host=${1:?usage: two-hosts.sh HOST [TRAJECTORY]}
input=${2:-$here/../tests/data/argon256.xyz.gz}
far=${REMOTE_BIN:+$REMOTE_BIN/}${G4:-g4-cpu}

case $host in -*) echo "two-hosts.sh: expected a host, found $host" >&2; exit 2 ;; esac
quoted() { printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; } # one word for the shell on HOST

# shellcheck disable=SC2086,SC2029
xyz2bin -z -- "$input" | ${SSH:-ssh} "$host" "$(quoted "$far") --tmax $(quoted "${TMAX:-6}")" | bin2txt
