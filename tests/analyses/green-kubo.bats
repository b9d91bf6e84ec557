# SPDX-License-Identifier: MIT
# sanitize
# green-kubo: transport coefficients of fluxes in time.
# writes: green-kubo FLUX --property none
# rounds: green-kubo

load ../helpers

# memory N COLUMNS SEED [TAU]: this number of columns x_t = phi x_t-1 + uniform noise of variance
# 1/12, with phi = exp(-1/TAU)
memory() {
    awk -v n="$1" -v c="$2" -v s="$3" -v tau="${4:-8}" "$UNIFORM"'BEGIN { seed(s + 0); phi = exp(-1 / tau)
        for (i = -400; i < n; i++) { s = ""; for (k = 1; k <= c; k++) { x[k] = phi * x[k] + uniform() - 0.5; s = s " " x[k] }
            if (i >= 0) print s } }'
}

# the integral of memory times dt, which is half the spectrum at 0
truth() { awk -v dt="$1" -v tau="${2:-8}" 'BEGIN { phi = exp(-1 / tau); print dt / 2 / 12 / (1 - phi)^2 }'; }

# near VALUE SE WANTED SIGMAS
near() { awk -v v="$1" -v s="$2" -v w="$3" -v n="$4" 'BEGIN { exit !(s > 0 && (v - w)^2 < (n * s)^2) }' || { echo "$1 +- $2, expected $3"; false; }; }

# tensor FILE: six columns, whose traceless components all have the spectrum of one column of memory
tensor() {
    memory 6000 5 "${2:-3}" | awk '{ d = $5 / sqrt(3); print $4 - d, -$4 - d, 2 * d, $1, $2, $3 }' >"$1"
}

@test "planted memories: the integral within its error; several runs are independent" {
    memory 8000 3 1 >a.txt
    memory 8000 3 2 >b.txt
    for f in a b; do txt2bin --dt 0.1 $f.txt -o $f.mbf; done
    read -r _ v _ s _ <<<"$(green-kubo a.mbf)"
    near "$v" "$s" "$(truth 0.1)" 3
    read -r _ both _ less rest <<<"$(green-kubo a.mbf b.mbf)"
    near "$both" "$less" "$(truth 0.1)" 3
    awk -v a="$s" -v b="$less" 'BEGIN { exit !(b < 0.95 * a && b > 0.4 * a) }'
    [[ $rest == *"(spectrum) components 3 runs 2 length 1600" ]]
    fails 2 green-kubo a.mbf a.mbf
    [ "$output" = "green-kubo: a.mbf: run 2 is a copy of run 1" ]
    # any number of threads, and a pipe, give the same result
    [ "$(green-kubo -t 3 a.mbf)" = "$(green-kubo -t 1 <a.mbf)" ]
}

@test "--cutoff and -o: the running integral is that of acf, with the variance of the mean put back" {
    memory 4000 3 5 >a.txt
    txt2bin --dt 0.1 a.txt | tee a.mbf | acf --mean subtract --tmax 4 --average c --integral | bin2txt | grep -v '^#' >acf.txt
    read -r _ v _ s _ _ c _ <<<"$(green-kubo --cutoff 4 --tmax 4 a.mbf -o gk.mbf)"
    [ "$c" = 4 ]
    fails 2 green-kubo --cutoff 500 a.mbf
    [ "$output" = "green-kubo: run 1: --cutoff or --tmax needs a run of at least 500 ps, found 4000 steps of 0.1 ps" ]
    bin2txt gk.mbf | tee gk.txt | head -n 1 | grep -qx '# t_ps origins none int_none none_se int_none_se'
    grep -qE '^## unit.of .* none:1 int_none:ps( |$)' gk.txt
    # subtracting the mean of T = 400 ps takes 2 lambda/T from C; the line has eight digits
    read -r _ lambda _ <<<"$(green-kubo a.mbf)"
    paste -d' ' acf.txt <(grep -v '^#' gk.txt) | awk -v c="$lambda" '{ c0 = c / 200
        if (($9 - $3 - c0)^2 > (1e-7 * c0 + 1e-9)^2 || ($10 - $4 - c0 * $1)^2 > (1e-7 * c0 * $1 + 1e-8)^2) exit 1
        # the error of C depends on C, which the mean changes by up to 1 %
        if (($5 - $11)^2 > (5e-3 * $5)^2 || ($6 - $12)^2 > (1e-6 * ($6 + 1e-3))^2) exit 1 }'
    grep -v '^#' gk.txt | tail -n 1 | awk -v v="$v" -v s="$s" '{ exit !((v / $4 - 1)^2 < 1e-10 && (s / $6 - 1)^2 < 1e-4) }'
    # fluxes without a mean are those of acf --mean keep
    { echo '# jx jy jz'; cat a.txt; } | txt2bin --dt 0.1 | tee j.mbf | acf --mean keep --tmax 4 --average c --integral | bin2txt | grep -v '^#' >acf.txt
    green-kubo --property conductivity --unit lj --flux total --temperature 1 --volume 1 --cutoff 4 --tmax 4 j.mbf -o gk.mbf
    # relative tolerance 1e-9, for the rounding of sums of 4,000
    paste -d' ' acf.txt <(bin2txt gk.mbf | grep -v '^#') | awk '{ for (k = 3; k <= 6; k++) if (($k - $(k + 6))^2 > (1e-9 * ($k + 1e-3))^2) exit 1 }'
}

@test "without a property: the unit is the square of that of the columns, times ps" {
    memory 4000 2 5 | awk 'BEGIN { print "# step t_ps p_bar momentum_u_A_ps x" } { print NR, NR / 10, $0, $1 }' | txt2bin -o a.mbf
    [[ "$(green-kubo --columns p_bar a.mbf -o gk.mbf)" == *' (bar)^2*ps cutoff '* ]]
    bin2txt gk.mbf | grep -qE '^## unit.of .* none:\(bar\)\^2 int_none:\(bar\)\^2\*ps '
    [[ "$(green-kubo --columns momentum_u_A_ps a.mbf)" == *' (u*A/ps)^2*ps cutoff '* ]]
    [[ "$(green-kubo --columns x --unit GPa a.mbf)" == *' (GPa)^2*ps cutoff '* ]]
    # an unknown unit, and columns in different units
    [[ "$(green-kubo --columns x a.mbf)" =~ [0-9]\ ps\ cutoff ]]
    [[ "$(green-kubo --columns p_bar,x a.mbf)" =~ [0-9]\ ps\ cutoff ]]
    fails 2 green-kubo --columns x --unit abcdefghijklmnopqrstuvwxyz a.mbf
    [[ $output == *"--unit: expected at most 23 letters, found abc"* ]]
}

@test "viscosity: five components of six columns, the factor V/kT and units by names, by --unit, reduced" {
    tensor t.txt
    # the traceless components are the five columns of memory
    awk '{ print ($1 - $2) / 2, (2 * $3 - $1 - $2) / (2 * sqrt(3)), $4, $5, $6 }' t.txt >five.txt
    { echo '# pxx_bar pyy_bar pzz_bar pxy_bar pxz_bar pyz_bar'; cat t.txt; } | txt2bin --dt 0.1 -o bar.mbf
    { echo '# Pxx Pyy Pzz Pxy Pxz Pyz'; cat t.txt; } | txt2bin --dt 0.1 -o plain.mbf
    # the factor is 1, and means are kept
    { echo '# a b c d e'; cat five.txt; } | txt2bin --dt 0.1 -o five.mbf
    read -r _ five _ <<<"$(green-kubo --property viscosity --columns a,b,c,d,e --unit lj --temperature 1 --volume 1 five.mbf)"
    line=$(green-kubo --property viscosity --temperature 300 --volume 8000 bar.mbf)
    [[ $line == "viscosity "*" mPa*s cutoff "*" components 5 runs 1 length 600 T 300 V 8000 unit bar" ]]
    # V/kT bar² ps: 8e-27 m³ / (1.380649e-23 300 J) 1e10 Pa² 1e-12 s 1e3; eight digits in the line
    awk -v f="$five" '{ w = f * 8e-27 / (1.380649e-23 * 300) * 1e10 * 1e-12 * 1e3; exit !(($2 / w - 1)^2 < 1e-10) }' <<<"$line"
    read -r _ a _ <<<"$(green-kubo --property viscosity --temperature 300 --volume 8000 --unit atm plain.mbf)"
    awk -v a="$a" '{ exit !((a / $2 / 1.01325^2 - 1)^2 < 1e-10) }' <<<"$line"
    read -r _ l _ _ unit _ <<<"$(green-kubo --property viscosity --temperature 2 --volume 8 --unit lj plain.mbf)"
    awk -v l="$l" -v f="$five" -v u="$unit" 'BEGIN { exit !(u == "lj" && (l / f / 4 - 1)^2 < 1e-10) }'
    fails 2 green-kubo --property viscosity --temperature 300 --volume 8000 plain.mbf
    [[ $output == *"plain.mbf: column Pxx: expected a known unit, found none; give one with --unit: bar, atm,"* ]]
    fails 2 green-kubo --property viscosity --volume 8000 bar.mbf
    [[ $output == *"expected --temperature K"* ]]
    fails 2 green-kubo --property viscosity --temperature 3 --volume 8000 --columns pxx_bar,pxy_bar,pxx_bar bar.mbf
    fails 2 green-kubo --property conductivity --temperature 3 --volume 8000 bar.mbf
    [[ $output == *"expected the current jx jy jz among the 6 columns, found none (use --columns)"* ]]
}

@test "bulk viscosity and conductivities: their factors in SI" {
    memory 3000 3 9 >m.txt
    { echo '# jx jy jz'; cat m.txt; } | txt2bin --dt 0.1 -o j.mbf
    read -r _ j _ <<<"$(green-kubo --property conductivity --unit lj --flux total --temperature 1 --volume 1 j.mbf)"
    at="--temperature 300 --volume 8000"
    # e² Å²/ps² ps / (V kT): (1.602176634e-17 A m)² 1e-12 s / (8e-27 m³ 1.380649e-23 300 J)
    green-kubo --property conductivity --unit 'e*A/ps' $at j.mbf |
        awk -v j="$j" '{ w = j * 1.602176634e-17^2 * 1e-12 / (8e-27 * 1.380649e-23 * 300); exit !(($2 / w - 1)^2 < 1e-10 && $5 == "S/m") }'
    # (kcal/mol Å/fs)² ps / (V k T²): 4184/6.02214076e23 J 1e5 m/s
    green-kubo --property thermal-conductivity --unit 'kcal/mol*A/fs' $at j.mbf |
        awk -v j="$j" '{ w = j * (4184 / 6.02214076e23 * 1e5)^2 * 1e-12 / (8e-27 * 1.380649e-23 * 300^2); exit !(($2 / w - 1)^2 < 1e-10 && $5 == "W/(m*K)") }'
    { echo '# pxx_bar pyy_bar pzz_bar'; awk '{ print 3 * $1 + $2, -$2, 7 }' m.txt; } | txt2bin --dt 0.1 | green-kubo --property bulk-viscosity $at >bulk
    read -r _ one _ <<<"$(txt2bin --dt 0.1 --columns 1 m.txt | green-kubo)"
    awk -v j="$one" '{ w = j * 8e-27 / (1.380649e-23 * 300) * 10; exit !(($2 / w - 1)^2 < 1e-10) }' bulk
}

@test "a LAMMPS log as it is: units, temperature and volume are its own" {
    tensor t.txt 4
    {
        printf 'LAMMPS (2 Aug 2023)\nunits real\nrun 6000\n  Unit style    : real\n  Time step     : 2\n'
        echo '   Step          Temp          Volume          Pxx Pyy Pzz Pxy Pxz Pyz'
        awk '{ print NR * 10, 300, 8000, $0 }' t.txt
        echo 'Loop time of 1 on 1 procs for 6000 steps with 10 atoms'
    } >log.lammps
    line=$(txt2bin log.lammps | green-kubo --property viscosity)
    [[ $line == *"length 120 T 300 V 8000 unit atm" ]]
    { echo '# pxx_atm pyy_atm pzz_atm pxy_atm pxz_atm pyz_atm'; cat t.txt; } | txt2bin --dt 0.02 |
        green-kubo --property viscosity --temperature 300 --volume 8000 | diff - <(echo "$line")
    # no style has such a long name, so the log sets no style
    for style in lj/of/many/words $(printf 'x%.0s' {1..400}); do
        sed "s|^units real|units $style|; s|: real|: $style|" log.lammps >long.lammps
        sed '/^units/d; /Unit style/d' log.lammps >none.lammps
        txt2bin -q --dt 0.1 long.lammps | bin2txt --meta | grep -v '^prov' >got
        txt2bin -q --dt 0.1 none.lammps | bin2txt --meta | grep -v '^prov' | diff - got
    done
}

@test "the box that a LAMMPS log states is the volume; one that may change is asked for, and a contradiction refused" {
    tensor t.txt 5
    # log SCRIPT [COLUMNS VALUES]: a log whose box is 20 x 20 x 20, then these lines
    log() {
        printf 'LAMMPS (2 Aug 2023)\nunits real\ncreate_box 1 b\nCreated orthogonal box = (0 0 0) to (20 20 20)\ntimestep 2\n%b\nrun 6000\n' "$1"
        printf 'Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes\nStep Temp %s Pxx Pyy Pzz Pxy Pxz Pyz\n' "${2:-}"
        awk -v v="${3:-}" '{ print NR * 10, 300, v, $0 }' t.txt
        echo 'Loop time of 1 on 1 procs for 6000 steps with 10 atoms'
    }
    gk() { txt2bin -q | green-kubo --property viscosity "$@"; }
    line=$(log 'fix 1 all nve' Volume 8000 | gk)
    for script in 'fix npt all nve' '# npt before\nfix\t1 all nve # fix 2 all npt' 'boundary p p f' '  using lattice units in orthogonal box = (0 0 0) to (20 20 20)'; do
        [ "$(log "$script" | gk)" = "$line" ]
    done
    [ "$(log 'Changing box ...\n  triclinic box = (-1 0 0.5) to (39 5 40.5) with tilt (1 2 -2)' | gk)" = "$line" ]
    log 'Changing box ...\n  triclinic box = (-1 0 0.5) to (39 5 40.5) with tilt (1 2 -2)' | txt2bin -q | bin2txt --meta | grep -qxP 'sys.cell\t40 0 0 1 5 0 2 -2 40'
    [ "$(log 'fix 1 all npt temp 300 300 100 iso 1 1 1000' 'Lx Ly Lz' '40 5 40' | gk)" = "$line" ]
    # lengths in nm
    log 'fix 1 all nve' | sed 's/^units real/units nano/; s/to (20 20 20)/to (2 2 2)/; s/^timestep 2/timestep 0.000002/' | txt2bin -q | green-kubo --property viscosity --unit atm | diff - <(echo "$line")
    # a box that may have changed
    for script in 'fix 1 all npt temp 300 300 100 iso 1 1 1000' 'fix 1 all rigid/nph molecule' 'fix d all deform 1 x erate 0.1' 'unfix x\nfix  r all box/relax iso 0' \
        'fix p all press/berendsen iso 0 0 1000' 'fix p all pimd/langevin ensemble npt' 'fix 1 all ipi a 1' 'boundary p p s' 'change_box all boundary p m p' 'read_dump d 10 x y z box yes' \
        'rerun d dump x y z' 'dimension 2' 'echo none\ntimestep 2' 'temper/npt 10'; do
        log "$script" >log.lammps
        fails 2 eval 'gk <log.lammps'
        [ "$output" = "green-kubo: expected --volume A3 in the header (META) or in a column, found neither (LAMMPS writes the columns temp and vol with thermo_style custom)" ] || { echo "$script: $output"; false; }
        [ "$(gk --volume 8000 <log.lammps)" = "$line" ]
    done
    log 'fix 1 all nve' | sed '/^run/d' >log.lammps # no script
    fails 2 eval 'gk <log.lammps'
    # the user gives a volume with three digits
    for log in "log 'fix 1 all nve'" "log 'fix 1 all npt' Volume 8000" "log 'fix 1 all npt' 'Lx Ly Lz' '20 20 20'"; do
        fails 2 eval "$log | gk --volume 800"
        [ "$output" = "green-kubo: --volume A3: expected 8000, the value in the input, found 800 (omit the option)" ] || { echo "$output"; false; }
        [[ $(eval "$log | gk --volume 8020") == *" V 8020 "* ]]
        [ "$(eval "$log | gk")" = "$line" ]
    done
    # for runs in different boxes, the mean volume is weighted by the number of rows
    log 'fix 1 all nve' | txt2bin -q -o a.mbf
    head -n 3000 t.txt | tac >half.txt && mv half.txt t.txt
    log '  orthogonal box = (0 0 0) to (20 20 23)' | txt2bin -q -o b.mbf
    [[ $(green-kubo --property viscosity a.mbf b.mbf) == *" V 8400 "* ]]
}

@test "the box of logs that LAMMPS writes is that of its thermo output" {
    command -v lmp >/dev/null || skip "no lmp (Debian: lammps)"
    export OMP_NUM_THREADS=1
    for region in 'block 0 2 0 2 0 3' 'prism 0 2 0 2 0 3 0.3 0.1 -0.2'; do
        cat >in <<END
units real
lattice fcc 5.43
region b $region
create_box 1 b
create_atoms 1 box
mass 1 39.948
pair_style lj/cut 5
pair_coeff * * 0.238 3.405
velocity all create 120 1234
change_box all x scale 1.1
timestep 1
thermo_style custom step temp pxx pyy pzz pxy pxz pyz vol lx ly lz
thermo 5
fix 1 all nve
run 1000
unfix 1
fix 1 all npt temp 120 120 100 aniso 1 1 500
run 1000
END
        lmp -in in -log log.lammps >/dev/null
        # the last column, or the last four columns, of the thermo output are dropped
        for drop in vol 'vol lx ly lz'; do
            sed "s/ $drop.*//" in >less && lmp -in less -log less.lammps >/dev/null
            txt2bin -q --run 1 less.lammps | green-kubo --cutoff 0.2 --property viscosity >got
            txt2bin -q --run 1 log.lammps | green-kubo --cutoff 0.2 --property viscosity | diff - got
        done
        cell=$(txt2bin -q --run 1 less.lammps | bin2txt --meta | sed -n 's/^sys.cell\t//p')
        txt2bin -q --run 1 --columns Lx,Ly,Lz,Volume log.lammps | bin2txt | awk -v cell="$cell" 'BEGIN { split(cell, h, " ") }
            !/^#/ { n++; for (k = 0; k < 3; k++) if ((h[4 * k + 1] / $(NF - 3 + k) - 1)^2 > 1e-14) exit bad = 1 } END { exit bad || n != 201 }'
        # if the box changes, the volume comes from the columns of the box or from the user
        [ -z "$(txt2bin -q --run 2 log.lammps | bin2txt --meta | grep sys.cell)" ]
        mean=$(txt2bin -q --run 2 --columns Volume log.lammps | bin2txt | awk '!/^#/ { s += $NF; n++ } END { print s / n }')
        for columns in 'vol' 'lx ly lz'; do
            sed "s/ vol lx.*/ $columns/" in >less && lmp -in less -log less.lammps >/dev/null
            txt2bin -q --run 2 less.lammps | green-kubo --cutoff 0.2 --property viscosity |
                awk -v v="$mean" '{ for (k = 1; k < NF; k++) if ($k == "V") exit !(($(k + 1) / v - 1)^2 < 1e-10) }'
        done
        sed 's/ vol lx.*//' in >less && lmp -in less -log less.lammps >/dev/null
        fails 2 eval 'txt2bin -q --run 2 less.lammps | green-kubo --cutoff 0.2 --property viscosity'
        [[ $output == *"expected --volume A3"* ]]
    done
}

# value WORDS...: the number and the error that green-kubo writes
value() { green-kubo "$@" | cut -d' ' -f2,4; }

@test "units of volume, temperature and pressure are those that names, axes and styles state; others are asked for" {
    tensor t.txt 6
    names() { # VOLUME-NAME VOLUME [UNIT-OF-PRESSURE [TEMPERATURE-NAME]]
        echo "# ${4:-T_K} $1 $(printf "P%s_${3:-bar} " xx yy zz xy xz yz)"
        awk -v v="$2" '{ print 300, v, $0 }' t.txt
    }
    gk() { txt2bin --dt 0.1 | value --property viscosity; }
    want=$(names V_A3 8000 | gk)
    for v in 'Volume_(nm^3) 8' 'V[nm3] 8' 'vol/nm**3 8' 'Volume(Angstrom^3) 8000' 'V_m^3 8e-27' 'v_vol[A^3] 8000' 'Volume[bohr^3] 53986.676' 'V[cm^3] 8e-21'; do
        read -r a b <<<"$(names $v | gk)"
        # bohr^3 has nine digits
        awk -v a="$a" -v b="$b" -v w="$want" 'BEGIN { split(w, x, " "); exit !((a / x[1] - 1)^2 < 1e-14 && b == x[2]) }' || { echo "$v: $a $b, not $want"; false; }
    done
    # v_V, c_thermo_temp, as LAMMPS names them in a log of units si
    {
        printf 'LAMMPS (2 Aug 2023)\nunits si\ntimestep 1e-14\n   Step c_thermo_temp v_V Pxx Pyy Pzz Pxy Pxz Pyz\n'
        awk '{ printf "%d 300 8e-27", NR * 10; for (k = 1; k <= 6; k++) printf " %.17g", $k * 1e5; print "" }' t.txt
        echo 'Loop time of 1 on 1 procs for 6000 steps with 10 atoms'
    } >si.log
    [ "$(txt2bin si.log | value --property viscosity)" = "$want" ]
    # an xvg file with three units on one axis
    {
        printf '@ xaxis label "Time (ps)"\n@ yaxis label "(K), (nm^3), (bar)"\n'
        n=0; for l in Temperature Volume Pres-X{X,Y,Z} Pres-YY Pres-YZ Pres-ZZ; do echo "@ s$n legend \"$l\""; n=$((n + 1)); done
        awk '{ print NR / 10, 300, 8, $1, $4, $5, $2, $6, $3 }' t.txt
    } >g.xvg
    [ "$(txt2bin g.xvg | value --property viscosity)" = "$want" ]
    names Volume 8000 | txt2bin --dt 0.1 -o v.mbf
    fails 2 green-kubo --property viscosity v.mbf
    [ "$output" = "green-kubo: column Volume: expected a known unit, found none (give the value with --volume A3)" ]
    [ "$(value --property viscosity --volume 8000 v.mbf)" = "$want" ]
    names V_A3 8000 bar 'T[C]' | txt2bin --dt 0.1 -o c.mbf
    fails 2 green-kubo --property viscosity c.mbf
    [[ $output == *"column T[C]: expected a known unit"*"(give the value with --temperature K)" ]]
    [ "$(value --property viscosity --temperature 300 c.mbf)" = "$want" ]
    names V_A3 8000 GPa | txt2bin --dt 0.1 -o gpa.mbf
    fails 2 green-kubo --property viscosity --unit bar gpa.mbf
    [ "$output" = "green-kubo: gpa.mbf: column Pxx_GPa: the unit in the input is GPa, but --unit is bar (omit --unit)" ]
    names V_A3 8000 | sed '1s/Pyy_bar/Pyy_atm/' | txt2bin --dt 0.1 -o two.mbf
    fails 2 green-kubo --property viscosity two.mbf
    [[ $output == *"expected the same unit in all columns, found Pxx_bar in column bar and Pyy_atm in column atm" ]]
    sed 's/^/1 2 /; 1i# T_K V_A3 pxx pyy pzz pxy pxz pyz' t.txt | txt2bin --dt 0.1 -o m.mbf
    fails 2 green-kubo --property viscosity --unit mPa m.mbf # a billion times less than MPa
    [[ $output == *"--unit: expected one of bar,"*"found mPa" ]]
}

@test "--columns: names that state components count, not their order; names of other quantities are refused" {
    tensor t.txt 7
    { echo '# Pres-XX Pres-YY Pres-ZZ Pres-XY Pres-XZ Pres-YZ Pres-YX Pres-ZX Pres-ZY Temp Press Volume'; awk '{ print $0, $4, $5, $6, 300, 1, 8000 }' t.txt; } |
        txt2bin --dt 0.1 -o t.mbf
    gk() { value --property "$1" --unit bar --temperature 300 --volume 8000 --columns "$2" "${3:-t.mbf}"; }
    want=$(green-kubo --property viscosity --unit bar --temperature 300 --volume 8000 t.mbf | cut -d' ' -f2,4)
    for list in Pres-XX,Pres-XY,Pres-XZ,Pres-YY,Pres-YZ,Pres-ZZ Pres-XY,Pres-XZ,Pres-YZ,Pres-XX,Pres-YY,Pres-ZZ Pres-ZZ,Pres-ZY,Pres-ZX,Pres-YY,Pres-YX,Pres-XX \
        Pres-XX,Pres-XY,Pres-XZ,Pres-YX,Pres-YY,Pres-YZ,Pres-ZX,Pres-ZY,Pres-ZZ; do
        [ "$(gk viscosity $list)" = "$want" ] || { echo "$list"; false; }
    done
    [ "$(gk viscosity Pres-YZ,Pres-XY,Pres-XZ | cut -d' ' -f1)" = "$(gk viscosity Pres-XY,Pres-XZ,Pres-YZ | cut -d' ' -f1)" ]
    for list in Pres-XX,Pres-YY,Pres-ZZ Pres-XX,Pres-YY,Pres-XY Temp,Press,Volume Pres-XY,Pres-YX,Pres-XZ Pres-XX,Pres-YY,Pres-ZZ,Pres-XY,Pres-XZ,Temp Press Pres-XX; do
        fails 2 green-kubo --property viscosity --unit bar --temperature 300 --volume 8000 --columns $list t.mbf
        [ "$output" = "green-kubo: t.mbf: --columns: expected the pressure tensor pxx pyy pzz pxy pxz pyz or its last three, found names of other components: $list" ]
    done
    gk bulk-viscosity Pres-ZZ,Pres-XX,Pres-YY >/dev/null
    for list in Pres-XY,Pres-XZ,Pres-YZ Temp Pres-XX Volume; do
        fails 2 green-kubo --property bulk-viscosity --unit bar --temperature 300 --volume 8000 --columns $list t.mbf
        [[ $output == *"--columns: expected pxx pyy pzz or the pressure, found names of other components: $list" ]]
    done
    for list in Pres-XY,Pres-XZ,Pres-YZ Temp,Press,Volume; do
        fails 2 green-kubo --property conductivity --unit 'e*A/ps' --temperature 300 --volume 8000 --columns $list t.mbf
        [[ $output == *"expected the current jx jy jz, found names of other components: $list" ]]
    done
    # compute pressure in a log: [1] to [6] are xx yy zz xy xz yz; columns whose names state nothing
    # are taken in their order
    { printf '# %s\n' 'c_press[1] c_press[2] c_press[3] c_press[4] c_press[5] c_press[6] a b c d e f'; awk '{ print $0, $0 }' t.txt; } | txt2bin --dt 0.1 -o c.mbf
    [ "$(gk viscosity 'c_press[4],c_press[5],c_press[6],c_press[1],c_press[2],c_press[3]' c.mbf)" = "$want" ]
    [ "$(gk viscosity a,b,c,d,e,f c.mbf)" = "$want" ]
    [ "$(gk viscosity 'c_press[1],c_press[2],c_press[3],d,e,f' c.mbf)" = "$want" ]
    [ "$(value --property viscosity --unit bar --temperature 300 --volume 8000 c.mbf)" = "$want" ]
    fails 2 green-kubo --property viscosity --unit bar --temperature 300 --volume 8000 --columns 'd,e,f,c_press[1],c_press[2],c_press[3]' c.mbf
    fails 2 green-kubo --property viscosity --unit bar --temperature 300 --volume 8000 --columns 'c_press[1],c_press[2],c_press[3]' c.mbf
}

# kappa STYLE LEGEND COLUMNS SCRIPT: a log of 50 atoms in a volume of 1000, whose three columns are
# heat.txt times a factor
kappa() {
    printf 'LAMMPS (2 Aug 2023)\nunits %s\ntimestep 0.01\ncompute flux all heat/flux ke pe st\n%b\n   Step Temp Volume %s\n' "$1" "$4" "$2"
    awk -v f="$3" '{ printf "%d 2 1000", NR * 10; for (k = 1; k <= 3; k++) printf " %.17g", $k * f; print "" }' heat.txt
    echo 'Loop time of 1 on 1 procs for 6000 steps with 50 atoms'
}

@test "a heat flux or current of the cell, per volume or per atom: the log's script states it, or --flux" {
    memory 3000 3 9 >heat.txt
    kappa metal 'c_flux[1] c_flux[2] c_flux[3]' 1 'thermo 10' | txt2bin -o total.mbf
    line=$(green-kubo --property thermal-conductivity total.mbf)
    [[ $line == *" T 2 V 1000 unit eV*A/ps flux total" ]]
    want=$(cut -d' ' -f2,4 <<<"$line")
    # is WORD LOG-ARGUMENTS...: the log states WORD, and the value equals the value of the total
    is() {
        local word=$1 line
        shift
        kappa "$@" >k.log
        line=$(txt2bin k.log | green-kubo --property thermal-conductivity ${columns:+--columns "$columns"})
        # scaling by 1/1000 or 1/50 in binary causes rounding
        [[ $line == *" flux $word" ]] && awk -v w="$want" '{ split(w, x, " "); exit !(($2 / x[1] - 1)^2 < 1e-14) }' <<<"$line" || { echo "$*: $line"; false; }
    }
    is density metal 'v_Jx v_Jy v_Jz' 0.001 'variable Jx equal c_flux[1]/vol\nvariable Jy equal c_flux[2]/vol\nvariable Jz equal c_flux[3]/vol'
    is density metal 'v_Jx v_Jy v_Jz' 0.001 'variable V equal  vol\nvariable Jx equal\t"c_flux[1] / v_V"\nvariable Jy equal c_flux[2]/v_V\nvariable Jz equal (c_flux[3]/v_V)'
    is total metal 'v_Jx v_Jy v_Jz' 1 'variable Jx equal c_flux[1]\nvariable Jy equal c_flux[2]\nvariable Jz equal c_flux[3]'
    is per-atom metal 'v_Jx v_Jy v_Jz' 0.02 'variable Jx equal c_flux[1]/atoms\nvariable Jy equal c_flux[2]/atoms\nvariable Jz equal c_flux[3]/atoms'
    is per-atom metal 'c_flux[1] c_flux[2] c_flux[3]' 0.02 'thermo_style custom step temp vol\nthermo_modify norm yes'
    is total metal 'c_flux[1] c_flux[2] c_flux[3]' 1 'thermo_modify norm yes\nthermo_style custom step temp vol' # which sets it back
    is total metal 'f_flux[1] f_flux[2] f_flux[3]' 1 'fix flux all ave/time 1 10 10 c_flux[1] c_flux[2] c_flux[3]'
    columns=f_x,f_y,f_z is total metal 'f_x f_y f_z' 1 'fix x all ave/time 1 10 10 c_flux[1]\nfix y all ave/time 1 10 10 c_flux[2] file y\nfix z all ave/time 1 10 10 c_flux[3]'
    for no in cxflux c-flux xcflux uflux; do # only c_, f_ and v_ refer to the script
        kappa metal "$no[1] $no[2] $no[3]" 1 'thermo 10' | txt2bin -o no.mbf
        fails 2 green-kubo --property thermal-conductivity --columns "$no[1],$no[2],$no[3]" no.mbf
        [[ $output == *"--flux"* ]]
    done
    # in units lj thermo divides by N, but not variables
    kappa lj 'c_flux[1] c_flux[2] c_flux[3]' 1 'thermo_modify norm no' | txt2bin -o lj.mbf
    line=$(green-kubo --property thermal-conductivity lj.mbf)
    [[ $line == *" unit lj flux total" ]]
    want=$(cut -d' ' -f2,4 <<<"$line")
    is per-atom lj 'c_flux[1] c_flux[2] c_flux[3]' 0.02 'thermo 10'
    is per-atom lj 'f_flux[1] f_flux[2] f_flux[3]' 0.02 'fix flux all ave/time 1 10 10 c_flux[1] c_flux[2] c_flux[3]'
    is total lj 'v_Jx v_Jy v_Jz' 1 'variable Jx equal c_flux[1]\nvariable Jy equal c_flux[2]\nvariable Jz equal c_flux[3]'
    is density lj 'v_Jx v_Jy v_Jz' 0.001 'variable Jx equal c_flux[1]/vol\nvariable Jy equal c_flux[2]/vol\nvariable Jz equal c_flux[3]/vol'
    # information that no input states is requested
    asks='the input does not state whether this flux is for the whole cell, per volume or per atom (give --flux total, --flux density or --flux per-atom)'
    for script in 'variable Jx equal c_flux[1]/vol*2' 'fix x all ave/time 1 10 10 c_flux[1] c_flux[2]\nvariable Jx equal f_x' 'variable Jx equal c_other[1]/vol' 'compute t all temp\nvariable Jx equal c_t[1]/vol' 'thermo 10'; do
        kappa lj 'v_Jx v_Jy v_Jz' 0.001 "$script" | txt2bin -o u.mbf
        fails 2 green-kubo --property thermal-conductivity u.mbf
        [ "$output" = "green-kubo: u.mbf: column v_Jx: $asks" ]
    done
    [ "$(value --property thermal-conductivity --flux density u.mbf | cut -c1-6)" = "$(cut -c1-6 <<<"$want")" ]
    value --property thermal-conductivity --flux density u.mbf -o f.mbf >/dev/null
    frame-check -v f.mbf | grep -E "data.flux_scale +density$"
    kappa lj 'v_Jx v_Jy v_Jz' 0.02 'thermo 10' | txt2bin -o u.mbf
    [ "$(value --property thermal-conductivity --flux per-atom:50 u.mbf | cut -c1-6)" = "$(cut -c1-6 <<<"$want")" ]
    fails 2 green-kubo --property thermal-conductivity --flux per-atom u.mbf
    [[ $output == *"column v_Jx is per atom: expected the number of atoms, found none (give --flux per-atom:N)" ]]
    kappa lj 'v_Jx v_Jy c_flux[3]' 1 'variable Jx equal c_flux[1]/vol\nvariable Jy equal c_flux[2]/vol' | txt2bin -o mixed.mbf
    fails 2 green-kubo --property thermal-conductivity --columns 'v_Jx,v_Jy,c_flux[3]' mixed.mbf
    [[ $output == *"expected columns of the same kind of flux, found v_Jx and c_flux[3]" ]]
    sed '1,/^   Step/{ /^   Step/!d; }' k.log | sed '1iPer MPI rank memory allocation = 1' | txt2bin --dt 0.1 --units lj -o cut.mbf # no script before the run
    fails 2 green-kubo --property thermal-conductivity cut.mbf
    { echo '# jx jy jz'; cat heat.txt; } | txt2bin --dt 0.1 -o j.mbf
    at='--temperature 300 --volume 8000'
    fails 2 green-kubo --property thermal-conductivity --unit lj $at j.mbf
    [[ $output == *"column jx: $asks" ]]
    fails 2 green-kubo --property conductivity --unit lj $at j.mbf
    # a unit may state the normalisation: 1 W/m^2 over 8000 A^3 is 8e-27 W m
    [[ $(green-kubo --property thermal-conductivity --unit W/m^2 $at j.mbf) == *" flux density" ]]
    [[ $(green-kubo --property thermal-conductivity --unit W*m $at j.mbf) == *" flux total" ]]
    paste -d' ' <(value --property thermal-conductivity --unit W/m^2 $at j.mbf) <(value --property thermal-conductivity --unit W*m $at j.mbf) |
        awk '{ exit !(($1 / $3 / 8e-27^2 - 1)^2 < 1e-12) }'
    fails 2 green-kubo --property thermal-conductivity --unit W/m^2 --flux total $at j.mbf
    fails 2 green-kubo --property viscosity --flux total --unit bar $at --columns jx,jy,jz j.mbf
    fails 2 green-kubo --flux total j.mbf
    fails 2 green-kubo --flux each j.mbf
    [[ $output == *"expected total, density, per-atom or per-atom:N, found 'each'"* ]]
    # a sum over atoms is not a pressure
    kappa metal 'c_s[1] c_s[2] c_s[3]' 1 'compute s all reduce sum c_st[4] c_st[5] c_st[6]' | txt2bin -o s.mbf
    fails 2 green-kubo --property viscosity --columns 'c_s[1],c_s[2],c_s[3]' s.mbf
    [ "$output" = "green-kubo: s.mbf: column c_s[1]: expected a pressure, found a quantity that is not per unit volume" ]
}

@test "rows far apart are told, unless they are means; a gap, a short and a constant run are refused" {
    memory 4000 3 5 1 >fast.txt
    txt2bin --dt 1 fast.txt | green-kubo 2>err
    grep -q 'the rows are far apart in time. If their values are instantaneous' err
    { echo '# a b c'; echo '## data.averaged 10'; cat fast.txt; } | txt2bin --dt 1 | green-kubo 2>err
    [ ! -s err ]
    seq 40 | txt2bin --dt 1 -o short.mbf
    fails 2 green-kubo short.mbf
    [[ $output == "green-kubo: short.mbf: expected at least 64 steps, found 40" ]]
    txt2bin --dt 1 fast.txt -o f.mbf
    frame-cut 0:100 f.mbf -o 1.mbf
    frame-cut 200:300 f.mbf -o 2.mbf
    frame-cat 1.mbf 2.mbf -o gap.mbf 2>/dev/null || cat 1.mbf 2.mbf >gap.mbf
    fails 2 green-kubo gap.mbf
    yes 1 | head -n 100 | txt2bin --dt 1 -o same.mbf
    fails 2 green-kubo same.mbf
    [[ $output == *"expected a series that varies, found a constant one" ]]
}

@test "runs too short for the correlation time are refused however many, with the length that is enough" {
    memory 4000 1 5 200 | split -l 100 - part. # 40 runs of 10 ps, half a correlation time
    for f in part.*; do txt2bin --dt 0.1 "$f" -o "$f.mbf"; done
    fails 2 green-kubo part.*.mbf
    [[ $output =~ "expected runs of at least "([0-9.e+]+)" ps, found at most 10 ps: the correlation time is about "[0-9.]+" ps" ]]
    awk -v l="${BASH_REMATCH[1]}" 'BEGIN { exit !(l > 20) }'
    # functions are integrated up to a given time
    green-kubo --cutoff 1 part.*.mbf
}

@test "40 runs of 20 correlation times give the value of one long run, and their means do not lower it" {
    memory 16000 1 6 20 | split -l 400 - part.
    for f in part.*; do { echo '# jx'; cat "$f"; } | txt2bin --dt 0.1 -o "$f.mbf"; done
    for p in none conductivity; do
        at=$([ $p = none ] || echo --unit lj --flux total --temperature 1 --volume 1 --columns jx)
        # shellcheck disable=SC2086
        read -r _ v _ s _ <<<"$(green-kubo --property $p $at part.*.mbf)"
        near "$v" "$s" "$(truth 0.1 20)" 2.5
        awk -v v="$v" -v s="$s" 'BEGIN { exit !(s < 0.2 * v) }'
        # without a correction, the integral would lose 2t/T of its value, 50 %
        # shellcheck disable=SC2086
        read -r _ v _ s _ <<<"$(green-kubo --property $p $at --cutoff 10 part.*.mbf)"
        near "$v" "$s" "$(truth 0.1 20)" 2.5
    done
}

@test "a flux whose integral is 0 gives 0 within its error" {
    # the velocity of a bound, overdamped particle
    for seed in 1 2 3 4; do
        memory 6001 3 $seed | awk '{ if (NR > 1) print $1 - x, $2 - y, $3 - z; x = $1; y = $2; z = $3 }' | txt2bin --dt 0.1 | green-kubo -q
    done | awk '{ print; exit !($2 * $2 < 9 * $4 * $4 && $4 < 1e-3 * '"$(truth 0.1)"') }'
}

@test "a flux whose integral is 0 gives 0 although means are subtracted, in long runs" {
    for seed in 1 2 3 4 5 6 7 8; do
        memory 16001 3 $seed 5 | awk '{ if (NR > 1) print $1 - x + 2, $2 - y + 2, $3 - z + 2; x = $1; y = $2; z = $3 }' | txt2bin --dt 0.1 | green-kubo -q
    done | awk '{ print; p += $2 / $4 / 8 } END { print p; exit !(p * p < 0.64) }'
}

@test "a run that changed is reported and has no error: a tenth of it was not at equilibrium" {
    memory 6000 3 5 | awk '{ w = NR < 600 ? 6 * exp(-NR / 300) : 0; print $1 + w, $2 + w, $3 - w }' | txt2bin --dt 0.1 -o changed.mbf
    green-kubo changed.mbf 2>err | grep -q ' +- nan '
    grep -qE '^green-kubo: warning: no error is printed, because in run 1 the mean (of c[123]|square of c1,c2,c3) changes from .* in the first .* % of the run to .* in the rest \(if the run began before equilibrium, omit the beginning with --from\)$' err
    # the columns of the flux, and the warning in the output; a run that did not change hides none
    memory 6000 3 5 | awk 'BEGIN { print "pxx_bar pyy_bar pzz_bar" } { w = NR < 600 ? 9 : 0; print $1 + w, $2 + w, $3 + w }' | txt2bin --dt 0.1 -o start.mbf
    memory 6000 3 6 | awk 'BEGIN { print "pxx_bar pyy_bar pzz_bar" } { print }' | txt2bin --dt 0.1 -o still.mbf
    for runs in start.mbf 'start.mbf still.mbf'; do
        green-kubo --property bulk-viscosity --temperature 300 --volume 8000 $runs -o bv.mbf 2>err | grep -q ' +- nan '
        grep -q 'because in run 1 the mean square of pxx_bar,pyy_bar,pzz_bar changes from' err
        [[ "$(bin2txt --meta bv.mbf | sed -n 's/^data.changed\t//p')" == 'run 1: the mean square of pxx_bar,pyy_bar,pzz_bar is '*'do not describe one state of equilibrium'* ]]
    done
    memory 6000 1 5 | awk 'BEGIN { print "p_bar" } { print $1 + (NR < 3000 ? -2 : 2) }' | txt2bin --dt 0.1 | green-kubo 2>err
    grep -q 'because in run 1 the mean of p_bar changes from' err
    green-kubo --property bulk-viscosity --temperature 300 --volume 8000 still.mbf -o bv.mbf
    [ "$(bin2txt --meta bv.mbf | grep -c data.changed)" -eq 0 ]
    green-kubo --from 120 changed.mbf 2>err >got # the remedy
    [ ! -s err ]
    ! grep nan got
    memory 6000 3 5 | txt2bin --dt 0.1 | green-kubo 2>err
    [ ! -s err ]
}

@test "a temperature that changed during a run is reported, unless --temperature gives it" {
    heated() { memory 6000 4 9 | awk -v step="$1" 'BEGIN { print "# step t_ps T_K V_A3 pxy_bar pxz_bar pyz_bar" } { print NR, NR / 10, 300 + 5 * $4 + (NR <= 1500 ? step : 0), 8000, $1, $2, $3 }' | txt2bin -o "$2"; }
    heated 0 even.mbf
    heated 60 cooled.mbf
    green-kubo --property viscosity even.mbf >got 2>err
    [ ! -s err ]
    green-kubo --property viscosity cooled.mbf -o v.mbf 2>err | grep -q ' +- nan '
    grep -q 'no error is printed, because in run 1 the mean of T_K changes from 3[56][0-9.]* in the first .* to \(29\|30\)[0-9.]* in the rest' err
    [[ "$(bin2txt --meta v.mbf | sed -n 's/^data.changed\t//p')" == 'run 1: the mean of T_K is '* ]]
    [ "$(green-kubo even.mbf --property viscosity --temperature 300 --cutoff 3)" = "$(green-kubo cooled.mbf --property viscosity --temperature 300 --cutoff 3 2>err)" ]
    [ ! -s err ]
    ! grep nan got
}

lammps_log() { # FILE
    tensor t.txt 4
    {
        printf 'LAMMPS (2 Aug 2023)\nunits real\nrun 6000\n  Unit style    : real\n  Time step     : 2\n'
        echo '   Step          Temp          Volume          Pxx Pyy Pzz Pxy Pxz Pyz'
        awk '{ print NR * 10, 300, 8000, $0 }' t.txt
        echo 'Loop time of 1 on 1 procs for 6000 steps with 10 atoms'
    } >"$1"
}

@test "viscosity.sh: a log of LAMMPS in, the number of green-kubo and a picture out" {
    lammps_log 'a log.lammps'
    BIN=$BIN OUT=eta sh "$ROOT/pipelines/viscosity.sh" --run 1 'a log.lammps' --temperature 300
    diff eta.txt <(txt2bin 'a log.lammps' | green-kubo --property viscosity)
    bin2txt eta.mbf | head -n 1 | grep -q int_viscosity
    command -v gnuplot >/dev/null || skip "no gnuplot"
    [ "$(head -c 4 eta.png | tail -c 3)" = PNG ]
}

@test "viscosity.sh: an option without its value, and an input that fails, are said in one line with the user's names" {
    viscosity() { BIN=$BIN timeout 20 sh "$ROOT/pipelines/viscosity.sh" "$@"; }
    for o in --tmax --run --units --timestep; do
        fails 2 viscosity --run 2 no.log $o
        [ "$output" = "viscosity.sh: $o: expected a value, found none" ]
    done
    fails 3 viscosity no.log
    [ "$output" = "txt2bin: no.log: cannot open: No such file or directory" ]
    lammps_log whole.log # as `log FILE` opens it, without units and time step
    sed '1,/Time step/d' whole.log | sed '1iPer MPI rank memory allocation = 1' >middle.log
    fails 2 viscosity middle.log
    OUT=middle BIN=$BIN sh "$ROOT/pipelines/viscosity.sh" --units real --timestep=0.002 middle.log 2>/dev/null
    diff middle.txt <(txt2bin whole.log | green-kubo --property viscosity)
    lammps_log 'a & b|c.log'
    fails 2 viscosity --run=1 'a & b|c.log' -q --to=0.1
    [ "$output" = "green-kubo: a & b|c.log: expected at least 64 steps, found 5" ]
}

@test "viscosity.sh: a failure leaves the results that stood there, and a signal no folder" {
    lammps_log log
    export TMPDIR=$PWD
    for o in txt mbf png; do echo "older $o" >"viscosity.$o"; done
    ls >before
    fails 2 sh "$ROOT/pipelines/viscosity.sh" log --temperature abc
    for o in txt mbf png; do [ "$(<"viscosity.$o")" = "older $o" ]; done
    mkfifo slow
    sh "$ROOT/pipelines/viscosity.sh" slow >/dev/null 2>&1 &
    exec 8>slow # when it reads
    kill $!
    exec 8>&-
    ! wait $! || false
    rm slow
    diff before <(ls)
}

@test "long: the viscosity of Lennard-Jones at the triple point, 3.24 in reduced units" {
    left
    [ -z "${SANITIZED:-}" ] || skip "a hundred seconds of md-cpu, which its own tests run under sanitizers"
    # 864 atoms, cut at 2.5. Published: 3.24 +- 0.04 for 2,048 atoms, 3.6e6 steps (M. Ferrario, G.
    # Ciccotti, B. L. Holian, J. P. Ryckaert, Phys. Rev. A 44 (1991) 6936); 3.257 +- 0.030 for 1,372
    # atoms, 100 runs of 300 units (documentation of STACIE, whose paper is J. Chem. Inf. Model. 65
    # (2025) 10445). Other sizes, and the temperatures of runs of constant energy, contribute 2 %:
    # 0.07
    md-cpu -q --units lj --atoms 864 --density 0.8442 --temperature 0.722 --dt 0.004 --thermostat berendsen:0.5 --equilibrate 20000 \
        --steps 200 --restart lj.rst -o eq.mbf
    md-cpu -q --from-restart lj.rst --thermostat none --equilibrate 0 --steps 300000 --every 300000 --thermo lj.txt --thermo-every 10 --stress --stress-every 2 -o last.mbf
    txt2bin lj.txt | green-kubo --property viscosity | tee eta.txt
    awk '{ exit !($4 < 0.45 && ($2 - 3.24)^2 < (3 * $4)^2 + 0.07^2) }' eta.txt
}

@test "viscosity.sh: an error that is not known is no \"+- 0\" in the picture" {
    mkdir stub
    cat >stub/gnuplot <<END
#!/bin/sh
cp plot.gp "$PWD/seen.gp"
echo drawn >picture.png
END
    chmod +x stub/gnuplot
    rows() { awk "$UNIFORM"'BEGIN { seed(3); print "# pxy pxz pyz"; for (i = 0; i < '"$1"'; i++) { for (k = 0; k < 3; k++) x[k] = '"$2"' * x[k] + uniform() - 0.5; print x[0], x[1], x[2] } }'; }
    vis() { PATH=$PWD/stub:$PATH BIN=$BIN sh "$ROOT/pipelines/viscosity.sh" --dt 0.1 --unit bar --volume 8000 --temperature 300 "$1" 2>said; }
    rows 100 1.02 >short.txt
    PATH=$PWD/stub:$PATH BIN=$BIN sh "$ROOT/pipelines/viscosity.sh" --dt 0.1 --unit bar --volume 8000 --temperature 300 --cutoff 1 short.txt 2>said
    grep -q '+- nan mPa' viscosity.txt
    grep -qE '^set title "viscosity [0-9.e+-]+ mPa s \(error not known\)"' seen.gp
    fails 1 grep -E '± ?(0|nan)' seen.gp
    rows 4000 0.9 >long.txt
    vis long.txt
    title=$(awk '$4 > 1e-7 && $4 < 9.9e-7 { printf "viscosity %.8f ± %.8f mPa s", $2, $4 }' viscosity.txt)
    grep -qF "set title \"$title\"" seen.gp
    grep -q 'set ylabel "η / (mPa s)"' seen.gp
}
