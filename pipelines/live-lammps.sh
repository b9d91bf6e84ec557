#!/bin/bash
# SPDX-License-Identifier: MIT
# live-lammps.sh [INPUT] computes g(r) from the dump of LAMMPS during the run, without storing a
# trajectory. INPUT is a LAMMPS input that writes a dump to the file ${dump}, such as `dump 1 all
# custom 10 ${dump} id type x y z`. It must also contain `dump_modify 1 flush yes units yes time
# yes`, so that the dump states its units and times. The default is 500 atoms of liquid argon. If
# LAMMPS fails or never starts, the script exits with an error and leaves no result.
# Variables, with their defaults in brackets:
#   LMP  LAMMPS program (lmp)
#   OUT  folder for the results (.)
#   BIN  folder of the programs
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/results.sh"
begin
work=$(mktemp -d)
run=
trap '[ -z "$run" ] || kill -- -$run 2>/dev/null || :; rm -rf -- "$work" "$out"' EXIT # LAMMPS may wait for a reader that has failed
mkfifo "$work/dump"

cat >"$work/argon.in" <<'END'
units real
atom_style atomic
lattice fcc 5.72
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 39.948
velocity all create 240 4711
pair_style lj/cut 10.0
pair_coeff 1 1 0.2385 3.4
timestep 5.0
fix 1 all nvt temp 120 120 500
run 400
dump 1 all custom 20 ${dump} id type x y z
dump_modify 1 flush yes units yes time yes
run 1000
END

set -m # runs LAMMPS in its own process group
# Opening the pipe again after LAMMPS wakes a reader if LAMMPS never opened the pipe.
{
    status=0
    ${LMP:-lmp} -var dump "$work/dump" -in "${1:-$work/argon.in}" -log none -screen none >&2 || status=$?
    : <>"$work/dump"
    exit $status
} </dev/null &
run=$!
set +m

traj2bin --species 1=Ar "$work/dump" | rdf-cpu | bin2txt -o "$out/gr.txt"
wait $run
run=
awk '!/^#/ && $3 > best { best = $3; r = $1 } END { printf "g(r) has its maximum, %.2f, at %.2f A\n", best, r }' "$out/gr.txt"
publish
