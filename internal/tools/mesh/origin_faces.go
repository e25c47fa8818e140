package mesh

import (
	"fmt"
	"math"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/stuffing"
)

// holdFaces compares the faces of the mesh with those of the CAD model: one that was lost
// before the meshing, such as by a repair, is not among the faces of the surface. traced
// says that the surface knows which CAD face its triangles come from.
func holdFaces(s *evidence.Statement, made *stuffing.Result, o *evidence.Origin, unit string, traced bool) {
	if !o.Exact || len(o.Faces) == 0 {
		return
	}
	if !traced {
		s.Note("The surface does not say which CAD face its triangles come from, so that no face was held against the CAD model.")
		return
	}
	present := map[int]stuffing.FaceReport{}
	for _, f := range made.Faces {
		if other, ok := present[int(f.Attribute)]; ok { // on several bodies
			f.Area += other.Area
			f.Checked = f.Checked && other.Checked
		}
		present[int(f.Attribute)] = f
	}
	k := unitOf(unit, o.LengthUnit)
	var lost []string
	var furthest evidence.OriginFace
	worst, held := 0.0, 0
	for _, face := range o.Faces {
		f, ok := present[face.ID]
		if !ok {
			lost = append(lost, faceName(face))
			continue
		}
		if !f.Checked || face.Area <= 0 {
			continue
		}
		held++
		if off := f.Area*k*k/face.Area - 1; math.Abs(off) >= math.Abs(worst) {
			worst, furthest = off, face
		}
	}
	s.Check(evidence.Within("faces_of_origin", evidence.Independent, "", float64(len(lost)), 0, "1", lostSentence(lost, len(o.Faces))))
	if held > 0 {
		s.Check(evidence.Within("face_area_of_origin", evidence.Independent, "", worst, mostFaceLoss, "1", fmt.Sprintf(
			"Relative difference of the area of face %s from that in the CAD model, the worst of %d faces wider than 3 dx.", faceName(furthest), held)))
	}
}

// mostFacesTold is how many lost faces a sentence names.
const mostFacesTold = 8

func lostSentence(lost []string, of int) string {
	if len(lost) == 0 {
		return fmt.Sprintf("All %d faces of the CAD model are faces of the surface that was meshed.", of)
	}
	return fmt.Sprintf("%d of the %d faces of the CAD model are not in the surface that was meshed: %s. Repair it with less change, or mesh the CAD file itself with volume_mesh_cad.", len(lost), of, contract.Listed(lost, mostFacesTold))
}

func faceName(f evidence.OriginFace) string {
	if f.Name != "" {
		return fmt.Sprintf("%d (%s)", f.ID, f.Name)
	}
	return fmt.Sprint(f.ID)
}
