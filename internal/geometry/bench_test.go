package geometry

import (
	"context"
	"fmt"
	"testing"
)

// Sizes grow fourfold: with n log n the time per triangle grows by little.
func BenchmarkSelfIntersections(b *testing.B) {
	for _, n := range []int{64, 128, 256} {
		m := torus(n, n/2, 1, 0.4)
		b.Run(fmt.Sprint(len(m.Triangles)), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.SelfIntersections(context.Background(), 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.Triangles)), "ns/triangle")
		})
	}
}

func BenchmarkRepair(b *testing.B) {
	for _, n := range []int{64, 128, 256} {
		m := torus(n, n/2, 1, 0.4)
		m.punch(7)
		b.Run(fmt.Sprint(len(m.Triangles)), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Repair(context.Background(), m, RepairOptions{FillHoles: true}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.Triangles)), "ns/triangle")
		})
	}
}

func BenchmarkDecimate(b *testing.B) {
	for _, n := range []int{64, 128, 256} {
		m := torus(n, n/2, 1, 0.4)
		b.Run(fmt.Sprint(len(m.Triangles)), func(b *testing.B) {
			for b.Loop() {
				d := newDecimator(context.Background(), m, DecimateOptions{TargetFaces: len(m.Triangles) / 5}, make([]bool, len(m.Vertices)))
				if err := d.run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.Triangles)), "ns/triangle")
		})
	}
}

func BenchmarkReadOBJ(b *testing.B) {
	data, err := encodeOBJ(torus(512, 256, 1, 0.4))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode(data, OBJ); err != nil {
			b.Fatal(err)
		}
	}
}
