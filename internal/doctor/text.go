package doctor

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteText shows a report to a person.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "atelier %s, %s, %s\n\n", r.Version, r.Go, r.Sandbox.System)
	r.sandboxText(&b)
	r.dataText(&b)
	fmt.Fprintf(&b, "Engines, in %s\n", r.EnginesFolder)
	for _, e := range r.Engines {
		e.text(&b)
	}
	if len(r.Backends) > 0 {
		b.WriteString("Model servers\n")
	}
	for _, l := range r.Backends {
		if l.Installed {
			fmt.Fprintf(&b, "  %-8s %s\n", l.Name, l.Path)
		} else {
			fmt.Fprintf(&b, "  %-8s not installed. %s\n", l.Name, l.Hint)
		}
	}
	if r.OK {
		b.WriteString("\nNothing is broken.\n")
	} else {
		b.WriteString("\nSomething is broken: see the lines marked with !\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) sandboxText(b *strings.Builder) {
	yes := func(v bool) string {
		if v {
			return "yes"
		}
		return "no"
	}
	s := r.Sandbox
	landlock := "no"
	if s.LandlockABI > 0 {
		landlock = fmt.Sprintf("version %d", s.LandlockABI)
	}
	bubblewrap := s.Bubblewrap
	if bubblewrap == "" {
		bubblewrap = "not installed"
	}
	fmt.Fprintf(b, "Sandbox: %s\n  Landlock %s, seccomp %s, process namespace %s; also here: user namespaces %s, net namespaces %s, bubblewrap %s\n",
		s.Name, landlock, yes(s.Seccomp), yes(s.ProcessNamespace), yes(s.UserNamespaces), yes(s.NetNamespaces), bubblewrap)
	for _, m := range s.Missing {
		fmt.Fprintf(b, "  missing: %s\n", m)
	}
}

func (r *Report) dataText(b *strings.Builder) {
	switch d := r.Data; {
	case !d.Writable:
		fmt.Fprintf(b, "! Data folder %s cannot be written: %s\n", d.Path, d.Fault)
	case d.FreeBytes < 0:
		fmt.Fprintf(b, "Data folder %s, writable\n", d.Path)
	default:
		note := ""
		if d.FreeBytes < lowSpace {
			note = ", which is little"
		}
		fmt.Fprintf(b, "Data folder %s, writable, %.1f GB free%s\n", d.Path, float64(d.FreeBytes)/1e9, note)
	}
}

func (e *Engine) text(b *strings.Builder) {
	switch {
	case !e.Installed:
		fmt.Fprintf(b, "  %-8s not installed. %s\n", e.Name, e.Hint)
		return
	case e.Fault != "":
		fmt.Fprintf(b, "! %-8s broken: %s %s\n           %s\n", e.Name, e.Fault, e.Hint, e.Path)
		return
	}
	var libraries []string
	for _, name := range slices.Sorted(maps.Keys(e.Libraries)) {
		libraries = append(libraries, name+" "+e.Libraries[name])
	}
	inside := ""
	if len(libraries) > 0 {
		inside = " (" + strings.Join(libraries, ", ") + ")"
	}
	fmt.Fprintf(b, "  %-8s %s %s%s, %s\n           %s\n", e.Name, e.Title, e.Version, inside, e.Licence, e.Path)
	if t := e.Selftest; t != nil {
		t.text(b)
	}
}

func (t *Selftest) text(b *strings.Builder) {
	switch t.Status {
	case "none":
		b.WriteString("           it has no golden case of its own\n")
	case "passed":
		fmt.Fprintf(b, "           %d golden cases right, in %.2f s\n", len(t.Cases), t.Seconds)
	default:
		fmt.Fprintf(b, "!          golden cases failed: %s\n", t.Fault)
		for _, c := range t.Cases {
			if !c.OK {
				fmt.Fprintf(b, "!            %s gave %g, right is %g\n", c.Name, c.Actual, c.Expected)
			}
		}
	}
}
