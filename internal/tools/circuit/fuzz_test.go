package circuit

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// No netlist, script or raw file makes the readers panic, and nothing that was
// accepted holds what must not run.
func FuzzRequest(f *testing.F) {
	f.Add("t\nV1 a 0 1\nR1 a 0 1k\n.op\n", "op\nprint v(a)")
	f.Add("V1 a 0 PULSE(0 1\n+ 0 1n)\n.subckt x a\n.ends\nX1 a x\n.control\nop\n.endc", "tran 1u 1m\nmeas tran x max v(a)")
	f.Add("t\nE1 a 0 value={v(b)}\nK1 l1 l2 0.9\n.model m d(is=1)", "dc v1 0 1 0.1; shell id")
	f.Add("t\nR1 a 0 1k 5% (1W)\nB1 a 0 V=pow(v(a),3)^x**{y}\n.param y={2**-(1\n.model d d(mfg=\"x\"le=1)\nM1 a b 0 d", "alter @ = 4 k\nmeas tran x max @r1[i]\nrun")
	f.Fuzz(func(t *testing.T, netlist, control string) {
		in := simulateInput{Netlist: netlist, Control: controlText{lines: strings.Split(control, "\n")}}
		r, fault := readRequest(&in)
		if fault != nil {
			return
		}
		r.net.flat()
		r.net.withSigns()
		r.net.nodal(true)
		r.net.unseen()
		r.net.resonances()
		for _, line := range strings.Split(r.deck().text(), "\n") {
			word := firstWord(line)
			if strings.Contains(line, "`") || word == "shell" || word == "source" || word == ".include" || strings.HasPrefix(word, "*ng_script") || strings.HasPrefix(strings.TrimSpace(line), "*#") {
				t.Errorf("accepted: %q", line)
			}
		}
	})
}

func FuzzRaw(f *testing.F) {
	f.Add([]byte("Title: t\nPlotname: Operating Point\nFlags: real\nNo. Variables: 1\nNo. Points: 1\nVariables:\n\t0\tv(a)\tvoltage\nValues:\n 0\t1.0\n"))
	f.Add([]byte("Plotname: AC\nFlags: complex\nNo. Variables: 2\nNo. Points: 1\nVariables:\n\t0\tfrequency\tfrequency\n\t1\tv(a)\tvoltage\nBinary:\n0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		plots, err := parseRaw(bufio.NewReader(bytes.NewReader(raw)), int64(len(raw)))
		if err != nil {
			return
		}
		for _, p := range plots {
			p.dropEchoes()
			_, _, _ = p.notFinite()
		}
	})
}
