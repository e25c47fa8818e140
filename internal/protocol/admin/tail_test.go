package admin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Lines come whole in whatever parts they are written, and the newest 1000 stay.
func TestTail(t *testing.T) {
	var tail Tail
	fmt.Fprint(&tail, "a\nb")
	fmt.Fprint(&tail, "c\n\nunfinished")
	if got := tail.Last(10); !slices.Equal(got, []string{"a", "bc", ""}) {
		t.Errorf("%q", got)
	}
	fmt.Fprint(&tail, "\n")
	for i := range 1500 {
		fmt.Fprintf(&tail, "line %d\n", i)
	}
	got := tail.Last(5000)
	if len(got) != 1000 || got[0] != "line 500" || got[999] != "line 1499" {
		t.Errorf("%d lines, %q to %q", len(got), got[0], got[len(got)-1])
	}
	if got := tail.Last(2); !slices.Equal(got, []string{"line 1498", "line 1499"}) {
		t.Errorf("%q", got)
	}
	fmt.Fprintln(&tail, strings.Repeat("x", 10000)+"\xff")
	if got := tail.Last(1)[0]; len(got) != 4096 {
		t.Errorf("a line of %d bytes", len(got))
	}
	fmt.Fprintln(&tail, "\xff\xfe")
	if got := tail.Last(1)[0]; got != "\uFFFD" {
		t.Errorf("%q", got)
	}
}

func TestHuman(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 999_499: "999 kB", 999_999: "1 MB", 35_600_000: "35.6 MB", 2_000_000_000_000: "2 TB"} {
		if got := human(bytes); got != want {
			t.Errorf("%d: %s, expected %s", bytes, got, want)
		}
	}
}
