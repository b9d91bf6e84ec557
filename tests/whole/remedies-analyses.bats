# SPDX-License-Identifier: MIT
# Remedies in messages of the analyses: each is tried. A row of a table is
#     COMMAND | PIECE OF ITS MESSAGE | COMMAND WITH THE REMEDY | CHECK
# The first command fails with status 2 (of the table "warnings": succeeds) and gives the message on
# one line; the other one succeeds without it. CHECK: "= COMMAND", whose content is that of the
# remedied one; "~ PATTERN", which its text has; "-": it has rows.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    md-cpu -q --atoms 64 --density 0.021 --steps 600 --every 10 --velocities -o a.mbf
    bin2xyz -q a.mbf >a.xyz
    awk 'NF >= 4 && /^Ar/ { $1 = k++ % 2 ? "Kr" : "Ar" } /Lattice/ { k = 0 } { print }' a.xyz >mix.xyz
    xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 mix.xyz -o mix.mbf
    sed 's/^Ar/A/; s/^Kr/B/' mix.xyz | xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 -o ab.mbf
    unwrap -q a.mbf -o u.mbf
    unwrap -q mix.mbf -o um.mbf
    unwrap -q ab.mbf -o uab.mbf
    # no times, no cell, no sigma, no names
    awk '/Lattice/ { print "x"; next } { print $1, $2, $3, $4 }' a.xyz | awk 'NF == 4 && !/^Ar/ { $0 = $1 } { print }' >bare.xyz
    xyz2bin -q --unsorted-ok bare.xyz -o bare.mbf
    sed 's/ Time=[^ ]*//; s/ Step=[^ ]*//' a.xyz | awk '/Lattice/ { match($0, /Lattice="[^"]*"/); print substr($0, RSTART, RLENGTH) " Properties=species:S:1:pos:R:3"; next } NF > 1 { print $1, $2, $3, $4; next } { print }' >notime.xyz
    xyz2bin -q --unsorted-ok notime.xyz -o notime.mbf
    frame-cut -q 0:1 a.mbf -o one.mbf
    frame-cut -q 0:30 a.mbf -o first.mbf
    frame-cut -q 30: a.mbf -o last.mbf
    cat first.mbf last.mbf >parts.mbf
    printf '# q Ar Kr\n0 1 2\n1 1 2\n' >short.ff
    printf '# q Ar Kr\n0 1 2\n9 1 2\n' >long.ff
    awk "$UNIFORM"'BEGIN { seed(3); print "# xx xy xz yy yz zz"; for (i = 0; i < 300; i++) { for (k = 0; k < 6; k++) printf "%.6g ", uniform() - 0.5; print "" } }' >t.txt
    txt2bin -q --dt 0.1 t.txt -o t.mbf
    g4-cpu -q --sum mic --lags 3 --sigma 3.4 --series notime.t bare.mbf -o series.cf
    g4-cpu -q --sum mic --component all --lags 20 --blocks 4 a.mbf -o g.cf
    g4-cpu -q --sum mic --lags 20 --blocks 1 a.mbf -o noerr.cf
    rdf-cpu -q a.mbf -o h.mbf
    msd-cpu -q --lags 40 u.mbf -o m.msd
    acf -q --lags 50 --mean subtract t.mbf -o t.cf
    beta-gen -q --sum mic a.mbf -o pair.mbf
    cloud "20 0 0 0 20 0 0 0 20" 27 6 | sed 's/Properties/pbc="T T F" Properties/' | xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 -o slab.mbf
    cloud "$SKEW" 27 6 | xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 -o skew.mbf
    cloud "20 0 0 0 20 0 0 0 20" 8 4 | awk '{ sub(/^Ar/, "X"); print }' | xyz2bin -q --unsorted-ok --dt 0.1 --sigma 3.4 -o x.mbf
}

setup() { cd "$BATS_FILE_TMPDIR" || return 1; }

# trim TEXT: without blanks at its ends
trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# try STATUS: the rows of a table
try() {
    local want=$1 line command piece cure check bad=0 rows=0
    while IFS= read -r line; do
        [[ $line == *\|* ]] || continue
        rows=$((rows + 1))
        IFS='~' read -r command piece cure check <<<"${line//||/\~}"
        command=$(trim "$command") piece=$(trim "$piece") cure=$(trim "$cure") check=$(trim "$check")
        rm -f out.mbf
        run bash -o pipefail -c "$command -o out.mbf"
        if [ "$status" -ne "$want" ] || ! grep -qF -e "$piece" <<<"$output"; then echo "expected $want and '$piece', found $status: $command: $output"; bad=1; continue; fi
        rm -f out.mbf
        run bash -o pipefail -c "$cure -o out.mbf"
        if [ "$status" -ne 0 ] || grep -qF -e "$piece" <<<"$output"; then echo "the remedy failed, $status: $cure: $output"; bad=1; continue; fi
        case $check in
        =*) eval "${check#=} -q -o ref.mbf" && [ "$(content out.mbf)" = "$(content ref.mbf)" ] || { echo "other content: $cure, ${check#=}"; bad=1; } ;;
        "?"*) { printf '%s\n' "$output"; [ ! -e out.mbf ] || bin2txt -q out.mbf; } | grep -qE -e "$(trim "${check#?}")" || { echo "${check#?} expected: $cure"; bad=1; } ;;
        *) [ "$(bin2txt -q out.mbf | grep -vc '^#')" -gt 0 ] || { echo "no rows: $cure"; bad=1; } ;;
        esac
    done
    echo "$rows rows"
    [ $bad -eq 0 ] && [ $rows -gt 0 ]
}

@test "remedies of refusals: time series, correlation functions, spectra, rates" {
    try 2 <<'EOF'
acf --lags 20 --tmax 1.9 t.mbf || expected --lags or --tmax, found both || acf --tmax 1.9 t.mbf || = acf --lags 20 t.mbf
acf --tmax 1 notime.t || --tmax needs a time step, but the input has none (use --lags) || acf --lags 5 notime.t || -
acf --invariant vh --average A t.mbf || expected --invariant or --average, found both || acf --invariant vh t.mbf || -
acf --lags 301 t.mbf || 301 lags need at least 301 steps, found 300 || acf --lags 300 t.mbf || = acf t.mbf
fft-spectrum --weight nu4 t.cf || --weight nu4 needs --laser CM1 || fft-spectrum --weight nu4 --laser 20000 t.cf || -
fft-spectrum --laser 20000 t.cf || --laser needs --weight nu3, nu4 or rayleigh || fft-spectrum --laser 20000 --weight nu3 t.cf || -
fft-spectrum --quantum bose t.cf || --quantum bose needs --temperature K || fft-spectrum --quantum bose --temperature 90 t.cf || = fft-spectrum --quantum harmonic --temperature 90 t.cf
fft-spectrum --weight nu-tanh t.cf || --weight nu-tanh needs --temperature K || fft-spectrum --weight nu-tanh --temperature 90 t.cf || -
fft-spectrum --temperature 90 t.cf || --temperature needs --quantum or --weight nu-tanh || fft-spectrum --temperature 90 --quantum standard t.cf || -
fft-spectrum --weight nu2 --quantum bose --temperature 90 t.cf || cannot be combined with --quantum || fft-spectrum --weight nu2 t.cf || -
fft-spectrum --ratio xx/ab t.cf || expected A/B with the names of two functions, found functions named xx and xy in the input || fft-spectrum --ratio xx/xy t.cf || ? ^# .* xx/xy
g4-cpu -q --sum mic --lags 5 bare.mbf --sigma 3.4 | fft-spectrum || found none (give --dt PS || xyz2bin -q --unsorted-ok --dt 0.1 bare.xyz | g4-cpu -q --sum mic --sigma 3.4 --lags 5 | fft-spectrum || -
g4-cpu -q --sum mic --lags 5 bare.mbf --sigma 3.4 | nmr-rates || found none (give --dt PS || xyz2bin -q --unsorted-ok --dt 0.1 bare.xyz | g4-cpu -q --sum mic --sigma 3.4 --lags 5 | nmr-rates || -
msd-cpu -q --lags 40 notime.mbf --unwrapped | einstein || found none (give --dt PS || xyz2bin -q --unsorted-ok --dt 0.1 notime.xyz | msd-cpu --unwrapped -q --lags 40 | einstein --fit-from 1 --fit-to 3 || ? ^D [0-9]
einstein --viscosity 1e-3 m.msd || expected --temperature K together with --viscosity PA_S || einstein --fit-from 0.2 --fit-to 0.8 --viscosity 1e-3 --temperature 90 m.msd || ? images [+]
einstein --column D m.msd || expected the function D, found msd || einstein --fit-from 0.2 --fit-to 0.8 --column msd m.msd || = einstein --fit-from 0.2 --fit-to 0.8 m.msd
einstein --fit-from 1 --fit-to 0.5 m.msd || expected --fit-from below --fit-to || einstein --fit-from 0.5 --fit-to 1 m.msd || ? ^D [0-9]
nmr-rates noerr.cf --tail --highest 1e9 || expected a frequency below 1e+07 MHz || nmr-rates --tail --highest 1e5 noerr.cf || -
g4-cpu -q --sum mic --lags 20 --pair Ar-Kr mix.mbf | nmr-rates || expected pairs of one species, found Ar-Kr (use g4-cpu --pair H-H, or give --spins N) || g4-cpu -q --sum mic --lags 20 --pair Ar-Ar mix.mbf | nmr-rates || -
g4-cpu -q --sum mic --lags 20 mix.mbf | nmr-rates || g4-cpu --pair H-H, or first frame-cut --species H || frame-cut -q --species Ar : mix.mbf | g4-cpu -q --sum mic --lags 20 | nmr-rates || -
g4-cpu -q --sum mic --lags 20 --weights Ar=1,Kr=0 mix.mbf | nmr-rates || --spins N, the number of atoms whose weight is not 0 || g4-cpu -q --sum mic --lags 20 --weights Ar=1,Kr=0 mix.mbf | nmr-rates --spins 32 || -
g4-cpu -q --sum mic --component all --apart --lags 20 a.mbf | nmr-rates || g4-cpu --component all, without --components || g4-cpu -q --sum mic --component all --lags 20 a.mbf | nmr-rates || -
g4-cpu -q --sum mic --lags 15 a.mbf | nmr-rates --tail || --tail: expected at least 16 lags, found 15 (use more --lags in g4-cpu) || g4-cpu -q --sum mic --lags 16 a.mbf | nmr-rates --tail || -
nmr-rates --lowest 10 --highest 1 g.cf || expected --lowest no larger than --highest, found 10 and 1 || nmr-rates --lowest 1 --highest 10 g.cf || -
EOF
}

@test "remedies of refusals: positions, pairs, waves, motion" {
    try 2 <<'EOF'
g4-cpu --sum mic --lags 5 bare.mbf || give it with --sigma ANGSTROM || g4-cpu --sum mic --lags 5 --sigma 3.4 bare.mbf || -
g4-cpu --sum mic --tmax 0.4 notime.mbf --sigma 3.4 || use --lags || g4-cpu --sum mic --lags 5 --sigma 3.4 notime.mbf || = g4-cpu --sum mic --sigma 3.4 --lags 5 a.mbf
g4-cpu --sum mic --lags 5 --tmax 0.4 a.mbf || give only one || g4-cpu --sum mic --tmax 0.08 a.mbf || -
g4-cpu --sum mic --method factored a.mbf || --method factored needs --lags or --tmax || g4-cpu --sum mic --method factored --lags 60 a.mbf || -
g4-cpu --sum mic --apart --lags 5 a.mbf || --component all || g4-cpu --sum mic --apart --component all --lags 5 a.mbf || = g4-cpu --sum mic --component all --lags 5 a.mbf
g4-cpu --cutoff 6 --sum taper --lags 5 a.mbf || --cutoff applies only to --sum mic || g4-cpu --cutoff 6 --sum mic --lags 5 a.mbf || -
g4-cpu --sum ewald:4,6 --within 2 --lags 5 a.mbf || includes all pairs and cannot be limited by --within (use --sum ewald:pairs) || g4-cpu --sum ewald:pairs --within 2 --lags 5 a.mbf || -
g4-cpu --exclude 2 --within 4 --sum mic --lags 5 a.mbf || both select pairs: give only one || g4-cpu --within 4 --sum mic --lags 5 a.mbf || -
g4-cpu --sum ewald --lags 3 slab.mbf || use --sum taper || g4-cpu --sum taper --lags 3 slab.mbf || -
g4-cpu --lags 5 --sum taper pair.mbf || --sum needs positions, but the input has pair tables (give --sum to beta-gen) || beta-gen -q --sum taper a.mbf | g4-cpu --lags 5 || = g4-cpu --sum taper --lags 5 a.mbf
cat a.mbf | g4-cpu --sum mic --lags 5 --shard 1/2 || --shard needs a file || g4-cpu --sum mic --lags 5 --shard 1/2 a.mbf || -
g4-cpu --sum mic --shard 1/2 a.mbf || use --method factored with --lags || g4-cpu --sum mic --shard 1/2 --lags 5 --method factored a.mbf || -
g4-cpu --sum mic --lags 5 parts.mbf || join the parts of one run with frame-cat || frame-cat -q first.mbf last.mbf | g4-cpu --sum mic --lags 5 || = g4-cpu --sum mic --lags 5 a.mbf
fqt-cpu --qmax 1 --lags 5 parts.mbf || join the parts of one run with frame-cat || frame-cat -q first.mbf last.mbf | fqt-cpu --qmax 1 --lags 5 || = fqt-cpu --qmax 1 --lags 5 a.mbf
fqt-cpu --qmax 0.1 --lags 5 a.mbf || raise --qmax || fqt-cpu --qmax 1 --lags 5 a.mbf || -
fqt-cpu --qmax 1 --direction 9,1,0 --lags 5 a.mbf || raise --qmax || fqt-cpu --qmax 6 --direction 9,1,0 --lags 5 a.mbf || -
fqt-cpu --qmax 1 --tmax 1 notime.mbf || give --lags || fqt-cpu --qmax 1 --lags 5 notime.mbf || = fqt-cpu --qmax 1 --lags 5 a.mbf
fqt-cpu --qmax 1 --currents --lags 5 mix.mbf || use traj2bin --velocities or md-cpu --velocities || md-cpu -q --atoms 64 --density 0.021 --steps 600 --every 10 --velocities | fqt-cpu --qmax 1 --currents --lags 5 || = fqt-cpu --qmax 1 --currents --lags 5 a.mbf
fqt-cpu --qmax 1 --lags 5 --self-vectors 3 a.mbf || no effect without --self || fqt-cpu --qmax 1 --lags 5 --self --self-vectors 3 a.mbf || -
fqt-cpu --qmax 1 --lags 5 --direction 1,0,0 --qstep 0.1 a.mbf || no effect with --direction || fqt-cpu --qmax 1 --lags 5 --qstep 0.1 a.mbf || -
fqt-cpu --qmax 1 --lags 5 --direction 1,0,0 --vectors 9 a.mbf || no effect with --direction || fqt-cpu --qmax 1 --lags 5 --vectors 9 a.mbf || -
fqt-cpu --lags 5 --tmax 1 a.mbf || expected --lags or --tmax, found both || fqt-cpu --qmax 1 --lags 5 a.mbf || -
sq-cpu --qmax 0.1 a.mbf || raise --qmax || sq-cpu --qmax 1 a.mbf || -
sq-cpu --qmax 2 --convention faber-ziman mix.mbf || no effect without --pair || sq-cpu --qmax 2 --convention faber-ziman --pair Ar-Kr mix.mbf || -
sq-cpu --qmax 2 --weights Ar=1 --form-factor long.ff mix.mbf || expected --weights or --form-factor, found both || sq-cpu --qmax 2 --form-factor long.ff mix.mbf || = sq-cpu --qmax 2 --weights Ar=1,Kr=2 mix.mbf
sq-cpu --qmax 2 --form-factor short.ff mix.mbf || --form-factor: the table covers q from 0 to 1 1/A, but a wave vector has q = || sq-cpu --qmax 0.95 --form-factor short.ff mix.mbf || -
sq-cpu --qmax 2 --weights Ar=1 mix.mbf || expected a weight for every species, found none for Kr || sq-cpu --qmax 2 --weights Ar=1,Kr=1 mix.mbf || -
rdf-cpu --rmax corner skew.mbf || beyond half its smallest width || rdf-cpu --rmax half skew.mbf || = rdf-cpu skew.mbf
rdf-cpu --rmax half bare.mbf || give --rmax in A || rdf-cpu --rmax 6 bare.mbf || -
rdf-cpu --rmax 15 skew.mbf || give a smaller --rmax || rdf-cpu --rmax 1.5 skew.mbf || -
rdf-cpu --pair Ar-Ne mix.mbf || expected two of the species Ar Kr joined by a dash, found Ar-Ne || rdf-cpu --pair Ar-Kr mix.mbf || -
rdf-cpu -q --rmax 6 bare.mbf | rdf2sq || --method debye || rdf-cpu -q --rmax 6 bare.mbf | rdf2sq --method debye || -
rdf-cpu --lag 1 a.mbf || use unwrap(1) || unwrap -q a.mbf | rdf-cpu --lag 1 || = rdf-cpu --lag 1 u.mbf
rdf-cpu --lag 60 u.mbf || expected more than 60 steps, found 60 || rdf-cpu --lag 59 u.mbf || -
rdf-cpu -q --lag 1 u.mbf | rdf2sq || use rdf-cpu without --lag || rdf-cpu -q u.mbf | rdf2sq || = rdf-cpu -q u.mbf | rdf2sq
rdf2sq --window lorch --method debye h.mbf || --window lorch needs --method transform || rdf2sq --window lorch --method transform h.mbf || -
rdf2sq --qstep 3 --qmax 2 h.mbf || expected --qstep no larger than --qmax, found 3 and 2 || rdf2sq --qstep 1 --qmax 2 h.mbf || -
msd-cpu --lags 5 a.mbf || use unwrap(1) || unwrap -q a.mbf | msd-cpu --lags 5 || = msd-cpu --lags 5 u.mbf
msd-cpu --tmax 1 --unwrapped notime.mbf || (use --lags) || msd-cpu --lags 5 --unwrapped notime.mbf || = msd-cpu --lags 5 --unwrapped a.mbf
cat u.mbf | msd-cpu --method window || give --lags or --tmax || cat u.mbf | msd-cpu --method window --lags 60 || -
msd-cpu --alpha2 --method fft --lags 5 u.mbf || --alpha2: expected --method window, found fft || msd-cpu --alpha2 --method window --lags 5 u.mbf || -
msd-cpu --lags 5 uab.mbf || 'A' is not an element (--masses A=MASS || msd-cpu --lags 5 --masses A=39.95,B=83.798 uab.mbf || = msd-cpu --lags 5 um.mbf
msd-cpu --lags 5 uab.mbf || (or --drift keep) needs the mass of every species || msd-cpu --lags 5 --drift keep uab.mbf || = msd-cpu --lags 5 --drift keep um.mbf
msd-cpu --lags 5 --drift keep --masses Ar=1,Kr=2 um.mbf || without --drift subtract, --molecules or --vacf-weights mass || msd-cpu --lags 5 --masses Ar=1,Kr=2 um.mbf || -
msd-cpu --lags 5 --masses Ar=1,Kr=2,Xe=3 um.mbf || --masses: expected the name of a species in the input, found 'Xe' || msd-cpu --lags 5 --masses Ar=1,Kr=2 um.mbf || -
msd-cpu --lags 5 --masses Ar=0,Kr=0 um.mbf || expected a mass above 0 for at least one atom || msd-cpu --lags 5 --masses Ar=0,Kr=1 um.mbf || -
unwrap --masses Ar=1,Kr=2 mix.mbf || no effect without --drift subtract || unwrap --masses Ar=1,Kr=2 --drift subtract mix.mbf || -
unwrap --scheme images a.mbf || (traj2bin --unwrap), found other positions || unwrap --scheme tor a.mbf || = unwrap a.mbf
vacf-cpu --lags 5 mix.mbf || traj2bin --velocities keeps the velocities of a file || vacf-cpu --lags 5 a.mbf || -
vacf-cpu --lags 5 --weights Kr=2 a.mbf || --vacf-weights: expected a weight for every species, found none for Ar || vacf-cpu --lags 5 --weights Ar=2 a.mbf || -
alpha-cpu a.mbf || expected --polarizability A=X,... or --model FILE || alpha-cpu --polarizability Ar=1.64 a.mbf || -
alpha-cpu --polarizability Ar=1.64 mix.mbf || expected a value for species Kr || alpha-cpu --polarizability Ar=1.64,Kr=2.48 mix.mbf || -
alpha-cpu --polarizability Ar=1.64 --sum none a.mbf || the cell is periodic || alpha-cpu --polarizability Ar=1.64 --sum ewald a.mbf || = alpha-cpu --polarizability Ar=1.64 a.mbf
alpha-cpu --polarizability Ar=1.64 --order 1 --tolerance 1e-3 a.mbf || no effect without --order all || alpha-cpu --polarizability Ar=1.64 --order all --tolerance 1e-3 a.mbf || -
alpha-cpu --polarizability Ar=60 one.mbf || use --thole to damp short-range induction || alpha-cpu --polarizability Ar=60 --thole cubic:0.5 one.mbf || -
alpha-cpu --polarizability Ar=60 one.mbf || or --order 1) || alpha-cpu --polarizability Ar=60 --order 1 one.mbf || -
EOF
}

@test "remedies of warnings: what they advise leaves none" {
    try 0 <<'EOF'
g4-cpu --sum taper --lags 3 a.mbf || use --sum ewald, which includes all images || g4-cpu --sum ewald --lags 3 a.mbf || -
fft-spectrum --window none noerr.cf || use more lags or a --window || fft-spectrum --window hann noerr.cf || -
fft-spectrum --weight nu4 --laser 100 t.cf || below the laser frequency, 100 cm-1 || fft-spectrum --weight nu4 --laser 20000 t.cf || -
fft-spectrum --quantum schofield --temperature 0.5 t.cf || --quantum standard and harmonic have no such limit || fft-spectrum --quantum harmonic --temperature 0.5 t.cf || -
nmr-rates --highest 9e6 g.cf || the table ends where this error is 5 % || nmr-rates g.cf || -
EOF
}

@test "options without an effect in bin2txt and green-kubo are refused; with what they need they are not" {
    for o in "--digits 3" "--format csv"; do
        fails 2 bin2txt --meta $o a.mbf
        [[ $output == *"has no effect with --meta"* ]]
        bin2txt $o a.mbf >/dev/null
    done
    fails 2 green-kubo --property none --columns xx --tmax 1 t.mbf
    [[ $output == *"--tmax has no effect without -o FILE"* ]]
    green-kubo -q --property none --columns xx --tmax 1 t.mbf -o eta.mbf
    for o in "--temperature 300" "--volume 3000"; do
        fails 2 green-kubo --property none --columns xx $o t.mbf
        [[ $output == *"has no effect without --property"* ]]
    done
    bin2txt -q t.mbf | sed '1s/ xx / jx /; 1s/ xy / jy /; 1s/ xz / jz /' | txt2bin -q -o j.mbf
    green-kubo -q --property conductivity --unit e*A/ps --temperature 200 --volume 100 --columns jx,jy,jz j.mbf
}
