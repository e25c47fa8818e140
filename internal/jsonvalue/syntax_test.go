package jsonvalue

import (
	"strings"
	"testing"
)

// Lines and columns are counted by hand.
func TestSyntaxSaysWhereAndWhatToDo(t *testing.T) {
	for text, want := range map[string][2]string{
		`{"a": 1}`:                       {"", ""},
		"{\"a\": 1,\n \"b\": [2, 3],\n}": {"(line 3, column 1)", "comma before the }"},
		`[1, 2, ]`:                       {"(line 1, column 8)", "comma before the ]"},
		`{'a': 1}`:                       {"(line 1, column 2)", "double quotation marks"},
		`{"ü": x}`:                       {"(line 1, column 7)", ""},
		`{"a": [1`:                       {"(line 1, column 9)", "ends too early"},
		"":                               {"(line 1, column 1)", "empty"},
		"{\n// no\n}":                    {"(line 2, column 1)", "no comments"},
		`{} {}`:                          {"(line 1, column 4)", ""},
	} {
		what, hint := Syntax([]byte(text))
		if !strings.HasSuffix(what, want[0]) || (want[0] == "") != (what == "") || !strings.Contains(hint, want[1]) || (want[1] == "") != (hint == "") {
			t.Errorf("%s: %q, %q, want %q", text, what, hint, want)
		}
	}
}
