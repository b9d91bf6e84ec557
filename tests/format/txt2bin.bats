# SPDX-License-Identifier: MIT
# sanitize
# txt2bin: columns of text to a time series.
# writes: txt2bin TABLE --dt 1

load ../helpers

# columns FILE OPTION...: prints the values of the output, without axis and legend.
columns() {
    txt2bin "$@" -o out.mbf && bin2txt out.mbf | grep -v '^#' | cut -d' ' -f3-
}

@test "names from a legend, from LAMMPS, from CSV, from xvg, or by number" {
    printf '# step t_ps pxy pxz\n## origin 0\n1 0.5 3 4\n2 1 5 6.25\n' >ours.txt
    [ "$(columns ours.txt)" = $'3 4\n5 6.25' ]
    [ "$(columns ours.txt --columns pxz,pxy)" = $'4 3\n6.25 5' ]
    [ "$(columns ours.txt --columns 4)" = $'4\n6.25' ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.5$'
    frame-check -v out.mbf | grep -E 'data.columns +pxz$'
    printf '# Time-averaged data for fix ave/time\n# TimeStep v_pxy v_T\n0 1 2\n10 3 4\n' >lammps.txt
    [ "$(columns lammps.txt --dt 0.05)" = $'1 2\n3 4' ]
    frame-check -v out.mbf | grep -E 'data.columns +v_pxy v_T$'
    printf '"a b", c\r\n1.5,-2\r\n+3e0,4.D-1\r\n' >t.csv
    [ "$(columns t.csv --dt 1)" = $'1.5 -2\n3 0.4' ]
    frame-check -v out.mbf | grep -E 'data.columns +a_b c$'
    printf '@ xaxis label "Time (ps)"\n@ s0 legend "Pres-XY"\n@ s1 legend "Total Energy"\n0 1 2\n2 3 4\n' >t.xvg
    [ "$(columns t.xvg --time time)" = $'1 2\n3 4' ]
    frame-check -v out.mbf | grep -E 'data.columns +Pres-XY Total_Energy$'
    frame-check -v out.mbf | grep -E 'sys.dt_ps +2$'
    printf '@ title "x"\n@ s0 line width 2\n@ s0 legend "a"\n## end\n## ends here\n0 1\n2 3\n' >odd.xvg # what names nothing is passed over
    [ "$(columns odd.xvg --dt 1 --columns a)" = $'1\n3' ]
    # legends beyond the last column, also of numbers that are 0 or 1 in 32 bits, name nothing
    printf '@ s0 legend "a"\n@ s1 legend "b"\n@ s4294967296 legend "far"\n@ s4294967297 legend "far"\n@ s4094 legend "far"\n@ s4095 legend "far"\n@ s legend "far"\n0 1 2\n1 3 4\n' >far.xvg
    txt2bin --time 1 far.xvg -o far.mbf
    [ "$(bin2txt --meta far.mbf | sed -n 's/^data.columns\t//p')" = "a b" ]
    printf '1\t2\n\n3\t4\n' >bare.txt
    [ "$(columns bare.txt --dt 1)" = $'1 2\n3 4' ]
    frame-check -v out.mbf | grep -E 'data.columns +c1 c2$'
}

@test "the table of md-cpu --units lj has its time in t; that of a stranger is not guessed" {
    md-cpu -q --units lj --atoms 108 --density 0.8 --steps 40 --every 10 --thermo lj.txt -o lj.mbf
    [ "$(columns lj.txt | awk '{ print NF; exit }')" -eq 9 ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.05$'
    [ "$(columns lj.txt --columns p)" = "$(awk '!/^#/ { print $7 }' lj.txt)" ]
    printf '# step t T\n0 0 1\n1 2 3\n' >other.txt
    fails 2 txt2bin other.txt
    [[ $output == *"expected the time between rows, found none"* ]]
}

@test "the table of md-cpu has the units that its names state, also of energies and the momentum" {
    md-cpu -q --atoms 108 --density 0.02 --temperature 90 --cutoff 7 --steps 40 --every 10 --thermo real.txt -o real.mbf
    txt2bin real.txt -o real.mbf
    [ "$(bin2txt --meta real.mbf | sed -n 's/^data.columns\t//p')" = "T_K U_meV K_meV E_meV p_bar W_meV E_shifted_meV momentum_u_A_ps pairs" ]
    [ "$(bin2txt --meta real.mbf | sed -n 's/^data.units\t//p')" = "K meV meV meV bar meV meV u*A/ps -" ]
    printf '# step t_ps Ekin_eV q_MeV\n0 0 1 2\n1 1 2 3\n' | txt2bin -o other.mbf
    [ "$(bin2txt --meta other.mbf | sed -n 's/^data.units\t//p')" = "eV -" ]
}

@test "pipes, gzip and large tables: the same content" {
    seq 1 300000 | awk '{ print $1 / 8, $1 % 7 }' >big.txt
    txt2bin --dt 0.01 big.txt -o a.mbf
    txt2bin --dt 0.01 <big.txt | compare a.mbf -
    gzip -c big.txt | txt2bin --dt 0.01 -z | compare a.mbf -
    [ "$(bin2txt a.mbf | grep -v '^#' | tail -n 1 | cut -d' ' -f3-)" = "37500 1" ]
    printf '\xef\xbb\xbf1 2\n3 4\n' >marked.txt
    [ "$(txt2bin --dt 1 marked.txt | bin2txt | grep -v '^#')" = $'0 0 1 2\n1 1 3 4' ]
    awk '{ printf "%.4f %s\n", NR / 3, $0 }' big.txt >timed.txt
    txt2bin --time c1 --columns 2,3 timed.txt -o b.mbf
    frame-check -v b.mbf | grep -E 'sys.dt_ps +0.333333333'
}

# refuses TEXT OPTION...: status 2, one line, nothing written.
refuses() {
    printf -- "$1" >bad.txt
    shift
    rm -f out.mbf
    fails 2 txt2bin -o out.mbf bad.txt "$@"
    [ "${#lines[@]}" -eq 1 ] && [ ! -e out.mbf ] || { echo "$output"; false; }
}

@test "bad tables: one line that says where, status 2, nothing written" {
    refuses '' --dt 1
    refuses '# only a legend\n' --dt 1
    refuses '1 2\n' --dt 1
    [[ $output == *"two rows"* ]]
    refuses '1 2\n3\n' --dt 1
    [[ $output == *"bad.txt: line 2: expected 2 columns, found 1"* ]]
    refuses '1,2\n3,\n' --dt 1
    [[ $output == *"line 2: column c2"* ]]
    for x in nan inf 1,5 0x10 '****' 1e999 ''; do
        refuses "1 2\n3 4\n5 $x\n" --dt 1
        [[ $output == *"line 3"* ]]
    done
    refuses '# a a\n1 2\n3 4\n' --dt 1
    refuses 'a b\n1 2\n3 4\n' --dt 1 --columns a,c
    [[ $output == *"'c'"*"a b"* ]]
    refuses 'a b\n1 2\n3 4\n' --dt 1 --columns a,a
    refuses 'a b\n1 2\n3 4\n'
    [[ $output == *"--dt"*"--time"* ]]
    refuses 't_ps b\n1 2\n2 4\n' --time t_ps --dt 1
    refuses 't_ps b\n0 1\n1 2\n3 4\n4 5\n'
    [[ $output == *"row 3"*"t_ps 3 after 1"* ]]
    refuses 't_ps b\n0 1\n0 2\n'
    refuses 't_ps b\n2 1\n1 2\n'
    awk 'BEGIN { for (i = 0; i < 4097; i++) printf "1 "; print "" }' >wide.txt
    fails 2 txt2bin --dt 1 wide.txt -o out.mbf
    [[ $output == *"wide.txt: line 1: expected at most 4096 columns, found more" ]]
    awk 'BEGIN { for (i = 0; i < 300000; i++) printf "1 " }' >long.txt
    cat long.txt long.txt >longer.txt
    fails 2 txt2bin --dt 1 longer.txt -o out.mbf
    fails 4 txt2bin --dt 1 --max-mem 10K <(seq 100000) -o out.mbf
    [ ! -e out.mbf ]
    seq 100000 | gzip -c | head -c 1000 >cut.gz
    fails 2 txt2bin --dt 1 cut.gz -o out.mbf
    fails 3 txt2bin --dt 1 no-such-file -o out.mbf
    [ ! -e out.mbf ]
}

@test "the end that bin2txt writes is checked where it is there, and missed where it is not" {
    awk 'BEGIN { for (k = 0; k < 50; k++) print k, k * k, -k }' | txt2bin --dt 0.5 -o a.mbf
    bin2txt a.mbf >t
    txt2bin t -o b.mbf 2>err
    [ ! -s err ]
    compare --rtol 0 a.mbf b.mbf
    says() {
        fails 2 txt2bin in -o out.mbf
        [ "$output" = "txt2bin: in: line $1" ] || { echo "$output"; false; }
        [ ! -e out.mbf ]
    }
    n=$(wc -l <t)
    sed '$ { h; }; 20d' t >in
    says "$((n - 1)): expected 50 rows, as the '## end' line states, found 49 (if you changed the table, delete that line)"
    sed '20s/1/2/' t >in
    says "$n: the rows do not match the checksum in the '## end' line: the table was damaged or changed (if you changed it, delete that line)"
    grep -v '^## end' t >in
    run txt2bin in -o out.mbf
    [ "$status" -eq 0 ]
    [ "$output" = "txt2bin: warning: in: this table from bin2txt has no '## end' line and may be incomplete" ]
}

@test "a first row of numbers in disguise is no header: read, or refused with line and column" {
    for row in 'nan nan' '-nan 1' 'NaN(0x1) 1' 'inf -inf' 'Infinity Infinity' '1e400 1e400' '**** ****' '0x10 0x11' 'NA NA' '- -' '? ?' \
        '1.5D 2.5D' 'nan' '"nan","1e400"' 'x nan' '# x y\nnan nan'; do
        refuses "$row\n1 2\n3 4\n" --dt 1
        [[ $output =~ "txt2bin: bad.txt: line "[12]": column "(c?[12x])": expected a number" ]] || { echo "$row: $output"; false; }
    done
    refuses '**** ****\n1 2\n3 4\n' --dt 1
    [[ $output == *"line 1: column 1: expected a number, or a name that begins with a letter, found '****': the asterisks of a Fortran field that overflowed: the value was never written" ]]
    while IFS='|' read -r row want; do
        printf -- "$row\n3,4\n" >t
        [ "$(columns t --dt 1)" = "$want"$'\n3 4' ] || { echo "$row"; false; }
    done <<'LIST'
"1.0","2.5"|1 2.5
'1.0', "-2"|1 -2
\357\273\2771,2|1 2
1.5D+00,25Q-1|1.5 2.5
1, 2|1 2
LIST
    # names stay names: NA for sodium, names in quotes, in brackets, not in ASCII, or beginning like
    # a number
    for names in 'NA CL' '"Na" "b"' '<T> (ps)' 'σ ε' 'Infiltration nano' '_a b' '\357\273\277x y'; do
        printf "$names\n1 2\n3 4\n" >t
        [ "$(columns t --dt 1)" = $'1 2\n3 4' ]
        ! frame-check -v out.mbf | grep -E 'data.columns +c1'
    done
    printf '# 9 8\n1 2\n3 4\n' >t # a row that is commented out names nothing
    [ "$(columns t --dt 1 --columns 1)" = $'1\n3' ]
    frame-check -v out.mbf | grep -E 'data.columns +c1$'
}

@test "decimal commas, semicolons and a second set of an xvg: refused by name" {
    refuses '1,5 2,5\n3,5 4,5\n' --dt 1 --columns 1
    [ "$output" = "txt2bin: bad.txt: line 1: expected decimal points, found decimal commas: '1,5 2,5' (use 'tr , . <FILE | txt2bin ...')" ]
    refuses 't\tx\n0\t1,5\n1\t2,5\n' --dt 1
    [[ $output == *"line 2: expected decimal points, found decimal commas"* ]]
    refuses '1 2\n1 2,5\n' --dt 1
    [[ $output == *"line 2: expected decimal points, found decimal commas"* ]]
    refuses 't;x\n1,5;2,5\n2,5;3\n' --dt 1
    [ "$output" = "txt2bin: bad.txt: line 2: expected blanks or commas between columns, found semicolons and decimal commas: '1,5;2,5' (tr ',;' '. ' <FILE | txt2bin ...)" ]
    tr ',;' '. ' <bad.txt >t
    [ "$(columns t --dt 1)" = $'1.5 2.5\n2.5 3' ]
    refuses '1.5;2.5\n2.5;3\n' --dt 1
    [ "$output" = "txt2bin: bad.txt: line 1: expected blanks or commas between columns, found semicolons: '1.5;2.5' (tr ';' ',' <FILE | txt2bin ...)" ]
    printf 'when,x\n2026-01-01 12:00,1.5\n2026-01-01 12:01,2.5\n' >t # a text that has both
    [ "$(columns t --dt 1 --columns x)" = $'1.5\n2.5' ]
    sets='@ s0 legend "a"\n0 1\n1 2\n&\n@type xy\n0 3\n1 4\n&\n'
    refuses "$sets" --dt 1
    [ "$output" = "txt2bin: bad.txt: line 6: expected one set of rows, found a second set after the '&' of line 4 (use sed '/^&/,\$d' FILE | txt2bin ... to read the first set only)" ]
    sed '/^&/,$d' bad.txt >t
    [ "$(columns t --dt 1 --columns a)" = $'1\n2' ]
    printf "${sets%@type*}" >t # the end of the only one
    [ "$(columns t --dt 1 --columns a)" = $'1\n2' ]
}

@test "a last line without its newline is whole where it is as wide as those before it, else torn" {
    # table FORMAT: eight rows
    taken() {
        seq 8 | awk -v f="$1\n" '{ printf f, $1, $1 / 7, 10 - 1.3 * $1 }' >t
        run cut_in_last t txt2bin --dt 1
        [ "$output" = "lacks:$2" ] || { echo "$1: $output"; cat t; false; }
    }
    taken '%d %.6f %.3f' ' 1'
    taken '%d,%.6f,%.3f' ' 1'
    taken '%d %8.3e %8.3e' ' 1'
    taken '%d %.6f %.3f\r' ' 1 2'
    taken '%d %g %g' ''
    taken '%d %g %g ' ' 1'
    taken '%d %.3f %d' ''
    printf 'a,b\n1.5,2.5' >t # no row before it
    fails 2 txt2bin --dt 1 t -o out.mbf
    printf '1.5,2.5\n2.5,3.5\n3.5,4.5,' >t # a third word may follow
    fails 2 txt2bin --dt 1 t -o out.mbf
    [ ! -e out.mbf ]
}

@test "damage to the text: control bytes, a torn last line, half an exponent" {
    says() {
        printf "$2" >in
        fails 2 txt2bin --dt 1 in -o out.mbf
        [ "$output" = "txt2bin: in: line $1" ] || { echo "$output"; false; }
    }
    says "2: column 2: expected text, found byte 0x00" '1 2\n3\0 4\n'
    says "1: column 3: expected text, found byte 0x1b" '1 \0332\n3 4\n'
    torn="the last line has no newline and may be incomplete (if it is complete, add a newline: echo >>FILE)"
    says "2: $torn" '1 2\n3 9.1'
    says "1: $torn" '1 2'
    says "2: column c2: expected a number, found '12.5-3'" '1 2\n3 12.5-3\n'
    says "2: column c2: expected a number, found '12.5+12'" '1 2\n3 12.5+12\n'
    printf '1 0.14-270\r\n2\t1.5+003\r\n' | txt2bin --dt 1 | bin2txt | grep -v '^#' >t
    [ "$(cut -d' ' -f4 t | tr '\n' ' ')" = "1.4e-271 1500 " ]
}

# lammps RUNS: a log of RUNS runs, each with three rows
lammps() {
    printf 'LAMMPS (2 Aug 2023)\nunits metal\ntimestep 0.002\n'
    for k in $(seq "$1"); do
        printf 'run 20\n   Step          Temp          Pxy\n'
        for i in 0 10 20; do echo "  $((k * 100 + i)) $k.5 -$i"; done
        [ "$1$k" != 22 ] || echo 'WARNING: Inconsistent image flags (src/domain.cpp:1051)'
        printf 'Loop time of 0.1 on 1 procs for 20 steps with 8 atoms\n\nPerformance: 7 ns/day\n'
    done
}

@test "a LAMMPS log: one run of several, its time, its units; without its end only if asked" {
    lammps 1 >one.log
    lammps 2 >two.log
    [ "$(columns one.log)" = $'1.5 -0\n1.5 -10\n1.5 -20' ] || [ "$(columns one.log)" = $'1.5 0\n1.5 -10\n1.5 -20' ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.02$'
    frame-check -v out.mbf | grep -E 'sys.units +metal$'
    [ "$(columns two.log --run 2 --columns Temp | sort -u)" = 2.5 ]
    [ "$(columns - --run 1 --columns Temp <two.log | sort -u)" = 1.5 ]
    fails 2 txt2bin two.log
    [ "$output" = "txt2bin: two.log: line 13: expected one run, found a second run (choose one with --run 1, --run 2, ...)" ]
    fails 2 txt2bin --run 3 two.log
    [[ $output == *"found fewer runs than --run specifies" ]]
    sed '/Loop/,$d' one.log >cut.log
    fails 2 txt2bin cut.log
    [ "$output" = "txt2bin: cut.log: line 8: expected the end of run 1 ('Loop time'), found the end of the file (--allow-partial uses the rows before it)" ]
    [ "$(columns cut.log --allow-partial --columns Temp 2>err | wc -l)" -eq 3 ]
    grep -q "warning: cut.log: the log ends before the run does (no 'Loop time'); the rows up to there are used" err
    head -c -6 cut.log >torn.log # in the midst of its last row, which is left out
    [ "$(columns torn.log --allow-partial --columns Temp 2>err | wc -l)" -eq 2 ]
    fails 2 txt2bin torn.log
    # the yaml style; the time step if only its echo is in the log, or if the header of the run
    # states another
    printf 'LAMMPS (1)\nunits real\n  Time step     : 2\n---\nkeywords: ['\''Step'\'', '\''Temp'\'', ]\ndata:\n  - [0, 1.5, ]\n  - [5, 2.5, ]\n...\nLoop time of 1\n' >y.log
    [ "$(columns y.log)" = $'1.5\n2.5' ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.01$'
    # LAMMPS also prints the last step if it is not a multiple of the interval
    sed '/^ *120 /{ p; s/120/127/; }' one.log >odd.log
    [ "$(columns odd.log --columns Temp | wc -l)" -eq 3 ]
    txt2bin odd.log -o out.mbf 2>err
    grep -q "warning: odd.log: skipped the last row of the run, at Step 127, because it breaks the regular interval" err
    sed '/^ *110 /{ p; s/110/117/; }' one.log >odd.log
    fails 2 txt2bin odd.log
    fails 2 txt2bin --run 1 --dt 1 <(seq 9)
    [[ $output == *"expected a LAMMPS log for --run, found another kind of table" ]]
}

# multi RUNS DASHES: the log of `lammps RUNS` with several lines per row, as LAMMPS writes it
multi() {
    lammps "$1" | awk -v dashes="$2" '/Step/ { on = 1; next } /Loop/ { on = 0 }
        on && NF == 3 { printf "%s Step %8d ----- CPU = 0.1 (sec) -----\nTotEng   =  -1.5 Temp     =  %s \nPxy      =  %s \n", dashes, $1, $2, $3; next } 1'
}

@test "a LAMMPS log of thermo_style multi: the rows of the same log with a line per step" {
    for dashes in ------------ ----------------; do
        multi 1 $dashes >m1.log
        multi 2 $dashes >m2.log
        lammps 1 >one.log
        lammps 2 >two.log
        [ "$(columns m1.log --columns Temp,Pxy)" = "$(columns one.log --columns Temp,Pxy)" ]
        [ "$(columns m1.log --columns TotEng | sort -u)" = -1.5 ]
        frame-check -v out.mbf | grep -E 'sys.dt_ps +0.02$'
        for k in 1 2; do [ "$(columns m2.log --run $k --columns Temp,Pxy)" = "$(columns two.log --run $k --columns Temp,Pxy)" ]; done
        fails 2 txt2bin m2.log
        [[ $output == *"expected one run, found a second run"* ]]
        # the file ends after the run, or a step is among the names
        sed '/Loop/q' m1.log >end.log
        [ "$(columns end.log --columns Temp,Pxy)" = "$(columns one.log --columns Temp,Pxy)" ]
        sed 's/^TotEng   =  -1.5/Step     =   7 TotEng   =  -1.5/' m1.log >step.log
        [ "$(columns step.log --columns Temp,Pxy)" = "$(columns one.log --columns Temp,Pxy)" ]
        # an incomplete block
        sed '/Loop/,$d' m1.log >cut.log
        fails 2 txt2bin cut.log
        [[ $output == *"expected the end of run 1 ('Loop time'), found the end of the file"* ]]
        [ "$(columns cut.log --allow-partial --columns Temp 2>/dev/null | wc -l)" -eq 2 ]
        sed '10s/Pxy/Pxz/' m1.log >names.log
        fails 2 txt2bin names.log
        [[ $output == *"expected the same quantities as in the first step, Step TotEng Temp Pxy"*"found Step TotEng Temp Pxz"* ]] || { echo "$output"; false; }
    done
    # "Step", a name of 4080 bytes, "Temp" and "Pxy" with a blank after each have 4095 bytes
    for k in 4080 4081; do
        printf -v n "%${k}s" ""
        sed "s/^TotEng/${n// /n}/" m1.log >long.log
        run txt2bin long.log -o out.mbf
        [[ $output != *"expected a row of at most 4096 bytes, found a longer one"* ]] || echo $k
    done >refused
    [ "$(<refused)" = 4081 ]
    (multi 1 ------------; lammps 1 | tail -n +4) >mixed.log
    [ "$(columns mixed.log --run 2 --columns Temp | sort -u)" = 1.5 ]
}

@test "what lines before the rows say goes to META: cell, units; the time and the unit of an xvg" {
    printf '# step t_ps pxy\n## sys.cell 9 0 0 0 9 0 0 0 9\n## sys.units lj\n## other.key 7\n## x.note 7\n1 0.5 3\n2 1 5\n' >t.txt
    columns t.txt
    frame-check -v out.mbf | grep -E 'sys.cell +9 0 0 0 9 0 0 0 9$'
    frame-check -v out.mbf | grep -E 'sys.units +lj$'
    [ "$(frame-check -v out.mbf | grep -cE '^ +(x|other)\.')" -eq 0 ] # others are not ours to keep
    printf '@    xaxis  label "Time (ps)"\n@    yaxis  label "(bar)"\n@ s0 legend "Pres-XY"\n0 1\n2 3\n' >t.xvg
    [ "$(columns t.xvg)" = $'1\n3' ]
    frame-check -v out.mbf | grep -E 'data.unit +bar$'
}

@test "--dt is refused where a step or time column is uneven, taken where it is only rounded" {
    for name in TimeStep Step time 'Time[ps]'; do
        printf '# %s a\n0 1\n20 2\n40 3\n80 4\n' "$name" >u.txt
        fails 2 txt2bin --dt 0.02 u.txt -o no
        [[ $output == "txt2bin: u.txt: row 4: expected evenly spaced rows, found $name 80 after 40" && ! -e no ]] || { echo "$output"; false; }
        printf '# %s a\n0 1\n20 2\n0 3\n20 4\n' "$name" >u.txt # a restart appended
        fails 2 txt2bin --dt 0.02 u.txt -o no
        [[ $output == *"row 3: expected evenly spaced rows, found $name 0 after 20" ]]
    done
    printf '# time a\n0 1\n0.01 2\n0.01 3\n0.02 4\n0.02 5\n' >r.txt # 0.005 apart
    [ "$(txt2bin --dt 0.005 r.txt | bin2txt --meta | sed -n 's/^sys.dt_ps\t//p')" = 0.005 ]
    printf '# a step\n1 0\n2 20\n3 40\n' >s.txt
    [ "$(txt2bin --dt 0.02 s.txt | bin2txt | grep -vc '^#')" -eq 3 ]
}

@test "a column without a name is called by its number, and shifts no other" {
    # named NAMES TEXT: data.columns lists these NAMES
    named() {
        printf "$2" >t
        txt2bin --dt 1 t -o out.mbf
        frame-check -v out.mbf | grep -E "data.columns +$1$"
    }
    named 'a c2 b' 'a,,b\n1,10,100\n2,20,200\n'
    txt2bin --dt 1 --columns b t | bin2txt | grep -qx '0 0 100'
    named c1 '1\n2\n3\n'
    [ "$(txt2bin --dt 1 t | bin2txt | grep -v '^#')" = $'0 0 1\n1 1 2\n2 2 3' ]
    named 'c1 a' ',a\n0,5\n1,6\n' # the index of pandas
    named 'a c2' 'a,""\n1,2\n3,4\n'
    named 'a c2 b' '#"a"," ","b"\n1,2,3\n3,4,5\n'
    named 'c2 b' '@ s0 legend ""\n@ s1 legend "b"\n0 1 2\n1 3 4\n'
}

# dt TEXT OPTION...: sys.dt_ps of the table
dt() {
    printf "$1" >t
    txt2bin "${@:2}" t -o out.mbf && frame-check -v out.mbf 2>/dev/null | sed -n 's/^ *sys.dt_ps *//p'
}

@test "a unit of time in a name, in a word behind it or on the axis is used; without one --time is in ps" {
    two='0 1\n10 2\n20 1\n'
    for name in 'Time[fs]' 'time(fs)' 'Time/fs' 't_fs' 'Time (fs)' 'Time [fs]'; do
        [ "$(dt "# $name Pxy\n$two")" = 0.01 ] || { echo "$name"; false; }
        [ "$(frame-check -v out.mbf | sed -n 's/^ *data.columns *//p')" = Pxy ]
    done
    [ "$(dt "# Time[fs] Pxy\n$two" --time 'Time[fs]')" = 0.01 ]
    [ "$(dt "# Time(ns) Pxy\n$two" --time 'Time(ns)')" = 10000 ]
    [ "$(dt "# Time[µs] Pxy\n$two")" = 10000000 ]
    [ "$(dt "@ xaxis label \"Time (ns)\"\n@ s0 legend \"a\"\n$two")" = 10000 ]
    [ "$(dt "@ xaxis label \"Time (ns)\"\n@ s0 legend \"a\"\n$two" --time time)" = 10000 ]
    [ "$(dt "@ xaxis label \"Time (fs)\"\n$two")" = 0.01 ] # no legend
    [ "$(dt "# when Pxy\n$two" --time when)" = 10 ]
    [ "$(dt '#"Step","Time (ps)","Temperature (K)","Box Volume (nm^3)"\n5,0.5,300,8\n10,1,300,8\n')" = 0.5 ] # OpenMM
    frame-check -v out.mbf | grep -E 'data.units +K nm\^3$'
    [ "$(dt '#  Step Nr.     Time[fs]    Kin.[a.u.]   Cons Qty[a.u.]\n 0 0 1 2\n 1 0.5 3 4\n')" = 0.0005 ] # CP2K
    frame-check -v out.mbf | grep -E 'data.columns +Kin.\[a.u.\] Cons_Qty\[a.u.\]$'
    refuses "# Time[weeks] Pxy\n$two" --time 'Time[weeks]'
    [ "$output" = "txt2bin: bad.txt: column Time[weeks]: expected a unit of time (ps, fs, ns, us, s), found 'weeks' (give the time between rows with --dt PS)" ]
    refuses "# T_K Pxy\n$two" --time T_K
    [[ $output == *"column T_K: expected a unit of time"*"found 'K'"* ]]
}

@test "steps are no times: --timestep gives their length" {
    two='0 1\n10 2\n20 1\n'
    refuses "# TimeStep v_pxy\n$two" --time TimeStep
    [ "$output" = "txt2bin: bad.txt: column TimeStep: expected a time, found steps of unknown length (give the length with --timestep PS)" ]
    refuses "# TimeStep v_pxy\n$two"
    [[ $output == *"(give --dt PS or --time NAME, or --timestep PS)" ]]
    [ "$(dt "# TimeStep v_pxy\n$two" --timestep 0.002)" = 0.02 ]
    [ "$(dt "# TimeStep v_pxy\n$two" --timestep 0.002 --time TimeStep)" = 0.02 ]
    refuses "# a b\n$two" --timestep 0.002
    [ "$output" = "txt2bin: bad.txt: --timestep: expected a column of steps, found none" ]
    refuses "# Step b\n$two" --timestep 0.002 --dt 1
    [ "$output" = "txt2bin: expected --dt or --timestep, found both" ]
    lammps 1 >one.log # Step of a log is steps, whatever names it
    [ "$(columns one.log --time Step)" = "$(columns one.log)" ]
    txt2bin --time Step one.log | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +0.02$'
    txt2bin --timestep 0.001 one.log | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +0.01$'
}

@test "units of the second axis of an xvg go to its columns" {
    xvg() { # LABEL LEGEND...
        printf '@ xaxis label "Time (ps)"\n@ yaxis label "%s"\n' "$1"
        local k=0 row=
        for l in "${@:2}"; do echo "@ s$k legend \"$l\""; k=$((k + 1)) row+=" $k"; done
        printf '0%s\n1%s\n' "$row" "$row"
    }
    units() { xvg "$@" | txt2bin | frame-check -v 2>/dev/null | sed -n 's/^ *data.units *//p'; }
    [ "$(units '(K), (nm^3), (bar)' Temperature Volume Pres-XY Pres-XZ)" = 'K nm^3 bar bar' ]
    [ "$(units '(bar), (K)' Pres-XY Pres-XZ T-Water 'Box-X')" = 'bar bar K -' ]
    [ "$(units '(kJ/mol), (nm)' Potential Box-X)" = 'kJ/mol nm' ]
    [ "$(units 'Pressure (bar)' Pres-XY Pres-XZ)" = 'bar bar' ]
    [ -z "$(units 'C(t)' a)" ]
}

# log STYLE [COMMAND]: with a time step if a command sets it
log() {
    printf 'LAMMPS (2 Aug 2023)\nunits %s\n%s\nPer MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes\n' "$1" "${2:-}"
    printf '   Step   Pxy\n  0 1\n  10 2\n  20 1\nLoop time of 0.1 on 1 procs for 20 steps with 8 atoms\n'
}

@test "a log that sets no time step has LAMMPS' default for its units, with a warning" {
    while read -r style step ps; do
        log $style >$style.log
        txt2bin $style.log -o out.mbf 2>err
        [ "$(<err)" = "txt2bin: warning: $style.log: the log sets no time step, so the LAMMPS default for units $style, $step, is used (replace it with --timestep PS)" ] ||
            { cat err; false; }
        frame-check -v out.mbf | grep -E "sys.dt_ps +$ps$"
    done <<'LIST'
real 1 0.01
metal 0.001 0.01
lj 0.005 0.05
si 1e-08 100000
cgs 1e-08 100000
electron 0.001 1e-05
micro 2 20000000
nano 0.00045 4.5
LIST
    [ "$(txt2bin --timestep 0.004 lj.log 2>&1 | frame-check -v 2>/dev/null | sed -n 's/^ *sys.dt_ps *//p')" = 0.04 ]
    # commands that may set another time step
    for command in 'read_restart a.restart' 'fix 1 all dt/reset 10 1e-5 0.01 0.1' 'echo none'; do
        log metal "$command" >odd.log
        fails 2 txt2bin odd.log
        [ "$output" = "txt2bin: odd.log: expected the time between rows, found none (give --dt PS or --time NAME, or --timestep PS)" ]
    done
    log metal $'read_restart a.restart\ntimestep 0.002' >odd.log
    txt2bin odd.log 2>&1 | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +0.02$'
}

@test "the column Time of a log is in its style's unit" {
    log real | sed 's/Step   Pxy/Time   Pxy/' >t.log
    txt2bin t.log -o out.mbf 2>err # LAMMPS wrote the times: no default is needed
    [ ! -s err ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.01$'
    log metal | sed 's/Step   Pxy/Time   Pxy/' | txt2bin --time Time | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +10$'
    log real 'timestep 2' | sed 's/Step /Step Time /; s/^  \([0-9]*\) /& \1 /' | txt2bin --time Time -o out.mbf
    frame-check -v out.mbf | grep -E 'data.columns +Pxy$'
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.01$'
    log real | sed 1,2d | sed 's/Step   Pxy/Time   Pxy/' >t.log # no style
    fails 2 txt2bin --time Time t.log
    [ "$output" = "txt2bin: t.log: column Time: expected a known unit of time, found none, because the log does not state its units (name the unit style with --units STYLE)" ]
    txt2bin --time Time --units real t.log | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +0.01$'
}

@test "a log that begins between runs, after other lines, or whose names do not begin with Step" {
    log metal 'timestep 0.002' | sed '1,2d' >middle.log # as `log FILE` opens it
    sed -i 1i'variable x equal 3' middle.log
    [ "$(columns middle.log --dt 0.5)" = $'1\n2\n1' ]
    ! frame-check -v out.mbf | grep sys.units
    fails 2 txt2bin middle.log
    [[ $output == *"expected the time between rows, found none"* ]]
    txt2bin --units metal middle.log | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +0.02$'
    sed -i /timestep/d middle.log # which another log may have set
    fails 2 txt2bin --units metal middle.log
    { echo 'srun: job 7 queued'; log metal 'timestep 0.002'; } >noise.log
    [ "$(columns noise.log)" = $'1\n2\n1' ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.02$'
    log metal 'timestep 0.002' | sed 's/Step   Pxy/Pxy   Step/; s/^  \([0-9]*\) \([0-9]\)$/ \2 \1/' >order.log
    [ "$(columns order.log)" = $'1\n2\n1' ]
    frame-check -v out.mbf | grep -E 'sys.dt_ps +0.02$'
}

@test "what LAMMPS prints between the rows of a log is no row, and loses none" {
    log metal 'timestep 0.002' | sed '/^  10 /i\
WARNING: Bond/angle/dihedral extent > half of periodic box length (src/domain.cpp:936)\
For more information see https://docs.lammps.org/err0017\
SHAKE stats (type/ave/delta) on step 10\
  4 1.111 1.4e-05\
  18 104.52 0.00108' >warned.log
    [ "$(columns warned.log)" = $'1\n2\n1' ]
    log metal 'timestep 0.002' | sed 's/^  10 2/  10 2 3/' >wide.log
    fails 2 txt2bin wide.log
    [[ $output == *"wide.log: line 7: expected 2 columns, found 3"* ]]
    log metal 'timestep 0.002' | sed 's/^  10 2/  nan 2/' >nan.log
    fails 2 txt2bin nan.log
    [[ $output == *"nan.log: line 7: column Step: expected a number, found 'nan'" ]]
}

# extxyz [FRAMES]: two atoms, 2 fs apart, with keys of every form; line 10 belongs to frame 2
extxyz() {
    awk -v n="${1:-6}" 'BEGIN { for (k = 0; k < n; k++) printf "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3 energy=%g energy_unit=eV dipole=\"%g %g 3\" dipole_unit=e*A P=[[1,2,3],[4,5,6],[7,8,%d]] stress=\"_JSON [1, 2, 3, 4, 5, %d]\" virial=\x27[[1, 2, 3], [4, 5, 6], [7, 8, 9.5]]\x27 Time=%d time_unit=fs pbc=\"T T T\"\nO 0 0 0\nH %g 1 1\n", -k / 4, k, k / 8, k, k, 2 * k, 1 + k / 1000 }'
}

@test "--info: numbers of the comment lines of extended XYZ, with names, units and times" {
    extxyz >a.extxyz
    [ "$(columns a.extxyz --info dipole | sed -n '1p;3p')" = $'0 0 3\n2 0.25 3' ]
    frame-check -v out.mbf >meta
    grep -E 'data.columns +dipole_x dipole_y dipole_z$' meta
    grep -E 'data.units +e\*A e\*A e\*A$' meta
    grep -E 'sys.dt_ps +0.002$' meta
    grep -E 'sys.cell +9 0 0 0 9 0 0 0 9$' meta
    [ "$(columns a.extxyz --info P,energy | sed -n 3p)" = '1 2 3 4 5 6 7 8 2 -0.5' ]
    frame-check -v out.mbf | grep -E 'data.columns +P_xx P_xy P_xz P_yx P_yy P_yz P_zx P_zy P_zz energy$'
    frame-check -v out.mbf | grep -E 'data.units +- - - - - - - - - eV$'
    [ "$(columns a.extxyz --info stress,virial | sed -n 6p)" = '1 2 3 4 5 5 1 2 3 4 5 6 7 8 9.5' ]
    frame-check -v out.mbf | grep -E 'data.columns +stress_xx stress_yy stress_zz stress_yz stress_xz stress_xy virial_xx'
    ! frame-check -v out.mbf | grep data.units
    # pipes, selected frames, times of the user, steps and other units, and text before and after
    gzip -c a.extxyz | txt2bin -q --info energy --select 1::2 | bin2txt | grep -v '^#' >got
    [ "$(<got)" = $'0 0.002 -0.25\n1 0.006 -0.75\n2 0.01 -1.25' ]
    sed 's/time_unit=fs//' a.extxyz >b.extxyz
    fails 2 txt2bin --info energy b.extxyz -o no
    [[ $output == *"frame 0: line 2: expected time_unit=fs, ps or ns for Time=0, "*"(give --time-unit or --dt)" ]]
    txt2bin -q --info energy --time-unit ps b.extxyz | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +2$'
    sed 's/Time=/Step=/' a.extxyz >b.extxyz
    fails 2 txt2bin --info energy b.extxyz -o no
    [ "$output" = "txt2bin: b.extxyz: expected the time between frames, found none (give --dt PS, or --timestep PS if the frames have steps)" ]
    txt2bin -q --info energy --timestep 0.5 b.extxyz | frame-check -v 2>/dev/null | grep -E 'sys.dt_ps +1$'
    [ "$(txt2bin -q --dt 1 --info E "$DATA/dialects/cp2k.xyz" | bin2txt | grep -v '^#' | head -n 1)" = '0 0 -0.1234' ]
}

@test "--info: the series is the one that a table of the same numbers gives, up to the infrared spectrum" {
    extxyz 600 | awk '/dipole=/ { $13 = sprintf("dipole=\"%.9f", cos(NR)); $14 = sprintf("%.9f", sin(NR * 0.7)) } 1' >a.extxyz
    sed -n 's/.* dipole="\([^"]*\)".*/\1/p' a.extxyz | sed '1i# dipole_x dipole_y dipole_z' >t
    txt2bin -q --info dipole a.extxyz -o a.mbf
    txt2bin -q --dt 0.002 t -o b.mbf
    for f in a b; do
        acf -q --average M --mean subtract --tmax 0.1 $f.mbf | fft-spectrum -q --window hann --weight nu-tanh --temperature 298 |
            bin2txt | grep -v '^#' >$f.ir
        green-kubo --columns dipole_x $f.mbf >$f.gk
    done
    cmp a.ir b.ir
    grep -q ' (e\*A)^2\*ps ' a.gk # the unit is known only in the input of --info
    cmp <(sed 's/ (e\*A)^2\*ps / ps /' a.gk) b.gk
}

@test "--info: a key that is missing, malformed or changes: one line with file, frame and line" {
    bad() { # SED MESSAGE
        extxyz | sed "$1" >bad.extxyz
        fails 2 txt2bin --info dipole,energy bad.extxyz -o no
        [ "$output" = "txt2bin: bad.extxyz: frame 2: line $2" ] && [ ! -e no ] || { echo "$output"; false; }
    }
    bad '10s/energy=/Energy=/' '10: --info: expected the key energy=, found none'
    bad '10s/energy=-0.5/energy=nan/' '10: expected a number in energy=, found '"'nan' (not a number: the run that wrote it had gone wrong)"
    bad '10s/0.25 3"/inf 3"/' '10: expected a number in dipole=, found '"'inf' (infinite: the run that wrote it had gone wrong)"
    bad '10s/0.25 3"/3"/' '10: expected 1, 3, 6 or 9 numbers in dipole=, or three rows of three numbers, found 2 numbers (rows: 1)'
    bad '10s/0.25 3"/1 2 3 4 5"/' '10: expected 3 numbers in dipole= as in the first frame, found 6'
    bad '10s/dipole="[^"]*"/dipole=[[1,2],[3,4],[5,6]]/' '10: expected 1, 3, 6 or 9 numbers in dipole=, or three rows of three numbers, found 6 numbers (rows: 3)'
    bad '10s/energy=[^ ]*/energy=[]/' '10: expected 1, 3, 6 or 9 numbers in energy=, or three rows of three numbers, found 0 numbers (rows: 1)'
    bad '10s/=eV/=Ha/' "10: expected energy_unit=eV as in the first frame, found 'Ha'"
    bad '10s/dipole="/dipole=/; 10s/pbc="T T T"/pbc="T T T/' $'10: expected a closing quote or bracket, found \'pbc="T T T\''
    bad '12,$d' '11: truncated: expected 2 atoms, but the file ends after 1 (--allow-partial keeps the complete frames before it)'
    [ "$(columns bad.extxyz --info energy --allow-partial 2>/dev/null)" = $'-0\n-0.25' ]
    bad '10s/Time=4/Time=55/' '10: expected time 0.004 ps after 0.002 ps, found 0.055 ps: the frames are unevenly spaced up to here, but evenly spaced from frame 3 (--select 3: takes only the evenly spaced frames)'
    extxyz >a.extxyz
    fails 2 txt2bin --info energy --columns 2 a.extxyz
    [ "$output" = "txt2bin: expected --info or --columns, found both" ]
    fails 2 txt2bin --select 2: a.extxyz
    [ "$output" = "txt2bin: expected --info with --select, found none" ]
    fails 2 txt2bin --info energy,energy a.extxyz
    fails 2 txt2bin --dt 1 a.extxyz
    [[ $output == *"is XYZ text: xyz2bin reads it"*"txt2bin --info"* ]]
}
