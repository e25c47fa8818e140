package circuit

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

//go:embed simulate.json
var simulateContract []byte

type simulateOutput struct {
	Form           string              `json:"form"`
	Analyses       []analysisInfo      `json:"analyses"`
	OperatingPoint map[string]float64  `json:"operating_point,omitempty"`
	Series         []series            `json:"series"`
	Values         []value             `json:"values,omitempty"`
	Measurements   map[string]*float64 `json:"measurements,omitempty"`
	Settings       settings            `json:"settings"`
	file
	Files []file `json:"files"`
}

// analysisInfo says what was run.
type analysisInfo struct {
	Command string `json:"command"`
	Plot    string `json:"plot"`
	Points  int    `json:"points"`
	Vectors int    `json:"vectors"`
}

// value is a figure of an analysis that has no sweep: a transfer function, a
// pole, a sensitivity, an integrated noise.
type value struct {
	Analysis string   `json:"analysis"`
	Name     string   `json:"name"`
	Value    float64  `json:"value"`
	Imag     *float64 `json:"imag,omitempty"`
}

type settings struct {
	Reltol  float64  `json:"reltol"`
	MaxStep *float64 `json:"max_step_s,omitempty"`
}

func simulateTool(host engine.Host) contract.Tool {
	t := contract.Bind(simulateContract, func(ctx context.Context, call *contract.Call, in simulateInput) (*contract.Result, error) {
		r, fault := readRequest(&in)
		if fault != nil {
			return nil, fault
		}
		return r.run(ctx, host, call)
	})
	t.Available = func() error { return host.Check(engineName) }
	return t
}

const (
	deckFile = "circuit.cir"
	logFile  = "ngspice.log"
	rawFile  = "ngspice.raw"
	dataFile = "data.csv"
)

func (r *request) run(ctx context.Context, host engine.Host, call *contract.Call) (*contract.Result, error) {
	d := r.deck()
	begun := time.Now()
	out, err := simulate(ctx, host, wholeLog(call), d, deckFile)
	if err != nil {
		fault := contract.AsError(err)
		if fault.Log != nil {
			*fault.Log = engine.Cut(*fault.Log, call.Limits)
		}
		return nil, fault
	}
	told := engine.Cut(out.log, call.Limits)
	took := time.Since(begun)
	if fault := diagnose(r.net, r.script, out); fault != nil {
		fault.Log = &told
		return nil, fault
	}
	warnings, floating := logWarnings(out.log.Stderr)
	result := &contract.Result{Log: told, Warnings: slices.Concat(r.net.warnings, r.script.warnings, warnings), Metrics: out.reply.Metrics}
	answer := &simulateOutput{Form: r.form, Series: []series{}, Settings: r.settings()}
	if fault := r.fill(answer, out); fault != nil {
		fault.Log = &told
		return nil, fault
	}
	answer.Measurements = measurements(r.script, out.log.Stdout)
	if err := r.files(call, d, out, answer, result); err != nil {
		return nil, err
	}
	result.Evidence = assess(ctx, host, call, d, r.script, out, floating, took)
	result.Output, result.Summary = answer, summarize(answer)
	return result, nil
}

// wholeLog is the call with room for the whole log, which is an artifact and is
// read for measurements: the limits of text are for what is told inline.
func wholeLog(call *contract.Call) *contract.Call {
	whole := *call
	room := min(call.Limits.MaxArtifactBytes/2, contract.Ceilings().MaxStdoutBytes) // two streams make one file
	whole.Limits.MaxStdoutBytes = max(call.Limits.MaxStdoutBytes, room)
	whole.Limits.MaxStderrBytes = max(call.Limits.MaxStderrBytes, room)
	return &whole
}

func (r *request) settings() settings {
	s := settings{Reltol: r.script.reltol(r.net)}
	for _, c := range r.script.analyses() {
		if f := strings.Fields(c.text); c.analysis == "tran" && len(f) > 4 {
			if v, ok := parseNumber(f[4]); ok {
				s.MaxStep = &v
			}
		}
	}
	return s
}

// fill puts the numbers of every plot into the answer.
func (r *request) fill(answer *simulateOutput, out *outcome) *contract.Error {
	found := make([]bool, len(r.probes))
	columns := 0
	for i, c := range r.script.analyses() {
		for _, p := range out.plots[i] {
			answer.Analyses = append(answer.Analyses, analysisInfo{c.text, p.name, p.points(), len(p.vectors)})
			switch {
			case c.analysis == "op":
				answer.operatingPoint(p, r.probes, found)
			case p.points() == 1 && c.analysis != "tran" && c.analysis != "dc" && c.analysis != "ac":
				answer.values(c.analysis, p)
				for k := range found {
					found[k] = true // probes name vectors of sweeps and operating points
				}
			default:
				columns += len(chooseProbes(p, r.probes)) * numbersPerPoint(p)
			}
		}
	}
	most := max(10, min(inlineMost, inlineTotal/max(columns, 1)))
	for i, c := range r.script.analyses() {
		for _, p := range out.plots[i] {
			if c.analysis != "op" && (p.points() > 1 || slices.Contains([]string{"tran", "dc", "ac"}, c.analysis)) {
				answer.sweep(c.analysis, p, r, found, most)
			}
		}
	}
	for k, ok := range found {
		if !ok {
			return unknownVector(r.probes[k].name, out.plots, fmt.Sprintf("/probes/%d", k))
		}
	}
	return nil
}

// operatingPoint shows the probes, and then the voltages and currents of the top
// level, and then those inside subcircuits, as far as there is room.
func (o *simulateOutput) operatingPoint(p *plot, probes []probe, found []bool) {
	if o.OperatingPoint == nil {
		o.OperatingPoint = map[string]float64{}
	}
	for k, pr := range probes {
		if v, ok := pr.of(p); ok {
			found[k] = true
			o.OperatingPoint[pr.name] = v.re[0]
			o.Series = append(o.Series, series{Probe: pr.label, Analysis: "op", Unit: unit(v.kind, v.name), XName: "none", XUnit: "1",
				X: []float64{0}, Y: []float64{v.re[0]}, Min: extreme{0, v.re[0]}, Max: extreme{0, v.re[0]}, Final: v.re[0], Points: 1})
		}
	}
	for _, inner := range []bool{false, true} {
		for _, v := range p.vectors {
			if strings.ContainsAny(v.name, ".#@") == inner && len(o.OperatingPoint) < inlineNames {
				o.OperatingPoint[v.name] = v.re[0]
			}
		}
	}
}

func (o *simulateOutput) values(analysis string, p *plot) {
	for _, v := range p.vectors {
		if len(o.Values) >= inlineNames {
			return
		}
		one := value{Analysis: analysis, Name: plainName(v.name), Value: v.re[0]}
		if v.im != nil {
			im := v.im[0]
			one.Imag = &im
		}
		o.Values = append(o.Values, one)
	}
}

// plainName takes away the v( ) that the simulator puts around what is no voltage.
func plainName(name string) string {
	if inner, ok := strings.CutPrefix(name, "v("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return name
}

func (o *simulateOutput) sweep(analysis string, p *plot, r *request, found []bool, most int) {
	for k, pr := range chooseProbes(p, r.probes) {
		v, ok := pr.of(p)
		if !ok {
			if v, ok = r.net.computedCurrent(pr, p); !ok {
				continue
			}
		}
		if len(r.probes) > 0 {
			found[k] = true
		}
		o.Series = append(o.Series, makeSeries(p, v, analysis, most))
	}
}

// measurements reads what the meas commands printed; one that failed is null.
func measurements(s *script, stdout string) map[string]*float64 {
	var found map[string]*float64
	for _, c := range s.commands {
		f := strings.Fields(strings.ToLower(c.text))
		if len(f) < 3 || (f[0] != "meas" && f[0] != "measure") {
			continue
		}
		if found == nil {
			found = map[string]*float64{}
		}
		found[f[2]] = nil
		m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(f[2]) + `\s*=\s*([-+0-9.eE]+)`).FindStringSubmatch(stdout)
		if m != nil {
			if v, err := strconv.ParseFloat(m[1], 64); err == nil {
				found[f[2]] = &v
			}
		}
	}
	return found
}

// files writes the log, the raw data and the tables, and names them.
func (r *request) files(call *contract.Call, d *deck, out *outcome, answer *simulateOutput, result *contract.Result) error {
	log := out.log.Stdout + "\n--- stderr ---\n" + out.log.Stderr
	if err := os.WriteFile(filepath.Join(call.Dir, logFile), []byte(log), 0o600); err != nil {
		return err
	}
	if err := gather(call.Dir, d, rawFile); err != nil {
		return err
	}
	names := []string{dataFile}
	for _, plots := range out.plots {
		for _, p := range plots {
			name := dataFile
			if n := len(names); n > 1 {
				name = fmt.Sprintf("data_%d.csv", n)
			}
			if err := writeTable(call.Dir, name, p); err != nil {
				return err
			}
			names = append(names, name)
		}
	}
	for i, name := range append(names[1:], rawFile, deckFile, logFile) {
		result.Artifacts = append(result.Artifacts, contract.Artifact{Name: name, MIME: contract.MIMEType(name), Primary: i == 0})
		answer.Files = append(answer.Files, fileOf(call, name))
	}
	answer.file = answer.Files[0]
	return nil
}

// summarize says the answer in a sentence.
func summarize(o *simulateOutput) string {
	var parts []string
	for _, a := range o.Analyses {
		parts = append(parts, fmt.Sprintf("%s: %d points", a.Plot, a.Points))
	}
	text := strings.Join(parts, "; ") + "."
	if len(o.OperatingPoint) > 0 {
		names := slices.Sorted(func(yield func(string) bool) {
			for k := range o.OperatingPoint {
				if !yield(k) {
					return
				}
			}
		})
		var shown []string
		for _, name := range names[:min(len(names), 6)] {
			shown = append(shown, fmt.Sprintf("%s = %s %s", name, format5(o.OperatingPoint[name]), unit("voltage", name)))
		}
		text = "Operating point: " + strings.Join(shown, ", ") + "."
	}
	for _, s := range o.Series[:min(len(o.Series), 2)] {
		if s.Points > 1 {
			text += fmt.Sprintf(" %s from %s to %s %s, at the end %s.", s.Probe, format5(s.Min.Y), format5(s.Max.Y), s.Unit, format5(s.Final))
		}
	}
	return text
}
