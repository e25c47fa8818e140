package plan_test

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// The work grows with the text, and not with its square: four times the text costs less
// than 14 times the processor's time, of which a busy machine takes little more. Package
// regexp goes over to its slower matcher between the two sizes, which costs a factor of two
// once; work that grows with the square would cost 16 times as much, and 32 with that.
func TestWorkGrowsWithTheText(t *testing.T) {
	for _, unit := range []string{"steel 5 N on top and ", "1,", "((((", "½ ", "left, and right "} {
		least := func(size int) time.Duration {
			best := time.Hour
			for range 5 {
				begun := processorTime(t)
				read(strings.Repeat(unit, size/len(unit)))
				best = min(best, processorTime(t)-begun)
			}
			return best
		}
		small, large := least(2000), least(8000)
		t.Logf("%q: %v, then %v", unit, small, large)
		if large > 14*small+10*time.Millisecond {
			t.Errorf("%q: %v for 2000 bytes, %v for 8000", unit, small, large)
		}
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
