"""What the bundled embedder has vectors of: pieces of the teacher, and words and terms it lacks.

A word that the teacher cuts into pieces ("postgres" into "post", "##gre", "##s") means more than
their sum; so do terms of several words ("race condition").
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memplugin.index.wordpiece import WordPieces

_WORD = re.compile(r"[a-z]{2,28}[a-z0-9]{1,2}")
_OFTEN = 4  # times that a word is met before it gets a row
_LONGEST_TERM = 4  # words


def kept_pieces(vocabulary: Sequence[str]) -> list[str]:
    """Return the teacher's pieces less its marks and the scripts that it does not know."""
    return [
        piece
        for piece in vocabulary
        if not re.fullmatch(r"\[.+\]", piece)
        and all(character.isascii() or character.isalpha() for character in piece)
        and not re.search("[\u0250-\U0010ffff]", piece)
    ]


def additions(
    pieces: WordPieces, texts: Iterable[str], lemmas: Mapping[str, int], limit: int
) -> list[str]:
    """Return words and terms worth a row of their own, the most frequent first.

    `lemmas`: words and terms of a dictionary with how often its own texts hold them.
    """
    counts: Counter[str] = Counter()
    terms = {lemma.lower() for lemma in lemmas if 1 <= lemma.count(" ") < _LONGEST_TERM}
    openings = {term.split(" ")[0] for term in terms}
    for text in texts:
        words = re.findall(r"[a-z0-9]+|[^a-z0-9\s]", text.lower())
        counts.update(word for word in words if _WORD.fullmatch(word))
        for place, word in enumerate(words):
            if word in openings:
                for length in range(2, _LONGEST_TERM + 1):
                    term = " ".join(words[place : place + length])
                    if term in terms:
                        counts[term] += 1
    for lemma, count in lemmas.items():
        if _WORD.fullmatch(lemma.lower()):
            counts[lemma.lower()] += count
    worth = {
        word: count
        for word, count in counts.items()
        if (count >= _OFTEN or " " in word) and len(pieces.numbers(word)) > 1
    }
    return sorted(worth, key=lambda word: (-worth[word], word))[:limit]
