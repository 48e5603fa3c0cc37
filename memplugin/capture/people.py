"""User records: who the person is, what they do, like and work with, in their own words."""

from memplugin.capture import vetoes
from memplugin.capture.findings import Finding, feature, shape, weigh
from memplugin.capture.phrasing import without_openers
from memplugin.capture.sentences import Sentence
from memplugin.protocol.records import MemoryType

_CLAUSE = r"(?:^|[,;:.–—-] |\b(?:and|so|but|because|since|that|as|btw|fact,?) )"
_IM = r"(?:i'm|i’m|im|i am)"
_OFTEN = r"(?:(?:also|just|only|mostly|mainly|usually|always|normally|currently|typically|really|still|both|often|generally|never|actually|personally) ){0,2}"
_ROLE = (
    r"(?:\w{2,}(?:er|or|ist|ian|eer|ologist|grapher|ician|sman|woman)|devs?|sre|lead|head|pm|cto|ceo|cfo|vp|intern|student|"
    r"nurse|chef|cook|pilot|coach|clerk|judge|mum|mom|dad|vet|phd|postdoc|freelance|accountant|consultant|assistant|"
    r"architect|analyst|therapist|vegetarian|vegan|beginner|newbie|noob|novice|apprentice|sysadmin|admin|parent|"
    r"native|professor|undergrad|graduate|veteran|muslim|christian|jew|hindu|buddhist|introvert|extrovert)"
)
_NO_ROLE = r"(?!.{0,30}\b(?:bit|little|lot|fan|number|order|computer|error|user who|while|few|customer who|letter|filter|matter|loser|corner)\b)"
_TRAIT = (
    r"(?:vegetarian|vegan|pescatarian|colou?r-?blind|dyslexic|diabetic|allergic|(?:\w+[- ])?intolerant|left[- ]handed|"
    r"right[- ]handed|deaf|blind|hard of hearing|visually impaired|short-?sighted|autistic|neurodivergent|epileptic|"
    r"married|divorced|single|retired|self-?employed|self-?taught|freelancing|bilingual|trilingual|coeliac|celiac|"
    r"pregnant|unemployed|semi-retired|jewish|muslim|catholic|\d{2} years old|\d{2}(?=[.,;]|$)|in my (?:\w+ )?(?:twenties|thirties|forties|fifties|sixties|\d0s))"
)
_SYSTEM = (
    r"(?:mac(?:os|book)?|os ?x|windows|linux|ubuntu|debian|fedora|arch|nixos|gentoo|mint|freebsd|openbsd|wsl2?|chromeos|"
    r"android|ios|iphone|ipad|pixel|thinkpad|raspberry|pop!?_?os|opensuse|rhel|centos|m[1-5]\b|apple silicon)"
)
_FIELD = r"(?:engineering|science|medicine|law|finance|marketing|sales|support|security|research|education|design|operations|devops|hr|journalism|oncology|physics|maths?|biology|bioinformatics|chemistry|history|economics|philosophy|data|infra\w*|logistics|insurance|healthcare|retail|banking)"
_KIN = r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]e?|daughter|son|kids?|children|child|baby|mother|mom|mum|father|dad|parents|sister|brother|twins|dog|cat|grandma|grandpa|family)s?"
_ATTRIBUTE = (
    r"(?:(?:first |last |full |nick|user ?|maiden )?name|(?:main |favou?rite |preferred |current |default )?(?:editor|ide|shell|terminal|browser|os|operating system|"
    r"laptop|machine|computer|setup|desktop|distro|keyboard(?: layout)?|monitor|phone|language|programming language|stack|colou?r|food|music)|"
    r"(?:first|native|mother|second) (?:language|tongue)|mother tongue|time ?zone|pronouns|birthday|job|role|job title|profession|background|"
    r"work(?:ing)? hours|hometown|city|address|diet|age|height|hobby|hobbies|specialty|degree|major|day job|"
    r"(?:github|twitter|slack) (?:handle|name|user))"
)
_DEFINITE = r"(?!(?:this|that|it|those|these|them|to\b(?! (?:work|read|write|use|get|have|see|keep|do)\b)|the\b|your|you\b|how|what|my|some|option|where|when|a (?:script|function|button|list|file)|both|one\b|which|version|(?:[\w'-]+ ){1,2}(?:them|those|these|this|that|their|its|the)\b)\b)"

_SHAPES = (
    shape("name", 0.9, rf"{_CLAUSE}(?P<from>my (?:first |full |last |nick)?name(?:'s| is) (?!empty|missing|not|null|in |wrong|on )[\w\"_])"),
    shape("name", 0.8, rf"{_CLAUSE}(?P<from>(?:call me|people call me|everyone calls me|i go by) (?!back|when|if|later|on|at|crazy|a )[\w\"_])"),
    shape("role", 0.8, rf"{_CLAUSE}(?P<from>{_IM} (?:also |actually |still |currently |only |just |not |(?:the|our) only |really )*(?:an?|the|our|one of the) {_NO_ROLE}(?:[\w/+#.-]+ ){{0,4}}?{_ROLE}\b(?=[.,;:!)]|$| (?:at|in|on|for|of|with|from|by|who|and|but|so|working|doing|mostly|here|since|myself|by|now|turned)\b))"),
    shape("role", 0.8, rf"{_CLAUSE}(?P<from>{_IM} (?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?, (?:an?|the|your) {_NO_ROLE}(?:[\w/+#.-]+ ){{0,4}}?{_ROLE}\b)"),
    shape("role", 0.7, rf"^(?P<from>as (?:an?|the|your) (?!user|customer){_NO_ROLE}(?:[\w-]+ ){{0,3}}?{_ROLE},? (?:i|my)\b)"),
    shape("role", 0.75, r"^(?:quick |short |a )?(?:intro(?:duction)?|about me|who i am|some background(?: on me)?|background|context)\b ?: ?(?P<from>.*)"),
    shape("role", 0.75, rf"{_CLAUSE}(?P<from>i {_OFTEN}(?:work (?:as|at|for|in|with|from|on the|night|part|remote)|teach|lead|manage(?! to)|head|report to|study(?! for)|studied(?! (?:hard|for|all))|volunteer|freelance|consult|own an?|supervise|mentor|practi[sc]e (?:law|medicine))\b)"),
    shape("role", 0.7, rf"{_CLAUSE}(?P<from>i {_OFTEN}(?:run|own|maintain) (?:(?:a|an|my own|the|our) )?(?:[\w-]+ ){{0,2}}?(?:team|company|shop|store|bakery|caf[eé]|restaurant|studio|business|agency|farm|practice|clinic|startup|club|department|group|charity|firm|blog|package|library|project)\b)"),
    shape("role", 0.75, rf"{_CLAUSE}(?P<from>{_IM} (?:currently |now |still )?(?:doing|finishing|starting|writing) (?:my|a|an) (?:\w+ )?(?:phd|residency|master'?s?|degree|internship|apprenticeship|doctorate|thesis|mba|bachelor'?s?)\b)"),
    shape("role", 0.75, rf"{_CLAUSE}(?P<from>{_IM} (?:in|responsible for|in charge of|on the|part of the|with the) (?:[\w-]+ ){{0,3}}?(?:team|{_FIELD}|department|group)\b)"),
    shape("role", 0.7, rf"{_CLAUSE}(?P<from>{_IM} (?:the|our|their) only\b)"),
    shape("on-call", 0.75, rf"{_CLAUSE}(?P<from>(?:{_IM}|i have) on[- ]call every\b)"),
    shape("trait", 0.8, rf"{_CLAUSE}(?P<from>{_IM} (?:also |actually |very |slightly |partly |severely |mildly |a bit |red[-/ ]green )*{_TRAIT}(?! (?:to|about|from)\b(?! ))\b)"),
    shape("trait", 0.75, rf"{_CLAUSE}(?P<from>i (?:have|suffer from|live with|was diagnosed with) (?:adhd|autism|dyslexia|diabetes|asthma|epilepsy|migraines?|arthritis|rsi|tinnitus|(?:an?|\w+) (?:\w+ )?(?:allerg(?:y|ies)|intolerance|disability|condition))\b)"),
    shape("life", 0.7, rf"{_CLAUSE}(?P<from>i (?:retired|emigrated|moved (?:here|back|house|(?:from (?-i:[A-Z])\w+ )?to (?-i:[A-Z]))|grew up|graduated|was born|got married|got divorced|quit my job|changed jobs|immigrated)\b)"),
    shape("place", 0.75, rf"{_CLAUSE}(?P<from>(?:{_IM} (?:based|located|living|currently living|originally|from|settled)|i {_OFTEN}(?:live|reside))\b(?! coding)(?! (?:the|my|our|for)\b)(?: in| at| near| out of| from| on| with| outside| [A-Z]))"),
    shape("setup", 0.75, rf"{_CLAUSE}(?P<from>(?:{_IM} (?:on|using|running)|i {_OFTEN}(?:run|use|work on|develop on|code on)|(?:everything|all) on my (?:machines?|laptop|computers?) (?:is|runs?)) (?:an? |the |my )?(?:[\w.-]+ ){{0,4}}?{_SYSTEM}\b)"),
    shape("setup", 0.6, rf"{_CLAUSE}(?P<from>i {_OFTEN}use (?!(?:this|that|it|an?|the|your|my|these|those|one|two|some|here|to)\b)[\w.+#-]+(?:(?:,| and|,? or| with| plus| for) [\w.+#/-]+){{0,4}}(?! (?:here|there|in (?:this|that|the))\b)(?= (?:on|for|at|in|as|mode|daily|every|btw)\b|[.,;!]|$))"),
    shape("setup", 0.6, rf"{_CLAUSE}(?P<from>i always use (?!(?:this|that|it|the|your)\b)\w+)"),
    shape("attribute", 0.75, rf"{_CLAUSE}(?P<from>my {_ATTRIBUTE} (?:is|are|runs?|was set to|of choice is) (?!empty|missing|not (?:showing|working|set|loading|found|here)|null|broken|red|wrong|like|in the (?:code|db|database)|returning|failing|down|slow|open|still|also|already)[\w\"_])"),
    shape("attribute", 0.75, rf"{_CLAUSE}(?P<from>my (?:boss|manager|team|company|employer|doctor|teacher|assistant|colleague|neighbou?r)(?:'s name)? is (?:called |named )?(?-i:[A-Z]))"),
    shape("habit", 0.65, rf"{_CLAUSE}(?P<from>i (?:can only|can'?t|cannot|don'?t|never) (?:meet|work|eat|drink|drive|travel|fly|take calls|hear|see (?:red|colou?rs)|have (?:milk|nuts|gluten|sugar|meat|alcohol|caffeine))\b(?! (?:it|that|this|the|with (?:this|that))\b))"),
    shape("family", 0.75, rf"{_CLAUSE}(?P<from>(?:my {_KIN}(?:'s [\w-]+)? (?:is|are|has|have|works?|doesn't|don't|can'?t|loves?|hates?|lives?|goes|eats?|was born|turns?|speaks?)(?! (?:been|so|to)\b)|(?:i|we) have (?:(?:a|an|one|two|three|four|five|six|\d|twin) )(?:[\w-]+ ){{0,2}}(?:{_KIN}|sons|daughters|cats|dogs|boys|girls|horses|chickens|rabbits))\b(?! (?:in the (?:photo|picture)|sick|here|asleep)))"),
    shape("group", 0.65, rf"{_CLAUSE}(?P<from>we(?:'re| are) an? (?:[\w-]+ ){{0,2}}(?:team|group|family|startup|company|couple|household|shop|agency)\b)"),
    shape("skill", 0.75, rf"{_CLAUSE}(?P<from>i(?:'ve| have) (?:been (?:writing|working|using|doing|coding|programming|teaching|playing|in)\b.*\b(?:years?|months?|decades?)|(?:never|only|hardly|barely) (?:used|written|worked|touched|done|programmed|coded)|\d+ years|(?:no|little|some|lots of|a lot of|years of|decades of) (?:\w+ )?experience|(?:an?|no) (?:\w+ )?background)\b)"),
    shape("skill", 0.7, rf"{_CLAUSE}(?P<from>(?:{_IM} (?:(?:pretty|quite|very|fairly|totally|completely|relatively|still|really|brand) )*(?:new to|learning|fluent in|good with|bad at|terrible at|comfortable with|familiar with|unfamiliar with|experienced (?:in|with)|proficient|an expert|used to|not (?:very )?(?:good|familiar|technical|comfortable))|i (?:only |mostly |also )*(?:speak|read|play|script in|program in|code in)) (?!(?:this|that|it|the (?:code|log|docs|error)|your|a (?:ton|lot)|how|some|those|these|more)\b)\w+)"),
    shape("skill", 0.7, rf"{_CLAUSE}(?P<from>i (?:do not|don'?t|dont) (?:know (?:much|a lot|anything|a thing)|understand much|have (?:any|much) experience|speak|read|code|program|drive|drink|eat|own)\b(?! (?:about )?(?:this|that|it)\b))"),
    shape("likes", 0.65, rf"{_CLAUSE}(?P<from>i {_OFTEN}(?:prefer|like|love|enjoy|hate|dislike|detest|avoid|can'?t stand|cannot stand|don'?t like|favou?r) {_DEFINITE}(?:[\w-]+ ){{0,4}}?(?:\w+s|\w+ing|\w+ed|over|to|rather|than|[\w-]+)\b)"),
    shape("habit", 0.65, rf"{_CLAUSE}(?P<from>i (?:usually|always|normally|typically|generally|never|only|mostly|often) (?:work|start|get up|wake|take|drink|eat|travel|commute|cook|train|go to|read|sleep|fly|wear|code|shop|pay|sit)\b)"),
    shape("habit", 0.6, rf"{_CLAUSE}(?P<from>i (?:take|drink|eat|wake|get up|commute|travel|fly|train|wear|cook|bike|cycle|swim) (?!(?:this|that|it|the|a look|your|care|over)\b)(?:[\w'-]+ ){{0,5}}\w+)"),
)  # fmt: skip

_FEATURES = (
    feature(-0.5, r"\b(?:right now|at the moment|today|tonight|for now|currently stuck|in a hurry|just now|this (?:morning|afternoon|evening|one|line|error|output|function|file|version))\b"),
    feature(-0.4, r"\bi (?:like|love|prefer|need) (?:the|this|that|it|your|option)\b|\bi (?:need|like) (?:help|a|an|to|you)\b"),
    feature(-0.3, r"\b(?:the (?:bug|error|test|page|button|code|function|build|branch|pr|log))\b"),
    feature(0.1, r"\b(?:years|always|usually|rather than|over|because|so that|by (?:day|trade|training))\b"),
)  # fmt: skip


def judge_person(sentence: Sentence) -> Finding | None:
    """Return what a sentence says about who the person is."""
    told = without_openers(sentence)
    if vetoes.asks(told.masked) or vetoes.supposes(told.masked) or vetoes.reports(told.masked):
        return None
    return weigh(told, _SHAPES, _FEATURES, MemoryType.USER)
