#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tests the recipes of packages, as far as possible in a checkout without an empty root, which
# check-packages uses.
load ../helpers

setup_file() {
    [ -z "${SANITIZED:-}" ] || return 0
    # shellcheck source=../helpers.bash
    source "$BATS_TEST_DIRNAME/../helpers.bash"
    # the files that debian/rules installs
    local targets
    targets=$(sed -n 's/^TARGETS = //p' "$ROOT/tests/packages/debian/rules" | sed 's/$(CUDA)/CUDA=0/; s/$(DEB_HOST_MULTIARCH)/host/')
    cd "$ROOT" || return 1
    # shellcheck disable=SC2086
    make -s O="$(realpath --relative-to=. "${BIN%/bin}")" $targets DESTDIR="$BATS_FILE_TMPDIR/in" install >/dev/null
    rm "$BATS_FILE_TMPDIR/in/usr/share/doc/mbf/LICENSE" # as debian/rules does: it is debian/copyright
}
plain() { [ -z "${SANITIZED:-}" ] || skip "plain build only"; }

# packed FOLDER: "FILE PACKAGE" of every file of $BATS_FILE_TMPDIR/in that the *.install files of
# FOLDER name; fails if a line names no file
packed() (
    lists=$(realpath "$1")
    cd "$BATS_FILE_TMPDIR/in" || exit 1
    for list in "$lists"/*.install; do
        package=$(basename "$list" .install)
        [ "$package" != mbf-gpu ] || continue # nothing of it without nvcc
        while read -r pattern _; do
            found=$(compgen -G "$pattern") || { echo "$package: $pattern names nothing that is installed"; exit 1; }
            # shellcheck disable=SC2086
            find $found \( -type f -o -type l \) -printf "%p $package\n"
        done <"$list"
    done
)
# complete FOLDER: every file is in exactly one package
complete() {
    packed "$1" >packed || { cat packed; return 1; }
    cut -d ' ' -f 1 packed | sort >names
    [ -z "$(uniq -d names)" ] || { echo "in two packages: $(uniq -d names | head -n 3)"; return 1; }
    (cd "$BATS_FILE_TMPDIR/in" && find usr \( -type f -o -type l \))| sort | comm -3 - names >left
    [ ! -s left ] || { echo "in no package: $(head -n 3 left)"; return 1; }
}

@test "every file that is installed is in one Debian package; one that is in none, or in two, is found" {
    plain
    complete "$ROOT/tests/packages/debian"
    [ "$(wc -l <names)" -gt 200 ]
    cp -r "$ROOT/tests/packages/debian" without
    sed -i '/man7/d' without/mbf.install
    fails 1 complete without
    [[ $output == "in no package: "*man7/mbf* ]]
    cp -r "$ROOT/tests/packages/debian" twice
    echo usr/include/mbf >>twice/mbf.install
    fails 1 complete twice
    [[ $output == "in two packages: "*include/mbf* ]]
    cp -r "$ROOT/tests/packages/debian" nothing
    echo 'usr/lib/*/libmbf.so.9' >>nothing/libmbf0.2.install
    fails 1 complete nothing
    [[ $output == *"libmbf.so.9 names nothing that is installed" ]]
}

@test "Debian's version, names and files are those of the library; what its programs need to be built is what deps installs" {
    version=$(sed -n 's/^.define CLI_VERSION "\(.*\)"/\1/p' "$ROOT/lib/cli/cli.h") d=$ROOT/tests/packages/debian
    [[ $(head -n 1 "$d/changelog") == "mbf ($version-"* ]]
    grep -qx "Package: libmbf${version%.*}" "$d/control"
    [ -f "$d/libmbf${version%.*}.install" ]
    for p in $(sed -n 's/^Package: //p' "$d/control"); do [ -f "$d/$p.install" ] || { echo "no $p.install"; false; }; done
    for p in $(sed -n 's/^Build-Depends: //p' "$d/control" | tr ',' '\n' | grep -oE '^ *[a-z0-9-]+-dev\b'); do
        grep -qw -- "$p" "$ROOT/tests/tests.mk" || { echo "make deps does not install $p"; false; }
        grep -qw -- "$p" "$ROOT/tests/packages/Containerfile" || { echo "Containerfile does not install $p"; false; }
    done
    grep -q "environ.get(\"MBF_VERSION\", \"$version\")" "$ROOT/tests/packages/conda/meta.yaml"
}

@test "a wheel has every program, the library and the module, each as its RECORD says, and they find each other" {
    plain
    numpy_python
    unset MBF_LIBRARY PYTHONPATH MBF_BIN
    mkdir -p build/bundled build/licenses
    ln -s "${BIN%/bin}"/* build/
    echo a library >build/bundled/liba.so.1
    echo its licence >build/licenses/a
    "$PY" "$ROOT/tests/packages/wheel.py" "$ROOT" build .
    py oracle/whole_wheel mbf_filters-*.whl "$BIN" un
    [ "$(cat un/*.data/data/lib/mbf/liba.so.1 un/*.dist-info/licenses/a)" = "$(printf '%s\n' 'a library' 'its licence')" ]
    # in the layout of an installer
    mkdir -p venv/bin venv/lib/python3/site-packages
    mv un/*.data/scripts/* venv/bin/ && chmod +x venv/bin/* && mv un/mbf venv/lib/python3/site-packages/
    PATH=$PWD/venv/bin:/usr/bin:/bin traj2bin -q "$DATA/formats/water10.xtc" -o w.mbf
    PATH=/usr/bin:/bin PYTHONPATH=$PWD/venv/lib/python3/site-packages "$PY" -c 'import mbf; print(mbf.library.lib._name, mbf.data.program("bin2txt"))' >found
    grep -q "venv/lib/python3/site-packages/mbf/libmbf.so.* .*/bin/bin2txt$" found
    PATH=/usr/bin:/bin PYTHONPATH=$PWD/venv/lib/python3/site-packages "$PY" -m mbf check w.mbf
}

@test "a program that needs a newer glibc than stated is found, with what it needs" {
    plain
    newest=$(objdump -T "$BIN/rdf-cpu" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    "$ROOT/tests/packages/glibc" "${newest#GLIBC_}" "$BIN/rdf-cpu" "$BIN/traj2bin"
    fails 1 "$ROOT/tests/packages/glibc" 2.0 "$BIN/rdf-cpu" "$ROOT/pipelines/mbf"
    [[ ${lines[0]} == "glibc: $BIN/rdf-cpu needs $newest: "* && ${#lines[@]} -eq 1 ]]
    fails 1 "$ROOT/tests/packages/glibc" 99 "$ROOT/pipelines/mbf"
    [[ $output == *"found none that objdump reads" ]]
}

@test "make install prints one line; its module file leads to the programs and the Python module, also after the prefix was moved" {
    [ -z "${SANITIZED:-}" ] || skip "plain build only"
    o=$(cd "$ROOT" && realpath --relative-to=. "${BIN%/bin}")
    fails 0 make -C "$ROOT" --no-print-directory O="$o" CUDA=0 PREFIX="$PWD/a" PYTHONDIR="$PWD/a/lib/python" install
    version=$(sed -n 's/^.define CLI_VERSION "\(.*\)"/\1/p' "$ROOT/lib/cli/cli.h")
    [ "$(grep -v '^note: .*does not look there by itself' <<<"$output")" = "mbf $version is installed in $PWD/a" ] || { echo "$output"; false; }
    mv a b
    grep -qx '#%Module1.0' "b/share/mbf/modulefiles/mbf/$version" # the first line by which modules know it
    command -v tclsh >/dev/null || skip "no tclsh: the module file was not run"
    cat >run <<'TCL'
foreach name {module-whatis conflict} { proc $name args {} }
proc prepend-path {name path} { puts "$name $path" }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
TCL
    tclsh run "$PWD/b/share/mbf/modulefiles/mbf/$version" >paths
    [ "$(cat paths)" = "$(printf '%s\n' "PATH $PWD/b/bin" "PYTHONPATH $PWD/b/lib/python" "PKG_CONFIG_PATH $PWD/b/lib/pkgconfig")" ] || { cat paths; false; }
    [ -x b/bin/rdf-cpu ] && [ -f b/lib/python/mbf/__init__.py ] && [ -f b/lib/pkgconfig/mbf.pc ]
}

@test "the recipe for Homebrew that make dist writes: its tarball and hash are there, its commands build and install, deps has its packages" {
    plain
    command -v git >/dev/null && git -C "$ROOT" rev-parse -q --verify HEAD || skip "no git checkout"
    make -s -C "$ROOT" dist DIST="$PWD/dist" >/dev/null
    recipe() { sed -n "s/^ *$1 \"\(.*\)\"\( => :build\)\{0,1\}\$/\1/p" dist/mbf-filters.rb; }
    echo "$(recipe sha256)  $(recipe url | sed 's,^file://,,')" | sha256sum -c
    for p in $(recipe depends_on); do grep -E '^brew ' "$ROOT/tests/deps" | grep -qw -- "$p" || { echo "make deps does not name $p"; false; }; done
    [ "$(recipe depends_on | wc -l)" -ge 6 ]
    recipe system | sed 's/", "/ /g; s,#{prefix},/opt/brew,' >commands
    [ "$(grep -c '^make ' commands)" -eq 2 ]
    o=$(cd "$ROOT" && realpath --relative-to=. "${BIN%/bin}")
    while read -r c; do (cd "$ROOT" && $c -s O="$o" DESTDIR="$BATS_TEST_TMPDIR/to") >/dev/null; done < <(grep '^make ' commands)
    "to/opt/brew/bin/$(sed -n 's,^ *system bin/"\(.*\)"\, "--version"$,\1,p' dist/mbf-filters.rb)" --version
    command -v ruby >/dev/null || skip "no ruby: the recipe was not parsed"
    ruby -c dist/mbf-filters.rb
}

@test "check-packages and check-arm say what they cannot do here" {
    mkdir bin && for c in bash dirname id; do ln -s "$(command -v $c)" bin/; done
    for check in check-packages check-arm; do
        fails 0 env PATH="$PWD/bin" "$ROOT/tests/$check"
        [[ $output == "$check: bookworm: skipped: no debootstrap" || $output == "$check: bookworm: skipped: needs root" ]]
    done
    fails 1 env ONLY=rpm "$ROOT/tests/check-packages"
    [ "$output" = "check-packages: ONLY: expected deb, tarball, wheel, container, conda, macos, found rpm" ]
}
