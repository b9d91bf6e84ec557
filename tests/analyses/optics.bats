# SPDX-License-Identifier: MIT
# sanitize
# optics: the formulas in SI, molecules and lattices in closed form, errors, and refusals.
# reads: optics PI -q --laser 18312
# rounds: optics
# options: optics spectra few.pi --laser=18312 --temperature=300
# option: optics volume 1000 1100
# option: optics laser 18312 19000
# option: optics temperature 300 310
load ../helpers

# value NAME FILE: one number of the row
value() { bin2txt -q "$2" | awk -v c="$1" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == c) k = i - 1 } !/^#/ { print $k }'; }
# close A B RTOL
close() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a / b - 1; if (d < 0) d = -d; if (!(d <= t)) { print "expected " b ", found " a; exit 1 } }'; }

# tensors N: N molecules along the six axes of an icosahedron in turn, for which the mean over
# directions of any polynomial of degree 4 is exact; mean 2, anisotropy 3
tensors() {
    awk -v n="$1" 'BEGIN { g = (1 + sqrt(5)) / 2; s = sqrt(1 + g * g); print "permanent_xx permanent_xy permanent_xz permanent_yy permanent_yz permanent_zz"
        for (t = 0; t < n; t++) { k = t % 3; f = t % 6 < 3 ? 1 : -1; u[k] = 0; u[(k + 1) % 3] = f / s; u[(k + 2) % 3] = g / s
            printf "%.17g %.17g %.17g %.17g %.17g %.17g\n", 1 + 3 * u[0] ^ 2, 3 * u[0] * u[1], 3 * u[0] * u[2], 1 + 3 * u[1] ^ 2, 3 * u[1] * u[2], 1 + 3 * u[2] ^ 2 } }'
}

# fcc DENSITY: 108 atoms on a lattice
fcc() {
    awk -v rho="$1" 'BEGIN { a = (4 / rho) ^ (1 / 3); printf "108\nLattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" pbc=\"T T T\"\n", 3 * a, 3 * a, 3 * a
        for (i = 0; i < 6; i++) for (j = 0; j < 6; j++) for (k = 0; k < 6; k++) if ((i + j + k) % 2 == 0) printf "Ar %.17g %.17g %.17g\n", i * a / 2, j * a / 2, k * a / 2 }'
}

@test "a molecule that turns: k^4 rho gamma^2/15, gamma^2 rho/(30 eps_0 kT n) and the refractive index, from SI" {
    tensors 600 | txt2bin -q --dt 1 - -o p.pi
    optics -q --volume 40000 --laser 20000 --temperature 300 p.pi -o o
    # k = 2 pi 2e6/m, rho = 1/(4e-26 m^3), gamma = 4 pi eps_0 3e-30 m^3
    want=$(awk 'BEGIN { OFMT = "%.17g"; pi = atan2(0, -1); e0 = 8.8541878128e-12; rho = 1 / 4e-26; k = 2 * pi * 2e6
        vh = k ^ 4 * rho * 9e-60 / 15; n = sqrt(1 + 4 * pi * rho * 2e-30)
        print n, vh / 100, 4 / 3 * vh / 100, rho * (4 * pi * e0 * 3e-30) ^ 2 / (30 * e0 * 1.380649e-23 * 300 * n) }')
    read -r n vh vv kerr <<<"$want"
    close "$(value n o)" "$n" 1e-14
    close "$(value R_VH_cm-1 o)" "$vh" 1e-12
    close "$(value R_VV_cm-1 o)" "$vv" 1e-12
    near "$(value R_iso_cm-1 o)" 0 1e-20
    close "$(value kerr_m2/V2 o)" "$kerr" 1e-9
    near "$(value projection o)" 0 1e-14
    near "$(value nu_cm-1 o)" 20000 0
    [ "$(bin2txt o | grep -o 'unit.of .*' | tr ' ' '\n' | grep -v _se | tr '\n' ' ')" = "unit.of nu_cm-1:cm^-1 n:1 lorentz:1 R_VH_cm-1:cm^-1*sr^-1 R_VV_cm-1:cm^-1*sr^-1 R_iso_cm-1:cm^-1*sr^-1 projection:1 kerr_m2/V2:m^2/V^2 " ]
    # the induced part is -0.2 times the anisotropic permanent part, plus noise that is orthogonal
    # to it
    tensors 600 | awk 'NR == 1 { p = $0; gsub("permanent", "order1", p); print $0, p; next }
        { f = int(NR / 6) % 2 ? 0.5 : -0.5; print $0, -0.2 * ($1 - 2) + f, -0.2 * $2 + f, -0.2 * $3, -0.2 * ($4 - 2) + f, -0.2 * $5, -0.2 * ($6 - 2) + f }' |
        txt2bin -q --dt 1 - | optics -q --volume 40000 --laser 20000 - -o o
    near "$(value projection o)" -0.2 0.02
    close "$(value R_iso_cm-1 o)" "$(awk 'BEGIN { print (2 * atan2(0, -1) * 20000) ^ 4 * 0.25 * 1e-24 / 40000 }')" 0.01
}

@test "a cubic lattice has no Lorentz-Lorenz deviation; a gas at low density has n - 1 = 2 pi rho alpha" {
    fcc 0.0213 >fcc
    xyz2bin -q fcc | alpha-cpu -q --polarizability Ar=1.67 --parts | optics -q -o o
    near "$(value lorentz o)" 0 1e-9
    near "$(value n o)" "$(awk 'BEGIN { OFMT = "%.17g"; x = 4 * atan2(0, -1) / 3 * 0.0213 * 1.67; print sqrt((1 + 2 * x) / (1 - x)) }')" 1e-9
    xyz2bin -q fcc | alpha-cpu -q --polarizability Ar=1.67 | optics -o o 2>said # no permanent part
    [ "$(bin2txt o | head -n 1)" = "# nu_cm-1 n n_se" ]
    grep -q 'no error estimates' said # of one step
    [ "$(value n_se o)" = nan ]
    fcc 1e-6 | xyz2bin -q | alpha-cpu -q --polarizability Ar=1.67 | optics -q -o o
    close "$(awk -v n="$(value n o)" 'BEGIN { print n - 1 }')" "$(awk 'BEGIN { print 2 * atan2(0, -1) * 1.67e-6 }')" 1e-5
}

@test "errors: those of independent normal numbers in closed form; parts add up" {
    awk "$UNIFORM"'function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN { seed(5); print "xx xy xz yy yz zz"; for (t = 0; t < 20000; t++) { a = 100 + normal()
            print a + normal() * 0, normal(), normal(), a, normal(), a } }' >table
    txt2bin -q --dt 1 table | optics -q --volume 1000 --laser 20000 - -o o
    # a = 100 + x, and b has three normal components and two that are 0
    awk -v n="$(value n o)" -v s="$(value n_se o)" -v r="$(value R_VH_cm-1 o)" -v q="$(value R_VH_cm-1_se o)" 'BEGIN { pi = atan2(0, -1); N = 20000
        w = sqrt(1 + 0.4 * pi); e = 2 * pi / 1000 / w / sqrt(N); k = (2 * pi * 20000) ^ 4 * 1e-27
        exit !((n - w) ^ 2 < 9 * e * e && (s / e - 1) ^ 2 < 0.09 && (r / k - 0.6) ^ 2 < 9 * 0.24 / N && (q / k / sqrt(0.24 / N) - 1) ^ 2 < 0.09) }'
    awk 'NR == 1 { print "permanent_xx permanent_xy permanent_xz permanent_yy permanent_yz permanent_zz higher_xx higher_xy higher_xz higher_yy higher_yz higher_zz"; next }
        { print 1, 0, 0, 1, 0, 1, $1 - 1, $2, $3, $4 - 1, $5, $6 - 1 }' table | txt2bin -q --dt 1 - | optics -q --volume 1000 --laser 20000 - -o p
    for c in n n_se R_VH_cm-1 R_VV_cm-1 R_iso_cm-1 R_VV_cm-1_se; do close "$(value $c p)" "$(value $c o)" 1e-9; done
}

@test "a window of time, several segments, and a permanent part that is isotropic but for rounding" {
    tensors 600 | txt2bin -q --dt 1 - -o p.pi
    frame-cut 100:300 p.pi -o cut.pi
    optics -q --volume 4e4 --laser 2e4 --from 100 --to 299 p.pi | compare - <(optics -q --volume 4e4 --laser 2e4 cut.pi)
    # two segments with the same columns are one sample
    frame-cut 0:300 p.pi -o 1.pi
    frame-cut 300:600 p.pi -o 2.pi
    cat 1.pi 2.pi | optics -q --volume 4e4 --laser 2e4 | compare --rtol 1e-12 --atol 1e-14 - <(optics -q --volume 4e4 --laser 2e4 p.pi)
    tensors 600 | awk 'NR > 1 { for (i = 1; i <= 6; i++) $i = (i == 1 || i == 4 || i == 6 ? 2 : 0) + $i * 1e-16 } 1' | txt2bin -q --dt 1 - | optics -q --volume 4e4 -o o
    [ "$(bin2txt o | head -n 1)" = "# nu_cm-1 n lorentz n_se lorentz_se" ]
}

@test "other columns and a sample without a volume are refused" {
    seq 9 | txt2bin -q --dt 1 - -o seri
    fails 2 optics --volume 1 seri -o no
    [[ $output == *"seri: expected the columns xx xy xz yy yz zz of a polarizability (alpha-cpu), or of its parts, found "* ]]
    tensors 6 | awk 'NR == 1 { $3 = "permanent_zx" } 1' | txt2bin -q --dt 1 - -o swapped
    fails 2 optics --volume 1 swapped -o no
    tensors 6 | txt2bin -q --dt 1 - -o p.pi
    fails 2 optics p.pi -o no
    [[ $output == *"expected the volume of the cell, found none (give --volume)"* ]]
    [ ! -e no ]
}
