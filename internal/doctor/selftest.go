package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

const selftestLimit = 3 * time.Minute

// selftest runs an engine's golden cases through the host, so that the sandbox
// is tried with them.
func selftest(ctx context.Context, host *engine.LocalHost, name string) *Selftest {
	begun := time.Now()
	t := &Selftest{Cases: []Case{}}
	var err error
	if name == "ngspice" {
		t.Cases, err = ngspiceCases(ctx, host)
	} else {
		t.Cases, err = driverCases(ctx, host, name)
	}
	t.Seconds = math.Round(time.Since(begun).Seconds()*1000) / 1000
	t.Status = "passed"
	if len(t.Cases) == 0 {
		t.Cases, t.Status = []Case{}, "none"
	}
	for _, c := range t.Cases {
		if !c.OK {
			t.Status = "failed"
		}
	}
	if err != nil {
		t.Status, t.Fault = "failed", contract.AsError(err).Message
	}
	return t
}

// driverCases asks a driver for its own cases. It answers --selftest with a JSON
// line per case, and exits with 0 when all are right; a driver that does not
// know the word gives no such line.
func driverCases(ctx context.Context, host *engine.LocalHost, name string) ([]Case, error) {
	reply, err := runEngine(ctx, host, name, selftestLimit, "", "--selftest")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for line := range strings.Lines(reply.Log.Stdout) {
		var told struct {
			Type string `json:"type"`
			Case
		}
		if json.Unmarshal([]byte(line), &told) == nil && told.Type == "selftest" {
			cases = append(cases, told.Case)
		}
	}
	if len(cases) > 0 && reply.Log.ExitCode != 0 {
		return cases, fmt.Errorf("%s --selftest ended with exit status %d", name, reply.Log.ExitCode)
	}
	return cases, nil
}

// The golden circuit is RC with R = 1 kOhm and C = 1 uF, at its corner frequency
// 1/(2 pi R C), where the magnitude is 1/sqrt(2), and as a divider at rest.
const goldenCircuit = `golden RC
V1 in 0 DC 4 AC 1
R1 in out 1k
R2 out 0 1k
R3 in low 1k
C1 low 0 1u
.control
set numdgt=9
op
print v(out)
ac lin 1 159.15494309189535 159.15494309189535
print vm(low)
quit 0
.endc
.end
`

var printed = regexp.MustCompile(`(?m)^(v\(out\)|vm\(low\))\s*=\s*([-+0-9.eE]+)`)

func ngspiceCases(ctx context.Context, host *engine.LocalHost) ([]Case, error) {
	reply, err := runEngine(ctx, host, "ngspice", selftestLimit, goldenCircuit, "-n", "-b")
	if err != nil {
		return nil, err
	}
	cases := []Case{{Name: "divider_voltage", Expected: 2, Actual: math.Inf(-1)}, {Name: "low_pass_corner", Expected: 1 / math.Sqrt2, Actual: math.Inf(-1)}}
	for _, m := range printed.FindAllStringSubmatch(reply.Log.Stdout, -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue
		}
		c := &cases[0]
		if strings.HasPrefix(m[1], "vm") {
			c = &cases[1]
		}
		c.Actual = v
		c.OK = math.Abs(v-c.Expected) < 1e-6
	}
	for _, c := range cases {
		if math.IsInf(c.Actual, 0) {
			return nil, fmt.Errorf("ngspice printed no value for %s: %s", c.Name, firstLine(reply.Log.Stderr))
		}
	}
	return cases, nil
}
