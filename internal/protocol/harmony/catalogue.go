package harmony

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/schema"
)

// Name is what a tool is called in Harmony: namespace and name. A canonical name
// with a dot has both; another tool's namespace is its family.
func Name(c *contract.Contract) (namespace, name string) {
	if ns, rest, dotted := strings.Cut(c.Name, "."); dotted {
		return ns, rest
	}
	return c.Family, c.Name
}

// Recipient is the name that a call is sent to: namespace.name.
func Recipient(c *contract.Contract) string {
	namespace, name := Name(c)
	return namespace + "." + name
}

// Find returns the tool of a recipient in any of the forms that models write:
// the name shown to them, the canonical name, the alias, each also behind the
// family or "functions". An unknown one is an unknown_tool error that suggests
// the nearest name.
func Find(tools *contract.Registry, recipient string) (*contract.Tool, error) {
	wanted := strings.TrimPrefix(recipient, "functions.")
	for _, t := range tools.All() {
		if Recipient(t.Contract) == wanted {
			return t, nil
		}
	}
	if t, err := tools.Find(wanted); err == nil {
		return t, nil
	}
	if prefix, rest, ok := strings.Cut(wanted, "."); ok {
		if t, err := tools.Find(rest); err == nil {
			if ns, _ := Name(t.Contract); prefix == ns || prefix == t.Contract.Family {
				return t, nil
			}
		}
	}
	names := make([]string, 0, len(tools.All()))
	for _, t := range tools.All() {
		names = append(names, Recipient(t.Contract))
	}
	e := contract.Errorf(contract.CodeUnknownTool, "no tool is named %q", recipient)
	if near := contract.Nearest(wanted, names); near != "" {
		return nil, e.WithHint("Did you mean %q? The tools are %s.", near, strings.Join(names, ", "))
	}
	return nil, e.WithHint("The tools are %s.", strings.Join(names, ", "))
}

// Namespaces projects tools to what SystemContent.with_tools takes, with the
// parameters prepared.
func Namespaces(tools *contract.Registry) ([]Namespace, error) {
	namespaces := []Namespace{}
	place := map[string]int{}
	for _, t := range tools.All() {
		namespace, name := Name(t.Contract)
		parameters, words, err := schema.Plain(t.Contract.InputSchema, true)
		if err != nil {
			return nil, fmt.Errorf("input schema of %s: %w", t.Contract.Name, err)
		}
		description := t.Contract.Description
		words = strings.TrimSpace(strings.TrimPrefix(words, "Input parameters for "+t.Contract.Name+"."))
		if words != "" {
			description = strings.TrimRight(description, "\n") + "\n" + words
		}
		at, there := place[namespace]
		if !there {
			at = len(namespaces)
			place[namespace] = at
			namespaces = append(namespaces, Namespace{Name: namespace})
		}
		namespaces[at].Tools = append(namespaces[at].Tools, ToolDescription{name, description, json.RawMessage(parameters.JSON())})
	}
	return namespaces, nil
}
