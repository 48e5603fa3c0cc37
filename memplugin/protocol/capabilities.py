"""What a provider says of itself: capabilities, configuration schema, tools, commands."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from memplugin.protocol.records import MemoryScope, MemoryType
from memplugin.protocol.requests import HookPoint


class AttributeType(StrEnum):
    """The type of a configuration attribute."""

    STRING = "string"
    NUMBER = "number"
    BOOL = "bool"
    LIST_STRING = "list_string"
    LIST_NUMBER = "list_number"
    MAP_STRING = "map_string"
    OBJECT = "object"


class ConfigAttribute(Struct, frozen=True, omit_defaults=True):
    """One attribute; `default_json` is its default as JSON text (C3)."""

    name: str
    type: AttributeType
    required: bool
    sensitive: bool
    description: str
    object_attributes: "list[ConfigAttribute] | None" = None
    default_json: str | None = None


class ConfigSchema(Struct, frozen=True):
    """Everything `configure` accepts."""

    attributes: list[ConfigAttribute]


class PromptExpansionSpec(Struct, frozen=True):
    """A command that expands to a prompt; `{arg}` in the template is replaced."""

    name: str
    description: str
    template: str


class MemoryCapabilities(Struct, frozen=True):
    """The data types' MemoryCapabilities; tells the configuration in force (C4)."""

    default_token_budget: Annotated[int, Meta(ge=0)]
    supported_types: list[MemoryType]
    supported_scopes: list[MemoryScope]
    ratification_supported: bool
    slash_commands: list[PromptExpansionSpec]
    config_schema: ConfigSchema
    supported_hook_points: list[HookPoint]


class MemoryCapabilitiesResult(Struct, frozen=True):
    """The envelope of MemoryCapabilities."""

    capabilities: MemoryCapabilities


class ProducerCategory(StrEnum):
    """What kind of plugin speaks."""

    MODEL = "model"
    TOOL = "tool"
    CONTEXT = "context"
    MEMORY = "memory"
    FRONTEND = "frontend"
    WIDGET = "widget"
    SLASHCOMMAND = "slashcommand"


class ProducerRef(Struct, frozen=True):
    """Who speaks; `version` is a semantic version."""

    name: str
    version: str
    source: str
    category: ProducerCategory
    protocol_version: int


class DescribeResult(Struct, frozen=True):
    """The envelope of ProducerRef."""

    producer: ProducerRef


class ToolKind(StrEnum):
    """What a tool works on."""

    RESOURCE = "resource"
    DATA_SOURCE = "data_source"
    INTERACTIVE = "interactive"


class ToolRisk(StrEnum):
    """What a tool may harm."""

    READ_ONLY = "read_only"
    LOW = "low"
    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


class Concurrency(Struct, frozen=True):
    """Whether calls may overlap, and the fields that tell them apart."""

    safe: bool
    key_fields: list[str]


class SlashCommandSpec(Struct, frozen=True, omit_defaults=True):
    """A direct command (T5)."""

    name: str
    kind: ToolKind
    risk: ToolRisk
    description: str
    input_schema: dict[str, Any]
    streaming: bool
    concurrency: Concurrency
    idempotent: bool
    default_timeout: float | None = None


class ToolSchema(Struct, frozen=True, omit_defaults=True):
    """A tool that the model may call (T3)."""

    name: str
    kind: ToolKind
    risk: ToolRisk
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    streaming: bool
    concurrency: Concurrency
    idempotent: bool
    default_timeout: float | None = None


class ToolSchemaResult(Struct, frozen=True):
    """Answer of tool.get_schema."""

    tools: list[ToolSchema]
    slash_commands: list[PromptExpansionSpec]
    config_schema: ConfigSchema
    supported_hook_points: list[HookPoint]


class CommandCapabilitiesResult(Struct, frozen=True):
    """Answer of slashcommand.get_capabilities."""

    commands: list[SlashCommandSpec]
    config_schema: ConfigSchema
    supported_hook_points: list[HookPoint]
