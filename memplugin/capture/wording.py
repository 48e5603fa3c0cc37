"""Puts a finding into words: a candidate with content, title and scope, dated and redacted."""

import re
from datetime import datetime

from memplugin.capture.dates import absolute_dates
from memplugin.capture.findings import Finding
from memplugin.capture.heard import Candidate
from memplugin.capture.phrasing import about_the_user, resolved, third_person, tidy, without_openers
from memplugin.capture.redact import MARKER, redact
from memplugin.capture.sentences import Sentence
from memplugin.capture.titles import title
from memplugin.protocol.records import MemoryScope, MemoryType

_MANNERS = re.compile(
    r"(?i)\b(?:answers?|answer me|repl(?:y|ies)|respon(?:d|ses?)|explain\w*|summar\w*|apologi\w*|tone|emoji in answers|language|"
    r"german|english|french|spanish|emails?|draft|recipes?|meals?|prices?|meetings?|schedule|calendar|book\b|hotel|flights?|"
    r"receipts?|photos?|study|studies|articles?|prose|bullet points?|paragraphs?|lists?|options|trade-?offs|greeting|"
    r"my (?:texts?|customers|friends|family|week|day)|detail in the plan|smaller steps|ask than guess|tables|metric|units|jargon|"
    r"call me|talk to me|write to me|level of detail|short(?:er)? answers|step by step|sign off)\b"
)
_PROJECT_BOUND = re.compile(
    r"(?i)\b(?:repo(?:sitory)?|project|codebase|code ?base|branch(?:es)?|tests?|commit\w*|prs?|pull requests?|migrations?|code|"
    r"deploy\w*|staging|prod(?:uction)?|api|database|docs|files?|imports?|lint\w*|build|package|module|we|our)\b|[`/_]|\.\w{1,4}\b"
)
_OWN_LIFE = re.compile(
    r"(?i)\b(?:the user'?s|the kids|kids'|their own|recipes|shopping|family|school)\b"
)
_FILLER = frozenset(
    """a an and api at be for has i in is it its key keys me my of on our password passwords passwd pin please
    redacted remember save secret secrets that the this to token tokens use user user's with you your account
    login credentials credential passphrase passcode phrase authorization bearer begin end rsa
    private door user's here new one aws openai github db database staging prod the""".split()
)


def candidate(finding: Finding, previous: Sentence | None, said_at: datetime) -> Candidate | None:
    """Return a finding as a candidate; None where nothing is left but secrets."""
    sentence = without_openers(finding.sentence)
    if finding.foreign:
        text = f"The user: {sentence.text}" if finding.type is MemoryType.USER else sentence.text
    elif finding.type is MemoryType.USER:
        text = about_the_user(absolute_dates(sentence.text, said_at))
    else:
        text = third_person(absolute_dates(resolved(sentence, previous), said_at))
    redaction = redact(text)
    content = redact(tidy(redaction.text)).text
    if redaction.kinds and _is_empty(content):
        return None
    return Candidate(
        finding.type,
        _scope(finding.type, content),
        redact(title(content)).text,
        content,
        finding.confidence,
        finding.standing,
        finding.rule,
    )


def _is_empty(content: str) -> bool:
    """Tell whether a redacted text says nothing but that there was a secret."""
    words = re.findall(r"[\w'-]+", MARKER.sub(" ", content).casefold())
    return not any(w not in _FILLER and len(w) > 1 for w in words)


def _scope(kind: MemoryType, content: str) -> MemoryScope:
    """Return who should see it: what is about the person everywhere, the rest in its project."""
    match kind:
        case MemoryType.USER:
            return MemoryScope.GLOBAL
        case MemoryType.FEEDBACK:
            bound = _PROJECT_BOUND.search(content) or not _MANNERS.search(content)
            return MemoryScope.PROJECT if bound else MemoryScope.GLOBAL
        case MemoryType.REFERENCE if _OWN_LIFE.search(content):
            return MemoryScope.GLOBAL
        case _:
            return MemoryScope.PROJECT
