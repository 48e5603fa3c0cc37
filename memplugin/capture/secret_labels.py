"""Secrets that only their label gives away: `password=…`, "my api key is …".

The label says that a secret may follow; the value's look says whether one does. In doubt a value
after `=` or `:` is a secret; after "is" it must look like one, since people write sentences.
"""

import math
import re
from collections import Counter

_PASSWORD = (
    r"pass[ _-]?words?|passwd|passwort|passw|pwd|pass[ _-]?codes?|kennwort|"
    r"mot de passe|contrase(?:ñ|n)a|senha"
)
_PHRASE = r"pass[ _-]?phrase|seed phrase|recovery phrase|recovery codes?|mnemonic"
_KEY = (
    r"(?:api|access|secret|private|encryption|signing|license|licence|master|auth|service|shared|"
    r"storage|account|deploy)[ _-]?key|api[ _-]?token|client[ _-]?secret|"
    r"(?:[a-z]{1,20}[ _-])?token(?![a-z])|secret(?![a-z])|credentials?(?![a-z])|bearer"
)
_NAME_END = r"(?:_(?:prod|production|dev|staging|test|key|value|id)|[0-9]{1,2})?"
_VALUE = r"(?:\"(?P<dq>[^\"\n]{1,256})\"|'(?P<sq>[^'\n]{1,256})'|`(?P<bq>[^`\n]{1,256})`|[\"'`]?(?P<bare>[^\s\"'`]+))"

ASSIGNED = re.compile(
    rf"(?i)(?:(?P<password>{_PASSWORD})|(?P<key>{_KEY})){_NAME_END}[\"'\]*]{{0,2}}"
    rf"[ \t]{{0,4}}(?P<sep>:=|=>|==|=|:)[ \t\n]{{0,4}}{_VALUE}"
)
"""`DB_PASSWORD=…`, `"token": "…"`, `api key: …`."""

SPOKEN = re.compile(
    rf"(?i)\b(?:(?P<password>{_PASSWORD})|(?P<key>{_KEY}))\b"
    rf"(?: (?:for|of|to|on|in|at|für|pour|para|de|del) [^\s,;:]{{1,40}}(?: [^\s,;:]{{1,40}}){{0,3}}?)?"
    rf" (?P<sep>is now|is|was|ist|lautet|est|es|será|are|→|->)[: ]\s{{0,2}}{_VALUE}"
)
"""`my password is …`, `the api key for the map is …`."""

BESIDE = re.compile(
    rf"(?i)\b(?:(?P<password>{_PASSWORD})|(?P<key>{_KEY}))\b[ \t:(\"'`]{{1,3}}"
    r"(?P<bare>[A-Za-z0-9+/_=.!@#$%^&*-]{6,})"
)
"""`use token …`, `password …`: the value right beside the label."""

NEAR = re.compile(
    rf"(?i)\b(?:{_PASSWORD}|{_KEY})\b[^\n]{{0,32}}?(?<![A-Za-z0-9+/_=.-])"
    r"(?P<bare>[A-Za-z0-9+/_=-]{20,})"
)
"""A random-looking run within a few words of the label."""

PHRASE = re.compile(
    rf"(?i)\b(?:{_PHRASE})\b[ \t]{{0,3}}(?:is|are|was|:|=)[ \t]{{0,3}}(?P<bare>[^\s\[][^\n]*)"
)
"""A passphrase has spaces: everything to the end of the line is it."""

PIN = re.compile(r"(?i)\bpin(?: ?code| number)?(?: (?:for|of|to) [^\s,;:]{1,40}(?: [^\s,;:]{1,40}){0,2}?)?"
                 r"[ \t]{0,3}(?:is|ist|est|es|:|=)[ \t]{0,3}(?P<bare>[0-9]{4,8})(?![0-9])")  # fmt: skip
"""A card's or a phone's PIN."""

_PROSE = frozenset(
    """
    a about above all already also always an and any anything are as ask at available base64
    based be because been before being below between both bool boolean broken built but by bytes
    called can changed checked compromised configured correct created cut default defined
    derived different displayed due during each either empty encoded encrypted exactly exposed
    expired expires explicit false field fine first fixed for forgotten found from generated
    getting given going gone good handled hardcoded has hashed here hidden hex how if in
    incorrect injected int integer invalid is it its just kept known leaked like literally
    loaded long lost mandatory masked maybe missing my necessary needed never new nil no none
    not nothing now null ok okay old on once only optional or our out output over own passed per
    placeholder plain plaintext present protected provided public read redacted refused rejected
    required reset revoked right rotated safe same saved secret secure see sent set short should
    shown so something somewhere still stored str string strong text that the their them there
    they this to too true typed undefined under unique unknown unset up used useless valid
    validated verified very via wait weak what when where whether which who will with without
    won't working written wrong you your yours yes im in der die das nicht abgelaufen falsch
    leer stocké dans expiré el la en guardada incorrecta
    """.split()
)
_REFERENCE = re.compile(
    r"(?:[$%<{*•.…~(-]|x{3}|\[|os\.|env\b|process\.|self\.|config|settings|secrets\.|vault|getenv|"
    r"getpass|input|request\.|args\.|kwargs|Optional|Field|Secret|None|null)",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_][\w.]{0,64}[(\[]")
_KNOWN_ID = re.compile(
    r"(?i)(?:[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}|[0-7][0-9a-hjkmnp-tv-z]{25}|"
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|sha(?:1|256|512)-.{1,128})"
)
_NAMES_ONE = re.compile(r"(?i)key|token|secret|auth|cred|pass")
_ALGORITHM = re.compile(
    r"(?i)(?:sha|md|oauth|utf|base|argon|pbkdf|bcrypt|v|rsa|http|rfc)-?[0-9.]{1,5}\w{0,3}"
)
_MIN_KEY = 8  # characters beside a label: no service hands out shorter keys
_MIN_ASSIGNED = 6  # characters after a sign
_LONG_KEY = 20  # characters from which a value after a label is a key even without digits
_MIN_PIN = 4  # digits
_RANDOM_BITS = 3.2  # Shannon entropy per character; English identifiers stay below, base62 is above


def is_assigned(value: str, *, password: bool, tight: bool = False) -> bool:
    """Tell whether what stands after `label =` or `label:` is a secret and not code or prose.

    `tight` says that no space is around the sign, as in environment files.
    """
    word = value.strip(".,;:!?)]}\"'").casefold()
    if not word or word in _PROSE or _REFERENCE.match(value) or _CODE.match(value):
        return False
    if password:
        return True
    if tight and len(word) >= _MIN_ASSIGNED and not word.isdigit():
        return not _NAMES_ONE.search(word) or _mixed(word)
    mixed = _mixed(word) and len(word) >= _MIN_ASSIGNED
    return mixed or (len(word) >= _LONG_KEY and " " not in word)


def is_spoken(value: str, *, password: bool, last: bool) -> bool:
    """Tell whether what stands after `label is` is a secret; `last` if the sentence ends there."""
    word = value.strip(".,;:!?)]}\"'")
    if not is_assigned(value, password=password):
        return False
    if not password:
        return True
    if word.isdigit() and len(word) < _MIN_PIN:
        return last
    return last or not word.isalpha() or not (word.islower() or word.istitle())


def is_beside(value: str, *, password: bool) -> bool:
    """Tell whether a value right beside its label, with no sign between, looks made up."""
    word = value.strip(".,;:!?)]}\"'-")
    if not _mixed(word) or word.casefold() in _PROSE or _ALGORITHM.fullmatch(word):
        return False
    if password:
        return len(word) >= _MIN_ASSIGNED and not _is_path(word)
    return len(word) >= _MIN_KEY and (_has_both_cases(word) or is_random(word, ids=True))


def is_random(value: str, *, ids: bool) -> bool:
    """Tell whether a run looks random; `ids` if hashes and UUIDs count (they do beside a label)."""
    if len(value) < _LONG_KEY or not _mixed(value):
        return False
    if not ids and (_KNOWN_ID.fullmatch(value) or not _has_both_cases(value)):
        return False
    return _entropy(value) >= _RANDOM_BITS and not _is_path(value)


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _has_both_cases(value: str) -> bool:
    return any(c.islower() for c in value) and any(c.isupper() for c in value)


def _is_path(value: str) -> bool:
    parts = [p for p in re.split(r"[/_.=-]", value) if p]
    return len(parts) > 1 and sum(p.isalpha() or p.isdigit() for p in parts) == len(parts)


def _entropy(value: str) -> float:
    """Return the Shannon entropy of a run in bits per character, of its first 256 characters."""
    head = value[:256]
    return -sum(n / len(head) * math.log2(n / len(head)) for n in Counter(head).values())
