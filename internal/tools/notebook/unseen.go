package notebook

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/tools/notebook/ipynb"
)

// unseenKinds are the faults that make no cell fail, in the order in which they are
// told. Where check is set, work of the notebook itself was lost and the check fails;
// the others only keep the run from being verified.
var unseenKinds = []struct {
	kind, warning string // as the engine calls it; the code of its warning
	prefix        string // of the warning, before the engine's words
	one, many     string // in a summary
	check         string
}{
	{"command", "command_failed", "", "a shell command failed", "%d shell commands failed", ""},
	{"thread", "thread_failed", "a thread ended with ", "a thread ended with an exception", "%d threads ended with an exception", backgroundCheck},
	{"task", "task_failed", "a task ended with ", "an asynchronous task ended with an exception", "%d asynchronous tasks ended with an exception", backgroundCheck},
	{"future", "future_failed", "nothing asked for the result of a future, which holds ", "a future holds an exception that nothing asked for", "%d futures hold exceptions that nothing asked for", backgroundCheck},
	{"callback", "callback_failed", "a callback of a future ended with ", "a callback of a future ended with an exception", "%d callbacks of futures ended with exceptions", backgroundCheck},
	{"child", "child_failed", "a forked process ended with ", "a forked process failed", "%d forked processes failed", backgroundCheck},
	{"coroutine", "coroutine_never_awaited", "await is missing: nothing ran the coroutine ", "a coroutine was never awaited", "%d coroutines were never awaited", "coroutines_awaited"},
	{"test", "test_failed", "a test failed: ", "a test failed", "%d runs of tests failed", "tests_pass"},
	{"ignored", "exception_ignored", "Python printed and ignored ", "an exception was ignored where nothing can catch it", "%d exceptions were ignored where nothing can catch them", ""},
	{"unshown", "value_not_shown", "", "a value could not be shown", "%d values could not be shown", ""},
	{"unfinished", "unfinished_failed", "the notebook ended with a running ", "a thread, task or process was still running at the end", "%d threads, tasks or processes were still running at the end", ""},
	{"exit", "exit_failed", "", "exit() was called or the kernel ended", "exit() was called %d times", ""},
}

const backgroundCheck = "background_without_error"

// tell warns of what went wrong without making a cell fail.
func (r *run) tell(faults []engineFault) {
	r.faults = faults
	for _, f := range faults {
		place := ""
		if f.Index != nil {
			place = fmt.Sprintf("From %s: ", r.named(r.given(*f.Index)))
		}
		for _, k := range unseenKinds {
			if k.kind == f.Kind {
				r.warnings = append(r.warnings, contract.Warning{Code: k.warning, Message: place + k.prefix + f.Text + "."})
			}
		}
	}
}

// unseen are the faults that make no cell fail, in words; "" for none.
func (r *run) unseen() string {
	var parts []string
	for _, k := range unseenKinds {
		n := 0
		for _, f := range r.faults {
			if f.Kind == k.kind {
				n++
			}
		}
		switch {
		case n == 1:
			parts = append(parts, k.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf(k.many, n))
		}
	}
	if n := len(r.allowed); n == 1 {
		parts = append(parts, r.allowed[0]+", though it does not fail")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d cells show exceptions, though they do not fail (%s)", n, clip(strings.Join(r.allowed, ", "), 300)))
	}
	return strings.Join(parts, "; ")
}

// lost are the checks that faults outside of the cells fail.
func (r *run) lost() (checks []string) {
	for _, k := range unseenKinds {
		if k.check != "" && !slices.Contains(checks, k.check) && slices.ContainsFunc(r.faults, func(f engineFault) bool { return f.Kind == k.kind }) {
			checks = append(checks, k.check)
		}
	}
	return checks
}

// statement says how far the notebook ran. It is verified only after all code
// cells ran from top to bottom.
func (r *run) statement(out *executeOutput) *evidence.Statement {
	s := &evidence.Statement{}
	ran := evidence.Of("cells_run", "/cells_run", float64(out.CellsRun), "1", "counted by the kernel's own replies").Quote()
	for _, check := range r.lost() {
		s.Check(evidence.Holds(check, evidence.Exact, "/cells_run", false, "No cell shows it, but "+r.unseen()+"."))
	}
	switch {
	case !out.OK:
		then := ", so what follows it did not run."
		if !r.in.StopOnError {
			then = "; the cells after it ran all the same."
		}
		s.Check(evidence.Holds("cells_without_error", evidence.Exact, "/cells_run", false, r.named(out.Failure.Index)+" raised "+out.Failure.Name+then))
	case out.CellsTotal == 0:
		s.Check(evidence.Holds("has_code", evidence.Bounds, "", false, "The notebook has no code, so there was nothing to run."))
	case !r.receipt.Complete || r.unseen() != "":
		if !r.receipt.Complete {
			s.Note("Some code cells were skipped, as their tags ask.")
		}
		if r.unseen() != "" && len(r.lost()) == 0 {
			s.Note("No cell failed, but %s.", r.unseen())
		}
	default:
		s.Check(evidence.Holds("cells_without_error", evidence.Exact, "/cells_run", true,
			"Every code cell ran from top to bottom in a fresh kernel without an error."))
		ran = ran.PlusMinus(0, "bound")
	}
	if at := slices.IndexFunc(r.warnings, func(w contract.Warning) bool { return w.Code == ipynb.CodeOverwritten }); at >= 0 {
		s.Check(evidence.Holds("parameters_take_effect", evidence.Exact, "/cells_run", false, r.warnings[at].Message))
	} else if r.injected >= 0 {
		s.Note("Parameters were injected; the result holds for their values.")
	}
	s.Figure(ran)
	return s
}
