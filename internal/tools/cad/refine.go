package cad

import (
	"context"
	"encoding/json"
	"regexp"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/geometry"
	"atelier/internal/vtkfile"
)

const (
	vtk = "vtk" // the engine that reads field files
	// errorField is what the solvers call the error that they estimate in each element.
	errorField = "error_estimate"
	errorsFile = "errors.npz" // the tetrahedra with their errors, between two engines
	// solutionFile is where a solver's job keeps its solution.
	solutionFile = "solution/solution.pvd"
	refineFrom   = "/refine_from"
)

// refinement asks for smaller elements where an earlier solution has large errors.
type refinement struct {
	Path   string  `json:"path"`
	Scale  float64 `json:"scale,omitempty"` // mm in a unit of its coordinates; 0 where the file names none
	Factor float64 `json:"factor"`
}

var jobID = regexp.MustCompile(`^job_[0-9A-Za-z]+$`)

// refine reads the errors of a solution, of a job or in a file, for the mesher.
func (m *meshers) refine(ctx context.Context, ref string, factor float64) error {
	file, err := m.solution(ctx, ref)
	if err != nil {
		return err
	}
	pieces, err := m.pieces(ctx, file)
	if err != nil {
		return contract.AsError(err).At(refineFrom)
	}
	request := struct {
		Pieces []string `json:"pieces"`
		Field  string   `json:"cell_field"`
		Output string   `json:"output"`
	}{Field: errorField, Output: errorsFile}
	var inputs map[string]string
	request.Pieces, inputs = vtkfile.Inputs(pieces)
	reply, err := m.host.Run(ctx, m.call, engine.Job{Engine: vtk, Request: request, Inputs: inputs})
	if err != nil {
		if e := contract.AsError(err); e.Field != "" {
			return e.At(refineFrom)
		}
		return err
	}
	var read struct {
		LengthUnit string `json:"length_unit"`
	}
	if err := json.Unmarshal(reply.Output, &read); err != nil {
		return contract.Errorf(contract.CodeInternal, "the answer of engine %s does not fit: %w", vtk, err)
	}
	m.request.Refine = &refinement{Path: m.handOver(errorsFile), Scale: geometry.LengthUnits[read.LengthUnit] / geometry.LengthUnits["mm"], Factor: factor}
	return nil
}

// solution is the file of a solution, or of the one that a job has made.
func (m *meshers) solution(ctx context.Context, ref string) (string, error) {
	if !jobID.MatchString(ref) {
		return m.call.Guide(ctx, ref, refineFrom)
	}
	file, err := m.call.Guide(ctx, contract.ArtifactURL(ref, solutionFile), refineFrom)
	if err != nil && contract.AsError(err).Code == contract.CodeFileNotFound {
		return "", contract.Errorf(contract.CodeFileNotFound, "the job %s has no solution (%s): it is unknown or deleted, has failed or not ended, or is none of a solver", ref, solutionFile).
			At(refineFrom).WithHint("GET /v1/jobs/%s tells its tool and state; give the id of a fea.solve or heat.solve that succeeded.", ref)
	}
	return file, err
}

// pieces are the files that hold the last state of a solution.
func (m *meshers) pieces(ctx context.Context, file string) ([]string, error) {
	head, err := vtkfile.Head(file)
	if err != nil {
		return nil, err
	}
	find := func(path, name string) (string, error) { return m.call.Files.Beside(ctx, path, name) }
	switch {
	case vtkfile.Collection(head):
		files, _, err := vtkfile.Series(file, nil, find)
		return files, err
	case vtkfile.XML(head):
		return vtkfile.Pieces(file, find)
	}
	return nil, contract.Errorf(contract.CodeFileUnreadable, "the file is no solution of a solver in VTK's XML (.pvd, .vtu)").
		WithHint("Give the artifact_url, or the id of the job, of a fea.solve or heat.solve on a mesh of this file.")
}
