package mesh

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/stuffing"
)

func volumeResult(call *contract.Call, made *stuffing.Result, name, format string, chosen, traced bool, origin *evidence.Origin) *contract.Result {
	out := volumeOutput{
		OutputFile: name, ArtifactURL: contract.ArtifactURL(call.JobID, name), Format: format,
		DXChosen: chosen, LengthUnit: named(made.Mesh.Meta.LengthUnit), MinDihedral: 180,
		BodyCount: len(made.Bodies), AttributesFile: attributesFile,
		AttributesURL: contract.ArtifactURL(call.JobID, attributesFile),
	}
	var surfaceVolume float64
	for _, b := range made.Bodies {
		out.Volume += b.Volume
		surfaceVolume += b.SurfaceVolume
		out.DX = max(out.DX, b.DX)
		if out.MinDX == 0 || b.MinDX < out.MinDX {
			out.MinDX = b.MinDX
		}
		out.MinDihedral, out.MaxDihedral = min(out.MinDihedral, b.MinDihedral), max(out.MaxDihedral, b.MaxDihedral)
	}
	out.VolumeError = out.Volume/surfaceVolume - 1
	out.Stats = volumeStats{len(made.Mesh.Vertices), len(made.Mesh.Tetrahedra), made.Mesh.WorstQuality()}
	out.Bodies = made.Bodies[:min(len(made.Bodies), inlineRows)]
	out.BoundaryAttributes, out.AttributeCount = attributeRows(made.Faces)
	spacings := fmt.Sprintf("%.4g", out.DX)
	if out.MinDX < out.DX {
		spacings = fmt.Sprintf("%.4g down to %.4g", out.DX, out.MinDX)
	}
	return &contract.Result{
		Solver: "atelier",
		Summary: fmt.Sprintf("%d tetrahedra%s at dx %s %s; smallest dihedral angle %.1f°, volume within %.2g %%, %d boundary attributes.",
			out.Stats.TetrahedraCount, geometry.InBodies(out.BodyCount), spacings, out.LengthUnit, out.MinDihedral, 100*math.Abs(out.VolumeError), out.AttributeCount),
		Output: out,
		Artifacts: []contract.Artifact{
			{Name: name, MIME: contract.MIMEType(name), Primary: true, Origin: origin},
			{Name: attributesFile, MIME: contract.MIMEType(attributesFile)},
		},
		Metrics: map[string]any{
			"dx": out.DX, "min_dx": out.MinDX, "node_count": out.Stats.NodeCount, "tetrahedra_count": out.Stats.TetrahedraCount,
			"worst_element_quality": out.Stats.WorstElementQuality,
		},
		Warnings:  made.Warnings,
		Statement: volumeStatement(made, out, origin, traced),
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
