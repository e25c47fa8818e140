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
		`{"a": NaN}`:                     {"(line 1, column 7)", "no numbers"},
		`[-Infinity]`:                    {"(line 1, column 3)", "no numbers"},
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

// RFC 8259 section 8.1: JSON is exchanged in UTF-8, and no mark is put before it.
// What several editors and shells write instead is told by its name.
func TestOtherEncodingsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"\xef\xbb\xbf{}": "byte order mark", "\xff\xfe{\x00}\x00": "UTF-16", "\xfe\xff\x00{\x00}": "UTF-16", "{\x00}\x00": "UTF-16", "\x00{\x00}": "UTF-16", "\x00\x00\x00{": "UTF-32",
	} {
		if what, hint := Syntax([]byte(text)); !strings.Contains(what, want) || !strings.HasPrefix(hint, "Write UTF-8") {
			t.Errorf("%q: %q %q, want %s", text, what, hint, want)
		}
	}
	if what, _ := Syntax([]byte(strings.Repeat("[", 20_000))); !strings.Contains(what, "nested more than 1000 deep") {
		t.Error(what)
	}
}
