package statistics

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

func warningOf(res *contract.Result, code string) string {
	for _, w := range res.Warnings {
		if w.Code == code {
			return w.Message
		}
	}
	return ""
}

// A word for a missing value leaves a column numeric, and is told; any other text
// makes it one of texts, and is told with its row where nearly all are numbers.
func TestWordsAmongNumbers(t *testing.T) {
	r := testenv.Random(t)
	type output struct {
		Groups []struct {
			Columns []columnSummary `json:"columns"`
			Texts   []textSummary   `json:"texts"`
		} `json:"groups"`
	}
	const n = 40
	table := func(cell string, at, times int) (text string, mean float64) {
		var b strings.Builder
		b.WriteString("x;y\n")
		for i := range n {
			if i >= at && i < at+times {
				fmt.Fprintf(&b, "%s;%d\n", cell, i)
				continue
			}
			v := r.IntN(1000)
			mean += float64(v) / 100 / float64(n-times)
			fmt.Fprintf(&b, "%d.%02d;%d\n", v/100, v%100, i)
		}
		return b.String(), mean
	}
	for _, word := range []string{"-", "--", ".", "?", "n/a", "N/a", "nil", "none", "#N/A", "Missing"} {
		times := 1 + r.IntN(3)
		text, mean := table(word, r.IntN(30), times)
		res, err := run(t, summaryStats, text, map[string]any{"plots": false})
		if err != nil {
			t.Fatal(err)
		}
		c := decoded[output](t, res).Groups[0].Columns
		if len(c) != 2 || c[0].N != n-times || int(c[0].Missing) != times || c[0].Mean < number(mean-1e-9) || c[0].Mean > number(mean+1e-9) {
			t.Errorf("%q: %+v", word, c)
		}
		if w := warningOf(res, "missing_words"); word != "#N/A" && (!strings.Contains(w, fmt.Sprintf("%q", word)) || !strings.Contains(w, `"x"`)) {
			t.Errorf("%q: %q", word, w)
		}
	}
	for cell, hint := range map[string]string{"12%": "12, and its unit", "1.5 V": "1.5, and its unit", "1,5": "1.5", "broken": "leave the value empty"} {
		at := r.IntN(30)
		text, _ := table(cell, at, 1)
		res, err := run(t, summaryStats, text, map[string]any{"plots": false})
		if err != nil {
			t.Fatal(err)
		}
		w := warningOf(res, "nearly_numeric")
		for _, want := range []string{"39 of the 40", fmt.Sprintf("row %d holds %q", at+1, cell), hint} {
			if !strings.Contains(w, want) {
				t.Errorf("%q: %q lacks %q", cell, w, want)
			}
		}
	}
	res, err := run(t, summaryStats, "x;y\n1,5;1\n2,25;2\n3,5;3\n", map[string]any{"plots": false})
	if err != nil {
		t.Fatal(err)
	}
	if w := warningOf(res, "nearly_numeric"); !strings.Contains(w, `row 1 holds "1,5"`) || !strings.Contains(w, "with a point: 1.5") {
		t.Errorf("decimal commas: %q", w)
	}
	// Numbers that all have something around them are told; levels with a unit are not.
	for format, hint := range map[string]string{"%d%%": ", and its unit", "%d mm": ", and its unit", "$%d": ", and its unit", "−%d": "as on a keyboard: -", "7\u00a0%03d": "without separators"} {
		rows := "x;y\n"
		for i := range n {
			rows += fmt.Sprintf(format, 100+7*i) + fmt.Sprintf(";%d\n", i)
		}
		res, err := run(t, summaryStats, rows, map[string]any{"plots": false})
		if err != nil {
			t.Fatal(err)
		}
		if w := warningOf(res, "nearly_numeric"); !strings.Contains(w, hint) || !strings.Contains(w, fmt.Sprintf("and %d are like numbers", n)) {
			t.Errorf("%q: %q", format, w)
		}
	}
	if res, err = run(t, summaryStats, "dose;y\n5 mg;1\n10 mg;2\n5 mg;3\n10 mg;4\n5 mg;2\n", map[string]any{"plots": false}); err != nil {
		t.Fatal(err)
	}
	if w := warningOf(res, "nearly_numeric"); w != "" {
		t.Errorf("doses: %q", w)
	}
	// Texts of their own stay texts, also where they are nothing but such words.
	for _, text := range []string{"x;y\nnone;1\nsome;2\nnone;3\nall;4\n", "x;y\n-;1\n-;2\n?;3\n-;4\n", "x;y\n-;1\ntrue;2\nfalse;3\n?;4\n"} {
		res, err := run(t, summaryStats, text, map[string]any{"plots": false})
		if err != nil {
			t.Fatal(err)
		}
		g := decoded[output](t, res).Groups[0]
		if len(g.Texts) != 1 || g.Texts[0].N != 4 || warningOf(res, "missing_words")+warningOf(res, "nearly_numeric") != "" {
			t.Errorf("%q: %+v %v", text, g, res.Warnings)
		}
	}
}

// A number beyond those of float64 is told as what it may be.
func TestTooLargeANumber(t *testing.T) {
	for _, tool := range []string{"x;y\n1;1\n1e400;2\n3;4\n", "x;y\n1;1\ninf;2\n3;4\n"} {
		_, err := run(t, summaryStats, tool, map[string]any{"plots": false, "columns": []string{"x"}})
		if err == nil || !strings.Contains(err.Error(), "infinite or larger than any float64") || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%q: %v", tool, err)
		}
	}
}

// A number that is not 0 and nearer to it than any float64 is told with its row and
// column, by every tool.
func TestTooSmallANumber(t *testing.T) {
	table := "x,y\n1,1\n3,2\n1e-400,4\n3,4\n2,7\n5,6\n4,4\n8,9\n"
	for _, c := range []struct {
		tool  contract.Tool
		input map[string]any
	}{
		{summaryStats, map[string]any{"columns": []string{"x"}}},
		{timeSeries, map[string]any{"column": "x"}},
		{tTest, map[string]any{"operation": "one_sample", "column": "x", "value": 0}},
		{tTest, map[string]any{"operation": "paired", "column": "y", "with": "x"}},
		{regression, map[string]any{"operation": "linear_regression", "target": "y", "features": []string{"x"}}},
	} {
		_, err := run(t, c.tool, table, c.input)
		if err == nil || !strings.Contains(err.Error(), "nearer to 0 than any float64") || !strings.Contains(err.Error(), "row 3") || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%s %v: %v", c.tool.Contract.Name, c.input, err)
		}
	}
}

// Numbers in notations that are not read are told with their row, and what to do; units
// that differ are to be converted, not stripped.
func TestOtherNotations(t *testing.T) {
	r := testenv.Random(t)
	for value, hint := range map[string]string{
		"0x%d": "base ten", "%d_000": "without underscores", "%d±1": "uncertainty in a column of its own", "%d/7": "as a decimal", "%d:30": "one unit",
		"%d.03.2024": "ISO 8601", "2024/05/%d": "ISO 8601", "%dD2": "with E",
	} {
		var b strings.Builder
		b.WriteString("x;y\n")
		first := 10 + r.IntN(3)
		for i := range 12 {
			fmt.Fprintf(&b, value+";%d\n", first+i, i)
		}
		res, err := run(t, summaryStats, b.String(), map[string]any{"plots": false})
		if err != nil {
			t.Fatal(err)
		}
		if w := warningOf(res, "nearly_numeric"); !strings.Contains(w, hint) || !strings.Contains(w, fmt.Sprintf("row 1 holds %q", fmt.Sprintf(value, first))) {
			t.Errorf("%s: %q", value, w)
		}
		_, err = run(t, tTest, b.String(), map[string]any{"operation": "one_sample", "column": "x", "value": 0})
		if e := contract.AsError(err); err == nil || !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: %v", value, err)
		}
	}
	_, err := run(t, tTest, "x;y\n5 mm;1\n7 cm;2\n6 mm;3\n", map[string]any{"operation": "one_sample", "column": "x", "value": 0})
	if e := contract.AsError(err); err == nil || !strings.Contains(e.Hint, "several units (cm, mm): convert all to one") {
		t.Errorf("mixed units: %v", err)
	}
}

// The unit of figures made of dates is told; a clock has no figures.
func TestDatesHaveAUnit(t *testing.T) {
	var b strings.Builder
	b.WriteString("day,x\n")
	for i := range 20 {
		fmt.Fprintf(&b, "2024-01-%02d,%d\n", i+1, i*i%7)
	}
	res, err := run(t, summaryStats, b.String(), map[string]any{"plots": false})
	if err != nil {
		t.Fatal(err)
	}
	if w := warningOf(res, "times_as_numbers"); !strings.Contains(w, `"day"`) || !strings.Contains(w, "milliseconds") {
		t.Errorf("%q", w)
	}
	if res, err = run(t, timeSeries, b.String(), map[string]any{"column": "x", "time": "day", "plots": false}); err != nil {
		t.Fatal(err)
	}
	if w := warningOf(res, "times_as_numbers"); w != "" {
		t.Errorf("of the clock: %q", w)
	}
}
