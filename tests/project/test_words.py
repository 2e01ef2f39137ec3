"""The voice of `docs/develop/words.md`: short sentences, the field's words, summaries that begin with a noun or a verb.

A page that a tool writes has its sentences there: a ledger's in `evidence/papers/*/claims.toml` and in captions of
figures, others in the programs and templates of `benches`.
"""

import ast
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY

WORDS = REPOSITORY / "docs" / "develop" / "words.md"
LONGEST_SENTENCE = 30

#: Where the rule on the length of sentences holds.
ROOMS = ("docs/start", "docs/guides", "docs/concepts", "docs/reference", "docs/develop", "evidence/measured")
PAGES = sorted(
    page for room in ROOMS for page in (REPOSITORY / room).rglob("*.md") if page.name != "scenario.md" and page != WORDS
)


def sentences(text: str) -> Iterator[str]:
    """Sentences of a page's prose: without code blocks, tables, pictures, headings and the addresses of links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\$\$.*?^\$\$$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "CODE", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )", text):
        if block.lstrip().startswith(("|", "#", "<")):
            continue
        block = re.sub(r"\s+", " ", block)
        yield from re.split(r"(?<=[.:?!])\s+(?=[A-Z(*\"“])", block)


def words(sentence: str) -> int:
    """The number of words; signs and equations between blanks do not count."""
    return sum(bool(re.search(r"[A-Za-z]{2}|\d", word)) for word in sentence.split())


def too_long(page: Path) -> list[str]:
    return [sentence for sentence in sentences(page.read_text(encoding="utf-8")) if words(sentence) > LONGEST_SENTENCE]


def replaced() -> list[str]:
    """The left column of the table in `words.md`."""
    table = WORDS.read_text(encoding="utf-8").partition("## Instead of")[2]
    rows = re.findall(r"^\| (.+?) \| .+ \|$", table, flags=re.MULTILINE)
    return [row for row in rows if row not in ("instead of", "---")]


def brought_back(words: str, text: str) -> bool:
    """True if a text with single blanks has words of the table's left column."""
    return re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", text) is not None


#: First words of a summary that hide its subject.
RELATIVE = re.compile(r"(What|Whether|Who|Whom|Whose|How|Where|When|Whatever|Of|The same)\b")


def summaries(file: Path) -> Iterator[tuple[int, str]]:
    """The first line of each doc comment of a Rust file, and its number."""
    before = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        sign = next((sign for sign in ("//!", "///") if line.lstrip().startswith(sign)), "")
        if sign and before != sign:
            yield number, line.lstrip()[3:].strip()
        before = sign


def docstrings(file: Path) -> Iterator[tuple[int, str]]:
    """The first line of each docstring of a Python file, and its number."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text.splitlines()[0]


def foreign(folder: Path) -> list[str]:
    """The summaries of a folder's Rust and Python files that begin with a relative clause."""
    return [
        f"{file}:{number}: {text}"
        for suffix, read in ((".rs", summaries), (".py", docstrings))
        for file in sorted(folder.rglob(f"*{suffix}"))
        for number, text in read(file)
        if RELATIVE.match(text)
    ]


#: Folders whose summaries are checked.
CODE = sorted(
    [
        *(path.parent for path in REPOSITORY.glob("crates/*/Cargo.toml")),
        *map(REPOSITORY.joinpath, ("evidence", "examples", "fuzz", "python", "tests", "tools")),
    ]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_sentences_are_short(page: Path) -> None:
    assert too_long(page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_replaced_words_do_not_come_back(page: Path) -> None:
    text = re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
    assert [words for words in replaced() if brought_back(words, text)] == []


@pytest.mark.parametrize("folder", CODE, ids=lambda path: path.name)
def test_summaries_begin_with_a_noun_or_a_verb(folder: Path) -> None:
    assert foreign(folder) == []


@pytest.mark.parametrize("crate", sorted(REPOSITORY.glob("crates/*")), ids=lambda path: path.name)
def test_replaced_words_do_not_come_back_in_comments(crate: Path) -> None:
    found = []
    for file in sorted(crate.rglob("*.rs")):
        text = re.sub(r"\s+(?://[/!]?)?\s*", " ", file.read_text(encoding="utf-8"))
        found += [f"{file.relative_to(REPOSITORY)}: {words}" for words in replaced() if brought_back(words, text)]
    assert found == []


WRAP = runpy.run_path(str(REPOSITORY / "tools" / "wrap_comments.py"))

#: Ledgers and planted faults: their lines are data.
OPEN_COMMENTS = ("evidence/papers", "evidence/faults/mutations.toml", "evidence/faults/claims.toml")


def test_comments_are_at_most_120_wide() -> None:
    found = [
        f"{name}:{number}"
        for path in WRAP["files"]()
        if not (name := str(path.relative_to(REPOSITORY))).startswith(OPEN_COMMENTS)
        for number in WRAP["too_wide"](path)
    ]
    assert found == [], "python tools/wrap_comments.py FILE wraps them"


def test_comments_are_wrapped(tmp_path: Path) -> None:
    words = "word " * 30
    text = (
        f"/// {words}\n/// ends here.\n///\n/// * {words}\n/// | {words}\n/// ```\n/// {words}\n/// ```\nlet x = 1;\n"
    )
    wrapped = WRAP["wrapped"](text, WRAP["SIGNS"][".rs"]).splitlines()
    assert [line[:8] for line in wrapped[:5]] == ["/// word", "/// word", "///", "/// * wo", "///   wo"]
    assert wrapped[1].endswith("ends here.")
    assert [line for line in wrapped if len(line) > 120] == [f"/// | {words}", f"/// {words}"]
    code = tmp_path / "code.rs"
    code.write_text(text)
    assert list(WRAP["too_wide"](code)) == [1, 4, 7]


def test_faults_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n" + "word " * 31 + "ends. Short one.\n\n* " + "item " * 20 + "\n* " + "item " * 20 + "\n"
    )
    assert [words(sentence) for sentence in too_long(page)] == [32]
    code = tmp_path / "code.rs"
    code.write_text("//! What it is.\n//! How it goes on.\n\n/// Whether it is so.\nfn f() {}\n/// Whole.\nfn g() {}\n")
    assert [number for number, text in summaries(code) if RELATIVE.match(text)] == [1, 4]
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "it.rs").write_text("/// The same over a lossy link.\nfn f() {}\n")
    (tests / "it.py").write_text('"""Title."""\n\n\ndef f():\n    """Where it is."""\n')
    assert [line.rpartition("/")[2].split(":")[:2] for line in foreign(tests)] == [["it.rs", "1"], ["it.py", "5"]]
    assert "luck" in replaced()
    assert len(replaced()) > 25
