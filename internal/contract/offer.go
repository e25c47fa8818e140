package contract

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Offer is what a client is shown of a registry, and what it may call. A model has little
// room, so that a client which asks for nothing is shown a few tools that lead to all others.
type Offer struct {
	Shown *Registry
	Reach *Registry // holds all of Shown
}

// Offer is what a client gets that makes the selection. One that selects nothing is shown the
// standard and may call everything; else it may call what it selects, or everything where
// that includes a tool that forwards calls.
func (r *Registry) Offer(s, standard Selection) (Offer, error) {
	if s.Empty() {
		shown, err := r.Select(standard)
		if err != nil { // a program that serves none of them
			shown = r
		}
		return Offer{shown, r}, nil
	}
	shown, err := r.Select(s)
	return r.offer(shown), err
}

func (r *Registry) offer(shown *Registry) Offer {
	if shown != nil {
		for _, t := range shown.sorted {
			if t.Forward != nil {
				return Offer{shown, r}
			}
		}
	}
	return Offer{shown, shown}
}

// Narrow is the offer of some of its tools, whether they are shown or not.
func (o Offer) Narrow(s Selection) (Offer, error) {
	shown, err := o.Reach.Select(s)
	if err != nil {
		return o, err
	}
	return o.Reach.offer(shown), nil
}

// Nothing is the offer of no tool.
func Nothing() Offer {
	none := &Registry{byName: map[string]*Tool{}}
	return Offer{none, none}
}

// Resolve is the tool that a call runs, and its input: the tool of the name, or the one that
// this forwards to. inner is where the input stands in what was given, "" for all of it.
func (r *Registry) Resolve(name string, input json.RawMessage) (tool *Tool, resolved json.RawMessage, inner string, err error) {
	tool, err = r.Find(name)
	if err != nil || tool.Forward == nil {
		return tool, input, "", err
	}
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	if faults := tool.Contract.ValidateInput(input); len(faults) > 0 {
		return nil, nil, "", Faults(tool.Contract.Answered(faults))
	}
	to := tool.Forward(input)
	target, err := r.Find(to.Tool)
	switch {
	case err != nil:
		e := *AsError(err)
		hint := to.Hint
		if near := Nearest(to.Tool, r.Names()); near != "" {
			hint = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", near, hint))
		}
		return nil, nil, "", e.At(to.ToolAt).WithHint("%s", hint)
	case target.Forward != nil:
		return nil, nil, "", Errorf(CodeInvalidInput, "%s calls other tools, not itself", tool.Contract.Name).At(to.ToolAt).
			WithHint("Name the tool that does the work.")
	}
	return target, to.Input, to.InputAt, nil
}

// Forwarded is the call that a forwarding tool was asked to make, with the places of its
// parts as JSON pointers.
type Forwarded struct {
	Tool    string
	ToolAt  string
	Input   json.RawMessage
	InputAt string
	Hint    string // what to do where there is no such tool
}
