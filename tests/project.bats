# SPDX-License-Identifier: MIT
# The project around the programs: installing, dependencies, layout.

load helpers

@test "install puts programs and pages under PREFIX with PROGRAM_PREFIX; uninstall leaves nothing" {
    [ -z "${SANITIZED:-}" ] || skip "plain build only"
    cd "$ROOT"
    o=$(realpath --relative-to=. "${BIN%/bin}") # make cannot have a blank in a target's name, but in the folder before it
    to="$BATS_TEST_TMPDIR/in stalled"
    [ -x "$BIN/g4-gpu" ] && cuda=auto || cuda=0 # minutes of nvcc are not this test's
    make -s O="$o" CUDA=$cuda install DESTDIR="$to" PREFIX=/usr PROGRAM_PREFIX=mbf- >/dev/null
    cd "$to"
    for p in "$BIN"/*; do
        [ -x "usr/bin/mbf-${p##*/}" ] || { echo "mbf-${p##*/} was not installed"; false; }
    done
    [[ $(usr/bin/mbf-compare --version) == compare* ]]
    [ -f usr/share/man/man5/mbf.5 ]
    [ "$(grep -l '^\.so' usr/share/man/man1/* | wc -l)" -eq "$(grep -l '^\.so' "$ROOT"/man/*.1 | wc -l)" ]
    for f in $(sed -n 's/^\.so //p' usr/share/man/man1/*); do
        [ -f "usr/share/man/$f" ] || { echo "a page refers to $f"; false; }
    done
    cd "$ROOT"
    make -s O="$o" CUDA=$cuda uninstall DESTDIR="$to" PREFIX=/usr PROGRAM_PREFIX=mbf-
    [ -z "$(find "$to" -type f)" ] || { find "$to" -type f; false; }
}

@test "deps: nothing missing is said; without apt it prints what is missing and does not fail" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    run "$ROOT/tests/deps" dash
    [ "$status" -eq 0 ]
    [ "$output" = "deps: nothing to install" ]
    mkdir bin
    for c in sh cc sed printf; do ln -s "$(command -v $c)" bin/$c; done
    PATH=$PWD/bin run "$ROOT/tests/deps" some-package
    [ "$status" -eq 0 ]
    [[ $output == *"no apt"*some-package*"missing here: the command bats"* ]] || { echo "$output"; false; }
}

@test "deps: not root and no sudo is said, with the packages" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    mkdir bin
    for c in sh dpkg-query apt-get; do ln -s "$(command -v $c)" bin/$c; done
    printf '#!/bin/sh\necho 1000\n' >bin/id
    chmod +x bin/id
    PATH=$PWD/bin run "$ROOT/tests/deps" no-such-package-here
    [ "$status" -eq 1 ]
    [[ $output == *"not root and no sudo"*no-such-package-here* ]] || { echo "$output"; false; }
}

@test "the CUDA programs are skipped aloud without nvcc, and CUDA=1 makes that an error" {
    cd "$ROOT"
    run make -n gpu CUDA=0 O="$BATS_TEST_TMPDIR/o"
    [[ $output == *skipping* ]]
    run make -n gpu CUDA=1 NVCC= O="$BATS_TEST_TMPDIR/o"
    [ "$status" -ne 0 ]
    [[ $output == *"no nvcc"* ]]
}

@test "deps installs every command that the tests, pipelines and examples start" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    "$ROOT/tests/commands"
}

@test "a command that no package of deps brings, or that is not asked for first, is found" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    mkdir -p tree/pipelines tree/tests
    cp "$ROOT/Makefile" tree/
    cp "$ROOT/tests/commands" "$ROOT/tests/tests.mk" tree/tests/
    echo >tree/README.md
    cat >tree/pipelines/odd.sh <<'ODD'
#!/bin/sh
for f in a b; do x=$(no-such-1 "$f" | tr a b) || exit; done <<END
no-such-heredoc
END
case $x in no-such-pattern) echo "$(timeout 5 no-such-2)" ;; esac # no-such-comment
mine() { xargs -n 1 no-such-3; }
mine | awk '{ print "no-such-quoted" }' && clang --version || sh -c 'no-such-4 2>/dev/null'
ODD
    run tree/tests/commands
    [ "$status" -eq 1 ]
    [ "$(grep -o 'no-such-[a-z0-9]*' <<<"$output" | sort -u | paste -sd ' ')" = "no-such-1 no-such-2 no-such-3 no-such-4" ] || { echo "$output"; false; }
    [[ $output == *"odd.sh:7: clang: starts it without asking"* ]] || { echo "$output"; false; }
}

@test "CONTRIBUTING has at most 80 lines, and every file and folder that it or the README names is there" {
    cd "$ROOT"
    [ "$(wc -l <.github/CONTRIBUTING.md)" -le 80 ]
    for f in $(grep -ohE '`[a-zA-Z0-9_/.-]+`' .github/CONTRIBUTING.md README.md | tr -d '`' | grep -vE '(^|/)[Xa]([-._/]|$)'); do
        case $f in
        */ | lib/* | tools/* | tests/* | man/* | pipelines/*) [ -e "$f" ] || [ -e "tests/$f" ] || [[ $f == build/* ]] || { echo "no $f"; false; } ;;
        *.c | *.h | *.bats | prop_* | test_*) [ -n "$(find lib tools tests -name "${f%.c}*")" ] || { echo "no $f"; false; } ;;
        esac
    done
}

@test "nothing but what the layout names is at the top" {
    cd "$ROOT"
    files=$({ command -v git >/dev/null && git ls-files 2>/dev/null; } || find . \( -name build -o -name .git \) -prune -o -type f -printf '%P\n')
    extra=$(sed 's,/.*,,' <<<"$files" | sort -u | grep -vxE 'Makefile|README.md|LICENSE|CITATION.cff|lib|cuda|tools|pipelines|tests|man|\..*' || true)
    [ -z "$extra" ] || { echo "$extra"; false; }
}
