package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A level is its text as it is given wherever two texts would become one, and a
// number as it always was where none do. The values are as they stand in the table.
func TestLevelsAreTexts(t *testing.T) {
	for name, c := range map[string]struct{ given, want []string }{
		"codes":           {[]string{"007", "7", "012", "", "7"}, nil},
		"codes alone":     {[]string{"007", "008", "012"}, nil},
		"versions":        {[]string{"1.10", "1.1", "1.9"}, nil},
		"powers":          {[]string{"1e5", "100000", "3"}, nil},
		"signs":           {[]string{"+1", "1", "-1"}, nil},
		"points":          {[]string{".5", "0.5", "2"}, nil},
		"long":            {[]string{"9007199254740993", "9007199254740992", "1"}, nil},
		"longer":          {[]string{"12345678901234567890123", "12345678901234567890124", "1"}, nil},
		"spaces":          {[]string{"A", " A", "B", "A "}, nil},
		"quoted":          {[]string{`" A"`, "A", "B"}, []string{" A", "A", "B"}},
		"case":            {[]string{"a", "A"}, nil},
		"numbers":         {[]string{"1.50", "2.25", "0.5"}, []string{"1.5", "2.25", "0.5"}},
		"one style":       {[]string{"1.50", "2.00"}, []string{"1.5", "2"}},
		"spaces alone":    {[]string{" A", "B", " C ", "B"}, []string{"A", "B", "C", "B"}},
		"spaces of all":   {[]string{" A", " B"}, []string{"A", "B"}},
		"numbers, spaces": {[]string{" 7", "7", "8"}, []string{"7", "7", "8"}},
	} {
		if c.want == nil {
			c.want = c.given
		}
		for _, plain := range []bool{true, false} {
			var b strings.Builder
			b.WriteString("g,y,q\n")
			for i, g := range c.given {
				q := "x"
				if !plain {
					q = `"x"`
				}
				fmt.Fprintf(&b, "%s,%d,%s\n", g, i, q)
			}
			table, err := imported(t, "t.csv", strings.NewReader(b.String()))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := column(t, table, 0); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q instead of %q", name, got, c.want)
			}
			if got, _ := column(t, table, 2); got[0] != "x" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// Texts of numbers are kept over many blocks, of levels alone, and where the two
// ways of writing stand in different blocks.
func TestLevelsAreTextsInEveryBlock(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,y\n")
	const n = 60_000
	want := make([]string, n)
	for i := range want {
		want[i] = "1.10"
		if i > n/2 {
			want[i] = "1.1"
		}
		fmt.Fprintf(&b, "%s,%.*f\n", want[i], i%3, float64(i)/7)
	}
	table, err := imported(t, "t.csv", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := column(t, table, 0); !slices.Equal(got, want) {
		t.Errorf("the levels are not as they were given")
	}
	if table.Spelled(1) || !table.Spelled(0) || table.Columns[0].Type != Number {
		t.Errorf("%v", table.spelled)
	}
}
