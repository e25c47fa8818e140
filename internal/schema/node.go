// Package schema reads JSON schemas in the order in which they are written, and
// puts into words what a plain type cannot show: limits, patterns, references,
// what must be given together. Prompts for models and the reference pages for
// people are made of what it gives. It validates nothing: contracts do that.
package schema

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

// Kind of a JSON value.
type Kind byte

// The kinds.
const (
	NullKind Kind = iota
	BoolKind
	NumberKind
	TextKind
	ArrayKind
	ObjectKind
)

// Node is a JSON value that keeps the order of its keys, so that what is made of
// it has the properties in the order in which the schema lists them.
type Node struct {
	Kind   Kind
	Truth  bool
	Text   string // a string's value, or a number's literal
	Items  []*Node
	Keys   []string
	Fields map[string]*Node
}

// Parse reads one JSON value; of a key that stands twice the last value
// counts, at the place of the first.
func Parse(raw []byte) (*Node, error) {
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

func readNode(dec *json.Decoder) (*Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case bool:
		return &Node{Kind: BoolKind, Truth: t}, nil
	case json.Number:
		return &Node{Kind: NumberKind, Text: t.String()}, nil
	case string:
		return TextNode(t), nil
	case json.Delim:
		if t == '[' {
			return readArray(dec)
		}
		return readObject(dec)
	}
	return &Node{}, nil
}

func readArray(dec *json.Decoder) (*Node, error) {
	n := &Node{Kind: ArrayKind}
	for dec.More() {
		item, err := readNode(dec)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	_, err := dec.Token()
	return n, err
}

func readObject(dec *json.Decoder) (*Node, error) {
	n := NewObject()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		value, err := readNode(dec)
		if err != nil {
			return nil, err
		}
		n.Set(key.(string), value)
	}
	_, err := dec.Token()
	return n, err
}

// NewObject is an object without keys.
func NewObject() *Node { return &Node{Kind: ObjectKind, Fields: map[string]*Node{}} }

// TextNode is a string.
func TextNode(s string) *Node { return &Node{Kind: TextKind, Text: s} }

// ListNode is an array.
func ListNode(items ...*Node) *Node { return &Node{Kind: ArrayKind, Items: items} }

// Get is the value of a key, nil when n is no object or lacks it.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != ObjectKind {
		return nil
	}
	return n.Fields[key]
}

// Set adds or replaces a key.
func (n *Node) Set(key string, value *Node) {
	if _, there := n.Fields[key]; !there {
		n.Keys = append(n.Keys, key)
	}
	n.Fields[key] = value
}

// Drop removes a key.
func (n *Node) Drop(key string) {
	if _, there := n.Fields[key]; there {
		delete(n.Fields, key)
		n.Keys = slices.DeleteFunc(n.Keys, func(k string) bool { return k == key })
	}
}

// Str is the value of a key when that is a string.
func (n *Node) Str(key string) (string, bool) {
	v := n.Get(key)
	if v == nil || v.Kind != TextKind {
		return "", false
	}
	return v.Text, true
}

// List is the value of a key when that is an array.
func (n *Node) List(key string) ([]*Node, bool) {
	v := n.Get(key)
	if v == nil || v.Kind != ArrayKind {
		return nil, false
	}
	return v.Items, true
}

// Clone is a deep copy.
func (n *Node) Clone() *Node {
	c := *n
	c.Keys = slices.Clone(n.Keys)
	if n.Kind == ObjectKind {
		c.Fields = make(map[string]*Node, len(n.Fields))
		for k, v := range n.Fields {
			c.Fields[k] = v.Clone()
		}
	}
	c.Items = make([]*Node, len(n.Items))
	for i, item := range n.Items {
		c.Items[i] = item.Clone()
	}
	return &c
}

// MarshalJSON keeps the order of the keys.
func (n *Node) MarshalJSON() ([]byte, error) { return []byte(n.JSON()), nil }

// JSON is the value as serde_json prints it: compact, without spaces, only
// quotes, backslashes and control characters escaped, floats in their shortest
// form. openai-harmony prints defaults so.
func (n *Node) JSON() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	switch n.Kind {
	case NullKind:
		b.WriteString("null")
	case BoolKind:
		b.WriteString(strconv.FormatBool(n.Truth))
	case NumberKind:
		b.WriteString(serdeNumber(n.Text))
	case TextKind:
		writeString(b, n.Text)
	case ArrayKind:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case ObjectKind:
		b.WriteByte('{')
		for i, key := range n.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, key)
			b.WriteByte(':')
			n.Fields[key].write(b)
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
