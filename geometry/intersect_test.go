package geometry

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

// pymeshlab's counts of intersecting faces are an independent judge; it leaves
// out touching and near-degenerate pairs, so figures may differ a little.
func TestSelfIntersectionsAgainstFacts(t *testing.T) {
	dir, facts := readFacts(t)
	for name, f := range facts {
		m, err := Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		pairs, err := m.SelfIntersections(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		n := facesIn(pairs)
		t.Logf("%-26s %6d faces %8d pairs (pymeshlab %d faces) %v", name, n, len(pairs), f.SelfFaces, time.Since(start))
	}
}
