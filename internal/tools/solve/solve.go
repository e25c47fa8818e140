// Package solve holds the finite-element tools fea.solve, heat.solve and
// cfd.solve. They check and stage the input; the MFEM driver (engines/mfem)
// solves. The package computes no physics itself.
package solve

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

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

// run solves one problem of the given class. config is a typed configuration, completed by
// the figures of named materials.
func run(ctx context.Context, host engine.Host, call *contract.Call, class string, mesh MeshRef, config any, named taken) (*contract.Result, error) {
	encoded, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := checkFields(class, "/config", encoded); err != nil {
		return nil, err
	}
	file, err := stageMesh(ctx, call, mesh)
	if err != nil {
		return nil, err
	}
	var p problem
	if err := json.Unmarshal(encoded, &p); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if err := p.checkForces(ctx, file.dimension()); err != nil {
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
		Request: request{class, requestMesh{file.name, mesh.LengthUnit, withUnit(origin)}, encoded, refine(ctx, call, class)},
		Inputs:  file.inputs,
	})
	if err != nil {
		return nil, err
	}
	var out driverOutput
	if err := json.Unmarshal(reply.Output, &out); err != nil {
		return nil, fmt.Errorf("the driver's answer: %w", err)
	}
	if err := p.checkForces(ctx, out.Dimension); err != nil {
		return nil, err
	}
	if len(out.Cases) > 0 {
		reply.Warnings = append(reply.Warnings, p.assessCases(&out, origin, class)...)
	} else {
		reply.Warnings = p.assess(&out, reply.Warnings)
	}
	named.tell(&out)
	checkUnit(&out, reply.Warnings, class)
	if err := p.checkMaterial(&out, encoded, class); err != nil {
		return nil, err
	}
	out.Evidence.Size = out.Mesh.diagonal()
	if len(out.Cases) == 0 {
		out.settleShape(origin, class)
	}
	return result(call, reply, out), nil
}

// assess holds the figures against those on finer meshes. It returns the warnings that stay.
func (p problem) assess(out *driverOutput, warnings []contract.Warning) []contract.Warning {
	if quiet, exact := p.quiet(out), p.exact(out); quiet || exact {
		warnings = slices.DeleteFunc(warnings, func(w contract.Warning) bool { return w.Code == "stress_peak_unresolved" })
	}
	if out.Refined != nil {
		least := map[string]float64{}
		maps.Copy(least, out.AboveNodes)
		maps.Copy(least, lineChanges(out.StressLines, out.Refined.Output))
		p.hold(&out.Evidence, *out.Refined, out.Peak, least)
	}
	out.Accuracy.hold(&out.Evidence)
	p.widen(&out.Evidence, out.TimeErrors)
	if out.Refined != nil && out.Refined.Output != nil {
		settle(&out.Evidence, out.TimeErrors)
	}
	for i, f := range out.Evidence.Figures {
		for _, omitted := range out.Omits {
			out.Evidence.Figures[i] = f.Omitting(omitted)
		}
	}
	followPeak(&out.Evidence)
	p.followHeat(&out.Evidence)
	return warnings
}

// settleShape gives the error bars what the mesh lacks of the part's shape.
func (out *driverOutput) settleShape(origin *evidence.Origin, class string) {
	holdShape(&out.Evidence, out.Shape, origin, class)
	out.Accuracy.settle(&out.Evidence)
}

// checkMaterial doubts what makes no material, or none that the model is of.
func (p problem) checkMaterial(out *driverOutput, config []byte, class string) error {
	switch class {
	case classFlow:
		if err := checkFluid(&out.Evidence, config); err != nil {
			return err
		}
		return checkSpeed(&out.Evidence, config, out.MaxSpeed)
	case classHeat:
		return checkDiffusivity(&out.Evidence, config, "/config")
	case classElasticity:
		if p.heated() {
			return checkDiffusivity(&out.Evidence, p.Temperature.Heat, "/config/temperature/heat")
		}
	}
	return nil
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
