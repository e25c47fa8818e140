package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"sync"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"atelier/internal/stat"
)

// ImportParquet is Import of a flat Parquet file. Whole numbers, decimals and
// times are kept exactly; a NaN is a missing value, as in a CSV table.
func ImportParquet(ctx context.Context, in io.ReaderAt, size int64, out io.WriteSeeker, o Options) (info *Info, err error) {
	defer func() { // of the library, on a file that is damaged behind the gate
		if fault := recover(); fault != nil {
			info, err = nil, badParquet("%v", fault)
		}
	}()
	if err := gateFooter(in, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return nil, badParquet("%w", err)
	}
	if err := gatePages(in, size, f); err != nil {
		return nil, err
	}
	w := &writer{out: out, file: out}
	var fields []*parquetColumn
	for _, c := range f.Root().Columns() {
		column, err := newParquetColumn(c)
		if err != nil {
			return nil, err
		}
		fields = append(fields, column)
		w.names, w.kinds = append(w.names, c.Name()), append(w.kinds, column.kind)
	}
	if err := checkNames(w.names); err != nil {
		return nil, err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if err := w.start(); err != nil {
		return nil, err
	}
	if err := w.parquet(ctx, f, fields); err != nil {
		return nil, err
	}
	return w.finish(o)
}

// parquet reads the row groups one after the other, the columns side by side.
func (w *writer) parquet(ctx context.Context, f *parquet.File, fields []*parquetColumn) error {
	b := newBuilder(w.names, w.kinds)
	flush := func() error {
		b.encode()
		err := w.append(b)
		b.reset(b.kinds)
		return err
	}
	for _, group := range f.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			fields[i].open(chunk)
		}
		for left := group.NumRows(); left > 0; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(left, int64(stat.BlockRows-b.rows))
			if err := together(fields, func(i int) error { return fields[i].read(b, i, int(n)) }); err != nil {
				return err
			}
			b.rows, left = b.rows+int(n), left-n
			if b.rows == stat.BlockRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		for _, c := range fields {
			c.close()
		}
	}
	return flush()
}

// together does the work of every column, a few at a time.
func together(fields []*parquetColumn, work func(i int) error) error {
	faults := make([]error, len(fields))
	var wait sync.WaitGroup
	places := make(chan struct{}, 4)
	for i := range fields {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			defer func() {
				if fault := recover(); fault != nil {
					faults[i] = badParquet("%v", fault)
				}
			}()
			faults[i] = work(i)
		})
	}
	wait.Wait()
	return errors.Join(faults...)
}

// parquetColumn reads the values of a column.
type parquetColumn struct {
	name   string
	kind   Kind
	take   func(n *numbers, v parquet.Value) error // of one that is there; nil of texts
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buf    []parquet.Value
	have   []parquet.Value // of buf, not yet taken
	texts  int             // bytes of the texts of the block
}

func newParquetColumn(c *parquet.Column) (*parquetColumn, error) {
	p := &parquetColumn{name: c.Name(), buf: make([]parquet.Value, 256)}
	var logical format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	p.kind, p.take = wholeNumbers(c.Type(), logical)
	switch kind := c.Type().Kind(); {
	case p.kind != none:
	case kind == parquet.Boolean:
		p.kind, p.take = Boolean, func(n *numbers, v parquet.Value) error {
			m := int64(0)
			if v.Boolean() {
				m = 1
			}
			n.decimal(m, 0)
			return nil
		}
	case kind == parquet.Int96:
		p.kind, p.take = Time, takeInt96
	case kind == parquet.Float:
		p.kind, p.take = Number, func(n *numbers, v parquet.Value) error { return takeFloat(n, float64(v.Float())) }
	case kind == parquet.Double:
		p.kind, p.take = Number, func(n *numbers, v parquet.Value) error { return takeFloat(n, v.Double()) }
	case kind == parquet.ByteArray || kind == parquet.FixedLenByteArray:
		switch l := logical.(type) {
		case *format.DecimalType:
			p.kind, p.take = Number, func(n *numbers, v parquet.Value) error { return takeDecimal(n, v.ByteArray(), int(l.Scale)) }
		case nil, *format.StringType, *format.EnumType, *format.JsonType:
			p.kind = String
		}
	}
	if p.kind == none {
		return nil, badParquet("the column %q is of the type %s, which is not read", p.name, c.Type()).
			WithHint("Columns are booleans, whole numbers, floats, decimals, dates and times, and texts.")
	}
	return p, nil
}

// wholeNumbers is how a column of 32 or 64 bits is taken, by what it stands for.
func wholeNumbers(t parquet.Type, logical format.LogicalTypeValue) (Kind, func(*numbers, parquet.Value) error) {
	var whole func(parquet.Value) int64
	switch t.Kind() {
	case parquet.Int32:
		whole = func(v parquet.Value) int64 { return int64(v.Int32()) }
	case parquet.Int64:
		whole = func(v parquet.Value) int64 { return v.Int64() }
	default:
		return none, nil
	}
	scaled := func(factor int64) func(*numbers, parquet.Value) error {
		return func(n *numbers, v parquet.Value) error {
			m := whole(v)
			if m > math.MaxInt64/factor || m < math.MinInt64/factor {
				return errors.New("a time lies outside of the years 1678 to 2261")
			}
			n.decimal(m*factor, timePlaces)
			return nil
		}
	}
	places := 0
	switch l := logical.(type) {
	case *format.DateType:
		return Time, scaled(86400e9)
	case *format.TimestampType:
		switch l.Unit.Value.(type) {
		case *format.MilliSeconds:
			return Time, scaled(1e6)
		case *format.MicroSeconds:
			return Time, scaled(1e3)
		}
		return Time, scaled(1)
	case *format.IntType:
		if !l.IsSigned && t.Kind() == parquet.Int32 {
			whole = func(v parquet.Value) int64 { return int64(v.Uint32()) }
		} else if !l.IsSigned {
			return Integer, takeUint64
		}
	case *format.DecimalType:
		if places = int(l.Scale); places < 0 || places > 18 {
			return none, nil
		}
	}
	kind := Integer
	if places > 0 {
		kind = Number
	}
	return kind, func(n *numbers, v parquet.Value) error {
		n.decimal(whole(v), places)
		return nil
	}
}

func takeUint64(n *numbers, v parquet.Value) error {
	if u := v.Uint64(); u <= math.MaxInt64 {
		n.decimal(int64(u), 0)
	} else {
		n.other(stat.FromInt(int64(u >> 1)).Mul(stat.F(2)).Add(stat.F(float64(u & 1))))
	}
	return nil
}

func takeFloat(n *numbers, v float64) error {
	if v != v {
		n.none()
	} else {
		n.other(stat.F(v))
	}
	return nil
}

// takeInt96 takes a time as old writers make it: nanoseconds of the day, and the
// Julian day.
func takeInt96(n *numbers, v parquet.Value) error {
	t := v.Int96()
	days := int64(t[2]) - 2440588
	if days < -106000 || days > 106000 {
		return errors.New("a time lies outside of the years 1680 to 2260")
	}
	n.decimal(days*86400e9+int64(uint64(t[1])<<32|uint64(t[0])), timePlaces)
	return nil
}

// takeDecimal takes a two's complement number, the highest byte first.
func takeDecimal(n *numbers, raw []byte, scale int) error {
	if scale < 0 || scale > 100 || len(raw) > 64 {
		return fmt.Errorf("a decimal has %d places and %d bytes", scale, len(raw))
	}
	if len(raw) <= 8 && scale <= 18 {
		var wide [8]byte
		if len(raw) > 0 && raw[0]&0x80 != 0 {
			wide = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
		}
		copy(wide[8-len(raw):], raw)
		n.decimal(int64(binary.BigEndian.Uint64(wide[:])), scale)
		return nil
	}
	m := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0]&0x80 != 0 {
		m.Sub(m, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	if m.IsInt64() && scale <= 18 {
		n.decimal(m.Int64(), scale)
		return nil
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	q := new(big.Float).SetPrec(600).Quo(new(big.Float).SetPrec(600).SetInt(m), new(big.Float).SetPrec(600).SetInt(ten))
	hi, _ := q.Float64()
	lo, _ := q.Sub(q, big.NewFloat(hi)).Float64()
	n.other(stat.DD{Hi: hi, Lo: lo})
	return nil
}

func (p *parquetColumn) open(chunk parquet.ColumnChunk) { p.pages, p.have = chunk.Pages(), nil }

func (p *parquetColumn) close() {
	parquet.Release(p.page)
	_ = p.pages.Close()
	p.page, p.values, p.have = nil, nil, nil
}

// read moves the next n values into column i of a block.
func (p *parquetColumn) read(b *builder, i, n int) error {
	if b.rows == 0 {
		p.texts = 0
	}
	for n > 0 {
		if len(p.have) == 0 {
			if err := p.fill(); err != nil {
				return badParquet("the column %q: %w", p.name, err)
			}
		}
		k := min(n, len(p.have))
		for _, v := range p.have[:k] {
			if err := p.put(b, i, v); err != nil {
				return badParquet("the column %q: %w", p.name, err)
			}
		}
		p.have, n = p.have[k:], n-k
	}
	return nil
}

func (p *parquetColumn) put(b *builder, i int, v parquet.Value) error {
	switch {
	case v.IsNull():
		b.none(i)
		return nil
	case p.take != nil:
		return p.take(&b.numbers[i], v)
	}
	text := v.ByteArray()
	if len(text) == 0 {
		b.none(i)
		return nil
	}
	if !utf8.Valid(text) {
		return errors.New("a text is not UTF-8")
	}
	words := len(b.texts[i].words)
	if b.texts[i].add(text); len(b.texts[i].words) > words {
		p.texts += len(text)
	}
	if p.texts > maxChunk/2 {
		return fmt.Errorf("the texts of %d rows have more than %d MB", stat.BlockRows, maxChunk>>21)
	}
	return nil
}

// fill reads some more values.
func (p *parquetColumn) fill() error {
	for {
		if p.values != nil {
			n, err := p.values.ReadValues(p.buf)
			if p.have = p.buf[:n]; n > 0 {
				return nil
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		parquet.Release(p.page)
		p.page, p.values = nil, nil
		page, err := p.pages.ReadPage()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("it ends early")
			}
			return err
		}
		p.page, p.values = page, page.Values()
	}
}
