import sqlite3
import string
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memplugin.recall.text import MAX_TERMS, TOKEN_CHARACTERS, says_nothing, terms, tokens

ASCII_TOKEN = set(string.ascii_lowercase + string.digits + TOKEN_CHARACTERS)


def finds(query: str, record: str) -> bool:
    """Tell whether a record holds anything that the query asks for."""
    return bool(terms(query).keys() & set(tokens(record)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("src/app.py", {"src/app.py", "app.py", "app", "src", "py"}),
        ("don't", {"dont", "not"}),
        ("status: done", {"status", "done"}),
        ('x "y', {"x", "y"}),
        ("a OR", {"a", "or"}),
        ("NEAR(", {"near"}),
        ("*", set()),
        ("-flag", {"-flag", "flag"}),
        ("GB/s", {"gb/s", "gb", "s"}),
        ("C++", {"c++"}),
        ("col:val", {"col:val", "col", "val"}),
        ("^", set()),
        ('"', set()),
        ("", set()),
    ],
)
def test_a_query_is_never_syntax(query: str, expected: set[str]) -> None:
    """Whatever would mean something to a search engine is only words here."""
    assert set(terms(query)) == expected


def test_a_query_of_thousands_of_words_keeps_the_most_telling() -> None:
    talk = "we talked about many things that day and the weather was fine " * 400
    names = "OrderSyncWorker src/billing/retry.py 2525"
    asked = terms(talk + names + " " + " ".join(f"w{n}" for n in range(500)))
    assert len(asked) == MAX_TERMS
    assert {"ordersyncworker", "src/billing/retry.py"} <= asked.keys()


@pytest.mark.parametrize(
    ("query", "record"),
    [
        ("which port does the mail relay use?", "Mail relay listens on 2525"),
        ("测试", "部署前先跑测试"),
        ("배포", "배포는 순서대로"),
        ("배포 순서", "배포 순서"),
        ("пароли", "Пароль"),
        ("еще", "Ещё раз"),
        ("テスト", "単体テストを走らせる"),
        ("ทดสอบ", "การทดสอบระบบ"),
        ("café", "the cafe opens at nine"),
        ("cafe", "the cafe\u0301 opens at nine"),
        ("naive", "a naïve approach"),
        ("order sync", "OrderSyncWorker retries 3×"),
        ("ordersyncworker", "OrderSyncWorker retries 3×"),
        ("order_sync_worker", "OrderSyncWorker retries 3×"),
        ("batch rows", "max_batch_rows is 500"),
        ("MAX_BATCH_ROWS", "set max_batch_rows to 500"),
        ("app/[id]/My Page.tsx", "the form in app/[id]/My Page.tsx is slow"),
        ("app.py", "see packages/web/src/app.py:120"),
        ("8 May 2023", "released on 2023-05-08"),
        ("2023-05-08", "released on the 8th of May, 2023"),
        ("what happened in May 2023", "2023/05/08: released"),
        ("May 8th", "2023-05-08"),
        ("python 3.11", "Python 3.11.7 is required"),
        ("2.0-rc1", "tagged v2.0-rc1"),
        ("jo.doe@example.com", "mail Jo.Doe@Example.com about it"),
        ("1000000", "1,000,000 rows"),
        ("e-mail", "the email was sent"),
        ("children", "a child of the process"),
        ("to be or not to be", "To be, or not to be"),
        ("🎉", "🎉 shipped"),
    ],
)
def test_what_is_meant_is_found(query: str, record: str) -> None:
    assert finds(query, record)


@pytest.mark.parametrize(
    ("query", "record"),
    [
        ("zqxv blorptang", "Mail relay listens on 2525"),
        ("C", "written in C++ and C#"),
        ("05.03.2026", "2026-03-05"),
        ("测", "部署顺序"),
    ],
)
def test_what_is_not_meant_is_not_found(query: str, record: str) -> None:
    assert not finds(query, record)


def test_an_exact_identifier_is_worth_more_than_its_parts() -> None:
    asked = terms("OrderSyncWorker")
    assert asked["ordersyncworker"] > asked["order"] + asked["sync"]


def test_stop_words_are_asked_for_only_where_nothing_else_is() -> None:
    assert list(terms("where is the relay")) == ["relay"]
    assert list(terms("To be or not to be")) == ["to", "be", "or", "not"]
    assert max(terms("To be or not to be").values()) < min(terms("relay").values())


def test_a_negation_is_kept_and_worth_less() -> None:
    assert tokens("never force-push")[0] == "never"
    assert terms("never deploy")["never"] < terms("never deploy")["deploy"]


@pytest.mark.parametrize("turn", ["ok, go on", "Yes please!", "Thanks!", "👍", ""])
def test_a_turn_about_nothing_is_told(turn: str) -> None:
    """R9: a turn about nothing at all adds nothing."""
    assert says_nothing(turn)


@pytest.mark.parametrize("turn", ["ok, deploy it", "use port 8080", "继续部署"])
def test_a_turn_about_something_is_told(turn: str) -> None:
    assert not says_nothing(turn)


def test_a_token_too_long_ends_in_a_digest_of_the_whole() -> None:
    one, other = "a" * 1_000_000, "a" * 999_999 + "b"
    assert len(tokens(one)[0]) == 64
    assert tokens(one)[0] != tokens(other)[0]


@pytest.mark.parametrize(
    "text",
    [
        "x/" * 100_000,
        "a." * 100_000,
        "aB" * 100_000,
        "a1" * 100_000,
        "1," * 100_000,
        "1,000" * 40_000,
        "'" * 200_000,
        "-" * 200_000 + "x",
        "/[" * 100_000,
        "may " * 50_000,
        "8 may" + " " * 200_000,
        "测" * 100_000,
        "2023-" * 40_000,
        "e\u0301" * 100_000,
    ],
    ids=lambda text: text[:5],
)
def test_hostile_text_is_read_through(text: str) -> None:
    """Quadratic work on any of these would keep the suite waiting for minutes."""
    assert all(len(token) <= 64 for token in tokens(text))
    assert len(terms(text)) <= MAX_TERMS


SAMPLES = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aBc1.2_-/@+#:$%~&\\'\" \n,[](){}|*^éЁ部ก한🎉\u0301\u200d", max_size=40),
    st.from_regex(r"[0-9]{4}[-/.][0-9]{1,2}([-/.][0-9]{1,2})?", fullmatch=True),
)


def faults(found: list[str]) -> Iterator[str]:
    for token in found:
        ascii_part = {char for char in token if char.isascii()}
        if not token or len(token) > 64 or token.split() != [token] or ascii_part - ASCII_TOKEN:
            yield token


@given(SAMPLES)
@settings(max_examples=300)
def test_tokens_keep_to_their_alphabet(text: str) -> None:
    found = tokens(text)
    assert list(faults(found)) == []
    assert terms(text).keys() <= set(found)
    assert " ".join(found).encode("utf-8").decode("utf-8").split() == found


@given(SAMPLES)
@settings(max_examples=200)
def test_tokens_do_not_depend_on_the_unicode_form(text: str) -> None:
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(unicodedata.normalize("NFC", text))


@given(st.text(alphabet=string.printable, max_size=40))
@settings(max_examples=200)
def test_upper_and_lower_case_are_the_same(text: str) -> None:
    assert tokens(text.upper()) == tokens(text.lower())


@given(SAMPLES)
@settings(max_examples=100)
def test_an_fts5_table_keeps_tokens_as_they_are(text: str) -> None:
    """Design decision 8: our tokens, FTS5's engine."""
    db = sqlite3.connect(":memory:")
    try:
        tokenize = f"ascii tokenchars '{TOKEN_CHARACTERS}'"
        db.execute(f'create virtual table f using fts5(t, tokenize="{tokenize}")')
        db.execute("create virtual table v using fts5vocab(f, instance)")
        found = tokens(text)
        db.execute("insert into f values (?)", (" ".join(found),))
        kept = [term for (term,) in db.execute("select term from v order by offset")]
    finally:
        db.close()
    assert kept == found
