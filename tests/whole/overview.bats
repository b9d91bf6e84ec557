# SPDX-License-Identifier: MIT
# pipelines/overview.sh: the page about a run has the numbers of the programs, states which figures
# are missing and why, needs no other file, and is drawn by a browser.

load ../helpers

setup() {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    cd "$BATS_TEST_TMPDIR" || return 1
    export BIN
}

overview() { "$ROOT/pipelines/overview.sh" "$@"; }

# table SECTION: print the cells of the tables of a section, one line per row
table() {
    py whole/page page.html "$1"
}

parts() { grep -o '<section id="[a-z]*"' page.html | cut -d '"' -f 2 | xargs; }

@test "a page has what the file contains, coordination numbers, D and the spectrum of light" {
    overview -o page.html "$DATA/argon256.xyz.gz" --select 0:400
    table facts >facts
    grep -qx $'Atoms\t256\t' facts
    grep -qx $'Species\t256 Ar\t' facts
    grep -qx $'Frames\t400, 0.125 ps apart, 49.875 ps in all\t' facts
    grep -q $'^First cell\t23.032 × 23.032 × 23.032' facts
    [ "$(parts)" = "rdf sq msd light" ]
    [ "$(grep -c '<svg' page.html)" = 4 ]
    # the number of neighbours from a sum over g(r), not from the column n
    xyz2bin -q --select 0:400 "$DATA/argon256.xyz.gz" -o argon.mbf
    rdf-cpu -q --rmax 11.51 --bins 230 argon.mbf | bin2txt | awk '!/^#/ { r[++n] = $1; g[n] = $3; if ($3 > g[p]) p = n }
        END { d = r[2] - r[1]; low = p; for (k = p; r[k] <= 1.6 * r[p]; k++) if (g[k] < g[low]) low = k
            for (k = 1; k <= low; k++) s += g[k] * 4 * 3.14159265 * r[k] ^ 2 * d; print r[p], r[low], s * 256 / 23.03154 ^ 3 }' >want
    table rdf | awk -F '\t' 'NR == FNR { split($0, w, " "); next } $1 == "Ar-Ar" { found = 1
        exit !($2 - w[1] < 0.06 && w[1] - $2 < 0.06 && $4 - w[2] < 0.11 && w[2] - $4 < 0.11 && $5 == $6 && $5 / w[3] - 1 < 0.04 && 1 - $5 / w[3] < 0.04) } END { exit !found }' want -
    grep -q 'msd-cpu --lags 201 -o' page.html # half of the run
    unwrap argon.mbf | msd-cpu -q --lags 201 | einstein | awk '{ print $2, $4 }' >want
    table msd | awk -F '\t' 'NR == FNR { split($0, w, " "); next } $1 == "all atoms" { found = split($2, d, " ± ") == 2
        exit !(d[1] / w[1] - 1 < 0.01 && 1 - d[1] / w[1] < 0.01 && d[2] / w[2] - 1 < 0.05 && 1 - d[2] / w[2] < 0.05) } END { exit !found }' want -
    fails 1 grep -E 'src=|href="http|url\(|<script' page.html # the page loads no other file
}

@test "velocities: temperature and density of states; thinned runs state how" {
    overview -o page.html "$DATA/water64.mbf"
    [ "$(parts)" = "rdf sq msd kinetic dos" ]
    # the temperature of the first quarter of the run, from the velocities in Å/ps
    frame-cut 0:350:10 "$DATA/water64.mbf" | bin2txt | awk '/^# step/ { v = / vx/ } v && !/^#/ { m = $3 % 3 ? 1.008 : 15.999
        s += m * ($4 ^ 2 + $5 ^ 2 + $6 ^ 2); if (!($1 in seen)) { seen[$1]; n++ } } END { print s / n / 573 / 0.8314463 }' >want
    table kinetic | awk -F '\t' 'NR == FNR { T = $1; next } $1 == "1 of 4" { found = 1; exit !($2 / T > 0.97 && $2 / T < 1.03) } END { exit !found }' want -
    table rdf | grep -q $'^H-O\t0.9[0-9]\t.*\t1\t2\t' # each H has one O, each O two H
    grep -q 'frame-cut ::2 .*water64.mbf | rdf-cpu --pair H-H --pair H-O --pair O-O' page.html
    fails 1 grep -F '$run' page.html
}

@test "names of a topology have masses; a cell that changes is stated" {
    frame-cut 0:60 "$DATA/water64.mbf" | bin2xyz | sed 's/^O /OW /; s/^H /HW1 /; s/12[.]41[0-9]*/13/g' >b.xyz
    frame-cut 0:60 "$DATA/water64.mbf" | bin2xyz | sed 's/^O /OW /; s/^H /HW1 /' | cat - b.xyz | sed 's/ Time=[0-9.]* time_unit=fs//' >water.xyz
    overview -o page.html water.xyz --dt 0.01 --jumps-ok
    grep -q 'msd-cpu --masses HW1=1.008,OW=15.999 --lags 61 -o msd.mbf' page.html
    grep -A1 'id="msd"' page.html | grep -q '<svg'
    table facts | grep -q $'^First cell\t12.41[0-9] × 12.41[0-9] × 12.41[0-9] Å'
    table facts | grep -q $'^Last cell\t13 × 13 × 13 Å'
}

@test "atom names of a topology become elements, also of ions; massless sites are omitted" {
    # a residue with an alpha carbon, two waters of four sites, a calcium ion and a sodium ion
    set -- '1ALA N' '1ALA CA' '1ALA CA' '1ALA HB1' '2SOL OW' '2SOL HW1' '2SOL HW2' '2SOL MW' '3SOL OW' '3SOL HW1' '3SOL HW2' '3SOL MW' '4CA CA' '5NA+ NA'
    printf '%s\n' "$@" | awk 'BEGIN { print "peptide\n14" } { printf "%8s  %5s%5d%8.3f%8.3f%8.3f\n", $1, $2, NR, 0, 0, 0 } END { print "2 2 2" }' >conf.gro
    awk 'BEGIN { for (t = 0; t < 4; t++) { printf "14\nLattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3\n"; for (k = 0; k < 14; k++) print "X", k + t / 10, 2 * k % 20, 3 * k % 20 } }' >run.xyz
    overview run.xyz --topology conf.gro --dt 1 -o page.html
    table facts | grep -qx $'Species\t5 H, 2 C, 2 O, 1 Ca, 1 N, 1 Na\t'
    table facts | grep -qx $'Atoms\t12\t'
    grep -q 'replaced by elements, and sites without mass are omitted (2 MW)\.' page.html
    grep -q 'traj2bin run.xyz --topology conf.gro --dt 1 --elements --species N,C,H,O,Ca,Na -o run.mbf' page.html
    grep -q 'msd-cpu --drift subtract' page.html # without a warning, because the sites have no mass
    fails 1 grep -e '--drift subtract: expected' page.html
    sed -i 's/   HB1/    BB/' conf.gro # an unknown name
    overview run.xyz --topology conf.gro --dt 1 -o page.html
    table facts | grep -q $'^Species\t3 CA, 2 HW1, 2 HW2, 2 MW'
    overview run.xyz --topology conf.gro --species N=N,CA=C,BB=H,OW=O,HW1=H,HW2=D,MW=M,NA=Na --dt 1 -o page.html
    table facts | grep -q $'^Species\t3 C, 3 H, 2 D, 2 M, '
    # only alpha carbons
    awk 'NR == 1; NR == 2 { print 14 } NR > 2 && NF > 3 { printf "%5dALA     CA%s\n", NR, substr($0, 16) } END { print "2 2 2" }' conf.gro >alpha.gro
    overview run.xyz --topology alpha.gro --dt 1 -o page.html
    table facts | grep -qx $'Species\t14 C\t'
}

@test "no cell, no times, velocities without a unit: the page states what is missing, and has no empty figure" {
    frame-cut 0:40 "$DATA/water64.mbf" | bin2xyz | sed 's/^Lattice.*/ i = 0, time = 0, E = -1/' | awk '/time/ { $6 = 10 * k++ "," } 1' >run.xyz
    overview run.xyz -o page.html
    [ "$(parts)" = "rdf sq msd" ]
    [ "$(grep -c '<svg' page.html)" = 1 ] # the displacement
    grep -q 'distances ignore periodic images. Only counts and n are computed, because g needs a volume' page.html
    [ -z "$(table rdf)" ]
    frame-cut 0:40 "$DATA/water64.mbf" | bin2xyz | sed 's/ Time=[0-9.]* time_unit=fs//; s/vel_unit=[^ ]*//' >run.xyz
    overview run.xyz -o page.html
    grep -q 'velocities are omitted: traj2bin: run.xyz: frame 0: line 2: expected a unit of vel' page.html
    overview run.xyz --velocity-unit A/ps -o page.html
    [ "$(parts)" = "rdf sq msd kinetic" ]
    table facts | grep -qx $'Spectra\tnot computed, because a spectrum needs the time between frames (--dt)\t'
    overview run.xyz --velocity-unit A/ps --dt 0.3 -o page.html
    [ "$(parts)" = "rdf sq msd kinetic" ]
    table facts | grep -qx $'Spectra\tnot computed, because a spectrum needs frames at most 0.2 ps apart, found 0.3 ps\t'
}

@test "g(r) of atoms without names has a row in the table" {
    overview "$DATA/formats/water10.dcd" --dt 0.5 -o page.html
    grep -q 'no names in the file' page.html
    table rdf | grep -qE $'^all\t'
    [ "$(table rdf | wc -l)" -eq 2 ]
}

@test "g(r) of atoms that do not fill the cell is in the table, not in the figure" {
    gzip -dc "$DATA/argon256.xyz.gz" | awk 'NR <= 3 * 258 { k = (NR - 1) % 258; if (NR <= 258 && k > 1) kr[k] = $2 + 0 < 7 && $3 + 0 < 7 && $4 + 0 < 7; if (k > 1 && kr[k]) sub(/^ *[A-Za-z]+/, "Kr"); print }' >run.xyz
    overview run.xyz -o page.html
    table rdf | grep -q '^Kr-Kr'
    grep -q 'Kr-Kr is not drawn' page.html
    sed -n '/id="rdf"/,/id="sq"/p' page.html | tr -d '\n' | grep -q '>Ar-Kr<'
    fails 1 grep -q '>Kr-Kr</text>' page.html
    grep -q 'Every atom has the weight 1' page.html
}

@test "a crystal: every pair is drawn, and the coordination numbers are those of the first shell" {
    # Cu3Au in a small cell, in which the g of Au-Au is 2 from 4.6 to 5.7 Å
    awk 'function noise() { seed = seed * 16807 % 2147483647; return seed / 2147483647 / 3 } BEGIN { seed = 3; a = 3.826; for (t = 0; t < 20; t++) {
        printf "108\nLattice=\"%g 0 0 0 %g 0 0 0 %g\" Properties=species:S:1:pos:R:3 Time=%g time_unit=fs\n", 3 * a, 3 * a, 3 * a, t
        for (i = 0; i < 27; i++) for (k = 0; k < 4; k++) printf "%s %.4f %.4f %.4f\n", k ? "Cu" : "Au", a * (i % 3 + (k % 3 > 0) / 2) + noise(), a * (int(i / 3) % 3 + (k > 1) / 2) + noise(), a * (int(i / 9) + (k % 2) / 2) + noise() } }' >run.xyz
    overview run.xyz -o page.html --jumps-ok
    table rdf | cut -f 1,5,6 >found
    printf 'pair A-B\tB around A\tA around B\nCu-Cu\t8\t8\nCu-Au\t4\t12\nAu-Au\t6\t6\n' | diff - found
    fails 1 grep 'is not drawn' page.html
}

@test "a message that two programs print is on the page once" {
    awk 'BEGIN { for (t = 0; t < 3; t++) printf "2\nLattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3\nAr 0 0 0\nAr %g %g %g\n", 5 + 9 * t, 5 + 9 * t, 5 + 9 * t }' >run.xyz
    overview run.xyz --dt 1 --jumps-ok -o page.html
    [ "$(grep -c 'unwrap: run.mbf: frame 1: ' page.html)" = 1 ]
    fails 1 grep 'ERR from upstream' page.html
}

@test "the commands of a page make its results" {
    overview -o page.html "$DATA/argon256.xyz.gz" --select 0:300
    python3 -c 'import html, re
for c in re.findall("<pre class=\"command\">(.*?)</pre>", open("page.html").read(), re.S): print(html.unescape(c).strip())' >commands
    [ "$(wc -l <commands)" = 5 ]
    sh -eu commands >D
    for f in run rdf sq msd light; do frame-check -q $f.mbf >checked; done
    table msd | grep -qF "$(awk '{ printf "%.4f ± %.4f", $2, $4 }' D)"
}

@test "a program that is killed: its part says so, the others are there, the status is 1" {
    mkdir bin
    ln -s "$BIN"/* bin/
    rm bin/rdf-cpu bin/einstein
    printf '#!/bin/sh\nkill -9 $$\n' >bin/rdf-cpu
    printf '#!/bin/sh\necho "einstein: no room" >&2\nexit 4\n' >bin/einstein
    chmod +x bin/rdf-cpu bin/einstein
    xyz2bin -q --select 0:60 "$DATA/argon256.xyz.gz" -o argon.mbf
    BIN=$PWD/bin fails 1 overview -o page.html argon.mbf
    [[ $output == *"overview.sh: these parts of the page are missing, because a program failed: rdf msd"* ]]
    grep -A1 'id="rdf"' page.html | grep -q 'No result, because a program was killed'
    grep -A3 'id="msd"' page.html | grep -q 'einstein: no room'
    grep -A1 'id="sq"' page.html | grep -q '<svg'
}

@test "the error of D has two digits, and D as many decimals" {
    mkdir bin
    ln -s "$BIN"/* bin/
    rm bin/einstein
    printf '%s\n' '#!/bin/sh' 'echo "D 0.24567 +- 0.00996 A^2/ps 2.4567e-05 +- 9.96e-07 cm^2/s window 1.5 10 ps (chosen) lags 21 of msd"' >bin/einstein
    chmod +x bin/einstein
    xyz2bin -q --select 0:20 "$DATA/argon256.xyz.gz" -o argon.mbf
    BIN=$PWD/bin overview -o page.html argon.mbf
    table msd | grep -qx $'all atoms\t0.246 ± 0.010\t2.46 ± 0.10\t1.5 to 10\t'
}

@test "input that is refused leaves the older page; a refusal of one analysis is text on the page" {
    echo old >page.html
    printf '2\n\nAr 0 0 0\nAr 1 x 3\n' >bad.xyz
    fails 2 overview -o page.html bad.xyz
    [[ $output == *"bad.xyz"* ]]
    [ "$(cat page.html)" = old ]
    fails 2 overview -o page.txt bad.xyz
    xyz2bin -q --select 0:3 "$DATA/argon256.xyz.gz" -o argon.mbf
    head -c 1500 argon.mbf >cut.mbf
    fails 2 overview -o page.html cut.mbf
    [[ ${#lines[@]} -eq 1 && $output == "overview.sh: frame-check: "*"cut.mbf: TRUNCATED at offset 1500"* ]]
    for given in - <(cat argon.mbf); do
        fails 2 overview -o page.html "$given"
        [ "$output" = "overview.sh: $given: expected a file, which is read several times, found a pipe or standard input" ]
    done
    mkdir folder.html
    fails 3 overview -o folder.html argon.mbf
    [ "$output" = "overview.sh: folder.html: cannot open for writing (Is a directory)" ]
    [ -z "$(ls -A folder.html)" ]
    fails 3 overview -o none/page.html argon.mbf
    [ "$output" = "overview.sh: none/page.html: cannot open for writing (No such file or directory)" ]
    fails 2 overview
    xyz2bin -q --select 0:3 "$DATA/argon256.xyz.gz" | g4-cpu -q --lags 2 -o cf.mbf
    fails 2 overview -o page.html cf.mbf
    [[ $output == *"expected positions (POSN) in cf.mbf, found none"* ]]
    [ "$(cat page.html)" = old ]
    printf '2\n\nA&B 0 0 0\n<i> 1 2 3\n2\n\nA&B 0 0 0\n<i> 1 2 3.1\n' >'a <b>.xyz'
    overview -o page.html 'a <b>.xyz'
    grep -q '<h1>a &lt;b&gt;.xyz</h1>' page.html
    table facts | grep -qx $'Species\t1 <i>, 1 A&B\t'
    grep -q 'No result, because a program refused the data' page.html
    cp 'a <b>.xyz' ./-e.xyz
    [ "$(overview -o page.html -- -e.xyz 2>err)" = "Page: page.html" ]
    grep -q '<h1>-e.xyz</h1>' page.html
    cp 'a <b>.xyz' $'e\e[1m.xyz'
    ln -s page.html link.html
    overview -o link.html $'e\e[1m.xyz'
    [ -h link.html ]
    fails 1 grep -q $'\e' page.html
    grep -q '<h1>e \[1m.xyz</h1>' page.html
    [ -z "$(ls -d .overview* 2>/dev/null)" ]
}

@test "a browser draws every figure, reports no error, and shows all of it at 390 pixels" {
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
    overview -o page.html "$DATA/argon256.xyz.gz" --select 0:200
    HOME=$PWD "$browser" --headless --no-sandbox --disable-gpu --print-to-pdf="$PWD/page.pdf" "file://$PWD/page.html" 2>log
    [ "$(grep -ac '/Type /Page$' page.pdf)" -eq 3 ] # two figures on a sheet of paper
    cat >>page.html <<'END'
<script>
addEventListener("load", () => {
    const svg = [...document.querySelectorAll("svg")]
    const drawn = svg.filter(s => s.getBoundingClientRect().width > 200 && [...s.querySelectorAll("path")].some(p => p.getTotalLength() > 100))
    const wide = document.documentElement.scrollWidth > innerWidth
    const cut = svg.filter(s => [...s.querySelectorAll("text")].some(t => { const a = t.getBoundingClientRect(), b = s.getBoundingClientRect(); return a.left < b.left - 1 || a.right > b.right + 1 }))
    const tables = [...document.querySelectorAll("table")].filter(t => t.scrollWidth > t.clientWidth)
    document.title = "drawn " + drawn.length + " wide " + wide + " cut " + (cut.length + tables.length)
})
</script>
END
    HOME=$PWD "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --window-size=390,800 --dump-dom "file://$PWD/page.html" >dom 2>log
    grep -q '<title>drawn 4 wide false cut 0</title>' dom || { grep -o '<title>.*</title>' dom; false; }
    fails 1 grep 'CONSOLE' log
}
