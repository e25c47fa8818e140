package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/jsonvalue"
)

// largestSchema is how many parts a schema may have once each $ref is replaced by what
// it leads to. Whatever reads schemas walks them all; the largest of the program's own
// have some hundreds.
const largestSchema = 20_000

// checkReferences refuses a schema whose references lead back to themselves, so that a
// walk along them would never end, or that unfold to more than any reader can walk.
// A schema that contains itself (a tree) is refused as well: how deep a value goes must
// be bounded for the checks, the tables of documentation and the models that read it.
func checkReferences(raw json.RawMessage) error {
	if !bytes.ContainsAny(raw, `$\`) { // nor a $ in another spelling
		return nil
	}
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		return err
	}
	w := unfolding{root: root, sizes: map[string]int{}}
	_, err := w.size("", root, true)
	return err
}

// unfolding counts the parts of a schema with its references put in place.
type unfolding struct {
	root  any
	sizes map[string]int // of what has been counted, by its pointer
	open  []string       // the parts that are being counted, outermost first
}

// size counts the part at a pointer; schema is false for a map of names to schemas.
func (w *unfolding) size(at string, part any, schema bool) (int, error) {
	switch part.(type) {
	case map[string]any, []any:
	default:
		return 1, nil
	}
	if n, known := w.sizes[at]; known {
		return n, nil
	}
	if len(w.open) > jsonvalue.Deepest {
		return 0, fmt.Errorf("%s is more than %d references and parts deep; put fewer into each other", shownPart(at), jsonvalue.Deepest)
	}
	w.open = append(w.open, at)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	n := 1
	for _, m := range w.parts(at, part, schema) {
		if m.err != nil {
			return 0, m.err
		}
		if slices.Contains(w.open, m.at) { // by a reference: nothing stands in itself
			return 0, fmt.Errorf("%s leads back to the place that it stands in (%s): a schema that contains itself has no end; write out as many levels as the tool takes, or take such a value as a text or a file", m.by, w.way(m.at))
		}
		more, err := w.size(m.at, m.part, m.schema)
		if err != nil {
			return 0, err
		}
		if n += more; n > largestSchema {
			return 0, fmt.Errorf("%s has more than %d parts once every $ref is replaced by what it leads to; refer to fewer parts from within parts", shownPart(at), largestSchema)
		}
	}
	w.sizes[at] = n
	return n, nil
}

// partOf is a part within another one, or one that it refers to.
type partOf struct {
	at     string
	key    string // in a map; "" in a list
	part   any
	schema bool
	by     string // the place of the reference
	err    error
}

// maps of names to schemas, and keywords that hold values.
var (
	namedSchemas = []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
	plainValues  = []string{"const", "enum", "default", "examples", "required", "dependentRequired", "type", "quantity"}
	strayRefs    = []string{"$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"}
)

// partsOf are the parts of a schema, or of a map of names to schemas, without the values
// that stand in it.
func partsOf(at string, part any, schema bool) (parts []partOf) {
	switch p := part.(type) {
	case []any:
		for i, item := range p {
			parts = append(parts, partOf{at: at + "/" + strconv.Itoa(i), part: item, schema: true})
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(p)) {
			if schema && slices.Contains(plainValues, key) {
				continue
			}
			parts = append(parts, partOf{at: at + "/" + jsonvalue.Escape(key), key: key, part: p[key], schema: !schema || !slices.Contains(namedSchemas, key)})
		}
	}
	return parts
}

// parts follows references.
func (w *unfolding) parts(at string, part any, schema bool) []partOf {
	parts := partsOf(at, part, schema)
	for i, p := range parts {
		switch {
		case schema && p.key == "$ref":
			parts[i] = w.referred(p.at, p.part)
		case schema && slices.Contains(strayRefs, p.key):
			parts[i] = partOf{err: fmt.Errorf("%s: a contract refers to its own parts by their place (\"$ref\": \"#/$defs/NAME\"); %s is not read", p.at, p.key)}
		}
	}
	return parts
}

// referred is what a $ref leads to.
func (w *unfolding) referred(place string, ref any) partOf {
	text, _ := ref.(string) // the compiler has refused another type
	pointer, local := strings.CutPrefix(text, "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return partOf{err: fmt.Errorf("%s is %q; a contract refers to its own parts by their place (\"#/$defs/NAME\")", place, text)}
	}
	target, found := lookup(w.root, pointer)
	if !found {
		return partOf{err: fmt.Errorf("%s is %q, and nothing is there; write the names as they are, with ~1 for / and ~0 for ~", place, text)}
	}
	return partOf{at: pointer, part: target, schema: true, by: place}
}

// way is how the open parts lead from a place back to it, by the parts of their own
// that authors gave names.
func (w *unfolding) way(at string) string {
	open := w.open[slices.Index(w.open, at):]
	steps := []string{shownPart(at)}
	for i, p := range open[1:] {
		if !strings.HasPrefix(p, open[i]+"/") { // a reference was followed
			steps = append(steps, shownPart(p))
		}
	}
	return strings.Join(append(steps, shownPart(at)), " -> ")
}

func shownPart(at string) string { return "#" + at }

// checkSchemas holds both schemas, as the file has them, to what every reader of
// schemas relies on. They have been compiled.
func (c *Contract) checkSchemas() error {
	for _, side := range []struct {
		name string
		raw  json.RawMessage
	}{{"input_schema", c.marked.raw}, {"output_schema", c.OutputSchema}} {
		if err := checkReferences(side.raw); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	return nil
}
