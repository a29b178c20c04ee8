"""The page's scripts and styles as they are served: without idle space, and otherwise the same."""

from __future__ import annotations

from importlib import resources

import pytest

from ur_solver.serve.page_files import drawn_together


def drawn(text, **named):
    return drawn_together(text.encode(), **named).decode()


def test_space_goes_where_no_text_is():
    text = """\
const { a, b } = c ? d : !e;
for (const f of g) h(f => f * -1, "i = j");
if (a + +b > 0 && c in d) return a - -b;
"""
    assert drawn(text) == (
        "const{a,b}=c?d:!e;\n"
        'for(const f of g)h(f=>f*-1,"i = j");\n'
        "if(a + +b>0&&c in d)return a - -b;\n"
    )


def test_a_style_sheet():
    text = 'a :is(b, c) {\nd: e f;\ncontent: "g, h";\n}\n'
    assert drawn(text, is_style=True) == 'a :is(b,c){\nd:e f;\ncontent:"g, h";\n}\n'


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("""f("a , b", 'c = "d"', `e , ${g (h, "i , j")} k`) + l;""",
         """f("a , b",'c = "d"',`e , ${g (h, "i , j")} k`)+l;"""),
        ("""a + b (c) - d [e] + "f + g";""", """a+b(c)-d [e] + "f + g";"""),
        ('f("\\" , ", g);', 'f("\\" , ",g);'),
        # what may be a regular expression, a comment, or a text within another
        ('f(/" , "/, g);', 'f(/" , "/, g);'),
        ("f(a, b); // it's, so", "f(a, b); // it's, so"),
        ("f(`a${b ? `c , d` : e}`, g);", "f(`a${b ? `c , d` : e}`, g);"),
    ],
)  # fmt: skip
def test_texts_stay(line, kept):
    assert drawn(line) == kept


def test_no_text_of_the_scripts_has_several_lines():
    """White space would count there."""
    for folder in (
        resources.files("ur_solver.serve") / "page",
        resources.files("ur_solver.serve") / "page" / "engine",
        resources.files("ur_solver.publish") / "files",
    ):
        for file in folder.iterdir():
            if file.name.endswith(".js"):
                lines = file.read_text(encoding="utf-8").splitlines()
                assert not [line for line in lines if line.count("`") % 2], file.name
