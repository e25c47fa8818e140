package words

import (
	"math/big"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// node is a piece of a sentence: a word with its concepts, or a phrase of several.
type node struct {
	kind       string   // the concept: "side.left", or what the lexer has found: "amount"
	also       []string // further concepts of the word
	start, end int      // bytes of the sentence
	text       string
	kids       []*node // of a phrase
	val        any
	used       bool // some part of the reading stands on it
	plural     bool // of a noun
}

// is says whether a node is of a kind or of one below it: "side" of "side.left".
func (n *node) is(kind string) bool {
	return below(n.kind, kind) || slices.ContainsFunc(n.also, func(k string) bool { return below(k, kind) })
}

func below(kind, of string) bool {
	return strings.HasPrefix(kind, of) && (len(kind) == len(of) || kind[len(of)] == '.')
}

// tail is the last part of the concept of a kind: "left" of "side.left".
func (n *node) tail(of string) string {
	for _, k := range append([]string{n.kind}, n.also...) {
		if below(k, of) {
			return strings.TrimPrefix(strings.TrimPrefix(k, of), ".")
		}
	}
	return ""
}

// use marks a node, and what it is made of, as read.
func (n *node) use() {
	if n == nil {
		return
	}
	n.used = true
	for _, k := range n.kids {
		k.use()
	}
}

// amount of a node; nil for any other.
func (n *node) amount() *amount {
	if n == nil {
		return nil
	}
	a, _ := n.val.(*amount)
	return a
}

// leaves are the words that a node is made of.
func (n *node) leaves() []*node {
	if len(n.kids) == 0 {
		return []*node{n}
	}
	var out []*node
	for _, k := range n.kids {
		out = append(out, k.leaves()...)
	}
	return out
}

// phrase is a node of several.
func phrase(kind string, kids []*node, val any) *node {
	n := &node{kind: kind, kids: kids, val: val, start: kids[0].start, end: kids[len(kids)-1].end}
	var words []string
	for _, k := range kids {
		words = append(words, k.text)
		n.plural = n.plural || k.plural
	}
	n.text = strings.Join(words, " ")
	return n
}

// direction is an axis with a sign, 0 where none was said.
type direction struct {
	axis string
	sign int
}

func (d direction) index() int { return int(d.axis[0] - 'x') }

// vector is three numbers with a unit.
type vector struct {
	parts   [3]*big.Rat
	units   []quantity.Unit
	written string
}

func (v vector) amount(i int) *amount {
	return &amount{number: v.parts[i], units: v.units, written: v.written}
}
