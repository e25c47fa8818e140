package geometry

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestRepairRealFiles(t *testing.T) {
	dir, facts := readFacts(t)
	names := make([]string, 0, len(facts))
	for n := range facts {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m, err := Read(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			out, rep, err := Repair(context.Background(), m, RepairOptions{FillHoles: true})
			if err != nil {
				t.Logf("refused: %v", err)
				return
			}
			t.Logf("%v V %d F %d vol %.8g area %.8g (facts %.8g %.8g) holes %d (%d tris) fins %d cut %d joined %d flipped %d self %d -> %d deg %d",
				time.Since(start), rep.Final.Vertices, rep.Final.Triangles, out.Volume(), out.Area(), facts[name].Volume, facts[name].Area,
				rep.HolesFilled, rep.HoleTriangles, rep.FinsRemoved, rep.EdgesCut, rep.VerticesJoined, rep.ComponentsFlipped,
				rep.InitialIntersecting, rep.FinalIntersecting, rep.Final.DegenerateFaces)
			for _, w := range rep.Warnings {
				t.Log("warning:", w)
			}
		})
	}
}
