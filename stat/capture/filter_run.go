package capture

import (
	"math"
	"sync"

	"atelier/stat"
)

// vector holds the values of an expression for the rows of a block. One that is
// the same for all rows has length 1.
type vector struct {
	num    []float64
	text   []string
	truth  []truth
	absent []bool // nil: none
}

// truth is three-valued.
type truth int8

const (
	no truth = iota
	yes
	unknown
)

// frame evaluates filters on one block; columns are decoded once.
type frame struct {
	capture *Capture
	block   int
	rows    int
	columns map[int]vector
	lent    []*[]float64
}

var floatMemory = sync.Pool{New: func() any {
	s := make([]float64, stat.BlockRows)
	return &s
}}

// free takes back the memory of the columns.
func (f *frame) free() {
	for _, s := range f.lent {
		floatMemory.Put(s)
	}
}

func (f *frame) eval(e *expr) (vector, error) {
	switch e.op {
	case "number":
		return vector{num: []float64{e.num}}, nil
	case "text":
		return vector{text: []string{e.text}}, nil
	case "column":
		return f.column(e.col)
	}
	args := make([]vector, len(e.args))
	for i, a := range e.args {
		var err error
		if args[i], err = f.eval(a); err != nil {
			return vector{}, err
		}
	}
	switch e.op {
	case "and", "or", "not":
		return f.logic(e.op, args), nil
	case "null", "not null":
		return f.null(args[0], e.op == "null"), nil
	case "in":
		out := f.compare("==", e.args[0].kind, args[0], args[1])
		for _, a := range args[2:] {
			out = f.logic("or", []vector{out, f.compare("==", e.args[0].kind, args[0], a)})
		}
		return out, nil
	case "between":
		return f.logic("and", []vector{f.compare(">=", e.args[0].kind, args[0], args[1]), f.compare("<=", e.args[0].kind, args[0], args[2])}), nil
	case "call":
		return f.call(e.text, args[0]), nil
	case "minus":
		return f.arithmetic("-", vector{num: []float64{0}}, args[0]), nil
	case "+", "-", "*", "/", "%":
		return f.arithmetic(e.op, args[0], args[1]), nil
	}
	return f.compare(e.op, e.args[0].kind, args[0], args[1]), nil
}

func (f *frame) column(col int) (vector, error) {
	if v, ok := f.columns[col]; ok {
		return v, nil
	}
	var v vector
	if f.capture.Columns[col].Type == String {
		words, code, absent, err := f.capture.words(f.block, col)
		if err != nil {
			return v, err
		}
		v.text, v.absent = make([]string, len(code)), absent
		for i, c := range code {
			if !absent[i] {
				v.text[i] = words[c]
			}
		}
	} else {
		memory := floatMemory.Get().(*[]float64)
		f.lent = append(f.lent, memory)
		v.num = (*memory)[:f.rows]
		var err error
		if v.absent, err = f.capture.floats(f.block, col, v.num); err != nil {
			return v, err
		}
	}
	f.columns[col] = v
	return v, nil
}

func (v vector) lost(i int) bool {
	if v.absent == nil {
		return false
	}
	if len(v.absent) == 1 {
		return v.absent[0]
	}
	return v.absent[i]
}

// stride is 0 for a vector of one value, which all rows share.
func stride[T any](s []T) int {
	if len(s) == 1 {
		return 0
	}
	return 1
}

func merged(a, b vector, n int) []bool {
	if a.absent == nil && b.absent == nil {
		return nil
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = a.lost(i) || b.lost(i)
	}
	return out
}

func (f *frame) arithmetic(op string, a, b vector) vector {
	n := f.rows
	if len(a.num) == 1 && len(b.num) == 1 {
		n = 1
	}
	out := vector{num: make([]float64, n), absent: merged(a, b, n)}
	sa, sb := stride(a.num), stride(b.num)
	for i := range out.num {
		x, y := a.num[i*sa], b.num[i*sb]
		switch op {
		case "+":
			out.num[i] = x + y
		case "-":
			out.num[i] = x - y
		case "*":
			out.num[i] = x * y
		case "/":
			out.num[i] = x / y
		case "%":
			out.num[i] = math.Mod(x, y)
		}
	}
	return out
}

func (f *frame) call(name string, a vector) vector {
	fn := functions[name]
	out := vector{absent: a.absent}
	switch {
	case fn.number != nil:
		out.num = make([]float64, len(a.num))
		for i, x := range a.num {
			out.num[i] = fn.number(x)
		}
	case fn.text != nil:
		out.text = make([]string, len(a.text))
		for i, s := range a.text {
			out.text[i] = fn.text(s)
		}
	default:
		out.num = make([]float64, len(a.text))
		for i, s := range a.text {
			out.num[i] = fn.length(s)
		}
	}
	return out
}

func (f *frame) compare(op string, kind valueKind, a, b vector) vector {
	out := vector{truth: make([]truth, f.rows)}
	if kind == textValue {
		sa, sb := stride(a.text), stride(b.text)
		for i := range out.truth {
			out.truth[i] = ordered(op, a.text[i*sa], b.text[i*sb])
		}
	} else {
		sa, sb := stride(a.num), stride(b.num)
		for i := range out.truth {
			x, y := a.num[i*sa], b.num[i*sb]
			if x != x || y != y { // of no number, such as sqrt(-1), nothing is known
				out.truth[i] = unknown
				continue
			}
			out.truth[i] = ordered(op, x, y)
		}
	}
	if a.absent != nil || b.absent != nil {
		for i := range out.truth {
			if a.lost(i) || b.lost(i) {
				out.truth[i] = unknown
			}
		}
	}
	return out
}

func ordered[T float64 | string](op string, a, b T) truth {
	var is bool
	switch op {
	case "==":
		is = a == b
	case "!=":
		is = a != b
	case "<":
		is = a < b
	case "<=":
		is = a <= b
	case ">":
		is = a > b
	case ">=":
		is = a >= b
	}
	if is {
		return yes
	}
	return no
}

func (f *frame) null(a vector, want bool) vector {
	out := vector{truth: make([]truth, f.rows)}
	for i := range out.truth {
		lost := a.lost(i)
		if a.num != nil {
			x := a.num[i*stride(a.num)]
			lost = lost || x != x
		}
		if lost == want {
			out.truth[i] = yes
		}
	}
	return out
}

func (f *frame) logic(op string, args []vector) vector {
	out := vector{truth: make([]truth, f.rows)}
	a := args[0].truth
	if op == "not" {
		for i, t := range a {
			out.truth[i] = [...]truth{yes, no, unknown}[t]
		}
		return out
	}
	b := args[1].truth
	decides := no // of and
	if op == "or" {
		decides = yes
	}
	for i := range out.truth {
		switch {
		case a[i] == decides || b[i] == decides:
			out.truth[i] = decides
		case a[i] == unknown || b[i] == unknown:
			out.truth[i] = unknown
		default:
			out.truth[i] = 1 - decides
		}
	}
	return out
}

// mayHold says whether a block can hold a row of which the filter is true, as
// far as the ranges of its columns tell.
func (c *Capture) mayHold(e *expr, block int) bool {
	switch e.op {
	case "and":
		return c.mayHold(e.args[0], block) && c.mayHold(e.args[1], block)
	case "or":
		return c.mayHold(e.args[0], block) || c.mayHold(e.args[1], block)
	case "==", "<", "<=", ">", ">=":
	default:
		return true
	}
	column, value, op := e.args[0], e.args[1], e.op
	if column.op == "number" {
		column, value = value, column
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}[op]
	}
	if column.op != "column" || value.op != "number" {
		return true
	}
	info := c.blocks[block].Chunks[column.col]
	if info.Missing == c.blocks[block].Rows {
		return false
	}
	if len(info.Range) != 2 {
		return true
	}
	lo, hi := info.Range[0], info.Range[1]
	switch op {
	case "==":
		return lo <= value.num && value.num <= hi
	case "<":
		return lo < value.num
	case "<=":
		return lo <= value.num
	case ">":
		return hi > value.num
	}
	return hi >= value.num
}
