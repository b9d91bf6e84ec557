#!/bin/sh
# SPDX-License-Identifier: MIT
# html.sh TO PAGE...: the pages as HTML in the folder TO, with links between them, by mandoc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$1
shift
command -v mandoc >/dev/null || { echo "note: no mandoc: no HTML pages"; exit 0; }
mkdir -p "$to"
cp "$here/mbf.css" "$to/"
for page; do
    of=$(sed -n 's,^\.so man[0-9]/,,p' "$page")
    mandoc -T html -O man=%N.%S.html,style=mbf.css "${of:+$(dirname "$page")/}${of:-$page}" >"$to/${page##*/}.html"
done
# pages of other projects are not here
for l in $(grep -ohE 'href="[A-Za-z0-9_.-]+\.[0-9]\.html' "$to"/*.html | cut -d'"' -f2 | sort -u); do
    [ -e "$to/$l" ] || sed -i "s, href=\"$l\",," "$to"/*.html
done
