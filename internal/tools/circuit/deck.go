package circuit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

// deck is what ngspice gets: the caller's circuit and a control block of ours.
type deck struct {
	net      *netlist
	commands []command
	currents bool     // save the currents of all devices, not only of sources
	saved    []string // device parameters to keep beside everything else: @m1[gm]
	extra    []string // cards of ours, which change no figure of the circuit
	prefix   string   // of the raw files, one for each analysis
}

func (d *deck) rawName(analysis, part int) string {
	return fmt.Sprintf("%s%d_%d.raw", d.prefix, analysis, part)
}

// text writes the netlist with its line numbers kept, so that messages of the
// simulator point to the caller's lines. Every analysis writes a raw file of its
// own: that it is there says that the analysis succeeded, which the exit code
// does not.
func (d *deck) text() string {
	var b strings.Builder
	for _, line := range d.net.lines {
		b.WriteString(line + "\n")
	}
	if d.net.seeded != "" {
		b.WriteString(d.net.seeded + "\n")
	}
	for _, line := range d.extra {
		b.WriteString(line + "\n")
	}
	if d.currents && !d.net.hasVDMOS() {
		b.WriteString(".options savecurrents\n")
	}
	b.WriteString(".control\nset filetype=binary\nunset askquit\n")
	kept := d.kept()
	if len(kept) > 0 {
		save(&b, kept, "")
	}
	anew := d.savesAnew(kept)
	count, noises := 0, 0
	for _, c := range d.commands {
		if c.analysis != "" && anew {
			b.WriteString("delete all\n")
			save(&b, kept, c.analysis)
		}
		b.WriteString(c.text + "\n")
		if c.analysis == "" {
			continue
		}
		fmt.Fprintf(&b, "write %s\n", d.rawName(count, 0))
		if c.analysis == "noise" { // leaves two plots: the spectrum and the totals
			fmt.Fprintf(&b, "setplot noise%d\nwrite %s\nsetplot noise%d\n", 2*noises+1, d.rawName(count, 1), 2*noises+2)
			noises++
		}
		count++
	}
	b.WriteString("quit 0\n.endc\n.end\n")
	return b.String()
}

// outcome is what one run of the simulator left.
type outcome struct {
	plots [][]*plot // per analysis; empty where it failed
	log   contract.Log
	reply *engine.Reply
	// undefined are totals that the simulator did not find.
	undefined []string
	clipped   []contract.Warning // and impedances that are none
}

// took is the processor's time: what is worth a second look must not hang on what else runs.
func (o *outcome) took() time.Duration {
	seconds, _ := o.reply.Metrics["cpu_seconds"].(float64)
	return time.Duration(seconds * float64(time.Second))
}

// simulate runs a deck and reads back what it wrote. The raw files are removed.
func simulate(ctx context.Context, host engine.Host, call *contract.Call, d *deck, name string) (*outcome, error) {
	text := d.text()
	if err := os.WriteFile(filepath.Join(call.Dir, name), []byte(text), 0o600); err != nil {
		return nil, err
	}
	// As an argument the file would first be copied to the system's temporary
	// folder, which the engine cannot see.
	reply, err := host.Run(ctx, call, engine.Job{Engine: engineName, Args: []string{"-n", "-b"}, Request: text})
	if err != nil {
		return nil, err
	}
	out := &outcome{log: reply.Log, reply: reply}
	count := 0
	for _, c := range d.commands {
		if c.analysis == "" {
			continue
		}
		var plots []*plot
		for part := range 2 {
			path := filepath.Join(call.Dir, d.rawName(count, part))
			read, err := readRaw(path)
			if err != nil && !os.IsNotExist(err) {
				return nil, contract.Errorf(contract.CodeSolverFailed, "the result of %q could not be read: %w", c.text, err)
			}
			for _, p := range read {
				if p.of(c.analysis) {
					p.dropEchoes()
					if c.analysis == "noise" && p.points() == 1 {
						out.undefined = append(out.undefined, p.dropUndefined()...)
					}
					if c.analysis == "tf" {
						out.clipped = append(out.clipped, p.dropClipped()...)
					}
					plots = append(plots, p)
				}
			}
		}
		out.plots = append(out.plots, plots)
		count++
	}
	return out, nil
}

// plotNames are how the simulator calls the results of an analysis.
var plotNames = map[string]string{
	"op": "operating point", "dc": "dc transfer", "ac": "ac analysis", "tran": "transient", "noise": "noise", "tf": "transfer function",
	"pz": "pole-zero", "sens": "sensitivity",
}

// of says whether a plot is a result of the analysis: after one that failed, the
// simulator writes the plot before it, or its table of physical constants.
func (p *plot) of(analysis string) bool {
	return strings.Contains(strings.ToLower(p.name), plotNames[analysis])
}

// gather joins the raw files of a deck into one, in their order, and removes them.
func gather(dir string, d *deck, into string) error {
	to, err := os.Create(filepath.Join(dir, into))
	if err != nil {
		return err
	}
	defer to.Close()
	for i := range d.commands {
		for part := range 2 {
			path := filepath.Join(dir, d.rawName(i, part))
			content, err := os.ReadFile(path)
			if err != nil {
				continue // this analysis wrote none
			}
			if _, err := to.Write(content); err != nil {
				return err
			}
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// discard removes what a run for evidence wrote.
func (d *deck) discard(dir, name string) {
	_ = os.Remove(filepath.Join(dir, name))
	for i := range d.commands {
		for part := range 2 {
			_ = os.Remove(filepath.Join(dir, d.rawName(i, part)))
		}
	}
}
