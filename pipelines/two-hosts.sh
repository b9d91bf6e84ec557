#!/bin/sh
# SPDX-License-Identifier: MIT
# two-hosts.sh HOST [TRAJECTORY]: read the trajectory here, compute there, see the result here.
# The far side needs the program (G4, default g4-cpu; REMOTE_BIN: the folder it is in, if not on PATH there).
# A broken connection, a login banner or a program that dies there ends in an error here, never in a short result.
# Variables: SSH (ssh, with its options), TMAX (6), BIN.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
host=${1:?usage: two-hosts.sh HOST [TRAJECTORY]}
input=${2:-$here/../tests/data/argon256.xyz.gz}
far=${REMOTE_BIN:+$REMOTE_BIN/}${G4:-g4-cpu}

case $host in -*) echo "two-hosts.sh: $host: a host expected" >&2; exit 2 ;; esac
quoted() { printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; } # a word for the shell over there

# shellcheck disable=SC2086,SC2029
xyz2bin -z -- "$input" | ${SSH:-ssh} "$host" "$(quoted "$far") --tmax $(quoted "${TMAX:-6}")" | bin2txt
