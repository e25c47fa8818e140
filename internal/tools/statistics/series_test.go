package statistics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// files lets a call read any file.
type files struct{}

func (files) Path(_ context.Context, ref string) (string, error)       { return ref, nil }
func (files) Beside(_ context.Context, _, name string) (string, error) { return name, nil }

// run calls a tool on a table in a folder of its own.
func run(t *testing.T, tool contract.Tool, table string, input map[string]any) (*contract.Result, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	input["path"] = path
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	call := &contract.Call{Tool: tool.Contract.Name, Dir: dir, Files: files{}, Report: func(contract.Event) {}}
	return tool.Run(t.Context(), call, raw)
}

// contentOf is an artifact that a result carries.
func contentOf(t *testing.T, res *contract.Result, name string) []byte {
	t.Helper()
	for _, a := range res.Artifacts {
		if a.Name == name && len(a.Content) > 0 {
			return a.Content
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func decoded[T any](t *testing.T, res *contract.Result) T {
	t.Helper()
	raw, err := json.Marshal(res.Output)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What no series is, is an error that says what to do.
func TestFaultsOfSeriesTeach(t *testing.T) {
	rows := func(line func(i int) string) string {
		var b strings.Builder
		b.WriteString("t,x\n")
		for i := range 20 {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	fine := rows(func(i int) string { return fmt.Sprintf("%d,%d", i*10, i*i%7) })
	for _, c := range []struct {
		name, table, at, want string
		input                 map[string]any
	}{
		{"unsorted", rows(func(i int) string { return fmt.Sprintf("%d,%d", (i*7%20)*10, i*i%7) }), "/time", "row 4 is before that of row 3", nil},
		{"twice", rows(func(i int) string { return fmt.Sprintf("%d,%d", i/2, i*i%7) }), "/time", "rows 1 and 2 have the same t", nil},
		{"constant", rows(func(i int) string { return fmt.Sprintf("%d,3", i) }), "/column", "every value of \"x\" is 3", nil},
		{"short", "t,x\n1,2\n2,3\n3,5\n", "/column", "at least 8", nil},
		{"no unit", fine, "/time_unit", "unit of the times", map[string]any{"time_unit": nil}},
		{"infinite", strings.Replace(fine, "40,2", "40,1e999", 1), "/column", "infinite", nil},
		{"uneven", rows(func(i int) string { return fmt.Sprintf("%d,%d", i*i+i, i*i%7) }), "/spectrum", "regular step", map[string]any{"spectrum": "welch"}},
		{"text", strings.ReplaceAll(fine, ",2", ",two"), "/column", "not numeric", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := map[string]any{"column": "x", "time": "t", "time_unit": "ms", "plots": false}
			for k, v := range c.input {
				if input[k] = v; v == nil {
					delete(input, k)
				}
			}
			_, err := run(t, timeSeries, c.table, input)
			e := new(contract.Error)
			if !errors.As(err, &e) {
				t.Fatalf("the error is %v", err)
			}
			if e.Field != c.at || !strings.Contains(e.Message, c.want) {
				t.Errorf("at %s: %s (hint %s)", e.Field, e.Message, e.Hint)
			}
		})
	}
}

// gapped is what is read of a series with gaps.
type gapped struct {
	Time struct {
		Shape   string  `json:"shape"`
		Step    float64 `json:"step"`
		Missing int     `json:"missing_places"`
	} `json:"time"`
	Rows struct {
		Selected int `json:"selected"`
		Used     int `json:"used"`
		NoValue  int `json:"without_value"`
	} `json:"rows"`
	Spectrum struct {
		Method string `json:"method"`
		Peaks  []struct {
			Period float64 `json:"period"`
		} `json:"peaks"`
	} `json:"spectrum"`
	Changes struct {
		Points []struct {
			Row  int     `json:"row"`
			Time float64 `json:"time"`
		} `json:"points"`
	} `json:"change_points"`
}

// A wave of 5 s, and a step of the mean of noise, in milliseconds with two values
// missing.
func TestSeriesWithGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	table := "t,x,y\n"
	for i := range 400 {
		v, w := math.Sin(2*math.Pi*float64(i)/50)+0.3*rng.NormFloat64(), 0.3*rng.NormFloat64()
		if i >= 200 {
			w += 5
		}
		switch i {
		case 100:
			continue
		case 300:
			table += fmt.Sprintf("%d,,\n", i*100)
		default:
			table += fmt.Sprintf("%d,%.4f,%.4f\n", i*100, v, w)
		}
	}
	res, err := run(t, timeSeries, table, map[string]any{"column": "x", "time": "t", "time_unit": "ms", "detrend": "mean", "plots": false})
	if err != nil {
		t.Fatal(err)
	}
	out := decoded[gapped](t, res)
	if out.Time.Shape != "gaps" || out.Time.Step != 0.1 || out.Time.Missing != 2 {
		t.Errorf("time: %+v", out.Time)
	}
	if out.Rows.Selected != 399 || out.Rows.Used != 398 || out.Rows.NoValue != 1 {
		t.Errorf("rows: %+v", out.Rows)
	}
	if out.Spectrum.Method != "lomb_scargle" {
		t.Errorf("the spectrum is by %s", out.Spectrum.Method)
	}
	found := false
	for _, p := range out.Spectrum.Peaks {
		found = found || math.Abs(p.Period-5) < 0.1
	}
	if !found {
		t.Errorf("no peak at 5 s: %+v", out.Spectrum.Peaks)
	}
	res, err = run(t, timeSeries, table, map[string]any{"column": "y", "time": "t", "time_unit": "ms", "plots": false})
	if err != nil {
		t.Fatal(err)
	}
	// Value 200 stands in row 200, as value 100 is not there.
	if p := decoded[gapped](t, res).Changes.Points; len(p) != 1 || p[0].Time != 20_000 || p[0].Row != 200 {
		t.Errorf("the changes are %+v", p)
	}
}

// The figures of a table that is too large to keep are the same for any number of
// processors, bit for bit, and so are the figures drawn of it.
func TestLargeSummaryOnAnyNumberOfProcessors(t *testing.T) {
	const n, columns = 70_000, 15 // more than a million values
	rng := rand.New(rand.NewPCG(3, 3))
	var b bytes.Buffer
	for k := range columns {
		fmt.Fprintf(&b, "x%d,", k)
	}
	b.WriteString("g\n")
	for i := range n {
		for k := range columns {
			if k == 0 {
				fmt.Fprintf(&b, "%d,", i%10) // the mode: each value 7,000 times
			} else {
				fmt.Fprintf(&b, "%.4f,", rng.NormFloat64()*float64(k))
			}
		}
		fmt.Fprintf(&b, "%c\n", 'a'+i%2)
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	var first []byte
	for _, processors := range []int{1, 4} {
		runtime.GOMAXPROCS(processors)
		res, err := run(t, summaryStats, b.String(), map[string]any{"columns": []string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14"},
			"quantiles": []float64{0.99}, "group_by": "g"})
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != contract.StatusPartial {
			t.Errorf("without Spearman's correlations it is %q", res.Status)
		}
		all, err := json.Marshal(res.Output)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"summary.csv", "correlations.csv", "histograms.csv", "histograms.svg"} {
			all = append(all, contentOf(t, res, name)...)
		}
		if first == nil {
			first = all
			checkEstimates(t, res, n)
		} else if !bytes.Equal(first, all) {
			t.Error("four processors give other bytes than one")
		}
	}
}

// checkEstimates holds what a digest says of itself: compression 500 leaves ranks
// at the median right to pi/500, and of a column of five digits the mode is known.
func checkEstimates(t *testing.T, res *contract.Result, n int) {
	out := decoded[struct {
		Groups []struct {
			Level   string          `json:"level"`
			Columns []columnSummary `json:"columns"`
		} `json:"groups"`
	}](t, res)
	for _, c := range out.Groups[0].Columns {
		if c.Method != "t_digest" || !(c.RankError < math.Pi/500) {
			t.Errorf("%s: %s, rank error %v", c.Name, c.Method, c.RankError)
		}
	}
	// Even rows are group a: the values 0, 2, 4, 6, 8, a tenth of all rows each.
	if m := out.Groups[0].Columns[0].Mode; m == nil || m.Value != 0 || m.Count != int64(n/10) || m.Ties != 5 {
		t.Errorf("the mode of x0 is %+v", m)
	}
}

var outside = regexp.MustCompile(`(?i)<script|<iframe|<link|<img|\son[a-z]+=|javascript:|url\(|@import|(src|href)\s*=\s*["']?https?:`)

// A report has nothing that runs and nothing from elsewhere, whatever the columns
// are called.
func TestReportsAreSafeAndWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	evil := `"<img src=x onerror=alert(1)>","</svg><script>alert(2)</script>",g` + "\n"
	for range 60 {
		x := rng.NormFloat64()
		evil += fmt.Sprintf("%.4f,%.4f,%s\n", x, 2*x+rng.NormFloat64(), []string{"<b>one</b>", "javascript:two"}[rng.IntN(2)])
	}
	a, b := "<img src=x onerror=alert(1)>", "</svg><script>alert(2)</script>"
	for _, c := range []struct {
		tool  contract.Tool
		input map[string]any
		has   []string
	}{
		{summaryStats, map[string]any{"group_by": "g"}, []string{"histograms.svg", "histograms.png", "summary.csv"}},
		{regression, map[string]any{"operation": "linear_regression", "target": b, "features": []string{a}}, []string{"residuals_fitted.svg", "residuals_qq.png", "residuals_scale.svg", "residuals_leverage.png"}},
		{anova, map[string]any{"operation": "one_way", "response": b, "factor": "g"}, []string{"group_means.svg", "group_means.png"}},
		{timeSeries, map[string]any{"column": b}, []string{"series.svg", "autocorrelation.png", "spectrum.svg"}},
	} {
		res, err := run(t, c.tool, evil, c.input)
		if err != nil {
			t.Fatal(c.tool.Contract.Name, err)
		}
		names := map[string]bool{}
		for _, f := range res.Artifacts {
			names[f.Name] = true
			if len(f.Content) == 0 {
				t.Errorf("%s: %s is named, but has no content", c.tool.Contract.Name, f.Name)
			}
		}
		for _, name := range append(c.has, reportName) {
			if !names[name] {
				t.Errorf("%s makes no %s", c.tool.Contract.Name, name)
			}
		}
		page := contentOf(t, res, reportName)
		// Text may say anything; tags may not.
		for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(string(page), -1) {
			if bad := outside.FindString(tag); bad != "" && !strings.HasPrefix(tag, "<svg ") {
				t.Errorf("%s: %q in %s", c.tool.Contract.Name, bad, tag)
			}
		}
		if n := bytes.Count(page, []byte(`role="img" aria-label=`)); n == 0 {
			t.Errorf("%s: no figure has words", c.tool.Contract.Name)
		}
		c.input["plots"] = false
		without, err := run(t, c.tool, evil, c.input)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range without.Artifacts {
			if !strings.HasSuffix(f.Name, ".csv") {
				t.Errorf("%s without plots makes %s", c.tool.Contract.Name, f.Name)
			}
		}
	}
}
