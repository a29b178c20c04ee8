from __future__ import annotations

from importlib import resources

import pytest

from ur_solver.publish.lean import lean


def test_comments_and_indentation_go():
    text = """\
// About it.

/**
 * A function.
 * @param {string} x
 */
export function f(x) {
  /** One line. */
  const url = `https://${x}/`; // stays
  return /** @type {any} */ (url);
}
"""
    assert lean(text) == (
        "export function f(x){\n"
        "const url = `https://${x}/`; // stays\n"
        "return /** @type {any} */ (url);\n"
        "}\n"
    )


def test_a_style_sheet():
    text = '/* One.\n   Two. */\na :is(b, c) {\n  d: e f;\n  content: "g, h";\n}\n/* i */\n'
    assert lean(text, is_style=True) == 'a :is(b,c){\nd:e f;\ncontent:"g, h";\n}\n'


def test_space_goes_where_no_text_is():
    text = """\
  const { a, b } = c ? d : !e;
  for (const f of g) h(f => f * -1, "i = j");
  if (a + +b > 0 && c in d) return a - -b;
"""
    assert lean(text) == (
        "const{a,b}=c?d:!e;\n"
        'for(const f of g)h(f=>f*-1,"i = j");\n'
        "if(a + +b>0&&c in d)return a - -b;\n"
    )


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
    assert lean(line) == f"{kept}\n"


def test_a_type_at_the_beginning_of_a_line_stays():
    assert lean("  /** @type {any} */ (x).y();\n") == "/** @type {any} */ (x).y();\n"


@pytest.mark.parametrize("text", ["f(`one\n  two`);", "/* one\n two */ f();"])
def test_what_it_would_spoil_is_refused(text):
    with pytest.raises(ValueError, match=r"^line [12]: "):
        lean(text)


def test_every_file_of_the_page_is_fit_for_it():
    for folder in (
        resources.files("ur_solver.serve") / "page",
        resources.files("ur_solver.serve") / "page" / "engine",
        resources.files("ur_solver.publish") / "files",
    ):
        for file in folder.iterdir():
            if file.name.endswith((".js", ".css")):
                text = file.read_text(encoding="utf-8")
                kept = lean(text, is_style=file.name.endswith(".css"))
                assert len(kept) < len(text)
