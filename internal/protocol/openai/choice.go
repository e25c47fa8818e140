package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/llm"
)

// choice is tool_choice: a mode, or one tool.
type choice struct {
	mode      string          // auto, none, required, or "" where a tool is forced
	tool      *contract.Tool  // a forced tool of the server
	caller    string          // or one of the caller's
	arguments json.RawMessage // of the server's; nil where they are not given
	at        string          // their place in the body, as the caller wrote it or would
	allowed   []string        // of allowed_tools; nil for all
}

// choiceParam holds all forms; the schema has seen to it that one of them fits.
type choiceParam struct {
	Type      string          `json:"type"`
	Mode      string          `json:"mode"`
	Tools     []reference     `json:"tools"`
	Allowed   *choiceParam    `json:"allowed_tools"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Function  *functionChoice `json:"function"`

	word bool // it was a tool's name alone
}

type functionChoice struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// given are the arguments of a forced call and their place, or the place where this
// form of tool_choice has them.
func (p choiceParam) given() (raw json.RawMessage, at string) {
	at = choiceField + "/arguments"
	function := functionChoice{}
	if p.Function != nil {
		function = *p.Function
	}
	if p.Function != nil || p.word {
		at = choiceField + "/function/arguments"
	}
	switch {
	case len(noNull(function.Arguments)) > 0:
		return function.Arguments, choiceField + "/function/arguments"
	case len(noNull(p.Arguments)) > 0:
		return p.Arguments, choiceField + "/arguments"
	case len(noNull(p.Input)) > 0:
		return p.Input, choiceField + "/input"
	}
	return nil, at
}

// contradiction refuses a choice that names two tools, or has two sets of arguments, in
// two of its forms: one of them would be ignored in silence.
func (p choiceParam) contradiction() error {
	function := functionChoice{}
	if p.Function != nil {
		function = *p.Function
	}
	if p.Name != "" && function.Name != "" && !sameTool(p.Name, function.Name) {
		return contract.Errorf(contract.CodeInvalidRequest, "%s/name is %q and %s/function/name is %q", choiceField, p.Name, choiceField, function.Name).
			At(choiceField + "/name").WithHint("Name one tool, in one place.")
	}
	raw, at := p.given()
	for _, other := range []struct {
		at  string
		raw json.RawMessage
	}{{"/arguments", p.Arguments}, {"/input", p.Input}} {
		if len(noNull(other.raw)) > 0 && !jsonvalue.Same(raw, other.raw) {
			return contract.Errorf(contract.CodeInvalidRequest, "%s and %s%s are different arguments", at, choiceField, other.at).
				At(choiceField + other.at).WithHint("Give the arguments once, in one place.")
		}
	}
	return nil
}

// sameTool compares names and aliases.
func sameTool(a, b string) bool {
	return strings.ReplaceAll(a, ".", "_") == strings.ReplaceAll(b, ".", "_")
}

type reference struct {
	Name     string `json:"name"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

func (r reference) name() string {
	if r.Function.Name != "" {
		return r.Function.Name
	}
	return r.Name
}

// choose reads tool_choice. The predecessor's forms are accepted too: a tool's
// name as a string, name or function.name, and the arguments as input, arguments
// or function.arguments, an object or a string that holds one.
func (s *Server) choose(t *turn, raw json.RawMessage) error {
	t.choice = choice{mode: "auto"}
	if len(noNull(raw)) == 0 {
		return nil
	}
	var param choiceParam
	var word string
	if json.Unmarshal(raw, &word) == nil {
		param.Name, param.word = word, true
		if slices.Contains([]string{"auto", "none", "required"}, word) {
			param = choiceParam{Type: word}
		}
	} else if fault := contract.Part(raw, &param, true, choiceField); fault != nil {
		return fault
	}
	if param.Type == "allowed_tools" {
		return t.allow(param)
	}
	if err := param.contradiction(); err != nil {
		return err
	}
	name := param.Name
	if param.Function != nil && param.Function.Name != "" {
		name = param.Function.Name
	}
	if name == "" {
		t.choice.mode = param.Type
		return nil
	}
	return s.force(t, name, param)
}

// allow narrows hard: a tool that is not named cannot be called.
func (t *turn) allow(param choiceParam) error {
	if param.Allowed != nil {
		param = *param.Allowed
	}
	if param.Mode != "" {
		t.choice.mode = param.Mode
	}
	var own, callers []string
	for i, ref := range param.Tools {
		name := ref.name()
		if ref.Name != "" && !sameTool(ref.Name, name) {
			return contract.Errorf(contract.CodeInvalidRequest, "tool %d of %s names %q and %q", i, choiceField, ref.Name, name).
				At(choiceField + "/tools").WithHint("Name one tool in each entry, in one place.")
		}
		t.choice.allowed = append(t.choice.allowed, name)
		if t.callersTool(name) {
			callers = append(callers, name)
			continue
		}
		tool, err := t.offered.Reach.Find(name)
		if err != nil {
			return contract.AsError(err).At("/tool_choice/tools")
		}
		own = append(own, tool.Contract.Name)
	}
	t.callers = slices.DeleteFunc(t.callers, func(tool llm.Tool) bool { return !slices.Contains(callers, tool.Function.Name) })
	if len(own) == 0 {
		t.offered = contract.Nothing()
		return nil
	}
	var err error
	t.offered, err = t.offered.Narrow(contract.Selection{Tools: own})
	return err
}

// force names one tool. A tool of the server may be forced even where the
// request's tools do not list it: the caller has named it after all.
func (s *Server) force(t *turn, name string, param choiceParam) error {
	t.choice.mode = ""
	if t.callersTool(name) {
		t.choice.caller = name
		return nil
	}
	tool, err := s.Tools.Find(name)
	if err != nil {
		return contract.AsError(err).At("/tool_choice")
	}
	t.choice.tool = tool
	given, at := param.given()
	t.choice.at = at
	if given != nil {
		t.choice.arguments, err = arguments(given, at)
	}
	return err
}

// arguments are an object, or a string that holds one; an empty string is {}.
func arguments(raw json.RawMessage, at string) (json.RawMessage, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if strings.TrimSpace(text) == "" {
			return json.RawMessage("{}"), nil
		}
		raw = json.RawMessage(text)
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(raw, &object)
	if json.Valid(raw) && object == nil { // as the contract says it of every other protocol
		e := ofKind(at, raw, "object").WithHint("Send an object, or a string that holds one.")
		e.Message = "the tool's arguments are not a JSON object: " + e.Message
		return nil, e
	}
	if err != nil {
		e := contract.Errorf(contract.CodeInvalidRequest, "the tool's arguments are not a JSON object: %w", err)
		return nil, e.At(at).WithHint("Send an object, or a string that holds one.")
	}
	return raw, nil
}

const choiceField = "/tool_choice"

// upstream is tool_choice for the model; names are aliases there.
func (c choice) upstream() json.RawMessage {
	name := c.caller
	switch {
	case c.tool != nil:
		name = c.tool.Contract.Alias()
	case c.mode == "auto":
		return nil
	case name == "":
		return json.RawMessage(`"` + c.mode + `"`)
	}
	raw, _ := json.Marshal(map[string]any{"type": "function", "function": map[string]string{"name": name}}) // strings always encode
	return raw
}

// echo is tool_choice as a response shows it.
func (c choice) echo() any {
	type function struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if c.allowed != nil {
		tools := make([]function, len(c.allowed))
		for i, name := range c.allowed {
			tools[i] = function{"function", name}
		}
		return struct {
			Type  string     `json:"type"`
			Mode  string     `json:"mode"`
			Tools []function `json:"tools"`
		}{"allowed_tools", c.mode, tools}
	}
	switch {
	case c.tool != nil:
		return function{"function", c.tool.Contract.Name}
	case c.caller != "":
		return function{"function", c.caller}
	}
	return c.mode
}
