"""The text that the bundled embedder is fitted on: sentences of our own grammar.

The patterns and lists are in distil_grammar.txt; other slots are filled with common words of
WordNet 3.0 by kind (WordNet licence; Debian's wordnet-base). The same inputs give the same texts.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

GRAMMAR = Path(__file__).with_name("distil_grammar.txt")
TEXTS = 24_000
_DRAWN = 40_000  # some of them the same
# WordNet's lexicographer files whose words fill the slots of the grammar.
_SLOTS = {
    "04": "act", "05": "animal", "06": "thing", "07": "quality", "09": "idea", "10": "text",
    "11": "event", "12": "feeling", "13": "food", "14": "group", "15": "place", "18": "role",
    "20": "plant", "21": "possession", "26": "state", "27": "stuff", "28": "time",
}  # fmt: skip
_OURS = 100  # how often words of our lists are taken as met


class Synset(NamedTuple):
    """One meaning in WordNet."""

    field: str  # the number of its lexicographer file
    words: list[str]


def texts(wordnet: Path, seed: int) -> list[str]:
    """Return all texts, shuffled, without repetitions; `wordnet`: the folder of its data files."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    fillers = _fillers(_synsets(wordnet), _common_words(wordnet))
    return chance.sample(sorted(set(_composed(fillers, chance))), TEXTS)


def lemmas(wordnet: Path) -> dict[str, int]:
    """Return words and terms, WordNet's and ours, with how often WordNet's texts hold them."""
    common = _common_words(wordnet)
    found = {word: common[word.lower()] for synset in _synsets(wordnet) for word in synset.words}
    lists, _ = _grammar()
    ours = [*lists["tools"], *(part.removeprefix("the ") for part in lists["parts"])]
    return found | dict.fromkeys(ours, _OURS)


def _synsets(folder: Path) -> Iterator[Synset]:
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            fields = line.partition(" | ")[0].split()
            names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            yield Synset(fields[1], [name.replace("_", " ").split("(")[0] for name in names])


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

    for _ in range(_DRAWN):
        patterns = chance.choice(kinds)
        yield " ".join(sentence(patterns) for _ in range(chance.choice((1, 1, 1, 1, 2, 3))))
