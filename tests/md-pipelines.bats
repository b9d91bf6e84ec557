# SPDX-License-Identifier: MIT
# The two studies whose trajectories md makes, in short.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export BIN OUT=$BATS_TEST_TMPDIR
}

@test "argon-campaign.sh: a table of systems whose terms cancel, spectra, a plot" {
    SIZES="60 108" EQUILIBRATE=4000 STEPS=10000 TMAX=2 run "$ROOT/pipelines/argon-campaign.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -cv '^#' campaign.txt)" -eq 2 ]
    # an atom: G2 1.71, G3 -3.06, G4 1.40, sum 0.05 in the sample of 256 atoms; small boxes cut some of it off
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
}

@test "moskvin-figures.sh: a row a size, and a plot" {
    STEPS=20 SIZES="4096 8192" run "$ROOT/pipelines/moskvin-figures.sh"
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    [ "$(grep -c '^\(4096\|8192\) ' moskvin.txt)" -eq 2 ]
    awk '!/^#/ && (NF != 7 || $2 <= 0 || $3 <= 0) { exit 1 }' moskvin.txt
    [ "$(grep -c ': 20 steps in ' moskvin.log)" -eq $(($(awk '!/^#/ { for (i = 2; i < 6; i++) n += $i != "-" } END { print n }' moskvin.txt))) ]
    command -v gnuplot >/dev/null || skip "no gnuplot: text only"
    [ "$(stat -c %s moskvin.png)" -gt 10000 ]
}
