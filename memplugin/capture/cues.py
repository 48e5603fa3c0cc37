"""The words that ask: to remember, to do so from now on, to forget; in a table per language.

Everything is matched in a sentence's mask, in any case. English first; in German, French and
Spanish explicit requests are heard, and nothing else.
"""

import re

from msgspec import Struct


class Cue(Struct, frozen=True):
    """A request to keep what follows.

    `standing` says that it asks for a way of working ("from now on") rather than to know something.
    """

    name: str
    language: str
    pattern: re.Pattern[str]
    standing: bool = False


def _cue(name: str, language: str, pattern: str, *, standing: bool = False) -> Cue:
    return Cue(name, language, re.compile(rf"(?i){pattern}"), standing)


_POLITE = (
    r"(?:(?:please|pls|plz|plese|kindly|also|and|but|so|ok(?:ay)?|oh|btw|hey|just|one more thing|"
    r"important|fyi|ps|p\.s\.)[,:]? |(?:can|could|would|will) you (?:please |also |maybe )?|"
    r"(?:i(?:'d| would) like you|i want you|i need you) to |you (?:should|must|can|have to) |"
    r"(?:make sure|be sure) (?:that )?(?:you|to) |always |(?:it'?s )?important(?: to|:) )"
)
_START = rf"(?:^|[,;:–—-] |\b(?:and|so|but|then) ){_POLITE}{{0,3}}"
_THAT = r"(?:[:,]? (?:that|also|to|the following|this)\b)*\s*[:,–—-]*\s*"
_OF = r"(?:[:,]? (?:that|of the fact that|of|the following|this|it)\b)*\s*[:,–—-]*\s*"

EXPLICIT: tuple[Cue, ...] = (
    _cue("remember", "en", rf"{_START}(?:remember|rember|remeber)\b(?! (?:when|the (?:time|days)|me\b|how|if|whether|why)){_THAT}"),
    _cue("remember-how", "en", rf"{_START}remember (?=(?:how|when) (?:to|we|i|the)\b[^?]*$)"),
    _cue("dont-forget", "en", r"\b(?:do not|don'?t|dont|never|let'?s not)(?: you)?(?: ever)? forget\b" + _THAT),
    _cue("dont-let-forget", "en", r"\b(?:do not|don'?t|dont|never) let (?:me|us) forget\b" + _THAT),
    _cue("note", "en", rf"{_START}(?:make|take) (?:a )?(?:mental )?note\b{_OF}"),
    _cue("note-future", "en", r"(?:^|[,;:–—-] |\b)(?:a )?note (?:for (?:the future|later|next time|yourself|you)|to (?:self|yourself))\b" + _OF),
    _cue("future-reference", "en", r"(?:^|[,;–—-] )(?:just )?for (?:future reference|the record|next time)\b" + _OF),
    _cue("keep-in-mind", "en", rf"{_START}(?:keep|bear) in mind\b{_OF}"),
    _cue("save-memory", "en", rf"{_START}(?:save|store|add|put|write|commit|record|keep)(?: (?:this|that|it|the following))? (?:in|to|into|down in)(?: your| the)? (?:long[- ]term )?(?:memory|memories|notes)\b{_OF}"),
    _cue("memorize", "en", rf"{_START}memori[sz]e\b{_OF}"),
    _cue("merken", "de", r"(?:^|[,;:] |\b(?:und|bitte|bitte,) )(?:(?:bitte|kannst du(?: dir)?|könntest du(?: dir)?) )*(?:merke? dir|dir merken)(?: bitte| mal)*[:,]?(?: folgendes)?\s*[:,]*\s*"),
    _cue("notieren", "de", r"(?:^|[,;:] )(?:bitte )?(?:notiere?|behalte?|speichere?)(?: dir| bitte)*(?: im (?:hinterkopf|gedächtnis))?[:,]? (?=dass|daß)"),
    _cue("nicht-vergessen", "de", r"\b(?:vergiss|vergesst|vergiß|vergessen sie)(?: bitte)? (?:nicht|nie|niemals)\s*[:,]*\s*"),
    _cue("denk-daran", "de", r"(?:^|[,;:] )(?:bitte )?denke? (?:bitte )?(?:dran|daran)\s*[:,]*\s*"),
    _cue("souvenir", "fr", r"(?:^|[,;:] |\b(?:et|s'il te pla[iî]t,?|stp,?) )(?:souviens[- ]toi|souvenez[- ]vous|rappelle[- ]toi|rappelez[- ]vous|retiens|retenez|m[ée]morise|note)(?: bien)?[:,]? (?:que |qu'|de |ceci ?: ?|: ?)"),
    _cue("ne-pas-oublier", "fr", r"\bn'?\s?oublie[sz]? (?:pas|jamais)[:,]? (?:que |qu'|de |d'|: ?)"),
    _cue("garder", "fr", r"(?:^|[,;:] )(?:garde|gardez)(?: bien)? (?:en tête|à l'esprit|en mémoire)[:,]? (?:que |qu'|: ?)"),
    _cue("recordar", "es", r"(?:^|[,;:¡] ?|\b(?:y|por favor,?) )(?:por favor,? )?(?:recuerda|recuerde|acu[ée]rdate(?: de)?|memoriza|apunta|anota)[:,]? (?:que |esto ?: ?|: ?)"),
    _cue("no-olvidar", "es", r"\bno (?:te )?olvid(?:es|e)(?: de)?[:,]? (?:que |: ?)?"),
    _cue("tener-en-cuenta", "es", r"(?:^|[,;:] )(?:ten|tenga)(?: siempre)? en (?:cuenta|mente)[:,]? (?:que |: ?)"),
    _cue("ab-jetzt", "de", r"\b(?:ab jetzt|ab sofort|von (?:jetzt|nun) an|künftig|in zukunft)\b(?: bitte)?[:,]?\s*", standing=True),
    _cue("desormais", "fr", r"\b(?:désormais|dorénavant|à partir de maintenant|à l'avenir)\b[:,]?\s*", standing=True),
    _cue("a-partir-de-ahora", "es", r"\b(?:a partir de ahora|de ahora en adelante|desde ahora|en el futuro)\b[:,]?\s*", standing=True),
)  # fmt: skip
"""Requests to remember; what follows the match is what to remember."""

STANDING = re.compile(
    r"(?i)(?<!lines )(?<!line )\b(?:from (?:now|here|today|this point) on(?:wards?)?(?! the\b)|going forwards?|"
    r"in (?:the )?future|henceforth|for all future \w+|(?:for )?next time|every (?:single )?time|"
    r"each time|in general|as a (?:general )?rule|by default|rule of thumb(?: for [\w ]{1,30}?)?|as a habit)\b[:,]?"
)
"""Says that an instruction holds beyond this task."""

_NOT_THIS = r"(?:this|that|it|any of (?:this|that|it)|these|anything|what i (?:just )?(?:said|told you|wrote))"
SUPPRESS_THIS = re.compile(
    r"(?i)\b(?:do not|don'?t|dont|never|no need to|you (?:must not|mustn'?t|shouldn'?t))"
    r" (?:ever )?(?:remember|save|store|record|memori[sz]e|keep a record of|write down|"
    rf"take (?:a )?notes?(?: of)?|learn|retain|log) {_NOT_THIS}\b(?! (?:to|in|into|on|under|as|file|way|branch|page)\b)"
    rf"|\b(?:do not|don'?t|dont) (?:write|note|take|put) {_NOT_THIS} (?:down|in(?:to)? (?:your )?memory)"
    r"|\boff[- ]the[- ]record\b|\b(?:this|that|it)(?:'s| is)? (?:strictly )?not for the record"
    r"|\b(?:keep|keeping|stays?|remains?|is|just|strictly) (?:(?:this|that|it|strictly|just) ){0,2}between (?:us|you and me|ourselves)\b"
    r"|\bnot (?:to be|be) (?:remembered|stored|recorded|saved)\b"
    r"|\bmerke? dir (?:das |dies )?(?:bitte |das )?nicht\b|\b(?:das|dies) (?:bitte )?nicht (?:merken|speichern|notieren)\b"
    r"|\bunter uns(?: gesagt)?\b(?=[:,])"
    r"|\bne (?:retiens|retenez|m[ée]morise|note|garde|t'en souviens)s?z? (?:pas|rien)\b|\bentre nous\b(?=[:,])"
    r"|\bno (?:recuerdes|guardes|memorices|apuntes|anotes)\b|\bentre nosotros\b(?=[:,])"
)  # fmt: skip
"""Asks that what is said here is not kept."""

SUPPRESS_EARLIER = re.compile(
    r"(?i)(?:(?:^|[,;:.–—-] |\b(?:please|ok|actually|no) ))(?:please )?(?:forget|scratch|un-?remember) "
    r"(?:(?:that|this|it|about (?:that|it|this))(?= ?(?:$|[,.!;)–—-]| please\b| i (?:said|told|wrote|mentioned)| now\b| again\b| ever))|"
    r"(?:all|everything|anything) (?:that )?i(?:'ve)? (?:just )?(?:said|told|wrote|mentioned)|"
    r"what i(?:'ve)? (?:just )?(?:said|told|wrote|mentioned)|(?:my|the) last (?:message|sentence|remark|statement|bit|part))"
    r"|\bvergiss (?:das|es|was ich)\b(?! nicht)|(?<!n')(?<!n' )\boublie[sz]? (?:ça|cela|ce que)\b(?! pas)"
    r"|(?<!no )(?<!no te )\bolvida (?:eso|esto|lo que)\b"
)  # fmt: skip
"""Asks that what was said before is not kept."""

CONFIRM = re.compile(
    r"(?i)^(?:(?:yes|yep|yeah|yup|right|ok(?:ay)?|ja|oui|s[ií])[,.! ]+)*"
    r"(?:exactly(?: right| so| that| this)?|correct|that(?:'s| is| was)? (?:exactly )?(?:right|correct|it|true|so|how i (?:want|like) it)|"
    r"precisely|spot[- ]on|(?:that was )?the right call|you(?:'ve| have)? got it(?: right)?|absolutely(?: right)?|"
    r"genau(?: so| richtig)?|stimmt|exactement|c'est ça|exacto|eso es)\b"
)
"""Says that the assistant got it right."""

KEEP_DOING = re.compile(
    r"(?i)\b(?:(?:please )?keep (?:doing|it like|it that|on doing|using|writing|to that|going like)|"
    r"keep (?:that|this)(?= (?:style|format|up|way|habit|for)\b|[.!]?$)|"
    r"(?:do|did) (?:that|it|this) (?:like (?:that|this) )?(?:every time|always|from now on|again next time)|"
    r"more of (?:that|this)|always (?:do (?:it|that) )?like (?:that|this)|always do (?:that|it|so|this)\b|continue (?:doing|like|with) (?:that|this)|stick (?:to|with) (?:that|this))"
)
"""Says to go on in that way."""
