package hostile

import "testing"

func TestThereAreAHundred(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Pages() {
		if seen[p.Path] {
			t.Errorf("%s stands twice", p.Path)
		}
		seen[p.Path] = true
	}
	if len(seen) < 100 {
		t.Fatalf("%d pages", len(seen))
	}
}
