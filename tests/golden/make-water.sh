#!/bin/sh
# SPDX-License-Identifier: MIT
# make-water.sh: rebuild ../data/water64.mbf with LAMMPS (lmp, or LMP; MOLECULE, KSPACE, RIGID,
# EXTRA-FIX) and traj2bin (BIN, or PATH): 60 ps of 64 SPC/E molecules, of which the last 14 ps are
# kept. Another build of LAMMPS gives another trajectory of the same liquid.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=${BIN:-$here/../../build/bin}:$PATH
dir=$(mktemp -d)
cp "$here/lammps-water64.in" "$here/water.mol" "$dir"
(cd "$dir" && "${LMP:-lmp}" -var steps 60000 -in lammps-water64.in >log)
awk '/ITEM: TIMESTEP/ { k++ } k > 4600' "$dir/water64.dump" >"$dir/last.dump"
traj2bin -z --units real --timestep 0.001 --velocities "$dir/last.dump" -o "$here/../data/water64.mbf"
rm -r "$dir"
