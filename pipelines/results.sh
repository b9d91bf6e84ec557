#!/bin/sh
# SPDX-License-Identifier: MIT
# results.sh contains the functions that the other scripts share. A script sets $here to its own
# folder and reads this file.
#   begin            creates the folder OUT (.), and in OUT the folder $out for the files of the
#                    script. $older lists the results of an older run, which are removed if this
#                    run does not create them.
#   absolute FILE    sets $file to the absolute path of a file, for programs that run in $out, so
#                    that the stream does not record the name of this folder.
#   operands DEFAULT NAME [FILE [OTHER]]
#                    sets $trajectory to FILE or DEFAULT, sets $other to OTHER or to NAME in $out,
#                    and changes to $out.
#   publish          moves all files of $out to $final, the folder OUT. A script that fails or is
#                    killed earlier leaves no results.
#   largest FILE     prints the largest value of an absorption spectrum, a table of bin2txt.
#   draw NAME [ARGUMENT...]
#                    draws a plot with NAME.gp in $out. It fails if gnuplot fails, and prints a
#                    message if gnuplot is missing.
#   picture NAME FILE...
#                    plots streams with plot.sh as NAME in $out, in the same way.
#   number NAME VALUE...
#                    refuses a VALUE of the variable NAME that is not a whole number, because
#                    $((...)) can run commands.
# A shell does not see the exit status of a stage whose output another stage reads. A program of
# mbf recognises the failure of the stage before it, because its input has no END. A stage whose
# output is read by awk, sed or tee therefore writes a file instead.
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
case ${BIN:-} in '' | /*) ;; *) BIN=$PWD/$BIN ;; esac
PATH=${BIN:-$here/../build/bin}:$PATH
export PATH

begin() {
    final=${OUT:-.}
    case $final in *%*) echo "${0##*/}: OUT: expected a folder without %, which programs replace in output names, found $final" >&2; exit 2 ;; esac
    case ${FORMAT:-png} in png | svg | pdf) ;; *) echo "${0##*/}: FORMAT: expected png, svg or pdf, found '$FORMAT'" >&2; exit 2 ;; esac
    mkdir -p -- "$final"
    final=$(CDPATH='' cd -- "$final" && pwd)
    out=$(mktemp -d -- "$final/.${0##*/}.XXXXXX")
    trap 'rm -rf -- "$out"' EXIT
    trap 'exit 1' HUP INT TERM
}

absolute() {
    # shellcheck disable=SC2034 # the script reads it
    case $1 in /* | -) file=$1 ;; *) file=$PWD/$1 ;; esac
}

operands() {
    absolute "${3:-$1}"
    # shellcheck disable=SC2034 # the script reads them
    trajectory=$file other=$2
    # shellcheck disable=SC2034
    [ $# -lt 4 ] || { absolute "$4" && other=$file; }
    cd -- "$out" || exit
}

publish() {
    for name in ${older:-}; do [ -e "$out/$name" ] || rm -f -- "$final/$name"; done
    mv -- "$out"/* "$final"
}

largest() {
    awk '/^# nu/ { for (i = 4; i <= NF; i++) if ($i == ($3 "_se")) e = i - 1 }
        !/^#/ && $2 > best { best = $2; nu = $1; se = e ? $e : "" }
        END { printf "largest alpha n: %.3g%s /cm at %.3g /cm\n", best, (se ~ /^[0-9.]/ ? sprintf(" +- %.2g", se) : " (error not known)"), nu }' "$1"
}

draw() {
    plot=$1
    shift
    command -v gnuplot >/dev/null || { echo "no plot: gnuplot is not installed"; return 0; }
    (cd -- "$out" && LC_ALL=C.UTF-8 gnuplot -c "$here/$plot.gp" "$here" "${FORMAT:-png}" "$@")
}

picture() {
    plot=$1
    shift
    command -v gnuplot >/dev/null || { echo "no plot: gnuplot is not installed"; return 0; }
    NAMES=${NAMES:-} LOG='' XRANGE='' YRANGE='' PANELS='' TITLE='' "$here/plot.sh" -o "$out/$plot.${FORMAT:-png}" -- "$@" >/dev/null
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
