package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
)

const (
	narrowPoints = 11 // of a linear sweep in place of a step of a grid, at least
	narrowRatio  = 2  // of the ends of a sweep, below which a linear grid is as good
)

// grid finds the words of a sweep of frequencies in an ac or noise command.
func (c command) grid() (f []string, at int, ok bool) {
	f = strings.Fields(c.text)
	if c.analysis != "ac" && c.analysis != "noise" {
		return f, 0, false
	}
	at = slices.IndexFunc(f, func(word string) bool { return slices.Contains([]string{"dec", "oct", "lin"}, strings.ToLower(word)) })
	return f, at, at > 0 && at+3 < len(f)
}

// checkSweeps refuses sweeps that go down, and takes linear ones for those that are
// shorter than one step of their grid: the simulator's step is infinite then, and
// it never ends.
func (r *request) checkSweeps() *contract.Error {
	for i := range r.script.commands {
		c := &r.script.commands[i]
		if fault := r.checkDirection(c); fault != nil {
			return fault
		}
		f, k, ok := c.grid()
		if !ok {
			continue
		}
		points, ok1 := at(f, k+1)
		from, ok2 := at(f, k+2)
		to, ok3 := at(f, k+3)
		if !ok1 || !ok2 || !ok3 {
			continue
		}
		word := strings.ToLower(f[k])
		if to < from || word != "lin" && from <= 0 {
			hint := "The first frequency is the lower one, and above 0 in a sweep by decades or octaves."
			if capitalM.MatchString(f[k+3]) {
				hint = fmt.Sprintf("%s is read as milli: mega is written MEG.", f[k+3])
			}
			return contract.Errorf(contract.CodeInvalidInput, "%q sweeps from %s to %s Hz", clip(c.text), spice(from), spice(to)).At(r.commandField()).
				WithHint("%s", hint).With("line", c.number)
		}
		if word == "lin" {
			r.twoPoints(c, f, k, points, from, to)
		}
		base := map[string]float64{"dec": 10, "oct": 2}[word]
		points = math.Max(1, math.Floor(points))
		if base == 0 || math.Log(to/from)/math.Log(base)*points >= 1+1e-9 {
			continue
		}
		if points = math.Max(points, narrowPoints); from == to {
			points = 1
		}
		per := map[string]string{"dec": "decade", "oct": "octave"}[word]
		r.net.warn("sweep_within_a_step", fmt.Sprintf("From %.9g to %.9g Hz is less than one step of %s points per %s: the sweep is linear, with %g points.", from, to, f[k+1], per, points))
		f[k], f[k+1] = "lin", spice(points)
		c.text = strings.Join(f, " ")
	}
	return nil
}

// checkDirection refuses a dc sweep whose step leads away from its end: it would have no
// points.
func (r *request) checkDirection(c *command) *contract.Error {
	f := strings.Fields(c.text)
	if c.analysis != "dc" || len(f) < 5 {
		return nil
	}
	from, ok1 := at(f, 2)
	to, ok2 := at(f, 3)
	step, ok3 := at(f, 4)
	if !ok1 || !ok2 || !ok3 || from == to || step*(to-from) > 0 {
		return nil
	}
	return contract.Errorf(contract.CodeInvalidInput, "%q has no points: a step of %s does not lead from %s to %s", clip(c.text), f[4], f[2], f[3]).At(r.commandField()).
		WithHint("The step of a sweep that goes down is negative, and none is 0.").With("line", c.number)
}

// fineGrid is a sweep of so many points between two frequencies.
func fineGrid(before string, points, from, to float64) string {
	if to < narrowRatio*from {
		return fmt.Sprintf("%s lin %d %s %s", before, int(points), spice(from), spice(to))
	}
	return fmt.Sprintf("%s dec %d %s %s", before, max(1, int(points/math.Log10(to/from))), spice(from), spice(to))
}
