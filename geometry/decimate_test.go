package geometry

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

func TestDecimateBunny(t *testing.T) {
	m, err := Read(filepath.Join(sharedMeshes(t), "bunny_pmp.off"))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []int{39996, 13928, 1996, 100, 4} {
		start := time.Now()
		d := newDecimator(context.Background(), m, DecimateOptions{TargetFaces: target}, make([]bool, len(m.Vertices)))
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		core := time.Since(start)
		out, rep, err := Decimate(context.Background(), m, DecimateOptions{TargetFaces: target})
		if err != nil {
			t.Fatal(err)
		}
		top := out.Check()
		t.Logf("%d: core %v whole %v V %d F %d vol %.9g area %.6g %+v closed %v manifold %v", target, core, time.Since(start), len(out.Vertices), len(out.Triangles), out.Volume(), out.Area(), *rep, top.Closed, top.Manifold)
		if !top.Sound() {
			t.Errorf("%+v", top)
		}
	}
}
