# SPDX-License-Identifier: MIT
# The two studies whose trajectories are from md, in short form, and argon of md compared with
# LAMMPS through the whole chain.

load ../helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export BIN OUT=$BATS_TEST_TMPDIR
}

@test "argon-campaign.sh: a table of systems whose terms cancel, spectra, a plot" {
    SIZES="60 108" EQUILIBRATE=4000 STEPS=10000 TMAX=2 run "$ROOT/pipelines/argon-campaign.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -cv '^#' campaign.txt)" -eq 2 ]
    # per atom, G2 1.71, G3 -3.06, G4 1.40, sum 0.05 in the sample of 256 atoms; small boxes omit a
    # part of these
    awk '!/^#/ { if ($3 != 200 || $4 < 88 || $4 > 92 || $5 < 1.4 || $5 > 1.9 || $6 > -2.4 || $7 < 1 || $8 < 0 || $8 > 0.3) { print; exit 1 } }' campaign.txt
    grep -q '^# nu_cm-1 I I2 I3 I4' argon-108.spectrum.txt
    [ ! -e argon-60.mbf ]
    command -v gnuplot >/dev/null || skip "no gnuplot: text only"
    [ "$(stat -c %s campaign.png)" -gt 10000 ]
}

@test "argon-campaign.sh stops when a system cannot be" {
    SIZES="60" EQUILIBRATE=0 STEPS=-1 run "$ROOT/pipelines/argon-campaign.sh"
    [ "$status" -eq 2 ]
    [ ! -e campaign.png ]
    mkdir other # g4, which waits for md, and md's files, which wait for g4, end when the other fails, however early
    for bad in MD=false MD=false MD=false MD=false MD=false G4=false; do
        run env TMPDIR="$PWD/other" SIZES="60 64" EQUILIBRATE=0 STEPS=500 TMAX=1 "$bad" timeout 20 "$ROOT/pipelines/argon-campaign.sh"
        [ "$status" -eq 1 ] || { echo "$bad: $status: $output"; false; }
        [ -z "$(ls -A other)" ]
        ! pgrep -f "$PWD/%.cf.mbf" || false
    done
}

@test "moskvin-figures.sh: a row a size, and a plot" {
    STEPS=20 SIZES="4096 8192" run "$ROOT/pipelines/moskvin-figures.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -c '^\(4096\|8192\) ' moskvin.txt)" -eq 2 ]
    awk '!/^#/ && (NF != 7 || $2 <= 0 || $3 <= 0) { exit 1 }' moskvin.txt
    [ "$(grep -c ': 20 steps in ' moskvin.log)" -eq $(($(awk '!/^#/ { for (i = 2; i < 6; i++) n += $i != "-" } END { print n }' moskvin.txt))) ]
    command -v gnuplot >/dev/null || skip "no gnuplot: text only"
    [ "$(stat -c %s moskvin.png)" -gt 10000 ]
    FORMAT=pdf STEPS=2 SIZES="4096 8192" "$ROOT/pipelines/moskvin-figures.sh"
    [ "$(head -c 4 moskvin.pdf)" = %PDF ]
    [ "$(stat -c %s moskvin.pdf)" -gt 5000 ]
}

@test "argon of md has the G2(0), G4(0) of LAMMPS's sample; md, g4 and rdf agree on it" {
    g4() { "${G4:-g4-cpu}" -q --lags 1 --component all "$@"; }
    # the sample's run: 256 atoms, rho* 0.8236, 90 K, cutoff 11.5, one frame per 0.125 ps
    "${MD:-md-cpu}" -q --atoms 256 --cell 23.03154 --cutoff 11.5 --thermostat berendsen:0.5 --seed 7 --equilibrate 10000 \
        --steps 50000 --every 50 --thermo e.txt -o md.mbf
    xyz2bin "$DATA/argon256.xyz.gz" -o lammps.mbf
    # Four combined standard errors of ten blocks each; measured: 0.8 for G2, 0.02 for G4. Steps are
    # the same on every machine, so the test does not depend on chance.
    g4 --blocks 10 md.mbf -o md.cf
    g4 --blocks 10 lammps.mbf | compare --sigma 4 md.cf -
    # Oracle 4: N s6 is W/24 - U/2 of md, G2(0)/0.6 of g4 (the squares of five components add up to
    # this exactly) and a sum over g(r). Frames are f32: 1e-7 of s6; bins of 0.006 Å: 1e-5.
    s6=$(awk '!/^#/ && $1 > 0 { s += $8 / 24 - $4 / 2; n++ } END { printf "%.10g", s / n / 10.34 }' e.txt)
    near "$(g4 --cutoff 11.5 md.mbf | bin2txt | awk '!/^#/ { printf "%.10g", $4 / 0.6; exit }')" "$s6" 0.001
    near "$("${RDF:-rdf-cpu}" -q --bins 2000 --rmax 11.5 md.mbf | bin2txt | awk '!/^#/ { s += $2 * (3.4 / $1) ^ 6 } END { printf "%.10g", s / 1000 }')" "$s6" 0.02
    near "$s6" 723.5 1.5
}

@test "dawid-figures.sh without a GPU: the CPU's times, what the direct loops cost, nothing drawn that needs a GPU" {
    mkdir bin # none of the GPU programs
    for f in "$BIN"/*; do [[ $f == *-gpu ]] || ln -s "$f" bin/; done
    BIN=$PWD/bin LOOPS="24 40" SYSTEMS=64 STEPS=5000 EQUILIBRATE=500 FORMAT=svg run "$ROOT/pipelines/dawid-figures.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [[ $output == *"Figures 5, 6 and 7 need one and are not drawn"* ]]
    [ ! -e fig7.txt ]
    awk '!/^#/ && (NF != 10 || $3 <= 0 || $6 != "-" || $7 != "-") { exit 1 }' fig5.txt fig6.txt
    # G2 has N (N - 1) products, G3 (N - 2)/2 times this number, G4 (N - 2) (N - 3)/4 times
    awk '!/^#/ { if ($7 != ($1 - 2) / 2 || $8 != ($1 - 2) * ($1 - 3) / 4 || !($2 > 0 && $3 > 0 && $4 > 0)) { print; exit 1 } n++ } END { exit n != 2 }' loops.txt
    command -v gnuplot >/dev/null || skip "no gnuplot: text only"
    grep -q '</svg>' dawid.svg
}

@test "published.sh: exact numbers agree, differences have a reason, and a wrong published number is noticed" {
    SHORT=1 run "$ROOT/pipelines/published.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    for n in lj-configuration-energy lj-configuration-tail fcc-q6; do [[ $output == *"$n: published "*": agrees"* ]]; done
    for n in argon-gas-index argon-liquid-index; do [[ $output == *"$n: published "*": differs by "*", because "* ]]; done
    [ "$(awk -F'\t' 'NF == 8 && !/\t\t/' published.tsv | wc -l)" -eq 5 ]
    # every file has a head, a value and an error that are numbers, and a source that was read
    for f in "$ROOT"/pipelines/published/*.txt; do
        for k in quantity system state unit error reference 'read in'; do grep -q "^# $k: ." "$f" || { echo "$f lacks $k"; false; }; done
        awk '/^value error$/ { ok = 1; next } !/^#/ { n++; if (NF != 2 || $1 + 0 != $1 || !($2 > 0)) ok = 0 } END { exit !(ok && n == 1) }' "$f"
    done
    # a number with an error in its sixth digit, and a number with an error bar that covers it
    mkdir wrong
    sed 's/^-16.790321304625856 /-16.790221304625856 /' "$ROOT/pipelines/published/lj-configuration-energy.txt" >wrong/lj-configuration-energy.txt
    SHORT=1 PUBLISHED=$PWD/wrong run "$ROOT/pipelines/published.sh"
    [ "$status" -eq 1 ]
    [[ $output == *"lj-configuration-energy: "*": differs by -0.0001, for an unknown reason" ]]
    sed -i 's/ 1e-10$/ 6e-5/' wrong/*.txt
    SHORT=1 PUBLISHED=$PWD/wrong run "$ROOT/pipelines/published.sh"
    [ "$status" -eq 0 ]
    [[ $output == *": agrees" ]]
}

@test "report.sh: one page that needs nothing else: every figure, every number, every command" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    SHORT=1 run "$ROOT/pipelines/report.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -c '<svg' report.html)" -eq 9 ]
    [ "$(grep -c '</svg>' report.html)" -eq 9 ]
    [ "$(grep -c '<tr><td>' report.html)" -eq 11 ]
    [ "$(grep -cE '<b>(agrees</b>|differs by [-0-9.e]*</b>, because )' report.html)" -eq 5 ]
    # nothing from other hosts, no script, no invalid number, no empty cell
    ! grep -Ei '<script|<img|<link|src=|url\(http|@import' report.html || false
    grep -o 'href="[^"]*"' report.html | grep -v 'href="#' | sort -u >foreign
    [ ! -s foreign ] || { cat foreign; false; }
    ! grep -E '<td[^>]*>(</td|$)|[^a-z]-?nan[^a-z]|[^a-z]inf[^a-z]' report.html || false
    grep -q '>39.7676[0-9], 39.7587[0-9], 39.6383[0-9] (double' report.html
    for c in argon-spectrum argon-neutrons argon-orders co2-raman argon-campaign dawid-figures moskvin-figures nakano-figures; do
        grep -q "<pre aria-label=\"command\"><code>.*pipelines/$c.sh" report.html
    done
    # on a narrow screen, wider parts show this and scroll, also with keys
    [ "$(grep -c '<div class="picture" tabindex="0"' report.html)" -eq 9 ]
    grep -q '@media (max-width: 48rem) { .picture::before { content: "wider than the screen: scroll sideways' report.html
    grep -q '^\.picture, .wide, pre { overflow-x: auto;.*' report.html
    grep -q '<meta name="viewport" content="width=device-width' report.html
    # no path of this machine, no variable that its reader does not have, and no section without
    # figure, table or runs
    ! grep -nE "$OUT|$ROOT|$HOME/|/tmp/|/dev/shm/|[\"\$]sample" report.html || false
    awk '/<section/ { n = NR; title = $0; full = 0 } /<\/svg>|<dl>|aria-label="table"/ { full = 1 } /<\/section>/ && !full { print title; bad = 1 } END { exit bad || !n }' report.html
    ! grep 'In the table above' report.html || false
    # ids are unique
    [ -z "$(grep -o ' id="[^"]*"' report.html | sort | uniq -d)" ]
}

@test "a sample that changes is said by md, g4, rdf, sq, and by frame-merge of shares; one that does not is not" {
    # about half of ten runs at 66 K, rho* 0.88, from random places freeze within 150 ps
    md-cpu --atoms 125 --density 0.02239 --temperature 66 --start random --thermostat berendsen:0.5 --equilibrate 10000 \
        --steps 60000 --every 200 --replicas 10 -o 'frozen%.mbf' 2>err
    [ "$(wc -l <err)" -eq 1 ]
    grep -Eq '^md-cpu: warning: replica [0-9]: U per atom, meV, is -6[0-9.]* in the first [0-9]+ % of the run and -6[0-9.]* in the rest, a change of [0-9.]+ standard errors\. The results and their errors do not .*\([0-9]+ of 10 replicas changed\)$' err
    md-cpu -q --atoms 125 --density 0.02239 --temperature 66 --start random --thermostat berendsen:0.5 --equilibrate 10000 \
        --steps 60000 --every 20000 --replicas 10 -o 'frozen%.mbf' 2>err
    [ ! -s err ]
    # a liquid, and the same number of atoms after it froze
    o=(--atoms 108 --density 0.021 --thermostat berendsen:0.2 --equilibrate 5000 --steps 16000 --every 40)
    md-cpu "${o[@]}" --start random -o a.mbf 2>err
    [ ! -s err ] || { cat err; false; }
    md-cpu -q "${o[@]}" --temperature 30 -o b.mbf
    { bin2xyz a.mbf; bin2xyz b.mbf; } | sed 's/Time=[^ ]*//' | xyz2bin --unsorted-ok --dt 0.1 --sigma 3.4 -o ab.mbf -
    xyz2bin --unsorted-ok --dt 0.1 --sigma 3.4 -o one.mbf < <(bin2xyz a.mbf | sed 's/Time=[^ ]*//')
    for p in "g4-cpu --sum ewald --component all --lags 2" rdf-cpu "sq-cpu --qmax 3"; do
        $p one.mbf -o one.out 2>err
        [ ! -s err ] || { cat err; false; }
        $p ab.mbf -o out 2>err
        grep -q "warning: ab.mbf: .* in the first [45][0-9] % of the run .*The results and their errors do not describe one state of equilibrium" err || { cat err; false; }
        [ "$(wc -l <err)" -eq 1 ]
        $p -q ab.mbf -o out 2>err
        [ ! -s err ]
        for k in 1 2 3; do $p --shard $k/3 ab.mbf -o "s$k" 2>>err; done
        [ ! -s err ]
        frame-merge s2 s1 s3 -o merged 2>err
        grep -q "frame-merge: warning: .* in the first [45][0-9] % of the run .*The results and their errors do not describe one state of equilibrium" err || { cat err; false; }
        # runs at the same time are not a time series
        frame-merge out one.out -o merged 2>err
        [ ! -s err ] || { cat err; false; }
    done
}
