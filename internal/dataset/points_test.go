package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// The hint of a table that cannot be read follows what its lines look like.
func TestHintsOfBadTables(t *testing.T) {
	for name, c := range map[string]struct{ table, hint string }{
		"comments first": {"# exported by a logger\n# fs=10\nt,v\n0,1\n", "lines of comments"},
		"a comment":      {"t,v\n0,1\n# pause\n1,2\n", "lines of comments"},
		"a title":        {"Report\nt,v\n0,1\n", "titles that stand before the names"},
		"too few":        {"a,b,c\n1,2\n", "a field for each column (a, b, c)"},
		"too many":       {"a,b\n1,2,3\n", "Quote fields"},
		"with quotes":    {"a,b\n\"1\",2,3\n", "Quote fields"},
		"Latin-1 names":  {"gr\xf6\xdfe,b\n1,2\n", "as UTF-8"},
		"Latin-1 values": {"a,b\nx,K\xf6ln\n", "as UTF-8"},
		"numbers twice":  {"1,1\n2,3\n", "names of the columns before it"},
	} {
		_, err := tryLoad(t, c.table, Options{})
		if err == nil || !strings.Contains(contract.AsError(err).Hint, c.hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Columns whose points may separate thousands are found over all blocks, and one
// number that tells what points are settles it for the table.
func TestGroupedColumns(t *testing.T) {
	r := testenv.Random(t)
	const rows = 40_000 // several blocks
	table := func(odd string, separator string) string {
		var b strings.Builder
		b.WriteString(strings.Join([]string{"a", "b", "c"}, separator) + "\n")
		at := r.IntN(rows)
		for i := range rows {
			a := fmt.Sprintf("%d.%03d", 1+r.IntN(999), r.IntN(1000))
			if i == at && odd != "" {
				a = odd
			}
			b.WriteString(strings.Join([]string{a, fmt.Sprint(r.IntN(100)), fmt.Sprintf("-%d.%03d", 1+i%500, i%1000)}, separator) + "\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		odd, separator string
		want           []int
	}{
		{"", ";", []int{0, 2}}, {"882", ";", []int{0, 2}}, {"", ",", nil}, {"", "\t", nil}, {"0.125", ";", nil}, {"1.5", ";", nil}, {"1.2345", ";", nil},
		{"1000", ";", []int{2}}, {"01.250", ";", []int{2}}, {"", ";", []int{0, 2}}, {"NA", ";", []int{0, 2}},
	} {
		capture, err := tryLoad(t, table(c.odd, c.separator), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for i := range capture.Columns {
			if capture.Grouped(i) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.want) || capture.Separator() != c.separator {
			t.Errorf("%q, %q: %v, %q", c.odd, c.separator, got, capture.Separator())
		}
	}
}
