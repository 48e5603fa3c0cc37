import pytest

from memplugin.recall.names import read


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getUserByID", ["getuserbyid", "get", "user", "by", "id"]),
        ("HTTPServer2", ["httpserver2", "http", "server"]),
        ("parseURLs", ["parseurls", "parseurl", "pars", "url"]),
        ("IDs", ["id"]),
        ("snake_case", ["snake_case", "snakecase", "snakecas", "snake", "case"]),
        ("kebab-case", ["kebab-case", "kebabcase", "kebabcas", "kebab", "case"]),
        ("MAX_ROWS", ["max_rows", "maxrows", "maxrow", "max", "row"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("C++", ["c++"]),
        ("C#.", ["c#"]),
        ("notepad++", ["notepad++", "notepad"]),
        ("C++17", ["c++", "c++17", "17"]),
        ("--dry-run", ["--dry-run", "dry-run", "dryrun", "dri", "run"]),
        ("$HOME", ["$home", "home"]),
        ("#123", ["#123", "123"]),
        ("50%", ["50%", "50"]),
        (".env", [".env", "env"]),
        ("~/.ssh", [".ssh", "ssh"]),
        ("/etc/hosts", ["/etc/hosts", "etc/hosts", "host", "etc"]),
        ("C:\\Users\\me.txt", ["users/me.txt", "me.txt", "me", "txt", "user"]),
        ("a/b/c.py:12:3", ["a/b/c.py", "b/c.py", "c.py", "py", "a", "b"]),
        ("https://x.org/a/", ["x.org/a", "a", "x.org", "org"]),
        ("localhost:8080", ["localhost:8080", "localhost", "8080"]),
        ("3.11.7", ["3.11.7", "3.11"]),
        ("v2.0-rc1", ["2.0-rc1", "2.0"]),
        ("10.0.0.1", ["10.0.0.1", "10.0.0", "10.0"]),
        ("3.5", ["3.5"]),
        ("21st", ["21"]),
        ("16GB", ["16gb", "16", "gb"]),
        ("2023-05-08", ["2023-05-08", "2023-05", "05-08", "may", "2023"]),
        ("user's", ["user"]),
        ("users'", ["user"]),
        ("don't", ["dont", "not"]),
        ("O'Brien", ["obrien", "brien"]),
        ("...", []),
    ],
)
def test_a_name_gives_its_whole_and_its_parts(name: str, expected: list[str]) -> None:
    assert list(dict.fromkeys(token for token, _ in read(name))) == expected


def test_the_whole_weighs_more_than_its_parts() -> None:
    weights = dict(read("src/billing/retryPolicy.py"))
    assert weights["src/billing/retrypolicy.py"] > weights["src"]
    assert weights["retrypolicy.py"] > weights["src"]


def test_a_digest_is_not_taken_apart() -> None:
    assert [token for token, _ in read("3f2a9c77d1e0b4a85c6f")] == ["3f2a9c77d1e0b4a85c6f"]
