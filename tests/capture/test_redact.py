"""Secrets are taken out, and nothing else (E2, case 38)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.capture.redact import MARKER, redact

# Built when loaded, so that secret scanners have nothing to find in this file.
SECRETS = {
    "api key": "sk-" + "live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
    "test key": "sk-" + "test-" + "4f9a8b7c6d5e4f3a2b1c",
    "cloud key": "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "forge token": "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345",
    "chat token": "xox" + "b-1234567890-abcdefghijklmnop",
    "web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVm",
    "connection": "postgres" + "://app:hunter2222@db.stage.example/app",
    "national id": "078-05" + "-1120",
    "key block": "-----BEGIN RSA PRIVATE"
     " KEY-----\n"
    + "MIIEowIBAAKCAQEA7bq" * 8
    + "\n-----END RSA PRIVATE"
    + " KEY-----",
}  # fmt: skip
LABELLED = [
    ("password", "correct" + "3ctH0rse!"),
    ("api_key", "9f8e7d6c5b4a39281706"),
    ("token", "Zk9" + "qT2vLx8RmB4nW7yCd"),
    ("secret", "v3ry" + "S3cr3tV4lue"),
]
LEFT = st.sampled_from(["", "it is ", "use ", "\n", '"', "(", "key: ", "export KEY=", "the key "])
RIGHT = st.sampled_from(["", ".", " for staging", "\n", '"', ")", ", please", ";"])


@pytest.mark.parametrize("kind", SECRETS)
@given(left=LEFT, right=RIGHT)
def test_a_secret_is_taken_out_wherever_it_stands(kind: str, left: str, right: str) -> None:
    """E2, case 38: whatever stands around it, and the words around it stay."""
    secret = SECRETS[kind]
    told = redact(f"Remember: {left}{secret}{right}")
    assert secret not in told.text
    assert told.kinds
    assert MARKER.search(told.text)
    assert told.text.startswith("Remember:")


@pytest.mark.parametrize(("label", "secret"), LABELLED)
@pytest.mark.parametrize("sign", ["=", ": ", " is ", ' = "', ": `"])
def test_what_a_label_gives_away_is_taken_out(label: str, secret: str, sign: str) -> None:
    """E2, case 38: high-entropy strings next to words such as password."""
    told = redact(f"The staging {label}{sign}{secret}")
    assert secret not in told.text
    assert label in told.text


@pytest.mark.parametrize(
    "text",
    [
        "The password policy asks for twelve characters.",
        "Reset the token bucket every minute.",
        "Commit 3f2504e0 moved the secret sauce recipe to docs/secret.md.",
        "It listens on port 2525, see https://wiki.example.com/ops/mail-relay?tab=2.",
        "The build id is 550e8400-e29b-41d4-a716-446655440000.",
        "Use MAX_BATCH_ROWS=500 and RetryPolicy.exponential.",
        "sk-learn is a library; xoxo.",
        "Call 555-010-2000 or see ticket 1234-56-7890.",
        "",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    """E2: no word is lost to caution where nothing is secret."""
    assert redact(text).text == text


@given(st.text(max_size=300))
def test_it_never_fails_and_does_nothing_twice(text: str) -> None:
    """E2: any text at all; what was redacted is not redacted again."""
    once = redact(text)
    assert redact(once.text).text == once.text


@given(
    st.text(st.sampled_from("abcdef ,.\n"), max_size=60),
    st.sampled_from(sorted(SECRETS.values())),
    st.text(st.sampled_from("abcdef ,.\n"), max_size=60),
)
def test_no_secret_survives_in_any_prose(before: str, secret: str, after: str) -> None:
    """E2, case 38: the secret itself is never left whole."""
    assert secret not in redact(f"{before} {secret} {after}").text


@pytest.mark.parametrize("label", ["token", "api key", "secret", "password"])
@pytest.mark.parametrize("between", ["vault", "note", "for prod", "is", "policy", "github"])
def test_a_secret_some_words_from_its_label_is_taken_out(label: str, between: str) -> None:
    """E2, case 38: any words between them, and none of them is too much."""
    secret = "A1b2C3d4E5f6" + "G7h8I9j0K1l2"
    told = redact(f"the {label} {between} {secret} is old")
    assert secret not in told.text


HIDDEN = [
    "\u200b",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\xad",
    "\u202e",
    "\x00",
    "\x1b",
    "\ufe0f",
    "\u0301",
]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("kind", ["forge token", "cloud key", "api key"])
def test_nothing_invisible_protects_a_secret(hidden: str, kind: str) -> None:
    """E2, case 38, case 47: a character that nobody sees inside of it."""
    secret = SECRETS[kind]
    told = redact(f"Remember the key {secret[:9]}{hidden}{secret[9:]} for staging.")
    assert told.kinds
    assert secret[9:] not in told.text


def test_wide_letters_do_not_protect_a_secret() -> None:
    """E2: what reads the same is the same."""
    secret = SECRETS["cloud key"]
    wide = "".join(chr(ord(c) + 0xFEE0) for c in secret)
    assert redact(f"The key {wide}.").kinds


def test_hidden_characters_stay_where_nothing_is_secret() -> None:
    """D5: text without secrets comes back as it is."""
    text = "caf\u0065\u0301 \u200b \uff21"
    assert redact(text).text == text
