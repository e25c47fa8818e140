package harmony

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/schema"
)

// Namespace is a group of tools, as SystemContent.with_tools takes it.
type Namespace struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Tools       []ToolDescription `json:"tools"`
}

// ToolDescription is one tool of a namespace; Parameters is a JSON schema, or
// nil for a tool without any.
type ToolDescription struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// Effort is how much a model is to reason.
type Effort string

// The three efforts that the models know.
const (
	Low    Effort = "low"
	Medium Effort = "medium"
	High   Effort = "high"
)

// Efforts lists them, from least to most.
var Efforts = []Effort{Low, Medium, High}

// System is the content of a system message; an empty field is left out.
type System struct {
	Identity        string      `json:"model_identity"`
	KnowledgeCutoff string      `json:"knowledge_cutoff"`        // YYYY-MM
	Date            string      `json:"conversation_start_date"` // YYYY-MM-DD
	Effort          Effort      `json:"reasoning_effort"`
	Tools           []Namespace `json:"tools"`
	Channels        []string    `json:"valid_channels"` // each message must name one of them
}

// NewSystem has the values that openai-harmony gives a new SystemContent.
func NewSystem() *System {
	return &System{
		Identity: "You are ChatGPT, a large language model trained by OpenAI.", KnowledgeCutoff: "2024-06",
		Effort: Medium, Channels: []string{ChannelAnalysis, ChannelCommentary, ChannelFinal},
	}
}

// Developer is the content of a developer message.
type Developer struct {
	Instructions string      `json:"instructions"`
	Tools        []Namespace `json:"tools"`
}

// Message is one message of a conversation. Exactly one of System, Developer
// and Text is its content. Name is that of a tool (or of a user); the recipient
// of a tool's answer is "assistant".
type Message struct {
	Role        string     `json:"role"`
	Name        string     `json:"name,omitempty"`
	Recipient   string     `json:"recipient,omitempty"`
	Channel     string     `json:"channel,omitempty"`
	ContentType string     `json:"content_type,omitempty"`
	System      *System    `json:"system,omitempty"`
	Developer   *Developer `json:"developer,omitempty"`
	Text        string     `json:"text,omitempty"`
}

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Channels of an assistant's messages.
const (
	ChannelAnalysis   = "analysis"
	ChannelCommentary = "commentary"
	ChannelFinal      = "final"
)

// Render writes a conversation as openai-harmony's render_conversation does, its
// special tokens as text. Reasoning that led to a final answer is dropped, as
// there. A schema that is no JSON, or a tool message without a name, is an error.
func Render(messages []Message) (string, error) {
	var b strings.Builder
	functions := hasFunctions(messages)
	firstFinal := slices.IndexFunc(messages, func(m Message) bool { return m.Channel == ChannelFinal })
	drop := lastAssistantIsFinal(messages)
	for i, m := range messages {
		if drop && i < firstFinal && m.Channel == ChannelAnalysis {
			continue
		}
		if err := m.render(&b, functions); err != nil {
			return "", fmt.Errorf("message %d: %w", i, err)
		}
	}
	return b.String(), nil
}

// RenderForCompletion adds the start of the assistant's next message.
func RenderForCompletion(messages []Message) (string, error) {
	s, err := Render(messages)
	return s + NextTurn, err
}

func hasFunctions(messages []Message) bool {
	for _, m := range messages {
		if m.Developer == nil {
			continue
		}
		for _, ns := range m.Developer.Tools {
			if ns.Name == "functions" && len(ns.Tools) > 0 {
				return true
			}
		}
	}
	return false
}

func lastAssistantIsFinal(messages []Message) bool {
	for _, m := range slices.Backward(messages) {
		if m.Role == RoleAssistant {
			return m.Channel == ChannelFinal
		}
	}
	return false
}

func (m *Message) render(b *strings.Builder, functions bool) error {
	b.WriteString(startToken)
	switch {
	case m.Role == RoleTool && m.Name == "":
		return fmt.Errorf("a tool's answer needs the tool's name")
	case m.Role == RoleTool:
		b.WriteString(m.Name)
	default:
		b.WriteString(m.Role)
		if m.Name != "" {
			b.WriteString(":" + m.Name)
		}
	}
	if m.Recipient != "" && m.Recipient != "all" {
		b.WriteString(" to=" + m.Recipient)
	}
	if m.Channel != "" {
		b.WriteString(channelToken + m.Channel)
	}
	if m.ContentType != "" {
		b.WriteString(" " + m.ContentType)
	}
	b.WriteString(messageToken)
	content, err := m.content(functions)
	if err != nil {
		return err
	}
	b.WriteString(content)
	if m.Role == RoleAssistant && m.Recipient != "" {
		b.WriteString(callToken)
	} else {
		b.WriteString(endToken)
	}
	return nil
}

func (m *Message) content(functions bool) (string, error) {
	switch {
	case m.System != nil && m.Role != RoleSystem:
		return "", fmt.Errorf("system content stands in a message of %s", m.Role)
	case m.Developer != nil && m.Role != RoleDeveloper:
		return "", fmt.Errorf("developer content stands in a message of %s", m.Role)
	case m.System != nil:
		return m.System.text(functions)
	case m.Developer != nil:
		return m.Developer.text()
	}
	return m.Text, nil
}

func (s *System) text(functions bool) (string, error) {
	var top, sections []string
	if s.Identity != "" {
		top = append(top, s.Identity)
	}
	if s.KnowledgeCutoff != "" {
		top = append(top, "Knowledge cutoff: "+s.KnowledgeCutoff)
	}
	if s.Date != "" {
		top = append(top, "Current date: "+s.Date)
	}
	if len(top) > 0 {
		sections = append(sections, strings.Join(top, "\n"))
	}
	if s.Effort != "" {
		sections = append(sections, "Reasoning: "+string(s.Effort))
	}
	if len(s.Tools) > 0 {
		tools, err := toolsSection(s.Tools)
		if err != nil {
			return "", err
		}
		sections = append(sections, tools)
	}
	if len(s.Channels) > 0 {
		line := "# Valid channels: " + strings.Join(s.Channels, ", ") + ". Channel must be included for every message."
		if functions {
			line += "\nCalls to these tools must go to the commentary channel: 'functions'."
		}
		sections = append(sections, line)
	}
	return strings.Join(sections, "\n\n"), nil
}

func (d *Developer) text() (string, error) {
	var sections []string
	if d.Instructions != "" {
		sections = append(sections, "# Instructions", d.Instructions)
	}
	if len(d.Tools) > 0 {
		tools, err := toolsSection(d.Tools)
		if err != nil {
			return "", err
		}
		sections = append(sections, tools)
	}
	return strings.Join(sections, "\n\n"), nil
}

// toolsSection lists namespaces by name, each with its tools in their order.
func toolsSection(namespaces []Namespace) (string, error) {
	sorted := slices.Clone(namespaces)
	slices.SortStableFunc(sorted, func(a, b Namespace) int { return cmp.Compare(a.Name, b.Name) })
	sections := []string{"# Tools"}
	for _, ns := range sorted {
		section, err := ns.text()
		if err != nil {
			return "", err
		}
		sections = append(sections, section)
	}
	return strings.Join(sections, "\n\n"), nil
}

func (ns *Namespace) text() (string, error) {
	parts := []string{"## " + ns.Name + "\n"}
	if len(ns.Tools) == 0 {
		return strings.Join(append(parts, lines(ns.Description)...), "\n"), nil
	}
	parts = append(parts, comment(ns.Description)...)
	parts = append(parts, "namespace "+ns.Name+" {\n")
	for _, t := range ns.Tools {
		parts = append(parts, comment(t.Description)...)
		if len(t.Parameters) == 0 || string(t.Parameters) == "null" {
			parts = append(parts, "type "+t.Name+" = () => any;\n")
			continue
		}
		parameters, err := schema.Parse(t.Parameters)
		if err != nil {
			return "", fmt.Errorf("parameters of %s.%s: %w", ns.Name, t.Name, err)
		}
		parts = append(parts, "type "+t.Name+" = (_: "+typeOf(parameters, "")+") => any;\n")
	}
	return strings.Join(append(parts, "} // namespace "+ns.Name), "\n"), nil
}

// lines splits a text, without a last empty one.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range all {
		all[i] = strings.TrimSuffix(l, "\r")
	}
	return all
}

func comment(s string) []string {
	all := lines(s)
	for i, l := range all {
		all[i] = "// " + l
	}
	return all
}
