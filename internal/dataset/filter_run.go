package dataset

import (
	"math"
	"slices"
	"sync"

	"atelier/internal/stat"
)

// vector holds the values of an expression for the rows of a block. One that is
// the same for all rows has length 1.
type vector struct {
	num    []float64
	text   []string
	words  []string // of a text column, and
	code   []uint16 // the number of each row's
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
		v.words, v.code, v.absent = words, code, absent
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
	if complete(a.absent) && complete(b.absent) {
		return nil
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = a.lost(i) || b.lost(i)
	}
	return out
}

// texts are those of a text vector, one for each row.
func (v vector) texts(rows int) []string {
	if v.code == nil {
		return v.text
	}
	out := make([]string, rows)
	for i, c := range v.code {
		if !v.lost(i) {
			out[i] = v.words[c]
		}
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
		out.text, out.words, out.code = slices.Clone(a.text), slices.Clone(a.words), a.code
		for _, list := range [][]string{out.text, out.words} {
			for i, s := range list {
				list[i] = fn.text(s)
			}
		}
	default:
		texts := a.texts(f.rows)
		out.num = make([]float64, len(texts))
		for i, s := range texts {
			out.num[i] = fn.length(s)
		}
	}
	return out
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
			out.truth[i] = opposite[t]
		}
		return out
	}
	table := &bothTruths
	if op == "or" {
		table = &eitherTruth
	}
	for i, t := range args[1].truth {
		out.truth[i] = table[3*a[i]+t]
	}
	return out
}

var opposite = [3]truth{yes, no, unknown}

// The values of "and" and of "or" of no, yes and unknown.
var (
	bothTruths  = [9]truth{no, no, no, no, yes, unknown, no, unknown, unknown}
	eitherTruth = [9]truth{no, yes, unknown, yes, yes, yes, unknown, yes, unknown}
)
