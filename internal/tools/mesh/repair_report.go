package mesh

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// conclude fills the output, metrics, summary and evidence.
func (j *repairJob) conclude() {
	r, o := j.report, &j.out
	o.ArtifactURL = contract.ArtifactURL(j.call.JobID, o.RepairedFile)
	o.DecimatedURL = contract.ArtifactURL(j.call.JobID, o.DecimatedFile)
	o.Initial = facts(j.mesh, r.Initial, r.InitialIntersecting)
	o.Repaired = facts(j.repaired, r.Final, r.FinalIntersecting)
	if r.ContactTriangles > 0 {
		o.Repaired.ContactFaces = &r.ContactTriangles
	}
	o.DefectReport = defectReport{
		InitialHoles: r.Initial.BoundaryLoops, InitialNonManifoldEdges: r.Initial.NonManifoldEdges,
		InitialDegenerateFaces: r.Initial.DegenerateFaces,
		UnresolvedErrors:       r.Final.BoundaryLoops + r.Final.NonManifoldEdges + r.Final.NonManifoldVertices + r.Final.DegenerateFaces,
	}
	o.Actions = repairActions{
		VerticesJoined: r.VerticesJoined, JunctionsSplit: r.JunctionsSplit, DuplicatesRemoved: r.DuplicatesRemoved,
		DegeneratesRemoved: r.DegeneratesRemoved, FinsRemoved: r.FinsRemoved, EdgesCut: r.EdgesCut,
		VerticesCopied: r.VerticesCopied, FacesFlipped: r.TrianglesFlipped, ComponentsFlipped: r.ComponentsFlipped,
		Cavities: r.Cavities, HolesFilled: r.HolesFilled, HoleFaces: r.HoleTriangles, HoleArea: r.HoleArea,
		SheetsRemoved: r.SheetsRemoved, IntersectionsFixed: r.IntersectionsFixed,
	}
	j.result.Output = *o
	j.result.Statement = j.statement()
	d := o.DefectReport
	j.result.Metrics = map[string]any{
		"initial_holes": d.InitialHoles, "initial_non_manifold_edges": d.InitialNonManifoldEdges,
		"initial_degenerate_faces": d.InitialDegenerateFaces, "unresolved_errors": d.UnresolvedErrors,
		"repaired_faces": r.Final.Triangles, "decimated_faces": o.Decimation.Faces,
	}
	state := "closed, oriented and manifold"
	if !r.Final.Closed {
		state = fmt.Sprintf("manifold with %d holes left open", r.Final.BoundaryLoops)
	}
	if v := o.Repaired.Volume; v != nil {
		state += fmt.Sprintf(", volume %.6g %s³", *v, o.LengthUnit)
	}
	what := "Repaired"
	if w := o.Wrap; w != nil {
		what = fmt.Sprintf("Wrapped at %.4g %s", w.Offset, o.LengthUnit)
	}
	j.result.Summary = fmt.Sprintf("%s: %d triangles, %s; %d holes filled, %d non-manifold edges resolved. Decimated to %d triangles.",
		what, r.Final.Triangles, state, r.HolesFilled, r.EdgesCut+r.FinsRemoved, o.Decimation.Faces)
	for i := range j.result.Artifacts {
		j.result.Artifacts[i].Origin = j.origin
	}
}

// mostMadeUp is the share of the area that filled holes may have before the
// repaired surface is no longer the part that was handed in.
const mostMadeUp = 0.01

// statement says what was checked, on the files as they were read back, and
// against the shape that the surface came from.
func (j *repairJob) statement() *evidence.Statement {
	s := &evidence.Statement{}
	s.Check(j.unit...)
	for _, f := range []struct {
		what, name   string
		intersecting int
	}{
		{"repaired", j.out.RepairedFile, j.report.FinalIntersecting},
		{"decimated", j.out.DecimatedFile, j.out.Decimated.IntersectingFaces},
	} {
		top := j.readBack[f.name]
		at := "/" + f.what
		count := func(name, field string, n int, of string) {
			about := at
			if n == 0 && j.madeUp() { // that a surface closes says nothing of what it encloses
				about += field
			}
			s.Check(evidence.Within(f.what+name, evidence.Exact, about, float64(n), 0, "1", fmt.Sprintf("%s in %s, counted after reading it back.", of, f.name)))
		}
		count("_border_edges", "/closed", top.BoundaryEdges, "Edges of one triangle: the surface is open there")
		count("_non_manifold", "/manifold", top.NonManifoldEdges+top.NonManifoldVertices, "Edges of more than two triangles, and points at which surfaces touch")
		count("_inconsistent_edges", "/oriented", top.InconsistentEdges, "Edges whose two triangles face opposite ways")
		s.Check(evidence.Within(f.what+"_intersecting_faces", evidence.Bounds, at, float64(f.intersecting), 0, "1",
			fmt.Sprintf("Triangles of %s that intersect others, by an exact test.", f.name)))
	}
	made := 0.0
	if j.out.Repaired.Area > 0 {
		made = j.report.HoleArea / j.out.Repaired.Area
	}
	s.Check(evidence.Within("filled_area", evidence.Model, "/repaired", made, mostMadeUp, "1",
		"Share of the repaired surface that was made up to close holes: nothing says that the part looks like that there."))
	if c, ok := j.apart.Check("/repaired", nil); ok {
		s.Check(c)
	}
	if n := j.report.TurnedCrossing; n > 0 {
		s.Check(evidence.Within("united_inside_out", evidence.Model, "/repaired", float64(n), 0, "1",
			"Triangles of components that were inside out and cross others that were not. They were turned and united with those; where they are cavities or cuts, the part is too large. Cut them off in the CAD model, or turn them there if they are material."))
	}
	if j.madeUp() {
		s.Note("%s", j.behindHoles())
	}
	j.figures(s)
	for _, c := range s.Checks {
		if !c.Passed && strings.HasPrefix(c.Figure, "/repaired") {
			s.Check(evidence.Holds("decimated_from_repaired", evidence.Model, "/decimated", false,
				"It was made of the repaired surface, which failed "+c.Name+": no figure of it is better than that."))
			break
		}
	}
	return s
}

// madeUp says whether holes were filled and no volume that the origin has agrees with
// what they enclose now. However small a hole is, whatever hung on its border is missing,
// such as a cavity behind it.
func (j *repairJob) madeUp() bool {
	if j.out.Wrap != nil {
		return true
	}
	if j.report.HolesFilled == 0 {
		return false
	}
	v, o := j.out.Repaired.Volume, j.origin
	if v == nil || o.Volume == nil || *o.Volume == 0 {
		return true
	}
	k := unitOf(j.out.LengthUnit, o.LengthUnit)
	return math.Abs(*v*k*k*k / *o.Volume - 1) > agreement
}

func (j *repairJob) behindHoles() string {
	if w := j.out.Wrap; w != nil {
		return fmt.Sprintf("The surface is a wrap at %.4g %s around what was given: it stands off by that, what is narrower than twice as much is closed, and what is inside is left out. Its volume and area are not those of the part.", w.Offset, j.out.LengthUnit)
	}
	holes := "A hole was"
	if n := j.report.HolesFilled; n > 1 {
		holes = fmt.Sprintf("%d holes were", n)
	}
	return holes + " filled, and what lay behind cannot be known: a cavity that opened there would be missing from the surface, and the volume is that of the surface closed by a patch. Compare it with the part, or repair the hole where the surface was made."
}

func (j *repairJob) figures(s *evidence.Statement) {
	defer func() {
		for i, f := range s.Figures {
			if j.madeUp() && (strings.HasPrefix(f.Pointer, "/repaired/") || strings.HasPrefix(f.Pointer, "/decimated/")) {
				s.Figures[i] = f.Omitting(j.behindHoles())
				if j.out.Wrap == nil {
					s.Figures[i].Method += "; what lay behind filled holes is not known"
				}
			}
		}
	}()
	unit := j.out.LengthUnit
	of := func(name, at string, v *float64) evidence.Figure {
		f := evidence.Of(name, at, math.NaN(), unit+"^3", "sum of signed tetrahedra over the triangles")
		if v != nil {
			f.Value = v
		}
		return f
	}
	volume := holdVolume(s, of("repaired_volume", "/repaired/volume", j.out.Repaired.Volume).Quote(), j.origin, unit)
	area := evidence.Of("repaired_area", "/repaired/area", j.out.Repaired.Area, unit+"^2", "sum of the triangles")
	// Else the origin lacks what was filled, which has a check of its own; a wrap has
	// another area than what it is around, and says so.
	if j.origin.Exact || j.report.HoleArea == 0 && j.out.Wrap == nil {
		area = holdArea(s, area, j.origin, unit, agreement)
	}
	small := of("decimated_volume", "/decimated/volume", j.out.Decimated.Volume)
	if small.Value != nil && j.origin.Volume != nil {
		k := unitOf(unit, j.origin.LengthUnit)
		small = small.PlusMinus(*small.Value-*j.origin.Volume/(k*k*k), "difference from the origin")
		s.Check(evidence.Within("decimated_volume_of_origin", evidence.Independent, "/decimated/volume",
			*small.Error*k*k*k / *j.origin.Volume, 0.05, "1", "Volume of the decimated surface against that of "+name(j.origin)+", relative to it."))
	}
	s.Figure(volume, area, small,
		evidence.Of("decimation_deviation", "/decimation/max_deviation", j.out.Decimation.MaxDeviation, unit, "largest distance between samples of one surface and the other"))
}
