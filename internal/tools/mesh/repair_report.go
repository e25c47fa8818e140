package mesh

import (
	"fmt"
	"math"

	"atelier/internal/contract"
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
	j.result.Evidence = j.evidence()
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
	j.result.Summary = fmt.Sprintf("Repaired: %d triangles, %s; %d holes filled, %d non-manifold edges resolved. Decimated to %d triangles (max deviation %.3g %s).",
		r.Final.Triangles, state, r.HolesFilled, r.EdgesCut+r.FinsRemoved, o.Decimation.Faces, o.Decimation.MaxDeviation, o.LengthUnit)
}

func count(name string, n int, note string) contract.Check {
	v, zero := float64(n), 0.0
	return contract.Check{Name: name, Value: &v, Unit: "1", Tolerance: &zero, OK: n == 0, Note: note}
}

// evidence says what was checked, on the files as they were read back.
func (j *repairJob) evidence() *contract.Evidence {
	ev := &contract.Evidence{Trust: contract.Verified}
	for _, f := range []struct {
		what, name   string
		intersecting int
	}{
		{"repaired", j.out.RepairedFile, j.report.FinalIntersecting},
		{"decimated", j.out.DecimatedFile, j.out.Decimated.IntersectingFaces},
	} {
		top := j.readBack[f.name]
		note := "counted in " + f.name + " after reading it back"
		ev.Checks = append(ev.Checks,
			count(f.what+"_border_edges", top.BoundaryEdges, note),
			count(f.what+"_non_manifold", top.NonManifoldEdges+top.NonManifoldVertices, note),
			count(f.what+"_inconsistent_edges", top.InconsistentEdges, note),
			count(f.what+"_intersecting_faces", f.intersecting, "exact triangle-triangle test"))
		if !top.Sound() {
			ev.Trust = contract.Suspect
			ev.Reasons = append(ev.Reasons, fmt.Sprintf("%s is not closed, oriented and manifold.", f.name))
		}
		if f.intersecting > 0 {
			ev.Trust = contract.Suspect
			ev.Reasons = append(ev.Reasons, fmt.Sprintf("%d triangles of %s intersect others.", f.intersecting, f.name))
		}
	}
	if j.out.Initial.Volume != nil && j.out.Repaired.Volume != nil {
		j.volumeCheck(ev)
	}
	if ev.Trust == contract.Verified {
		ev.Reasons = []string{"Both files were read back and are closed, oriented, manifold and free of self-intersections."}
	}
	return ev
}

// volumeCheck compares sizes where the input was closed already: repair may
// turn a part round but not change it.
func (j *repairJob) volumeCheck(ev *contract.Evidence) {
	before, after := math.Abs(*j.out.Initial.Volume), math.Abs(*j.out.Repaired.Volume)
	if j.out.Initial.Components != 1 || before == 0 || j.report.IntersectionsFixed > 0 {
		return // parts of either sense cancel, and overlaps count twice, in the initial figure
	}
	change, tol := math.Abs(after-before)/before, 1e-3
	ev.Checks = append(ev.Checks, contract.Check{
		Name: "volume_change", Value: &change, Unit: "1", Tolerance: &tol, OK: change <= tol,
		Note: "volume of the repaired surface against that of the input, which was closed",
	})
	if change > tol {
		ev.Trust = contract.Suspect
		ev.Reasons = append(ev.Reasons, fmt.Sprintf("The repair changed the volume by %.3g %%.", 100*change))
	}
}
