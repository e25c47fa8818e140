// Verify solves problems with known answers, their dimensions, loads, materials and
// meshes drawn at random, and holds the error bars and the words of trust of the answers
// against the true errors.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"atelier/internal/engine"
	"atelier/internal/testenv"
)

func main() {
	engine.SandboxMain()
	seed := flag.Uint64("seed", 1, "of the random numbers")
	draws := flag.Int("draws", 10, "of each case")
	only := flag.String("case", "", "part of the name of the cases to run")
	single := flag.Int("draw", -1, "the one draw to run")
	keep := flag.String("keep", "", "folder into which the mesh and the configuration of that draw are written")
	out := flag.String("out", "", "Markdown file to write")
	verbose := flag.Bool("v", false, "print every figure")
	most := flag.Duration("for", time.Hour, "time after which no further draw is begun")
	check := flag.Bool("check", false, "fail where fewer than 95 % of the figures are within their bars, or of the verdicts right, or the bars are wide")
	flag.Parse()
	if err := run(*seed, *draws, *only, *single, *keep, *out, *verbose, *check, *most); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

func run(seed uint64, draws int, only string, single int, keep, out string, verbose, check bool, most time.Duration) error {
	var cases []testCase
	for _, c := range allCases() {
		if strings.Contains(c.class+" "+c.name, only) {
			cases = append(cases, c)
		}
	}
	if keep != "" {
		return write(keep, drawn(cases[0], seed, max(single, 0)))
	}
	folder, err := os.MkdirTemp("", "verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b, done, err := newBench(testenv.Engines(), folder)
	if err != nil {
		return err
	}
	defer done()
	var numbers []int
	for n := range draws {
		if single < 0 || n == single {
			numbers = append(numbers, n)
		}
	}
	results := b.all(cases, numbers, seed, time.Now().Add(most), func(r result) { tell(r, verbose) })
	t := tabulate(cases, results, seed, draws)
	fmt.Print(t.text())
	if check {
		return t.judge()
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(t.markdown()), 0o644)
}

// all runs the draws of the cases, two at a time: the first of each case, then the second.
func (b *bench) all(cases []testCase, numbers []int, seed uint64, until time.Time, done func(result)) []result {
	results := make([]result, len(cases)*len(numbers))
	next := make(chan int)
	var told sync.Mutex
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range next {
				results[i] = b.run(cases[i%len(cases)], seed, numbers[i/len(cases)])
				told.Lock()
				done(results[i])
				told.Unlock()
			}
		})
	}
	begun := 0
	for i := range results {
		if time.Now().After(until) {
			break
		}
		next <- i
		begun++
	}
	close(next)
	workers.Wait()
	return results[:begun]
}

func tell(r result, verbose bool) {
	if verbose {
		for _, f := range r.figures {
			bar, width := -1.0, 0.0
			if f.bar != nil {
				bar = *f.bar
			}
			width, _ = f.width()
			fmt.Printf("  %-24s %3d %-28s %12.6g true %12.6g rel %9.2e bar/|v| %9.2e ratio %8.3g %s %.60s\n", r.c.name, r.n, f.pointer, f.value, f.want,
				f.miss()/max(1e-300, abs(f.want)), bar/max(1e-300, abs(f.want)), width, f.trust, f.omitted)
		}
	}
	for _, line := range r.wrong() {
		fmt.Printf("! %s, draw %d: %s\n", r.c.name, r.n, line)
	}
}

func abs(x float64) float64 { return max(x, -x) }

// write keeps a draw in a folder: its mesh and what the tool is called with.
func write(folder string, d *draw) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	path := folder + "/part.mesh"
	_, input, err := d.input(path)
	if err != nil {
		return err
	}
	fmt.Println("true values:", d.want)
	return errorsOf(os.WriteFile(path, []byte(d.mesh.String()), 0o644), os.WriteFile(folder+"/input.json", input, 0o644))
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
