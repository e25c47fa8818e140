package toolbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// roomy bounds a schema that is shown, in bytes: about 1,300 tokens of a model.
const roomy = 5000

// unfold shows a JSON Schema from a place on, as deep as there is room; what does not fit is
// folded to its type, its first sentence and its place.
func unfold(schema json.RawMessage, at string) (shown any, folded bool, err error) {
	var whole any
	if err := json.Unmarshal(schema, &whole); err != nil {
		return nil, false, err
	}
	part := whole
	if at != "" {
		var ok bool
		if part, ok = contract.Figure(schema, at); !ok {
			return nil, false, contract.Errorf(contract.CodeInvalidInput, "the input schema has nothing at %s", at).At("/at").
				WithHint("Take a place that is told as folded, such as /properties/mesh.")
		}
	}
	for _, way := range []folding{{depth: 9}, {depth: 9, brief: true}, {depth: 3}, {depth: 3, brief: true}, {depth: 2}, {depth: 2, brief: true}, {depth: 1}, {depth: 1, brief: true}, {brief: true}} {
		f := way
		shown = f.show(part, at, f.depth)
		raw, err := json.Marshal(shown)
		if err != nil {
			return nil, false, err
		}
		folded = f.folded
		if len(raw) <= roomy {
			break
		}
	}
	return shown, folded, nil
}

// folding is one way to shorten a schema.
type folding struct {
	depth  int
	brief  bool // first sentences only
	folded bool
}

func (f *folding) show(v any, at string, depth int) any {
	node, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if depth < 0 && deep(node) {
		f.folded = true
		short := map[string]any{"folded": at}
		for _, key := range []string{"type", "const", "title"} {
			if given, ok := node[key]; ok {
				short[key] = given
			}
		}
		if text, ok := node["description"].(string); ok {
			short["description"] = firstSentence(text)
		}
		return short
	}
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(node)) {
		switch child := node[key].(type) {
		case map[string]any:
			out[key] = f.keyword(key, child, at, depth)
		case []any:
			list := make([]any, len(child))
			for i, one := range child {
				list[i] = f.show(one, at+"/"+key+"/"+strconv.Itoa(i), depth)
			}
			out[key] = list
		case string:
			if key == "description" && f.brief {
				child = firstSentence(child)
			}
			out[key] = child
		default:
			out[key] = child
		}
	}
	return out
}

// keyword shows an object below a schema: a map of schemas, or one.
func (f *folding) keyword(key string, child map[string]any, at string, depth int) any {
	switch key {
	case "properties", "$defs", "patternProperties":
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(child)) {
			out[name] = f.show(child[name], at+"/"+key+"/"+jsonvalue.Escape(name), depth-1)
		}
		return out
	case "items", "additionalProperties", "not", "if", "then", "else":
		return f.show(child, at+"/"+key, depth)
	}
	return child // default, const: values
}

// deep says whether a schema has others within.
func deep(node map[string]any) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(node)), func(key string) bool {
		return strings.HasSuffix(key, "roperties") && key != "additionalProperties" || key == "items" || strings.HasSuffix(key, "Of")
	})
}
