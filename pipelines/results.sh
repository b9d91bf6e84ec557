#!/bin/sh
# SPDX-License-Identifier: MIT
# results.sh: what the other scripts here share. A script sets here, its own folder, and reads this file.
#   begin            makes the folder OUT (.) and in it the folder $out, where the script makes its files; $older: names of results of
#                    an older run that disappear if this run does not make them.
#   publish          moves all files of $out to $final, which is OUT. A script that fails or is killed before has no results.
#   draw NAME [ARGUMENT...]  makes a plot by NAME.gp in $out. It fails if gnuplot does, and says so if there is no gnuplot.
#   number NAME VALUE...     refuses a VALUE of the variable NAME that is no whole number: $((...)) may run commands in others.
# A shell does not see the status of a stage in front of another one. A program of mbf does, since its input has no END then. So a
# stage in front of awk, sed or tee writes a file instead.
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
PATH=${BIN:-$here/../build/bin}:$PATH
export PATH

begin() {
    final=${OUT:-.}
    case $final in *%*) echo "${0##*/}: OUT: expected a folder without %, which programs replace in the names of results, found $final" >&2; exit 2 ;; esac
    case ${FORMAT:-png} in png | svg | pdf) ;; *) echo "${0##*/}: FORMAT: expected png, svg or pdf, found '$FORMAT'" >&2; exit 2 ;; esac
    mkdir -p -- "$final"
    final=$(CDPATH='' cd -- "$final" && pwd)
    out=$(mktemp -d -- "$final/.${0##*/}.XXXXXX")
    trap 'rm -rf -- "$out"' EXIT
    trap 'exit 1' HUP INT TERM
}

publish() {
    for name in ${older:-}; do [ -e "$out/$name" ] || rm -f -- "$final/$name"; done
    mv -- "$out"/* "$final"
}

draw() {
    plot=$1
    shift
    command -v gnuplot >/dev/null || { echo "no gnuplot: no plot"; return 0; }
    (cd -- "$out" && LC_ALL=C.UTF-8 gnuplot -c "$here/$plot.gp" "$here" "${FORMAT:-png}" "$@")
}

number() {
    variable=$1
    shift
    for value; do
        case $value in
        '' | *[!0-9]*) echo "${0##*/}: $variable: expected a whole number, found '$value'" >&2; exit 2 ;;
        esac
    done
}
