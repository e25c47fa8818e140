package capture

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/contract"
	"atelier/stat"
)

// Options of an import.
type Options struct {
	// TimeColumn names the column of time_range; "" looks for one.
	TimeColumn string
	// ChannelColumn names the column of channels; "" looks for one named channel.
	ChannelColumn string
	// JSONLines says that every line is a JSON object, else it is CSV.
	JSONLines bool
}

// errWider says that a column is of a wider type than was thought.
var errWider = errors.New("a column is of a wider type")

// sample is how many records the first guess of the types looks at.
const sample = 5000

// Import reads a table and writes it as typed columns. The types are guessed from
// the first records; where a later one does not fit, the table is read again
// with the wider type, which happens at most a few times for each column.
func Import(ctx context.Context, in io.ReadSeeker, out io.WriteSeeker, o Options) (*Info, error) {
	kinds, names, err := sniff(in, o)
	if err != nil {
		return nil, err
	}
	for {
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		w := newWriter(out, names, kinds)
		table, err := open(in, o)
		if err != nil {
			return nil, err
		}
		err = w.copy(ctx, table)
		switch {
		case errors.Is(err, errWider):
			kinds = w.kinds
			if len(table.names()) > len(names) {
				names = slices.Clone(table.names())
				kinds = append(kinds, make([]Kind, len(names)-len(kinds))...)
			}
			continue
		case err != nil:
			return nil, err
		}
		return w.finish(o)
	}
}

func open(in io.ReadSeeker, o Options) (records, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if o.JSONLines {
		return newJSONLines(in)
	}
	return newCSV(in)
}

func sniff(in io.ReadSeeker, o Options) ([]Kind, []string, error) {
	table, err := open(in, o)
	if err != nil {
		return nil, nil, err
	}
	var kinds []Kind
	for n := 0; n < sample; n++ {
		fields, err := table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for len(kinds) < len(table.names()) {
			kinds = append(kinds, none)
		}
		for i, f := range fields {
			if kinds[i] != String && !missing(f) {
				kinds[i] = join(kinds[i], kindOf(f))
			}
		}
	}
	for len(kinds) < len(table.names()) {
		kinds = append(kinds, none)
	}
	return kinds, slices.Clone(table.names()), nil
}

// writer writes blocks of typed columns.
type writer struct {
	out     io.Writer
	file    io.WriteSeeker
	offset  int64
	names   []string
	kinds   []Kind
	numbers []numbers
	texts   []texts
	rows    int // of the block
	total   int64
	foot    footer
	wider   bool
}

func newWriter(out io.WriteSeeker, names []string, kinds []Kind) *writer {
	return &writer{out: out, file: out, names: names, kinds: slices.Clone(kinds), numbers: make([]numbers, len(names)), texts: make([]texts, len(names))}
}

func (w *writer) copy(ctx context.Context, table records) error {
	if err := w.put([]byte(magic)); err != nil {
		return err
	}
	for {
		fields, err := table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(fields) > len(w.names) { // JSON lines found a further key
			return errWider
		}
		for i := range w.names {
			var f []byte
			if i < len(fields) {
				f = fields[i]
			}
			if err := w.value(i, f, table.line()); err != nil {
				return err
			}
		}
		if w.rows++; w.rows == stat.BlockRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	if w.wider {
		return errWider
	}
	if w.rows == 0 {
		return nil
	}
	return w.flush()
}

func (w *writer) value(i int, f []byte, line int) error {
	if missing(f) {
		if w.kinds[i] == String {
			w.texts[i].none()
		} else {
			w.numbers[i].none()
		}
		return nil
	}
	switch w.kinds[i] {
	case String:
		if !utf8.Valid(f) {
			return fault(line, "the value of %q at line %d is not UTF-8", w.names[i], line)
		}
		w.texts[i].add(f)
		return nil
	case Integer, Number:
		if m, places, ok := stat.ParseDecimal(f); ok && (w.kinds[i] == Number || kindOf(f) == Integer) {
			w.numbers[i].decimal(m, places)
			return nil
		}
		if w.kinds[i] == Number {
			if v, err := stat.Parse(string(f)); err == nil {
				w.numbers[i].other(v)
				return nil
			}
		}
	case Boolean:
		if v, ok := boolean(f); ok {
			w.numbers[i].decimal(v, 0)
			return nil
		}
	case Time:
		if ns, ok := instant(f); ok {
			w.numbers[i].decimal(ns, timePlaces)
			return nil
		}
	}
	// The rest of the pass only looks for what else is wider.
	w.kinds[i] = join(w.kinds[i], kindOf(f))
	w.wider = true
	return errWider
}

func (w *writer) put(raw []byte) error {
	n, err := w.out.Write(raw)
	w.offset += int64(n)
	return err
}

func (w *writer) flush() error {
	b := blockInfo{Rows: w.rows, Chunks: make([]chunkInfo, len(w.names))}
	var buf []byte
	for i, kind := range w.kinds {
		var info chunkInfo
		start := len(buf)
		if kind == String {
			buf, info = w.texts[i].write(buf)
		} else {
			buf, info = w.numbers[i].write(buf)
		}
		info.Offset, info.Length = w.offset+int64(start), len(buf)-start
		b.Chunks[i] = info
	}
	w.foot.Blocks = append(w.foot.Blocks, b)
	w.total += int64(w.rows)
	w.rows = 0
	return w.put(buf)
}

// finish writes what the capture says of itself.
func (w *writer) finish(o Options) (*Info, error) {
	w.foot.Rows = w.total
	for i, name := range w.names {
		c := Column{Name: name, Type: w.kinds[i]}
		if c.Type == none {
			c.Type = Number
		}
		lo, hi, any := math.Inf(1), math.Inf(-1), false
		for _, b := range w.foot.Blocks {
			c.Missing += int64(b.Chunks[i].Missing)
			if r := b.Chunks[i].Range; r != nil {
				lo, hi, any = math.Min(lo, r[0]), math.Max(hi, r[1]), true
			}
		}
		if any {
			c.Min, c.Max = &lo, &hi
		}
		w.foot.Columns = append(w.foot.Columns, c)
	}
	if err := w.foot.findSpecial(o); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(w.foot)
	if err != nil {
		return nil, err
	}
	raw = binary.LittleEndian.AppendUint64(raw, uint64(len(raw)))
	if err := w.put(append(raw, magic...)); err != nil {
		return nil, err
	}
	if t, ok := w.file.(interface{ Truncate(int64) error }); ok { // of an earlier pass
		if err := t.Truncate(w.offset); err != nil {
			return nil, err
		}
	}
	return &w.foot.Info, nil
}

// findSpecial finds the time and the channel column.
func (f *footer) findSpecial(o Options) error {
	f.TimeColumn, f.ChannelColumn = o.TimeColumn, o.ChannelColumn
	for _, c := range f.Columns {
		lower := strings.ToLower(c.Name)
		if o.TimeColumn == "" && f.TimeColumn == "" && c.Type != String && c.Type != Boolean &&
			(c.Type == Time || slices.Contains([]string{"time", "timestamp", "time_ms", "timestamp_ms", "t_ms", "time_s"}, lower)) {
			f.TimeColumn = c.Name
		}
		if o.ChannelColumn == "" && f.ChannelColumn == "" && c.Type == String && (lower == "channel" || lower == "channel_id") {
			f.ChannelColumn = c.Name
		}
	}
	if f.ChannelColumn != "" && f.Find(f.ChannelColumn) < 0 {
		return contract.Errorf(contract.CodeInvalidRequest, "the table has no column %q", f.ChannelColumn).At("channel_column")
	}
	if f.TimeColumn == "" {
		return nil
	}
	at := f.Find(f.TimeColumn)
	if at < 0 {
		return contract.Errorf(contract.CodeInvalidRequest, "the table has no column %q", f.TimeColumn).At("time_column")
	}
	c := f.Columns[at]
	if c.Type == String || c.Type == Boolean {
		return contract.Errorf(contract.CodeInvalidRequest, "the column %q is %s, no time", c.Name, c.Type).At("time_column").
			WithHint("A time is ISO 8601 or a number of milliseconds.")
	}
	f.TimeUnit = timeUnit(c)
	return nil
}

// timeUnit tells the unit of a time column: milliseconds, unless its name says
// otherwise, or it holds numbers of the size of an epoch in another unit.
func timeUnit(c Column) string {
	lower := strings.ToLower(c.Name)
	switch {
	case c.Type == Time || strings.HasSuffix(lower, "_ms"):
		return "ms"
	case strings.HasSuffix(lower, "_s"):
		return "s"
	case strings.HasSuffix(lower, "_us"):
		return "us"
	case strings.HasSuffix(lower, "_ns"):
		return "ns"
	case c.Min == nil || *c.Min < 5e8:
		return "ms"
	case *c.Max < 1e10:
		return "s" // an epoch of 1985 to 2286
	case *c.Min > 1e17:
		return "ns"
	case *c.Min > 1e14:
		return "us"
	}
	return "ms"
}
