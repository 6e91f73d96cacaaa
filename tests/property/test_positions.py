"""The position scanner against tomllib: the same paths, and the text at each place is the value that stands there.

Documents come in two ways: written by tomli-w, and styled by hand (every form of string, dotted and quoted keys, inline
tables, headers, blanks and comments in odd places). MANIFEST_EXAMPLES sets how many of each.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Iterator

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from spellweaver.manifest import positions
from spellweaver.manifest.positions import Path

EXAMPLES = int(os.environ.get("MANIFEST_EXAMPLES", "150"))

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)
KEYS = st.one_of(st.text("abAB01_-", min_size=1, max_size=4), TEXTS)
SCALARS = st.one_of(
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.booleans(),
    st.floats(),
    TEXTS,
    st.datetimes(timezones=st.just(None)),
    st.dates(),
    st.times(),
)
TREES = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
    ),
    max_size=4,
)


def paths(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right


def agree(text: str) -> None:
    text = text.replace("\r\n", "\n")
    data, found = tomllib.loads(text), positions.scan(text)
    values = dict(paths(data))
    assert values.keys() == found.places.keys()
    for path, value in values.items():
        place = found.places[path]
        piece = text[place.start : place.end]
        if piece.startswith("[") and place.start == 0 or text[: place.start].endswith("\n") and piece.startswith("["):
            assert isinstance(value, dict | list), "a header stands only where a table does"
        elif isinstance(value, dict) and not piece.startswith("{"):
            assert text.startswith(piece, place.key), "a dotted key's table begins with the key"
        else:
            assert same(tomllib.loads(f"x = {piece}")["x"], value)
        if isinstance(path[-1], str):
            assert tomllib.loads(f"{_key_at(text, place.key)} = 0") == {path[-1]: 0}
        line, col = found.line_col(place.key)
        assert found.line(line)[col - 1 :] == text[place.key :].split("\n", 1)[0]


def _key_at(text: str, offset: int) -> str:
    for pattern in (positions._STRING, positions._LITERAL, positions._BARE_KEY):
        match = pattern.match(text, offset)
        if match:
            return match[0]
    raise AssertionError(f"no key at {text[offset : offset + 20]!r}")


@settings(max_examples=EXAMPLES)
@given(TREES, st.booleans())
def test_documents_of_tomli_w(tree: dict[str, object], multiline: bool) -> None:
    agree(tomli_w.dumps(tree, multiline_strings=multiline))


BLANK = st.sampled_from(["", " ", "\t", "  "])
LINES = st.sampled_from(["", "\n", "\n\n", " # x = [1]\n", '\n  # ]] }} """ \'\n'])
BARE = st.text("abcz09_-", min_size=1, max_size=3)


@st.composite
def string(draw: st.DrawFn) -> str:
    """A string in one of the four forms, with what could mislead a scanner inside."""
    body = draw(
        st.lists(st.sampled_from(["a", "#", "[", "]", "{", "}", ",", "=", "é", "漢", " ", ".", "'", '"']), max_size=6)
    )
    plain = "".join(body)
    form = draw(st.sampled_from(['"', "'", '"""', "'''"]))
    if form == '"':
        return '"' + plain.replace('"', '\\"') + draw(st.sampled_from(["", "\\\\", "\\u00e9", "\\n"])) + '"'
    if form == "'":
        return "'" + plain.replace("'", "") + draw(st.sampled_from(["", "\\"])) + "'"
    if form == '"""':
        inside = plain.replace('"', '\\"').replace("a", draw(st.sampled_from(["a", "\n", '""', "\\\n  ", "\\\\"])))
        inside = inside.replace('"""', '""\\"')
        tail = draw(st.sampled_from(["", '"', '""'])) if not inside.endswith('"') else ""
        return f'"""{inside}{tail}"""'
    inside = plain.replace("'", "").replace("a", draw(st.sampled_from(["a", "\n", "''x", "\\"])))
    tail = draw(st.sampled_from(["", "'", "''"]))
    return f"'''{inside}{tail}'''"


ATOMS = st.one_of(
    string(),
    st.sampled_from(
        [
            "0",
            "+1_000",
            "0xff",
            "0o7",
            "0b1",
            "-0.5e+10",
            "inf",
            "-nan",
            "true",
            "false",
            "1979-05-27T07:32:00Z",
            "1979-05-27 07:32:00.5+01:00",
            "1979-05-27",
            "07:32:00",
            "1979-05-27 07:32:00",
        ]
    ),
)


@st.composite
def value(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.sampled_from(["atom"] * 3 + ["array", "table"])) if depth < 3 else "atom"
    if kind == "atom":
        return draw(ATOMS)
    if kind == "array":
        items = draw(st.lists(value(depth + 1), max_size=3))
        pad = [draw(LINES) for _ in range(2 * len(items) + 1)]
        inside = ",".join(f"{pad[2 * at]}{item}{pad[2 * at + 1]}" for at, item in enumerate(items))
        return f"[{inside}{draw(st.sampled_from(['', ','])) if items else ''}{pad[-1]}]"
    pairs = draw(st.lists(pair(depth + 1), max_size=3))
    return "{" + ",".join(f"{draw(BLANK)}{one}{draw(BLANK)}" for one in pairs) + "}"


@st.composite
def key(draw: st.DrawFn, parts: int = 3) -> str:
    one = st.one_of(BARE, BARE.map(lambda text: f'"{text}.\\t"'), BARE.map(lambda text: f"'{text} #'"))
    dot = f"{draw(BLANK)}.{draw(BLANK)}"
    return dot.join(draw(st.lists(one, min_size=1, max_size=parts)))


@st.composite
def pair(draw: st.DrawFn, depth: int = 0) -> str:
    return f"{draw(key())}{draw(BLANK)}={draw(BLANK)}{draw(value(depth))}"


@st.composite
def document(draw: st.DrawFn) -> str:
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["pair", "pair", "pair", "table", "array"]))
        if kind == "pair":
            line = draw(pair())
        else:
            name = f"{draw(BLANK)}{draw(key())}{draw(BLANK)}"
            line = f"[{name}]" if kind == "table" else f"[[{name}]]"
        lines.append(
            f"{draw(BLANK) if kind == 'pair' else ''}{line}{draw(BLANK)}{draw(st.sampled_from(['', '# ] #']))}\n"
        )
    return "".join(line + draw(LINES) for line in lines)


@settings(max_examples=EXAMPLES * 4)
@given(document())
def test_documents_styled_by_hand(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        positions.scan(text)  # a table stands twice, or such: it must end, whatever it finds
        return
    agree(text)


def test_a_document_with_everything() -> None:
    agree(
        'title = "x" # first\n"quoted.key" = 1\n\'lit\' . b . "c d" = [ 1, # one ]\n [2, "]"], {a.b = 1, c = {}} ]\n'
        '[a.b]\nx = \'\'\'\n\'\'\'\n[a]\ny = """\\"""\\\\"""\n[[a.list]]\nz = 1979-05-27 07:32:00Z\n[[a.list]]\n'
        "[a.list.sub]\nq = true\n[[a.list.sub.deep]]\n[a.list.sub.deep.er]\nw = {}\n"
    )


@settings(max_examples=EXAMPLES)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_json_documents(tree: object, indent: int | None, ascii_alone: bool) -> None:
    text = json.dumps({"x": tree}, indent=indent, ensure_ascii=ascii_alone)
    found = positions.scan_json(text)
    values = dict(paths({"x": tree}))
    assert found.places.keys() - {()} == values.keys()
    assert found.repeated == []
    for path, item in values.items():
        place = found.places[path]
        assert same(json.loads(text[place.start : place.end]), item)


@settings(max_examples=EXAMPLES)
@given(st.text(st.sampled_from("ab =.[]{}\"'\\#,\n\t0-:é\0\x1b"), max_size=40))
def test_any_text_ends(text: str) -> None:
    for scan in (positions.scan, positions.scan_json):
        try:
            scan(text)
        except positions.TooMuch:
            assert "[" in text or "{" in text or "." in text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a." * 50_000 + "a = 1", "a key may have 8 parts"),
        ("[" + "a." * 50_000 + "a]", "a key may have 8 parts"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{a = " * 100_000, "nested too deeply"),
        ("a = " + "9" * 5_000, "too many digits"),
        ("".join(f"[t{n}]\n" for n in range(10_001)), "more than 10000 tables"),
    ],
    ids=["key", "header", "arrays", "tables", "digits", "headers"],
)
def test_what_would_cost_the_parser_too_much(text: str, sentence: str) -> None:
    with pytest.raises(positions.TooMuch, match=sentence):
        positions.scan(text)


def test_long_strings_of_escapes_and_quotes() -> None:
    """The largest string a file may hold is passed over in one sweep; going back at each escape took 17 seconds."""
    for piece in ("\\\\", '""a', "\\u00e9", "\n"):
        agree(f'a = """{piece * (200_000 // len(piece))}"""\nb = 1\n')
    agree("a = '''" + "''a" * 60_000 + "'''\nb = 1\n")
