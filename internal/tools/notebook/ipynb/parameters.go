package ipynb

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/tools/notebook/python"
)

// Tags of papermill's convention.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
)

var identifier = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*$`)

// Inject adds a cell that sets parameters, as papermill does: after the cell
// tagged "parameters", in place of an earlier "injected-parameters" cell, or at
// the top. It returns the cell's index, whether it replaced one, and warnings
// about parameters that the tagged cell does not set.
func Inject(nb *Existing, parameters map[string]json.RawMessage) (at int, replaced bool, warnings []contract.Warning, err error) {
	source := "# Parameters\n"
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !identifier.MatchString(name) || python.IsKeyword(name) {
			return 0, false, nil, contract.Errorf(contract.CodeInvalidInput, "%q is no name that Python can assign to", name).At("/parameters/" + jsonvalue.Escape(name)).
				WithHint("Names of parameters are Python identifiers, such as learning_rate.")
		}
		value, err := pythonLiteral(parameters[name])
		if err != nil {
			return 0, false, nil, err
		}
		source += name + " = " + value + "\n"
	}
	tagged := slices.IndexFunc(nb.Cells, func(c ExistingCell) bool { return c.Type == "code" && slices.Contains(c.Tags(), tagParameters) })
	at = tagged + 1
	if tagged >= 0 {
		known := EffectsOf(nb.Cells[tagged].Source).Defines
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			if !slices.Contains(known, name) {
				warnings = append(warnings, contract.Warning{Code: "parameter_unknown", Message: fmt.Sprintf("The notebook's parameters cell does not set %s.", name)})
			}
		}
	}
	cell := ExistingCell{Type: "code", Fields: map[string]json.RawMessage{
		"cell_type": json.RawMessage(`"code"`), "metadata": json.RawMessage(`{"tags":["` + tagInjected + `"]}`), "outputs": json.RawMessage("[]"), "execution_count": json.RawMessage("null"),
	}}
	if err := cell.SetSource(strings.TrimSuffix(source, "\n")); err != nil {
		return 0, false, nil, err
	}
	earlier := slices.IndexFunc(nb.Cells, func(c ExistingCell) bool { return c.Type == "code" && slices.Contains(c.Tags(), tagInjected) })
	defer func() { warnings = append(warnings, withoutEffect(nb, at, parameters)...) }()
	if earlier >= 0 {
		if id, ok := nb.Cells[earlier].Fields["id"]; ok {
			cell.Fields["id"] = id
		}
		nb.Cells[earlier] = cell
		return earlier, true, warnings, nil
	}
	nb.Cells = slices.Insert(nb.Cells, at, cell)
	return at, false, warnings, nil
}

// CodeOverwritten is the code of the warning of a parameter that a cell sets again.
const CodeOverwritten = "parameter_overwritten"

// withoutEffect warns of parameters that the cells behind the injected one set again
// before they read them, or never read.
func withoutEffect(nb *Existing, injected int, parameters map[string]json.RawMessage) (warnings []contract.Warning) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		word := regexp.MustCompile(`(?:^|[^\p{L}\p{N}_])` + regexp.QuoteMeta(name) + `(?:$|[^\p{L}\p{N}_])`)
		warning := contract.Warning{Code: "parameter_unused", Message: fmt.Sprintf("No cell reads %s.", name)}
		for _, c := range nb.Cells[injected+1:] {
			if c.Type != "code" {
				continue
			}
			e := EffectsOf(c.Source)
			reads := slices.Contains(e.Uses, name) || slices.Contains(e.Later, name) || slices.Contains(e.Changes, name)
			if !reads && slices.Contains(e.Defines, name) {
				warning = contract.Warning{Code: CodeOverwritten, Message: fmt.Sprintf(
					"A cell sets %s again before any reads it, so the value given has no effect. Tag that cell %q: parameters are then set behind it.", name, tagParameters)}
				break
			}
			if reads || e.Star || word.MatchString(c.Source) {
				warning = contract.Warning{}
				break
			}
		}
		if warning.Code != "" {
			warnings = append(warnings, warning)
		}
	}
	return warnings
}

// pythonLiteral writes a JSON value as Python.
func pythonLiteral(raw json.RawMessage) (string, error) {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil && string(raw) != "null":
		return literal(text), nil
	case string(raw) == "null":
		return "None", nil
	case string(raw) == "true":
		return "True", nil
	case string(raw) == "false":
		return "False", nil
	case json.Unmarshal(raw, &list) == nil:
		return joined("[", "]", list, func(v json.RawMessage) (string, error) { return pythonLiteral(v) })
	case json.Unmarshal(raw, &object) == nil:
		return joined("{", "}", slices.Sorted(maps.Keys(object)), func(key string) (string, error) {
			v, err := pythonLiteral(object[key])
			return literal(key) + ": " + v, err
		})
	}
	var number json.Number
	if err := json.Unmarshal(raw, &number); err != nil {
		return "", fmt.Errorf("a parameter: %w", err)
	}
	return number.String(), nil
}

func joined[T any](open, end string, items []T, write func(T) (string, error)) (string, error) {
	parts := make([]string, len(items))
	for i, item := range items {
		var err error
		if parts[i], err = write(item); err != nil {
			return "", err
		}
	}
	return open + strings.Join(parts, ", ") + end, nil
}
