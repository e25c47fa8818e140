package stuffing

import "atelier/internal/geometry"

type vec = geometry.Vec3

func vmin(a, b vec) vec { return vec{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])} }
func vmax(a, b vec) vec { return vec{max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])} }

func norm2(a vec) float64 { return a.Dot(a) }
