package render

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

//go:embed render_pack_vtk.json
var packContract []byte

const engineName = "vtk"

func renderPack(host engine.Host) contract.Tool {
	tool := contract.Bind(packContract, func(ctx context.Context, call *contract.Call, in input) (*contract.Result, error) {
		return pack(ctx, call, in, host)
	})
	tool.Quick = true
	tool.Available = func() error { return host.Check(engineName) }
	return tool
}

func pack(ctx context.Context, call *contract.Call, in input, host engine.Host) (*contract.Result, error) {
	out, err := in.check(call.Limits)
	if err != nil {
		return nil, err
	}
	path, err := call.File(ctx, in.InputPath, "/input_path")
	if err != nil {
		return nil, err
	}
	src, err := open(path, in.TimeIndex, call.Dir, func(path, name string) (string, error) { return call.Files.Beside(ctx, path, name) })
	if err != nil {
		return nil, located(err)
	}
	defer src.close()
	if err := in.place(cmp.Or(in.LengthUnit, src.lengthUnit)); err != nil {
		return nil, err
	}
	drawn, reply, err := draw(ctx, call, host, in, out, src)
	if err != nil {
		return nil, err
	}
	drawn.finish(call.JobID, in, src)
	warnings := append(reply.Warnings, drawn.unitWarning(in.Unit)...)
	statement := drawn.statement(in)
	return &contract.Result{
		Status: contract.StatusOK, Solver: engineName,
		Summary:   summary(filepath.Base(path), drawn, reply.Metrics),
		Output:    drawn,
		Statement: statement, Artifacts: reply.Artifacts, Metrics: reply.Metrics,
		Warnings: warnings, Log: reply.Log,
	}, nil
}

// draw runs the engine, and a second time where the field has a unit of its own that
// is not the one asked for: only the file says it, and only this side converts.
func draw(ctx context.Context, call *contract.Call, host engine.Host, in input, out outputs, src *source) (*output, *engine.Reply, error) {
	request := newRequest(in, out, src)
	for {
		reply, err := host.Run(ctx, call, engine.Job{Engine: engineName, Request: request, Inputs: src.inputs})
		if err != nil {
			return nil, nil, err
		}
		var drawn output
		if err := json.Unmarshal(reply.Output, &drawn); err != nil {
			return nil, nil, contract.Errorf(contract.CodeInvalidToolOutput, "the renderer's answer cannot be read: %w", err)
		}
		if src.surface != nil {
			drawn.OwnLengthUnit = src.lengthUnit
		}
		if drawn.OwnUnit == "" || request.Convert != nil {
			return &drawn, reply, nil
		}
		if request.Convert, err = convert(in.Field, drawn.OwnUnit, in.Unit); err != nil {
			return nil, nil, err
		}
	}
}

// located points at the file argument where the fault has no place of its own.
func located(err error) error {
	e := contract.AsError(err)
	if e.Field == "" {
		return e.At("/input_path")
	}
	return e
}

func summary(file string, out *output, metrics map[string]any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Drew %d view(s) of %s", len(out.Views), file)
	if n, ok := metrics["triangles"].(float64); ok {
		fmt.Fprintf(&b, " (%.0f triangles)", n)
	}
	if f := out.Field; f != nil {
		fmt.Fprintf(&b, ", %s from %.4g to %.4g %s", strings.TrimSpace(f.Name+" "+strings.ReplaceAll(f.Component, "_", " ")), f.Min, f.Max, f.Unit)
	}
	return strings.TrimSpace(b.String()) + "."
}
