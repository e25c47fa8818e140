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
