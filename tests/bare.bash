# SPDX-License-Identifier: MIT
# bare.bash makes an empty Debian of one suite in the temporary folder $root, for check-bare and
# check-packages, which source it with $suite and their name $me set. Inside, nothing of this
# machine is visible except its kernel. Packages come from the sources of apt on this machine. The
# function `inside COMMAND` runs a command there. Without root, debootstrap or such a suite, the
# test is skipped with a message.
skip() {
    echo "$me: $suite: skipped: $1"
    exit 0
}
[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "no debootstrap"
command -v git >/dev/null || skip "no git"
git rev-parse -q --verify HEAD >/dev/null || skip "no git checkout"

# shellcheck disable=SC2016
# "URI suite component" of Debian's own archives, as this machine's apt has them
lists=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u)
own=$(awk '$3 == "main" && $2 !~ /-/ { print $2 }' <<<"$lists" | grep -x "$suite" || awk '$3 == "main" && $2 !~ /-/ { print $2; exit }' <<<"$lists")
[ -n "$own" ] || skip "this machine's apt has no list of Debian (apt-get update)"
# another suite is looked for beside this machine's own
sources=$(grep " $own" <<<"$lists" | sed "s/ $own/ $suite/")
mirror=$(awk -v s="$suite" '$2 == s && $3 == "main" { print $1; exit }' <<<"$sources")

bare=${ROOTS:-$(mktemp -d "${TMPDIR:-/tmp}/$me.XXXXXX")}
root=$bare/root
/usr/lib/apt/apt-helper download-file "${mirror}dists/$suite/InRelease" "$bare/InRelease" >"$bare/log" 2>&1 ||
    { rm -rf "$bare"; skip "$mirror has no Debian $suite"; }
trap '[ "${KEEP:-0}" = 1 ] && echo "$me: left in $bare" || rm -rf --one-file-system "$bare"' EXIT
# timed NAME COMMAND...: says how long; the output is shown as it comes
timed() {
    local name=$1 t0=$SECONDS rc=0
    shift
    "$@" || rc=$?
    echo "$me: $suite: $name: status $rc, $((SECONDS - t0)) s"
    return $rc
}

proxy=$(apt-config dump | sed -n 's/^Acquire::http::Proxy "\(..*\)";/\1/p' | tail -n 1)
export http_proxy=${http_proxy:-$proxy}
[ -n "$http_proxy" ] || unset http_proxy
with="make"
case $sources in *https:*) with=make,ca-certificates ;; esac
make_root() {
    debootstrap --variant=minbase --include=$with "$suite" "$root" "$mirror" >"$bare/log" 2>&1 || {
        tail -n 20 "$bare/log"
        return 1
    }
}
# bare: the root, with the lists of apt
bare() {
    timed debootstrap make_root
    while read -r line; do echo "deb $line"; done <<<"$sources" >"$root/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries|Force)' >"$root/etc/apt/apt.conf.d/00host" || true
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    # no daemon starts because its package came
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
}

# inside COMMAND runs a command in $root with separate /proc, process ids and terminals. No process
# survives it. $seen lists folders of this machine that are visible there, FROM:TO. CCACHE_DIR is
# visible as /ccache, for the compilers of a root where ccache is installed.
seen=''
inside() {
    # shellcheck disable=SC2016
    seen=$seen unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc"
        [ -z "$CCACHE_DIR" ] || { mkdir -p "$0/ccache" && mount --bind "$CCACHE_DIR" "$0/ccache"; }
        for s in $seen; do mkdir -p "$0${s#*:}" && mount --bind -o ro "${s%:*}" "$0${s#*:}"; done
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" && ln -sf pts/ptmx "$0/dev/ptmx"
        exec chroot "$0" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            CCACHE_DIR=/ccache \
            ${http_proxy:+http_proxy="$http_proxy"} ${JOBS:+JOBS="$JOBS"} sh -c "cd /root/mbf 2>/dev/null; $1"' "$root" "$1" </dev/null
}

# same_content HERE THERE WHAT: compares the outputs of packages/hashes.sh in THERE, by the programs
# for WHAT, with those in HERE, by the programs in $bin
same_content() {
    local f name here there equal=0 near=0 rc=0
    content() { "$bin/frame-check" -v "$1" 2>/dev/null | awk '$1 == "content" { print $2 }'; }
    for f in "$1"/*; do
        name=${f##*/} here=$(content "$f")
        [ -n "$here" ] || continue
        there=$(content "$2/$name")
        if [ "$here" = "$there" ]; then
            equal=$((equal + 1))
        elif [[ $name == "~"* ]] && "$bin/compare" -q "$f" "$2/$name" >/dev/null; then
            near=$((near + 1)) && echo "$me: $name: agrees, not bit by bit: $here and $there"
        else
            echo "$me: $name: the content is $here here, $there there" && rc=1
        fi
    done
    echo "$me: $equal content hashes of $3 are those of $(uname -m), $near agree within rounding"
    [ $equal -ge 30 ] && return $rc
}
