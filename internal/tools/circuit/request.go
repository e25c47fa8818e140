package circuit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// simulateInput is the input of circuits.simulate: a netlist, and either a
// control script, or one analysis with probes, or neither (then the netlist's
// own analysis cards are run).
type simulateInput struct {
	Netlist  string      `json:"netlist"`
	Control  controlText `json:"control"`
	Analysis string      `json:"analysis"`
	Probes   []string    `json:"probes"`
	Options  options     `json:"options"`
}

// controlText is a script as one string or as a list of lines.
type controlText struct {
	lines  []string
	isList bool
}

// UnmarshalJSON takes both forms.
func (c *controlText) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &c.lines) == nil {
		c.isList = true
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	c.lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	return nil
}

type options struct {
	Tran *tranOptions `json:"tran"`
	AC   *acOptions   `json:"ac"`
	DC   *dcOptions   `json:"dc"`
}

type tranOptions struct {
	Stop    float64 `json:"tstop"`    // s
	Step    float64 `json:"step"`     // s; 0: tstop/1000
	MaxStep float64 `json:"max_step"` // s; 0: the smaller of step and tstop/1000
}

type acOptions struct {
	Start  float64 `json:"fstart"` // Hz
	Stop   float64 `json:"fstop"`  // Hz
	Points int     `json:"points"` // per decade
}

type dcOptions struct {
	Source string  `json:"source"`
	Start  float64 `json:"start"` // V or A
	Stop   float64 `json:"stop"`
	Step   float64 `json:"step"`
}

// request is an input that was read and found fit to run.
type request struct {
	form   string // control, analysis or netlist
	net    *netlist
	script *script
	probes []probe
	asked  bool // the probes are those of the input
}

func readRequest(in *simulateInput) (*request, *contract.Error) {
	n, fault := parseNetlist(in.Netlist)
	if fault != nil {
		return nil, fault
	}
	r := &request{net: n, script: &script{}}
	control := len(in.Control.lines) > 0
	switch {
	case control && in.Analysis != "":
		return nil, contract.Errorf(contract.CodeInvalidInput, "control and analysis were both given; they contradict each other").At("/analysis").
			WithHint("Give the script in control, or one analysis with its options.")
	case in.Analysis != "":
		r.form = "analysis"
		fault = r.fromAnalysis(in)
	case control:
		r.form = "control"
		fault = r.fromControl(in.Control)
	case len(n.control) > 0:
		r.form = "control"
		if r.script, fault = parseControl(n.control, func(int) string { return "/netlist" }, n); fault == nil {
			r.warnOfUnrun("the .control block", "")
		}
	default:
		r.form = "netlist"
		fault = r.fromCards()
	}
	if fault != nil {
		return nil, fault
	}
	if len(r.script.analyses()) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "nothing is to be computed: there is no analysis").At("/analysis").
			WithHint("Set analysis to op, dc, ac or tran, or give a control script such as [\"op\"].")
	}
	for _, check := range []func() *contract.Error{r.checkUnits, r.checkTransients, r.checkSweeps, r.checkStarts, r.checkDrive, r.checkPoleZero, r.checkMeasurements} {
		if fault := check(); fault != nil {
			return nil, fault
		}
	}
	r.warnOfEdges()
	r.warnOfLosses()
	if fault := r.readProbes(in.Probes); fault != nil {
		return nil, fault
	}
	return r, r.checkSwinging()
}

func (r *request) fromControl(c controlText) *contract.Error {
	field := func(int) string { return "/control" }
	if c.isList {
		field = func(i int) string { return fmt.Sprintf("/control/%d", i) }
	}
	lines := make([]card, len(c.lines))
	for i, l := range c.lines {
		lines[i] = card{i + 1, l}
		if strings.ContainsAny(l, "\n\r") {
			return forbidden(field(i), i+1, l, "one item of control is one line")
		}
	}
	var fault *contract.Error
	if r.script, fault = parseControl(lines, field, r.net); fault == nil {
		r.warnOfUnrun("the control script", "")
	}
	return fault
}

func (r *request) fromCards() *contract.Error {
	for _, c := range r.net.ownAnalyses() {
		if fault := r.addOwn(c); fault != nil {
			return fault
		}
	}
	return nil
}

// addOwn adds a card of the netlist to what is run.
func (r *request) addOwn(c card) *contract.Error {
	if strings.ContainsAny(c.text, "{}'") {
		if name, ok := measured(command{text: c.text}); ok {
			return invalid(c.number, c.text, "a measurement of an expression is not run here").
				WithHint("In a control script, compute it behind the analysis and measure that: let pp = -v(in)*i(v1), then meas tran %s avg pp. What is computed of other measurements (param=) is left to the reader.", name)
		}
		return invalid(c.number, c.text, "an analysis card with an expression in it is not run here").
			WithHint("Write the number itself, or use the analysis form.")
	}
	if at := hidden.FindString(c.text); at != "" {
		return forbidden("/netlist", c.number, c.text, fmt.Sprintf("the character %q can redirect, expand or start something else", at))
	}
	r.script.commands = append(r.script.commands, c.command())
	return nil
}

func (r *request) fromAnalysis(in *simulateInput) *contract.Error {
	missing := func(name string) *contract.Error {
		return contract.Errorf(contract.CodeInvalidInput, "the analysis %s needs options.%s", in.Analysis, name).At("/options/" + name)
	}
	text := in.Analysis
	switch o := in.Options; in.Analysis {
	case "tran":
		if o.Tran == nil {
			return missing("tran")
		}
		t := o.Tran
		if t.Step <= 0 {
			t.Step = math.Max(t.Stop/1000, 1e-12)
		}
		if t.Step > t.Stop {
			return contract.Errorf(contract.CodeInvalidInput, "step %g s is longer than tstop %g s", t.Step, t.Stop).At("/options/tran/step")
		}
		if t.MaxStep <= 0 {
			t.MaxStep = math.Max(math.Min(t.Step, t.Stop/1000), 1e-15)
		}
		if t.Stop/t.MaxStep > 2e7 {
			return contract.Errorf(contract.CodeInvalidInput, "tstop/max_step is %.3g; more than 2e7 steps would not end in time", t.Stop/t.MaxStep).At("/options/tran").
				WithHint("Shorten tstop or lengthen the step.")
		}
		// The simulator keeps every step that it takes, and uses the step of the output
		// only for edges of sources that have none: those are to be short.
		text = fmt.Sprintf("tran %s %s 0 %s", spice(t.MaxStep/edgeShare), spice(t.Stop), spice(t.MaxStep))
	case "ac":
		if o.AC == nil {
			return missing("ac")
		}
		if o.AC.Stop <= o.AC.Start {
			return contract.Errorf(contract.CodeInvalidInput, "fstop %g Hz must be above fstart %g Hz", o.AC.Stop, o.AC.Start).At("/options/ac/fstop")
		}
		text = fmt.Sprintf("ac dec %d %s %s", o.AC.Points, spice(o.AC.Start), spice(o.AC.Stop))
	case "dc":
		if o.DC == nil {
			return missing("dc")
		}
		var fault *contract.Error
		if text, fault = o.DC.command(r.net); fault != nil {
			return fault
		}
	}
	if in.Analysis == "tran" && r.net.ownUIC() {
		text += " uic"
	}
	r.script.commands = []command{{text: text, analysis: in.Analysis}}
	for _, c := range r.net.ownMeasurements(func(kind string) bool { return kind == in.Analysis }) {
		if fault := r.addOwn(c); fault != nil {
			return fault
		}
	}
	r.warnOfUnrun("the argument analysis", in.Analysis)
	return nil
}

// maxSweep bounds the number of points of a dc sweep.
const maxSweep = 1e6

func (d *dcOptions) command(n *netlist) (string, *contract.Error) {
	name := strings.ToLower(strings.TrimSpace(d.Source))
	e := n.device(name)
	if e == nil || !strings.ContainsRune("vir", rune(e.kind())) {
		var sources []string
		for _, e := range n.elements {
			if !e.inner && strings.ContainsRune("vi", rune(e.kind())) {
				sources = append(sources, e.name)
			}
		}
		return "", contract.Errorf(contract.CodeUnknownVector, "the netlist has no source %q to sweep", d.Source).At("/options/dc/source").
			WithHint("Its sources are: %s.", strings.Join(sources, ", "))
	}
	if d.Step == 0 || (d.Stop-d.Start)*d.Step < 0 {
		return "", contract.Errorf(contract.CodeInvalidInput, "a step of %g does not lead from %g to %g", d.Step, d.Start, d.Stop).At("/options/dc/step")
	}
	if (d.Stop-d.Start)/d.Step > maxSweep {
		return "", contract.Errorf(contract.CodeInvalidInput, "the sweep has more than %g points", float64(maxSweep)).At("/options/dc/step")
	}
	return fmt.Sprintf("dc %s %s %s %s", name, spice(d.Start), spice(d.Stop), spice(d.Step)), nil
}

// checkDrive refuses an ac analysis that nothing drives: every result would be 0.
func (r *request) checkDrive() *contract.Error {
	isAC := func(c command) bool { return c.analysis == "ac" }
	if r.script.altered || !slices.ContainsFunc(r.script.commands, isAC) {
		return nil
	}
	for i := range r.net.elements {
		if r.net.elements[i].drives() {
			return nil
		}
	}
	return contract.Errorf(contract.CodeNetlistInvalid, "no source has an AC magnitude, so every result of the ac analysis would be 0").At("/netlist").
		WithHint("Give the driving source one, e.g. V1 in 0 DC 0 AC 1.")
}

// drives says whether a device is a source whose AC magnitude is not plainly 0.
func (e *element) drives() bool {
	if e.kind() != 'v' && e.kind() != 'i' {
		return e.kind() == 'a' || e.kind() == 'p' // code models may drive on their own
	}
	for i, t := range e.tokens {
		if name, value, ok := strings.Cut(t, "="); ok && name == "acmag" || ok && name == "ac" {
			v, number := parseNumber(value)
			return !number || v != 0
		}
		if t == "ac" && i > len(e.nodes) {
			v, number := e.numberAt(i + 1)
			return !number || v != 0 // AC alone means 1
		}
	}
	return false
}

// readProbes takes the probes of the input, else those that the script prints or
// the netlist's own cards name.
func (r *request) readProbes(asked []string) *contract.Error {
	r.asked = len(asked) > 0
	for i, text := range asked {
		field := fmt.Sprintf("/probes/%d", i)
		p, ok := parseProbe(text)
		if !ok {
			return contract.Errorf(contract.CodeUnknownVector, "%q is not a probe", text).At(field).
				WithHint("Write v(node), v(a,b), i(device) or @device[parameter].")
		}
		if fault := p.check(r.net, field); fault != nil {
			return fault
		}
		r.probes = append(r.probes, p)
	}
	if len(asked) > 0 {
		return nil
	}
	named := r.script.probes
	if r.form == "netlist" {
		named = r.net.ownProbes()
	}
	seen := map[string]bool{}
	for _, text := range named {
		if p, ok := parseProbe(text); ok && !seen[p.title()] {
			seen[p.title()] = true
			r.probes = append(r.probes, p)
		}
	}
	return nil
}

// deck is what the simulator is given for the request.
func (r *request) deck() *deck {
	d := &deck{net: r.net, commands: r.script.commands, prefix: "plot_"}
	for _, p := range r.probes {
		d.currents = d.currents || p.needsCurrents()
		if strings.HasPrefix(p.name, "@") {
			d.saved = append(d.saved, p.name)
		}
	}
	for _, name := range r.script.parameters() {
		if !slices.Contains(d.saved, name) {
			d.saved = append(d.saved, name)
		}
	}
	for _, c := range r.script.analyses() {
		if c.analysis == "ac" { // it cannot keep the currents of all devices
			d.currents = false
		}
	}
	return d
}
