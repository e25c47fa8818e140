package dataset

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
)

func described(c *Capture) string {
	var list []string
	for _, column := range c.Columns {
		list = append(list, fmt.Sprintf("%s:%s", column.Name, column.Type))
	}
	return fmt.Sprintf("%s %d", strings.Join(list, " "), c.Rows)
}

// What stands between the fields is what the table says, not what happens to be in
// its texts.
func TestSeparators(t *testing.T) {
	late := "a|b\n" + strings.Repeat("1|2\n", 70_000) // several pieces
	for name, c := range map[string]struct{ table, want string }{
		"bars":                  {"x|y\n1|2.5\n3|4\n", "x:integer y:number 2"},
		"many bars":             {late, "a:integer b:integer 70000"},
		"bars in some texts":    {"x|y\n1|2.5\n3\n", "x|y:string 2"},
		"a bar in quotes":       {"x|y\n\"a|b\"|1\n", "x:string y:integer 1"},
		"a bar in a name":       {"|v|,y\n1,2\n", "|v|:integer y:integer 1"},
		"a text with bars":      {"code;a|b\n1;2\n", "code:integer a|b:integer 1"},
		"Excel's semicolon":     {"sep=;\nx;y\n1,5;2\n", "x:string y:integer 1"},
		"Excel's, with a mark":  {"\xef\xbb\xbfsep=;\r\nx;y\r\n1;2\r\n", "x:integer y:integer 1"},
		"in quotes":             {"\"sep=|\"\nx|y\n1|2\n", "x:integer y:integer 1"},
		"a tabulator":           {"SEP=\t\nx\ty,z\n1\t2\n", "x:integer y,z:integer 1"},
		"a comma":               {"sep=,\nx,y;z;w\n1,2\n", "x:integer y;z;w:integer 1"},
		"no separator":          {"sep=x\n1\n", "sep=x:integer 1"},
		"commas at the end":     {"x,y,\n1,2,\n3,4,\n", "x:integer y:integer 2"},
		"at the end of some":    {"x;y;;\n1;2\n3;4;;\n\n5;\"6\";\n", "x:integer y:integer 3"},
		"of one column":         {"x,\n1,\n2,\n", "x:integer 2"},
		"a name of two words":   {"body height\n170\n180\n", "body height:integer 2"},
		"with units":            {"body height\n170 cm\n180 cm\n", "body height:string 2"},
		"names of people":       {"first last\nAda Lovelace\nEmmy Noether\n", "first last:string 2"},
		"separate thousands":    {"total cost\n1 000\n12 500\n", "total cost:string 2"},
		"a time":                {"time stamp\n2024-01-01 12:00\n2024-01-02 12:00\n", "time stamp:time 2"},
		"a street with a name":  {"\"street nr\"\nLong 5\nShort 7\n", "street nr:string 2"},
		"of which one is blank": {"x y\n1 2\n3\n", "x y:string 2"},
	} {
		capture, err := tryLoad(t, c.table, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := described(capture); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A table that is separated in no way that is read is refused with what to write:
// as one column of texts it would have no numbers.
func TestTablesWithoutSeparators(t *testing.T) {
	for name, c := range map[string]struct{ table, want, hint string }{
		"blanks":             {"x y\n1 2.5\n3 4\n", "2 fields with blanks", "x,y"},
		"columns in line":    {"  x    y   z\n 1.0  2.5  A\n10.0  4.0  NA\n", "3 fields with blanks", "x,y,z"},
		"with names of rows": {"x y\n1 2.5 3\n2 4 5\n", "3 fields with blanks", "x,y"},
		"a group first":      {"group value\nA 1.5\nB 2\n", "2 fields with blanks", "put in quotes"},
		"a value beyond":     {"x,y,\n1,2,\n3,4,5\n", "line 3 has a value in column 3, which has no name", "needs a name"},
		"no name":            {",,\n1,2,3\n", "column 1 has no name", "needs a name"},
		"no name inside":     {"a,,c,\n1,2,3,\n", "column 2 has no name", "needs a name"},
		"only a separator":   {"sep=;\n", "no header", ""},
	} {
		_, err := tryLoad(t, c.table, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(contract.AsError(err).Hint, c.hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
