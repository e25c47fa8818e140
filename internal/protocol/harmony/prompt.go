package harmony

import (
	"time"

	"atelier/internal/contract"
)

// Options of a prompt; the zero value shows the tools in the system message,
// with medium reasoning, no date, and the Instructions of the tools.
type Options struct {
	Role         string // RoleSystem or RoleDeveloper: the message that shows the tools
	Effort       Effort
	Date         string // YYYY-MM-DD
	Instructions string // in place of the tools' own
}

// Prompt is how a conversation begins: its first two messages as text, and what
// a program needs beside them. Namespaces are what with_tools takes, for callers
// that use openai-harmony itself.
type Prompt struct {
	System       string            `json:"system"`
	Developer    string            `json:"developer"`
	Instructions string            `json:"instructions"`
	NextTurn     string            `json:"next_turn"` // what follows the last message
	StopTokens   []StopToken       `json:"stop_tokens"`
	Names        map[string]string `json:"names"` // recipient to canonical name
	Namespaces   []Namespace       `json:"namespaces"`
}

// NewPrompt renders the tools of a registry. Errors: invalid_request for an
// option that is not one of those accepted.
func NewPrompt(tools *contract.Registry, o Options) (*Prompt, error) {
	system, developer, err := o.messages(tools)
	if err != nil {
		return nil, err
	}
	namespaces, err := Namespaces(tools)
	if err != nil {
		return nil, err
	}
	if o.Role == RoleDeveloper {
		developer.Developer.Tools = namespaces
	} else {
		system.System.Tools = namespaces
	}
	p := &Prompt{
		Instructions: developer.Developer.Instructions, NextTurn: NextTurn,
		StopTokens: StopTokens(), Names: map[string]string{}, Namespaces: namespaces,
	}
	for _, t := range tools.All() {
		p.Names[Recipient(t.Contract)] = t.Contract.Name
	}
	// Each by itself: no namespace is called functions, which is the only thing
	// that one message says of another.
	if p.System, err = Render([]Message{system}); err != nil {
		return nil, err
	}
	p.Developer, err = Render([]Message{developer})
	return p, err
}

func (o Options) messages(tools *contract.Registry) (system, developer Message, err error) {
	system = Message{Role: RoleSystem, System: NewSystem()}
	developer = Message{Role: RoleDeveloper, Developer: &Developer{Instructions: o.Instructions}}
	if o.Instructions == "" {
		developer.Developer.Instructions = Instructions(tools)
	}
	switch o.Effort {
	case "":
	case Low, Medium, High:
		system.System.Effort = o.Effort
	default:
		return system, developer, contract.Errorf(contract.CodeInvalidRequest, "reasoning is %q", o.Effort).At("reasoning").
			With("accepted", Efforts).WithHint("Use low, medium or high.")
	}
	switch o.Role {
	case "", RoleSystem, RoleDeveloper:
	default:
		return system, developer, contract.Errorf(contract.CodeInvalidRequest, "role is %q", o.Role).At("role").
			With("accepted", []string{RoleSystem, RoleDeveloper}).WithHint("Use system or developer.")
	}
	if o.Date != "" {
		if _, err := time.Parse(time.DateOnly, o.Date); err != nil {
			return system, developer, contract.Errorf(contract.CodeInvalidRequest, "date is %q, which is no day", o.Date).At("date").
				WithHint("Write it as 2026-01-31.")
		}
		system.System.Date = o.Date
	}
	return system, developer, nil
}
