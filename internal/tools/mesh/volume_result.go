package mesh

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/tools/mesh/stuffing"
)

func volumeResult(call *contract.Call, made *stuffing.Result, name, format string, chosen bool) *contract.Result {
	out := volumeOutput{
		OutputFile: name, ArtifactURL: contract.ArtifactURL(call.JobID, name), Format: format,
		DXChosen: chosen, LengthUnit: made.Mesh.Meta.LengthUnit, MinDihedral: 180,
		BodyCount: len(made.Bodies), AttributesFile: attributesFile,
		AttributesURL: contract.ArtifactURL(call.JobID, attributesFile),
	}
	var surfaceVolume float64
	for _, b := range made.Bodies {
		out.Volume += b.Volume
		surfaceVolume += b.SurfaceVolume
		out.DX = max(out.DX, b.DX)
		out.MinDihedral, out.MaxDihedral = min(out.MinDihedral, b.MinDihedral), max(out.MaxDihedral, b.MaxDihedral)
	}
	out.VolumeError = out.Volume/surfaceVolume - 1
	out.Stats = volumeStats{len(made.Mesh.Vertices), len(made.Mesh.Tetrahedra), made.Mesh.WorstQuality()}
	out.Bodies = made.Bodies[:min(len(made.Bodies), inlineRows)]
	out.BoundaryAttributes, out.AttributeCount = attributeRows(made.Faces)
	evidence := volumeEvidence(made, out)
	return &contract.Result{
		Solver: "atelier",
		Summary: fmt.Sprintf("%d tetrahedra in %d bodies at dx %.4g %s; smallest dihedral angle %.1f°, volume within %.2g %%, %d boundary attributes.",
			out.Stats.TetrahedraCount, out.BodyCount, out.DX, out.LengthUnit, out.MinDihedral, 100*math.Abs(out.VolumeError), out.AttributeCount),
		Output: out,
		Artifacts: []contract.Artifact{
			{Name: name, MIME: contract.MIMEType(name), Primary: true},
			{Name: attributesFile, MIME: contract.MIMEType(attributesFile)},
		},
		Metrics: map[string]any{
			"dx": out.DX, "node_count": out.Stats.NodeCount, "tetrahedra_count": out.Stats.TetrahedraCount,
			"worst_element_quality": out.Stats.WorstElementQuality,
		},
		Warnings: made.Warnings,
		Evidence: evidence,
	}
}

// attributeRows shows the largest boundary attributes; one attribute may lie on
// several bodies.
func attributeRows(faces []stuffing.FaceReport) (rows []attributeRow, total int) {
	at := map[int32]int{}
	expected := []float64{}
	for _, f := range faces {
		i, known := at[f.Attribute]
		if !known {
			i = len(rows)
			at[f.Attribute] = i
			rows = append(rows, attributeRow{Attribute: f.Attribute, Name: f.Name})
			expected = append(expected, 0)
		}
		rows[i].Area += f.Area
		expected[i] += f.Expected
	}
	for i := range rows {
		if expected[i] > 0 {
			rows[i].AreaError = rows[i].Area/expected[i] - 1
		}
	}
	total = len(rows)
	slices.SortStableFunc(rows, func(a, b attributeRow) int { return cmp.Compare(b.Area, a.Area) })
	return rows[:min(total, inlineRows)], total
}

// volumeEvidence is verified when every body keeps its volume and every face that
// is wide enough its area; the angles hold for every mesh that is handed out.
func volumeEvidence(made *stuffing.Result, out volumeOutput) *contract.Evidence {
	worstVolume, worstFace := 0.0, stuffing.FaceReport{}
	for _, b := range made.Bodies {
		worstVolume = max(worstVolume, math.Abs(b.VolumeError))
	}
	checked, off, lost := 0, 0, 0
	for _, f := range made.Faces {
		if f.Triangles == 0 {
			lost++
		}
		if !f.Checked {
			continue
		}
		checked++
		if math.Abs(f.Error) > 0.05 {
			off++
		}
		if math.Abs(f.Error) > math.Abs(worstFace.Error) {
			worstFace = f
		}
	}
	check := func(name string, value, tolerance float64, unit string, ok bool, note string) contract.Check {
		return contract.Check{Name: name, Value: &value, Unit: unit, Tolerance: &tolerance, OK: ok, Note: note}
	}
	e := &contract.Evidence{Trust: contract.Verified, Checks: []contract.Check{
		check("smallest_dihedral_angle", out.MinDihedral, 10, "deg", out.MinDihedral >= 10, "no tetrahedron is inverted"),
		check("volume_error", worstVolume, 0.02, "1", worstVolume <= 0.02, "of the body that is furthest off, against the surface"),
		check("face_area_error", math.Abs(worstFace.Error), 0.05, "1", off == 0,
			fmt.Sprintf("largest of the %d faces wider than 3 dx: attribute %d", checked, worstFace.Attribute)),
	}}
	e.Reasons = []string{fmt.Sprintf("angles, volume and the areas of %d faces were measured on the finished mesh", checked)}
	if off > 0 {
		e.Trust = contract.Suspect
		e.Reasons = append(e.Reasons, fmt.Sprintf("%d faces wider than 3 dx miss their area by more than 5 %%", off))
	}
	if lost > 0 {
		e.Reasons = append(e.Reasons, fmt.Sprintf("%d faces smaller than dx have no boundary triangle", lost))
	}
	return e
}
