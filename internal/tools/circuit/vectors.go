package circuit

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

//go:embed vectors.json
var vectorsContract []byte

// vectorsInput is the input of circuit_simulate_ngspice: a netlist file with its
// own analysis cards, and the vectors that are wanted.
type vectorsInput struct {
	NetlistPath   string   `json:"netlist_path"`
	TargetVectors []string `json:"target_vectors"`
}

// vectorsOutput has the vectors by name: real parts, and in ac the imaginary
// ones beside them.
type vectorsOutput struct {
	SimulationPath string               `json:"simulation_path"`
	VectorFile     string               `json:"vector_file"`
	ArtifactURL    string               `json:"artifact_url"`
	Plot           string               `json:"plot"`
	Points         int                  `json:"points"`
	Vectors        map[string][]float64 `json:"vectors"`
	Imaginary      map[string][]float64 `json:"imaginary,omitempty"`
	// Figures are over all points computed, not over the thinned ones above.
	Figures map[string]vectorFigures `json:"figures"`
}

// vectorFigures are what a reader quotes of a vector; in ac of its magnitude.
type vectorFigures struct {
	Unit  string  `json:"unit"`
	Final float64 `json:"final"`
	Min   extreme `json:"min"`
	Max   extreme `json:"max"`
}

const (
	vectorFolder  = "simulation"
	vectorFile    = "simulation/vectors.json"
	maxNetlist    = 1_000_000 // bytes
	maxVectors    = 64
	vectorPoints  = 2000 // of one vector in the file
	inlineNumbers = 2000 // of all vectors in the answer
)

func vectorsTool(host engine.Host) contract.Tool {
	t := contract.Bind(vectorsContract, func(ctx context.Context, call *contract.Call, in vectorsInput) (*contract.Result, error) {
		result, err := runVectors(ctx, host, call, &in)
		if err != nil {
			if e := contract.AsError(err); e.Field == "/netlist" {
				return nil, e.At("/netlist_path")
			}
		}
		return result, err
	})
	t.Quick = true
	t.Available = func() error { return host.Check(engineName) }
	return t
}

func readNetlist(ctx context.Context, call *contract.Call, ref string) (string, error) {
	path, err := call.File(ctx, ref, "/netlist_path")
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", contract.Errorf(contract.CodeFileNotFound, "the netlist cannot be read: %w", err).At("/netlist_path")
	}
	if info.Size() == 0 {
		return "", contract.Errorf(contract.CodeFileEmpty, "the netlist is empty").At("/netlist_path")
	}
	if info.Size() > maxNetlist {
		return "", contract.Errorf(contract.CodeFileUnreadable, "the netlist has %d bytes; at most %d are read", info.Size(), maxNetlist).At("/netlist_path")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", contract.Errorf(contract.CodeFileUnreadable, "the netlist cannot be read: %w", err).At("/netlist_path")
	}
	return string(text), nil
}

func runVectors(ctx context.Context, host engine.Host, call *contract.Call, in *vectorsInput) (*contract.Result, error) {
	text, err := readNetlist(ctx, call, in.NetlistPath)
	if err != nil {
		return nil, err
	}
	r, fault := readRequest(&simulateInput{Netlist: text})
	if fault != nil {
		return nil, fault
	}
	r.probes = nil
	d := r.deck()
	out, err := simulate(ctx, host, call, d, deckFile)
	if err != nil {
		return nil, err
	}
	if fault := diagnose(r.net, r.script, out); fault != nil {
		fault.Log = &out.log
		return nil, fault
	}
	last := out.plots[len(out.plots)-1]
	p := last[len(last)-1]
	chosen, fault := chooseVectors(p, in.TargetVectors)
	if fault != nil {
		return nil, fault
	}
	warnings, floating := logWarnings(out.log.Stderr)
	result := &contract.Result{Log: out.log, Metrics: out.reply.Metrics, Warnings: slices.Concat(r.net.warnings, warnings, out.leftOut())}
	if err := writeVectors(call.Dir, p, chosen); err != nil {
		return nil, err
	}
	if err := gather(call.Dir, d, rawFile); err != nil {
		return nil, err
	}
	for _, name := range []string{vectorFile, rawFile, deckFile} {
		result.Artifacts = append(result.Artifacts, contract.Artifact{Name: name, MIME: contract.MIMEType(name), Primary: name == vectorFile})
	}
	result.Metrics["vector_count"], result.Metrics["total_points"] = len(chosen), len(chosen)*p.points()
	result.Metrics["simulation_relpath"] = vectorFile
	answer := vectorsOutput{SimulationPath: vectorFolder, VectorFile: vectorFile, ArtifactURL: contract.ArtifactURL(call.JobID, vectorFile), Plot: p.name, Points: p.points()}
	answer.Vectors, answer.Imaginary = thin(chosen, pick(p.points(), max(2, min(vectorPoints, inlineNumbers/len(chosen)))))
	var signals []signal
	answer.Figures, signals = vectorSignals(p, chosen, len(out.plots)-1, len(last)-1)
	j := assess(ctx, host, call, d, r.script, out, signals, nil, floating)
	j.figures()
	result.Warnings = append(result.Warnings, j.warnings...)
	result.Statement, result.Output, result.Summary = j.Statement, answer, summarizeVectors(p, len(chosen), signals, j)
	return result, nil
}

// vectorSignals are the figures of the vectors; the scale of a sweep has none.
func vectorSignals(p *plot, chosen []vector, analysis, part int) (map[string]vectorFigures, []signal) {
	figures, signals := map[string]vectorFigures{}, []signal{}
	for i, v := range chosen {
		isScale := p.points() > 1 && &v.re[0] == &p.vectors[0].re[0]
		if isScale && (i < len(chosen)-1 || len(signals) > 0) {
			continue
		}
		if _, twice := figures[v.name]; twice {
			continue
		}
		pr, _ := parseProbe(v.name)
		s := signal{at: pointer("figures", v.name), name: v.name, unit: unit(v.kind, v.name), analysis: analysis, part: part, probe: pr, wraps: pr.form.wraps(v.re),
			quoted: len(signals) < quotedSeries, stats: statsOf(p, v)}
		if v.im == nil {
			s.x, s.y = p.vectors[0].re, v.re
		}
		figures[v.name] = vectorFigures{Unit: s.unit, Final: s.final, Min: extreme{s.minAt, s.min}, Max: extreme{s.maxAt, s.max}}
		signals = append(signals, s)
	}
	return figures, signals
}

func summarizeVectors(p *plot, count int, signals []signal, j *judgement) string {
	text := fmt.Sprintf("%s: %d vectors of %d points.", p.name, count, p.points())
	for i := range signals {
		s := &signals[i]
		if !s.quoted {
			continue
		}
		text += fmt.Sprintf(" %s from %s to %s %s", s.name, format5(s.min), format5(s.max), s.unit)
		if !j.drifts[i] {
			text += ", at the end " + format5(s.final)
		}
		text += "."
	}
	return text
}

// chooseVectors takes the wanted vectors, or the first ones when none is named.
// "time" stands for the scale of any analysis.
func chooseVectors(p *plot, wanted []string) ([]vector, *contract.Error) {
	if len(wanted) == 0 {
		return p.vectors[:min(len(p.vectors), maxVectors)], nil
	}
	if len(wanted) > maxVectors {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%d vectors are asked for; at most %d are given", len(wanted), maxVectors).At("/target_vectors")
	}
	var chosen []vector
	for i, name := range wanted {
		field := fmt.Sprintf("/target_vectors/%d", i)
		lower := strings.ToLower(strings.TrimSpace(name))
		if v := p.find(lower); v != nil {
			chosen = append(chosen, vector{name: name, kind: v.kind, re: v.re, im: v.im})
			continue
		}
		if lower == "time" && p.points() > 1 {
			scale := p.vectors[0]
			chosen = append(chosen, vector{name: name, kind: scale.kind, re: scale.re, im: scale.im})
			continue
		}
		probe, ok := parseProbe(name)
		if ok {
			var v vector
			if v, ok = probe.of(p); ok {
				chosen = append(chosen, v)
			}
		}
		if !ok {
			return nil, unknownVector(lower, [][]*plot{{p}}, field)
		}
	}
	return chosen, nil
}

// thin takes the picked points of vectors.
func thin(vectors []vector, picked []int) (re, im map[string][]float64) {
	re = map[string][]float64{}
	for _, v := range vectors {
		for _, i := range picked {
			re[v.name] = append(re[v.name], v.re[i])
			if v.im != nil {
				if im == nil {
					im = map[string][]float64{}
				}
				im[v.name] = append(im[v.name], v.im[i])
			}
		}
	}
	return re, im
}

func writeVectors(dir string, p *plot, chosen []vector) error {
	if err := os.MkdirAll(filepath.Join(dir, vectorFolder), 0o700); err != nil {
		return err
	}
	type document struct {
		Plot      string               `json:"plot"`
		Points    int                  `json:"points"` // computed; at most vectorPoints of them stand here
		Vectors   map[string][]float64 `json:"vectors"`
		Imaginary map[string][]float64 `json:"imaginary,omitempty"`
	}
	doc := document{Plot: p.name, Points: p.points()}
	doc.Vectors, doc.Imaginary = thin(chosen, pick(p.points(), vectorPoints))
	raw, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.FromSlash(vectorFile)), raw, 0o600)
}
