"""Feedback: how the person wants work done, told from corrections, rules and praise.

A way of saying it (shape) says how likely a sentence is an instruction at all; features say whether
it is meant to last ("in this repo", "instead of") or for this moment ("that line", "for now").
"""

import re

from memplugin.capture import vetoes
from memplugin.capture.cues import STANDING
from memplugin.capture.findings import Feature, Finding, feature, shape, weigh
from memplugin.capture.phrasing import without_openers
from memplugin.capture.sentences import Sentence
from memplugin.protocol.records import MemoryType

_VERBS = """accept add address adjust aim align always answer apologi[sz]e append apply approve ask
assume attach avoid batch book break build buy bump call change check choose cite clean clear close
combine comment commit compare confirm consider convert cook copy correct create default delete
deploy describe document draft drop edit end ensure escape explain expose export fetch file fill
finish flag focus follow force-push format generate get give go group handle hardcode hide ignore
import include indent inform install introduce join keep label lead leave let limit link list log
look make mark mention merge mock modify move name note offer open order organi[sz]e pass paste pick
pin place plan point post prefer prefix print prioriti[sz]e propose publish push put quote read
rebase recommend redact refactor refer reformat reload remind remove rename reorder repeat replace
reply report request reserve respond restart return reuse review rewrite round route run save say
schedule search send separate set show sign skip sort speak spell split squash stage start state
stay stick stop store structure suggest summari[sz]e switch tag take talk tell test touch track
translate treat trust try turn type update upgrade use validate verify wait watch work wrap write
""".split()
_VERB = rf"(?:{'|'.join(_VERBS)})"
_NOT = r"(?:do not|don'?t|don’t|dont|never)"
_IMPERATIVE = rf"(?:please |just |also |only |always )*(?:{_NOT} (?:ever )?)?{_VERB}\b"
_STYLE = (
    r"(?:all |the |your |our |new )*(?:(?:git |unit |integration |e2e |error |log |file |branch |variable |function |"
    r"class |test |public |doc )?(?:commits?|messages?|prs?|pull requests?|branch(?:es)?|tests?|docs?|docstrings|"
    r"comments?|names?|variables|dates|times|answers?|replies|responses|emails?|titles|files|migrations|imports|"
    r"functions|classes|types|reports|summaries|examples|prices|units|fixtures|constants|helpers|reviews|"
    r"subject lines|headings|dependencies|secrets|errors|exceptions|snippets|code))"
)

_SHAPES = (
    shape("always", 0.9, rf"(?:^|[,;:] |\b(?:and|so|but|then|please) )(?P<from>(?:please )?always {_VERB}\b)", standing=True),
    shape("never", 0.9, rf"(?:^|[,;:] |\b(?:and|so|but|then|please) )(?P<from>(?:please )?(?:never(?:,? ever)?|{_NOT} ever) {_VERB}\b)", standing=True),
    shape("always", 0.85, rf"^(?:instead of|for|in|with|on|at) [^,]{{2,60}}? always {_VERB}\b", standing=True),
    shape("always", 0.65, rf"^{_IMPERATIVE}.*(?:,? always|,? every (?:single )?time|,? from now on)\W*$", standing=True),
    shape("always", 0.65, rf"^(?!.*how to){_IMPERATIVE}.*\b(?:always|, never)\b", standing=True),
    shape("rule-for-you", 0.75, r"\byou (?:must|should|shall|may|can|are to|have to|need to)(?: not|n'?t)(?: ever)? (?!see|be able|get|find|notice)\w+"),
    shape("rule-for-you", 0.85, r"\byou (?:must|should|shall|have to|need to) (?:always|never|only)\b", standing=True),
    shape("rule-for-you", 0.4, r"^you (?:must|should|are to|have to|need to) (?!see|be able|get|find|notice)\w+"),
    shape("whenever", 0.75, rf"^(?:when|whenever|any ?time|every time|each time)(?: you| i| we| there| \w+ing)\b[^,]*, (?:then )?(?:{_IMPERATIVE}|you (?:should|must)|i (?:want|need|expect))"),
    shape("whenever", 0.4, rf"^(?:before|after) you\b[^,]*, (?:then )?{_IMPERATIVE}"),
    shape("whenever", 0.2, rf"^if (?:you|i|we|there|a|the)\b[^,]*, (?:then )?{_IMPERATIVE}"),
    shape("dont", 0.4, rf"(?:^|[,;:–—-] |\b(?:so|and|but|please) )(?P<from>{_NOT} {_VERB}\b)"),
    shape("stop-doing", 0.6, r"(?:^|[,;:] |\bplease )(?P<from>(?:please )?(?:stop|quit|avoid) (?!being)\w+ing\b)(?! the (?:server|tests|build|app))"),
    shape("no-more", 0.65, r"^(?:please,? )?no more (?:\w+ ){0,2}\w+s\b"),
    shape("none-of", 0.55, r"^(?P<from>no (?!need|one|problem|idea|worries|way|rush|clue|difference)(?:[\w-]+ ){0,2}\w+s\b)(?=.*(?:please|\b(?:in|on|for) (?:my|the|our|any)\b|without|ever\b|at all))"),
    shape("unwanted", 0.5, r"^(?P<from>i (?:do not|don'?t|dont|never) want (?:(?:any|to see|you to) \w+|(?!to\b|it\b|that\b|this\b|the\b|you\b)(?:[\w-]+ ){1,3}(?:in|on|from|with|at|without)\b))"),
    shape("complaint", 0.6, r"\byou (?:keep|kept|are always|always|still|again|never) (?:\w+ing|forget|use|leave|put|write|add|make|skip)\b"),
    shape("repeated", 0.5, r"(?:^|[,;:.] )i(?:'ve)? (?:already )?(?:said|told you|asked (?:you )?for)\b (?!that it)"),
    shape("we-always", 0.75, r"\b(?P<from>we (?:always|never|only(?: ever)?) (?!said|had|got|thought|wanted|knew|seen|been|have|need)\w+)"),
    shape("we-dont", 0.6, r"(?:^|[,;:–—-] )(?P<from>we (?:do not|don'?t|dont) (?:use|do|write|add|mock|commit|deploy|merge|format|put|ship|log|allow|support|import)\b)"),
    shape("we-use", 0.35, r"(?:^|[,;:–—-] |[,;] ?we |\b)(?P<from>we (?:use|format|write|name|follow|stick to|prefer|go with|rebase|squash|test|lint|indent|spell|call|log|deploy)\b)"),
    shape("convention", 0.75, r"\b(?:the|our|my|a) (?:(?:team|house|naming|coding|project|repo|general) )?(?:convention|rule|policy|standard|preference|practice|guideline|style|habit)s?(?: (?:here|for [\w ]{1,30}|in [\w ]{1,30}|with [\w ]{1,30}))? (?:is|are|says?)\b"),
    shape("style", 0.55, rf"^(?:please )?keep {_STYLE} \w+"),
    shape("style", 0.5, rf"^(?:please )?(?:write|format|name|structure|phrase|word|title|label|order) {_STYLE} (?:in|like|as|with|by|so)\b"),
    shape("want-all", 0.65, r"^(?P<from>i (?:want|need|expect|'d like|would like) (?:all|every|each|your|my) [\w ]{2,40} (?:in|as|to be|with|without|under)\b)"),
    shape("allowed", 0.65, rf"^(?:direct(?:ly)? |any |all |force |manual(?:ly)? )?(?:{_VERB}\b|pushes\b|commits\b|merges\b|(?!(?:everything|something|nothing|anything|building|meeting)\b)\w+ing\b)[^,;]{{0,60}}? (?:is|are) (?:not |never |only |strictly )?(?:allowed|permitted|forbidden|prohibited|banned)\b"),
    shape("complaint", 0.75, r"\byou (?:forgot|missed|skipped|ignored|dropped|left out|broke) .*\bagain\b"),
    shape("not-how", 0.75, r"\b(?:not|isn'?t) (?:how|the way) we (?:do|write|name|handle|work|build|format)\b"),
    shape("disliked", 0.75, r"\bi (?:really )?(?:hate|dislike|don'?t like|can'?t stand) (?:it when|how|that|when|the way) you\b"),
    shape("stick-to", 0.6, r"(?:^|[,;:] |\b(?:please|and) )(?:please )?(?:stick|adhere|hold|keep) to (?:that|this|it|the|our)\b"),
    shape("style", 0.65, rf"^{_STYLE}(?: [\w-]+){{0,2}} (?:must|should|shouldn'?t|have to|has to|need(?:s)? to|belongs?|go(?:es)? (?:in|into|to|next|under)|are always|is always|always|never|may not|are never|get)\b"),
    shape("style", 0.4, rf"^{_STYLE}(?: (?:in|for|of) [\w ]{{1,30}}?)?: \S"),
    shape("right-way", 0.75, r"\b(?:exactly|just|precisely) (?:how|the way) (?:i|we) (?:want|like|need)\b|\bis (?:what|how|the way) (?:i|we) (?:like|want)\b|\b(?:was|is) the right (?:call|choice|way|approach|level)\b"),
    shape("liked", 0.75, r"\bi (?:really |much )?(?:like|liked|love|loved|appreciate|appreciated) (?:how|that|it when|the way|it that|it if) you\b"),
    shape("rather", 0.65, r"^(?P<from>i(?:'d| would) (?:rather|prefer(?: it)?(?: if| that)?|like(?: it)?(?: if| that)?) (?:you|that you)(?! to (?:look|check|see))\b)"),
    shape("want-you", 0.35, r"^(?P<from>i (?:want|need|expect|'d like|would like) you to \w+)"),
    shape("prefer", 0.55, r"^(?P<from>prefer [\w`\"_-]+)"),
    shape("make-sure", 0.85, r"^(?:make sure|be sure|ensure)(?: that)?(?: you| to| we)* (?:always|never)\b", standing=True),
    shape("make-sure", 0.25, r"^(?:make sure|be sure|ensure)\b"),
    shape("not-but", 0.4, r"^(?:it(?:'s|’s| is)|that(?:'s| is)) [\w\"_`]+, not [\w\"_`]+"),
    shape("too-much", 0.6, rf"\b(?:was|were|is|are|'s) (?:way |much |far |a bit )?too (?:formal|long|short|verbose|wordy|terse|casual|vague|technical|detailed|big|small)\b[^,]*, {_IMPERATIVE}"),
    shape("imperative", 0.25, rf"^(?:(?:in|for|on|with|at|inside|within|across|under) [^,]{{2,60}}, )?{_IMPERATIVE}"),
)  # fmt: skip

_FEATURES = (
    feature(0.3, r"\b(?:in|for|across|throughout) (?:this|our|the|my|your|all|any|every|each)(?: \w+){0,1} (?:repo|repository|project|codebase|code ?base|test suite|suite|docs|documentation|team|company|org|api|texts?|emails?|messages|answers|replies|tests|code|package|service|app)\b"),
    feature(0.25, r"\b(?:in|for|to) (?:tests|docs|production(?: code)?|prod|commit messages|commits|code|comments|emails|general|reviews|prs|answers|examples|typescript|python|sql|recipes|my (?:customers|team|boss|emails|texts|calendar|messages))\b"),
    feature(0.25, r"\b(?:any|every)(?:thing|where|one|body)\b|\b(?:any|all|every) new\b"),
    feature(0.15, r"\b(?:any|all|every|each) \w+"),
    feature(0.3, r"\b(?:instead of|rather than)\b|, not (?!yet|now|sure)\w|\bnot \w+, \b|, never\b|\bover (?=[a-z]{4,})"),
    feature(0.25, r"\b(?:when|whenever|every time|each time|any time|before|after|unless|even when|even if) (?:you|i|we|there)\b"),
    feature(0.25, r"\bwithout (?:asking|my|telling|a |any|checking)\b|\bask (?:me )?(?:first|before)\b|\bask\b.*\bbefore\b"),
    feature(0.2, r"\b(?:because|since|otherwise|so that)\b|, (?:i|it|they|we|that|this|the)(?:'s|'m|'d| am| is| are| can| don'?t| find| never| lose| had| get| got| break| make| take| already| hate| need)?\b"),
    feature(0.25, r"^.{3,60}, (?:just |but |please )?(?:use|prefer|write|go with|call|ask|open|keep|put) "),
    feature(0.15, rf"(?:^|[,;:] )(?:please )?{_NOT} \w+ (?:any |to )?(?:[\w`-]+ ){{0,2}}(?!this|yes|ours)[\w`]{{3,}}s\b"),
    feature(0.1, r"\bplease\b"),
    feature(0.2, r"\bthe \w+ (?:that )?you(?:'ve| have)? (?:just )?\w+(?:ed|e|te|de|n)\b"),
    feature(0.3, r"\b(?:here|around here)\b(?=[.,]|$)"),
    feature(-0.45, r"(?<!\bin )\b(?:that|those|these) (?!is|are|were|was|i|you|we|don|doesn|can|repeat|have|use|\w+ed\b)\w+|\b(?:do|use|put|make|add|remove|delete|revert|undo|move|run|write|show|give|try|fix|change|leave|commit|send|keep|drop|skip|rename|take|worry) (?:it|that|this|them)(?! (?:way|to (?:the|my|our)))\b"),
    feature(-0.4, r"\b(?:this|the) (?:one|file|line|function|method|variable|test|branch|button|page|first|second|third|last|next|other|old|same|new one|two|header|title|commit|config|query|loop|bug|error|version|option|output|result|value|url|script|table|column|endpoint|server)\b(?! (?:you|i|we)\b)"),
    feature(-0.4, r"\b(?:any|some|every)thing else\b|\belse\W*$"),
    feature(-0.3, r"\bline \d|\bthere\b|\bagain\b(?!st)|\babove\b|\bbelow\b"),
)  # fmt: skip


def judge_working(sentence: Sentence, *, correction: bool, order: bool) -> Finding | None:
    """Return the instruction that a sentence holds, if it is meant to last.

    `correction` says that the message opens with a refusal ("no, …"), `order` that it asks for a
    thing to be made, whose requirements are no rules for later.
    """
    told = without_openers(sentence)
    masked = vetoes.without_polite_end(told.masked)
    told = told.part(0, len(masked))
    if vetoes.asks(masked) or vetoes.supposes(masked) or _is_not_meant(masked, order=order):
        return None
    standing = STANDING.search(masked)
    if standing and not _MY_RESOLVE.search(masked) and _addresses_agent(masked, standing):
        return Finding(MemoryType.FEEDBACK, told, 0.9, "feedback/standing", standing=True)
    return weigh(told, _SHAPES, _features(correction=correction), MemoryType.FEEDBACK)


def _features(*, correction: bool) -> tuple[Feature, ...]:
    return (*_FEATURES, _CORRECTS) if correction else _FEATURES


_CORRECTS = feature(0.2, r"^")


def _is_not_meant(masked: str, *, order: bool) -> bool:
    if vetoes.is_for_now(masked) or _COURTESY.search(masked):
        return True
    return (
        vetoes.reports(masked)
        or vetoes.specifies(masked)
        or (order and not STANDING.search(masked))
    )


_COURTESY = re.compile(
    r"(?i)(?:^|[,;.!] )(?:please )?(?:let (?:me|us) know|talk to you|take care|check (?:(?:it|this|that|these) )?out\b|have fun|keep (?:going|believing|up|smiling|pushing|me posted)|"
    r"(?:never|don'?t|do not) (?:ever )?(?:give up|mind|worry|let|feel|stress|be)\b|always (?:here|there|happy|glad|nice|good|great)\b|stay (?:safe|positive|strong|tuned)|wish me)"
)
_MY_RESOLVE = re.compile(
    r"(?i)\bi(?:'ll|’ll| will| am going to|'m going to| have to| need to| try| plan)\b"
)
_AGENT = re.compile(
    rf"(?i)(?:^|[,;:–—-] |\b(?:and|so|but|then|on|forward|future|time) ){_IMPERATIVE}|\byou(?:'ll| will| can| should| must|)\b|"
    r"\bi(?:'d| would)? (?:want|like|prefer|expect|rather|appreciate)(?: it)?(?: if| that)? (?:you|all|every|answers|any)\b|\bno (?:new |more )?\w+s\b|\b(?:we|let'?s) (?:use|write|do|only|always|never|don'?t|go|name|put|keep)\b"
)
_ABOUT_OTHERS = re.compile(
    r"^(?:(?:I|We|i|we)(?:'m|'ve|'re| am| have| are| just| got| get| had| participated)\b|(?:[A-Z]\w+|The \w+|the \w+|[Tt]hey|[Hh]e|[Ss]he) (?:owns?|is|are|will|has|takes?|does|runs?|gets?|works?)\b)"
)


def _addresses_agent(masked: str, standing: re.Match[str]) -> bool:
    """Tell whether what should hold from now on is for the agent to do."""
    rest = (masked[: standing.start()] + masked[standing.end() :]).strip(" ,:;")
    return bool(_AGENT.search(rest)) and not _ABOUT_OTHERS.match(rest)
