package cad

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

// sharpAngle is an angle with a re-entrant edge, where the stress has no bound.
func sharpAngle(t *testing.T) loaded {
	r := random(t)
	l, depth, thick := between(r, 40, 50), between(r, 10, 16), between(r, 8, 10)
	step := part(t, "angle.step", fmt.Sprintf("Box((0,0,0),(%[1]v,%[2]v,%[3]v))+Box((0,0,0),(%[3]v,%[2]v,%[1]v))", l, depth, thick))
	return loaded{step: step, held: clamped(0, l), pulled: 2, at: l, pull: [3]float64{1, 0, 0}}
}

// Of all displacements that the elements can take the solver finds those of the largest
// strain energy under given forces, and the exact ones have still more (the principle of
// minimum potential energy): where both meshes fill the same flat-sided part, the one with
// more energy is nearer to the truth. A uniform mesh needs more elements for that than one
// with sizes from the estimated errors: more than a quarter more in any case.
func TestSizesFromASolution(t *testing.T) {
	host := newHost(t, netgen, "mfem", vtk)
	refinedBeatsUniform(t, host, netgen, 2)
}

func refinedBeatsUniform(t *testing.T, host engine.Host, mesher string, times int) {
	angle := sharpAngle(t)
	coarse := angle.at / 7
	m := mesh(t, host, map[string]any{"file_path": angle.step, "max_size": coarse, "mesher": mesher})
	s, first := solution(t, m, angle.config()), m.out.Tetrahedra
	for range times {
		before := m.out.Tetrahedra
		m = mesh(t, host, map[string]any{"file_path": angle.step, "max_size": coarse, "mesher": mesher, "refine_from": s.File})
		if grown := float64(m.out.Tetrahedra) / float64(before); grown < 1.8 || grown > 5 {
			t.Errorf("%d tetrahedra became %d, expected about three times as many", before, m.out.Tetrahedra)
		}
		if left, _ := os.ReadDir(m.dir); len(left) != 2 {
			t.Errorf("left in the folder: %v", left)
		}
		s = solution(t, m, angle.config())
	}
	for size := coarse * math.Pow(float64(first)/(1.2*float64(m.out.Tetrahedra)), 0.36); ; size /= 1.08 {
		uniform := mesh(t, host, map[string]any{"file_path": angle.step, "max_size": size, "mesher": mesher})
		if uniform.out.Tetrahedra < m.out.Tetrahedra*5/4 {
			continue
		}
		u := solution(t, uniform, angle.config())
		t.Logf("refined: %d tetrahedra, %.6g J; uniform: %d, %.6g J", m.out.Tetrahedra, s.Energy, uniform.out.Tetrahedra, u.Energy)
		if s.Energy < u.Energy {
			t.Errorf("%d tetrahedra have %.8g J with sizes from the errors, %d of one size have %.8g J", m.out.Tetrahedra, s.Energy, uniform.out.Tetrahedra, u.Energy)
		}
		return
	}
}

// A solution of heat asks for smaller elements too; what other sizes keep it from is told.
func TestSizesFromTemperatures(t *testing.T) {
	host := newHost(t, netgen, "mfem", vtk)
	angle := sharpAngle(t)
	sizes := map[string]any{"file_path": angle.step, "max_size": angle.at / 7}
	m := mesh(t, host, sizes)
	heat := solutionBy(t, m, "heat.solve", "HeatTransfer", `{"conductivity":50,"steady":true,"bcs":[{"where":{"plane":"x_max"},"type":"fixed_temp","value":300},{"where":{"plane":"z_max"},"type":"heat_flux","value":5000}]}`)
	sizes["refine_from"] = heat.File
	finer := mesh(t, host, sizes)
	if grown := float64(finer.out.Tetrahedra) / float64(m.out.Tetrahedra); grown < 1.8 || grown > 5 || hasWarning(finer.Warnings, "refinement_not_reached") {
		t.Errorf("%d tetrahedra became %d, expected about three times as many: %v", m.out.Tetrahedra, finer.out.Tetrahedra, finer.Warnings)
	}
	sizes["min_size"] = angle.at / 7
	if same := mesh(t, host, sizes); same.out.Tetrahedra > 2*m.out.Tetrahedra || !hasWarning(same.Warnings, "refinement_not_reached") {
		t.Errorf("with a least size of the largest %d tetrahedra became %d: %v", m.out.Tetrahedra, same.out.Tetrahedra, same.Warnings)
	}
}

// What is no solution of the part is refused by its argument.
func TestSizesFromSomethingElse(t *testing.T) {
	host := newHost(t, netgen, "mfem", vtk)
	angle := sharpAngle(t)
	m := mesh(t, host, map[string]any{"file_path": angle.step, "max_size": angle.at / 5})
	s := solution(t, m, angle.config())
	nothing := filepath.Join(t.TempDir(), "field.vtu")
	const square = `<VTKFile type="UnstructuredGrid" version="1.0"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<CellData><DataArray type="Float64" Name="heat" format="ascii">1</DataArray></CellData>
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>
<Cells><DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray><DataArray type="Int64" Name="offsets" format="ascii">4</DataArray><DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>`
	if err := os.WriteFile(nothing, []byte(square), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ step, from, code, says string }{
		"no error":      {angle.step, solution(t, m, `{"materials":[{"E":2.1e11,"nu":0.3}],"bcs":[{"where":{"plane":"x_max"},"type":"fixed"},{"where":{"plane":"z_max"},"type":"load","value":[0,0,0]}]}`).File, contract.CodeInvalidRequest, "no estimated error"},
		"no such job":   {angle.step, "job_aaaaaaaaaaaaaaaaaaaaaaaaaa", contract.CodeFileNotFound, "the job job_aaaaaaaaaaaaaaaaaaaaaaaaaa has no solution"},
		"another part":  {cone(t, 3, 6), s.File, contract.CodeInvalidRequest, "another part"},
		"no such field": {angle.step, nothing, contract.CodeInvalidRequest, "error_estimate; its fields: heat"},
		"no field file": {angle.step, m.path(), contract.CodeFileUnreadable, "no solution"},
		"no file":       {angle.step, "nowhere.pvd", contract.CodeFileNotFound, "nowhere.pvd"},
	} {
		got := tryMesh(t, host, map[string]any{"file_path": c.step, "refine_from": c.from})
		if got.Status != contract.StatusError || got.Errors[0].Code != c.code || got.Errors[0].Field != refineFrom || !strings.Contains(got.Errors[0].Message, c.says) {
			t.Errorf("%s: %s %v", name, got.Status, got.Errors)
		}
	}
	got := tryMesh(t, host, map[string]any{"file_path": angle.step, "refine_factor": 2})
	if got.Status != contract.StatusError || got.Errors[0].Field != "/refine_factor" {
		t.Errorf("a factor alone: %s %v", got.Status, got.Errors)
	}
}
