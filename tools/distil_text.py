"""The text that the bundled embedder is fitted on: ours, or under licences that allow it.

- sentences of our own grammar (distil_grammar.txt), its slots filled with common words of WordNet;
- WordNet 3.0: glosses and examples (WordNet licence; Debian's wordnet-base);
- chitchat-dataset 0.9: turns of conversation (MIT; the PyPI package carries them);
- documentation strings of the standard library (PSF-2.0), NumPy, SciPy, scikit-learn and PyTorch
  (BSD-3-Clause) and transformers (Apache-2.0), as installed.

Nothing of it is kept: only vectors fitted on it are. The same inputs give the same texts.
"""

import ast
import importlib.util
import json
import random
import re
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

GRAMMAR = Path(__file__).with_name("distil_grammar.txt")
DOCUMENTED = ("numpy", "scipy", "sklearn", "torch", "transformers")
_SHORTEST, _LONGEST = 12, 600  # characters of a text
# WordNet's lexicographer files whose words fill the slots of the grammar.
_SLOTS = {
    "04": "act", "05": "animal", "06": "thing", "07": "quality", "09": "idea", "10": "text",
    "11": "event", "12": "feeling", "13": "food", "14": "group", "15": "place", "18": "role",
    "20": "plant", "21": "possession", "26": "state", "27": "stuff", "28": "time",
}  # fmt: skip


class Synset(NamedTuple):
    """One meaning in WordNet."""

    field: str  # the number of its lexicographer file
    words: list[str]
    gloss: str
    examples: list[str]


def texts(wordnet: Path, chitchat: Path, seed: int) -> list[str]:
    """Return all texts, shuffled, without repetitions."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    synsets = list(_synsets(wordnet))
    common = _common_words(wordnet)
    found = [
        *_conversation(chitchat, chance),
        *_dictionary(synsets, common, chance),
        *_composed(_fillers(synsets, common), chance),
        *_documentation(chance),
    ]
    kept = sorted({text for text in found if _SHORTEST <= len(text) <= _LONGEST})
    chance.shuffle(kept)
    return kept


def _synsets(folder: Path) -> Iterator[Synset]:
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            words = [name.replace("_", " ").split("(")[0] for name in names]
            meaning, *quoted = re.split(r'; (?=")', gloss.strip())
            examples = [piece.strip().strip('"').split('"')[0] for piece in quoted]
            yield Synset(fields[1], words, meaning, examples)


def _common_words(folder: Path) -> Counter[str]:
    """Return how often words were met in the texts that WordNet was tagged by."""
    counts: Counter[str] = Counter()
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        key, _, count = line.split()
        counts[key.split("%")[0].replace("_", " ")] += int(count)
    return counts


def _fillers(synsets: Iterable[Synset], common: Counter[str]) -> dict[str, list[str]]:
    slots: dict[str, set[str]] = defaultdict(set)
    for synset in synsets:
        word = synset.words[0]
        if synset.field in _SLOTS and (common[word.lower()] or len(synset.words) > 1):
            slots[_SLOTS[synset.field]].add(word)
    return {slot: sorted(words) for slot, words in slots.items()}


def _conversation(path: Path, chance: random.Random) -> Iterator[str]:
    """Yield turns, their sentences, and pairs of turns."""
    for talk in json.loads(path.read_text("utf-8")).values():
        turns = [" ".join(m["text"] for m in turn).strip() for turn in talk["messages"]]
        for turn in turns:
            words = len(turn.split())
            sentences = re.split(r"(?<=[.!?])\s+", turn)
            if 6 <= words <= 90 and chance.random() < 0.7:  # noqa: PLR2004 - shares of each kind
                yield turn
            if len(sentences) > 1 and chance.random() < 0.3:  # noqa: PLR2004
                yield chance.choice(sentences)
        for first, second in zip(turns[::6], turns[1::6], strict=False):
            yield f"{first} {second}"


def _dictionary(
    synsets: Iterable[Synset], common: Counter[str], chance: random.Random
) -> Iterator[str]:
    """Yield examples, glosses of common words, and some of the others."""
    for synset in synsets:
        known = sum(common[word.lower()] for word in synset.words)
        yield from synset.examples
        if known or chance.random() < 0.2:  # noqa: PLR2004
            yield f"{chance.choice(synset.words)}: {synset.gloss}"
        if known and chance.random() < 0.2:  # noqa: PLR2004
            yield chance.choice(("What is {}?", "Tell me about {}.", "{} and the like")).format(
                synset.words[0]
            )


def _grammar() -> tuple[dict[str, list[str]], tuple[list[str], list[str]]]:
    """Return the lists, and the patterns about people and about work."""
    sections = re.split(r"^\[(\w+)\]\n", GRAMMAR.read_text("utf-8"), flags=re.MULTILINE)[1:]
    bodies = dict(zip(sections[::2], sections[1::2], strict=True))
    patterns = bodies.pop("people").split("\n"), bodies.pop("work").split("\n")
    lists = {name: " ".join(body.split()).split(", ") for name, body in bodies.items()}
    return lists, ([p for p in patterns[0] if p], [p for p in patterns[1] if p])


def _composed(fillers: dict[str, list[str]], chance: random.Random) -> Iterator[str]:
    """Yield sentences of the grammar, a third of them two or three together."""
    lists, kinds = _grammar()
    slots = fillers | {
        "name": lists["names"],
        "tool": lists["tools"],
        "part": lists["parts"],
        "when": lists["when"],
        "number": ["3", "20", "443", "8080"],
    }

    def sentence(patterns: list[str]) -> str:
        values: dict[str, str] = {}
        for slot, words in slots.items():
            values[slot], values[f"{slot}2"] = chance.sample(words, 2)
        filled = chance.choice(patterns).format_map(values)
        return filled[0].upper() + filled[1:]

    for _ in range(40_000):
        patterns = chance.choice(kinds)
        yield " ".join(sentence(patterns) for _ in range(chance.choice((1, 1, 1, 1, 2, 3))))


def _documentation(chance: random.Random) -> Iterator[str]:
    """Yield paragraphs of documentation strings."""
    roots = [Path(sysconfig.get_path("stdlib"))]
    for name in DOCUMENTED:
        spec = importlib.util.find_spec(name)
        assert spec is not None, f"{name} is not installed"
        roots.extend(map(Path, spec.submodule_search_locations or ()))
    for root in roots:
        paths = [path for path in sorted(root.rglob("*.py")) if _is_prose(path.relative_to(root))]
        for path in paths:
            if chance.random() < (1.0 if root == roots[0] else 0.25):
                yield from _paragraphs(path)


def _is_prose(path: Path) -> bool:
    return not {"tests", "test", "testing", "site-packages", "idlelib"} & set(path.parts)


def _paragraphs(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                if paragraph.count(" ") > 5 and not re.search(r">>>|---|\.\. ", paragraph):  # noqa: PLR2004
                    yield " ".join(paragraph.split())
