package cad

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

const gmsh = "gmsh"

const (
	shapeFile = "shape.brep" // what the engine of Netgen hands to Gmsh
	sizesFile = shapeFile + ".json"
	fieldFile = shapeFile + ".npz"
	madeFile  = "made.npz" // and what comes back
)

// How much of the call's time each mesher may use; what is left is for reading,
// measuring and writing.
const (
	aloneShare  = 0.7
	firstShare  = 0.5  // of Netgen, where Gmsh can follow
	secondShare = 0.75 // of Gmsh, of what is left then
)

// handover is the part of a request that concerns another mesher.
type handover struct {
	ShapeFile string        `json:"shape_file,omitempty"` // where the shape is written when Netgen makes no mesh
	OnlyShape bool          `json:"only_shape,omitempty"` // it is written at once
	Made      string        `json:"made,omitempty"`       // the mesh of the other, to be finished
	Attempts  []meshAttempt `json:"attempts,omitempty"`   // what was tried until then
}

type gmshRequest struct {
	Path       string  `json:"path"`
	Sizes      string  `json:"sizes"`
	Refinement string  `json:"refinement,omitempty"`
	Output     string  `json:"output_file"`
	Budget     float64 `json:"budget_s"`
}

// meshers makes a mesh by Netgen, by Gmsh where Netgen makes none, and by isosurface
// stuffing where neither does. Gmsh has the
// GPL: it is a program of its own, and nothing of it is in another engine.
type meshers struct {
	host    engine.Host
	call    *contract.Call
	files   map[string]string
	request volumeRequest
	unit    string // of a file that names none, by the caller's word
	naming  naming
}

func (m *meshers) run(ctx context.Context, wanted string) (*engine.Reply, error) {
	defer m.clean()
	absent := m.host.Check(gmsh)
	switch {
	case wanted == stuffed:
		return m.stuffing(ctx, nil)
	case wanted == gmsh && absent != nil:
		return nil, absent
	case wanted == gmsh:
		if _, err := m.netgen(ctx, 1, handover{ShapeFile: shapeFile, OnlyShape: true}); err != nil {
			return nil, err
		}
		return m.second(ctx, nil, nil)
	case wanted == netgen:
		return m.netgen(ctx, aloneShare, handover{})
	case absent != nil:
		reply, err := m.netgen(ctx, firstShare, handover{})
		if attempts := attemptsOf(err); attempts != nil {
			return m.withoutGmsh(ctx, attempts, contract.AsError(err))
		}
		return reply, err
	}
	reply, err := m.netgen(ctx, firstShare, handover{ShapeFile: shapeFile})
	attempts := attemptsOf(err)
	if attempts == nil {
		return reply, err
	}
	reply, err = m.second(ctx, attempts, contract.AsError(err))
	if attempts := attemptsOf(err); attempts != nil {
		return m.last(ctx, attempts, contract.AsError(err))
	}
	return reply, err
}

// withoutGmsh is last where Gmsh might have made a mesh, and is not there.
func (m *meshers) withoutGmsh(ctx context.Context, attempts []meshAttempt, before *contract.Error) (*engine.Reply, error) {
	const install = "Gmsh, which meshes some parts that Netgen does not, is not installed here: engines/install.sh gmsh."
	reply, err := m.last(ctx, attempts, before.WithHint("%s %s", before.Hint, install))
	if err == nil {
		reply.Warnings = append(reply.Warnings, contract.Warning{Code: "gmsh_missing", Message: install})
	}
	return reply, err
}

// last fills the part's triangulation, where no mesher of its faces has made a mesh; where
// that makes none either, the error is theirs, and says so.
func (m *meshers) last(ctx context.Context, attempts []meshAttempt, before *contract.Error) (*engine.Reply, error) {
	reply, err := m.stuffing(ctx, attempts)
	if err == nil || ctx.Err() != nil {
		return reply, err
	}
	why := contract.AsError(err).Message
	return nil, contract.Errorf(contract.CodeVolumeMeshFailed, "%s; nor can its triangulation be filled: %s", before.Message, why).At("/file_path").
		With("attempts", append(attempts, meshAttempt{Mesher: stuffed, Error: why})).WithHint("%s", before.Hint)
}

// netgen runs the engine that reads the model, meshes it and measures the mesh.
func (m *meshers) netgen(ctx context.Context, share float64, h handover) (*engine.Reply, error) {
	request := m.request
	request.Budget, request.handover = math.Min(left(ctx)*share, 3600), h
	return m.host.Run(ctx, m.call, engine.Job{Engine: netgen, Request: request, Inputs: m.files})
}

// second has Gmsh mesh the shape that lies ready, and the mesh finished as Netgen's are.
func (m *meshers) second(ctx context.Context, attempts []meshAttempt, first *contract.Error) (*engine.Reply, error) {
	begun := time.Now()
	request := gmshRequest{Path: "in/" + shapeFile, Sizes: "in/" + sizesFile, Output: madeFile, Budget: math.Min(left(ctx)*secondShare, 3600)}
	inputs := map[string]string{request.Path: m.inDir(shapeFile), request.Sizes: m.inDir(sizesFile)}
	if m.request.Refine != nil {
		request.Refinement = "in/" + fieldFile
		inputs[request.Refinement] = m.inDir(fieldFile)
	}
	_, err := m.host.Run(ctx, m.call, engine.Job{Engine: gmsh, Request: request, Inputs: inputs})
	seconds := time.Since(begun).Seconds()
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, bothFailed(append(attempts, meshAttempt{gmsh, seconds, contract.AsError(err).Message}), first)
	}
	return m.netgen(ctx, 1, handover{Made: m.handOver(madeFile), Attempts: append(attempts, meshAttempt{gmsh, seconds, ""})})
}

// handOver gives a file that one engine has made to the next; its name there.
func (m *meshers) handOver(name string) string {
	m.files["in/"+name] = m.inDir(name)
	return "in/" + name
}

func (m *meshers) inDir(name string) string { return filepath.Join(m.call.Dir, name) }

// clean removes what only the meshers needed.
func (m *meshers) clean() {
	for _, name := range []string{shapeFile, sizesFile, fieldFile, madeFile, errorsFile, namesFile} {
		os.Remove(m.inDir(name))
	}
}

// left is how many seconds the call has.
func left(ctx context.Context) float64 {
	if end, ok := ctx.Deadline(); ok {
		return math.Max(0, time.Until(end).Seconds())
	}
	return 3600
}

// attemptsOf are the tries of a part that Netgen could not mesh; nil of other errors.
func attemptsOf(err error) []meshAttempt {
	if err == nil || contract.AsError(err).Code != contract.CodeVolumeMeshFailed {
		return nil
	}
	raw, _ := json.Marshal(contract.AsError(err).Details["attempts"])
	var attempts []meshAttempt
	if json.Unmarshal(raw, &attempts) != nil {
		return nil
	}
	return attempts
}

func bothFailed(attempts []meshAttempt, first *contract.Error) error {
	last := attempts[len(attempts)-1].Error
	if first == nil {
		return contract.Errorf(contract.CodeVolumeMeshFailed, "%s", last).At("/file_path").With("attempts", attempts).
			WithHint("Give another max_size or mesher, or more time (limits).")
	}
	return contract.Errorf(contract.CodeVolumeMeshFailed, "%s; %s", first.Message, last).At("/file_path").
		With("attempts", attempts).WithHint("%s", first.Hint)
}

// mesher is the one that made the mesh.
func (a *volumeAnswer) mesher() string {
	if n := len(a.Attempts); n > 0 {
		return a.Attempts[n-1].Mesher
	}
	return netgen
}

// tried warns of a mesh that is not of the first try.
func (a *volumeAnswer) tried() contract.Warning {
	n := len(a.Attempts)
	switch {
	case n < 2:
		return contract.Warning{}
	case a.mesher() == stuffed:
		return contract.Warning{Code: "last_mesher", Message: fmt.Sprintf(
			"No mesher of CAD faces made a mesh; the triangulation of the part was filled with straight elements of about one size: curves are cut, bodies are not joined, and peak stresses are less exact. Netgen's first try ended with: %s.", a.Attempts[0].Error)}
	case a.mesher() == gmsh:
		return contract.Warning{Code: "second_mesher", Message: fmt.Sprintf(
			"Netgen did not mesh the part; Gmsh did. Netgen's first try ended with: %s.", a.Attempts[0].Error)}
	}
	return contract.Warning{Code: "coarser_than_asked", Message: fmt.Sprintf(
		"Netgen did not end at the resolution asked for; this is try %d, with fewer elements on curves and a faster growth. Before: %s.", n, a.Attempts[n-2].Error)}
}
