package contract

import "testing"

// As many names as may be told are told; of more, the first and the count of the others.
func TestListed(t *testing.T) {
	for most, want := range map[int]string{4: "a, b, c", 3: "a, b, c", 2: "a, b and 1 more", 1: "a and 2 more"} {
		if got := Listed([]string{"a", "b", "c"}, most); got != want {
			t.Errorf("%d at most: %q, want %q", most, got, want)
		}
	}
	if got := Listed(nil, 2); got != "" {
		t.Errorf("of none: %q", got)
	}
}
