package testenv

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// run is what the random numbers of all tests of a run begin with.
var run = rand.Uint32()

// Seed is where the random numbers of a test begin. It follows from ATELIER_SEED and
// the name of the test, so that one number repeats a run whole, whatever tests run
// beside it. make test takes that number from the tree of the commit: a commit's tests
// draw the same numbers wherever they run, those of the next commit others. Without it
// the number is drawn. It is printed with the test's output.
func Seed(t testing.TB) uint64 {
	t.Helper()
	base := uint64(run)
	if text := os.Getenv("ATELIER_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatalf("ATELIER_SEED is %q; it must be a number below 2^32", text)
		}
		base = given
	}
	t.Logf("ATELIER_SEED=%d", base)
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", base, t.Name())
	return h.Sum64()
}

// Random draws the random numbers of a test.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}
