# SPDX-License-Identifier: MIT
# Every text that a program reads is cut at each byte, or gets a NUL byte. Either it is refused, or
# the result is the same, so that no data are lost unseen. A cut at the end of a line can only be
# noticed where the file or the trajectory states a count.
# sanitize

load ../helpers

# make_inputs: a trajectory of three waters and two ions, and each text
make_inputs() {
    local k
    for k in 0 1 2 3 4 5; do
        printf '11\nLattice="9 0 0 0 9 0 0 0 9"\n'
        awk -v k=$k 'BEGIN { for (m = 0; m < 3; m++) for (a = 0; a < 3; a++)
            printf "%s %.3f %.3f %.3f\n", a ? "H" : "O", 2 + 2.6 * m + (a == 1) * .76 + k / 50, 3 + (a == 2) * .9 + m * k / 60, 4 + (a > 0) * .58 }'
        printf 'Na 1.000 7.000 %d.000\nCl 7.000 8.000 1.%d00\n' $((k % 3)) $k
    done >w.xyz
    xyz2bin -q --unsorted-ok --dt 1 w.xyz -o w.mbf
    head -n 13 w.xyz >one.xyz
    sed 's/^Lat.*/& Properties=species:S:1:pos:R:3:charge:R:1/; /^[A-Z][a-z]* /s/$/ 0.25/' one.xyz >ext.xyz
    sed 's/^\([A-Z][a-z]*\) \(.*\)/\1 \2 0.5/' one.xyz | sed '2s/.*/i = 5, time = 2.5, E = -17/' >cp2k.xyz
    { printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n11\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id element x y z\n'
        tail -n +3 one.xyz | awk '{ print NR, $0 }'; } >one.dump
    printf '0 1 2\n3 4 5\n6, 7, 8 # the last\n' >mol
    printf 'molecule W O H H # rigid\n mass 15.999 1.008 1.008\n site centre 1.2 1.3 1.4 frame 1-2,3\nmolecule Na Na\n site Na 0.2\nmolecule Cl Cl\n site Cl 3.5\n' >model
    { printf 'water\n   11\n'
        tail -n +3 one.xyz | awk '{ r = NR < 10 ? int((NR + 2) / 3) : NR - 6; printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", r, NR < 10 ? "SOL" : "ION", $1, NR, $2 / 10, $3 / 10, $4 / 10 }'
        echo '   0.9 0.9 0.9'; } >top.gro
    tail -n +3 one.xyz | awk '{ printf "ATOM  %5d %-4s %3s A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n", NR, $1, NR < 10 ? "SOL" : "ION", 1, $2, $3, $4, $1 }
        NR % 3 == 0 || NR > 9 { print "TER" } END { print "END" }' >top.pdb
    awk 'BEGIN { for (k = 0; k < 9; k++) printf "%.2f %.4f %.4f\n", k / 50, sin(k), cos(k / 2) }' >table
    { echo "# t_ps a b"; cat table; } >commented
    { echo "t,a,b"; tr ' ' , <table; } >table.csv
    { printf '# Grace\n@ title "x"\n@ xaxis label "Time (ps)"\n@ s0 legend "a"\n@ s1 legend "b"\n'; cat table; } >table.xvg
    bin2txt <(txt2bin -q --time t_ps commented) >ended
    printf '# q O H Na Cl\n0.1 9 1 11 17.5\n1.5 8.25 0.75 10 15.5\n4 5.5 0.25 7.5 12\n' >factors
    md-cpu -q --atoms 4 --density 0.02 --steps 2 --data start.data -o /dev/null
}

# result COMMAND...: prints its output to `out` as text, and its other files
result() {
    rm -f out side
    "$@" 2>err || return
    bin2txt out 2>/dev/null | grep -v '^## '
    [ ! -e side ] || cat side
}

# The table: a file, whether a cut at the end of a line is noticed ("counted") or not ("free"), and
# a command in which FILE stands for the file.
texts() {
    cat <<'END'
mol       free     msd-cpu -q --unwrapped --lags 3 --molecules FILE w.mbf -o out
mol       free     unwrap -q --molecules FILE w.mbf -o out
mol       free     rdf-cpu -q --bins 9 --exclude FILE w.mbf -o out
mol       free     g4-cpu -q --sigma 3 --lags 3 --exclude FILE w.mbf -o out
mol       free     g4-cpu -q --sigma 3 --lags 3 --within FILE w.mbf -o out
mol       free     beta-gen -q --sigma 3 --between FILE w.mbf -o out
model     free     alpha-cpu -q --model FILE w.mbf -o out
top.gro   counted  traj2bin -q --dt 1 --units metal --topology FILE --molecules side one.dump -o out
top.pdb   counted  traj2bin -q --dt 1 --units metal --topology FILE --molecules side one.dump -o out
one.xyz   counted  xyz2bin -q --dt 1 FILE -o out
ext.xyz   counted  xyz2bin -q --dt 1 FILE -o out
cp2k.xyz  counted  xyz2bin -q --cell 9 --dt 1 FILE -o out
one.dump  counted  traj2bin -q --dt 1 --units metal FILE -o out
table     free     txt2bin -q --dt 1 FILE -o out
commented free     txt2bin -q --time t_ps FILE -o out
table.csv free     txt2bin -q --time t FILE -o out
table.xvg free     txt2bin -q FILE -o out
ended     free     txt2bin -q --time t_ps FILE -o out
factors   free     sq-cpu -q --qmax 3.5 --form-factor FILE w.mbf -o out
start.data counted  md-cpu -q --steps 2 --every 1 --from-data FILE -o out
END
}

@test "texts cut at any byte, or with a byte that is NUL, are refused or give the same result" {
    make_inputs
    local file at_end command size k bad=0 step runs=0 kept=0
    while read -r file at_end command; do
        size=$(stat -c %s "$file")
        cp "$file" FILE
        result $command >want || { echo "$command: $(cat err)"; return 1; }
        [ -s want ] || { echo "$command: no result"; return 1; }
        step=$(whole $((size / 8 + 1)) 1)
        for ((k = RANDOM % step; k < size; k += step)); do
            for how in cut nul; do
                head -c $k "$file" >FILE
                [ $how = cut ] || { printf '\0'; tail -c +$((k + 2)) "$file"; } >>FILE
                # a cut at the end of a line, before or after its newline
                [ $how = nul ] || [ $at_end = counted ] || ! tail -c +$k "$file" | head -c 2 | grep -qz $'\n' || continue
                runs=$((runs + 1))
                rc=0
                result $command >got || rc=$?
                if [ $rc = 0 ]; then
                    kept=$((kept + 1))
                    command cmp -s got want || { echo "$command: $how at byte $k of $file: another result"; bad=1; }
                elif [ $rc != 2 ] || [ "$(grep -c . err)" != 1 ]; then
                    echo "$command: $how at byte $k of $file: $rc, $(cat err)"
                    bad=1
                fi
            done
        done
    done < <(texts)
    [ $bad = 0 ] && [ $runs -gt 200 ] && [ $kept -lt $((runs / 4)) ]
}
