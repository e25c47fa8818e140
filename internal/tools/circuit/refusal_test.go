package circuit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

const divider = "divider\nV1 in 0 DC 1\nR1 in out 1k\nR2 out 0 1k\n"

// What could reach outside the simulation is refused before the simulator sees
// it, with the line and the command.
func TestForbidden(t *testing.T) {
	for _, row := range []struct{ name, netlist, control, field string }{
		{"shell", divider, "op\nshell touch /tmp/pwned", "/control"},
		{"shell, upper case", divider, "SHELL touch /tmp/pwned", "/control"},
		{"source", divider, "source /etc/passwd", "/control"},
		{"load", divider, "load /etc/passwd", "/control"},
		{"cd", divider, "cd /", "/control"},
		{"codemodel", divider, "codemodel /tmp/x.cm", "/control"},
		{"redirection", divider, "op\necho x > /tmp/pwned", "/control"},
		{"backquote", divider, "echo `id`", "/control"},
		{"second command", divider, "op; shell id", "/control"},
		{"variable", divider, "echo $HOME", "/control"},
		{"loop", divider, "while 1\nend", "/control"},
		{"file format", divider, "set filetype=ascii", "/control"},
		{"hidden comment command", divider + "*#shell id\n", "op", "/netlist"},
		{"backquote in a card", divider + "R3 out 0 `id`\n", "op", "/netlist"},
		{"script for a netlist", "*Ng_Script\nlet vout = 5\nR1 a 0 1k\n", "op", "/netlist"},
		{"script behind a blank", "\n  *NG_SCRIPT\nR1 a 0 1k\n", "op", "/netlist"},
		{"card that redirects", divider + ".op < some\n", "", "/netlist"},
		{"measurement that reads the host", divider + ".tran 1u 1m\n.meas tran x max v($program)\n", "", "/netlist"},
		{"include", divider + ".include /etc/passwd\n", "op", "/netlist"},
		{"lib", divider + ".LIB '/etc/passwd' x\n", "op", "/netlist"},
		{"control block", divider + ".control\nshell id\n.endc\n", "", "/netlist"},
		{"control block, spelled oddly", divider + "  .CONTROL\n SHELL id\n.ENDC\n", "", "/netlist"},
		{"file source", divider + "A1 %v([out]) fs\n.model fs filesource (file=\"/etc/passwd\")\n", "op", "/netlist"},
		{"digital source", divider + "A1 [a] ds\n.model ds d_source (input_file = \"/etc/passwd\")\n", "op", "/netlist"},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := simulateInput{Netlist: row.netlist}
			if row.control != "" {
				raw, _ := json.Marshal(row.control)
				if err := json.Unmarshal(raw, &in.Control); err != nil {
					t.Fatal(err)
				}
			}
			_, fault := readRequest(&in)
			if fault == nil || fault.Code != "ERR_CONTROL_FORBIDDEN" || fault.Field != row.field {
				t.Fatalf("got %v", fault)
			}
			if fault.Details["line"] == nil {
				t.Errorf("the line is not named: %v", fault)
			}
		})
	}
}

// Faults are told by their catalogue code, with the line or node that is meant.
func TestFaults(t *testing.T) {
	for _, row := range []struct{ name, input, code, field, says string }{
		{"no ground", `{"netlist":"t\nV1 a b 1\nR1 a b 1k","analysis":"op"}`, "ERR_NO_GROUND", "/netlist", "node 0"},
		{"missing node", `{"netlist":"t\nV1 a 0 1\nR1 a","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", "line 3"},
		{"unknown model", `{"netlist":"t\nV1 a 0 1\n* a comment\nD1 a 0 dx","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", `line 4, "D1 a 0 dx": there is no model "dx"`},
		{"bad value", `{"netlist":"V1 a 0 1\nR1 a 0 foo","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", "line 2"},
		{"unknown subcircuit", `{"netlist":"t\nV1 a 0 1\nX1 a 0 nosub","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", "nosub"},
		{"unknown card", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1\n.trann 1u 1m","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", "line 4"},
		{"loop of sources", `{"netlist":"t\nV1 a 0 1\nV2 a 0 2\nR1 a 0 1","analysis":"op"}`, "ERR_SINGULAR_SYSTEM", "", "v1#branch"},
		{"loop of source and inductor", `{"netlist":"t\nV1 a 0 1\nL1 a 0 1m","analysis":"op"}`, "ERR_SINGULAR_SYSTEM", "", "l1#branch"},
		{"ac without a source", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k","control":"ac dec 10 1 1k"}`, "ERR_NETLIST_INVALID", "/netlist", "AC magnitude"},
		{"sweep away from its end", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k","control":"dc V1 5 0 1"}`, "invalid_request", "/control", "does not lead from 5 to 0"},
		{"ac of magnitude 0", `{"netlist":"t\nV1 a 0 DC 1 AC 0\nR1 a 0 1k\n.ac dec 10 1 1k"}`, "ERR_NETLIST_INVALID", "/netlist", "AC magnitude"},
		{"zeros that there are not", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nC1 o 0 1u\n.pz in 0 o 0 vol zer"}`, "solver_failed", "", "the simulator finds no zeros"},
		{"an input that is held", `{"netlist":"t\nV1 in 0 1\nR1 in o 1k\nC1 o 0 1u\n.pz in 0 o 0 vol pz"}`, "solver_failed", "", "V1 lies across the input and has no AC part"},
		{"an output that nothing reaches", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nC1 o 0 1u\nR2 p 0 1k\nC2 p 0 1u\n.pz in 0 p 0 vol pz"}`, "solver_failed", "", "nothing of the input reaches the output"},
		{"poles of resistors", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nR2 o 0 1k\n.pz in 0 o 0 vol pol"}`, "solver_failed", "", "the simulator finds no poles"},
		{"poles at a node that is not", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nC1 o 0 1u\n.pz x 0 o 0 vol pol"}`, "ERR_UNKNOWN_VECTOR", "/netlist", "no node \"x\""},
		{"poles of nothing", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nC1 o 0 1u","control":"pz in in o 0 vol pol"}`, "ERR_NETLIST_INVALID", "/control", "both nodes of the input are the same"},
		{"poles of a wire", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nC1 o 0 1u\n.pz in 0 in 0 vol pz"}`, "ERR_NETLIST_INVALID", "/netlist", "transferred to itself by 1"},
		{"poles of a line", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nT1 o 0 b 0 Z0=50 TD=1n\nR2 b 0 50\n.pz in 0 b 0 vol pz"}`, "ERR_NETLIST_INVALID", "/netlist", "transmission line (T1)"},
		{"half a pole-zero analysis", `{"netlist":"t\nV1 in 0 1 AC 1\nR1 in o 1k\nC1 o 0 1u\n.pz in 0 o 0 vol"}`, "ERR_NETLIST_INVALID", "/netlist", "not a whole pole-zero analysis"},
		{"Fourier card", `{"netlist":"t\nV1 a 0 SIN(0 1 1k)\nR1 a 0 1k\n.tran 1u 5m\n.four 1k v(a)"}`, "ERR_NETLIST_INVALID", "/netlist", "line 5"},
		{"distortion card", `{"netlist":"t\nV1 a 0 1\nR1 a 0 1k\n.op\n.disto dec 10 1 1k"}`, "ERR_NETLIST_INVALID", "/netlist", "line 5"},
		{"line 1 is a device without its model", `{"netlist":"D1 a 0 dx\nV1 a 0 1\nR1 a 0 1k","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", "line 1"},
		{"line 1 is a card that is not known", `{"netlist":".tarn 1u 1m\nV1 a 0 1\nR1 a 0 1k","analysis":"op"}`, "ERR_NETLIST_INVALID", "/netlist", "line 1"},
		{"a device parameter that there is not", `{"netlist":"t\nV1 d 0 5\nM1 d d 0 0 nm\n.model nm nmos","analysis":"op","probes":["@m1[nothing]"]}`, "ERR_UNKNOWN_VECTOR", "/probes/0", "@m1[nothing]"},
		{"no operating point", `{"netlist":"t\nV1 a 0 1\nB1 b 0 V=v(b)*v(b)+1+v(a)\nR1 b 0 1","analysis":"op"}`, "ERR_NOT_CONVERGED", "", "b"},
		{"unknown probe", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","analysis":"op","probes":["v(inn)"]}`, "ERR_UNKNOWN_VECTOR", "/probes/0", "v(inn)"},
		{"unknown device", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","analysis":"op","probes":["v(in)","i(R7)"]}`, "ERR_UNKNOWN_VECTOR", "/probes/1", "r7"},
		{"unknown vector in print", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","control":"op\nprint v(zz)"}`, "ERR_UNKNOWN_VECTOR", "", "zz"},
		{"unknown sweep source", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","analysis":"dc","options":{"dc":{"source":"V2","start":0,"stop":1,"step":0.1}}}`, "ERR_UNKNOWN_VECTOR", "/options/dc/source", "V2"},
		{"unknown sweep source in control", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","control":"dc vx 0 1 0.1"}`, "ERR_UNKNOWN_VECTOR", "", "vx"},
		{"wrong step", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","analysis":"dc","options":{"dc":{"source":"V1","start":0,"stop":1,"step":-0.1}}}`, "invalid_request", "/options/dc/step", "step"},
		{"options missing", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","analysis":"ac"}`, "invalid_request", "/options/ac", "options.ac"},
		{"nothing to do", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k"}`, "invalid_request", "/analysis", "no analysis"},
		{"both forms", `{"netlist":"t\nV1 in 0 1\nR1 in 0 1k","analysis":"op","control":"op"}`, "invalid_request", "/analysis", "contradict"},
	} {
		t.Run(row.name, func(t *testing.T) {
			result, _ := simulateFor(t, row.input)
			if result.Status != contract.StatusError {
				t.Fatalf("it succeeded: %s", result.OutputJSON())
			}
			e := result.Errors[0]
			if e.Code != row.code || (row.field != "" && e.Field != row.field) || !strings.Contains(e.Error(), row.says) {
				t.Errorf("got %v (hint %q, details %v), want %s at %s saying %q\n%s", e, e.Hint, e.Details, row.code, row.field, row.says, result.Log.Stderr)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for text, added := range map[string]bool{
		"V1 in 0 DC 1\nR1 in 0 1k": true, ".param x=1\nV1 in 0 1\nR1 in 0 {x}": true,
		"RC filter\nV1 in 0 1\nR1 in 0 1": false, "A Simple AC Run\nV1 in 0 1\nR1 in 0 1": false,
		"rc low pass 5\nV1 in 0 1\nR1 in 0 1": false, "MOSdriver -- lossy line TXL model\nV1 in 0 1\nR1 in 0 1": false,
		"Vs in 0 SINE(0 2 50)\nR1 in 0 1k": true, "Vs in 0 {x}\n.param x=1\nR1 in 0 1k": true,
		"Diode in out of control\nV1 in 0 1\nR1 in out 1": false,
		"* comment\nV1 in 0 1\nR1 in 0 1":                 false, "Divider circuit with 2 resistors\nV1 in 0 1\nR1 in 0 1": false,
	} {
		n, fault := parseNetlist(text)
		if fault != nil {
			t.Errorf("%q: %v", text, fault)
			continue
		}
		if (n.shift == 1) != added {
			t.Errorf("%q: title added %v, want %v", text, n.shift == 1, added)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{"1k": 1e3, "4.7u": 4.7e-6, "10MEG": 1e7, "10meghz": 1e7, "1m": 1e-3, "10pF": 1e-11, "1.5e-3": 1.5e-3, "2mil": 50.8e-6, "5V": 5, "-.5": -0.5} {
		if got, ok := parseNumber(text); !ok || got < want-1e-9*abs(want) || got > want+1e-9*abs(want) {
			t.Errorf("%s = %g %v, want %g", text, got, ok, want)
		}
	}
	if _, ok := parseNumber("foo"); ok {
		t.Error("foo is a number")
	}
}

func abs(x float64) float64 { return max(x, -x) }

// The circuits of ngspice's own test suite give the values that ngspice 39 gave
// when run by hand, as expected.json records them.
func TestKnownCircuits(t *testing.T) {
	folder := testenv.Shared(t, "data", "circuits")
	raw, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	type known struct {
		Plots []struct {
			Plot   string
			Points int
			Last   map[string]json.RawMessage
		}
	}
	var expected map[string]known
	if err := json.Unmarshal(raw, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			result, out := simulateFor(t, input(t, map[string]any{"netlist": string(text)}))
			if name == "regression__parser__xpressn-1.cir" {
				if result.Errors[0].Code != "ERR_CONTROL_FORBIDDEN" {
					t.Errorf("got %v", result.Errors[0])
				}
				return // its script defines functions and loops, which are not allowed
			}
			if name == "sensitivity__diffpair.cir" && result.Status == contract.StatusError {
				if result.Errors[0].Code != contract.CodeEngineCrashed {
					t.Errorf("got %v", result.Errors[0])
				}
				return // ngspice 39 dies of this sensitivity analysis; later ones may not
			}
			if result.Status != contract.StatusOK {
				t.Fatalf("%v\n%s", result.Errors[0], result.Log.Stderr)
			}
			plots := map[string]int{}
			for _, a := range out.Analyses {
				plots[a.Plot] = a.Points
			}
			for _, p := range want.Plots {
				points, ok := plots[p.Plot]
				if !ok {
					t.Errorf("no plot %q among %v", p.Plot, plots)
				}
				if p.Plot != "Transient Analysis" && points != p.Points {
					t.Errorf("%s: %d points, want %d", p.Plot, points, p.Points)
				}
				compareLast(t, out, p.Last)
			}
		})
	}
}

// compareLast holds the final values of the series, and the operating point,
// against the last row of a plot.
func compareLast(t *testing.T, out *simulateOutput, last map[string]json.RawMessage) {
	t.Helper()
	for _, s := range out.Series {
		raw, ok := last[strings.ToLower(s.Probe)]
		var pair [2]float64
		var want float64
		switch {
		case !ok || s.Analysis == "op":
			continue
		case json.Unmarshal(raw, &want) == nil:
			if s.Analysis == "ac" || s.XUnit == "Hz" {
				continue
			}
		case json.Unmarshal(raw, &pair) == nil:
			if s.Analysis != "ac" {
				continue
			}
			want = pair[0]
			if s.Real != nil {
				near(t, s.Probe+" real part", s.Real[len(s.Real)-1], pair[0], 1e-9+1e-6*abs(pair[0]))
				near(t, s.Probe+" imaginary part", s.Imag[len(s.Imag)-1], pair[1], 1e-9+1e-6*abs(pair[1]))
			}
			continue
		}
		if s.Analysis == "dc" && last["v(v-sweep)"] == nil || s.Analysis == "tran" && last["time"] == nil {
			continue
		}
		near(t, s.Probe+" at the end of "+s.Analysis, s.Final, want, 1e-6+1e-3*abs(want))
	}
}
