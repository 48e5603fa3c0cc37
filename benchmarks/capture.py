"""How well the capture rules hear: precision and recall on the labelled snippets.

Run `python benchmarks/capture.py`; `--failures` lists what went wrong in the half that rules are
tuned on. The other half is held out: its failures are never listed, so that nobody tunes to them.

A snippet is `{id, messages: [{role, text}], said_at?, expect: [{type, contains}]}`; without
`said_at` it was said on Monday 2026-03-02 at 10:00 in Central Europe. A candidate is right when an
expectation of its type is still unmet and its content has every word of `contains`, whatever the
case. Messages are heard in order, each with those before it; a `Suppress` drops what the snippet
had given so far. `%NAME%` in a text stands for a made-up secret that is built when loaded, so that
secret scanners have nothing to find in the file.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from memplugin.capture.heard import Candidate, Heard, Suppress
from memplugin.capture.rules import candidates

SNIPPETS = Path(__file__).parent.parent / "tests" / "capture" / "snippets.jsonl"
SAID_AT = "2026-03-02T10:00:00+01:00"
Half = Literal["tune", "held-out"]

_SECRETS = {
    "%SKKEY%": "sk-" + "a1B2c3D4" * 6,
    "%AWSKEY%": "AKIA" + "Z7Q2" * 4,
    "%PASS%": "corr" + "3ctH0rse!",
    "%DBURL%": "postgres://app:" + "hunter2222" + "@db.stage.example/app",
    "%PEM%": "-----BEGIN RSA PRIVATE" + " KEY-----\n" + "MIIEow" * 20 + "\n-----END RSA PRIVATE"
    " KEY-----",
}


class Expectation(NamedTuple):
    """A memory that the snippet holds: its type, and what its content must say."""

    type: str
    contains: tuple[str, ...]


class Snippet(NamedTuple):
    """A short conversation with the memories a careful listener would keep of it."""

    id: str
    messages: tuple[Heard, ...]
    expect: tuple[Expectation, ...]

    @property
    def half(self) -> Half:
        """Which half it belongs to: decided by its id alone, so that none can be moved."""
        even = hashlib.sha256(self.id.encode()).digest()[0] % 2 == 0
        return "tune" if even else "held-out"


class Verdict(NamedTuple):
    """What the rules made of one snippet."""

    snippet: Snippet
    right: tuple[Expectation, ...]
    wrong: tuple[Candidate, ...]
    missed: tuple[Expectation, ...]


class Score(NamedTuple):
    """Figures of a half; `confusion` counts (expected or -, given or -) types."""

    snippets: int
    right: int
    wrong: int
    missed: int
    confusion: Counter[tuple[str, str]]

    @property
    def precision(self) -> float:
        """The share of what was captured that is right, 0 to 1."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of what should be captured that was, 0 to 1."""
        return self.right / max(1, self.right + self.missed)


def load(path: Path = SNIPPETS) -> list[Snippet]:
    """Return all snippets, in the order of the file."""
    return [_snippet(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _snippet(raw: dict[str, object]) -> Snippet:
    said_at = datetime.fromisoformat(str(raw.get("said_at", SAID_AT)))
    messages = [_heard(m, said_at) for m in raw["messages"]]  # type: ignore[attr-defined]  # JSON
    expect = [Expectation(e["type"], tuple(e["contains"])) for e in raw["expect"]]  # type: ignore[attr-defined]  # JSON
    return Snippet(str(raw["id"]), tuple(messages), tuple(expect))


def _heard(raw: dict[str, str], said_at: datetime) -> Heard:
    text = raw["text"]
    for name, secret in _SECRETS.items():
        text = text.replace(name, secret)
    role: Literal["user", "assistant"] = "user" if raw["role"] == "user" else "assistant"
    return Heard(text, role, "person" if role == "user" else "model", said_at)


def listen(messages: tuple[Heard, ...]) -> list[Candidate]:
    """Return what is left of a conversation after all its messages were heard."""
    kept: list[Candidate] = []
    for at, message in enumerate(messages):
        match candidates(message, messages[max(0, at - 4) : at]):
            case Suppress():
                kept.clear()
            case found:
                kept.extend(found)
    return kept


def judge(snippet: Snippet) -> Verdict:
    """Hear one snippet and compare with what was expected."""
    open_ = list(snippet.expect)
    right, wrong = [], []
    for given in listen(snippet.messages):
        met = next((e for e in open_ if _meets(given, e)), None)
        if met is None:
            wrong.append(given)
        else:
            open_.remove(met)
            right.append(met)
    return Verdict(snippet, tuple(right), tuple(wrong), tuple(open_))


def _meets(given: Candidate, wanted: Expectation) -> bool:
    content = given.content.casefold()
    return given.type == wanted.type and all(c.casefold() in content for c in wanted.contains)


def score(verdicts: Iterable[Verdict]) -> Score:
    """Add up verdicts."""
    verdicts = list(verdicts)
    confusion: Counter[tuple[str, str]] = Counter()
    for verdict in verdicts:
        confusion.update((e.type, e.type) for e in verdict.right)
        confusion.update(_confused(verdict))
    return Score(
        len(verdicts),
        sum(len(v.right) for v in verdicts),
        sum(len(v.wrong) for v in verdicts),
        sum(len(v.missed) for v in verdicts),
        confusion,
    )


def _confused(verdict: Verdict) -> list[tuple[str, str]]:
    """Pair what was missed with what was given instead, in order; `-` where there is none."""
    missed = [e.type for e in verdict.missed]
    wrong = [str(c.type) for c in verdict.wrong]
    longest = max(len(missed), len(wrong))
    missed += ["-"] * (longest - len(missed))
    wrong += ["-"] * (longest - len(wrong))
    return list(zip(missed, wrong, strict=True))


def measure(half: Half) -> Score:
    """Return the figures of one half."""
    return score(judge(s) for s in load() if s.half == half)


def report(half: Half, figures: Score) -> str:
    """Return the figures of a half as text: precision, recall, and the confusion per type."""
    types = ("user", "feedback", "project", "reference", "-")
    rows = [
        f"  {wanted:<10}" + "".join(f"{figures.confusion[wanted, given]:>11}" for given in types)
        for wanted in types
    ]
    head = f"{half}: {figures.snippets} snippets, precision {figures.precision:.3f}"
    return "\n".join(
        [
            f"{head}, recall {figures.recall:.3f}",
            "  expected".ljust(12) + "".join(f"{t:>11}" for t in types) + "  captured",
            *rows,
        ]
    )


def main(arguments: list[str]) -> None:
    """Print the report; `--failures` adds those of the tuning half."""
    for half in ("tune", "held-out"):
        print(report(half, measure(half)))
    if "--failures" not in arguments:
        return
    for verdict in (judge(s) for s in load() if s.half == "tune"):
        if verdict.wrong or verdict.missed:
            print(f"\n{verdict.snippet.id}: {verdict.snippet.messages[-1].text!r}")
            for missed in verdict.missed:
                print(f"  missed {missed.type}: {', '.join(missed.contains)}")
            for wrong in verdict.wrong:
                print(f"  wrong {wrong.type} ({wrong.rule}): {wrong.content!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
