package mesh

import (
	"fmt"
	"math"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/stuffing"
)

// What a volume mesh must keep of the shape.
const (
	leastAngle   = 10.0 // degrees; flatter elements spoil the solver's conditioning
	mostBodyLoss = 0.02 // of a body's volume, against the surface that was meshed
	mostFaceLoss = 0.05 // of a face's area, of faces wider than 3 dx
	mostBend     = 5e-3 // of the part's diagonal: how far the mesh may leave the plane of a flat face
	mostBump     = 0.1  // of the thinnest extent of the part: how far the mesh may stand outside
)

// volumeStatement says what the finished mesh keeps of the shape it was made
// from: angles, volume, the area of each face, no face lost, nothing outside.
func volumeStatement(made *stuffing.Result, out volumeOutput, origin *evidence.Origin, traced bool) *evidence.Statement {
	s := &evidence.Statement{}
	exactly := "computed for every tetrahedron of the finished mesh"
	s.Check(
		evidence.AtLeast("smallest_dihedral_angle", evidence.Exact, "/min_dihedral_deg", out.MinDihedral, leastAngle, "deg", "Smallest dihedral angle of all tetrahedra; none is inverted."),
		evidence.Within("largest_dihedral_angle", evidence.Exact, "/max_dihedral_deg", out.MaxDihedral, 180-leastAngle, "deg", "Largest dihedral angle of all tetrahedra."))
	volume := evidence.Of("volume", "/volume", out.Volume, out.LengthUnit+"^3", "sum of the tetrahedra").Quote()
	s.Figure(holdVolume(s, volume, origin, out.LengthUnit),
		evidence.Of("min_dihedral", "/min_dihedral_deg", out.MinDihedral, "deg", exactly).PlusMinus(0, "bound").Quote(),
		evidence.Of("max_dihedral", "/max_dihedral_deg", out.MaxDihedral, "deg", exactly).PlusMinus(0, "bound"))
	faces(s, made)
	holdFaces(s, made, origin, out.LengthUnit, traced)
	worst := 0.0
	for _, b := range made.Bodies {
		worst = math.Max(worst, math.Abs(b.VolumeError))
	}
	s.Check(evidence.Within("body_volume", evidence.Bounds, "", worst, mostBodyLoss, "1", "Volume of the body that is furthest off, against the surface that was meshed, relative to it."))
	outside(s, made, out, origin)
	if c, ok := made.Apart.Check("", nil); ok {
		s.Check(c)
	}
	return s
}

// faces looks for faces that the mesh has lost or bent.
func faces(s *evidence.Statement, made *stuffing.Result) {
	worst := stuffing.FaceReport{}
	wide, bent := 0, stuffing.FaceReport{}
	var lost []string
	for _, f := range made.Faces {
		if f.Triangles == 0 {
			lost = append(lost, label(f))
		}
		if f.Plane && f.Bend >= bent.Bend {
			bent = f
		}
		if f.Checked {
			wide++
			if math.Abs(f.Error) > math.Abs(worst.Error) {
				worst = f
			}
		}
	}
	sentence := fmt.Sprintf("All %d faces have boundary triangles.", len(made.Faces))
	if n := len(lost); n > 0 {
		sentence = fmt.Sprintf("%d of %d faces have no boundary triangle, so the mesh does not show them and no condition can be put on them: %s. Use a smaller dx.", n, len(made.Faces), contract.Listed(lost, mostFacesTold))
	}
	s.Check(evidence.Within("faces_lost", evidence.Bounds, "", float64(len(lost)), 0, "1", sentence))
	if wide > 0 {
		s.Check(evidence.Within("face_area", evidence.Bounds, "", worst.Error, mostFaceLoss, "1",
			fmt.Sprintf("Relative difference of the area of %s, the worst of %d faces wider than 3 %s.", label(worst), wide, spacingName(made))))
	} else {
		s.Note("No face is wider than 3 %s, so that no area was held against its face.", spacingName(made))
	}
	if bent.Plane {
		lo, hi := (&geometry.Mesh{Vertices: made.Mesh.Vertices, Triangles: made.Mesh.Triangles}).Bounds()
		diagonal := hi.Sub(lo).Norm()
		s.Check(evidence.Within("flat_faces", evidence.Bounds, "", bent.Bend/diagonal, mostBend, "1", fmt.Sprintf(
			"The mesh leaves the plane of the flat face %s by up to %.3g, %.2g of dx; here relative to the part's diagonal. Where it bends, peak stresses rise and a plane does not select the face: use a smaller dx.",
			label(bent), bent.Bend, bent.Bend/made.Bodies[0].DX)))
	}
}

// spacingName is what faces are measured by: of a graded mesh the spacing on them.
func spacingName(made *stuffing.Result) string {
	for _, b := range made.Bodies {
		if b.MinDX < b.DX {
			return "of the spacings on it"
		}
	}
	return "dx"
}

func label(f stuffing.FaceReport) string {
	if f.Name != "" {
		return fmt.Sprintf("%d (%s)", f.Attribute, f.Name)
	}
	return fmt.Sprint(f.Attribute)
}

// outside holds the box of the mesh against that of the origin: bumps on flat
// faces stand out of it.
func outside(s *evidence.Statement, made *stuffing.Result, out volumeOutput, origin *evidence.Origin) {
	if len(origin.Min) != 3 || len(origin.Max) != 3 || len(made.Mesh.Vertices) == 0 {
		return
	}
	k := unitOf(out.LengthUnit, origin.LengthUnit)
	bump, thin := 0.0, math.Inf(1)
	for axis := range 3 {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range made.Mesh.Vertices {
			lo, hi = math.Min(lo, v[axis]), math.Max(hi, v[axis])
		}
		bump = math.Max(bump, math.Max(origin.Min[axis]/k-lo, hi-origin.Max[axis]/k))
		thin = math.Min(thin, (origin.Max[axis]-origin.Min[axis])/k)
	}
	if thin > 0 {
		s.Check(evidence.Within("stands_outside", evidence.Bounds, "", bump/thin, mostBump, "1",
			fmt.Sprintf("How far the mesh stands outside the box of %s, by the thinnest extent of the part; bumps on flat faces raise peak stresses.", name(origin))))
	}
}
