# SPDX-License-Identifier: MIT
# Pages and scripts for programs that are installed under a prefix: awk -v prefix=mbf- -v tools="acf compare ..." -f prefixed.awk FILE
# Names of programs get the prefix; those that are English words, too (compare), where they stand as commands: in mdoc macros that
# hold names, in literal blocks, in scripts at the beginning of a command.
BEGIN { for (k = split(tools, name, " "); k > 0; k--) is[name[k]] = 1 }
FNR == 1 { page = FILENAME ~ /\.[1357]$/ }
page && /^\.Bd -literal/ { literal = 1 }
page && /^\.Ed/ { literal = 0 }
page && /^\.Dt / && tolower($2) in is { $2 = toupper(prefix) $2; print; next }
page && /^\.so / { sub(/man1\//, "man1/" prefix); print; next }
{
    names = page && (literal || /^\.(Nm|Xr|It Xr|Dl|Ql|Ic|Po Ql|Pq Xr|Pq Ql)/)
    out = ""
    rest = $0
    before = " "
    while (match(rest, /[A-Za-z0-9_-]+/)) {
        gap = substr(rest, 1, RSTART - 1)
        word = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        out = out gap
        if (gap != "") before = substr(gap, length(gap))
        while (word ~ /^-/ && before == ":") { out = out "-"; word = substr(word, 2) } # ${G4:-g4-cpu}
        plain = before != "/" && before != "." && rest !~ /^\.[A-Za-z0-9_]/ && rest !~ /^\//
        command = out ~ /(^|[|;&(`!"]|then|do|else)[ \t]*$/
        if (plain && word in is && (word ~ /[0-9-]/ || names || (!page && command))) out = out prefix
        out = out word
        before = substr(word, length(word))
    }
    print out rest
}
