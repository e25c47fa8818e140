package circuit

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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

	signals  []signal  // the figures of operating_point, series and values
	readings []reading // and those of measurements

	points    int    // analyses of the operating point
	lastPoint string // which one operating_point is of
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
	// Of a complex pole or zero.
	NaturalFrequency *float64 `json:"natural_frequency,omitempty"` // Hz
	DampingRatio     *float64 `json:"damping_ratio,omitempty"`
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
	t.Quick = true
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
	out, err := simulate(ctx, host, wholeLog(call), d, deckFile)
	if err != nil {
		fault := contract.AsError(err)
		if fault.Log != nil {
			*fault.Log = engine.Cut(*fault.Log, call.Limits)
		}
		return nil, fault
	}
	told := engine.Cut(out.log, call.Limits)
	if fault := diagnose(r.net, r.script, out); fault != nil {
		if k := slices.IndexFunc(r.probes, func(p probe) bool { return p.name == fault.Details["vector"] }); k >= 0 && r.asked {
			fault.At(fmt.Sprintf("/probes/%d", k))
		} else if fault.Field == "/control" {
			r.place(fault)
		}
		fault.Log = &told
		return nil, fault
	}
	warnings, floating := logWarnings(out.log.Stderr)
	result := &contract.Result{Log: told, Metrics: out.reply.Metrics}
	answer := &simulateOutput{Form: r.form, Series: []series{}, Settings: r.settings()}
	if fault := r.fill(answer, out); fault != nil {
		fault.Log = &told
		return nil, fault
	}
	answer.Measurements = measurements(r.script, out.log.Stdout)
	answer.readings = readings(r.script, answer.Measurements, out)
	result.Warnings = slices.Concat(r.net.warnings, r.script.warnings, warnings, out.leftOut())
	if err := r.files(call, d, out, answer, result); err != nil {
		return nil, err
	}
	answer.quote(r.probes)
	j := assess(ctx, host, wholeLog(call), d, r.script, out, answer.signals, answer.readings, floating)
	j.figures()
	result.Warnings = append(result.Warnings, j.warnings...)
	result.Statement, result.Output, result.Summary = j.Statement, answer, summarize(answer, j.Figures)
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
	s := settings{Reltol: r.script.option(r.net, "reltol", 1e-3)}
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
		for part, p := range out.plots[i] {
			answer.Analyses = append(answer.Analyses, analysisInfo{c.text, p.name, p.points(), len(p.vectors)})
			switch {
			case c.analysis == "op":
				answer.points, answer.lastPoint = r.script.point(i)
				answer.operatingPoint(p, r.probes, found, i, part)
			case p.points() == 1 && c.analysis != "tran" && c.analysis != "dc" && c.analysis != "ac":
				answer.values(c, p, i, part)
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
		for part, p := range out.plots[i] {
			if c.analysis != "op" && (p.points() > 1 || slices.Contains([]string{"tran", "dc", "ac"}, c.analysis)) {
				answer.sweep(c.analysis, p, r, found, most, i, part)
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
// level, and then those inside subcircuits, as far as there is room. Of several
// operating points the last one stands; the probes of all are in the series.
func (o *simulateOutput) operatingPoint(p *plot, probes []probe, found []bool, analysis, part int) {
	o.OperatingPoint = map[string]float64{}
	o.signals = slices.DeleteFunc(o.signals, func(s signal) bool { return strings.HasPrefix(s.at, "/operating_point/") })
	show := func(name string, v vector, pr probe) {
		o.OperatingPoint[name] = v.re[0]
		if len(o.OperatingPoint) > figuresMost {
			return
		}
		o.signals = append(o.signals, signal{at: pointer("operating_point", name), name: name, unit: unit(v.kind, v.name),
			analysis: analysis, part: part, probe: pr, single: true, stats: statsOf(p, v)})
	}
	shown := probes
	if o.points > 1 { // else the values of those before would be lost
		shown = chooseProbes(&plot{vectors: append([]vector{{}}, p.vectors...)}, probes)
	}
	for k, pr := range shown {
		if v, ok := pr.of(p); ok {
			if len(probes) > 0 {
				found[k] = true
			}
			o.Series = append(o.Series, series{Probe: pr.label, Analysis: "op", Unit: unit(v.kind, v.name), XName: "none", XUnit: "1",
				X: []float64{0}, Y: []float64{v.re[0]}, Min: extreme{0, v.re[0]}, Max: extreme{0, v.re[0]}, Final: v.re[0], Points: 1})
			if _, twice := o.OperatingPoint[pr.name]; !twice && len(probes) > 0 {
				show(pr.name, v, pr)
			}
		}
	}
	for _, inner := range []bool{false, true} {
		for _, v := range p.vectors {
			if _, there := o.OperatingPoint[v.name]; !there && strings.ContainsAny(v.name, ".#@") == inner && len(o.OperatingPoint) < inlineNames {
				show(v.name, v, probe{label: v.name, name: v.name})
			}
		}
	}
}

// plainName takes away the v( ) or i( ) that the simulator puts around what is no
// voltage or current of the circuit.
func plainName(name string) string {
	inner, ok := strings.CutPrefix(name, "v(")
	if !ok {
		if inner, ok = strings.CutPrefix(name, "i("); !ok || !strings.Contains(inner, "noise_") {
			return name
		}
	}
	return strings.TrimSuffix(inner, ")")
}

func (o *simulateOutput) sweep(analysis string, p *plot, r *request, found []bool, most, index, part int) {
	for k, pr := range chooseProbes(p, r.probes) {
		v, ok := r.net.vectorOf(pr, p)
		if !ok {
			continue
		}
		if len(r.probes) > 0 {
			found[k] = true
		}
		one := makeSeries(p, v, analysis, most)
		s := signal{at: pointer("series", strconv.Itoa(len(o.Series))), name: pr.title(), unit: one.Unit, analysis: index, part: part, probe: pr, wraps: pr.form.wraps(v.re), stats: statsOf(p, v)}
		if analysis == "tran" {
			s.x, s.y = p.vectors[0].re, v.re
		}
		if analysis == "dc" {
			s.along(p, v, r.script.analyses()[index].text)
		}
		o.Series, o.signals = append(o.Series, one), append(o.signals, s)
	}
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
