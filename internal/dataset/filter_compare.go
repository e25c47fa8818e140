package dataset

func (f *frame) compare(op string, kind valueKind, a, b vector) vector {
	out := vector{truth: make([]truth, f.rows)}
	switch {
	case kind == textValue && a.code != nil && len(b.text) == 1:
		compareWords(op, a, b.text[0], out.truth)
	case kind == textValue:
		compareAll(op, a.texts(f.rows), b.texts(f.rows), out.truth)
	case len(b.num) == 1:
		compareOne(op, a.num, b.num[0], out.truth)
	case len(a.num) == 1:
		compareOne(mirrored[op], b.num, a.num[0], out.truth)
	default:
		compareAll(op, a.num, b.num, out.truth)
	}
	if kind != textValue { // of no number, such as sqrt(-1), nothing is known
		unknownNaN(a.num, out.truth)
		unknownNaN(b.num, out.truth)
	}
	if !complete(a.absent) || !complete(b.absent) {
		for i := range out.truth {
			if a.lost(i) || b.lost(i) {
				out.truth[i] = unknown
			}
		}
	}
	return out
}

// complete says at once that nothing is absent, where that is known.
func complete(absent []bool) bool { return len(absent) == 0 || &absent[0] == &present[0] }

func unknownNaN(x []float64, out []truth) {
	if len(x) == 1 {
		if x[0] != x[0] {
			for i := range out {
				out[i] = unknown
			}
		}
		return
	}
	for i, v := range x {
		if v != v {
			out[i] = unknown
		}
	}
}

// mirrored is the comparison with its sides changed.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

func truthOf(is bool) truth {
	if is {
		return yes
	}
	return no
}

// compareWords compares each word once.
func compareWords(op string, a vector, with string, out []truth) {
	verdict := make([]truth, max(len(a.words), 1))
	for i, w := range a.words {
		verdict[i] = truthOf(ordered(op, w, with))
	}
	for i, c := range a.code {
		out[i] = verdict[c]
	}
}

// compareOne compares all values with one; no value is compared with NaN here.
func compareOne(op string, a []float64, with float64, out []truth) {
	if len(a) == 1 {
		is := truthOf(ordered(op, a[0], with))
		for i := range out {
			out[i] = is
		}
		return
	}
	out = out[:len(a)]
	switch op {
	case "==":
		for i, x := range a {
			var t truth // this form is compiled without a jump, which chance would mislead
			if x == with {
				t = yes
			}
			out[i] = t
		}
	case "!=":
		for i, x := range a {
			var t truth
			if x != with {
				t = yes
			}
			out[i] = t
		}
	case "<":
		for i, x := range a {
			var t truth
			if x < with {
				t = yes
			}
			out[i] = t
		}
	case "<=":
		for i, x := range a {
			var t truth
			if x <= with {
				t = yes
			}
			out[i] = t
		}
	case ">":
		for i, x := range a {
			var t truth
			if x > with {
				t = yes
			}
			out[i] = t
		}
	case ">=":
		for i, x := range a {
			var t truth
			if x >= with {
				t = yes
			}
			out[i] = t
		}
	}
}

func compareAll[T float64 | string](op string, a, b []T, out []truth) {
	sa, sb := stride(a), stride(b)
	for i := range out {
		out[i] = truthOf(ordered(op, a[i*sa], b[i*sb]))
	}
}

func ordered[T float64 | string](op string, a, b T) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

// mayHold says whether a block can hold a row of which the filter is true, as
// far as the ranges of its columns tell.
func (c *Capture) mayHold(e *expr, block int) bool {
	switch e.op {
	case "and":
		return c.mayHold(e.args[0], block) && c.mayHold(e.args[1], block)
	case "or":
		return c.mayHold(e.args[0], block) || c.mayHold(e.args[1], block)
	case "between":
		return c.mayHold(&expr{op: ">=", args: e.args[:2]}, block) && c.mayHold(&expr{op: "<=", args: []*expr{e.args[0], e.args[2]}}, block)
	case "in":
		for _, a := range e.args[1:] {
			if c.mayHold(&expr{op: "==", args: []*expr{e.args[0], a}}, block) {
				return true
			}
		}
		return false
	case "==", "<", "<=", ">", ">=":
	default:
		return true
	}
	column, value, op := e.args[0], e.args[1], e.op
	if column.op == "number" {
		column, value = value, column
		op = mirrored[op]
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
