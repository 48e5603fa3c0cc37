"""What rules out a sentence: it asks, supposes, reports others, plays a part, or is for now only.

All are told from a sentence's mask; none reads the words in quotation marks.
"""

import re

_LEAD = r"^(?:(?:ok(?:ay)?|so|and|but|hm+|hey|hi|well|btw|also|then|no|yes|yeah|wait|oh|sorry|actually|please|ah|um),? )*"
_SUBJECT = r"(?:i|you|we|he|she|they|it|there|this|that|these|those|the|an?|my|your|our|his|her|their|any|some|all|every(?:one|body)?|any(?:one|body|thing)|[A-Z]\w+)"
_QUESTION = re.compile(
    rf"(?i){_LEAD}(?:(?:what|why|how|who|whose|which)(?:'s|'re)?\b(?! a )|where(?:'s)? (?:is|are|do|does|did|can|should|was|were|the)\b|"
    r"when (?:is|are|do|does|did|can|should|will|was)\b|"
    rf"(?:is|are|am|was|were|do|does|did|can|could|should|would|will|has|have|had|shall|may|might|isn'?t|aren'?t|doesn'?t|didn'?t|can'?t|won'?t)"
    rf" {_SUBJECT}\b)"
)
_TAG_QUESTION = re.compile(
    r"(?i), (?:(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should)(?:n'?t)? (?:i|you|we|he|she|it|they|there)|right|correct|no|oder|non|verdad) ?\?*$"
)
_REQUEST = re.compile(
    r"(?i)(?:[,;–—-]| (?:so|and|but)),? (?:so |and |then )?(?:can|could|would|will) (?:you|we)\b"
)
_POLITE_END = re.compile(r"(?i),? (?:ok|okay|please|alright|yeah|thanks|thx|pls)\s*\?$")

_HYPOTHESIS = re.compile(
    r"(?i)\b(?:what if|suppos(?:e|ing)|imagin(?:e|ing)|hypothetically|for the sake of|wonder(?:ing)? (?:if|whether|how|why)|"
    r"let'?s (?:say|assume|pretend|imagine|suppose)|assum(?:e|ing) (?:that |we |i |the )|were (?:i|we) (?:an? |to )|"
    r"if (?:i|we|you|they|it|he|she|there|the \w+|\w+) (?:used|were|was|had|could|would|decided?|went|moved|switched|chose|made|did|wanted|knew)\b|"
    r"would(?:n'?t)? (?:it|that|this) be|might|maybe|perhaps|possibly|could (?:go|use|move|switch|try|also|just|do|be)|"
    r"(?:nothing|not(?:hing)?) (?:is )?(?:decided|settled|final)|not (?:yet )?sure|haven'?t (?:yet )?decided|undecided|unclear whether|"
    r"thinking (?:about|of)|considering|leaning towards?|should we|shall we|toying with|one day|some ?day|at some point|a user (?:would|may|might|who))\b"
)
_ROLE_PLAY = re.compile(
    r"(?i)\b(?:pretend|imagine|role[- ]?play(?:ing)?|act as|you are (?:an?|the) [\w -]{2,40}(?:reviewer|assistant|expert|engineer|agent|bot|teacher|tutor|coach|instructor|writer|specialist|consultant)|"
    r"(?:from now on|now),? you(?:'re| are| will be)\b|(?:you (?:will|are going to)|i want you to) (?:act|be|play|behave)\b|ignore (?:all |any )?(?:the )?(?:previous|prior|above|earlier)|"
    r"in (?:this|that|the|our|my) (?:game|story|scenario|scene|exercise|novel|play|dialogue|example|poem)|let'?s (?:say|pretend|play|assume|imagine)|"
    r"for example|e\.g\.|for instance|suppose|for the sake of)"
)
_REPORTED = re.compile(
    r"(?i)(?<!\bi )\b(?<!i've )(?:says?|said|tells? (?:me|us|you)|told (?:me|us)|wrote|writes|quoted|claims?|claimed|suggests?|recommends?|complains?|according to|"
    r"(?:docs?|documentation|readme|article|page|post|comment|linter|compiler|manual|guide|book|spec|rfc|warning|error|message) (?:that )?"
    r"(?:says?|states?|contains?|contained|recommends?|warns?|reads?|reports?|tells?|claims?|mentions?))\b"
    r"|\b(?:here'?s|this is|these are|below is|following is) (?:the|a|an|my|our|what|some) [^:]{0,60}(?:said|contained|says|transcript|log|output|text|message|mail|email|page|article|notes?|snippet|example|paragraph|error)[^:]{0,40}:"
)
_ONE_OFF = re.compile(
    r"(?i)\b(?:(?<!from )for now|just (?:this )?once|this (?:one )?time|for (?:this|that) (?:run|one|time|task|pr|commit|test|change|file|session)|"
    r"(?<!from )right now|at (?:this|that) point|temporarily|for the moment|for today|in (?:this|that) (?:case|view|function|file|method|class|query|test|component|loop|module|config|line|commit|pr|example)|"
    r"until (?:i|we) (?:say|tell|are|'re)|(?<!as )yet|this morning only|while (?:i|we)(?:'m| am|'re| are))\b"
)
_SPEC = re.compile(
    r"(?i)\b(?:it|this|that|he|she|the (?:\w+ ){0,2}\w+|this \w+|each \w+|(?:a|an) (?:\w+ )?\w+) "
    r"(?:must|should|shall|may|can|needs? to|has to|ought to|will)(?: not|n'?t)?(?: always| never| only)? (?:be|return|throw|raise|have|accept|exit|read|write|print|show|support|take|use|handle|look|work|fit|start|end|contain|render)\b"
)
_MAKE = re.compile(
    rf"(?i){_LEAD}(?:(?:can|could|would) you )?(?:please )?(?:build|implement|create|write|design|develop|generate|make me|code|draft|translate|summari[sz]e|convert)\b"
    r"(?! (?:tests?|commit|code|docs|comments|messages|to|in|back|when)\b)"
)


def asks(text: str) -> bool:
    """Tell a question or a request to do something, also without a question mark."""
    if _POLITE_END.search(text):
        text = _POLITE_END.sub("", text)
    if (
        text.rstrip("\"'”’)] !").endswith("?")
        or _TAG_QUESTION.search(text)
        or _REQUEST.search(text)
    ):
        return True
    return bool(_QUESTION.match(text))


def supposes(text: str) -> bool:
    """Tell a hypothesis, an idea, something not decided."""
    return bool(_HYPOTHESIS.search(text))


def plays_a_part(text: str) -> bool:
    """Tell that what follows is a story, a game, a part to play or an example."""
    return bool(_ROLE_PLAY.search(text))


def reports(text: str) -> bool:
    """Tell words of others: reported speech, what a page or a tool says."""
    return bool(_REPORTED.search(text))


def is_for_now(text: str) -> bool:
    """Tell what holds for this task or moment only."""
    return bool(_ONE_OFF.search(text))


def specifies(text: str) -> bool:
    """Tell a requirement of the thing being made ("it must return None")."""
    return bool(_SPEC.search(text))


def orders_a_thing(text: str) -> bool:
    """Tell a request to make something, whose requirements then follow."""
    return bool(_MAKE.match(text))


def without_polite_end(text: str) -> str:
    """Drop ", ok?" and ", please?" from the end of an instruction."""
    return _POLITE_END.sub("", text)
