"""What the tests must prove: the contract's rules and the faults known from the field.

A test names what it proves at the head of its docstring, up to the first colon:
"W5, K1, case 12: what holds". `tests/test_requirements.py` checks both ways.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

RULES = {
    "W1": "one JSON-RPC message a line",
    "W2": "stdout carries nothing else",
    "W3": "both directions call, with ids of their own",
    "W4": "concurrent, writes in order of arrival",
    "W5": "JSON-RPC to the letter",
    "W6": "hostile lines are answered or accepted",
    "W7": "cancelling tells what became durable",
    "W8": "an end of any kind is clean",
    "W9": "uncaught errors are answered",
    "W10": "explains itself on a terminal",
    "W11": "works in an empty environment",
    "X1": "which session and project a call concerns",
    "X2": "what can be seen, nearest first",
    "X3": "token budgets",
    "C1": "one configuration for all categories",
    "C2": "bad attributes are refused by name",
    "C3": "the configuration's schema is true to itself",
    "C4": "capabilities at any time, of the configuration in force",
    "E1": "every failure has its category",
    "E2": "no contents and no secrets in errors and logs",
    "K1": "tokens are the kernel's own count",
    "K2": "counted once, all at once, no more than needed",
    "K3": "what a kernel lacks or does not answer",
    "K4": "an event for every write of a session",
    "K5": "callbacks answered in the process",
    "K6": "the log goes to the kernel",
    "D1": "what is fixed for a record's life",
    "D2": "ids are slugs",
    "D3": "a taken id gets a number",
    "D4": "updates are wholesale, unknown ids an error",
    "D5": "content comes back exactly",
    "D6": "provenance is the kernel's to give",
    "D7": "relevance scores are sent, never kept",
    "D8": "nothing is guessed between open projects",
    "D9": "deleting is final and whole",
    "L1": "links are parsed from the content",
    "L2": "dangling links reject nothing",
    "L3": "links are shown as links",
    "L4": "dangling links can be listed",
    "R1": "within the budget, by relevance",
    "R2": "filters, and no drafts unasked",
    "R3": "relevant is what the session shows",
    "R4": "project records fade fastest",
    "R5": "leaves out what does not fit",
    "R6": "what is cut says so",
    "R7": "the same request has the same answer",
    "R8": "steady from turn to turn",
    "R9": "nothing relevant, nothing recalled",
    "P1": "stable pages",
    "P2": "without ratification nothing is pending",
    "P3": "drafts are approved or rejected",
    "P4": "files of others' making wait for approval",
    "H1": "the answer's shape is the mode's",
    "H2": "every point in every mode",
    "H3": "hooks are answered before their work is done",
    "H4": "what each point brings",
    "H5": "whose hook it is",
    "H6": "nothing inside a payload is refused",
    "H7": "works from the guaranteed points alone",
    "T1": "remember finds what it would double",
    "T2": "failures as tools tell them",
    "T3": "descriptions teach, schemas are small",
    "T4": "preview changes nothing",
    "T5": "direct commands",
    "T6": "every failure of a call is an event",
    "V1": "the decoder follows the schema version",
    "V2": "what a rendering shows",
    "G1": "the manifest says what the plugin says",
}
"""The rules by id, each in a few words."""

CASES = {
    1: "ten records sent in one go",
    2: "processes that record at once",
    3: "a file cut at any byte",
    4: "a lock that others hold",
    5: "a hundred updates of one record",
    6: "either side of midnight, in two time zones",
    7: "an older format, and a newer one",
    8: "libraries that print",
    9: "line ends of other hosts",
    10: "the C locale",
    11: "half a surrogate pair",
    12: "junk, then a good call",
    13: "a kernel that goes away",
    14: "a read-only store at the end of a session",
    15: "killed after a long session",
    16: "worktrees of one repository",
    17: "folders of like names, one folder of several names",
    18: "a home that is a repository",
    19: "the parent of two repositories",
    20: "session records in another session",
    21: "what a sub-agent's prompt says of the user",
    22: "memory that must not be pushed",
    23: "queries with any character",
    24: "a question in other words",
    25: "scripts and accents",
    26: "parts of identifiers",
    27: "touched files",
    28: "questions about nothing",
    29: "one huge record among small ones",
    30: "the same order turn after turn",
    31: "a fact that changed",
    32: "when a recalled record was true",
    33: "near is not the same",
    34: "don't forget is not forget",
    35: "our own words quoted back",
    36: "small talk of the agent",
    37: "orders in what tools show",
    38: "secrets anywhere",
    39: "yesterday",
    40: "an agent that only says it remembers",
    41: "forgotten and seen again",
    42: "titles that YAML misreads",
    43: "links to names that nothing has",
    44: "ids that are no names",
    45: "targets that are deleted",
    46: "review with provenance and near matches",
    47: "hidden characters in a draft",
    48: "export, wipe, import",
}
"""The faults by number, each in a few words."""

NOT_YET: frozenset[str | int] = frozenset([31, 32])
"""What no test proves yet. It may only shrink: what is proven must leave it."""

_PART = re.compile(r", and |, | and |; ")
_RULE = re.compile(r"[A-Z]\d+")
_CASES = re.compile(r"(?:field )?cases? (\d+)", re.IGNORECASE)
_DECISIONS = re.compile(r"(?:design )?decisions? \d+[a-z]?", re.IGNORECASE)


class Proof(Struct, frozen=True):
    """A test and what its docstring names: rules and, as numbers, cases."""

    test: str
    names: tuple[str | int, ...]


def named(docstring: str) -> tuple[str | int, ...]:
    """Return the rules and cases at the head of a docstring; none where it has no such head."""
    head = re.split(r"[:.]", docstring.strip(), maxsplit=1)[0]
    found: list[str | int] = []
    counting = False
    for part in _PART.split(head):
        case = _CASES.fullmatch(part)
        if _RULE.fullmatch(part):
            found.append(part)
        elif case or (counting and part.isdigit()):
            found.append(int(case[1] if case else part))
        elif not _DECISIONS.fullmatch(part):
            return ()
        counting = case is not None or part.isdigit()
    return tuple(found)


def proofs(folder: Path) -> Iterator[Proof]:
    """Pass on every test below a folder."""
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and _is_test(node):
                docstring = ast.get_docstring(node) or ""
                yield Proof(f"{path.relative_to(folder)}::{node.name}", named(docstring))


def _is_test(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return node.name.startswith(("test_", "Test"))
