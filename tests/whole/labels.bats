# SPDX-License-Identifier: MIT
# Labels and units: every column of every result has a label and a unit, in all programs.

load ../helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    xyz2bin -q --select 0:120 "$DATA/argon256.xyz.gz" -o a.mbf
    rdf-cpu -q --bins 60 --blocks 4 a.mbf -o rdf.mbf
    rdf-cpu -q --bins 60 --pair O-O --pair O-H "$DATA/water64.mbf" -o rdf-pairs.mbf
    rdf2sq -q rdf.mbf -o rdf2sq.mbf
    rdf-cpu -q --bins 60 --pair O-O --pair O-H --lag 0,4 --unwrapped "$DATA/water64.mbf" -o van-hove.mbf
    sq-cpu -q --qmax 2 --vectors 20 --blocks 4 a.mbf -o sq.mbf
    fqt-cpu -q --self --qmax 1.2 --qstep 0.4 --vectors 20 --lags 12 --blocks 4 a.mbf -o fqt.mbf
    fqt-cpu -q --self --currents --qmax 1 --qstep 0.5 --vectors 10 --lags 8 "$DATA/water64.mbf" -o currents.mbf
    fft-spectrum -q --unit meV fqt.mbf -o sqw.mbf
    fft-spectrum -q --unit THz currents.mbf -o currents-spectrum.mbf
    g4-cpu -q --sum mic --lags 12 --blocks 4 --series g4-series.mbf a.mbf -o g4.mbf
    fft-spectrum -q --unit rad/ps g4.mbf -o g4-spectrum.mbf
    vacf-cpu -q --lags 20 --weights mass --integral "$DATA/water64.mbf" -o vacf.mbf
    fft-spectrum -q vacf.mbf -o dos.mbf
    unwrap -q a.mbf | msd-cpu -q --lags 9 --alpha2 --blocks 4 -o msd.mbf
    unwrap -q "$DATA/water64.mbf" | msd-cpu -q --lags 9 | einstein -q --fit-from 0.02 --fit-to 0.08 -o einstein.mbf >/dev/null
    ql-cpu -q --w --rmax 5 a.mbf -o ql.mbf
    alpha-cpu -q --polarizability Ar=1.6 --order 1 --parts a.mbf -o alpha-parts.mbf
    alpha-cpu -q --polarizability Ar=1.6 --order 1 a.mbf -o alpha.mbf
    acf -q --invariant vh,vv --lags 20 --integral --response 300 alpha.mbf -o acf.mbf
    acf -q --invariant vh,vv --lags 20 alpha.mbf | fft-spectrum -q --ratio VH/VV -o raman.mbf
    acf -q --average b --lags 20 g4-series.mbf | fft-spectrum -q --weight nu2 -o infrared.mbf
    awk 'BEGIN { print "Step Temp pxy"; for (k = 0; k < 400; k++) print k, 300 + sin(k), cos(k * k) }' | txt2bin -q --dt 0.01 -o txt2bin.mbf
    green-kubo -q --property none --columns pxy --cutoff 1 txt2bin.mbf -o green-kubo.mbf >/dev/null
}

setup() { cd "$BATS_FILE_TMPDIR" || return 1; }

# words FILE KEY: prints the lines "NAME TEXT" of a list in the head of bin2txt
words() { bin2txt -q "$1" | sed -n "s/^## $2 //p" | tr ' ' '\n' | sed 's/^\(.*\):/\1 /'; }

@test "labels: every column of every result has one label and one unit, in order" {
    local n=0
    for f in *.mbf; do
        [ "$f" != a.mbf ] || continue
        bin2txt -q "$f" | sed -n '1s/^# //p' | tr ' ' '\n' | sed 's/^column_//' >names
        [ "$(grep -c . names)" -gt 1 ]
        for key in label.of unit.of; do
            [ "$(bin2txt -q "$f" | grep -c "^## $key ")" -eq 1 ] || { echo "$f: $key"; false; }
            words "$f" $key >found
            awk 'NF != 2 { print "no text: " $0; bad = 1 } END { exit bad }' found || { echo "$f: $key"; false; }
            diff names <(cut -d ' ' -f 1 found) || { echo "$f: $key"; false; }
        done
        n=$((n + 1))
    done
    [ $n -ge 20 ]
    for f in rdf rdf2sq sq fqt sqw g4 g4-series g4-spectrum vacf dos msd einstein ql alpha acf raman txt2bin green-kubo; do [ -s $f.mbf ] || { echo $f; false; }; done
    # a unit is unknown only in the columns of a text file
    for f in *.mbf; do case $f in a.mbf | txt2bin.mbf | green-kubo.mbf | infrared.mbf) ;; *) ! words "$f" unit.of | grep -q ' -' || { echo "$f"; false; } ;; esac; done
}

@test "labels: quantities, parts, errors, integrals and responses" {
    has() { words "$1" "$2" | grep -qxF -- "$3" || { echo "$1 $2: expected $3, found"; words "$1" "$2"; false; }; }
    has rdf-pairs.mbf label.of 'g_O-H g(r),~O-H'
    has rdf.mbf label.of 'n n(r)'
    has van-hove.mbf label.of 'g_O-H G_d(r,t)/ρ,~O-H'
    has van-hove.mbf label.of 'G_s_O_se Gₛ(r,t),~O,~standard~error'
    has van-hove.mbf unit.of 'G_s_O A^-3'
    has van-hove.mbf unit.of 'count_s_O 1'
    has van-hove.mbf label.of 't_ps t'
    has rdf.mbf label.of 'g_se g(r),~standard~error'
    has sqw.mbf label.of 'S_s Sₛ(q,E)'
    has currents.mbf unit.of 'C_L_se (A/ps)^2'
    has currents-spectrum.mbf unit.of 'C_T (A/ps)^2/THz'
    has g4-spectrum.mbf label.of 'I2 I(ω),~pair'
    has g4-spectrum.mbf unit.of 'I2 1/(rad/ps)'
    has dos.mbf label.of 'I_mvv_3NkT_meV_O_meVcm density~of~states,~O'
    has dos.mbf unit.of 'I_mvv_3NkT_meV_O_meVcm meV/cm-1'
    has vacf.mbf unit.of 'int_mvv_3NkT_meV meV*ps'
    has msd.mbf unit.of 'alpha2_se 1'
    has msd.mbf label.of 'alpha2 α₂'
    has acf.mbf unit.of 'response_VH (A^3)^2/(meV*ps)'
    has acf.mbf label.of 'int_VH_se ∫C(t)~dt,~VH,~standard~error'
    has raman.mbf unit.of 'VH/VV 1'
    has raman.mbf unit.of 'I_VH_A6cm (A^3)^2/cm-1'
    has infrared.mbf label.of 'I_b ν²~I(ν),~b'
    has alpha.mbf label.of 'xy α,~xy'
}

@test "labels: a function with the name of an axis has the label and the unit of a function" {
    awk 'BEGIN { print "# step t_ps E_meV l"; for (k = 0; k < 400; k++) print k, k / 100, sin(k), cos(k * k) }' | txt2bin -q -o energy.out
    acf -q --lags 5 --integral energy.out -o functions.out
    [ "$(words functions.out label.of | grep -E '^(E_meV|l|E_meV_se|t_ps) ')" = $'t_ps t\nE_meV C(t),~E_meV\nl C(t),~l\nE_meV_se C(t),~E_meV,~standard~error' ]
    [ "$(words functions.out unit.of | grep -E '^(t_ps|E_meV|l|int_E_meV) ')" = $'t_ps ps\nE_meV (meV)^2\nl -\nint_E_meV (meV)^2*ps' ]
    fft-spectrum -q --unit meV functions.out | bin2txt | grep -q '^## unit.of E_meV:meV '
    rm -f ./*.out
}

@test "labels: kept by frame-cat, by frame-merge and by parts of a run; streams without them can still be merged" {
    frame-cut -q 0:60 alpha.mbf -o first.out
    frame-cut -q 60: alpha.mbf -o second.out
    frame-cat -q first.out second.out -o cat.out
    cmp <(bin2txt -q cat.out | grep -v '^##') <(bin2txt -q alpha.mbf | grep -v '^##')
    [ "$(bin2txt --meta cat.out | grep label.of)" = "$(bin2txt --meta alpha.mbf | grep label.of)" ]
    unwrap -q a.mbf -o unwrapped.out
    for k in 1 2; do msd-cpu -q --lags 9 --alpha2 --blocks 4 --shard $k/2 unwrapped.out -o part$k.out; done
    frame-merge -q part1.out part2.out -o merged.out
    [ "$(words merged.out label.of)" = "$(words msd.mbf label.of)" ]
    numpy_python
    frame-cut -q 20:100 unwrapped.out | msd-cpu -q --lags 9 --alpha2 --blocks 4 -o short.out
    "$PY" - <<'PY'
from oracle import frames
with open("short.out", "rb") as f, frames.Writer("old.out") as w:
    for what in frames.Reader(f, "short.out"):
        if isinstance(what, dict):
            w.put_meta({k: v for k, v in what.items() if k != "data.label.of"})
        elif isinstance(what, frames.Array):
            w.put(what)
    w.end()
PY
    frame-merge -q msd.mbf old.out -o merged.out
    [ "$(words merged.out label.of)" = "$(words msd.mbf label.of)" ]
    words old.out label.of | grep -qx 'msd msd' # without a list, the name
    words old.out unit.of | grep -qx 'alpha2 1'
    rm -f ./*.out
}
