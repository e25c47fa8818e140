// Package outsidetool_test serves the tool of this folder as an operator would, by
// the built program, and calls it over HTTP and MCP.
package outsidetool_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// program builds atelier, unless ATELIER_BIN names one.
func program(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("ATELIER_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "atelier")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", bin, "atelier/cmd/atelier").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// serve starts the server on a free port and returns where it listens.
func serve(t *testing.T, bin string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, bin, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--tools", ".")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if at := strings.Index(lines.Text(), "http://127.0.0.1:"); at >= 0 {
			go func() { // a full pipe would stop the server
				for lines.Scan() {
					continue
				}
			}()
			return strings.TrimRight(strings.Fields(lines.Text()[at:])[0], ".,/")
		}
	}
	t.Fatalf("the server did not start: %s", said.String())
	return ""
}

type converted struct {
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	Evidence struct {
		Trust  string `json:"trust"`
		Checks []struct {
			Name   string `json:"name"`
			Passed bool   `json:"passed"`
		} `json:"checks"`
	} `json:"evidence"`
	Error struct {
		Code    string `json:"code"`
		Details struct {
			Field string `json:"field"`
		} `json:"details"`
	} `json:"error"`
}

// Values from the definitions of the units: NIST SP 811 (2008), appendix B.8, and
// the fixed points of the temperature scales.
var cases = []struct {
	input string
	want  float64
}{
	{`{"value": 1, "from": "in", "to": "mm"}`, 25.4},
	{`{"value": 3, "from": "ft", "to": "m"}`, 0.9144},
	{`{"value": 1, "from": "psi", "to": "Pa"}`, 6894.757293168},
	{`{"value": 212, "from": "degF", "to": "degC"}`, 100},
	{`{"value": -40, "from": "degC", "to": "degF"}`, -40},
}

func right(t *testing.T, what string, got converted, want float64) {
	t.Helper()
	if math.Abs(got.Value-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got.Value, want)
	}
	if got.Evidence.Trust != "verified" || len(got.Evidence.Checks) != 1 || got.Evidence.Checks[0].Name != "round_trip" || !got.Evidence.Checks[0].Passed {
		t.Errorf("%s: evidence %+v", what, got.Evidence)
	}
}

func TestServedOverHTTP(t *testing.T) {
	url := serve(t, program(t))
	post := func(input string) (int, converted) {
		resp, err := http.Post(url+"/v1/tools/quantity.convert", "application/json", strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got converted
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, got
	}
	for _, c := range cases {
		status, got := post(c.input)
		if status != 200 {
			t.Errorf("%s: %d %+v", c.input, status, got.Error)
		}
		right(t, c.input, got, c.want)
	}
	for input, want := range map[string]struct {
		status int
		field  string
	}{
		`{"value": 1, "from": "in", "to": "Pa"}`:     {400, "/to"},    // the program's refusal
		`{"value": "one", "from": "in", "to": "mm"}`: {400, "/value"}, // the schema's
		`{"value": -300, "from": "degC", "to": "K"}`: {422, "/value"}, // below absolute zero, -273.15 degC
	} {
		if status, got := post(input); status != want.status || got.Error.Details.Field != want.field {
			t.Errorf("%s: %d %+v, want %+v", input, status, got.Error, want)
		}
	}
}

// The doctor runs the program in the sandbox, and tells its version.
func TestTheDoctorKnowsIt(t *testing.T) {
	out, _ := exec.Command(program(t), "doctor", "--json", "--data", t.TempDir(), "--tools", ".").Output() // 1 where another engine is broken
	var report struct {
		Engines []struct{ Name, Version, Fault string }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
	for _, e := range report.Engines {
		if e.Name == "quantity_convert" {
			if e.Version != "0.1.0" || e.Fault != "" {
				t.Errorf("%+v", e)
			}
			return
		}
	}
	t.Error("the doctor does not name it")
}

func TestServedOverMCP(t *testing.T) {
	cmd := exec.Command(program(t), "mcp", "--data", t.TempDir(), "--tools", ".")
	client := sdk.NewClient(&sdk.Implementation{Name: "outside-test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, c := range cases {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "quantity_convert", Arguments: json.RawMessage(c.input)})
		if err != nil || result.IsError {
			t.Fatalf("%s: %+v %v", c.input, result, err)
		}
		raw, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var got converted
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		right(t, c.input, got, c.want)
	}
}
