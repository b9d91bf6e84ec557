# SPDX-License-Identifier: MIT
# sanitize
# current: charge currents and dipole moments compared with sums in awk, and the conductivity of
# planted ions by green-kubo and by einstein.
# reads: current IONS --quantity both
# options: current steps ions --quantity=dipole --unwrapped
# option: current quantity dipole both
# option: current molecules: the dipole of neutral molecules
# option: current charged-ok: what is refused
# option: current unwrapped: what is refused

load ../helpers

rows() { bin2txt "$@" | grep -v '^#'; }

# ions KIND IONS STEPS: KIND.dump and KIND.mbf, wrapped
ions() {
    py forge/planted_ions "$@" >"$1.dump"
    from_dump "$1.dump" -o "$1.mbf"
}
from_dump() { traj2bin -q --units metal --timestep 0.001 --velocities --scalars q --species 1=Na,2=Cl "$@"; }

# close FILE WANTED: all numbers of the rows agree within 1e-12 of the sum of magnitudes, for the
# rounding of sums of 6 products
close() {
    paste -d' ' "$1" "$2" | awk '{ if (NF != 16) exit 1
        for (k = 3; k <= 8; k++) if (($k - $(k + 8))^2 > (1e-12 * 200)^2) { print; exit 1 } } END { exit NR < 3 }'
}

@test "J and M are the sums of q v and q r, for f32 and f64, charges that change, and a cell without a wall" {
    ions free 6 5
    # charges of every step, which add up to 0
    awk '/^0 20/ { print; next } /^ITEM: ATOMS/ { f++ } NF == 9 { $3 *= 1 + 0.125 * f; if ($1 == 1 || $1 == 2) $3 *= 2 } { print }' free.dump >q.dump
    for o in "--dtype f32" "--dtype f64" "--dtype f64 --pbc none"; do
        # shellcheck disable=SC2086
        from_dump $o q.dump -o q.mbf
        current --quantity both --unwrapped q.mbf -o both.mbf
        rows both.mbf >got
        rows --digits 17 q.mbf | awk '{ t[$1] = $2; for (k = 0; k < 3; k++) { j[$1, k] += $10 * $(7 + k); m[$1, k] += $10 * $(4 + k) } n = $1 }
            END { for (s = 0; s <= n; s++) printf "%d %s %.17g %.17g %.17g %.17g %.17g %.17g\n", s, t[s],
                j[s, 0], j[s, 1], j[s, 2], m[s, 0], m[s, 1], m[s, 2] }' >want
        close got want
        cut -d' ' -f1-5 got | cmp - <(rows <(current q.mbf))
        cut -d' ' -f1-2,6-8 got | cmp - <(rows <(current --quantity dipole --unwrapped q.mbf))
        cut -d' ' -f6-8 got | cmp - <(current --quantity point --unwrapped q.mbf | rows | cut -d' ' -f4-6)
    done
    bin2txt both.mbf | grep -qx '# step t_ps jx jy jz mx my mz'
    bin2txt both.mbf | grep -q '^## unit.of .*jz:e\*A/ps mx:e\*A '
    # segments that follow each other
    frame-cut -q :3 q.mbf -o a.mbf
    frame-cut -q 3: q.mbf -o b.mbf
    cat a.mbf b.mbf | current | rows | grep . | cmp - <(rows <(current q.mbf))
}

@test "planted ions: green-kubo and einstein give N q^2 D/(V kT) in S/m, bound charges give 0" {
    # sigma = 16 e^2 D / (V kT) with D of forge/planted_ions, CODATA 2018 and 8000 A^3 at 1305 K:
    # 16 (1.602176634e-19 C)^2 5.02601e-8 m^2/s / (8e-27 m^3 1.380649e-23 J/K 1305 K) = 143.212 S/m
    want=$(awk 'BEGIN { phi = exp(-0.25); d = 25 * 0.05 * (1 + phi) / (2 * (1 - phi))
        printf "%.6g", 16 * 1.602176634e-19^2 * d * 1e-8 / (8000e-30 * 1.380649e-23 * 1305) }')
    [ "$want" = 143.212 ]
    ions free 16 4000
    unwrap -q free.mbf -o u.mbf
    line=$(current free.mbf | green-kubo -q --property conductivity --temperature 1305)
    [[ $line == *" S/m cutoff "*" components 3 runs 1 length 200 T 1305 V 8000 unit e*A/ps flux total" ]]
    read -r _ gk _ se _ <<<"$line"
    line=$(current --quantity point u.mbf | msd-cpu --drift keep --tmax 50 | einstein --temperature 1305)
    [[ $line == "conductivity "*" S/m window "*" of msd T 1305 V 8000" ]]
    read -r _ eh _ se2 _ <<<"$line"
    # within three standard errors, each of which is below a tenth
    awk -v w="$want" -v a="$gk" -v s="$se" -v b="$eh" -v r="$se2" 'BEGIN {
        exit !((a - w)^2 < 9 * s^2 && (b - w)^2 < 9 * r^2 && s < 0.1 * w && r < 0.1 * w && s > 0 && r > 0) }' || { echo "$want: $gk $se, $eh $se2"; false; }
    # independent ions: Nernst-Einstein with D of all ions, whose error is smaller
    read -r _ d _ <<<"$(msd-cpu -q --drift keep --tmax 50 u.mbf | einstein --column msd)"
    awk -v d="$d" 'BEGIN { exit !((d / 5.02601 - 1)^2 < 0.06^2) }' || { echo "D $d"; false; }

    ions bound 16 4000
    unwrap -q bound.mbf -o u.mbf
    read -r _ gk _ se _ <<<"$(current bound.mbf | green-kubo -q --property conductivity --temperature 1305)"
    read -r _ eh _ se2 _ <<<"$(current --quantity point u.mbf | msd-cpu --drift keep --tmax 50 | einstein --temperature 1305)"
    # within three standard errors, or below 1e-3 of the value of free ions
    awk -v a="$gk" -v s="$se" -v b="$eh" -v r="$se2" 'BEGIN { exit !(a^2 < 9 * s^2 && s < 0.143 && b^2 < 0.143^2 && r < 0.143) }' ||
        { echo "bound: $gk $se, $eh $se2"; false; }
}

@test "parts of the conductivity: sigma_+- of pairs that move together is -8 e^2 D/(V kT), and 0 of independent ions" {
    for kind in bound free; do
        ions $kind 16 4000
        for q in Na=1,Cl=-1 Na=1,Cl=1 Na=1,Cl=0 Na=0,Cl=-1; do
            traj2bin -q --units metal --timestep 0.001 --species 1=Na,2=Cl --charges $q $kind.dump | unwrap -q |
                current -q --charged-ok --quantity point | msd-cpu -q --drift keep --tmax 50 | einstein -q --temperature 1305
        done >$kind.txt
        # half of the value of the test above for each species, within three standard errors
        awk -v pair=$([ $kind = bound ] && echo -71.606 || echo 0) '{ s[NR] = $2; e[NR] = $4 }
            function near(x, se, want) { print x, se, want; if ((x - want)^2 > 9 * se^2 || !(se > 0 && se < 12)) bad = 1 }
            END { near((s[1] - s[2]) / 4, (e[1] + e[2]) / 4, pair); near(s[3], e[3], 71.606); near(s[4], e[4], 71.606); exit bad || NR != 4 }' $kind.txt
    done
}

@test "the dipole of neutral molecules: wrapped positions give that of whole ones; charged molecules are refused" {
    ions bound 6 50
    current --quantity dipole --molecules 2 bound.mbf -o got.mbf
    unwrap -q --molecules 2 bound.mbf | current --quantity dipole | rows >want
    rows got.mbf | paste -d' ' - want | awk '{ for (k = 3; k < 6; k++) { if (($k - $(k + 5))^2 > 1e-10) { print; exit 1 } big += $k^2 } } END { exit NR != 50 || big < 1 }'
    seq 0 5 >single
    fails 2 current --quantity dipole --molecules single bound.mbf -o x
    [ "$output" = "current: bound.mbf: frame 0: --molecules: expected neutral molecules, found a charge of 1 e in molecule 0, counted from 0 (omit --molecules, and use unwrapped positions)" ]
    fails 2 current --molecules 2 bound.mbf -o x
    [[ $output == *"--molecules"*"with --quantity current"* ]]
    fails 2 current --quantity dipole --unwrapped --molecules 2 bound.mbf -o x
    [[ $output == *"--unwrapped"*"with --molecules"* && ! -e x ]]
}

@test "charges in an unknown unit: green-kubo asks for it, and accepts lj" {
    ions free 16 1000
    traj2bin -q --units lj --timestep 0.001 --velocities --scalars q free.dump -o lj.mbf
    current lj.mbf -o j.mbf
    bin2txt j.mbf | grep -q '^## unit.of .*jx:- '
    fails 2 green-kubo --property conductivity --temperature 2 j.mbf
    [[ $output == *"column jx: expected a known unit, found none; give one with --unit: "* ]]
    read -r _ gk _ se unit rest <<<"$(green-kubo -q --property conductivity --unit lj --temperature 2 j.mbf)"
    [ "$unit" = lj ]
    [[ $rest == *" flux total" ]]
    # 16 D / (V T) = 16 5.02601 / (8000 2)
    awk -v a="$gk" -v s="$se" 'BEGIN { w = 16 * 5.02601 / 16000; exit !((a - w)^2 < 9 * s^2 && s < 0.3 * w) }'
    fails 2 current --quantity point --unwrapped lj.mbf -o x
    [[ $output == *"expected the charges of the atoms in units of e, found no unit (give --charges"* ]]
}

@test "refused: no charges, unknown ones, a charged cell, wrapped positions, no velocities; each says what helps" {
    ions free 6 40
    traj2bin -q --units metal --timestep 0.001 --velocities free.dump -o none.mbf
    fails 2 current none.mbf -o x
    [[ $output == "current: none.mbf: expected the charges of the atoms (a scalar named charge or q), found none (give --charges or --scalars to traj2bin or xyz2bin)" ]]
    traj2bin -q --units metal --timestep 0.001 --charges 1=1,2=-1 --species 1=1,2=2 free.dump -o still.mbf
    fails 2 current still.mbf -o x
    [[ $output == "current: still.mbf: frame 0: expected velocities (VELO), found none (traj2bin --velocities keeps the velocities of a file)" ]]
    fails 2 current --quantity dipole free.mbf -o x
    [[ $output == "current: free.mbf: frame "*": expected unwrapped positions, found atom "*" (use unwrap(1), "* ]]
    unwrap -q free.mbf | current --quantity dipole -o m.mbf
    fails 2 current --unwrapped free.mbf -o x
    [[ $output == *"--unwrapped"*"with --quantity current"* ]]
    # the last ion has the charge -1/2 in frame 2
    awk '/^ITEM: ATOMS/ { f++ } NF == 9 && $1 == 6 && f == 3 { $3 = -0.5 } { print }' free.dump >odd.dump
    from_dump odd.dump -o odd.mbf
    fails 2 current odd.mbf -o x
    [ "$output" = "current: odd.mbf: frame 2: expected charges that add up to 0, found a total charge of 0.5 (--charged-ok accepts it)" ]
    fails 0 current --charged-ok odd.mbf -o j.mbf
    [[ $output == "current: warning: odd.mbf: the total charge is 0.5, so the result includes the motion of the centre of mass" ]]
    sed 's/^\([0-9]* [12]\) -*1 /\1 0 /' free.dump >zero.dump
    from_dump zero.dump -o zero.mbf
    fails 2 current zero.mbf -o x
    [ "$output" = "current: zero.mbf: frame 0: expected charged atoms, found only charges of 0" ]
    awk '/^ITEM: ATOMS/ { f++ } NF == 9 && $1 == 4 && f == 2 { $3 = "nan" } { print }' free.dump >nan.dump
    from_dump nan.dump -o nan.mbf
    fails 2 current nan.mbf -o x
    [ "$output" = "current: nan.mbf: frame 1: expected a charge for every atom, found none for atom 3 (counted from 0)" ]
    traj2bin -q --units si --dtype f64 --timestep 0.001 --velocities --scalars q free.dump -o si.mbf
    fails 2 current si.mbf -o x
    [[ $output == *"expected the charges of the atoms in units of e, found C (give --charges"* ]]
    [ ! -e x ]
    # the volume changes
    awk '/^ITEM: TIMESTEP/ { f++ } /^0 20/ { print 0, 20 + 0.1 * f; next } { print }' free.dump >npt.dump
    from_dump npt.dump -o npt.mbf
    fails 0 current npt.mbf -o j.mbf
    [[ $output == "current: warning: npt.mbf: the cell changes: the output states the volume of the first step, 8120.601 A^3, but the mean volume is "*" A^3 (multiply the conductivity by 0."* ]]
    sed 's/vz$/vz ix iy iz/; s/^\([0-9]* [12] .*\)/\1 0 0 0/' npt.dump >images.dump
    from_dump --unwrap images.dump -o images.mbf
    fails 0 current --quantity dipole --unwrapped images.mbf -o m.mbf
    [[ $output == *"the cell changes, but the positions were unwrapped with image flags"* ]]
    # the mean square displacement of a dipole moment is not one of atoms
    unwrap -q free.mbf | current --quantity point | msd-cpu -q --tmax 1 -o m.msd
    fails 2 einstein m.msd
    [ "$output" = "einstein: m.msd: displacements of a dipole moment need --temperature K" ]
    fails 2 einstein --temperature 300 --viscosity 1e-3 m.msd
    [[ $output == *"--viscosity cannot be used with displacements of a dipole moment" ]]
    unwrap -q free.mbf | msd-cpu -q --tmax 1 -o atoms.msd
    fails 2 einstein --temperature 300 atoms.msd
    [[ $output == *"--viscosity and --temperature must be given together, except for displacements of a dipole moment (current --quantity point)" ]]
}
