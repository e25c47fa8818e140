package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

func imported(t *testing.T, name string, in io.ReadSeeker) (*Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.capture")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := ImportFile(context.Background(), name, "", in, out, Options{}); err != nil {
		return nil, err
	}
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, nil
}

// column returns all values of a column as texts, with whether they are there.
func column(t *testing.T, c *Capture, at int) (values []string, there []bool) {
	t.Helper()
	sel, err := c.Select(contract.CaptureSelectors{}, "")
	if err != nil {
		t.Fatal(err)
	}
	for b := range c.Blocks() {
		rows, err := sel.Rows(b)
		if err != nil {
			t.Fatal(err)
		}
		words, absent, err := rows.Words(at)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range words {
			if n := rows.Number(i); n != int64(len(values)+1) {
				t.Fatalf("row %d is said to be %d", len(values)+1, n)
			}
			values, there = append(values, w), append(there, !absent[i])
		}
	}
	return values, there
}

// Tables of several pieces, with quotes, line ends inside of them, blank lines
// and both ends of lines, are read as encoding/csv reads them.
func TestPiecesReadAsOneTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		return []string{"run", "idle", "a \"word\"", "two\nlines", "x,y", "z;", "é", strings.Repeat("long", 40), "\"", "1", "2.5"}[r.IntN(11)]
	}
	for round := range 4 {
		end := []string{"\n", "\r\n"}[round%2]
		var b strings.Builder
		b.WriteString("n,word,x" + end)
		for i := range 40000 {
			w := word()
			if round < 2 && i > 100 { // most of it without quotes
				w = "plain"
			}
			if strings.ContainsAny(w, "\",\n") || r.IntN(9) == 0 && round > 1 {
				w = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
			}
			fmt.Fprintf(&b, "%d,%s,%d.%02d%s", i, w, r.IntN(100), r.IntN(100), end)
			if r.IntN(500) == 0 {
				b.WriteString(end)
			}
		}
		want, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		c, err := imported(t, "t.csv", strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if c.Rows != int64(len(want)-1) {
			t.Fatalf("%d rows, not %d", c.Rows, len(want)-1)
		}
		for at := range 3 {
			got, _ := column(t, c, at)
			for i, g := range got {
				w := want[i+1][at]
				if at == 2 {
					v, _ := strconv.ParseFloat(w, 64)
					w = formatNumber(v)
				}
				if g != w {
					t.Fatalf("round %d, row %d, column %d: %q, not %q", round, i, at, g, w)
				}
			}
		}
	}
}

func TestPackedTables(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("a,b\n1,2\n3,4\n"))
	_ = z.Close()
	c, err := imported(t, "t.csv.gz", bytes.NewReader(packed.Bytes()))
	if err != nil || c.Rows != 2 || *c.Columns[1].Max != 4 {
		t.Fatalf("%v %+v", err, c)
	}
	if _, err := imported(t, "t.csv.gz", bytes.NewReader(packed.Bytes()[:20])); err == nil || !strings.Contains(err.Error(), "cannot be unpacked") {
		t.Errorf("half of it: %v", err)
	}
	// 128 MB of long texts pack to a thousandth; 64 MB and 200 times what they pack to are read.
	packed.Reset()
	z, _ = gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = z.Write([]byte("a\n"))
	row := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
	for range 128 {
		_, _ = z.Write(row)
	}
	_ = z.Close()
	if _, err := imported(t, "t.csv.gz", bytes.NewReader(packed.Bytes())); err == nil || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Errorf("a bomb of %d bytes: %v", packed.Len(), err)
	}
}

func TestOtherFilesAreNamed(t *testing.T) {
	for content, want := range map[string]string{
		"PK\x03\x04abcd": "spreadsheet", "\x28\xb5\x2f\xfdxx": "zstd", "\xff\xfea\x00,\x00": "UTF-16", "\xfe\xff\x00a\x00,": "UTF-16",
		"a\x00,\x00b\x00\n\x00": "UTF-16", "PAR1....": "Parquet", "ARROW1": "Arrow", "%PDF-1.7": "PDF",
	} {
		_, err := imported(t, "t.csv", strings.NewReader(content))
		e := new(contract.Error)
		if !errors.As(err, &e) || e.Code != contract.CodeFileUnreadable || e.Field != "file" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// endless is a line that never ends, which nobody stores.
type endless struct {
	start string
	read  int64
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if e.read == 0 {
		copy(p, e.start)
	}
	e.read += int64(len(p))
	if e.read > 2<<30 {
		return 0, io.EOF
	}
	return len(p), nil
}

func (e *endless) Seek(int64, int) (int64, error) {
	e.read = 0
	return 2 << 30, nil
}

func TestALineOfTwoGigabytesEndsEarly(t *testing.T) {
	for name, start := range map[string]string{"t.csv": "a,b\n1,", "t.jsonl": "{\"a\":1}\n{\"a\":\""} {
		in := &endless{start: start}
		_, err := imported(t, name, in)
		if err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes") {
			t.Errorf("%v", err)
		}
		if in.read > 16<<20 {
			t.Errorf("%d bytes were read of a line of which 4 MB are too many", in.read)
		}
	}
}

// A column for each line that is wider at another place costs one more reading,
// not one each.
func TestManyLateTypes(t *testing.T) {
	var b strings.Builder
	const columns = 60
	for i := range columns {
		fmt.Fprintf(&b, "c%d,", i)
	}
	b.WriteString("last\n")
	for row := range 20000 {
		for i := range columns {
			if row == 10000+i*100 {
				b.WriteString("text,")
			} else {
				b.WriteString("1,")
			}
		}
		b.WriteString("1\n")
	}
	in := &counted{ReadSeeker: strings.NewReader(b.String())}
	c, err := imported(t, "t.csv", in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range columns {
		if c.Columns[i].Type != String {
			t.Errorf("column %d is %s", i, c.Columns[i].Type)
		}
	}
	if in.starts > 5 { // its first bytes, the guess, and two readings, after the seek to the end
		t.Errorf("the table was read from its start %d times", in.starts)
	}
}

type counted struct {
	io.ReadSeeker
	starts int
}

func (c *counted) Seek(at int64, whence int) (int64, error) {
	if at == 0 && whence == io.SeekStart {
		c.starts++
	}
	return c.ReadSeeker.Seek(at, whence)
}

// Blocks of which no row can be meant are not read: 40 blocks of a rising time,
// of which the range touches two. Each of those is read for the filter once.
func TestBlocksOutOfRangeAreNotRead(t *testing.T) {
	var b strings.Builder
	b.WriteString("t_ms,x\n")
	for i := range 40 * 16384 {
		fmt.Fprintf(&b, "%d,%d\n", i, i%7)
	}
	c, err := imported(t, "t.csv", strings.NewReader(b.String()))
	if err != nil || c.Blocks() != 40 {
		t.Fatalf("%v, %d blocks", err, c.Blocks())
	}
	for what, s := range map[string]contract.CaptureSelectors{
		"time_range": {TimeRange: &contract.TimeRange{StartMS: 5*16384 - 10, EndMS: 5*16384 + 9}},
		"between":    {Filters: []string{"t_ms between 81910 and 81929"}},
		"compare":    {Filters: []string{"81910 <= t_ms and t_ms < 81930"}},
		"in":         {Filters: []string{"t_ms in (81919, 81920, 1e9)"}},
	} {
		sel, err := c.Select(s, "")
		if err != nil {
			t.Fatal(err)
		}
		before := c.reads.Load()
		n, err := sel.Selected(context.Background())
		want := int64(20)
		if what == "in" {
			want = 2
		}
		if err != nil || n != want {
			t.Errorf("%s: %d rows, %v", what, n, err)
		}
		if read := c.reads.Load() - before; read != 2 {
			t.Errorf("%s: %d columns of blocks were read, not 2", what, read)
		}
	}
}

// BenchmarkFilter is of the condition that the choice of the evaluator was made
// with; a row takes the time shown divided by 16384.
func BenchmarkFilter(b *testing.B) {
	var text strings.Builder
	r := rand.New(rand.NewPCG(3, 4))
	text.WriteString("signal_quality,mode,x1\n")
	for range 16384 {
		fmt.Fprintf(&text, "%.4f,%s,%.3f\n", 0.9+r.Float64()/10, []string{"run", "idle", "stop"}[r.IntN(3)], 5*r.Float64())
	}
	path := filepath.Join(b.TempDir(), "c.capture")
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	if _, err := Import(context.Background(), strings.NewReader(text.String()), out, Options{}); err != nil {
		b.Fatal(err)
	}
	c, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	sel, err := c.Select(contract.CaptureSelectors{Filters: []string{`signal_quality >= 0.95 && (mode == "run" || x1 > 2.5)`}}, "")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("with reading", func(b *testing.B) {
		for b.Loop() {
			if _, err := sel.evaluate(0); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16384, "ns/row")
	})
	b.Run("decoded", func(b *testing.B) {
		f := &frame{capture: c, rows: 16384, columns: map[int]vector{}}
		for b.Loop() {
			if _, err := f.eval(sel.filters[0]); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16384, "ns/row")
	})
}

// The columns of a table are the same bytes whatever reads it.
func TestTheProcessorsDoNotMatter(t *testing.T) {
	var table strings.Builder
	table.WriteString("n,word,x\n")
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 60000 {
		fmt.Fprintf(&table, "%d,w%d,%.*f\n", i, r.IntN(40), r.IntN(9), 100*r.Float64())
	}
	var first []byte
	for _, n := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(n)
		c, err := imported(t, "t.csv", strings.NewReader(table.String()))
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(c.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = raw
		} else if !bytes.Equal(raw, first) {
			t.Errorf("%d processors write other columns", n)
		}
	}
}

// A table has the same values however its lines end, also where a quoted field has an
// end in it, and one without line feeds is not refused for the length of its lines.
func TestLinesEndInThreeWays(t *testing.T) {
	text := "a,b,c\n1,x,2.5\n2,\"y\nz\",3\n3,w,\n"
	for name, end := range map[string]string{"unix": "\n", "dos": "\r\n", "old": "\r"} {
		for _, last := range []string{"", end} {
			c, err := imported(t, "t.csv", strings.NewReader(strings.TrimSuffix(strings.ReplaceAll(text, "\n", end), end)+last))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a, _ := column(t, c, 0)
			b, _ := column(t, c, 1)
			got, there := column(t, c, 2)
			if fmt.Sprint(a) != "[1 2 3]" || len(b) != 3 || b[2] != "w" || got[1] != "3" || fmt.Sprint(there) != "[true true false]" {
				t.Errorf("%s: %q %q %q %v", name, a, b, got, there)
			}
		}
	}
	g := &LineGuard{}
	for range 10 {
		if _, err := g.Write([]byte(strings.Repeat("1,2\r", maxRecord/8))); err != nil {
			t.Fatal(err)
		}
	}
}

// Numbers of Fortran and in the digits of other scripts are numbers of the same size and
// resolution; one that is too small for any float64 is no 0 and has no range.
func TestOtherNumerals(t *testing.T) {
	c, err := imported(t, "t.csv", strings.NewReader("f,d,s\n1.5D+02,١٢٫٥,1\n-2.50D-01,٣٫٢٥,1e-400\n0.1D+01,٠,2\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"150", "-0.25", "1"}, {"12.5", "3.25", "0"}, {"1", "NaN", "2"}} {
		got, _ := column(t, c, i)
		for k := range got {
			if c.Spelled(i) { // levels are as they are written
				v, err := stat.Parse(got[k])
				if err != nil {
					t.Fatal(err)
				}
				got[k] = formatNumber(v.Float())
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || c.Columns[i].Type != Number {
			t.Errorf("column %d is %s: %q", i, c.Columns[i].Type, got)
		}
	}
	if half := c.Resolution(1).Half; half != 0.005 {
		t.Errorf("two decimals are known to %v", half)
	}
	if s := c.Columns[2]; s.Min != nil || s.Max != nil {
		t.Errorf("a range with a value that is not known: %v %v", *s.Min, *s.Max)
	}
}
