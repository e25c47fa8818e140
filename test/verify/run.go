package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/runner"
	"atelier/internal/tools/solve"
)

// figure is a number of an answer beside the true one.
type figure struct {
	pointer     string
	value, want float64
	bar         *float64
	trust       evidence.Trust
	omitted     string
	unsure      float64 // what the true value may be off by
}

func (f figure) miss() float64 { return math.Abs(f.value - f.want) }

// referenceError is what a reference may be off by, relative to it: rounding, and what
// the answers are rounded to.
const referenceError = 1e-9

// within says whether the error bar reaches the true value.
func (f figure) within() bool {
	return f.bar != nil && f.miss() <= *f.bar+f.unsure
}

// exact is the relative error at which a figure is right to within the solver's tolerance.
const exact = 1e-6

// width is the error bar over the true error; none where the figure is exact, or as near
// as the reference.
func (f figure) width() (float64, bool) {
	if f.bar == nil || f.miss() <= math.Max(3*f.unsure, exact*math.Abs(f.want)) {
		return 0, false
	}
	return *f.bar / f.miss(), true
}

// result is what came of one draw.
type result struct {
	c       testCase
	n       int
	figures []figure
	trust   evidence.Trust
	verdict [2]string // of the largest stress: what is due, and what the answer says
	input   string    // what repeats it, where something is wrong
	err     error
}

// bench runs draws through the tools as the server does.
type bench struct {
	tools  map[string]*contract.Tool
	folder string
}

func newBench(engines, folder string) (*bench, func(), error) {
	host, err := engine.NewHost(engine.Options{Root: engines, Work: folder})
	if err != nil {
		return nil, nil, err
	}
	b := &bench{map[string]*contract.Tool{}, folder}
	for _, t := range solve.Tools(host) {
		b.tools[t.Contract.Name] = &t
	}
	return b, func() { host.Close() }, nil
}

// files resolves arguments as plain paths.
type files struct{ contract.Files }

func (files) Path(_ context.Context, ref string) (string, error) { return ref, nil }

func (b *bench) run(c testCase, seed uint64, n int) result {
	r := result{c: c, n: n}
	d := drawn(c, seed, n)
	r.verdict[0] = d.verdict
	folder, err := os.MkdirTemp(b.folder, "draw")
	if err != nil {
		r.err = err
		return r
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "part.mesh")
	if r.err = os.WriteFile(path, []byte(d.mesh.String()), 0o600); r.err != nil {
		return r
	}
	tool, input, err := d.input(path)
	if err != nil {
		r.err = err
		return r
	}
	r.input = string(input)
	t := b.tools[tool]
	got := runner.New()(context.Background(), &runner.Request{Tool: t, Input: input, JobID: "job", Dir: folder,
		Limits: t.Contract.DefaultLimits(), Files: files{}})
	if got.Status != contract.StatusOK {
		r.err = errors.Join(fmt.Errorf("%s", got.Summary), got.Errors[0])
		return r
	}
	r.read(got.OutputJSON(), d)
	return r
}

// read takes the figures that are known from an answer.
func (r *result) read(output []byte, d *draw) {
	var a struct {
		Quantities []struct {
			evidence.Figure
			Trust evidence.Trust `json:"trust"`
		} `json:"quantities"`
		VonMises struct{ Singularity string } `json:"von_mises"`
		Evidence evidence.Document            `json:"evidence"`
	}
	if r.err = json.Unmarshal(output, &a); r.err != nil {
		return
	}
	r.trust = a.Evidence.Trust
	if d.verdict != "" {
		r.verdict[1] = a.VonMises.Singularity
	}
	for _, pointer := range slices.Sorted(maps.Keys(d.want)) {
		i := slices.IndexFunc(a.Quantities, func(q struct {
			evidence.Figure
			Trust evidence.Trust `json:"trust"`
		}) bool {
			return q.Pointer == pointer
		})
		if i < 0 || a.Quantities[i].Value == nil {
			r.err = errors.Join(r.err, fmt.Errorf("the answer states no %s", pointer))
			continue
		}
		q := a.Quantities[i]
		r.figures = append(r.figures, figure{pointer: pointer, value: *q.Value, want: d.want[pointer], bar: q.Error, trust: q.Trust,
			omitted: strings.Join(q.Omits, " "), unsure: max(d.reference, referenceError) * math.Abs(d.want[pointer])})
	}
}

// peak says whether a figure is the largest stress, which is told apart in the table.
func (f figure) peak() bool { return f.pointer == "/von_mises/max" }

// wrong lists what must not be: an error beyond the bar.
func (r result) wrong() []string {
	if r.err != nil {
		return []string{r.err.Error()}
	}
	var all []string
	if r.verdict[0] != r.verdict[1] {
		all = append(all, fmt.Sprintf("singularity is %s, not %s", r.verdict[1], r.verdict[0]))
	}
	for _, f := range r.figures {
		if f.within() || f.bar == nil && f.trust != evidence.Verified {
			continue
		}
		bar := "none"
		if f.bar != nil {
			bar = strconv.FormatFloat(*f.bar, 'g', 3, 64)
		}
		all = append(all, fmt.Sprintf("%s is %.7g, true %.7g: error %.3g, bar %s, %s", f.pointer, f.value, f.want, f.miss(), bar, f.trust))
	}
	return all
}

// median of numbers, NaN of none.
func median(of []float64) float64 {
	if len(of) == 0 {
		return math.NaN()
	}
	slices.SortFunc(of, cmp.Compare)
	return of[len(of)/2]
}
