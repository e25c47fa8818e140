// Package solve holds the finite-element tools fea.solve, heat.solve and
// cfd.solve. They check and stage the input; the MFEM driver (engines/mfem)
// solves. The package computes no physics itself.
package solve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
)

const engineName = "mfem"

// mostRegions is how many boundary conditions an answer describes inline;
// job_result.json has them all.
const mostRegions = 12

// request is what the driver reads.
type request struct {
	SolverClass string          `json:"solver_class"`
	Mesh        requestMesh     `json:"mesh"`
	Config      json.RawMessage `json:"config"`
	Refine      *refinement     `json:"refine,omitempty"`
}

type requestMesh struct {
	Path       string `json:"path"`
	LengthUnit string `json:"length_unit,omitempty"`
	// Origin is the shape that the mesh is known to come from: its unit is the mesh's
	// where they are of one size and nobody names another.
	Origin *evidence.Origin `json:"origin,omitempty"`
}

// run solves one problem of the given class. config is a typed configuration.
func run(ctx context.Context, host engine.Host, call *contract.Call, class string, mesh MeshRef, config any) (*contract.Result, error) {
	encoded, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := checkFields(class, encoded); err != nil {
		return nil, err
	}
	name, inputs, err := stageMesh(ctx, call, mesh)
	if err != nil {
		return nil, err
	}
	var origin *evidence.Origin
	if mesh.Type == "file" {
		if origin, err = call.Origin(ctx, mesh.Path); err != nil {
			return nil, err
		}
	}
	reply, err := host.Run(ctx, call, engine.Job{
		Engine:  engineName,
		Request: request{class, requestMesh{name, mesh.LengthUnit, origin}, encoded, refine(ctx, call, class)},
		Inputs:  inputs,
	})
	if err != nil {
		return nil, err
	}
	var out driverOutput
	if err := json.Unmarshal(reply.Output, &out); err != nil {
		return nil, fmt.Errorf("the driver's answer: %w", err)
	}
	var p problem
	if err := json.Unmarshal(encoded, &p); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if quiet, exact := p.quiet(&out), p.exact(&out); quiet || exact {
		reply.Warnings = slices.DeleteFunc(reply.Warnings, func(w contract.Warning) bool { return w.Code == "stress_peak_unresolved" })
	}
	if out.Refined != nil {
		p.hold(&out.Evidence, *out.Refined)
	}
	p.widen(&out.Evidence, out.TimeErrors)
	checkUnit(&out, reply.Warnings, class)
	out.Evidence.Size = out.Mesh.diagonal()
	holdShape(&out.Evidence, out.Shape, origin, class)
	return result(call, reply, out), nil
}

// stageMesh gives the mesh's name inside the job's folder and the files to be
// shown to the engine there.
func stageMesh(ctx context.Context, call *contract.Call, mesh MeshRef) (string, map[string]string, error) {
	if mesh.Type == "file" {
		if mesh.Path == "" || mesh.Data != "" {
			return "", nil, contract.Errorf(contract.CodeInvalidInput, "a mesh of type file needs path, and no data").At("/mesh/path")
		}
		path, err := call.File(ctx, mesh.Path, "/mesh/path")
		if err != nil {
			return "", nil, err
		}
		name := "in/part" + strings.ToLower(filepath.Ext(path))
		return name, map[string]string{name: path}, nil
	}
	if mesh.Data == "" || mesh.Path != "" {
		return "", nil, contract.Errorf(contract.CodeInvalidInput, "a mesh of type inline_mfem needs data, and no path").At("/mesh/data")
	}
	data := []byte(mesh.Data)
	if mesh.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(mesh.Data); err != nil {
			return "", nil, contract.Errorf(contract.CodeInvalidInput, "mesh.data is not valid base64: %w", err).At("/mesh/data")
		}
	}
	const name = "inline.mesh"
	if err := os.WriteFile(filepath.Join(call.Dir, name), data, 0o600); err != nil {
		return "", nil, fmt.Errorf("inline mesh: %w", err)
	}
	return name, nil, nil
}

// result turns the driver's reply into the tool's.
func result(call *contract.Call, reply *engine.Reply, out driverOutput) *contract.Result {
	file := out.VTKFile
	for _, a := range reply.Artifacts {
		if a.Name == out.VTKFile && len(a.Files) > 0 {
			file = a.Files[len(a.Files)-1]
		}
	}
	for i := range out.Fields {
		out.Fields[i].File = file
		out.Fields[i].ArtifactURL = contract.ArtifactURL(call.JobID, file)
	}
	out.ArtifactURL = contract.ArtifactURL(call.JobID, out.VTKFile)
	warnings := reply.Warnings
	if len(out.Loads) > mostRegions {
		warnings = append(warnings, contract.Warning{Code: "regions_shortened", Message: fmt.Sprintf(
			"%d boundary conditions are described in %s, the first %d of them here.", len(out.Loads), out.SummaryFile, mostRegions)})
		out.Loads = out.Loads[:mostRegions]
	}
	return &contract.Result{
		Status: contract.StatusOK, Solver: engineName, Summary: out.Summary, Output: out.Output,
		Artifacts: reply.Artifacts, Metrics: reply.Metrics, Log: reply.Log, Warnings: warnings,
		Statement: &out.Evidence,
	}
}
