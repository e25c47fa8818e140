package dataset

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
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

// sample is how many records the first guess of the types looks at.
const sample = 5000

// Import reads a table and writes it as typed columns. The types are guessed from
// the first records; where a later one does not fit, the rest is only looked at
// for what else does not, and the table is read again with the wider types.
func Import(ctx context.Context, in io.ReadSeeker, out io.WriteSeeker, o Options) (*Info, error) {
	w := &writer{out: out, file: out}
	if err := w.sniff(in, o); err != nil {
		return nil, err
	}
	for {
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		if err := w.start(); err != nil {
			return nil, err
		}
		read := w.csv
		if o.JSONLines {
			read = w.jsonLines
		}
		if err := read(ctx, in); err != nil {
			return nil, err
		}
		if !w.wide && !w.wordsAlone() && !w.readAgain() {
			return w.finish(o)
		}
	}
}

// wordsAlone makes a text of each column that has words for missing values and
// nothing else, and says whether there is one.
func (w *writer) wordsAlone() (any bool) {
	for i, k := range w.kinds {
		if k == none && i < len(w.words) && len(w.words[i]) > 0 {
			w.kinds[i], any = String, true
		}
	}
	return any
}

// sniff makes the first guess of the columns.
func (w *writer) sniff(in io.ReadSeeker, o Options) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if o.JSONLines {
		return w.sniffJSON(in)
	}
	table, err := newCSV(in)
	if err != nil {
		return err
	}
	w.names, w.kinds = table.header, make([]Kind, len(table.header))
	p, err := table.next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	rows := &lines{piece: p}
	s := &splitter{comma: table.comma}
	for range sample {
		r, ok := rows.next()
		if !ok {
			break
		}
		s.line = r.line
		fields, err := s.split(r.text)
		if err != nil {
			return err
		}
		if fields, err = cutEmpty(fields, len(w.kinds), table.beyond, r.line); err != nil {
			return err
		}
		if len(fields) == len(w.kinds) { // else the reading finds the fault
			w.guess(fields)
		}
	}
	return nil
}

func (w *writer) guess(fields [][]byte) {
	for i, f := range fields {
		if w.kinds[i] != String && !missing(f) && !(standIn(f) && w.kinds[i] != Boolean && w.kinds[i] != Time) {
			w.kinds[i] = join(w.kinds[i], kindOf(f))
		}
	}
}

func (w *writer) sniffJSON(in io.Reader) error {
	table := newJSONLines(in)
	for range sample {
		fields, err := table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for len(w.kinds) < len(table.header) {
			w.kinds = append(w.kinds, none)
		}
		w.guess(fields)
	}
	w.names = slices.Clone(table.header)
	return nil
}

// writer writes blocks of typed columns.
type writer struct {
	out    io.Writer
	file   io.WriteSeeker
	offset int64
	names  []string
	kinds  []Kind
	wide   bool // a value did not fit, and the table is to be read again
	total  int64
	foot   footer
	words  []map[string]int64 // that are taken as missing, of each column
	styles []style
	// spelled says which columns keep their texts; nil in the first reading.
	spelled   []bool
	spellings map[int]map[string]bool
}

func (w *writer) start() error {
	w.offset, w.total, w.foot, w.wide, w.words = 0, 0, footer{}, false, nil
	w.styles, w.spellings = nil, nil
	return w.put([]byte(magic))
}

// csv reads a CSV table on all processors.
func (w *writer) csv(ctx context.Context, in io.Reader) error {
	table, err := newCSV(in)
	if err != nil {
		return err
	}
	w.foot.Separator = string(table.comma)
	kinds := slices.Clone(w.kinds)
	free := make(chan *builder, 16)
	return stat.Ordered(ctx, func() (piece, bool, error) {
		p, err := table.next()
		if errors.Is(err, io.EOF) {
			return p, false, nil
		}
		return p, true, err
	}, func(p piece) (*builder, error) {
		defer table.release(p)
		var b *builder
		select {
		case b = <-free:
			b.reset(kinds)
		default:
			b = newBuilder(w.names, kinds)
			b.spelled = w.spelled
		}
		b.beyond = table.beyond
		err := b.csv(p, table.comma)
		b.encode()
		return b, err
	}, func(b *builder) error {
		err := w.append(b)
		select {
		case free <- b:
		default:
		}
		return err
	})
}

func (w *writer) jsonLines(ctx context.Context, in io.Reader) error {
	table := newJSONLines(in)
	b := newBuilder(slices.Clone(w.names), w.kinds)
	b.spelled = w.spelled
	flush := func() error {
		b.encode()
		if err := w.append(b); err != nil {
			return err
		}
		b.reset(b.kinds)
		return ctx.Err()
	}
	for {
		fields, err := table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(table.header) > len(b.kinds) { // a key that none had before
			b.grow(table.header)
		}
		for i := range b.kinds {
			var f []byte
			if i < len(fields) {
				f = fields[i]
			}
			if err := b.value(i, f, f, table.now); err != nil {
				return err
			}
		}
		if b.rows++; b.rows == stat.BlockRows || b.size > maxPiece {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	err := flush()
	w.names, w.wide = b.names, w.wide || b.wide
	return err
}

// append writes a block, or takes over the wider types that it needs.
func (w *writer) append(b *builder) error {
	if w.wide = w.wide || b.wide; w.wide {
		for len(w.kinds) < len(b.kinds) {
			w.kinds = append(w.kinds, none)
		}
		for i, k := range b.kinds {
			w.kinds[i] = join(w.kinds[i], k)
		}
		return nil
	}
	if b.rows == 0 {
		return nil
	}
	block := blockInfo{Rows: b.rows, Chunks: slices.Clone(b.chunks)}
	for i := range block.Chunks {
		block.Chunks[i].Offset += w.offset
	}
	for i, texts := range b.beside {
		texts.Offset += w.offset
		if block.Texts == nil {
			block.Texts = map[int]chunkInfo{}
		}
		block.Texts[i] = texts
	}
	w.spell(b)
	w.foot.Blocks = append(w.foot.Blocks, block)
	w.total += int64(b.rows)
	for len(w.words) < len(b.words) {
		w.words, w.styles = append(w.words, map[string]int64{}), append(w.styles, style{})
	}
	for i, words := range b.words {
		w.styles[i].join(b.styles[i])
		for word, n := range words {
			w.words[i][word] += n
		}
	}
	return w.put(b.buf)
}

func (w *writer) put(raw []byte) error {
	n, err := w.out.Write(raw)
	w.offset += int64(n)
	return err
}

// finish writes what the capture says of itself.
func (w *writer) finish(o Options) (*Info, error) {
	w.foot.Rows = w.total
	w.settle()
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
		if i < len(w.words) && len(w.words[i]) > 0 {
			c.Words = w.words[i]
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
