package jsonvalue

import (
	"bytes"
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Deepest is how many objects and lists may stand in each other in a text that a
// caller sends: the same on every protocol, and what the strictest reader takes.
const Deepest = 1000

// TooDeep says whether a text is nested deeper than Deepest.
func TooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > Deepest {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// Rules of a comparison of a text with a type.
type Rules struct {
	// Open lets keys through that are no field. One that differs from a field in
	// its case alone is a fault all the same: readers disagree about what it means,
	// and encoding/json takes it for the field.
	Open bool
	// Loose leaves what a type keeps as it came (json.RawMessage) to whoever reads
	// it: keys that stand twice, and text that is no Unicode.
	Loose bool
}

// Misfit is the first place at which a text is not what a type wants. Exactly one
// of Text, Unknown, Twice and Want says why.
type Misfit struct {
	At      string // JSON pointer
	Text    error  // it is no good JSON: of jsontext
	Twice   bool   // the key at At stands twice in its object
	Unknown bool   // the key at At is no field of its object
	Name    string // the unknown key
	Known   []string
	Want    reflect.Type // what the value at At would have to be
	Got     string       // and what it is: string, number 1.5, bool, object, array
}

// Parent is the pointer of the object that has the unknown key.
func (m *Misfit) Parent() string { return m.At[:strings.LastIndexByte(m.At, '/')] }

// Near is the field that the unknown key differs from in its case alone; "" for none.
func (m *Misfit) Near() string {
	for _, name := range m.Known {
		if strings.EqualFold(name, m.Name) {
			return name
		}
	}
	return ""
}

// Fit compares a JSON text with the type that encoding/json is to read it into, by
// the exact names of its fields; nil where it fits. What decodes itself is skipped.
func Fit(text []byte, t reflect.Type, rules Rules) *Misfit {
	f := fitter{jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(rules.Loose), jsontext.AllowInvalidUTF8(rules.Loose)), rules}
	if m := f.value("", t); m != nil {
		return m
	}
	if _, err := f.ReadToken(); err != io.EOF {
		if err == nil {
			err = io.ErrUnexpectedEOF // the words for it are Syntax's
		}
		return &Misfit{Text: err}
	}
	return nil
}

type fitter struct {
	*jsontext.Decoder
	rules Rules
}

func (f fitter) value(at string, t reflect.Type) *Misfit {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := f.PeekKind()
	if kind == 'n' || decodesItself(t) {
		return f.skip()
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		if kind == '{' {
			return f.object(at, t)
		}
	case reflect.Slice, reflect.Array:
		if kind == '[' {
			return f.list(at, t.Elem())
		}
	case reflect.String:
		if kind == '"' {
			return f.skip()
		}
	case reflect.Bool:
		if kind == 't' || kind == 'f' {
			return f.skip()
		}
	default:
		if kind == '0' {
			return f.number(at, t)
		}
	}
	return f.unfit(at, t, kind)
}

// unfit is the fault of a value of another kind; it has to be JSON first.
func (f fitter) unfit(at string, t reflect.Type, kind jsontext.Kind) *Misfit {
	if m := f.skip(); m != nil {
		return m
	}
	names := map[jsontext.Kind]string{'{': "object", '[': "array", '"': "string", '0': "number", 't': "bool", 'f': "bool"}
	return &Misfit{At: at, Want: t, Got: names[kind]}
}

func (f fitter) skip() *Misfit {
	if err := f.SkipValue(); err != nil {
		return &Misfit{Text: err}
	}
	return nil
}

func (f fitter) object(at string, t reflect.Type) *Misfit {
	if _, err := f.ReadToken(); err != nil {
		return &Misfit{Text: err}
	}
	var fields map[string]reflect.Type
	if t.Kind() == reflect.Struct {
		fields = fieldsOf(t)
	}
	seen := map[string]bool{}
	for f.PeekKind() != '}' {
		token, err := f.ReadToken()
		if err != nil {
			return &Misfit{Text: err}
		}
		name := token.String()
		place := at + "/" + Escape(name)
		if seen[name] {
			return &Misfit{At: place, Twice: true}
		}
		seen[name] = true
		m := f.member(place, name, t, fields)
		if m != nil {
			return m
		}
	}
	return f.end()
}

func (f fitter) member(place, name string, t reflect.Type, fields map[string]reflect.Type) *Misfit {
	if fields == nil {
		return f.value(place, t.Elem())
	}
	if field, known := fields[name]; known {
		return f.value(place, field)
	}
	m := &Misfit{At: place, Unknown: true, Name: name}
	for known := range fields {
		m.Known = append(m.Known, known)
	}
	slices.Sort(m.Known)
	if f.rules.Open && m.Near() == "" {
		return f.skip()
	}
	return m
}

func (f fitter) list(at string, item reflect.Type) *Misfit {
	if _, err := f.ReadToken(); err != nil {
		return &Misfit{Text: err}
	}
	for i := 0; f.PeekKind() != ']'; i++ {
		if m := f.value(at+"/"+strconv.Itoa(i), item); m != nil {
			return m
		}
	}
	return f.end()
}

func (f fitter) end() *Misfit {
	if _, err := f.ReadToken(); err != nil {
		return &Misfit{Text: err}
	}
	return nil
}

func (f fitter) number(at string, t reflect.Type) *Misfit {
	token, err := f.ReadToken()
	if err != nil {
		return &Misfit{Text: err}
	}
	text := token.String()
	switch bits := t.Bits(); {
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		_, err = strconv.ParseFloat(text, bits)
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr:
		_, err = strconv.ParseUint(text, 10, bits)
	default:
		_, err = strconv.ParseInt(text, 10, bits)
	}
	if err != nil {
		return &Misfit{At: at, Want: t, Got: "number " + text}
	}
	return nil
}

// decodesItself: what a type makes of a text is its own affair, or it takes any.
func decodesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.Number]() || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return true
	}
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

var known sync.Map // of a struct's type: its fields

// fieldsOf are the fields of a struct by the names that JSON has for them. All
// structs that are compared give names in tags.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if found, ok := known.Load(t); ok {
		return found.(map[string]reflect.Type)
	}
	fields, depths := map[string]reflect.Type{}, map[string]int{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		if !f.IsExported() || tag == "-" || f.Anonymous && name == "" || behindName(t, f.Index) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if depth, twice := depths[name]; !twice || len(f.Index) < depth {
			fields[name], depths[name] = f.Type, len(f.Index)
		}
	}
	known.Store(t, fields)
	return fields
}

// behindName: an embedded struct with a name of its own is a field as any other.
func behindName(t reflect.Type, index []int) bool {
	for i := 1; i < len(index); i++ {
		if name, _, _ := strings.Cut(t.FieldByIndex(index[:i]).Tag.Get("json"), ","); name != "" {
			return true
		}
	}
	return false
}
