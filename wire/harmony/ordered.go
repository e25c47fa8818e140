package harmony

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind of a JSON value.
type kind byte

const (
	nullKind kind = iota
	boolKind
	numberKind
	textKind
	arrayKind
	objectKind
)

// node is a JSON value that keeps the order of its keys, because the rendered
// text has the properties in the order in which the schema lists them.
type node struct {
	kind   kind
	truth  bool
	text   string // a string's value, or a number's literal
	items  []*node
	keys   []string
	fields map[string]*node
}

// parseNode reads one JSON value; of a key that stands twice the last value
// counts, at the place of the first.
func parseNode(raw []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	n, err := readNode(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return n, nil
}

func readNode(dec *json.Decoder) (*node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case bool:
		return &node{kind: boolKind, truth: t}, nil
	case json.Number:
		return &node{kind: numberKind, text: t.String()}, nil
	case string:
		return textNode(t), nil
	case json.Delim:
		if t == '[' {
			return readArray(dec)
		}
		return readObject(dec)
	}
	return &node{}, nil
}

func readArray(dec *json.Decoder) (*node, error) {
	n := &node{kind: arrayKind}
	for dec.More() {
		item, err := readNode(dec)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err := dec.Token()
	return n, err
}

func readObject(dec *json.Decoder) (*node, error) {
	n := newObject()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		value, err := readNode(dec)
		if err != nil {
			return nil, err
		}
		n.set(key.(string), value)
	}
	_, err := dec.Token()
	return n, err
}

func newObject() *node { return &node{kind: objectKind, fields: map[string]*node{}} }

func textNode(s string) *node { return &node{kind: textKind, text: s} }

func listNode(items ...*node) *node { return &node{kind: arrayKind, items: items} }

// get is the value of a key, nil when n is no object or lacks it.
func (n *node) get(key string) *node {
	if n == nil || n.kind != objectKind {
		return nil
	}
	return n.fields[key]
}

func (n *node) set(key string, value *node) {
	if _, there := n.fields[key]; !there {
		n.keys = append(n.keys, key)
	}
	n.fields[key] = value
}

func (n *node) drop(key string) {
	if _, there := n.fields[key]; there {
		delete(n.fields, key)
		n.keys = slices.DeleteFunc(n.keys, func(k string) bool { return k == key })
	}
}

// str is the value of a key when that is a string.
func (n *node) str(key string) (string, bool) {
	v := n.get(key)
	if v == nil || v.kind != textKind {
		return "", false
	}
	return v.text, true
}

// list is the value of a key when that is an array.
func (n *node) list(key string) ([]*node, bool) {
	v := n.get(key)
	if v == nil || v.kind != arrayKind {
		return nil, false
	}
	return v.items, true
}

func (n *node) clone() *node {
	c := *n
	c.keys = slices.Clone(n.keys)
	if n.kind == objectKind {
		c.fields = make(map[string]*node, len(n.fields))
		for k, v := range n.fields {
			c.fields[k] = v.clone()
		}
	}
	c.items = make([]*node, len(n.items))
	for i, item := range n.items {
		c.items[i] = item.clone()
	}
	return &c
}

// MarshalJSON keeps the order of the keys.
func (n *node) MarshalJSON() ([]byte, error) { return []byte(n.json()), nil }

// json is the value as serde_json prints it: compact, without spaces, only
// quotes, backslashes and control characters escaped, floats in their shortest
// form. openai-harmony prints defaults so.
func (n *node) json() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case nullKind:
		b.WriteString("null")
	case boolKind:
		b.WriteString(strconv.FormatBool(n.truth))
	case numberKind:
		b.WriteString(serdeNumber(n.text))
	case textKind:
		writeString(b, n.text)
	case arrayKind:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case objectKind:
		b.WriteByte('{')
		for i, key := range n.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, key)
			b.WriteByte(':')
			n.fields[key].write(b)
		}
		b.WriteByte('}')
	}
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func writeString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		if short, ok := shortEscapes[r]; ok {
			b.WriteString(short)
		} else if r < 0x20 {
			fmt.Fprintf(b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// serdeNumber prints a JSON number as serde_json does after reading it: whole
// numbers of 64 bits as they are, all others as the shortest decimal of a
// double, with a point, and with an exponent outside 1e-5 to 1e16.
func serdeNumber(literal string) string {
	if !strings.ContainsAny(literal, ".eE") && literal != "-0" {
		if _, err := strconv.ParseInt(literal, 10, 64); err == nil {
			return literal
		}
		if _, err := strconv.ParseUint(literal, 10, 64); err == nil {
			return literal
		}
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(f, 0) {
		return literal
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-5 || abs >= 1e16) {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		power, _ := strconv.Atoi(exponent)
		return mantissa + "e" + strconv.Itoa(power)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
