# SPDX-License-Identifier: MIT
# sanitize
# alpha-cpu --dipole: the dipole moment of permanent charges, dipoles and quadrupoles, and of the
# dipoles that they induce.

load ../helpers

# ALPHA=alpha-gpu: all tests run alpha-gpu, whose choice of a sum and memory differ
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    [ "${ALPHA:-alpha-cpu}" = alpha-cpu ] || alpha-cpu() { "$ALPHA" "$@"; }
}
on_gpu() { [ "${ALPHA:-alpha-cpu}" != alpha-cpu ]; }

# numbers FILE: rows of a series without step and time
numbers() { bin2txt --format tsv "$1" | tail -n +2 | cut -f 3-; }

# near TOLERANCE GOT WANT: equal numbers per line, to this part of the largest number of the line
near() {
    paste "$2" "$3" | awk -v t="$1" '
        { n = NF / 2; most = worst = 0
          for (i = 1; i <= n; i++) { a = $(n + i) < 0 ? -$(n + i) : $(n + i); if (a > most) most = a
              d = $i - $(n + i); if (d < 0) d = -d; if (!(d <= worst)) worst = d }
          print "worst", worst, "of", most; if (!(worst <= t * most)) bad = 1 }
        END { exit bad || NR == 0 }'
}

content() { frame-check -v "$@" 2>/dev/null | awk '$1 == "content"'; }

@test "a dense solver with its own Ewald sum: molecules, ions, frames; cubic, triclinic, long, free, damped" {
    numpy_python
    for kind in $DENSE; do
        dense $kind
        # dipoles FILE.. ARGS: permanent, orders 1 to 3, induced
        dipoles() {
            alpha-cpu --dipole --model model.txt "${thole[@]}" --order 3 --parts "${@:2}" x.mbf -o parts.m
            alpha-cpu --dipole --model model.txt "${thole[@]}" --tolerance "$1" --parts "${@:2}" x.mbf -o all.m
            { numbers parts.m | cut -f 4-6,10-; numbers all.m | cut -f 7-9; } | tr '\t' '\n' | paste - - -
        }
        dipoles 1e-11 >got
        tr ' ' '\t' <want >tabs
        echo "$kind"
        near 1e-9 got tabs
        dipoles 1e-6 >got
        near 1e-6 got tabs
        case $kind in free* | damped* | chains) continue ;; esac
        # on a mesh; the error is that of the field of a dipole, and is larger for quadrupoles
        dipoles 1e-6 --sum ewald:5 >got
        near 1e-4 got tabs
        dipoles 1e-9 --sum ewald:5,1e-8 >got
        near 3e-6 got tabs
    done
}

@test "two ions, an atom beside a charge, two molecules of CO2: closed forms" {
    printf '2\n\nNa 0 0 0\nCl 0 0 3.1\n' | xyz2bin -q --dtype f64 -o ions.mbf
    printf 'molecule Na Na\n site Na 0.2 charge 1\nmolecule Cl Cl\n site Cl 3 charge -1\n' >ions
    alpha-cpu --dipole --parts --model ions --tolerance 1e-12 ions.mbf -o ions.m
    numbers ions.m | cut -f 3,6,9,12,15 >got
    awk 'BEGIN { a = 0.2; b = 3; r = 3.1; f = 1 / r ^ 2; p = -r; m = f * (a + b + 4 * a * b / r ^ 3) / (1 - 4 * a * b / r ^ 6)
                 printf "%.15g\t%.15g\t%.15g\t%.15g\t%.15g\n", p + m, p, m, f * (a + b), m - f * (a + b) }' >want
    near 1e-12 got want
    # the charge of the ion is at the origin
    printf '2\n\nNa 0 0 0\nAr 0 4 0\n' | xyz2bin -q --dtype f64 -o atom.mbf
    printf 'molecule Na Na\n site Na 0 charge 1\nmolecule Ar Ar\n site Ar 1.64\n' >atom
    alpha-cpu --dipole --model atom atom.mbf -o atom.m
    numbers atom.m >got
    printf '0\t%.15g\t0\n' 0.1025 >want
    near 1e-14 got want
    # T-shaped: 3 Q/r^4 along the axis of the first, and half of it across that of the second
    printf '6\n\nC 0 0 0\nO -1.16 0 0\nO 1.16 0 0\nC 4.1 0 0\nO 4.1 -1.16 0\nO 4.1 1.16 0\n' | xyz2bin -q --dtype f64 -o pair.mbf
    printf 'molecule CO2 C O O\n site C 1.93 1.93 4.05 quadrupole -0.9 frame 2-3\n' >co2
    alpha-cpu --dipole --parts --model co2 --tolerance 1e-12 pair.mbf -o pair.m
    numbers pair.m | cut -f 4-9 >got
    awk 'BEGIN { r = 4.1; f = -0.9 / r ^ 4; a = 4.05; b = 1.93; t = 2 / r ^ 3
                 printf "0\t0\t0\t%.15g\t0\t0\n", (a * (1.5 + t * b * 3) + b * (3 + t * a * 1.5)) * f / (1 - t * t * a * b) }' >want
    near 1e-12 got want
    # three charges of the same quadrupole, 2 q d^2 of two oxygens, far away
    q=$(awk 'BEGIN { printf "%.17g", -0.9 / 2 / 1.16 ^ 2 }')
    printf 'molecule CO2 C O O\n site C 1.93 1.93 4.05 frame 2-3 charge %s\n site 2 0 charge %s\n site 3 0 charge %s\n' "$(awk "BEGIN { printf \"%.17g\", -2 * $q }")" "$q" "$q" >three
    sed 's/4\.1 /200 /' <(printf '6\n\nC 0 0 0\nO -1.16 0 0\nO 1.16 0 0\nC 4.1 0 0\nO 4.1 -1.16 0\nO 4.1 1.16 0\n') | xyz2bin -q --dtype f64 -o far.mbf
    for m in three co2; do alpha-cpu --dipole --model $m far.mbf | bin2txt --format tsv | tail -n +2 | cut -f 3- >$m.far; done
    near 1e-3 three.far co2.far
}

@test "a rare gas has no dipole moment; a cluster that turns has one that turns" {
    xyz2bin -q --cell 23.03154 --dt 0.125 --select 0:3 "$DATA/argon256.xyz.gz" -o a.mbf
    printf 'molecule Ar Ar\n site Ar 1.64 charge 0\n' >ar
    alpha-cpu --dipole --parts --model ar a.mbf | bin2txt --format tsv | tail -n +2 | cut -f 3- | tr '\t' '\n' | sort -u >got
    [ "$(cat got)" = 0 ]
    cat >m <<'END'
molecule ABC A B C
 site B 1 2 3 dipole 0.1 0.2 0.3 frame 1-2,3 quadrupole 0.2 0.1 -0.3 0.4 0.5 -0.6
 site C 0.5 charge 0.2
 site A 0 charge -0.2
END
    printf '6\n\nA 0 0 0\nB 1 0.2 0\nC 1.5 1 0.4\nA 5 1 2\nB 5.2 2 2.3\nC 4 2 3\n6\n\nA 0 0 0\nB -0.2 1 0\nC -1 1.5 0.4\nA -1 5 2\nB -2 5.2 2.3\nC -2 4 3\n' |
        xyz2bin -q --jumps-ok --dtype f64 --dt 1 -o turn.mbf
    alpha-cpu --dipole --parts --model m --thole 2 --tolerance 1e-12 turn.mbf -o turn.m
    numbers turn.m | sed -n 1p | awk -v OFS='\t' -v CONVFMT=%.17g '{ for (k = 1; k <= NF; k += 3) { x = $k; $k = -$(k + 1) + 0; $(k + 1) = x } print }' >want
    numbers turn.m | sed -n 2p >got
    near 1e-12 got want
    numbers turn.m | awk '{ exit !($7 ^ 2 + $8 ^ 2 + $9 ^ 2 > 1e-4) }'
}

@test "the permanent part is the dipole of current; shares, threads and processors have the same bits" {
    frame-cut -q 0:40 "$DATA/water64.mbf" -o w.mbf
    printf 'molecule water O H H\n site O 1.0 charge -0.8476\n site 2 0.1 charge 0.4238\n site 3 0.1 charge 0.4238\n' >m
    alpha-cpu --dipole --parts --thole 2.1304 --model m -t 1 w.mbf -o one.m
    bin2xyz -q --digits 9 w.mbf | xyz2bin -q --charges O=-0.8476,H=0.4238 - | current --quantity dipole --molecules 3 -o current.m
    numbers one.m | cut -f 4-6 >got
    numbers current.m >want
    near 1e-5 got want
    # parts add up to the whole
    numbers one.m | awk '{ for (k = 1; k <= 3; k++) { s = $(k + 3) + $(k + 6) - $k; t = $(k + 9) + $(k + 12) - $(k + 6); if (s * s + t * t > 1e-24) exit 1 } }'
    [ "$(bin2txt one.m | grep '^# t_ps\|^# step' | cut -d' ' -f 4-)" = "mx my mz permanent_mx permanent_my permanent_mz induced_mx induced_my induced_mz order1_mx order1_my order1_mz higher_mx higher_my higher_mz" ]
    alpha-cpu --dipole --thole 2.1304 --model m -t 3 w.mbf -o total.m
    cmp <(numbers one.m | cut -f 1-3) <(numbers total.m)
    [ "$(content one.m)" = "$(MBF_SIMD=v2 alpha-cpu --dipole --parts --thole 2.1304 --model m -t 3 w.mbf | content)" ]
    for k in 0:13 13:40; do frame-cut -q $k w.mbf | MBF_SIMD=v3 alpha-cpu --dipole --model m --thole 2.1304; done >pieces.m
    frame-cat pieces.m | compare --rtol 0 total.m -
    # orders 1 to 16 are all of them
    alpha-cpu --dipole --thole 2.1304 --model m --order 16 w.mbf -o sixteen.m
    compare -q --rtol 1e-5 --atol 1e-5 total.m sixteen.m
}

@test "many sites: a mesh has what all pairs have" {
    frame-cut -q 0:1 "$DATA/co2-64.mbf" | bin2xyz -q --digits 9 - | awk 'NR > 2 { at[++n] = $0 }
        END { l = 18.4; seed = 3; k = 4; printf "%d\nLattice=\"%g 0 0 0 %g 0 0 0 %g\" Properties=species:S:1:pos:R:3\n", n * k ^ 3, k * l, k * l, k * l
              for (x = 0; x < k; x++) for (y = 0; y < k; y++) for (z = 0; z < k; z++) for (i = 1; i <= n; i++) { split(at[i], w)
                  if (i % 3 == 1) for (c = 1; c <= 3; c++) { seed = (seed * 16807) % 2147483647; shake[c] = 0.4 * seed / 2147483647 }
                  print w[1], w[2] + x * l + shake[1], w[3] + y * l + shake[2], w[4] + z * l + shake[3] } }' | xyz2bin -q --dtype f64 -o m.mbf
    on_gpu && mesh=(--sum ewald:mesh) || mesh=()
    for m in 'charge 0.6\n site 2 0 charge -0.3\n site 3 0 charge -0.3' 'quadrupole -0.9' damped; do
        [ "$m" = damped ] && mesh+=(--thole cubic:0.39) ||
            printf "molecule CO2 C O O\n site C 1.93 1.93 4.05 frame 2-3 $m\n" >co2
        alpha-cpu --dipole --model co2 --order 1 --parts "${mesh[@]}" --sum ewald:pairs m.mbf | bin2txt --format tsv | tail -n +2 | cut -f 9-11 >want
        alpha-cpu -v --dipole --model co2 --order 1 --parts "${mesh[@]}" m.mbf 2>said | bin2txt --format tsv | tail -n +2 | cut -f 9-11 >got
        grep -q 'splines of order\|on a mesh' said
        near 1e-5 got want
        run near 1e-11 got want
        [ "$status" -ne 0 ] # it was not the same sum
    done
    alpha-cpu --dipole --model co2 m.mbf -o mesh.m
    [ "$(content mesh.m)" = "$(MBF_SIMD=v2 alpha-cpu --dipole --model co2 -t 3 m.mbf | content)" ]
}

@test "what has no dipole moment, or one that depends on images, is refused with file and line" {
    frame-cut -q 0:2 "$DATA/co2-64.mbf" -o c.mbf
    xyz2bin -q --cell 23.03154 --select 0:2 "$DATA/argon256.xyz.gz" -o a.mbf
    says() { local p=$1; shift; fails 2 alpha-cpu "$@" -o out && grep -q -F -e "$p" <<<"$output" || { echo "$output"; false; } && [ ! -e out ]; }
    says '--dipole: expected --model FILE with charges, dipoles or quadrupoles, found --polarizability' --dipole --polarizability Ar=1 a.mbf
    printf 'molecule Ar Ar\n site Ar 1\n' >m
    says 'm: --dipole: expected a charge, dipole or quadrupole in the molecules of the trajectory, found none' --dipole --model m a.mbf
    printf 'molecule Ar Ar\n site Ar 1 charge 0.5\n' >m
    says 'm: expected a neutral cell, found a total charge of 128 e, for which the sum over all images diverges' --dipole --model m a.mbf
    while IFS='|' read -r text pattern; do
        printf "$text" >m
        says "m: line $pattern" --dipole --model m c.mbf
    done <<'END'
molecule CO2 C O O\n site C 1 charge\n|2: expected 'charge Q', found 0 values
molecule CO2 C O O\n site C 1 charge 1 2\n|2: expected 'charge Q', found 2 values
molecule CO2 C O O\n site C 1 charge 1 frame 2-3 charge 2\n|2: expected 'charge' once, found it twice
molecule CO2 C O O\n site C 1 charge x\n|2: expected a number from -1e+09 to 1e9, found 'x'
molecule CO2 C O O\n site C 1 frame 2-3 dipole 1\n|2: expected 'dipole X Y Z', found 1 values
molecule CO2 C O O\n site C 1 frame 2-3 quadrupole 1 2\n|2: expected 'quadrupole ZZ' or 'quadrupole XX XY XZ YY YZ ZZ', found 2 values
molecule CO2 C O O\n site C 1 frame 2-3 quadrupole 1 0 0 1 0 1\n|2: expected a quadrupole with XX + YY + ZZ = 0, found a sum of 3
molecule CO2 C O O\n site C 1 dipole 0 0 1\n|2: a dipole or quadrupole needs a frame: 'frame A-B' or 'frame A-B,C'
molecule CO2 C O O\n site C 1 quadrupole 1\n|2: a dipole or quadrupole needs a frame: 'frame A-B' or 'frame A-B,C'
molecule CO2 C O O\n site C 1 frame 2-3 dipole 1 0 0\n|2: the dipole or quadrupole differs along x and y: expected 'frame A-B,C', which distinguishes x from y
molecule CO2 C O O\n site C 1 frame 2-3 quadrupole 1 0 0 -1 0 0\n|2: the dipole or quadrupole differs along x and y
molecule CO2 C O O\n site C 1 frame 2-3\n|2: a frame needs three polarizabilities, a dipole or a quadrupole
END
    # wrapped ions, but not unwrapped ones
    printf '2\n\nNa 0 0 0\nCl 0 0 3.1\n' | xyz2bin -q --cell 12 -o ions.mbf
    printf '# salt\nmolecule Na Na\n site Na 0.2 charge 1\nmolecule Cl Cl\n site Cl 3 charge -1\n' >ions
    says 'ions: line 4: the dipole moment of the charged molecule Cl needs unwrapped positions (pipe the input through unwrap)' --dipole --model ions ions.mbf
    unwrap -q ions.mbf | alpha-cpu --dipole --model ions | frame-check
    # a charge at the place of an atom of another molecule
    printf '2\n\nNa 0 0 0\nCl 0 0 0\n' | xyz2bin -q -o same.mbf
    printf 'molecule Na Na\n site Na 0.2\nmolecule Cl Cl\n site Cl 0 charge -1\n' >ions
    says 'same.mbf: frame 0: site 0 (counted from 0) is at the same place as a charge, dipole or quadrupole of another molecule' --dipole --model ions same.mbf
}
