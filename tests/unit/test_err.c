/* SPDX-License-Identifier: MIT */
/* Messages with places: each is stated once, in one order, whatever the order of the calls. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "tap.h"

static bool is(const struct err *e, const char *text)
{
    if (strcmp(e->text, text) != 0)
        printf("# expected \"%s\", found \"%s\"\n", text, e->text);
    return strcmp(e->text, text) == 0;
}

int main(void)
{
    struct err e, cut;
    char longest[2 * ERR_BYTES];
    tap_ok(err_set(&e, ERR_BAD, "expected %d, found %d", 1, 2) == -1 && e.status == ERR_BAD &&
               is(&e, "expected 1, found 2") && !e.file && !e.frame && !e.line && !e.atom,
           "a message has no place of its own");
    tap_ok(err_line(&e, 7) == -1 && err_file(&e, "a b: c.xyz") == -1 && err_atom(&e, 0) == -1 &&
               err_frame(&e, 3) == -1 &&
               is(&e, "a b: c.xyz: frame 3: line 7: atom 0: expected 1, found 2"),
           "places are in the order file, frame, line, atom");
    tap_ok(strncmp(e.text + e.file, "frame 3: ", e.frame) == 0 &&
               strcmp(e.text + e.file + e.frame + e.line + e.atom, "expected 1, found 2") == 0,
           "the fields are the lengths of the places in the text");
    err_file(&e, "b.xyz");
    err_frame(&e, 4);
    err_line(&e, 8);
    err_atom(&e, 5);
    tap_ok(is(&e, "a b: c.xyz: frame 3: line 7: atom 0: expected 1, found 2"),
           "a place that is set stays");
    err_set(&e, e.status, "again: %s", e.text);
    tap_ok(is(&e, "again: a b: c.xyz: frame 3: line 7: atom 0: expected 1, found 2") && !e.file &&
               err_in(&e, ERR_MACHINE, "d", 0, "x") == -1 && is(&e, "d: x") &&
               err_in(&e, ERR_MACHINE, "d", 9, "x") == -1 && is(&e, "d: line 9: x"),
           "a new message is without the places of the old one");
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    err_set(&cut, ERR_BAD, "%s", longest);
    bool whole = strlen(cut.text) == ERR_BYTES - 1;
    err_frame(&cut, 1);
    tap_ok(whole && strlen(cut.text) == ERR_BYTES - 1 &&
               strncmp(cut.text, "frame 1: nn", 11) == 0 &&
               (err_file(&cut, longest), strlen(cut.text) == ERR_BYTES - 1) &&
               (err_line(&cut, 1), strlen(cut.text) == ERR_BYTES - 1) && cut.file == 902 &&
               strncmp(cut.text + cut.file, "frame 1: line 1: nn", 19) == 0,
           "a text that is too long is cut at its end");
    tap_ok(err_set(NULL, ERR_BAD, "x") == -1 && err_in(NULL, ERR_BAD, "a", 1, "x") == -1 &&
               err_frame(NULL, 1) == -1,
           "without a struct err there is no message");
    tap_ok(sizeof e == 1028 && offsetof(struct err, text) == 4,
           "status and text are where programs built with 0.2 read them");
    return tap_done();
}
