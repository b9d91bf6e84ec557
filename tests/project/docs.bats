# SPDX-License-Identifier: MIT
# Tests that pages, --help, README and examples state what the programs do.

load ../helpers

@test "every program has a page, every page is clean, and nothing else has one" {
    for p in "$BIN"/*; do
        [ -f "$ROOT/man/${p##*/}.1" ] || { echo "no page for ${p##*/}"; false; }
    done
    for m in "$ROOT"/man/*.1; do
        name=$(basename "$m" .1)
        [ -x "$BIN/$name" ] || [[ $name == *-gpu ]] || { echo "$m: no such program"; false; }
    done
    mandoc "$ROOT/man/mbf.7" >/dev/null
    # lint goes to stdout; stderr only tells of the host's own page index, and would cut into lines
    bad=$(grep -LZ '^\.so ' "$ROOT"/man/*.[1357] | xargs -0 mandoc -T lint 2>/dev/null | grep -v 'referenced manual not found' || true)
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "pages and --help name the same options" {
    # mbf(7) has the common options, including those of every program, and no page repeats them
    # (--from and --to of einstein are lags)
    mandoc -T ascii "$ROOT/man/mbf.7" | sed 's/.\x08//g' | sed -n '/^COMMON OPTIONS/,/^[A-Z]/{ /^COMMON OPTIONS/n; p; }' |
        grep -E -- '^ {5}-' | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u >common
    for p in "$BIN"/*; do "$p" --help-all | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u; done | sort | uniq -c |
        awk -v n="$(ls "$BIN" | wc -l)" '$1 == n { print $2 }' >every
    [ -s every ]
    for p in "$BIN"/*; do CUDA_VISIBLE_DEVICES="" "$p" --help-all | grep -oE -- '--[a-z0-9-]+'; done | sort -u >any
    [ -z "$(comm -23 every common)" ]
    [ -z "$(grep -lE '^\.It Fl (h|V|z|-force|-index|-log|-max-mem|-no-sync|-from|-to)( |$)' "$ROOT"/man/*.1 | grep -v /einstein.1)" ]
    for p in "$BIN"/*; do
        name=${p##*/}
        page=$ROOT/man/$name.1
        grep -q '^\.so ' "$page" && page=$ROOT/man/$(sed -n 's,^\.so man1/,,p' "$page")
        # joined strings leave no two blanks after a colon or within brackets
        fails 1 grep -E '\(default:  | \)' <("$p" --help-all)
        # options in the help, but the common ones that mbf(7) or the page's own list has
        CUDA_VISIBLE_DEVICES="" "$p" --help-all | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u >help
        mandoc -T ascii "$page" | sed 's/.\x08//g; s,analyses/calibrate --[a-z]*,,' | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u >page
        missing=$(comm -23 help <(sort -u page common))
        [ -z "$missing" ] || { echo "$page lacks" $missing; false; }
        case $name in *-gpu | *-cpu) continue ;; esac # one page for two programs
        extra=$(comm -13 help page | grep -vxF -f any || true)
        [ -z "$extra" ] || { echo "$page speaks of" $extra; false; }
    done
}

@test "the README's commands exist" {
    for w in $(grep -oE '^\| `[a-z0-9-]+`' "$ROOT/README.md" | tr -d '|` '); do
        [ -x "$BIN/$w" ] || [[ $w == *-gpu ]] || { echo "README names $w"; false; }
    done
    for p in "$BIN"/*; do
        grep -q "\`${p##*/}\`" "$ROOT/README.md" || { echo "README lacks ${p##*/}"; false; }
    done
}

# standing: here as where a reader of the README stands, with this tree's programs in build/bin.
standing() {
    ln -s "$ROOT/tests" tests
    ln -s "$ROOT/lib" lib
    mkdir build
    ln -s "$BIN" build/bin
    ln -s "$ROOT/pipelines" pipelines
}

# readme KIND: the commands of its block ```sh KIND, and in `here` the earlier steps of its reader
readme() {
    local k
    for k in here "$1"; do
        sed -n "/^\`\`\`sh $k\$/,/^\`\`\`\$/p" "$ROOT/README.md" | grep -v '^```' >commands
        [ -s commands ]
        [ $k != here ] || mv commands here
    done
}

@test "the README's pipelines run from where its reader stands" {
    standing
    readme run
    PATH=${PATH#*:} bash -euo pipefail <(cat here commands)
}

@test "the README's first commands run on water with the names of GROMACS, here in a LAMMPS dump" {
    awk 'BEGIN { print "water"; print 192; split("OW HW1 HW2", name)
        for (i = 0; i < 192; i++) printf "%5dSOL  %5s%5d%8.3f%8.3f%8.3f\n", i / 3 + 1, name[i % 3 + 1], i + 1, 0, 0, 0; print "1 1 1" }' >conf.gro
    bin2xyz "$DATA/water64.mbf" | awk 'NF == 1 { printf "ITEM: UNITS\nreal\nITEM: TIME\n%d\nITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n192\n", 10 * f, f; f++
        print "ITEM: BOX BOUNDS pp pp pp"; for (i = 0; i < 3; i++) print 0, 12.417; print "ITEM: ATOMS id type x y z"; k = 0 }
        /^[OH] / { print ++k, 1, $2, $3, $4 }' >run.xtc
    awk "$UNIFORM"'BEGIN { seed(5); print "LAMMPS (2 Aug 2023)\nunits real\ntimestep 2\n   Step Temp Volume Pxx Pyy Pzz Pxy Pxz Pyz"
        for (k = 0; k < 3000; k++) { printf "%d 300 8000", 5 * k; for (i = 0; i < 6; i++) printf " %.6g", p[i] = 0.9 * p[i] + 900 * (uniform() - 0.5); print "" }
        print "Loop time of 1 on 1 procs for 15000 steps with 192 atoms" }' >log.lammps
    sed -n '/^    traj2bin/,/green-kubo/ { s/--tmax 10/--tmax 4/; p; }' "$ROOT/README.md" >commands
    bash -euo pipefail commands >said
    grep -q '^# r_A count_O-O g_O-O' said
    grep -q '^D 0[.].* A^2/ps' said
    grep -q '^viscosity 0[.].* mPa\*s' said
}

@test "the README's way from an XTC file to a table of pandas has three commands, and runs" {
    local py
    for py in python3 /usr/bin/python3 none; do "$py" -c 'import numpy' 2>/dev/null && break; done
    [ "$py" != none ] || skip "no NumPy for Python (python3-numpy)"
    standing
    readme xtc
    [ "$(wc -l <commands)" -eq 3 ]
    mkdir bin stand-in
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$py")" >bin/python3
    chmod +x bin/python3
    if ! "$py" -c 'import pandas' 2>/dev/null; then # the rest of the way all the same
        printf 'class DataFrame(dict):\n    def round(self, n): return "\\n".join([" ".join(self)] + [str(r) for r in zip(*self.values())])\n' >stand-in/pandas.py
    fi
    PATH=$PWD/bin:${PATH#*:} bash -euo pipefail <(cat here && echo 'PYTHONPATH+=:$PWD/stand-in' && cat commands) >said
    head -n 1 said | grep -qE '^ *r_A +count +g +n +g_se'
    (. ./here && mbf bin2txt --meta gr.mbf) >meta # mbf is on PATH, too
    grep -q pair-histogram meta
    [ "$(wc -l <said)" -ge 11 ] # a header, and what pandas shows of 50 rows
}

@test "pages: the EXAMPLES run" {
    mkdir -p ex && cd ex
    cp "$DATA/argon256.xyz.gz" argon.xyz.gz
    xyz2bin --select 0:100 argon.xyz.gz -o argon.mbf
    bin2xyz argon.mbf | awk 'NF == 1 { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n256\nITEM: BOX BOUNDS pp pp pp\n0 23\n0 23\n0 23\n", f += 50
        print "ITEM: ATOMS id type x y z"; k = 0 } NF == 4 && !/=/ { print ++k, 1 + (k > 99), $2, $3, $4 }' >run.lammpstrj
    py forge/planted_ions free 16 400 >melt.lammpstrj
    traj2bin -q --units metal --timestep 0.001 --velocities --scalars q melt.lammpstrj -o melt.mbf
    cp "$DATA/formats/water10.xtc" run.xtc
    cp "$DATA/formats/water10.trr" run.trr
    cp "$DATA/dialects/cp2k.xyz" cp2k-pos-1.xyz
    awk 'BEGIN { split("OW HW1 HW2", name); print "water"; print 10
        for (i = 0; i < 10; i++) printf "%5dSOL  %5s%5d%8.3f%8.3f%8.3f\n", i / 3 + 1, name[i % 3 + 1], i + 1, 0, 0, 0; print "1 1 1" }' >conf.gro
    cp "$DATA/formats/water10.dcd" run1.dcd
    bin2xyz argon.mbf | awk '/Lattice/ { $0 = sprintf("%s dipole=\"%.6f %.6f 1\"", $0, sin(NR), cos(NR)) } 1' >run.extxyz
    cp "$DATA/formats/water10.dcd" run2.dcd
    g4-cpu --lags 40 --blocks 4 argon.mbf -o cf.mbf
    rdf-cpu --blocks 4 argon.mbf -o gr.mbf
    fft-spectrum -q cf.mbf -o spectrum.mbf
    for n in 1 2 3; do
        frame-cut $((30 * n)):$((30 * n + 30)) argon.mbf -o run$n.mbf
        g4-cpu --lags 10 run$n.mbf -o run$n.cf
    done
    cp "$DATA/water64.mbf" water.mbf
    cp "$DATA/co2-64.mbf" co2.mbf
    md-cpu -q --atoms 64 --density 0.02 --temperature 90 --steps 400 --every 4 --thermo thermo.txt -o /dev/null
    cp run1.mbf a.mbf && cp run2.mbf b.mbf
    frame-cut -z ::5 argon.mbf -o small.mbf
    for m in "$ROOT"/man/*.1 "$ROOT"/man/mbf.7 "$ROOT"/man/mbf-light.7; do
        examples "$m" >cmds
        grep -q . cmds || grep -q '^\.so ' "$m" || { echo "$m: no example found"; false; }
        while IFS= read -r -d '' c; do
            case $c in
            *ssh*|*-gpu*) continue ;;
            imd2bin*) # an engine at the port of its examples
                py forge/imd session first=99980 atoms=500 scale=0.05 cell='90 0 0 0 90 0 0 0 90'
                py readers/imd_server session port port=8888 >engine 2>&1 3>&- & ;;
            *gnuplot*) command -v gnuplot >/dev/null || continue ;;
            esac
            GNUTERM=dumb timeout 60 bash -euc "$c" >/dev/null 2>err </dev/null || { echo "$(basename "$m"): $c"; cat err; false; }
        done <cmds
    done
}

# examples PAGE: its commands, one line (.Dl) or block (.Bd) each, a NUL behind each.
examples() {
    awk '/^\.Sh / { on = $2 == "EXAMPLES" } !on { next }
        /^\.Dl / { sub(/^\.Dl (\$ )?/, ""); printf "%s%c", $0, 0 }
        /^\.Bd / { block = 1; next } /^\.Ed/ { block = 0; printf "%c", 0 } block' "$1" |
        sed 's/\\(mi/-/g; s/\\(dq/"/g; s/\\e/\\/g; s/\\-/-/g; s/\\&//g'
}

# engine_files: water as GROMACS and CP2K write it, and argon with its log as LAMMPS writes it, with
# the names of the cookbook
engine_files() {
    bin2xyz water.mbf | py forge/xtc >traj.xtc
    bin2xyz water.mbf | awk 'NR == 1 { print "water"; print } NR < 3 { next }
        NR == 195 { print "1.2417 1.2417 1.2417"; exit }
        { k = NR - 2; name = k % 3 == 1 ? "OW" : k % 3 == 2 ? "HW1" : "HW2"
          printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", (k + 2) / 3, "SOL", name, k, $2 / 10, $3 / 10, $4 / 10 }' >conf.gro
    bin2xyz water.mbf | awk 'NF == 1 { printf "     %d\n", $1; next }
        /Lattice/ { printf " i = %8d, time = %12.3f, E = %20.10f\n", 10 * k, 10 * k, -1101.2; k++; next }
        { printf "%3s %19.10f %19.10f %19.10f\n", $1, $2, $3, $4 }' >water-pos-1.xyz
    unwrap -q --molecules 3 water.mbf | "${PY:-python3}" "$ROOT/pipelines/filters/dipole.py" O=-0.8476,H=0.4238 | bin2txt | grep -v '^#' >dipoles
    bin2xyz water.mbf | awk 'NR == FNR { d[n++] = $3 " " $4 " " $5; next }
        /Lattice/ { $0 = $0 " dipole=\"" d[k++] "\" dipole_unit=e*A" } 1' dipoles - >run.extxyz
    md-cpu -q --atoms 256 --density 0.0208 --temperature 90 --start random --thermostat berendsen:0.5 --equilibrate 10000 \
        --steps 40000 --every 100 --thermo thermo.txt --thermo-every 4 --stress --stress-every 2 -o md.mbf
    bin2xyz md.mbf | awk 'NF == 1 { printf "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\n", 100 * k++, $1; a = 0; next }
        /Lattice/ { split($0, c, /[" ]/); printf "ITEM: BOX BOUNDS pp pp pp\n0 %s\n0 %s\n0 %s\nITEM: ATOMS id type x y z\n", c[2], c[6], c[10]; next }
        { print ++a, 1, $2, $3, $4 }' >dump.lammpstrj
    { # bar to atm; the volume is that of 256 atoms
        printf 'LAMMPS (2 Aug 2023)\nunits real\ntimestep 2.5\n   Step Temp Press Volume Pxx Pyy Pzz Pxy Pxz Pyz\n'
        awk '!/^#/ { printf "%d %s %.10g %.10g", $1, $3, $7 / 1.01325, 256 / 0.0208; for (k = 12; k <= 17; k++) printf " %.10g", $k / 1.01325; print "" }' thermo.txt
        echo 'Loop time of 5.8 on 1 procs for 40000 steps with 256 atoms'
    } >log.lammps
    py forge/planted_ions free 16 4000 >melt.lammpstrj
}

@test "the cookbook: every recipe runs, and ends in the number or the picture that its page has" {
    numpy_python
    mkdir bin
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$PY" "$ROOT/pipelines/filters/dipole.py" >bin/dipole.py
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$PY")" >bin/python3
    printf '#!/bin/sh\nBIN="%s" exec "%s" "$@"\n' "$BIN" "$ROOT/pipelines/plot.sh" >bin/plot.sh
    printf '#!/bin/sh\nBIN="%s" exec "%s" "$@"\n' "$BIN" "$ROOT/pipelines/mbf" >bin/mbf
    mkdir include && ln -s "$ROOT/lib" include/mbf # what make install makes; tests/project/library.bats has the real one
    for d in "$ROOT"/lib/*/; do ln -s "$d" "include/$(basename "$d")"; done
    for l in libmbf.so "$(readelf -d "$MBF_LIBRARY" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')"; do ln -s "$MBF_LIBRARY" "include/$l"; done
    printf '#!/bin/sh\necho "-I%s -L%s -Wl,-rpath,%s -lmbf"\n' "$PWD/include" "$PWD/include" "$PWD/include" >bin/pkg-config
    chmod +x bin/*
    cp "$DATA/water64.mbf" water.mbf
    cp "$DATA/argon256.xyz.gz" argon.xyz.gz
    cp "$DATA/co2-64.mbf" co2.mbf
    engine_files
    awk '/^\.Bd -literal$/ { on = 1; next } /^\.Ed$/ { on = 0 } on' "$ROOT/man/mbf.3" | sed 's/\\e/\\/g' >center.c
    # a recipe, and the number of lines that begin like its section
    awk '/^\.Ss / { printf "%s%c", substr($0, 5), 0 }' "$ROOT/man/mbf-cookbook.7" >titles
    awk '/^\.Bd / { on = 1; next } /^\.Ed/ { on = 0; printf "%c", 0 } on' "$ROOT/man/mbf-cookbook.7" | sed 's/\\e/\\/g; s/^\\&//' >recipes
    [ "$(tr -cd '\0' <titles | wc -c)" -eq "$(tr -cd '\0' <recipes | wc -c)" ]
    n=0
    while IFS= read -r -d '' c && IFS= read -r -d '' title <&4; do
        command -v gnuplot >/dev/null || c=$(sed '/^plot.sh/d; /^mbf overview/d' <<<"$c")
        n=$((n + 1))
        PATH=$PWD/bin:$PATH timeout 400 bash -euo pipefail -c "$c" >"out.$title" 2>err </dev/null || { echo "$c"; cat err; false; }
        [ -n "$(tail -n 1 "out.$title")" ] || ! command -v gnuplot >/dev/null || { echo "$title ends in nothing"; false; }
    done <recipes 4<titles
    [ "$n" -ge 16 ]
    said() { sed -n "$2p" "out.$1"; } # what the page says
    near "$(said 'GROMACS: g(r) and diffusion from an XTC file' 1)" 2.75 0.05
    near "$(said 'GROMACS: g(r) and diffusion from an XTC file' 2 | cut -d' ' -f2)" 0.20 0.01
    water='GROMACS: reorientation, dielectric constant and absorption of water'
    near "$(said "$water" 1)" 0.594 0.001
    near "$(said "$water" 2)" 1.38 0.01
    near "$(said "$water" 3 | cut -d' ' -f1)" 2.1 0.05
    near "$(said "$water" 3 | cut -d' ' -f2)" 0.5 0.05
    near "$(said "$water" 4 | cut -d' ' -f1)" 40 0.5
    near "$(said "$water" 4 | cut -d' ' -f2)" 9 0.5
    near "$(said "$water" 5)" 635 1
    near "$(said 'LAMMPS: g(r), diffusion and viscosity from a dump and a log' 1)" 3.7 0.06
    near "$(said 'LAMMPS: g(r), diffusion and viscosity from a dump and a log' 2 | cut -d' ' -f2)" 0.19 0.01
    near "$(said 'LAMMPS: g(r), diffusion and viscosity from a dump and a log' 3 | cut -d' ' -f2)" 0.22 0.01
    near "$(said 'LAMMPS: ionic conductivity, Nernst-Einstein and Haven ratio' 1 | cut -d' ' -f2)" 139 1
    near "$(said 'LAMMPS: ionic conductivity, Nernst-Einstein and Haven ratio' 2 | cut -d' ' -f2)" 134 1
    near "$(said 'LAMMPS: ionic conductivity, Nernst-Einstein and Haven ratio' 3 | cut -d' ' -f1)" 144 1
    near "$(said 'LAMMPS: ionic conductivity, Nernst-Einstein and Haven ratio' 3 | cut -d' ' -f2)" 1.08 0.01
    near "$(cat 'out.CP2K: hydrogen bonds and S(q) from PROJECT-pos-1.xyz')" 1.98 0.01
    [ "$(grep -vc '^#' sq.txt)" -gt 20 ]
    near "$(said 'g(r) and the coordination of water' 1)" 2.75 0.05
    near "$(said 'g(r) and the coordination of water' 2)" 4.3 0.1
    near "$(cat 'out.The absorption of a mixture of rare gases, from a table of pair dipoles')" 0.32 0.01
    read -r q peak <'out.S(q) for neutrons'
    near "$q" 2.0 0.03
    near "$peak" 2.6 0.1
    near "$(awk '{ print $2 }' 'out.A diffusion coefficient')" 0.270 0.01
    near "$(awk '{ print $4 }' 'out.A diffusion coefficient')" 0.021 0.004
    near "$(cat 'out.The density of states')" 520 20
    near "$(awk '$1 == "viscosity" { print $2 }' out.Viscosity)" 3.3 0.1
    near "$(awk '$1 == "viscosity" { print $4 }' out.Viscosity)" 0.5 0.1
    near "$(cat 'out.The dipole and infrared spectrum, from charges')" 640 10
    near "$(cat 'out.The infrared spectrum, from the dipoles in an extended XYZ file')" 640 10
    near "$(cat 'out.The Raman spectrum of molecules with induced dipoles')" 185 5
    near "$(said 'The far-infrared spectrum of molecules without a dipole' 1 | cut -d' ' -f1)" 62 1
    near "$(said 'The far-infrared spectrum of molecules without a dipole' 1 | cut -d' ' -f2)" 3.4 0.05
    near "$(said 'S(q,omega)' 1)" 1.95 0.01
    [[ $(tail -n 1 'out.Parts of a run on several processors or hosts') == identical* ]]
    near "$(cat 'out.Analysis of a running simulation')" 3.7 0.06 # another seed stands a bin beside
    near "$(cat 'out.Your own filter in Python')" 295 0.5
    near "$(cat 'out.Your own filter in C')" 0 1e-6
    ! command -v gnuplot >/dev/null || for f in gr.png sqw.png; do [ "$(head -c 4 $f | tail -c 3)" = PNG ]; done
}

@test "pages: references are whole" {
    # groff prints no %J outside .Rs, but mandoc does
    bad=$(awk 'FNR == 1 { open = 0 } /^\.Rs/ { open = 1 } /^\.Re/ { open = 0 } /^\.%/ && !open { print FILENAME ":" FNR ": " $0 }' \
        "$ROOT"/man/*.[1357])
    [ -z "$bad" ] || { echo "$bad"; false; }
}
