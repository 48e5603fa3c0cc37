"""Project records: decisions, deadlines, incidents, who has what, how far things are."""

from memplugin.capture import vetoes
from memplugin.capture.findings import Finding, feature, shape, weigh
from memplugin.capture.phrasing import without_openers
from memplugin.capture.sentences import Sentence
from memplugin.protocol.records import MemoryType

_NAME = r"(?-i:(?!(?:You|It|This|That|There|These|Those|What|He|She|They|We|People|Everyone|Everybody|Someone|Please|The|An|If|When|My|Your|Our|And|But|So|To|In|On|At|For|From|As|Not|No|Yes|All|Some|Many|Most|Each|Every|Once|After|Before|While|Since|Because|Although|Here|Now|Then|Also|Just|Only|Users?|Customers?|Admins?)\b)[A-Z][a-z]+(?<!ed)(?<!ing)\b)"
_WE = (
    r"(?:we|they|the (?:\w+ )?(?:team|board|client|customer|company|committee|group|council|vendor)|management|legal|security|marketing|product|sales|finance|ops|leadership|"
    + _NAME
    + ")"
)
_HAVE = r"(?:(?:'ve|’ve| have| has|'d| had)? ?(?:now |finally |just |already |all |both |recently |officially |unanimously |also )*)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)"
_WHEN = (
    rf"(?:today|tomorrow|yesterday|tonight|(?:next|last|this|coming) (?:week|month|quarter|year|{_DAY})|{_DAY}\b(?!s)|"
    rf"\b(?:in|until|till|by|since|of|early|late|mid) {_MONTH}\b|{_MONTH} \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|20\d\d-\d\d-\d\d|"
    r"(?:the )?end of (?:the |this |next )?\w+|in (?:a|an|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?)|"
    r"(?:\w+|a) (?:days?|weeks?|months?) ago|q[1-4]\b|this (?:morning|afternoon)|last night|\d{1,2}/\d{1,2})"
)
_EVENT = (
    r"(?:deadline|launch|release|demo|freeze|audit|review|sprint(?: \d+)?|go-?live|cut-?over|roll-?out|migration|wedding|appointment|"
    r"exam|interview|flight|renovation|contract|support|meeting|submission|thesis|proposal|milestone|beta|alpha|conference|talk|"
    r"presentation|workshop|party|trip|move|training|election|hearing|trial|pilot|kick-?off|retro|offsite|due date|maintenance|"
    r"window|upgrade|season|semester|course|delivery|shipment|report|grant|application|visa|lease|license|licence|certificate|"
    r"subscription|surgery|operation|vacation|holiday|leave|phase|project|version|api|sdk|feature|product|app|service|build|"
    r"importer|book club|tournament|concert|marathon|race|festival|inspection|payment|invoice|tax return|budget|plan|dinner|visit|birthday party)"
)
_SYSTEM = (
    r"(?:prod(?:uction)?|staging|(?:the |our )?(?:site|website|shop|service|servers?|cluster|db|database|queue|api|app|backend|platform|"
    r"system|network|pipeline|gateway|checkout|login|vpn|mail|payments?|kafka|redis|postgres|dns)|everything)"
)
_CHANGE = (
    r"(?:moving|migrating|switching|freezing|ripping out|replacing|rewriting|deprecating|phasing out|sunsetting|retiring|dropping|"
    r"cutting|hiring|launching|releasing|shipping|rolling out|going live|going with|splitting|merging|consolidating|porting|"
    r"upgrading|adopting|renaming|rebranding|expanding|outsourcing|closing|opening|renovating|getting married|relocating|"
    r"standardi[sz]ing|planning|redesigning|rebuilding|evaluating|piloting|selling|buying|still waiting|waiting)"
)
_CHOSEN = (
    r"(?:decided|agreed|chose|chosen|picked|settled on|opted|went with|committed to|voted|ruled out|dropped|cut|cancell?ed|postponed|"
    r"approved|signed off|signed|booked|rejected|finali[sz]ed|confirmed|scheduled|delayed|killed|abandoned|adopted|accepted|moved|"
    r"switched|migrated|cut over|rolled back|rolled out|launched|shipped|released|hired|merged|split|closed|sold|bought|extended|"
    r"renewed|terminated|upgraded|retired|deprecated|froze|frozen|locked down|announced|promised|paused|resumed|pulled|"
    r"reverted|handed over|took over|lost|leaked|exposed|deleted|missed|won)"
)

_SHAPES = (
    shape("decision", 0.75, rf"\b(?P<from>we{_HAVE}(?:decided|agreed|chose|chosen|picked|settled on|opted|voted|ruled out|committed to|finali[sz]ed)\b)"),
    shape("decision", 0.5, r"\b(?P<from>we(?:'re|’re| are|'ll be| will be)? (?:going with|go with)\b)"),
    shape("decision", 0.7, r"\b(?P<from>we(?:'re|’re| are)? not going to \w+)(?=.*(?:after all|any ?more|this (?:year|quarter)|because|since|until|to (?-i:[A-Z])))"),
    shape("decision", 0.7, r"\b(?P<from>we(?:'re|’re| are|'ll be| will be)? (?:go(?:ing)? (?:mono|multi|micro|full|cloud|remote|open)\S*|standardi[sz](?:e|ing) on))\b"),
    shape("decision", 0.75, r"^(?:the |our |final |team |board )*(?:decision|verdict)\b[^:]{0,40}: (?P<from>.*)"),
    shape("decision", 0.65, r"\b(?P<from>we (?:won't|won’t|will not|no longer|don't plan to|are not going to|aren't going to|will no longer|stopped) (?:be )?(?:\w+ )?(?:support|ship|shipping|sell|use|maintain|offer|accept|host|build|provide|hire|renew|extend|need|do|supporting|migrate|run|pay)\w*\b)"),
    shape("decision", 0.65, rf"^(?P<from>{_WE}{_HAVE}(?:approved|rejected|signed off|signed|cancell?ed|ruled out|vetoed|cut|postponed|delayed|decided|agreed|chose|announced|killed|insists?)\b)(?=.*(?:\b(?:on|the|by|to|that|out|until|for)\b))"),
    shape("decision", 0.7, r"\b(?:has|have|is|was|were|are|gets?|got|will be) (?:now |officially |also |finally |been )*(?:dropped|cancell?ed|postponed|deprecated|frozen|approved|rejected|delayed|descoped|retired|abandoned|sunset|discontinued|called off|scrapped|paused|put on hold|out of scope)\b"),
    shape("done", 0.45, rf"\b(?P<from>we{_HAVE}{_CHOSEN}\b)"),
    shape("done", 0.35, rf"^(?P<from>(?:{_WE}|someone|somebody){_HAVE}{_CHOSEN}\b)"),
    shape("change", 0.5, rf"\b(?P<from>we(?:'re|’re| are) (?:currently |now |also |slowly |still |all |in the process of |in the middle of |busy |half ?way through |about to |done )*{_CHANGE}\b)"),
    shape("change", 0.7, r"\b(?P<from>we(?:'re|’re| are) (?:currently |still )?(?:in the middle of|in the process of|halfway through|half way through|done with|finished with|about to) )"),
    shape("reason", 0.75, r"^(?P<from>the reason (?:why )?(?:we|that we|for|the)\b.* (?:is|was)\b)"),
    shape("deadline", 0.65, rf"(?:^|[,;:] |\b(?:and|but|so|that|say|think|know|fyi) )(?P<from>(?:the |our |my |a |this )?(?:[\w.-]+ ){{0,5}}?{_EVENT}s?(?: for [\w ]{{1,30}}?| of [\w ]{{1,30}}?| with [\w ]{{1,30}}?)? (?:is|are|was|starts?|ends?|begins?|opens?|closes?|meets?|goes live|go live|gets?|got|runs? out|runs? until|expires?|has to|have to|must|needs? to|takes place|happens|kicks off|ships?|launches|finishes|lands?)\b)(?=.*{_WHEN})"),
    shape("deadline", 0.6, rf"\b(?:(?:due(?! to\b)|deadline|scheduled for|expires?|runs out|goes live|switched off)\b.{{0,40}}|(?:moved|pushed|postponed|delayed|rescheduled) (?:back )?to (?:the )?){_WHEN}"),
    shape("deadline", 0.6, rf"\b(?:wants?|needs?|expects?|requires?)\b.{{3,60}}\bby {_WHEN}"),
    shape("deadline", 0.55, rf"^(?P<from>(?:the|our|{_WE}) .{{2,80}}\b(?:starts?|ends?|expires?|ships?|launches|closes|opens|retires|begins|finishes)\b.{{0,20}}{_WHEN})"),
    shape("deadline", 0.5, rf"^(?P<from>(?:they|he|she|{_WE}) (?:will|'ll|is going to|are going to|wants? to|plans? to)\b.*{_WHEN})"),
    shape("freeze", 0.75, r"\b(?:hiring|code|feature|merge|change|budget|deployment|deploy|spending) freeze\b.*\b(?:until|from|after|since|starts?|ends?|is|on)\b"),
    shape("incident", 0.7, rf"\b(?P<from>{_SYSTEM} (?:was|were|went|has been|had been|kept) (?:down|offline|unavailable|unreachable|broken|crashing|failing|read-only|degraded|hacked|compromised|out)\b)"),
    shape("incident", 0.65, r"\b(?:outage|incident|data loss|breach|leak|downtime|failure|crash|meltdown|rollback)\b.* (?:was|were|came|happened|because|due to|caused|traced)\b"),
    shape("incident", 0.7, r"\b(?P<from>we (?:lost|leaked|exposed|deleted|corrupted|overwrote|rolled back|had (?:an?|to roll back) (?:\w+ )?(?:outage|incident|breach|rollback)?)) (?!the typo)(?=.*(?:\b(?:when|because|after|since|last|yesterday|on|of|data|events?|orders?|customers?)\b))"),
    shape("incident", 0.5, r"\b(?:someone|somebody|an attacker|(?-i:[A-Z])\w+) (?:leaked|deleted|exposed|dropped|hacked|overwrote|stole|pushed)\b"),
    shape("owner", 0.7, r"^(?P<from>(?:(?-i:[A-Z])[\w'-]+|the [\w ]{2,20} team|(?:my|our) \w+)(?: and (?-i:[A-Z])\w+)?(?: (?:now|currently|also))? (?:owns?|(?:is|are) (?:now )?(?:taking over|responsible for|in charge of|leading|covering for|on (?:parental |sick |maternity |paternity )?leave|on vacation|on holiday|joining|leaving|handling|running|(?:the|our|my) (?:new |main |interim |acting )?(?:[\w-]+ ){0,2}?(?:owner|lead|contact|maintainer|pm|manager|head|boss|designer|cto|ceo|on-?call))|leads?|leaves|joins|took over|handles|approves|maintains|reviews|left (?:the|us|in|last)|joined|will (?:take over|join|leave|lead|own|handle))\b)"),
    shape("owner", 0.6, r"\b(?:known issue|(?-i:[A-Z])\w+ is on it|(?-i:[A-Z])\w+ owns)\b"),
    shape("status", 0.7, r"^(?P<from>(?!i\b|you\b|it\b|this\b|that\b)(?:[\w./#-]+ ){1,6}?(?:is|are|has been|have been|remains?|stays?) (?:still |currently |now )?(?:on hold|blocked|paused|stuck (?:on|in|at|until)|frozen|waiting (?:for|on)|pending (?:on |until )?|delayed|behind schedule|ahead of schedule|in progress|half done|nearly done|under way|underway|in beta|in review|feature complete)\b)"),
    shape("status", 0.6, r"^(?P<from>(?!i\b|you\b)(?:[\w./#-]+ ){1,7}?(?:has|have) been (?:\w+ )?(?:flaky|slow|broken|unstable|down|failing|red|unreliable) since\b)"),
    shape("status", 0.7, r"\b(?P<from>(?:we(?:'re| are) )?(?:still )?waiting (?:for|on) (?!the (?:build|tests?|ci|page|response|output)\b|it\b|you\b|me\b)[\w' ]+ (?:to|from|before)\b)"),
    shape("status", 0.6, rf"\bsince {_MONTH}\b.*\bwe (?:run|use|have|are)\b|\b(?P<from>we (?:run|use|have been on|have used|are on) .* since {_MONTH}\b)"),
    shape("goal", 0.75, r"\b(?:our|this quarter's|this year's|the team'?s?|the company'?s?) (?:\w+ )?(?:goal|objective|target|okr|priority|north star|plan)s?(?: (?:for|of|this|in) [\w ]{1,30}?)? (?:is|are)\b"),
    shape("goal", 0.6, r"^(?P<from>management|leadership|the board|legal|finance|security|compliance)\b.* (?:cut|wants?|needs?|flagged|asked for|requires?|demands?|froze|raised|doubled|halved)\b"),
    shape("life", 0.55, r"\b(?P<from>we(?:'ve| have)? (?:booked|picked|bought|signed|reserved|hired|sold|rented)) .*"),
)  # fmt: skip

_FEATURES = (
    feature(0.2, _WHEN),
    feature(0.15, r"\b(?:because|since|so that|the reason|due to|caused by|as legal|until|instead of|over(?= (?-i:[A-Z]))|rather than)\b|, so\b"),
    feature(0.1, r"\b(?:v?\d+\.\d+|version|release|scope|support|roadmap|quarter|customers?|prod(?:uction)?|budget|legal|everywhere)\b"),
    feature(-0.6, r"\b(?:the (?:button|header|typo|padding|margin|font|colou?r|icon|label|test|loop|line|comment|function|variable|div|css|import|cursor|files?|folder|class|method|module)|the typo|a movie|loved it|lol|haha)\b"),
    feature(-0.5, r"\bi(?:'m|'ll| am| will|'ve| have| just)? (?:just |still |now )?(?:waiting|going|pushed|merged|deployed|testing|will|be|decided|blocked|test|back|need|needed)\b|\blet'?s\b|\bi need\b|\bthen\W*$|^(?:set|add|change|put|make|write|update|show|use|create|rename|remove|delete|move|replace)\b"),
    feature(-0.4, r"\b(?:for now|right now|just now|in a minute|in a sec|already\b(?!.*\b(?:signed|booked)))\b"),
    feature(-0.5, r"\b(?:sick today|watched|is out\b)|^(?:ok|now|then|next)[, ]"),
)  # fmt: skip


def judge_event(sentence: Sentence) -> Finding | None:
    """Return the decision, deadline, incident or state of work that a sentence tells."""
    told = without_openers(sentence)
    if vetoes.asks(told.masked) or vetoes.supposes(told.masked):
        return None
    if vetoes.specifies(told.masked) and not _is_dated(told):
        return None
    return weigh(told, _SHAPES, _FEATURES, MemoryType.PROJECT)


def _is_dated(told: Sentence) -> bool:
    return bool(_DATED.pattern.search(told.masked))


_DATED = feature(0, _WHEN)
