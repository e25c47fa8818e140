package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"atelier/internal/testenv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maker makes random schemas, random edits of them, and random values that are
// likely to fit them.
type maker struct{ *rand.Rand }

type node = map[string]any

func (m maker) pick(words ...string) string { return words[m.IntN(len(words))] }

func (m maker) number() float64 { return float64(m.IntN(13) - 4) }

func (m maker) schema(depth int) node {
	if depth <= 0 {
		return m.scalar()
	}
	switch m.IntN(9) {
	case 0, 1, 2:
		return m.object(depth)
	case 3:
		return node{"type": "array", "items": m.schema(depth - 1), "maxItems": float64(1 + m.IntN(3))}
	case 4:
		return node{m.pick("oneOf", "anyOf"): []any{m.schema(depth - 1), m.schema(depth - 1)}}
	case 5:
		return node{"$ref": "#/$defs/d"}
	case 6:
		return node{"allOf": []any{m.schema(depth - 1), m.scalar()}}
	}
	return m.scalar()
}

func (m maker) scalar() node {
	switch m.IntN(7) {
	case 0:
		return node{"type": "string", "minLength": float64(m.IntN(2)), "maxLength": float64(2 + m.IntN(3))}
	case 1:
		return node{"type": m.pick("number", "integer"), "minimum": m.number() - 4, "maximum": m.number() + 4}
	case 2:
		return node{"enum": []any{"a", m.pick("b", "c"), m.number()}}
	case 3:
		return node{"type": []any{m.pick("string", "integer"), "null"}}
	case 4:
		return node{"type": "number", "exclusiveMinimum": m.number()}
	case 5:
		return node{"const": m.pick("a", "b")}
	}
	return node{"type": m.pick("boolean", "integer", "string")}
}

func (m maker) object(depth int) node {
	properties, required := node{}, []any{}
	for _, name := range []string{"a", "b", "c"} {
		if m.IntN(3) > 0 {
			properties[name] = m.schema(depth - 1)
			if m.IntN(3) == 0 {
				required = append(required, name)
			}
		}
	}
	s := node{"type": "object", "properties": properties, "required": required}
	switch m.IntN(4) {
	case 0: // open
	case 1:
		s["additionalProperties"] = m.scalar()
	default:
		s["additionalProperties"] = false
	}
	return s
}

// root is a schema of an input, with one definition.
func (m maker) root() node {
	s := m.object(3)
	s["$defs"] = node{"d": m.pickSchema(m.scalar(), m.object(1))}
	return s
}

func (m maker) pickSchema(schemas ...node) node { return schemas[m.IntN(len(schemas))] }

// edit changes one thing at a random place of a copy.
func (m maker) edit(schema node) node {
	var copied node
	raw, _ := json.Marshal(schema)
	_ = json.Unmarshal(raw, &copied)
	places := collectNodes(copied, nil)
	s := places[m.IntN(len(places))]
	switch m.IntN(14) {
	case 0:
		if properties := set(s["properties"]); properties != nil {
			properties["new"] = m.scalar()
		} else {
			s["description"] = "b"
		}
	case 1:
		delete(set(s["properties"]), m.pick("a", "b", "c"))
	case 2:
		s["required"] = []any{m.pick("a", "b")}
	case 3:
		delete(s, "required")
	case 4:
		s["type"] = m.pick("string", "number", "integer", "object")
	case 5:
		s[m.pick("minimum", "maximum", "exclusiveMinimum")] = m.number()
	case 6:
		delete(s, m.pick("minimum", "maximum", "maxLength", "additionalProperties", "type", "maxItems"))
	case 7:
		s["enum"] = []any{"a", "b", m.number()}
	case 8:
		s["additionalProperties"] = m.pickSchema(node{}, m.scalar())
	case 9, 12: // a further branch, wherever there is a choice
		for _, place := range places {
			for _, key := range []string{"oneOf", "anyOf"} {
				if branches := list(place[key]); branches != nil {
					place[key] = append(branches, any(m.scalar()))
				}
			}
		}
	case 13: // every inclusive bound becomes exclusive
		for _, place := range places {
			if low, ok := place["minimum"]; ok {
				place["exclusiveMinimum"] = low
				delete(place, "minimum")
			}
		}
	case 10:
		clear(s)
		maps.Copy(s, m.schema(1))
	case 11:
		s[m.pick("minLength", "minItems", "maxItems", "maxProperties")] = float64(m.IntN(3))
	}
	copied["type"] = "object"
	return copied
}

func collectNodes(v any, out []node) []node {
	switch v := v.(type) {
	case map[string]any:
		_, plain := v["a"].(map[string]any) // the map of properties, not a schema
		if !plain && v["d"] == nil {
			out = append(out, v)
		}
		for _, k := range []string{"properties", "$defs"} {
			for _, name := range slices.Sorted(maps.Keys(set(v[k]))) {
				out = collectNodes(set(v[k])[name], out)
			}
		}
		for _, k := range []string{"items", "additionalProperties"} {
			out = collectNodes(v[k], out)
		}
		for _, k := range []string{"oneOf", "anyOf", "allOf"} {
			for _, b := range list(v[k]) {
				out = collectNodes(b, out)
			}
		}
	}
	return out
}

// value is a value that may fit the schema, often at its edges.
func (m maker) value(root, schema any, depth int) any {
	s := object(expand(root, schema))
	if m.IntN(12) == 0 || depth > 6 {
		return m.noise()
	}
	if listed := values(s); listed != nil {
		return listed[m.IntN(len(listed))]
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if branches := list(s[key]); len(branches) > 0 {
			return m.value(root, branches[m.IntN(len(branches))], depth+1)
		}
	}
	types := typeSet(s)
	switch {
	case types["object"]:
		out := node{}
		properties := set(s["properties"])
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if m.IntN(3) > 0 {
				out[name] = m.value(root, properties[name], depth+1)
			}
		}
		for _, name := range []string{"a", "b", "new"} {
			if _, there := out[name]; !there && m.IntN(4) == 0 {
				out[name] = m.value(root, further(s), depth+1)
			}
		}
		return out
	case types["array"]:
		out := []any{}
		for range m.IntN(4) {
			out = append(out, m.value(root, item(s, 0), depth+1))
		}
		return out
	case types["string"] && m.IntN(5) > 0:
		return "abcdef"[:m.IntN(6)]
	case types["number"] || types["integer"]:
		if low, ok := s["minimum"].(float64); ok && m.IntN(2) == 0 {
			return low
		}
		if high, ok := s["maximum"].(float64); ok && m.IntN(2) == 0 {
			return high
		}
		return m.number()
	}
	return m.noise()
}

func (m maker) noise() any {
	return []any{nil, true, "a", "b", 0.0, 1.5, m.number(), []any{}, node{}}[m.IntN(9)]
}

// compiled is nil of an edit that left no schema behind, such as a reference
// to what is gone.
func compiled(schema node) *jsonschema.Schema {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	s, err := compileSchema("property", raw)
	if err != nil {
		return nil
	}
	return s
}

// Where a change is not called breaking, everything that was valid stays valid:
// the validator itself is the judge, on random schemas, edits and documents.
func TestWhatIsNotBreakingBreaksNothing(t *testing.T) {
	rounds, seed := 400, uint64(3)
	if text := os.Getenv("ATELIER_ROUNDS"); text != "" {
		rounds, _ = strconv.Atoi(text)
		seed = testenv.Seed(t)
	}
	t.Logf("%d rounds, seed %d", rounds, seed)
	m := maker{rand.New(rand.NewPCG(seed, seed))}
	calm, tried, broke := 0, 0, 0
	for range rounds {
		before := m.root()
		after := m.edit(before)
		old, now := compiled(before), compiled(after)
		if old == nil || now == nil {
			continue
		}
		breaking := uncovered(after, before, false)
		broken := false
		for range 40 {
			doc := m.value(before, before, 0)
			if old.Validate(doc) != nil {
				continue
			}
			tried++
			if now.Validate(doc) != nil {
				broken = true
				if len(breaking) == 0 {
					t.Fatalf("called compatible, but\n%s\nwas valid and is not:\nold %s\nnew %s", canonical(doc), canonical(before), canonical(after))
				}
			}
		}
		if len(breaking) == 0 {
			calm++
		}
		if broken {
			broke++
		}
	}
	figures := fmt.Sprintf("%d of %d edits called compatible, %d edits seen to break, %d valid documents", calm, rounds, broke, tried)
	t.Log(figures)
	if calm < rounds/5 || broke < rounds/20 || tried < 5*rounds {
		t.Errorf("the test proves too little: %s", figures)
	}
}
