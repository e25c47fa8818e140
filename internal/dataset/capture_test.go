package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

func load(t *testing.T, table string, o Options) *Capture {
	t.Helper()
	c, err := tryLoad(t, table, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tryLoad(t *testing.T, table string, o Options) (*Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.capture")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := Import(context.Background(), strings.NewReader(table), out, o); err != nil {
		return nil, err
	}
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, nil
}

const small = "\xef\xbb\xbft_ms,channel,x,y,flag,when,note\r\n" +
	"0,ch1,1,0.1,true,2026-03-14T09:30:00Z,\"a, \"\"b\"\"\"\r\n" +
	"10,ch2,2,NA,false,2026-03-14T09:30:01.5Z,\"two\nlines\"\r\n" +
	"20,ch1,,1e-3,TRUE,2026-03-14 09:30:02,x\r\n" +
	"\r\n" +
	"30,ch3,-4,1000000000000.4,false,2026-03-14,NA\r\n"

func TestTypesAreFound(t *testing.T) {
	c := load(t, small, Options{})
	var got []string
	for _, column := range c.Columns {
		got = append(got, fmt.Sprintf("%s:%s:%d", column.Name, column.Type, column.Missing))
	}
	want := "t_ms:integer:0 channel:string:0 x:integer:1 y:number:1 flag:boolean:0 when:time:0 note:string:1"
	if strings.Join(got, " ") != want || c.Rows != 4 || c.TimeColumn != "t_ms" || c.ChannelColumn != "channel" {
		t.Errorf("%v; %d rows, time %q, channel %q", got, c.Rows, c.TimeColumn, c.ChannelColumn)
	}
}

// count is how many rows of small a selection takes.
func count(t *testing.T, c *Capture, s contract.CaptureSelectors) int {
	t.Helper()
	sel, err := c.Select(s, "/capture_selection")
	if err != nil {
		t.Fatal(err)
	}
	n, err := sel.Selected(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// The expected counts are read off the four rows above by hand.
func TestFiltersSelectRows(t *testing.T) {
	c := load(t, small, Options{})
	for filter, want := range map[string]int{
		"x >= 2": 1, "x < 2": 2, "x is null": 1, "x is not null": 3, "not (x >= 2)": 2, "!(x>=2)": 2,
		"x >= 2 or x is null": 2, "x >= 1 && y < 1": 1, "x = 1 || x = 2": 2, "x <> 1": 2, "x in (1, -4, 7)": 2,
		"x not in (1, -4)": 1, "x between 1 and 2": 2, "x not between 1 and 2": 1, "x + y > 1": 2, "x * 2 == 4": 1,
		"-x == 4": 1, "x % 2 = 0": 2, "abs(x) > 3": 1, "sqrt(x) is null": 2, "y == 0.1": 1, "y = 1000000000000.4": 1,
		"channel == 'ch1'": 2, "channel = \"ch2\"": 1, "channel in ('ch1','ch3')": 3, "upper(channel) = 'CH1'": 2,
		"length(note) = 1": 1, "flag": 2, "not flag": 2, "flag = false": 2, "flag and x = 1": 1, "`x` = 1": 1,
		"when >= '2026-03-14T09:30:01Z'": 2, "when between '2026-03-14' and '2026-03-14T09:30:00Z'": 2,
		"note = 'a, \"b\"'": 1, "1 < 2": 4, "3 >= x": 3, "x / 0 > 1": 2, "0 / 0 = 1": 0, "x >= 1 AND NOT y IS NULL": 1,
		"1 + 2 * 3 = 7 and (1 + 2) * 3 = 9": 4, "2 - 1 - 1 = 0": 4, "x > 1e300": 0,
	} {
		if got := count(t, c, contract.CaptureSelectors{Filters: []string{filter}}); got != want {
			t.Errorf("%s: %d rows, not %d", filter, got, want)
		}
	}
	if got := count(t, c, contract.CaptureSelectors{Filters: []string{"x >= 1", "x <= 1"}}); got != 1 {
		t.Errorf("two filters: %d", got)
	}
	if got := count(t, c, contract.CaptureSelectors{Channels: []string{"ch1", "ch3"}, TimeRange: &contract.TimeRange{StartMS: 20, EndMS: 30}}); got != 2 {
		t.Errorf("channels and times, bounds included: %d", got)
	}
}

func TestBadFiltersSayWhere(t *testing.T) {
	c := load(t, small, Options{})
	for filter, position := range map[string]int{
		"": 0, "x >": 3, "x >= 2 extra": 7, "nope > 1": 0, "x > 'a'": 4, "channel > 1": 10, "x": 0, "(x > 1": 6, "x > 1)": 5,
		"f(x) > 1": 0, "x in ()": 6, "x in 1": 5, "x between 1": 11, "x is 3": 5, "'open": 0, "x # 1": 2, "x > 1 and": 9,
		"and": 0, "x > 1 > 2": 6, "channel + 1 > 2": 0, "when > 'yesterday'": 7, "x not 3": 6, "(x > 1) > 2": 3, "x = 1e999": 4,
		"é > 1": 0, "x > 1 && é": 9, strings.Repeat("(", 200): 101,
	} {
		_, err := c.Select(contract.CaptureSelectors{Filters: []string{filter}}, "/capture_selection")
		if err == nil {
			t.Errorf("%q was taken", filter)
			continue
		}
		e := contract.AsError(err)
		if e.Code != contract.CodeInvalidInput || e.Field != "/capture_selection/selectors/filters/0" {
			t.Errorf("%q: %v", filter, err)
		}
		if at := e.Details["position"]; at != position && filter != strings.Repeat("(", 200) {
			t.Errorf("%q: position %v, not %d: %v", filter, at, position, err)
		}
	}
}

func TestTheDecimalsSurvive(t *testing.T) {
	// One column of each form: short decimals, long ones, floats far apart.
	texts := [][]string{
		{"1000000000000.4", "0.1", "-7", "1.50", "NA"},
		{"0.1234567890123456789012", "3", "1e-30", "NaN", "-2.5"},
		{"1e300", "-1e-300", "5", "inf", "-1e400"},
	}
	var b strings.Builder
	b.WriteString("a,b,c\n")
	for i := range texts[0] {
		fmt.Fprintf(&b, "%s,%s,%s\n", texts[0][i], texts[1][i], texts[2][i])
	}
	c := load(t, b.String(), Options{})
	sel, err := c.Select(contract.CaptureSelectors{}, "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := sel.Rows(0)
	if err != nil {
		t.Fatal(err)
	}
	for j, column := range texts {
		got, absent, err := rows.Numbers(j)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range column {
			if missing([]byte(text)) != absent[i] {
				t.Errorf("%s: absent %v", text, absent[i])
			}
			if absent[i] {
				continue
			}
			want, err := stat.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if d := got[i].Sub(want); got[i].Hi != want.Hi || !math.IsInf(want.Hi, 0) && math.Abs(d.Hi) > 1e-31*math.Abs(want.Hi) {
				t.Errorf("%s: %v is not %v", text, got[i], want)
			}
		}
	}
}

func TestATypeMayWidenLate(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b,c\n")
	for i := range 40000 {
		switch i {
		case 30000:
			b.WriteString("x,2.5,3\n")
		case 35000:
			b.WriteString("1,true,\n")
		default:
			fmt.Fprintf(&b, "%d,%d,\n", i, i)
		}
	}
	c := load(t, b.String(), Options{})
	if c.Rows != 40000 || c.Columns[0].Type != String || c.Columns[1].Type != String || c.Columns[2].Type != Integer || c.Columns[2].Missing != 39999 {
		t.Errorf("%+v", c.Info)
	}
	if n := count(t, c, contract.CaptureSelectors{Filters: []string{"a = '29999' or a = 'x'"}}); n != 2 {
		t.Errorf("%d rows", n)
	}
}

func TestBadTablesAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ table, want string }{
		"empty":         {"", contract.CodeFileEmpty},
		"blank":         {"\n\n", contract.CodeFileEmpty},
		"no name":       {"a,,c\n1,2,3\n", "column 2 has no name"},
		"twice":         {"a,b,a\n1,2,3\n", `two columns are named "a"`},
		"ragged":        {"a,b\n1,2\n3\n", "line 3 has 1 fields"},
		"open quote":    {"a,b\n1,\"2\n3,4\n", "not closed"},
		"after a quote": {"a,b\n1,\"2\"x\n", "after a closing quote"},
		"not UTF-8":     {"a\nx\n\xff\xfe\n", "not UTF-8"},
		"long line":     {"a,b\n1," + strings.Repeat("x", 5<<20) + "\n", "more than 4194304 bytes"},
		"no such time":  {"a,b\n1,2\n", "no column"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{}
			if name == "no such time" {
				o.TimeColumn = "t"
			}
			if _, err := tryLoad(t, c.table, o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestJSONLines(t *testing.T) {
	c := load(t, "{\"a\": 1, \"b\": \"x\"}\n\n{\"b\": \"y\", \"a\": 0.25, \"c\": true}\n{\"c\": null, \"a\": 1e3}", Options{JSONLines: true})
	var got []string
	for _, column := range c.Columns {
		got = append(got, fmt.Sprintf("%s:%s:%d", column.Name, column.Type, column.Missing))
	}
	if strings.Join(got, " ") != "a:number:0 b:string:1 c:boolean:2" || c.Rows != 3 {
		t.Errorf("%v %d", got, c.Rows)
	}
	for _, bad := range []string{"[1]\n", "{\"a\":{}}\n", "{\"a\":1,\"a\":2}\n", "{\"a\":1} x\n", "{\"a\":1\n", "{\"\":1}\n"} {
		if _, err := tryLoad(t, bad, Options{JSONLines: true}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{"x >= 1", "x in (1,2) and not y is null", "upper(channel) = 'A' or -x*2 % 3 > 1", "when > '2026-03-14'", "((flag))"} {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), "c.capture")
	out, err := os.Create(path)
	if err != nil {
		f.Fatal(err)
	}
	defer out.Close()
	if _, err := Import(context.Background(), strings.NewReader(small), out, Options{}); err != nil {
		f.Fatal(err)
	}
	c, err := Open(path)
	if err != nil {
		f.Fatal(err)
	}
	defer c.Close()
	f.Fuzz(func(t *testing.T, filter string) {
		sel, err := c.Select(contract.CaptureSelectors{Filters: []string{filter}}, "")
		if err != nil {
			if at, ok := contract.AsError(err).Details["position"].(int); !ok || at < 0 || at > len([]rune(filter)) {
				t.Errorf("%q: %v", filter, err)
			}
			return
		}
		rows, err := sel.Rows(0)
		if err != nil || rows.Len() > 4 {
			t.Errorf("%q: %v", filter, err)
		}
	})
}
