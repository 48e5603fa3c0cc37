"""Turns what a person said into a sentence that stands alone: who "I" is, what "it" is.

First person becomes "the user" (then "they"); imperatives stay as they are; openers like "no," and
"btw" go. What is quoted is left as it was.
"""

import re

from memplugin.capture.sentences import Sentence, mask

MAX_CONTENT = 400  # characters of a memory
_TAIL = re.compile(r"(?i)[,;]? (?:please|thanks|thank you|thx|ok|okay|btw|lol|haha|:\))[.! ]*$")
_OPENER = re.compile(
    r"(?i)^(?:(?:no+|nope|nah|right|wrong(?: again)?|great|perfect|nice|good|cool|sure|thanks|sorry|"
    r"decision|important|note|reminder|heads[- ]up|some background|background|hi|hello|ps)[,.:;!–—-]+\s*|"
    r"(?:ok(?:ay)?|so|and|but|also|btw|by the way|fyi|hey|hm+|well|actually|please|pls|oh|ah|ugh|then|"
    r"just so you know|one more thing|as i said|i(?:'ve)? (?:already )?(?:said|told you)|yes|yeah|yep|again|quick (?:note|info)|like|look|listen|right now)[,.:;!–—-]*\s+)+"
)
_HERE_IS = re.compile(
    r"(?i)^(?:here(?:'s| is| are)|this is|there(?:'s| is)) (?=(?:the|my|our|a|an)\b)"
)
_LINKED_THAT = re.compile(r"(?i)^(?:that|que) ")

_ADVERB = (
    r"(?:always|usually|also|just|really|only|mostly|mainly|normally|often|sometimes|never|generally|"
    r"currently|still|actually|typically|personally|now|both|rarely|barely|simply|even|already)"
)
_FIRST = re.compile(
    rf"(?i)\b(?:(?:i'm|i’m|im|i am)\b|(?:i've|i’ve|ive)\b|(?:i'd|i’d)\b|(?:i'll|i’ll)\b|"
    rf"i(?P<adverb>(?: {_ADVERB}){{0,2}}) (?P<verb>[a-z]+(?:['’]?t)?)\b|i\b(?!\.)|my\b|mine\b|myself\b|me\b)"
)
_IRREGULAR = {
    "am": "is", "have": "has", "do": "does", "don't": "doesn't", "don’t": "doesn't", "dont": "doesn't",
    "haven't": "hasn't", "was": "was", "go": "goes",
}  # fmt: skip
_UNCHANGED = re.compile(
    r"(?i)(?:can|could|will|would|should|must|might|may|shall|had|did|went|got|made|wrote|left|grew|came|took|"
    r"lost|found|built|bought|spent|said|told|thought|knew|kept|met|ran|became|began|broke|chose|taught|"
    r"and|or|but|to|in|at|on|as|who|with|of|for|from|because|so|(?!(?:need|feed|speed|breed|seed|bleed|proceed|succeed|exceed|shed|wed)$)\w{2,}ed|\w+n['’]t|cannot|(?:ca|wo|did|would|could|should|was|have|has)nt)"
)

_IN_GROUP = re.compile(
    r"(?i)^we(?:'re|’re| are) (?=an? (?:[\w-]+ ){0,2}(?:team|group|startup|company|agency|shop))"
)
_WE = re.compile(r"(?i)\b(?:we(?:'re|’re|'ve|’ve|'ll|’ll)?|our|us|ours)\b")
_OWN = {
    "we": "I",
    "we're": "I'm",
    "we've": "I've",
    "we'll": "I'll",
    "our": "my",
    "us": "me",
    "ours": "mine",
}

_ANAPHOR = re.compile(
    r"(?i)(?:^(?:it|they|this|that|these|those|he|she)\b(?=['’ ])|\b(?:it|them)\b)"
)
_SINGULAR = re.compile(
    r"(?i)^(?:(?:the|our|my|their|this|that|an?) (?:[\w-]+ ){0,4}?[\w-]+?|(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+){0,3})"
    r"(?= (?:is|was|has|had|will|won't|gets?|got|needs?|keeps?|runs?|[\w]+ed|can|does|did|went|goes)\b)"
)
_PLURAL = re.compile(
    r"(?i)\b(?:the|our|my) (?:[\w-]+ ){0,2}?[\w-]+s\b(?: (?:from|of|at|in) (?-i:[A-Z])[\w-]+)?"
)
_EXPLETIVE = re.compile(
    r"(?i)\b(?:it(?:'s|’s| is| was) (?:important|better|best|easier|hard|fine|ok|nice|raining|late|clear|true|\"|“|')|"
    r"it takes|makes? it|find it|keep it|like it when|about it|on it|doing it|did it|do it|is it|"
    r"(?:that|this|these|those) (?:way|repo|project|codebase|one|time|\w+s\b))"
)


def without_openers(sentence: Sentence) -> Sentence:
    """Return a sentence without "no,", "btw" and the like before it."""
    opener = _OPENER.match(sentence.masked)
    rest = sentence.part(opener.end()) if opener else sentence
    return rest if rest.text else sentence


def about_the_user(text: str) -> str:
    """Return what a person said of themselves and theirs in third person: "we" are "they" as well."""
    if group := _IN_GROUP.match(text):
        text = f"I'm in {text[group.end() :]}"
    text = _WE.sub(lambda m: _OWN[m[0].casefold().replace("’", "'")], text)
    said = third_person(text)
    return said if said != text else f"The user: {text}"


def third_person(text: str) -> str:
    """Return a text with first person replaced: "the user" at first, "they" afterwards."""
    masked, out, at, named = mask(text), [], 0, False
    for found in _FIRST.finditer(masked):
        said = _they(found) if named else _the_user(found)
        out += [text[at : found.start()], said]
        at, named = found.end(), True
    return "".join(out) + text[at:]


def _the_user(found: re.Match[str]) -> str:
    word = found[0].casefold().replace("’", "'")
    if found["verb"]:
        return f"the user{found['adverb']} {_third(found['verb'])}"
    return {
        "i'm": "the user is", "im": "the user is", "i am": "the user is", "i've": "the user has",
        "ive": "the user has", "i'd": "the user would", "i'll": "the user will", "my": "the user's",
        "mine": "the user's", "myself": "the user", "me": "the user", "i": "the user",
    }[word]  # fmt: skip


def _they(found: re.Match[str]) -> str:
    word = found[0].casefold().replace("’", "'")
    if found["verb"]:
        verb = {"am": "are", "was": "were"}.get(found["verb"].casefold(), found["verb"])
        return f"they{found['adverb']} {verb}"
    return {
        "i'm": "they are", "im": "they are", "i am": "they are", "i've": "they have",
        "ive": "they have", "i'd": "they would", "i'll": "they will", "my": "their",
        "mine": "theirs", "myself": "themself", "me": "them", "i": "they",
    }[word]  # fmt: skip


def _third(verb: str) -> str:
    """Return a verb as it follows "the user"."""
    lower = verb.casefold()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if _UNCHANGED.fullmatch(lower):
        return verb
    if re.search(r"(?:s|x|z|ch|sh|o)$", lower):
        return f"{verb}es"
    if re.search(r"[^aeiou]y$", lower):
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def resolved(sentence: Sentence, before: Sentence | None) -> str:
    """Return a sentence whose "it" or "they" is named, from the sentence before it.

    Where the sentence before has no clear subject, it is put in front as a whole, if both are
    small enough; else the sentence stays as it is.
    """
    found = next(
        (m for m in _ANAPHOR.finditer(sentence.masked) if _refers(sentence.masked, m)), None
    )
    if before is None or found is None:
        return sentence.text
    subject = _subject(before, plural=found[0].casefold() in {"they", "them", "these", "those"})
    if subject:
        return sentence.text[: found.start()] + subject + sentence.text[found.end() :]
    if len(before.text) + len(sentence.text) < MAX_CONTENT:
        return f"{ended(before.text)} {sentence.text}"
    return sentence.text


def _refers(masked: str, found: re.Match[str]) -> bool:
    """Tell whether a pronoun points outside its sentence."""
    near = masked[max(0, found.start() - 12) : found.end() + 12]
    named_before = re.search(
        r"(?i)\b(?:the|a|an|my|our|any|every|each) \w+|\w+s\b", masked[: found.start()]
    )
    return not _EXPLETIVE.search(near) and not named_before


def _subject(before: Sentence, *, plural: bool) -> str | None:
    shape = _PLURAL if plural else _SINGULAR
    found = shape.search(without_openers(before).masked)
    if not found:
        return None
    words = without_openers(before).text[found.start() : found.end()]
    words = re.sub(r"(?i)^(?:an?|this|that) ", "the ", words)
    return (
        words[0].lower() + words[1:] if words.lower().startswith(("the ", "our ", "my ")) else words
    )


def tidy(text: str) -> str:
    """Return a text as one clean sentence or two: one line, capital first, a stop at the end."""
    text = " ".join(_HERE_IS.sub("", _LINKED_THAT.sub("", text)).split())
    masked = mask(text)
    tail = _TAIL.search(masked)
    text = (text[: tail.start()] if tail else text).strip(" ,;:–—-")
    head = re.match(r"[a-zà-ÿ][a-zà-ÿ'’]*(?=[ ,:.]|$)", text)
    text = text[0].upper() + text[1:] if head else text
    return ended(shortened(text, MAX_CONTENT))


def ended(text: str) -> str:
    """Return a text with a stop at its end, unless it ends with an address or has one."""
    text = text.rstrip()
    last = text.split(" ")[-1]
    plain = re.fullmatch(r"[^\W_][\w'’%)\"-]*", last) or last.endswith((")", '"', "'", "’", "”"))
    return f"{text}." if plain and len(text) < MAX_CONTENT else text


def shortened(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, cut between words and marked with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return head[: head.rfind(" ") if " " in head else limit - 1].rstrip(" ,;:.–—-") + "…"
