# SPDX-License-Identifier: MIT
# figure.gp: settings of all plots, loaded by the other .gp files. o: folder of the tables, with a
# slash; fmt: png, svg or pdf. terminal(name, w, h) starts a picture of w x h pixels in o.
# col(file, name) returns the number of a column from the legend "# name name ...". If the column is
# absent, gnuplot fails, except for a column of errors (_se), for which col returns 0. se(k) returns
# the value in column k, or 0 if k is 0, for errors of short runs.
if (fmt ne "png" && fmt ne "svg" && fmt ne "pdf") { exit error "FORMAT: expected png, svg or pdf" }
begin = "set encoding utf8; ".(fmt eq "svg" ? "set terminal svg size %.0f,%.0f font 'sans-serif,13' linewidth 1.2" : \
    fmt eq "pdf" ? "set terminal pdfcairo size %.2fin,%.2fin font 'sans,10'" : "set terminal pngcairo size %.0f,%.0f font 'sans,11'")
terminal(name, w, h) = sprintf(begin, fmt eq "pdf" ? w / 100.0 : w, fmt eq "pdf" ? h / 100.0 : h)."; set output '".o.name.".".fmt."'"
col(file, name) = int(system("awk 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == \"".name."\") { print i - 1; exit } print \"".name."\" ~ /_se$/ ? 0 : \"no column ".name."\" }' '".file."'"))
se(k) = k > 0 ? column(k) : 0
there(file) = int(system("test -s '".file."' && grep -vc '^#' '".file."' || echo 0")) > 0
set linetype 1 lc rgb "#0072B2" lw 2; set linetype 2 lc rgb "#D55E00" lw 2; set linetype 3 lc rgb "#009E73" lw 2
set linetype 4 lc rgb "#000000" lw 2; set linetype 5 lc rgb "#CC79A7" lw 2; set linetype 6 lc rgb "#999999" lw 2
set style fill transparent solid 0.25 noborder
set grid lc rgb "#cccccc" lw 0.5
set datafile missing "-"
