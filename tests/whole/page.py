# SPDX-License-Identifier: MIT
"""page.py PAGE.html SECTION: prints the cells of the tables of a section, one line per row. Tags that do not match are an error."""
import html.parser
import sys


class Page(html.parser.HTMLParser):
    inside, cell = "facts", None

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.inside = dict(attrs)["id"]
        if tag != "meta":
            self.open.append(tag)
        self.cell = "" if tag in ("td", "th") else self.cell

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if self.inside == sys.argv[2] and tag in ("td", "th"):
            print(self.cell, end="\t")
        if self.inside == sys.argv[2] and tag == "tr":
            print()
        self.cell = None if tag in ("td", "th") else self.cell

    def handle_data(self, data):
        self.cell = self.cell + data if self.cell is not None else None


page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
page.close()
assert not page.open, page.open
