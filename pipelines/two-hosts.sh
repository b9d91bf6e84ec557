#!/bin/sh
# SPDX-License-Identifier: MIT
# two-hosts.sh HOST [TRAJECTORY] reads the trajectory on this host, computes on HOST, and prints
# the result on this host. HOST needs the program G4, in the folder REMOTE_BIN or on its PATH. If
# the connection breaks, if HOST prints a login banner or if a program fails on HOST, the script
# exits with an error, and never with an incomplete result.
# Variables, with their defaults in brackets:
#   G4          program to use on HOST (g4-cpu)
#   REMOTE_BIN  folder of the programs on HOST
#   SSH         ssh command with its options (ssh)
#   TMAX        largest time lag, ps (6)
#   BIN         folder of the programs
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
