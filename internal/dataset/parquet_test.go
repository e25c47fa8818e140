package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

type parquetRow struct {
	I int32     `parquet:"i"`
	L int64     `parquet:"l,delta"`
	U uint64    `parquet:"u"`
	D float64   `parquet:"d"`
	F float32   `parquet:"f"`
	B bool      `parquet:"b"`
	S *string   `parquet:"s,optional,dict"`
	O *float64  `parquet:"o,optional"`
	T time.Time `parquet:"t,timestamp(microsecond)"`
	C int64     `parquet:"c,decimal(2:18)"`
}

func parquetRows(n int) []parquetRow {
	rows := make([]parquetRow, n)
	for i := range rows {
		r := parquetRow{I: int32(i), L: math.MaxInt64 - int64(i), U: math.MaxUint64 - uint64(i), D: 0.1 * float64(i), F: 0.1 * float32(i), B: i%3 == 0,
			T: time.Date(2026, 3, 14, 9, 30, 0, i*1000, time.UTC), C: int64(i)*7 - 1000}
		if i%5 != 0 {
			word, o := fmt.Sprintf("w%d", i%7), float64(i)/4
			r.S, r.O = &word, &o
		} else if i%10 == 0 {
			nan := math.NaN()
			r.O = &nan
		}
		rows[i] = r
	}
	return rows
}

func writeParquet[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every value of every type comes back, through several row groups and pages,
// whatever packs them.
func TestParquetKeepsEveryValue(t *testing.T) {
	rows := parquetRows(40000)
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd} {
		raw := writeParquet(t, rows, parquet.Compression(codec), parquet.MaxRowsPerRowGroup(15000), parquet.PageBufferSize(20000))
		c, err := imported(t, "t.parquet", bytes.NewReader(raw))
		if err != nil || c.Rows != 40000 || c.TimeColumn != "t" {
			t.Fatalf("%v: %v %+v", codec, err, c)
		}
		sel, err := c.Select(contract.CaptureSelectors{}, "")
		if err != nil {
			t.Fatal(err)
		}
		for b := range c.Blocks() {
			selected, err := sel.Rows(b)
			if err != nil {
				t.Fatal(err)
			}
			checkParquet(t, c, selected, rows)
		}
	}
}

func checkParquet(t *testing.T, c *Capture, selected *Rows, rows []parquetRow) {
	t.Helper()
	numbers, absent := map[string][]stat.DD{}, map[string][]bool{}
	for _, name := range []string{"i", "l", "u", "d", "f", "b", "o", "t", "c"} {
		var err error
		if numbers[name], absent[name], err = selected.Numbers(c.Find(name)); err != nil {
			t.Fatal(err)
		}
	}
	words, none, err := selected.Words(c.Find("s"))
	if err != nil {
		t.Fatal(err)
	}
	for k := range selected.Len() {
		r := rows[selected.Number(k)-1]
		flag := 0.0
		if r.B {
			flag = 1
		}
		for name, want := range map[string]stat.DD{
			"i": stat.F(float64(r.I)), "l": stat.FromInt(r.L), "u": stat.F(1 << 64).Sub(stat.FromInt(int64(math.MaxUint64-r.U) + 1)),
			"d": stat.F(r.D), "f": stat.F(float64(r.F)), "b": stat.F(flag), "t": stat.FromDecimal(r.T.UnixNano(), 6), "c": stat.FromDecimal(r.C, 2),
		} {
			if got := numbers[name][k]; got != want || absent[name][k] {
				t.Fatalf("row %d, %s: %v, not %v", selected.Number(k), name, got, want)
			}
		}
		if (r.S == nil) != none[k] || r.S != nil && words[k] != *r.S {
			t.Fatalf("row %d: %q", selected.Number(k), words[k])
		}
		if has := r.O != nil && *r.O == *r.O; has == absent["o"][k] || has && numbers["o"][k] != stat.F(*r.O) {
			t.Fatalf("row %d: %v", selected.Number(k), numbers["o"][k])
		}
	}
}

func TestNestedParquetIsRefused(t *testing.T) {
	type nested struct {
		A int
		B struct{ C int }
	}
	type list struct {
		A int
		B []int
	}
	for name, raw := range map[string][]byte{"B": writeParquet(t, []nested{{}}), "\"B\"": writeParquet(t, []list{{B: []int{1}}})} {
		_, err := imported(t, "t.parquet", bytes.NewReader(raw))
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "nested or a list") {
			t.Errorf("%v", err)
		}
	}
}

// thriftPage is the header of a data page.
func thriftPage(unpacked, packed, values int) []byte {
	zigzag := func(b []byte, n int) []byte { return binary.AppendVarint(append(b, 0x15), int64(n)) }
	h := zigzag([]byte{0x15, 0}, unpacked)
	h = append(zigzag(h, packed), 0x2C) // field 5 after 3
	h = zigzag(h, values)
	return append(h, 0x15, 0, 0x15, 0, 0x15, 0, 0, 0)
}

// What a page says of itself is held against what it is, before anything of the
// size that it says is made.
func TestParquetBombs(t *testing.T) {
	zeros := make([]byte, 80<<20)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, _ = z.Write(zeros)
	_ = z.Close()
	zs, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zst := zs.EncodeAll(zeros, nil)
	liar := binary.AppendUvarint(nil, 1<<31)
	small := snappy.Encode(nil, make([]byte, 8000))
	for name, c := range map[string]struct {
		codec                    format.CompressionCodec
		unpacked, packed, values int
		payload                  []byte
		want                     string
	}{
		"right":           {format.Snappy, 8000, len(small), 1000, small, ""},
		"says 1 GB":       {format.Snappy, 1 << 30, len(small), 1000, small, "at most 67108864 are read"},
		"negative":        {format.Snappy, -5, len(small), 1000, small, "negative"},
		"snappy 2 GB":     {format.Snappy, 8000, len(liar), 1000, liar, "unpacks to more than it says"},
		"gzip":            {format.Gzip, 8000, gz.Len(), 1000, gz.Bytes(), "unpacks to more than it says"},
		"zstd":            {format.Zstd, 8000, len(zst), 1000, zst, "unpacks to more than it says"},
		"a billion":       {format.Uncompressed, 8, 8, 1 << 30, make([]byte, 8), "at most 4194304 are read"},
		"other codec":     {format.Brotli, 8000, len(small), 1000, small, "snappy, gzip and zstd are read"},
		"ends in payload": {format.Uncompressed, 8000, 8000, 1000, make([]byte, 10), "EOF"},
	} {
		head := thriftPage(c.unpacked, c.packed, c.values)
		raw := append(append([]byte("PAR1"), head...), c.payload...)
		meta := &format.ColumnMetaData{DataPageOffset: 4, TotalCompressedSize: int64(len(raw) - 4), Codec: c.codec, NumValues: 1000}
		if c.values > 1000 {
			meta.NumValues = int64(c.values)
		}
		_, err := gateColumn(bytes.NewReader(raw), int64(len(raw)), meta, meta.NumValues)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParquetDescriptionsAreNotBelieved(t *testing.T) {
	file := func(footer []byte) []byte {
		raw := append([]byte("PAR1"), footer...)
		return append(binary.LittleEndian.AppendUint32(raw, uint32(len(footer))), "PAR1"...)
	}
	long := binary.AppendUvarint([]byte{0x49, 0xFC}, math.MaxInt32) // field 4: a list of 2^31-1 structures
	for name, raw := range map[string][]byte{
		"short":         []byte("PAR1PAR1"),
		"no end":        append([]byte("PAR1"), make([]byte, 100)...),
		"long list":     file(long),
		"long text":     file(binary.AppendUvarint([]byte{0x68}, 1<<40)),
		"deep":          file(bytes.Repeat([]byte{0x1C}, 100000)),
		"many parts":    file(append(binary.AppendUvarint([]byte{0x49, 0xFC}, 1<<20), make([]byte, 1<<20+2)...)),
		"endless":       file(bytes.Repeat([]byte{0x11}, 1000)),
		"huge says 4GB": append([]byte("PAR1\xff\xff\xff\xff"), "PAR1"...),
	} {
		_, err := imported(t, "t.parquet", bytes.NewReader(raw))
		if err == nil || contract.AsError(err).Code != contract.CodeFileUnreadable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParquet changes a right file: it is read or refused, never more.
func FuzzParquet(f *testing.F) {
	rows := parquetRows(60)
	for _, codec := range []compress.Codec{&parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Uncompressed} {
		f.Add(writeParquet(f, rows, parquet.Compression(codec)))
		f.Add(writeParquet(f, rows[:3], parquet.Compression(codec), parquet.DataPageVersion(1)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := os.Create(filepath.Join(t.TempDir(), "c"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		info, err := ImportParquet(context.Background(), bytes.NewReader(raw), int64(len(raw)), out, Options{})
		if err != nil {
			return
		}
		c, err := Open(out.Name())
		if err != nil || c.Rows != info.Rows {
			t.Fatalf("what was imported cannot be opened: %v", err)
		}
		defer c.Close()
	})
}
