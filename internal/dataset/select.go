package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// Selection is a part of a capture. It is read from several goroutines.
type Selection struct {
	*Capture
	filters  []*expr
	channels []string // values of the channel column; nil for all
	columns  []string // of which one may read; nil for all
	// chosen remembers the rows of each block, a bit each, for further passes.
	chosen []atomic.Pointer[[]byte]
}

// Select narrows a capture. at is the JSON pointer of the selection, which the
// errors name: invalid_input with the position inside a filter.
func (c *Capture) Select(s contract.CaptureSelectors, at string) (*Selection, error) {
	sel := &Selection{Capture: c, chosen: make([]atomic.Pointer[[]byte], len(c.blocks))}
	for i, text := range s.Filters {
		e, err := parseFilter(text, &c.Info)
		if err != nil {
			return nil, badFilter(err, text, c).At(fmt.Sprintf("%s/selectors/filters/%d", at, i))
		}
		sel.filters = append(sel.filters, e)
	}
	if s.TimeRange != nil {
		e, err := c.timeRange(*s.TimeRange)
		if err != nil {
			return nil, err.At(at + "/selectors/time_range")
		}
		sel.filters = append(sel.filters, e)
	}
	if len(s.Channels) == 0 {
		return sel, nil
	}
	if c.ChannelColumn != "" {
		sel.channels = s.Channels
		return sel, nil
	}
	for _, name := range s.Channels {
		if c.Find(name) < 0 {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the capture has no column of channels, and no column %q", name).
				At(at+"/selectors/channels").WithHint("Its columns are %s. Name the column of channels as channel_column of POST /v1/captures.", c.names())
		}
	}
	sel.columns = s.Channels
	return sel, nil
}

func (c *Info) names() string {
	var names []string
	for i, column := range c.Columns {
		if i == 40 {
			names = append(names, "…")
			break
		}
		names = append(names, column.Name)
	}
	return strings.Join(names, ", ")
}

func badFilter(err error, text string, c *Capture) *contract.Error {
	var s *syntaxError
	if !errors.As(err, &s) {
		return contract.AsError(err)
	}
	shown := text[:min(s.at, len(text))]
	e := contract.Errorf(contract.CodeInvalidInput, "the filter is not understood at position %d: %s", len([]rune(shown)), s.message).
		With("position", len([]rune(shown))).With("filter", text)
	return e.WithHint("Columns: %s. Example: signal_quality >= 0.95 and mode in ('run', 'idle').", c.names())
}

// epochMS is the time before which a number of milliseconds is no present-day
// epoch but a distance from the start: March 1973.
const epochMS = 1e11

// timeRange is the filter of a time range. Bounds are those of the time column;
// where that holds an epoch, or dates, and the bounds do not, they count from the
// first time of the capture.
func (c *Capture) timeRange(r contract.TimeRange) (*expr, *contract.Error) {
	col := c.Find(c.TimeColumn)
	if c.TimeColumn == "" || col < 0 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the capture has no time column").
			WithHint("Name it as time_column of POST /v1/captures, or leave time_range out. Its columns are %s.", c.names())
	}
	scale := map[string]float64{"ms": 1, "s": 1e-3, "us": 1e3, "ns": 1e6}[c.TimeUnit]
	low, high := float64(r.StartMS)*scale, float64(r.EndMS)*scale
	if first := c.Columns[col].Min; first != nil && *first >= epochMS*scale && high < epochMS*scale {
		low, high = low+*first, high+*first
	}
	column := &expr{op: "column", col: col, kind: numberValue}
	bound := func(op string, v float64) *expr {
		return &expr{op: op, args: []*expr{column, {op: "number", num: v, kind: numberValue}}, kind: truthValue}
	}
	return &expr{op: "and", args: []*expr{bound(">=", low), bound("<=", high)}, kind: truthValue}, nil
}

// rememberedBlocks is how many blocks a capture has at most whose chosen rows are
// remembered: beyond, the memory would grow with the rows.
const rememberedBlocks = 1024

// Rows is the selected part of one block.
type Rows struct {
	sel   *Selection
	block int
	index []int32
	lent  []*[]stat.DD
	names *[]int64 // lent as the numbers of rows
	place *[]int32 // memory of index
}

var (
	indexMemory = sync.Pool{New: func() any {
		s := make([]int32, 0, stat.BlockRows)
		return &s
	}}
	rowMemory = sync.Pool{New: func() any {
		s := make([]int64, 0, stat.BlockRows)
		return &s
	}}
)

// KeptNumbers are the numbers in the table of the selected rows that are kept.
func (r *Rows) KeptNumbers(keep []bool) []int64 {
	if len(r.index) < stat.BlockRows/4 {
		return r.appendNumbers(make([]int64, 0, len(r.index)), keep)
	}
	r.names = rowMemory.Get().(*[]int64)
	*r.names = r.appendNumbers((*r.names)[:0], keep)
	return *r.names
}

func (r *Rows) appendNumbers(out []int64, keep []bool) []int64 {
	for k, kept := range keep {
		if kept {
			out = append(out, r.Number(k))
		}
	}
	return out
}

var doubleMemory = sync.Pool{New: func() any {
	s := make([]stat.DD, stat.BlockRows)
	return &s
}}

// Free takes back the memory of the numbers that these rows were asked for, and
// their own, which nobody may use any more.
func (r *Rows) Free() {
	for _, s := range r.lent {
		doubleMemory.Put(s)
	}
	if r.names != nil {
		rowMemory.Put(r.names)
	}
	if r.place != nil {
		indexMemory.Put(r.place)
	}
	r.lent, r.names, r.index, r.place = nil, nil, nil, nil
}

// newIndex makes room for the places of n rows.
func (r *Rows) newIndex(n int) {
	if n < stat.BlockRows/4 {
		r.index = make([]int32, 0, n)
		return
	}
	r.place = indexMemory.Get().(*[]int32)
	r.index = (*r.place)[:0]
}

// Len is the number of selected rows.
func (r *Rows) Len() int { return len(r.index) }

// Rows is the selected part of a block.
func (s *Selection) Rows(block int) (*Rows, error) {
	r := &Rows{sel: s, block: block}
	if bits := s.chosen[block].Load(); bits != nil {
		r.newIndex(s.blocks[block].Rows)
		for i := range s.blocks[block].Rows {
			if (*bits)[i/8]>>(i%8)&1 == 1 {
				r.index = append(r.index, int32(i))
			}
		}
		return r, nil
	}
	r, err := s.evaluate(block)
	if err != nil {
		return nil, err
	}
	if len(s.blocks) > rememberedBlocks {
		return r, nil
	}
	bits := make([]byte, (s.blocks[block].Rows+7)/8)
	for _, i := range r.index {
		bits[i/8] |= 1 << (i % 8)
	}
	s.chosen[block].Store(&bits)
	return r, nil
}

// evaluate finds the rows of a block of which every filter is true.
func (s *Selection) evaluate(block int) (*Rows, error) {
	r := &Rows{sel: s, block: block}
	for _, e := range s.filters {
		if !s.mayHold(e, block) {
			return r, nil
		}
	}
	f := &frame{capture: s.Capture, block: block, rows: s.blocks[block].Rows, columns: map[int]vector{}}
	defer f.free()
	all := vector{}
	for _, e := range s.filters {
		v, err := f.eval(e)
		if err != nil {
			return nil, err
		}
		if all.truth == nil {
			all = v
		} else {
			all = f.logic("and", []vector{all, v})
		}
	}
	keep := make([]bool, f.rows)
	for i := range keep {
		keep[i] = all.truth == nil || all.truth[i] == yes
	}
	if s.channels != nil {
		if err := s.keepChannels(block, keep); err != nil {
			return nil, err
		}
	}
	r.newIndex(f.rows)
	for i, k := range keep {
		if k {
			r.index = append(r.index, int32(i))
		}
	}
	return r, nil
}

func (s *Selection) keepChannels(block int, keep []bool) error {
	col := s.Find(s.ChannelColumn)
	if !s.Spelled(col) {
		values := make([]float64, s.blocks[block].Rows)
		absent, err := s.floats(block, col, values)
		for i := range keep {
			keep[i] = keep[i] && err == nil && !absent[i] && slices.Contains(s.channels, formatNumber(values[i]))
		}
		return err
	}
	words, code, absent, err := s.words(block, col)
	if err != nil {
		return err
	}
	wanted := make([]bool, len(words))
	for i, w := range words {
		wanted[i] = slices.Contains(s.channels, w)
	}
	for i := range keep {
		keep[i] = keep[i] && !absent[i] && wanted[code[i]]
	}
	return nil
}

// Numbers returns the values of a numeric column for the selected rows, and
// which of them are missing.
func (r *Rows) Numbers(column int) ([]stat.DD, []bool, error) {
	n := len(r.index)
	var out []stat.DD
	if n < stat.BlockRows/4 {
		out = make([]stat.DD, n)
	} else {
		memory := doubleMemory.Get().(*[]stat.DD)
		r.lent = append(r.lent, memory)
		out = (*memory)[:n:n]
	}
	absent, err := r.sel.doubles(r.block, column, r.index, out)
	return out, absent, err
}

// Words returns the values of a column as texts, and which are missing.
func (r *Rows) Words(column int) ([]string, []bool, error) {
	out, absent := make([]string, len(r.index)), make([]bool, len(r.index))
	if !r.sel.Spelled(column) {
		values := make([]stat.DD, len(r.index))
		lost, err := r.sel.doubles(r.block, column, r.index, values)
		if err != nil {
			return nil, nil, err
		}
		for k, v := range values {
			if absent[k] = lost[k]; !lost[k] {
				out[k] = r.show(column, v)
			}
		}
		return out, absent, nil
	}
	words, code, lost, err := r.sel.words(r.block, column)
	if err != nil {
		return nil, nil, err
	}
	for k, i := range r.index {
		if absent[k] = lost[i]; !lost[i] {
			out[k] = words[code[i]]
		}
	}
	return out, absent, nil
}

func (r *Rows) show(column int, v stat.DD) string {
	switch {
	case r.sel.Columns[column].Type == Boolean:
		return map[bool]string{true: "true", false: "false"}[v.Hi == 1]
	case v.Lo != 0 && math.Abs(v.Hi) >= exactWhole && v.Hi == math.Trunc(v.Hi) && v.Lo == math.Trunc(v.Lo):
		whole, _ := big.NewFloat(v.Hi).Int(nil)
		rest, _ := big.NewFloat(v.Lo).Int(nil)
		return whole.Add(whole, rest).String()
	}
	return formatNumber(v.Float())
}

func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return fmt.Sprint(v)
}

// Readable finds a column that the selection lets read; an error without place
// names those there are.
func (s *Selection) Readable(name string) (int, error) {
	at := s.Find(name)
	if at < 0 {
		return 0, contract.Errorf(contract.CodeInvalidInput, "the capture has no column %q", name).WithHint("Its columns are %s.", s.names())
	}
	if s.columns != nil && !slices.Contains(s.columns, name) {
		return 0, contract.Errorf(contract.CodeInvalidInput, "the column %q is not among the selected channels", name).
			WithHint("Add it to selectors.channels.")
	}
	return at, nil
}

// FirstText is the first row of a text column whose value is no number, and that
// value; row is 0 where all are numbers.
func (c *Capture) FirstText(column int) (row int64, value string, err error) {
	for block := range c.blocks {
		words, code, absent, err := c.words(block, column)
		if err != nil {
			return 0, "", err
		}
		for i, k := range code {
			if absent[i] {
				continue
			}
			if _, err := stat.Parse(words[k]); err != nil {
				return c.starts[block] + int64(i) + 1, words[k], nil
			}
		}
	}
	return 0, "", nil
}

// Written counts how the values of a text column are written.
type Written struct {
	All     int64 // that are there
	Numbers int64
	Alike   int64 // that are like numbers
	Levels  int   // different ones among those alike
}

// Written counts the values of a text column that are numbers, and others that are
// alike.
func (c *Capture) Written(column int, alike func(string) bool) (w Written, err error) {
	levels := map[string]bool{}
	for block := range c.blocks {
		words, code, absent, err := c.words(block, column)
		if err != nil {
			return Written{}, err
		}
		number, like := make([]bool, len(words)), make([]bool, len(words))
		for i, word := range words {
			_, err := stat.Parse(word)
			number[i] = err == nil
			like[i] = err != nil && alike(word)
		}
		for i, k := range code {
			if absent[i] {
				continue
			}
			w.All++
			switch {
			case number[k]:
				w.Numbers++
			case like[k]:
				w.Alike++
				levels[words[k]] = true
			}
		}
	}
	w.Levels = len(levels)
	return w, nil
}

// Selected counts the rows of a selection.
func (s *Selection) Selected(ctx context.Context) (int64, error) {
	var n int64
	err := stat.EachBlock(ctx, s.Blocks(), func(i int) (int, error) {
		r, err := s.Rows(i)
		if err != nil {
			return 0, err
		}
		return r.Len(), nil
	}, func(k int) { n += int64(k) })
	return n, err
}

// Number is the number in the table of selected row k, from 1.
func (r *Rows) Number(k int) int64 { return r.sel.starts[r.block] + int64(r.index[k]) + 1 }

// Absent says which of the selected rows lack a value of a column, without
// decoding it.
func (r *Rows) Absent(column int) ([]bool, error) {
	if r.sel.blocks[r.block].Chunks[column].Missing == 0 {
		return absences(nil, len(r.index), nil), nil
	}
	_, _, bits, s, err := r.sel.chunk(r.block, column)
	if s != nil {
		defer scraps.Put(s)
	}
	if err != nil {
		return nil, err
	}
	return absences(bits, len(r.index), r.index), nil
}
