#!/bin/sh
# SPDX-License-Identifier: MIT
# lammps-yaml.sh [FILE] converts a LAMMPS dump of style yaml (default: standard input) to a text
# dump, which traj2bin reads:
#   lammps-yaml.sh dump.yaml | traj2bin --units real -o run.mbf
# If the file is truncated or contains anything else, the exit status is 2.
set -eu
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
name=stdin
[ $# -eq 0 ] || [ "$1" = - ] || { name=$1 && exec <"$1"; }
export name # awk treats a name that contains = as a variable
exec awk '
function bad(expected) {
    printf "lammps-yaml.sh: %s: line %d: expected %s, found \"%.60s\"\n", ENVIRON["name"], FNR, expected, $0 >"/dev/stderr"
    exit status = 2
}
function list(part) { # returns the text between the brackets, without commas
    if ($0 !~ /\[.*\][ \r]*$/)
        bad(part)
    sub(/^[^[]*\[/, "")
    sub(/\][ \r]*$/, "")
    gsub(/,/, " ")
    gsub(/ +/, " ")
    sub(/^ /, "")
}
{ sub(/\r$/, "") }
/^---/ {
    if (open) bad("the end of a frame (...)")
    open = 1; edges = rows = ready = 0; units = time = step = atoms = sides = part = ""
    next
}
!open && /^ *$/ { next }
!open { bad("a frame of a LAMMPS dump of style yaml (---)") }
/^\.\.\./ {
    if (part != "data" || rows != atoms) bad(atoms " rows of atoms before the end of the frame")
    open = 0
    next
}
/^creator: LAMMPS/ { next }
/^timestep: / { step = $2; next }
/^units: / { units = $2; next }
/^time: / { time = $2; next }
/^natoms: / { atoms = $2; next }
/^boundary: / { list("boundaries"); gsub(/ /, ""); sides = substr($0, 1, 2) " " substr($0, 3, 2) " " substr($0, 5, 2); next }
/^(box|thermo|data):/ { part = $1; sub(/:.*/, "", part); next }
/^keywords: / {
    list("keywords")
    if (step == "" || atoms == "" || edges < 3) bad("timestep, natoms and box before the keywords")
    if (units != "") print "ITEM: UNITS\n" units
    if (time != "") print "ITEM: TIME\n" time
    print "ITEM: TIMESTEP\n" step "\nITEM: NUMBER OF ATOMS\n" atoms "\nITEM: BOX BOUNDS " (edges > 3 ? "xy xz yz " : "") sides
    split(box[4], tilts, " ")
    for (k = 1; k <= 3; k++) print box[k] (edges > 3 ? tilts[k] : "")
    print "ITEM: ATOMS " $0
    ready = 1
    next
}
part == "data" && !ready { bad("keywords before the data") }
/^  - / {
    if (part == "thermo") next
    list("a list in brackets")
    if (part == "box") box[++edges] = $0
    else if (part == "data") { print; rows++ }
    else bad("box or data before a list")
    next
}
{ bad("a line of a LAMMPS dump of style yaml") }
END {
    if (status) exit status
    if (open || NR == 0) { $0 = ""; bad("the end of a frame (...)") }
}'
