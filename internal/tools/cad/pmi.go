package cad

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/pmi"
)

// pmiFile holds all annotations of an import, beside the mesh.
const pmiFile = "pmi.json"

// Limits of what stands in the answer itself.
const (
	inlinePMI   = 50
	longestNote = 1000 // characters
)

// annotate says what the file tells about the part in words, with the faces of the mesh that
// it is of.
func (out *importOutput) annotate(call *contract.Call, p plan, r *pmi.Reader) ([]contract.Warning, error) {
	out.PMI = []pmi.Annotation{}
	if r == nil { // IGES and BREP
		return nil, nil
	}
	all := r.Annotations()
	out.PMICount, out.PMIDrawn = len(all), r.Drawn()
	if len(all) == 0 {
		return out.untold(r.Overflow), nil
	}
	if err := renumber(call.Dir, p, all); err != nil {
		return nil, err
	}
	out.PMIFile = path.Join(path.Dir(p.meshFile), pmiFile)
	out.PMIURL = contract.ArtifactURL(call.JobID, out.PMIFile)
	raw, err := json.Marshal(map[string]any{"pmi": all})
	if err == nil {
		err = os.WriteFile(filepath.Join(call.Dir, filepath.FromSlash(out.PMIFile)), raw, 0o600)
	}
	if err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "%s cannot be written: %w", out.PMIFile, err)
	}
	for _, a := range all[:min(len(all), inlinePMI)] {
		a.Text = shortened(a.Text)
		a.Datums, a.Faces = a.Datums[:min(len(a.Datums), inlineRows)], a.Faces[:min(len(a.Faces), inlineRows)]
		out.PMI = append(out.PMI, a)
	}
	return out.untold(r.Overflow), nil
}

// untold warns of annotations that are not among those that are told.
func (out *importOutput) untold(overflow bool) []contract.Warning {
	var warnings []contract.Warning
	if out.PMIDrawn > 0 {
		warnings = append(warnings, contract.Warning{Code: "pmi_without_words", Message: fmt.Sprintf(
			"The file has %d annotations as drawn lines only: what they say is not in pmi, and only a picture from the CAD program shows it.", out.PMIDrawn)})
	}
	if overflow {
		warnings = append(warnings, contract.Warning{Code: "pmi_left_out", Message: "The file holds more annotations than are read; pmi lacks some of them."})
	}
	return warnings
}

// annotated counts them by their kinds, "" for none.
func (out *importOutput) annotated() string {
	if out.PMICount == 0 {
		return ""
	}
	return fmt.Sprintf(" %d datums, dimensions, tolerances and notes are in %s.", out.PMICount, out.PMIFile)
}

func shortened(text string) string {
	if letters := []rune(text); len(letters) > longestNote {
		return string(letters[:longestNote-1]) + "…"
	}
	return text
}

// renumber puts the ids of the mesh's faces in the place of the instances of the file. A face
// of a part that an assembly holds several times has several.
func renumber(dir string, p plan, all []pmi.Annotation) error {
	listed, err := facesOf(dir, p)
	if err != nil {
		return err
	}
	ids := map[int][]int{}
	for _, f := range listed {
		if f.Instance > 0 {
			ids[f.Instance] = append(ids[f.Instance], f.ID)
		}
	}
	for n := range all {
		faces := []int{}
		for _, instance := range all[n].Faces {
			faces = append(faces, ids[instance]...)
		}
		all[n].Faces = faces
	}
	return nil
}
