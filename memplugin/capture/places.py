"""Reference records: where something lives: an address, a channel, a ticket, a folder, a system.

A place alone is none: it needs a word that says that something is found there, and must not be
part of a request ("look at https://… and summarise it") or of this machine's own running.
"""

import re

from memplugin.capture import vetoes
from memplugin.capture.findings import Finding, feature, shape, weigh
from memplugin.capture.phrasing import without_openers
from memplugin.capture.sentences import Sentence
from memplugin.protocol.records import MemoryType

_URL = r"[a-z][a-z0-9+.-]{1,20}://[^\s\"']+"
_HOST = r"(?<![\w@/.])(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|internal|local|corp|lan|intra|example|test|co|ai|cloud|de|fr|es|eu|uk|us|ch|at|nl|edu|gov|me|tv|sh)(?::\d+)?(?:/[^\s\"']*)?(?![\w(])"
_CHANNEL = r"(?<![\w/&])#[a-z][\w-]{2,}"
_TICKET = r"\b(?-i:[A-Z][A-Z0-9]{1,9}-\d{1,6})\b"
_OUTSIDE = r"(?<![\w.:/])(?:~/[^\s,;]+|/(?:var|etc|home|opt|srv|mnt|usr|data|users|volumes?\d*|media|root|nfs|shared?|net|export|backups?|applications|library|run|nas)(?:/[\w.@-]+)+/?|[A-Z]:\\[^\s,;]+|\\\\[\w.-]+\\[^\s,;]+)"
_GIT = r"(?:\bgit@[\w.-]+:[^\s,;]+|\b(?:github|gitlab|bitbucket)\.(?:com|org)/[^\s,;]+)"
_LIST = r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_SYSTEM = (
    r"(?:\b(?-i:Notion|Confluence|Linear|Jira|JIRA|Slack|Sentry|Grafana|Kibana|PagerDuty|Datadog|DataDog|1Password|Bitwarden|LastPass|KeePass|Vault|"
    r"Google (?:Drive|Docs|Sheets|Calendar|Photos|Keep)|GDrive|Dropbox|OneDrive|Figma|Miro|Trello|Asana|Todoist|BigQuery|Snowflake|Redshift|Firebase|"
    r"SharePoint|Sharepoint|MS Teams|Teams|Discord|Airtable|GitHub|GitLab|Bitbucket|Gerrit|Looker|Tableau|Metabase|Superset|Opsgenie|Zendesk|Intercom|HubSpot|"
    r"Salesforce|Basecamp|ClickUp|Evernote|Obsidian|OneNote|Splunk|Graylog|Loki|Prometheus|New Relic|Honeycomb|Rollbar|Bugsnag|Crashlytics|"
    r"CloudWatch|Cloudwatch|Mattermost|Zulip|Artifactory|Nexus|Harbor|Docker Hub|Storybook|Zeplin|Postman|Swagger|ReadTheDocs|Backstage|Jenkins|"
    r"TeamCity|CircleCI|Buildkite|Spotify|Strava|Goodreads|Odoo|SAP|Nextcloud|iCloud|Apple Notes)\b"
    r"|\b(?:the|our) (?:(?:shared|team|network|company|family) )?(?:drive|nas|wiki|intranet|fileserver|file server|bucket|vault|archive|basement|handbook|"
    r"google doc|spreadsheet|knowledge base|shared folder|shared calendar|issue tracker|bug tracker|status page)\b|\bnas\b|\bthe notes (?:app|folder)\b)"
)
_ADDRESS = rf"(?:{_URL}|{_GIT}|{_HOST}|{_CHANNEL}|{_TICKET}|{_OUTSIDE}|{_LIST})"
_PLACE = rf"(?:{_ADDRESS}|{_SYSTEM})"
_NEAR_PLACE = rf"(?:[^.!?\n]{{0,60}}?){_PLACE}"
_NP = r"(?:[\w'’/&+.-]+ ){1,9}?"

_SHAPES = (
    shape("lives", 0.75, rf"\b(?:lives?|is kept|are kept|(?:is|are|gets?) (?:stored|tracked|documented|hosted|filed|archived|published|posted|defined|described|managed|collected|logged|backed up|announced|discussed|saved|located|available|found|written (?:down|up)|mirrored|linked|sent|listed|recorded|maintained|pinned))\b(?: \w+){{0,4}}? ?(?:in|at|on|under|to|via|with|over at|inside|here|by)?\b{_NEAR_PLACE}"),
    shape("is-at", 0.7, rf"\b(?:is|are|'s|’s|was|were|sits?|aren't in this repo, they're|isn't in this repo, it's) (?:all |now |still |also |always |over |here:? ?|right |found |kept |mostly )*(?:in|at|on|under|here|inside|via|called)?:? ?(?:{_URL}|{_GIT}|{_HOST}|{_OUTSIDE}|{_CHANNEL}|(?:(?:in|at|on|under|inside)\b{_NEAR_PLACE}))"),
    shape("goes-to", 0.7, rf"\b(?:goes?|go|ends? up|end up|shows? up|show up|lands?|land|appears?|are sent|is sent|gets? sent|reports?|report|runs?|run|writes|backs up|is served|points?)\b (?:all |now |also |up )*(?:to|in|at|into|on|under|from|here)\b{_NEAR_PLACE}"),
    shape("goes-to", 0.7, rf"\b(?:can be )?(?:found|reached|reachable|available|downloaded|accessible|browsed|seen) (?:\w+ )?(?:in|at|on|under|via|from|through|here)\b{_NEAR_PLACE}"),
    shape("find-it", 0.75, rf"\b(?:you(?:'ll| can| will)? (?:find|see|get|reach|look up|ask|check)|look in|look into|look at|ask in|ask on|post (?:it |them )?in|report (?:it |them |bugs? )?(?:in|to)|check in|search in|go to|see)\b{_NEAR_PLACE}"),
    shape("has-it", 0.75, rf"(?:{_ADDRESS}|{_SYSTEM} (?:project|board|space|channel|page|doc|dashboard|table|folder))(?:\W+[\w\"_'>/.-]+){{0,6}}? (?:has|have|holds?|contains?|lists?|describes?|documents?|explains?|covers?|tracks?|is (?:the|our|where|what)|are (?:the|our|where|what)|is for|is used for|shows)\b"),
    shape("called", 0.65, r"\b(?:sentry|linear|jira|slack|figma|firebase|datadog|grafana|asana|trello) (?:project|board|channel|space|team|workspace|dashboard)\b[^.]{0,40}\b(?:is|are|called|named)\b"),
    shape("label", 0.7, rf"^(?P<from>(?:here(?:'s| is| are) )?(?!(?:error|fetch|open|clone|see|look|read|summari[sz]e|get|check|use|try|curl|download|fix|warning|note|url|link|visit)\b)(?:[\w'’/&+.-]+ ){{0,8}}[\w'’)]+ ?(?::|->|→|=>|–|—) ?(?:{_URL}|{_GIT}|{_HOST}|{_OUTSIDE}|{_CHANNEL}))"),
    shape("keep-in", 0.7, rf"\b(?P<from>(?:i|we) (?:keep|store|track|file|put|document|host|collect|save|manage|log|archive|post|discuss|plan|announce|write)\b (?:\w+ ){{1,6}}?(?:in|at|on|under|via|to)\b{_NEAR_PLACE})"),
    shape("see-for", 0.7, rf"^(?P<from>for (?:the )?[\w' -]{{2,50}},? (?:please )?(?:see|look|check|ask|use|go|visit)\b{_NEAR_PLACE})"),
    shape("look-at", 0.65, rf"^(?P<from>(?!i\b|you\b)(?:[\w']+ ){{1,3}}(?:look|looks|watch|watches|use|uses|read|reads|monitor|monitors|check|checks) (?:at |in )?{_NEAR_PLACE})"),
    shape("separate-repo", 0.7, r"\b(?:lives?|is|are) in (?:a|its|their|another|our) (?:own |separate |different |other )?repo(?:sitory)?\b"),
)  # fmt: skip

_FEATURES = (
    feature(-0.8, r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])"),
    feature(-0.5, r"\b(?:returns?|gives? me|gives?|throws?|fails?|failing|errors out|timed? ?out|times out|getting|broken|is down|crashes(?=[.,]|$)|[45]0\d)\b"),
    feature(-0.5, r"^(?:now |then |next )?(?:clone|open|fetch|download|curl|wget|visit|read|summari[sz]e|pull|push|scrape|crawl|write|save|put|copy|move|use|add|link|change|update|replace|import|pick up|deploy|send|try|start|fix|delete|unpack|upload|install|create|connect)\b"),
    feature(-0.4, r"\band (?:summari[sz]e|tell|explain|check|see|fix|show|compare|give|send|paste|run|unpack|extract|find|start)\b"),
    feature(0.1, r"\b(?:docs?|documentation|design|runbook|dashboard|board|spec|tickets?|bugs|logs?|backups?|schema|wiki|channel|folder|calendar|spreadsheet|list|credentials|assets|archive|guide|schedule|repo)\b"),
)  # fmt: skip
_ANY_PLACE = re.compile(
    f"(?i){_PLACE}|in (?:a|its|their|another|our) (?:own |separate |different |other )?repo"
)


def judge_place(sentence: Sentence) -> Finding | None:
    """Return where a sentence says that something lives."""
    told = without_openers(sentence)
    if not _ANY_PLACE.search(told.masked):
        return None
    if vetoes.asks(told.masked) or vetoes.supposes(told.masked) or vetoes.is_for_now(told.masked):
        return None
    return weigh(told, _SHAPES, _FEATURES, MemoryType.REFERENCE)
