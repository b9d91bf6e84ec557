# SPDX-License-Identifier: MIT
# The META of a run has its options, so that sums and steps with different options are never treated
# as one run.

load ../helpers

@test "two values of any option of any program that give another content give another META, and are not merged or joined" {
    awk 'BEGIN { for (i = 0; i < 30; i += 3) print i, i + 1, i + 2 }' >three
    awk 'BEGIN { for (i = 0; i < 30; i += 6) print i, i + 1, i + 4 "\n" i + 3, i + 2, i + 5 }' >mixed # as many, of the same atoms
    awk 'BEGIN { for (i = 0; i < 30; i += 3) print i, i + 2, i + 1 }' >turned-round
    awk 'BEGIN { print "q O H"; for (q = 0; q < 9; q++) print q, 1, 2 }' >factors
    awk 'BEGIN { print "q H O"; for (q = 0; q < 9; q++) print q, 1, 2 }' >others
    for k in 1 2; do
        awk -v k=$k 'BEGIN { print "rank 2 +did\nunit 1\nr O-O O-H H-H"; for (r = 5; r < 50; r += 5) print r / 10, k, 1, 1; print 5, 0, 0, 0 }' >$([ $k = 1 ] && echo function || echo changed)
    done
    printf '%s\n' 'molecule W O H H' 'site O 1 1 2 frame 1-2,3' >model
    printf '%s\n' 'molecule W O H H' 'site O 1 1 2 frame 1-3,2' >turned
    printf '%s\n' 'molecule W O H H' 'site O 1 charge -0.8' 'site 2 0 charge 0.4' 'site 3 0 charge 0.4' >charged
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
    py forge/planted_ions free 4 20 | traj2bin -q --units metal --timestep 0.001 --velocities --scalars q -o ions
    current -q --quantity dipole --unwrapped ions | acf -q -o dipole.corr
    alpha-cpu -q --polarizability O=1,H=0 --parts few -o few.pi
    py whole/options "$BIN"
}

# formerly PROGRAM NEW OLD VALUE INPUT ARGUMENT...: both names give one content, META has the given
# name, and only the new name is in --help
formerly() {
    local p=$1 new=$2 old=$3 value=$4 in=$5
    shift 5
    "$p" -q "$@" "--$new$value" "$in" -o new.mbf
    "$p" -q "$@" "--$old$value" "$in" -o old.mbf
    [ "$(frame-check -v new.mbf | grep 'content ')" = "$(frame-check -v old.mbf | grep 'content ')" ]
    bin2txt --meta new.mbf | grep -E '^prov\.[0-9]+\.args' | tail -n 1 | grep -qF -- "--$new"
    bin2txt --meta old.mbf | grep -E '^prov\.[0-9]+\.args' | tail -n 1 | grep -qF -- "--$old"
    diff <(bin2txt --meta new.mbf | grep -v '^prov') <(bin2txt --meta old.mbf | grep -v '^prov')
    "$p" --help | grep -qE -- "^ +--$new( |$)"
    [ -z "$("$p" --help-all | grep -E -- "^ +--$old( |$)")" ]
    "$p" --help-all | tr -s ' \n' ' ' | grep -qF -- "(formerly --$old)"
}

@test "META of what every program writes: quantity, unit, columns and rules are those of golden/meta.txt" {
    inputs 8 30
    declared reads writes | while read -r p input options; do
        case $p in bin2txt | bin2xyz | compare | einstein | frame-check) continue ;; esac
        [ "$input" != - ] || input=
        # shellcheck disable=SC2086
        "$p" -q $options -o out $input >/dev/null 2>err || { cat err; exit 1; }
        echo "== $p ${options//"$PWD/"/}"
        bin2txt --meta out | grep '^data\.' | grep -v '^data\.axis2*\.' | sort
    done >all
    [ -z "${REMAKE:-}" ] || cp all "$ROOT/tests/golden/meta.txt" # when a text was changed on purpose
    grep '^== ' "$ROOT/tests/golden/meta.txt" >known || true # a new program need not be there
    awk 'NR == FNR { known[$0]; next } /^== / { on = $0 in known } on' known all >got
    diff "$ROOT/tests/golden/meta.txt" got
}

@test "a former name of an option means what the new one does, and shares made with either merge" {
    frame-cut 0:60 "$DATA/water64.mbf" -o in
    frame-cut --atoms 0:30 0:40 "$DATA/water64.mbf" -o few
    msd-cpu -q --unwrapped --lags 40 in -o msd
    bin2xyz few -o few.xyz
    formerly g4-cpu beta-weights weights =O=1,H=2 few --sigma 3 --lags 8
    formerly g4-cpu components apart "" few --sigma 3 --lags 8 --component all
    formerly beta-gen beta-weights weights =O=1,H=2 few --sigma 3
    formerly vacf-cpu vacf-weights weights =mass in --lags 8
    formerly vacf-cpu axes apart "" in --lags 8
    formerly msd-cpu axes apart "" in --unwrapped --lags 8
    formerly xyz2bin jumps-ok unsorted-ok "" few.xyz
    # the old name in full or abbreviated, its value in the next word, both names, and messages
    vacf-cpu -q --lags 8 --shard 1/2 --weig mass in -o 1
    vacf-cpu -q --lags 8 --shard 2/2 --vacf-weights mass in -o 2
    frame-merge 1 2 -o whole
    vacf-cpu -q --lags 8 --vacf-weights mass in | compare --rtol 1e-9 - whole
    fails 2 g4-cpu --lags 8 --weights nonsense few
    [[ $output == "g4-cpu: --beta-weights: "* ]]
    fails 2 g4-cpu --weights
    [[ $output == "g4-cpu: option --beta-weights needs A=W,... "* ]]
    fails 2 g4-cpu -weights A=1 few
    [[ $output == "g4-cpu: unknown option '-weights': did you mean --beta-weights? "* ]]
    # the warning of a changed sample advises --from, which must not select lags
    fails 2 einstein --from 0.1 msd
    [[ $output == "einstein: unknown option '--from'"* ]]
    fails 2 g4-cpu --weigths A=1 few
    [[ $output == "g4-cpu: unknown option '--weigths': did you mean --beta-weights? "* ]]
}

@test "--unsorted-ok of traj2bin accepts rows without ids, --jumps-ok frames in which many atoms jump" {
    printf '4\nLattice="9 0 0 0 9 0 0 0 9"\nAr 1 1 1\nAr 4 1 1\nAr 1 4 1\nAr 1 1 4\n' >one.xyz
    { cat one.xyz; head -n 2 one.xyz; tail -n 4 one.xyz | tac; } >mixed.xyz
    fails 2 traj2bin --dt 1 --unsorted-ok mixed.xyz -o no
    [[ $output == *"4 of 4 atoms moved by more than a quarter of the cell "*", use --jumps-ok)"* ]]
    [ "$(traj2bin -q --dt 1 --jumps-ok mixed.xyz | bin2txt | grep -v '^#')" = "$(xyz2bin -q --dt 1 --unsorted-ok mixed.xyz | bin2txt | grep -v '^#')" ]
    fails 2 xyz2bin --dt 1 mixed.xyz -o no
    awk 'BEGIN { for (t = 0; t < 2; t++) printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS type x y z\n1 %d 1 1\n", t, t }' >a.dump
    fails 2 traj2bin --units metal --dt 1 --jumps-ok a.dump -o no
    traj2bin -q --units metal --dt 1 --unsorted-ok a.dump -o yes
}
