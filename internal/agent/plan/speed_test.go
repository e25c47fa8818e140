package plan_test

import (
	"strings"
	"testing"
	"time"
)

// A document instead of a prompt must not hold a server up.
func TestLongTextsAreReadQuickly(t *testing.T) {
	for _, unit := range []string{"steel 5 N on top and ", "1,", "((((", "½ ", "left, and right "} {
		start := time.Now()
		read(strings.Repeat(unit, 8000/len(unit)))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%q repeated took %v", unit, took)
		} else {
			t.Logf("%q: %v", unit, took)
		}
	}
}
