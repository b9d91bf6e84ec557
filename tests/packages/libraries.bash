# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# libraries.bash: functions for packages/tarball and check-macos, which set $me to their name and
# source this file. They find the compiler zig, and compile libraries from the source packages of
# this Debian or Ubuntu.
die() {
    echo "$me: $1" >&2
    exit 1
}
# find_zig: sets $zig to the program on PATH or in the package ziglang of PYTHON, or fails
find_zig() {
    zig=$(command -v zig) || { "${PYTHON:-python3}" -c 'import ziglang' 2>/dev/null && zig=$("${PYTHON:-python3}" -c 'import ziglang; print(ziglang.__file__)') && zig=${zig%/*}/zig; }
}

# try LOG COMMAND...: run a function, and stop at its first command that fails (in a condition,
# set -e does nothing)
try() {
    local log=$1 rc
    shift
    set +e
    (set -e && "$@") >"$log" 2>&1
    rc=$?
    set -e
    [ $rc = 0 ] || { tail -n 5 "$log" && die "$1 failed: see $log"; }
}
# sources FOLDER: unpack the source packages of zlib, xxHash, FFTW and ISA-L to folders of
# FOLDER/source, once
sources() {
    [ ! -e "$1/source/done" ] || return 0
    rm -rf "$1/source"
    mkdir -p "$1"
    try "$1/source.log" unpack "$1" zlib xxhash fftw3 libisal
}
unpack() {
    mkdir -p "$1/source/lists/partial" "$1/source/cache/archives/partial"
    cd "$1/source"
    shift
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb-src [signed-by=$(SIGNED_BY)] $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed 's/\[signed-by=\(\$(SIGNED_BY)\)\{0,1\}\] //' | sort -u >list
    apt=(-qq -o Dir::Etc::SourceList="$PWD/list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o "APT::Sandbox::User=$(id -un)")
    apt-get "${apt[@]}" update || ls lists/*Sources* >/dev/null
    release=$(awk '$(NF - 1) !~ /-/ { print $(NF - 1); exit }' list) # some mirrors lack files of -security
    for s; do
        apt-get "${apt[@]}" source "$s" || apt-get "${apt[@]}" source "$s/$release"
        mv "$s"-*/ "$s"
    done
    touch done
    cd "$OLDPWD"
}

# zlib, fftw TO SETTING...: compile the library in the folder of its sources, and copy it to TO/lib
# and its headers to TO/include. SETTING is a variable, such as CC=..., or for FFTW also an option
# of its configure.
zlib() {
    (cd zlib && env "${@:2}" ./configure --static && make libz.a && cp zlib.h zconf.h "$1/include/" && cp libz.a "$1/lib/")
}
fftw() {
    (cd fftw3 && ./configure -q --disable-fortran --disable-doc --disable-shared "${@:2}" && for d in support kernel simd-support dft rdft reodft api; do make -s -j"${JOBS:-1}" -C $d; done &&
        make -s libfftw3.la && cp .libs/libfftw3.a "$1/lib/" && cp api/fftw3.h "$1/include/")
}
