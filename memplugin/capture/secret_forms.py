"""The forms of secrets that show by themselves: a table of kind, pattern and reason.

Every pattern matches in linear time. A run of token characters is entered only at its start (the
lookbehind holds the same characters as the run), so no run is scanned twice.
"""

import re
from typing import NamedTuple


class Form(NamedTuple):
    """A secret that its own look gives away.

    `pattern` matches the whole secret, or has a group `secret` for the part to replace.
    """

    kind: str
    pattern: re.Pattern[str]
    reason: str


def _token(kind: str, body: str, reason: str) -> Form:
    """Return the form of a token that stands alone, with no token character on either side."""
    return Form(kind, re.compile(rf"(?<![A-Za-z0-9_-]){body}(?![A-Za-z0-9])"), reason)


def _prefixed(kind: str, prefix: str, body: str, reason: str) -> Form:
    """Return the form of a token with a prefix nothing else has: found inside words as well."""
    return Form(kind, re.compile(rf"(?<![A-Za-z0-9]){prefix}{body}"), reason)


_DIGIT = r"(?=[A-Za-z_-]{0,64}[0-9])"

FORMS: tuple[Form, ...] = (
    # A password inside an address: the user and the host say where it is, and stay.
    Form(
        "connection-password",
        re.compile(
            r"(?<=://)[^\s:/@\[]{0,128}:(?P<secret>[^\s/@\[](?:[^\s/]{0,254}[^\s/])?)@"
        ),
        "user and password before the host, as in scheme://user:password@host",
    ),
    Form(
        "connection-password",
        re.compile(
            r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse|ftp)"
            r"(?:\+[a-z0-9]{1,16})?://[^\s:/@\[]{0,128}:(?P<secret>[^\s@\[][^\s]{0,254})@"
        ),
        "the same in the address of a database, where passwords may hold slashes",
    ),
    Form(
        "url-token",
        re.compile(r"(?i)(?<=://)(?P<secret>(?=[a-z_.~%-]{0,64}[0-9])[a-z0-9_.~%-]{16,})@"),
        "a token in place of the user, as in https://token@host",
    ),
    Form(
        "url-token",
        re.compile(
            r"(?i)(?<=[?&#])(?:[a-z0-9]{1,24}[_.-])?(?:token|api_?key|apikey|secret|password|passwd|"
            r"pwd|sig|signature|auth|credential|client_secret|x-amz-[a-z-]{1,24})"
            r"=(?P<secret>[^&\s#\"'<>\[\]]+)"
        ),
        "a query parameter that grants access",
    ),
    Form(
        "webhook",
        re.compile(r"(?<=hooks\.slack\.com/)(?P<secret>(?:services|workflows)/[A-Za-z0-9/_-]+)"),
        "whoever knows a Slack webhook can post",
    ),
    Form(
        "webhook",
        re.compile(r"(?<=/api/webhooks/)(?P<secret>[0-9]{5,25}/[A-Za-z0-9_-]+)"),
        "whoever knows a Discord webhook can post",
    ),
    Form(
        "authorization",
        re.compile(
            r"(?i)\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
            r"(?:(?:bearer|basic|token|digest|apikey|negotiate)[ \t]{1,4})?"
            r"(?P<secret>(?!(?:bearer|basic|token|digest|apikey|negotiate)\b)"
            r"[^\s\"'\[][^\s\"']*)"
        ),
        "the header that logs in",
    ),
    Form(
        "authorization",
        re.compile(
            r"(?i)\b(?:bearer|basic)[ \t]{1,4}(?P<secret>(?=[a-z+/_.~-]{0,64}[0-9=])"
            r"[a-z0-9+/_.~-]{16,}={0,2})"
        ),
        "the header's value alone",
    ),
    Form(
        "authorization",
        re.compile(r"(?i)\bx-(?:api-key|auth-token|access-token)[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
                   r"[\"']?(?P<secret>[^\s\"'\[][^\s\"']*)"),
        "the headers services use in its place",
    ),
    Form(
        "cookie",
        re.compile(r"(?i)\b(?:set-)?cookie[ \t]{0,4}:[ \t]{0,4}(?P<secret>[^\s\[=;]{1,64}=[^\n]*)"),
        "a session that anybody can go on with",
    ),
    Form(
        "password",
        re.compile(r"(?<=\s)(?:-u|--user)[ =]{1,2}[\"']?[^\s:\"'\[]{1,64}:(?P<secret>[^\s\"'\[][^\s\"']*)"),
        "curl's user:password",
    ),
    _token(
        "jwt",
        r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){1,4}(?:\.[A-Za-z0-9_-]{0,512})?",
        "a signed token: base64 of an object that starts with a brace",
    ),
    _prefixed("anthropic-key", "sk-ant-", r"[A-Za-z0-9_-]{8,}", "Anthropic API keys"),
    _prefixed("openai-key", "sk-", rf"(?:{_DIGIT}[A-Za-z0-9_-]{{12,}}|[A-Za-z0-9]{{32,}})",
              "OpenAI and those who copied its form"),
    _prefixed("stripe-key", "[sr]k_(?:live|test)_", r"[A-Za-z0-9]{8,}", "Stripe secret keys"),
    _prefixed("stripe-key", "whsec_", r"[A-Za-z0-9+/=]{16,}", "Stripe webhook signing secrets"),
    _token("aws-access-key", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}", "AWS access key ids"),
    _prefixed("github-token", "gh[pousr]_", r"[A-Za-z0-9_]{20,}", "GitHub tokens"),
    _prefixed("github-token", "github_pat_", r"[A-Za-z0-9_]{20,}", "GitHub fine-grained tokens"),
    _prefixed("gitlab-token", "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-", r"[A-Za-z0-9_.-]{16,}",
              "GitLab tokens"),
    _prefixed("slack-token", "xox[a-z]-", r"[A-Za-z0-9-]{10,}", "Slack tokens"),
    _prefixed("slack-token", "xapp-", r"[A-Za-z0-9-]{10,}", "Slack app tokens"),
    _prefixed("google-key", "AIza", r"[A-Za-z0-9_-]{30,}", "Google API keys"),
    _prefixed("google-key", r"ya29\.", r"[A-Za-z0-9_-]{20,}", "Google access tokens"),
    _prefixed("google-key", "GOCSPX-", r"[A-Za-z0-9_-]{20,}", "Google client secrets"),
    _prefixed("npm-token", "npm_", r"[A-Za-z0-9]{30,}", "npm tokens"),
    _prefixed("pypi-token", "pypi-", rf"{_DIGIT}[A-Za-z0-9_-]{{32,}}", "PyPI tokens"),
    _prefixed("hugging-face-token", "hf_", r"[A-Za-z0-9]{20,}", "Hugging Face tokens"),
    _prefixed("sendgrid-key", r"SG\.", r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", "SendGrid keys"),
    _token("twilio-key", r"SK[0-9a-f]{32}", "Twilio API keys"),
    _prefixed("digitalocean-token", "do[opr]_v1_", r"[a-f0-9]{32,}", "DigitalOcean tokens"),
    _token("telegram-token", r"[0-9]{8,10}:[A-Za-z0-9_-]{35,}", "Telegram bot tokens"),
    _token("discord-token", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
           "Discord bot tokens"),
    _token("mailgun-key", r"key-[0-9a-f]{32}", "Mailgun keys"),
    _token("mailchimp-key", r"[0-9a-f]{32}-us[0-9]{1,2}", "Mailchimp keys"),
    _prefixed("shopify-token", "shp(?:at|ca|pa|ss)_", r"[A-Fa-f0-9]{32,}", "Shopify tokens"),
    _prefixed("square-token", "sq0[a-z]{3}-", r"[A-Za-z0-9_-]{20,}", "Square tokens"),
    _prefixed("databricks-token", "dapi", r"[a-f0-9]{32,}", "Databricks tokens"),
    _prefixed("vault-token", r"hv[sbr]\.", r"[A-Za-z0-9_-]{20,}", "HashiCorp Vault tokens"),
    _prefixed("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}", "age identities"),
    _prefixed("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{20,}", "Atlassian tokens"),
    _prefixed("docker-token", "dckr_pat_", r"[A-Za-z0-9_-]{16,}", "Docker Hub tokens"),
    _prefixed(
        "api-key",
        "(?:lin_api_|ntn_|figd_|PMAK-|gsk_|xai-|pplx-|r8_|sbp_|sntry[su]_|NRAK-|dp\\.pt\\.|tvly-|fw_)",
        rf"{_DIGIT}[A-Za-z0-9_-]{{20,}}",
        "services whose tokens have a prefix of their own",
    ),
    Form(
        "national-id",
        re.compile(r"(?<![0-9-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9-])"),
        "social security numbers of the United States, in their usual form",
    ),
    Form(
        "azure-key",
        re.compile(r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/=]{20,})"),
        "keys in Azure connection strings",
    ),
)  # fmt: skip
"""Kinds in order of trial: an address before the token inside it."""

PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(r"(?:(?:\s|\\[nr])*(?:[A-Za-z-]{3,20}: [^\n\\]{1,100}(?=\n|\\n)|[A-Za-z0-9+/=]{16,}))*"
                      r"(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,64}(?=\s*$|\s*\n|\\n|\"))?")  # fmt: skip
"""What follows the first line of a block that was cut off: headers and runs of base64."""

CARD = re.compile(
    r"(?<![0-9A-Za-z._-])(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|3[0-9]{3}|6[0-9]{3})"
    r"(?:[ -]?[0-9]){9,15}(?![0-9A-Za-z_-])"
)
CARD_LENGTHS = {"4": (13, 16, 19), "5": (16,), "2": (16,), "3": (14, 15, 16), "6": (16, 17, 18, 19)}
"""Digits a card number has, by its first one (ISO/IEC 7812)."""
