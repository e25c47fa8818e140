"""openai-harmony as the judge: the project's conversations in its own types."""

from openai_harmony import (
    Author,
    ChannelConfig,
    Conversation,
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    ReasoningEffort,
    Role,
    SystemContent,
    TextContent,
    ToolDescription,
    ToolNamespaceConfig,
    load_harmony_encoding,
)

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def namespaces(listed: list[dict]) -> list[ToolNamespaceConfig]:
    return [
        ToolNamespaceConfig(
            name=ns["name"],
            description=ns.get("description"),
            tools=[
                ToolDescription.new(t["name"], t["description"], t.get("parameters")) for t in ns["tools"]
            ],
        )
        for ns in listed
    ]


def system(raw: dict) -> SystemContent:
    effort = raw.get("reasoning_effort")
    content = SystemContent(
        model_identity=raw.get("model_identity"),
        knowledge_cutoff=raw.get("knowledge_cutoff"),
        conversation_start_date=raw.get("conversation_start_date"),
        reasoning_effort=ReasoningEffort(effort.capitalize()) if effort else None,
        channel_config=ChannelConfig.require_channels(raw.get("valid_channels", [])),
    )
    for ns in namespaces(raw.get("tools") or []):
        content = content.with_tools(ns)
    return content


def developer(raw: dict) -> DeveloperContent:
    content = DeveloperContent(instructions=raw.get("instructions"))
    for ns in namespaces(raw.get("tools") or []):
        content = content.with_tools(ns)
    return content


def message(raw: dict) -> Message:
    if "system" in raw:
        content = system(raw["system"])
    elif "developer" in raw:
        content = developer(raw["developer"])
    else:
        content = TextContent(text=raw.get("text", ""))
    return Message(
        author=Author(role=Role(raw["role"]), name=raw.get("name")),
        content=[content],
        recipient=raw.get("recipient"),
        channel=raw.get("channel"),
        content_type=raw.get("content_type"),
    )


def tokens(messages: list[dict]) -> list[int]:
    conversation = Conversation.from_messages([message(m) for m in messages])
    return ENCODING.render_conversation(conversation)


def render(messages: list[dict]) -> str:
    return ENCODING.decode_utf8(tokens(messages))


def encode(text: str) -> list[int]:
    """As a completion endpoint reads a prompt: special tokens are tokens."""
    return ENCODING.encode(text, allowed_special="all")


def parse(text: str, role: Role | None) -> list[dict]:
    """The messages of a completion, as openai-harmony's own parser reads them."""
    parsed = ENCODING.parse_messages_from_completion_tokens(encode(text), role)
    return [
        {
            "role": m.author.role.value,
            "name": m.author.name or "",
            "recipient": m.recipient or "",
            "channel": m.channel or "",
            "content_type": m.content_type or "",
            "text": m.content[0].text,
        }
        for m in parsed
    ]
