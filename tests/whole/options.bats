# SPDX-License-Identifier: MIT
# What the options of a run were is in its META, so that sums and steps of different options are never taken for those of one run.

load ../helpers

@test "two values of any option of any program that give another content give another META, and are not merged or joined" {
    awk 'BEGIN { for (i = 0; i < 30; i += 3) print i, i + 1, i + 2 }' >three
    awk 'BEGIN { for (i = 0; i < 30; i += 6) print i, i + 1, i + 4 "\n" i + 3, i + 2, i + 5 }' >mixed # as many, of the same atoms
    awk 'BEGIN { for (i = 0; i < 30; i += 3) print i, i + 2, i + 1 }' >turned-round
    awk 'BEGIN { print "q O H"; for (q = 0; q < 9; q++) print q, 1, 2 }' >factors
    awk 'BEGIN { print "q H O"; for (q = 0; q < 9; q++) print q, 1, 2 }' >others
    printf '%s\n' 'molecule W O H H' 'site O 1 1 2 frame 1-2,3' >model
    printf '%s\n' 'molecule W O H H' 'site O 1 1 2 frame 1-3,2' >turned
    frame-cut 0:60 "$DATA/water64.mbf" -o in # 64 molecules; ten of them
    frame-cut --atoms 0:30 0:40 "$DATA/water64.mbf" -o few
    frame-cut 0:2 few | bin2xyz -o in.xyz
    uniform='function c() { return sin(9e4 * sin(NR + k++)) } { print c(), c(), c(), c(), c(), c(), c(), c() }'
    for k in "" .2; do
        (echo a b xx xy xz yy yz zz && seq 300 | awk -v k="5$k" "$uniform") >table$k
        (echo pxx pyy pzz pxy pxz pyz a b && seq 300 | awk -v k="7$k" "$uniform") >fluxes.txt
        txt2bin -q --dt 0.01 table$k -o series$k
        txt2bin -q --dt 0.01 fluxes.txt -o fluxes$k
    done
    vacf-cpu -q --lags 20 in -o corr
    rdf-cpu -q in -o hist
    frame-cut --species H few | g4-cpu -q --sigma 1 --component all --lags 20 -o h.corr
    py whole/options "$BIN"
}
