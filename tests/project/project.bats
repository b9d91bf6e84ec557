# SPDX-License-Identifier: MIT
# The project around the programs: installing, dependencies, layout.

load ../helpers

@test "fuzz: a target that crashes fails the run, behind the others; without one it ends well" {
    mkdir bin tree
    printf '#!/bin/sh\n' >bin/make
    # builds a target of this name, which ends with the status in the file STATUS
    cat >bin/clang <<'SH'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho "ran $0"\nexit $(cat "$0.status" 2>/dev/null || echo 0)\n' >"$2"
chmod +x "$2"
SH
    chmod +x bin/*
    PATH=$PWD/bin:$PATH "$ROOT/tests/fuzz/run" "$PWD/tree" 1 meta xyz xtc
    echo 77 >tree/fuzz_xyz.status
    fails 1 env PATH="$PWD/bin:$PATH" "$ROOT/tests/fuzz/run" "$PWD/tree" 1 meta xyz xtc
    [ "$(grep -c '^ran' <<<"$output")" -eq 3 ]
    [ "${lines[-1]}" = "fuzz: ended badly: xyz" ]
}

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
    [[ $(usr/bin/mbf-compare --version) == mbf-compare* ]]
    [ -f usr/share/man/man5/mbf.5 ]
    [ "$(grep -l '^\.so' usr/share/man/man1/* | wc -l)" -eq $(($(grep -l '^\.so' "$ROOT"/man/*.1 | wc -l) + 1)) ] # and mbf.1
    [ -z "$(cd usr/share/man && mandoc -T lint -W error man1/mbf-* 2>/dev/null)" ]
    mandoc -T utf8 usr/share/man/man1/mbf-compare.1 | sed 's/.\x08//g' >page
    for said in 'MBF-COMPARE(1)' 'mbf-g4-cpu --lags 40' 'mbf-bin2txt(1)'; do grep -q "$said" page; done
    rm page
    for said in 'else mbf-traj2bin ' '^positions | "${G4:-mbf-g4-cpu}" '; do
        grep -q "$said" usr/share/mbf/pipelines/argon-spectrum.sh
    done
    grep -q '^    mbf-compare ' usr/share/mbf/pipelines/stage-swap.sh || grep -q '^mbf-compare ' usr/share/mbf/pipelines/stage-swap.sh
    for f in usr/share/mbf/pipelines/*.sh; do "$(sed -n "1s,^#!.*[/ ],,p" "$f")" -n "$f"; done
    env -u BIN OUT="$PWD/../swap" usr/share/mbf/pipelines/stage-swap.sh >/dev/null # by its place alone
    # Python looks for bin2txt under the prefix
    grep -q '^PREFIX = "mbf-"$' "$(find . -name data.py)"
    for f in $(sed -n 's/^\.so //p' usr/share/man/man1/*); do
        [ -f "usr/share/man/$f" ] || { echo "a page refers to $f"; false; }
    done
    cd "$ROOT"
    make -s O="$o" CUDA=$cuda uninstall DESTDIR="$to" PREFIX=/usr PROGRAM_PREFIX=mbf-
    [ -z "$(find "$to" -type f)" ] || { find "$to" -type f; false; }
}

@test "install compiles nothing that was not asked for, and strips" {
    [ -z "${SANITIZED:-}" ] || skip "plain build only"
    cd "$ROOT"
    o=$(realpath --relative-to=. "${BIN%/bin}")
    # flags that would rebuild everything: existing files are installed unchanged
    run make -n O="$o" CUDA=0 CFLAGS=-O0 install DESTDIR="$BATS_TEST_TMPDIR/to" PREFIX=/usr
    [ "$status" -eq 0 ]
    [ -z "$(grep -E '(^|[ /])(cc|gcc|nvcc|ar) ' <<<"$output")" ] || { echo "$output"; false; }
    make -s O="$o" CUDA=0 install DESTDIR="$BATS_TEST_TMPDIR/to" PREFIX=/usr >/dev/null
    for p in "$BATS_TEST_TMPDIR"/to/usr/bin/*; do
        [ "${p##*/}" != mbf ] || continue # a script
        # a GPU program consists mostly of kernels, so its size is not compared
        [ -z "$(readelf -S "$p" | grep '\.symtab')" ] || { echo "$p is not stripped"; false; }
        [ -n "$(readelf -S "$BIN/${p##*/}" | grep '\.symtab')" ] || { echo "$BIN/${p##*/} has no symbols to strip"; false; }
    done
}

# within DIR: a shell that sees DIR/usr/local as /usr/local, with PATH and no other variables.
within() {
    unshare -rm sh -c 'mount --bind "$1/usr/local" /usr/local && cd "$2" && shift 2 && exec env -i HOME="$PWD" PATH=/usr/local/bin:/usr/bin:/bin "$@"' \
        sh "$1" "$PWD" bash -euo pipefail
}

@test "make says before nvcc what it will build, and that CUDA=0 leaves it out; install says where python3 must look" {
    cd "$ROOT"
    o=$(realpath --relative-to=. "${BIN%/bin}")
    run make -n O="$BATS_TEST_TMPDIR/o" CUDA=1 NVCC=/bin/true CUDA_ARCH=90
    [[ ${lines[0]} == "note: nvcc will make "*"g4-gpu"*" for compute capability 90"*"CUDA=0 leaves them out"* ]] || { echo "${lines[0]}"; false; }
    run make -n O="$BATS_TEST_TMPDIR/o" CUDA=0
    [[ $output != *"nvcc will make"* ]]
    run make -s O="$o" CUDA=0 PYTHON=/usr/bin/python3 install-python PREFIX="$BATS_TEST_TMPDIR/to"
    [[ $output == *"export PYTHONPATH=$BATS_TEST_TMPDIR/to/lib/python3/site-packages" ]] || { echo "$output"; false; }
    PYTHONPATH=${output##*PYTHONPATH=} MBF_LIBRARY=$o/pic/libmbf.so python3 -c 'import mbf' 2>"$BATS_TEST_TMPDIR/said" || grep -q numpy "$BATS_TEST_TMPDIR/said"
}

@test "make html: an index of all pages, and every public name of the Python module with its options" {
    command -v mandoc >/dev/null || skip "no mandoc"
    "$ROOT/man/html.sh" "$PWD/h t" "$ROOT"/man/*.[1357]
    # every page that is not an alias of another page, once, with its subject
    for m in "$ROOT"/man/*.[1357]; do
        n=$(grep -c "<a href=\"${m##*/}.html\">" "h t/index.html" || true)
        if grep -q '^\.so ' "$m"; then [ "$n" -eq 0 ]; else [ "$n" -eq 1 ]; fi || { echo "${m##*/}: $n times"; false; }
        grep -q '^\.so ' "$m" || tr -s ' \n' ' ' <"h t/index.html" | grep -qF "$(sed -n 's/^\.Nd //p' "$m" | sed 's/.* //')</td>" || { echo "${m##*/}: what it is"; false; }
    done
    for f in index.html mbf-python.7.html; do grep -q 'href="mbf-python.api.html"' "h t/$f"; done
    python3 - "h t/mbf-python.api.html" "$ROOT/lib/python/mbf" <<'PY'
import ast, html, re, sys
page = html.unescape(re.sub("<[^>]*>", "", open(sys.argv[1]).read()))
init, data = (ast.parse(open(sys.argv[2] + f).read()) for f in ("/__init__.py", "/data.py"))
names = next(ast.literal_eval(i.value) for i in init.body if isinstance(i, ast.Assign) and i.targets[0].id == "__all__")
assert len(names) > 12 and all(n == "__version__" or "mbf." + n in page for n in names), [n for n in names if "mbf." + n not in page]
kept = [n for n in data.body if getattr(n, "name", "") in names]
kept += [n for c in kept if isinstance(c, ast.ClassDef) for n in c.body if getattr(n, "name", "_")[0] != "_" and ast.get_docstring(n)]
for f in (n for n in kept if isinstance(n, ast.FunctionDef) and not n.decorator_list):
    words = [f.name + "("] + [a.arg for a in f.args.args + f.args.kwonlyargs if a.arg != "self"]
    assert any(all(w in l for w in words) for l in page.splitlines()), f.name
PY
    ! grep -n '`' "h t/mbf-python.api.html" || false
    # without python3, there is no module and no link to it
    printf '#!/bin/sh\nexit 1\n' >none && chmod +x none
    PYTHON=$PWD/none "$ROOT/man/html.sh" "$PWD/h t" "$ROOT"/man/*.[1357] | grep -q '^note: no python3 of 3.9'
    [ ! -e "h t/mbf-python.api.html" ] && [ -z "$(ls -A "h t" | grep part)" ]
    ! grep -l 'href="mbf-python.api.html"' "h t"/*.html || false
}

@test "make html: the start page leads from the installation to a first g(r), whose commands run, and to the programs by task" {
    command -v mandoc >/dev/null || skip "no mandoc"
    mkdir pages && cp "$ROOT"/man/*.[1357] pages
    "$ROOT/man/html.sh" "$PWD/html" pages/*.[1357] >/dev/null
    cmp html/argon-spectrum.png "$ROOT/pipelines/argon-spectrum.png"
    # steps.py: the commands of the three steps
    sed -n '/Three steps/,/<\/ol>/p' html/index.html | tr '\n' '\t' | grep -oP '<pre>\K.*?(?=</pre>)' | tr '\t' '\n' | sed 's/&amp;/\&/g' >commands
    [ "$(head -n 1 commands)" = "make deps && make && sudo make install PREFIX=/usr/local" ]
    for t in deps install; do make -C "$ROOT" -n CUDA=0 O="$PWD/o" $t >/dev/null; done
    cp "$DATA/formats/water10.xtc" run.xtc
    sed 1d commands | bash -eo pipefail 2>/dev/null
    rdf-cpu -q run.mbf | bin2txt | grep -v '^##' | cmp - <(grep -v '^##' gr.txt)
    for page in mbf-cookbook.7 mbf.7 mbf-python.7; do sed -n '/Three steps/,/<\/ol>/p' html/index.html | grep -q "href=\"$page.html\""; done
    # every program has a task, in one line
    for m in "$ROOT"/tools/*.c; do
        name=$(basename "$m" .c)
        sed -n '/Programs by task/,/All pages/p' html/index.html | grep -qE "href=\"$name(-cpu)?\.1\.html\"" || { echo "$name"; false; }
    done
    # with a prefix, the commands have their names with this prefix
    for f in pages/*.1; do mv "$f" "pages/mbf-${f#pages/}"; done
    "$ROOT/man/html.sh" "$PWD/prefixed" pages/*.[1357] >/dev/null
    grep -qF '<pre>mbf-traj2bin run.xtc -o run.mbf' prefixed/index.html
}

@test "make html: formulas are typeset from the text beside them, which the terminal does not show" {
    command -v mandoc >/dev/null || skip "no mandoc"
    "$ROOT/man/html.sh" "$PWD/html" "$ROOT"/man/*.[1357] >/dev/null
    grep -q '<msub><mo>&#x03BC;</mo><mi>i</mi></msub><mo>=</mo><msub><mo>&#x03B1;</mo><mi>i</mi></msub>' html/alpha-cpu.1.html
    [ "$(grep -h '^\.\\" eqn: ' "$ROOT"/man/*.[1357] | wc -l)" -ge 15 ]
    for m in "$ROOT"/man/*.[1357]; do
        n=$(grep -c '^\.\\" eqn: ' "$m" || true)
        [ "$(grep -c '<math' "html/${m##*/}.html" || true)" -eq "$n" ] || [ "$(sed -n 's/^\.so.*/so/p' "$m")" = so ]
        # each formula replaces a line .Dl, and no word of eqn remains in the text
        [ "$(grep -B 1 '^\.\\" eqn: ' "$m" | grep -c '^\.Dl ' || true)" -eq "$n" ]
        ! sed -n '/<math/,/<\/math/p' "html/${m##*/}.html" | grep -nE '>(sub|sup|over|from|sqrt|cdot)<' || false
    done
    mandoc -T utf8 "$ROOT/man/alpha-cpu.1" | sed 's/.\x08//g' | grep -F 'mu_i = alpha_i (E + sum_j T_ij mu_j).'
    fails 1 grep -c 'eqn:\|sum from' <(mandoc -T utf8 "$ROOT/man/alpha-cpu.1")
}

@test "make html: a browser shows every page at 390 pixels, and what is wider scrolls by itself" {
    command -v mandoc >/dev/null || skip "no mandoc"
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
    "$ROOT/man/html.sh" "$PWD/html" "$ROOT"/man/*.[1357] >/dev/null
    cd html
    cat >../measure.html <<END
<body><script>
addEventListener("load", async () => {
    const wide = []
    let seen = 0, formulas = 0
    for (const page of [$(printf '"html/%s",' *.html)]) {
        const f = document.createElement("iframe")
        f.style = "width:390px;height:800px;border:0"
        f.src = page
        document.body.append(f)
        await new Promise(done => f.onload = done)
        const d = f.contentDocument
        if (d.documentElement.scrollWidth > 390) wide.push(page)
        for (const m of d.querySelectorAll("math.eqn")) {
            formulas += m.getBoundingClientRect().height > 15
            if ([...m.querySelectorAll("mi, mo")].some(e => e.getBoundingClientRect().right > 390)) wide.push(page + " formula")
        }
        for (const i of d.images) if (!i.naturalWidth || i.getBoundingClientRect().right > 390) wide.push(page + " image")
        for (const e of d.querySelectorAll("p, li, dd, dt, td, h1, h2"))
            if (!e.closest("pre, math") && e.scrollWidth > e.clientWidth + 1 && e.getBoundingClientRect().right > 390) wide.push(page + " " + e.tagName)
        seen += d.body.textContent.length > 200
        f.remove()
    }
    document.title = "seen " + seen + " formulas " + formulas + " wide " + wide.join(" ")
})
</script>
END
    n=$(ls ./*.html | wc -l) formulas=$(cat ./*.html | grep -c '<math')
    HOME=$PWD/.. "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --virtual-time-budget=60000 --window-size=500,900 \
        --dump-dom "file://$PWD/../measure.html" >../dom 2>/dev/null
    grep -qF "<title>seen $n formulas $formulas wide </title>" ../dom || { grep -o '<title>.*</title>' ../dom; false; }
}

@test "an installed prefix in a root of its own: programs, man, completions, HTML, Python and pipelines, by PATH alone" {
    [ -z "${SANITIZED:-}" ] || skip "plain build only"
    mkdir -p "to/usr/local"
    to=$PWD/to
    o=$(cd "$ROOT" && realpath --relative-to=. "${BIN%/bin}")
    make -s -C "$ROOT" O="$o" CUDA=0 PYTHON=/usr/bin/python3 install DESTDIR="$to" PREFIX=/usr/local >/dev/null
    # in HTML, every link between pages leads to a page
    for f in "$to"/usr/local/share/doc/mbf/*.html; do
        for l in $(grep -oE 'href="[a-z0-9-]+\.[1357]\.html' "$f" | cut -d'"' -f2 | sort -u); do
            [ -f "$to/usr/local/share/doc/mbf/$l" ] || echo "${f##*/} leads to $l"
        done
    done >lost
    [ "$(ls "$to"/usr/local/share/doc/mbf/*.[1357].html | wc -l)" -eq "$(ls "$ROOT"/man/*.[1357] | wc -l)" ]
    [ "$(ls "$to"/usr/local/share/doc/mbf/*.html | wc -l)" -eq $(("$(ls "$ROOT"/man/*.[1357] | wc -l)" + 2)) ] # the index, names of the module
    [ ! -s lost ] || { cat lost; false; }
    grep -q 'href="mbf.5.html"' "$to/usr/local/share/doc/mbf/mbf.7.html"
    within "$to" <<<true 2>/dev/null || skip "no name spaces here (unshare -rm): what was installed was looked at, not run"
    within "$to" <<'SH'
xyz2bin /usr/local/share/mbf/data/argon8.xyz -o a.mbf
[ "$(command -v frame-check)" = /usr/local/bin/frame-check ]
frame-check a.mbf
OUT=$PWD/swap /usr/local/share/mbf/pipelines/stage-swap.sh /usr/local/share/mbf/data/argon256.xyz.gz >/dev/null
if command -v man >/dev/null && man -w ls >/dev/null 2>&1; then man -w mbf | grep -qxE '/usr/local/share/man/man(1/mbf.1|7/mbf.7)'; fi
source /usr/local/share/bash-completion/completions/rdf-cpu
COMP_WORDS=(rdf-cpu --alg) COMP_CWORD=1
_mbf_complete_rdf-cpu
[ "${COMPREPLY[*]}" = --algorithm ]
if command -v zsh >/dev/null; then
    [ "$(zsh -fc 'autoload -Uz compinit; compinit -D -u; echo $_comps[rdf-cpu]')" = _rdf-cpu ]
fi
if command -v fish >/dev/null; then # where a session says which folders hold data, as desktops do
    XDG_DATA_DIRS=/usr/local/share:/usr/share fish -c 'complete -C "rdf-cpu --alg"' | grep '^--algorithm' >/dev/null
fi
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    /usr/bin/python3 -c 'import mbf; assert mbf.__file__.startswith("/usr/local/lib/"); assert mbf.table("a.mbf")["x_A"].size == 16'
    /usr/bin/python3 -m mbf check a.mbf >/dev/null
fi
SH
}

@test "deps: nothing missing is said; without apt it prints what is missing and does not fail" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    run "$ROOT/tests/deps" dash
    [ "$status" -eq 0 ]
    [ "$output" = "deps: nothing to install" ]
    fails 0 make -C "$ROOT" -n deps CUDA=0 CC=no-such-cc O="$PWD/o" # a system without a compiler
    [[ $output != *no-such-cc:* ]] || { echo "$output"; false; }
    mkdir bin
    for c in sh cc sed printf; do ln -s "$(command -v $c)" bin/$c; done
    PATH=$PWD/bin run "$ROOT/tests/deps" some-package
    [ "$status" -eq 0 ]
    [[ $output == *"no apt"*"to build: some-package"*"missing here: the command bats"* ]] || { echo "$output"; false; }
    # the two kinds of packages, and the command of the installed package manager
    printf '#!/bin/sh\n' >bin/pacman
    chmod +x bin/pacman
    PATH=$PWD/bin run "$ROOT/tests/deps" one two -- three
    [ "${lines[1]}${lines[2]}" = "  to build: one two  for the demo and the tests: three" ]
    [ "${lines[3]}" = "deps: type, to build: sudo pacman -S base-devel zlib xxhash fftw hdf5" ]
    [[ ${lines[4]} == "deps: type, for the demo and the tests: sudo pacman -S gnuplot bats "* && $output != *brew* ]] || { echo "$output"; false; }
    PATH=$PWD/bin run "$ROOT/tests/deps" one two
    [[ $output == *"to build: sudo pacman"* && $output != *"pacman -S gnuplot"* ]] || { echo "$output"; false; }
}

@test "deps prints the packages that it installs in two lists, without those that are there" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    mkdir bin
    for c in sh dpkg-query sed; do ln -s "$(command -v $c)" bin/$c; done
    printf '#!/bin/sh\necho "$@" >>%s/ran\n' "$PWD" | tee bin/apt-get bin/sudo >bin/env
    printf '#!/bin/sh\necho 1000\n' >bin/id
    chmod +x bin/*
    PATH=$PWD/bin run sh "$ROOT/tests/deps" dash no-1 -- no-2 dash
    [ "$output" = "$(printf 'deps: installing\n  to build: no-1\n  for the demo and the tests: no-2\ndeps: done')" ] || { echo "$output"; false; }
    grep -q ' install no-1 no-2$' ran
    PATH=$PWD/bin run sh "$ROOT/tests/deps" dash no-1 -- dash
    [ "$output" = "$(printf 'deps: installing\n  to build: no-1\ndeps: done')" ] || { echo "$output"; false; }
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
    fails 0 make -n gpu CUDA=0 O="$BATS_TEST_TMPDIR/o"
    [[ $output == *skipping* ]]
    run make -n gpu CUDA=1 NVCC= O="$BATS_TEST_TMPDIR/o"
    [ "$status" -ne 0 ]
    [[ $output == *"no nvcc"* ]]
}

@test "zlib for ISA-L is said aloud, and ISAL=1 makes it an error" {
    cd "$ROOT"
    fails 0 make -s isal ISAL=0 O="$BATS_TEST_TMPDIR/o"
    [ "$output" = "note: zlib inflates .gz, at half the speed of ISA-L: ISAL=0" ]
    fails 0 make -s isal PKG_CONFIG=no-such-program O="$BATS_TEST_TMPDIR/o"
    [[ $output == "note: zlib inflates .gz, "*"no-such-program finds no libisal"* ]]
    fails 2 make -s isal ISAL=1 PKG_CONFIG=no-such-program O="$BATS_TEST_TMPDIR/o"
    [[ $output == *"ISAL=1, but no-such-program finds no libisal"* ]]
}

@test "deps installs every command that the tests, pipelines and examples start" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    "$ROOT/tests/project/commands"
}

@test "a command that no package of deps brings, or that is not asked for first, is found" {
    command -v dpkg-query >/dev/null || skip "no dpkg here"
    mkdir -p tree/pipelines tree/tests/project
    cp "$ROOT/Makefile" tree/
    cp "$ROOT/tests/project/commands" tree/tests/project/
    cp "$ROOT/tests/tests.mk" tree/tests/
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
    run tree/tests/project/commands
    [ "$status" -eq 1 ]
    [ "$(grep -o 'no-such-[a-z0-9]*' <<<"$output" | sort -u | paste -sd ' ')" = "no-such-1 no-such-2 no-such-3 no-such-4" ] || { echo "$output"; false; }
    [[ $output == *"odd.sh:7: clang: starts it without asking"* ]] || { echo "$output"; false; }
}

@test "the workflow runs both commands of README on Linux, and installs what deps prints on macOS" {
    local w=$ROOT/.github/workflows/check.yml c
    for c in "make deps demo" "make deps check"; do
        grep -qE "^    $c +#" "$ROOT/README.md" && grep -qE "^      - run: $c\$" "$w" || { echo "$c"; false; }
    done
    # the commands for macOS are the lines of deps for brew, and no others
    mkdir bin
    for c in sh cc sed printf; do ln -s "$(command -v $c)" bin/$c; done
    printf '#!/bin/sh\n' >bin/brew && chmod +x bin/brew
    command="$(sed -n 's/^ *make deps | \(sed .*\) | sh -ex$/\1/p' "$w")"
    [ -n "$command" ]
    PATH=$PWD/bin "$ROOT/tests/deps" one -- two | sh -c "$command" >typed
    [ "$(grep -c '^ *brew install ' typed)" -eq 2 ] && [ "$(wc -l <typed)" -eq 2 ] || { cat typed; false; }
    python3 -c 'import yaml' 2>/dev/null || skip "no yaml for Python: the workflow was not parsed"
    [ "$(python3 -c 'import sys, yaml; print(*yaml.safe_load(open(sys.argv[1]))["jobs"])' "$w")" = "linux macos" ]
}

# newer_than_macos FILE...: lines with what bash 3.2 lacks, then with options of only GNU tools
newer_than_macos() {
    grep -nE '(declare|local|typeset) -[a-zA-Z]*[Ang]|\b(mapfile|readarray|coproc)\b|[^|]\|&|&>>|\bwait -n|\$\{[a-zA-Z_]+(\[[^]]*\])?(\^|,|@)|%\([^)]*\)T|;;?&|EPOCH(SECONDS|REALTIME)|shopt -s (globstar|lastpipe)' "$@"
    grep -nE "sed (-[a-zA-Z]+ )*-[a-zA-Z]*[iz]|(sed|grep) [^|]*\\\\[|+?]|stat -c|date -d|%N\b|readlink -[a-z]*f|sort -[a-zA-Z]*V|xargs -[rd]|mktemp -*[pt]|head -[nc] -|grep -[a-zA-Z]*P|\b(tac|nproc|realpath|timeout|sha256sum)\b" "$@"
}

@test "the users' scripts need no newer bash than 3.2 and no options that only GNU's tools have, and awk of macOS reads them" {
    cd "$ROOT"
    printf '%s\n' 'declare -A a' 'mapfile -t x' 'ls |& cat' 'echo "${x^^}"' 'wait -n' "printf '%(%F)T'" 'ls &>>log' 'local -n y=x' >"$BATS_TEST_TMPDIR/bash"
    printf '%s\n' "sed -i s/a/b/ f" "sed 's/a\\|b//'" 'stat -c %s f' 'date -d now' 'readlink -f f' 'xargs -r ls' 'sort -V' 'tac f' >"$BATS_TEST_TMPDIR/tools"
    for f in bash tools; do [ "$(newer_than_macos "$BATS_TEST_TMPDIR/$f" | wc -l)" -eq 8 ] || { newer_than_macos "$BATS_TEST_TMPDIR/$f"; false; }; done
    scripts=$(ls pipelines/*.sh pipelines/mbf pipelines/cluster/*.sh | grep -v dawid-figures) # that one measures GPU programs, on Linux
    # shellcheck disable=SC2086
    run newer_than_macos $scripts
    [ -z "$output" ] || { echo "$output"; false; }
    command -v original-awk >/dev/null || skip "the rest needs original-awk, the awk of macOS"
    # shellcheck disable=SC2016
    printf '%s\n' "awk -v a=1 'BEGIN { print a < 2 ? 1 : 2 }'" >"$BATS_TEST_TMPDIR/awk"
    [[ $(py project/awk_programs original-awk "$BATS_TEST_TMPDIR/awk") == *"/awk:1: original-awk: syntax error"* ]]
    # shellcheck disable=SC2086
    run py project/awk_programs original-awk $scripts tests/deps man/html.sh
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "the Makefile needs no newer make than 3.81, which macOS has" {
    cd "$ROOT"
    newer() { grep -nE '\$\((file|guile|let|intcmp) |^[[:space:]]*(\.ONESHELL|\.EXTRA_PREREQS|undefine|private) *|!=|&:|^define [^ ]+ *[:?+]?=|::?:=|--output-sync|\.SHELLSTATUS' "$@"; }
    printf '%s\n' 'A := $(file <b)' '.ONESHELL:' 'A != ls' 'a b &: c' 'define A =' 'A ::= b' 'undefine A' >"$BATS_TEST_TMPDIR/mk"
    [ "$(newer "$BATS_TEST_TMPDIR/mk" | wc -l)" -eq 7 ] || { newer "$BATS_TEST_TMPDIR/mk"; false; }
    run newer Makefile tests/tests.mk pipelines/*.mk
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "make runs where a folder of the build has a name that ends in .d, as that of completions for fish in a tarball" {
    mkdir -p o/vendor_completions.d
    make -s -C "$ROOT" CUDA=0 O="$PWD/o" help
}

@test "make for macOS: no options of GNU's linker, libmbf.dylib, one level of vectors on arm64 and three on x86_64" {
    for arch in arm64 x86_64; do
        printf '#!/bin/sh\n[ "$1" != -dumpmachine ] || echo %s-apple-darwin23.1.0\n' $arch >cc
        chmod +x cc
        make -n -C "$ROOT" CUDA=0 ISAL=0 CC="$PWD/cc" O="$PWD/$arch" all >said
        ! grep -E -- '-z,|as-needed|soname|interposition|objcopy|libmbf\.so' said || false
        grep -q -- "-dynamiclib -install_name .*/libmbf\.[0-9.]*\.dylib.* -o .*/libmbf\.dylib" said
        [ "$(grep -oE '_simd\.v[234]\.o' said | sort -u | wc -l)" -eq "$([ $arch = arm64 ] && echo 1 || echo 3)" ]
    done
    ! make -n -C "$ROOT" CUDA=0 O="$PWD/linux" all | grep dylib || false
}

@test "check-unit ends at the first unit test that fails, and shows what failed" {
    mkdir -p o/tests/unit
    printf '#!/bin/sh\necho ok 1\n' >o/tests/unit/one
    printf '#!/bin/sh\necho ok 1; echo not ok 2 - a sum; exit 1\n' >o/tests/unit/two
    printf '#!/bin/sh\n: >"$0.ran"\n' >o/tests/unit/three
    chmod +x o/tests/unit/*
    fails 2 make -s -C "$ROOT" CUDA=0 O="$PWD/o" UNIT="$(printf "$PWD/o/tests/unit/%s " one two three)" check-unit
    [[ $output == *"/one"*"/two"*"not ok 2 - a sum"* && ! -e o/tests/unit/three.ran ]] || { echo "$output"; false; }
}

@test "check-macos without zig: one line with the remedy, and no failure" {
    mkdir none
    for c in bash dirname; do ln -s "$(command -v $c)" none/$c; done
    PATH=$PWD/none PYTHON=no-such-python run "$ROOT/tests/check-macos"
    [ "$status" -eq 0 ] && [ "$output" = "check-macos: skipped: found no zig (pip install ziglang)" ] || { echo "$output"; false; }
}

@test "CONTRIBUTING has at most 80 lines, and every file and folder that it or the README names is there" {
    cd "$ROOT"
    [ "$(wc -l <.github/CONTRIBUTING.md)" -le 80 ]
    for f in $(grep -ohE '`[a-zA-Z0-9_/.-]+`' .github/CONTRIBUTING.md README.md | tr -d '`' | grep -vE '(^|/)[Xa]([-._/]|$)'); do
        case $f in
        */ | lib/* | cuda/* | tools/* | tests/* | man/* | pipelines/*) [ -e "$f" ] || [ -e "tests/$f" ] || [[ $f == build/* ]] || { echo "no $f"; false; } ;;
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

@test "the map of tests/ names each of its folders and files, and nothing else" {
    cd "$ROOT/tests"
    grep -oE '`[a-z.-]+/?`' README.md | tr -d '`/' | sort -u >"$BATS_TEST_TMPDIR/map"
    printf '%s\n' * | grep -vxE 'README.md|__pycache__' | sort >"$BATS_TEST_TMPDIR/there"
    diff "$BATS_TEST_TMPDIR/map" "$BATS_TEST_TMPDIR/there"
}

@test "one version: of the programs, the module, the citation and the changes; five sources are cited" {
    v=$(frame-check --version | sed -n '1s/.* //p')
    grep -qx "version: $v" "$ROOT/CITATION.cff"
    grep -qx 'version = {attr = "mbf.library.VERSION"}' "$ROOT/lib/python/pyproject.toml"
    grep -q "^VERSION = \"$v\"" "$ROOT/lib/python/mbf/library.py"
    grep -q "^\.Ss $v" "$ROOT/man/mbf-changes.7"
    [ "$(grep -c '^  - type:' "$ROOT/CITATION.cff")" -eq 5 ]
    [ "$(grep -c '^\.Rs' "$ROOT/man/mbf.7")" -eq 5 ]
}

@test "every program: the loader's tables read-only after it, any address, guards on the stack, checked copies" {
    command -v readelf >/dev/null || skip "no readelf"
    for p in "$BIN"/*; do
        [[ $p != *-gpu ]] || continue # nvcc links those
        readelf -lW "$p" | grep -q GNU_RELRO && readelf -dW "$p" | grep -q 'BIND_NOW\|NOW' || { echo "$p: not full RELRO"; false; }
        readelf -hW "$p" | grep -q 'Type: *DYN' || { echo "$p: not position-independent"; false; }
        readelf -sW "$p" | grep -q __stack_chk_fail || { echo "$p: no guards on the stack"; false; }
        readelf -sW "$p" | grep -q '_chk@' || { echo "$p: no checked copies (FORTIFY)"; false; }
    done
}

@test "the law of words sees each phrase, in comments, messages, pages and scripts, and long lines" {
    cd "$BATS_TEST_TMPDIR"
    printf '/* It takes 5 ms a frame, too. */\nint f(void) { return g("a step expected, found %%s"); }\n/* The atoms that have not. */\n/* %0100d */\n' 0 >a.c
    run python3 "$ROOT/tests/project/words" a.c
    [ "$status" -eq 1 ] && [ "$(grep -c '^a\.c:1: ' <<<"$output")" -eq 2 ] && [ "$(grep -c '^a\.c:2: ' <<<"$output")" -eq 1 ] || { echo "$output"; false; }
    [[ $output == *'a.c:3: '*'a.c:4: expected at most 100 columns'* || $output == *'a.c:4: expected at most 100 columns'*'a.c:3: '* ]]
    printf 'Frames are told apart.\n\nThe files go on.\n' >page.md
    run python3 "$ROOT/tests/project/words" page.md
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 2 ] || { echo "$output"; false; }
    printf '/* Each frame takes 5 ms. */\nint told = 1; /* found */\n' >b.c
    python3 "$ROOT/tests/project/words" b.c
}

@test "the law of subjects: a module, an imperative, at most 72 characters" {
    command -v git >/dev/null || skip "no git"
    cd "$BATS_TEST_TMPDIR"
    make_commit() { git -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$1"; }
    git init -q . && make_commit "base: add the first"
    from=$(git rev-parse HEAD)
    make_commit "base: read files of another kind"
    [ -z "$("$ROOT/tests/project/subjects" "$from")" ]
    make_commit "base: reading files" && make_commit "no module here" && make_commit "base: read $(printf '%070d' 0)"
    run "$ROOT/tests/project/subjects" "$from"
    [ "${#lines[@]}" -eq 3 ] && [[ $output == *"found 81"*"a module and a colon"*"found reading"* ]] || { echo "$output"; false; }
}
