// Package join puts shared parts into contracts. A contract refers to a part by
// name; what is served is the joined contract, whose schemas are closed and need
// no other file.
//
//	{"$ref": "atelier:defs/NAME"}        a schema; title, description, default and
//	                                     examples beside it replace the part's own,
//	                                     any other keyword must be new to it
//	{"$ref": "atelier:properties/NAME"}  members of a "properties" object, beside others;
//	                                     a list of references names several groups
//	{"$ref": "atelier:errors/NAME"}      rows of a contract's errors, in its place
package join

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const scheme = "atelier:"

// The kinds of parts, and the member of a file of parts that holds each.
const (
	schemas    = "defs"
	properties = "properties"
	rows       = "errors"
)

var (
	members     = map[string]string{"$defs": schemas, "properties": properties, "errors": rows}
	annotations = []string{"title", "description", "default", "examples"}
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// Parts are shared parts, by kind and name: "defs/evidence".
type Parts struct {
	raw    map[string]any
	joined map[string]any
	open   []string // parts that are being joined, outermost first
}

// Load reads the parts of every .json file of a folder.
func Load(folder fs.FS) (*Parts, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = fs.ReadFile(folder, name); err != nil {
			return nil, err
		}
	}
	return New(files)
}

// New reads the parts of files and joins them with each other. The error names
// the file, the part and the place.
func New(files map[string][]byte) (*Parts, error) {
	p := &Parts{raw: map[string]any{}, joined: map[string]any{}}
	from := map[string]string{} // which file has a part
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := p.read(name, files[name], from); err != nil {
			return nil, fmt.Errorf("shared parts, %s: %w", name, err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.raw)) {
		if _, err := p.part(key); err != nil {
			return nil, fmt.Errorf("shared parts, %s: %w", from[key], err)
		}
	}
	return p, nil
}

func (p *Parts) read(file string, text []byte, from map[string]string) error {
	doc, err := parse(text)
	if err != nil {
		return err
	}
	top, _ := doc.(object)
	for _, m := range top {
		if m.key == "$comment" || m.key == "$schema" {
			continue
		}
		kind, known := members[m.key]
		parts, ok := m.value.(object)
		if !known || !ok {
			return fmt.Errorf("/%s is not one of $defs, properties and errors with an object of parts", m.key)
		}
		for _, part := range parts {
			key := kind + "/" + part.key
			if !namePattern.MatchString(part.key) {
				return fmt.Errorf("the name %q must match %s", part.key, namePattern)
			}
			if other, twice := from[key]; twice {
				return fmt.Errorf("%s stands in %s already; names are common to all files", key, other)
			}
			from[key], p.raw[key] = file, part.value
		}
	}
	return nil
}

// part returns a part in which every reference is joined already.
func (p *Parts) part(key string) (any, error) {
	if done, ok := p.joined[key]; ok {
		return done, nil
	}
	raw, ok := p.raw[key]
	if !ok {
		return nil, fmt.Errorf("there is no shared part %q (api/defs has %s)", key, strings.Join(p.names(key), ", "))
	}
	if slices.Contains(p.open, key) {
		return nil, fmt.Errorf("the part %s contains itself: %s", key, strings.Join(append(p.open, key), " -> "))
	}
	p.open = append(p.open, key)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	kind, _, _ := strings.Cut(key, "/")
	joined, err := p.join(raw, kind, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	if at := localReference(joined, ""); at != "" {
		return nil, fmt.Errorf("%s: %s refers to its own file, which the contracts that use the part do not have: refer to %s%s/NAME", key, at, scheme, schemas)
	}
	p.joined[key] = joined
	return joined, nil
}

// names lists the parts of a key's kind.
func (p *Parts) names(key string) []string {
	kind, _, _ := strings.Cut(key, "/")
	var out []string
	for k := range p.raw {
		if name, ok := strings.CutPrefix(k, kind+"/"); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func localReference(value any, at string) string {
	switch v := value.(type) {
	case object:
		for _, m := range v {
			if ref, ok := m.value.(string); ok && m.key == "$ref" && strings.HasPrefix(ref, "#") {
				return at + "/$ref"
			}
			if found := localReference(m.value, at+"/"+m.key); found != "" {
				return found
			}
		}
	case []any:
		for i, item := range v {
			if found := localReference(item, at+"/"+strconv.Itoa(i)); found != "" {
				return found
			}
		}
	}
	return ""
}

// Contract joins the schemas and errors of a contract file, and adds the evidence
// to the output of a contract that says that its results carry it. A file that has
// neither is returned as it is. The error names the place.
func (p *Parts) Contract(file []byte) ([]byte, error) {
	if !bytes.Contains(file, []byte(scheme)) && !bytes.Contains(file, []byte(`"evidence"`)) {
		return file, nil
	}
	doc, err := parse(file)
	if err != nil {
		return nil, err
	}
	top, ok := doc.(object)
	if !ok {
		return file, nil // whoever decodes it says what is wrong with it
	}
	added, err := addEvidence(top)
	if err != nil || !added && !bytes.Contains(file, []byte(scheme)) {
		return file, err
	}
	for i, m := range top {
		kind := schemas
		switch m.key {
		case "input_schema", "output_schema":
		case "errors":
			kind = rows
		default:
			continue
		}
		if top[i].value, err = p.join(m.value, kind, "/"+m.key); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	err = write(&out, top)
	return out.Bytes(), err
}
