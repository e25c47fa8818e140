package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/testenv"
)

// outputs call a tool by every protocol and give its output, as the JSON of a client.
func outputs(t *testing.T, s *server) map[string]func(tool, input string) any {
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	awaited := func(job any) any {
		for {
			r := s.get(fmt.Sprintf("/v1/jobs/%v?wait_ms=5000", job))
			if state := r.at("status"); r.status != 200 || state != "queued" && state != "running" {
				return r.at("result", "output")
			}
		}
	}
	// The OpenAI routes name the job of a tool that takes long.
	ended := func(r reply) any {
		if out := r.at("tool_results", 0, "result"); out != nil {
			return out
		}
		return awaited(r.at("tool_results", 0, "job_id"))
	}
	return map[string]func(tool, input string) any{
		"execute": func(tool, input string) any {
			r := s.execute(tool, input)
			if out := r.at("output"); out != nil {
				return out
			}
			return awaited(r.at("metrics", "job_id"))
		},
		"jobs": func(tool, input string) any {
			r := s.post("/v1/jobs", fmt.Sprintf(`{"tool_name":%q,"input":%s}`, tool, input))
			return awaited(r.at("job_id"))
		},
		"direct": func(tool, input string) any { return s.post("/v1/tools/"+tool, input).body },
		"chat": func(tool, input string) any {
			arguments, _ := json.Marshal(input) // as the official clients write them
			return ended(s.post("/v1/chat/completions", fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"x"}],"tool_choice":{"type":"function","function":{"name":%q,"arguments":%s}}}`, tool, arguments)))
		},
		"responses": func(tool, input string) any {
			return ended(s.post("/v1/responses", fmt.Sprintf(`{"model":"m","input":"x","tool_choice":{"name":%q,"arguments":%s}}`, tool, input)))
		},
		"harmony": func(tool, input string) any {
			found, err := s.app.tools.Find(tool)
			if err != nil {
				t.Fatal(err)
			}
			recipient := tool
			if !strings.Contains(tool, ".") {
				recipient = found.Contract.Family + "." + tool
			}
			completion, _ := json.Marshal(`<|channel|>commentary to=` + recipient + `<|message|>` + input + `<|call|>`)
			return s.post("/v1/harmony/calls", fmt.Sprintf(`{"completion":%s}`, completion)).at("calls", 0, "output")
		},
		"mcp": func(tool, input string) any {
			r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: strings.ReplaceAll(tool, ".", "_"), Arguments: json.RawMessage(input)})
			if err != nil {
				t.Fatal(err)
			}
			raw, _ := json.Marshal(r.StructuredContent)
			var out any
			read(t, raw, &out)
			return out
		},
	}
}

// The same arguments, as numbers in the contract's units and as texts in others,
// give the same figures by every protocol: a bar under its own weight and a pull.
func TestEveryProtocolTakesTextsWithUnits(t *testing.T) {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "mfem")
	rng := testenv.Random(t)
	e, force, x := 50+rng.IntN(200), 1+rng.IntN(9), 1+rng.IntN(999)
	raw, err := os.ReadFile(testenv.Path("examples", "data", "beam.mesh")) // 1 m by 0.1 m by 0.1 m
	if err != nil {
		t.Fatal(err)
	}
	mesh, _ := json.Marshal(string(raw))
	input := func(modulus, density, gravity, force, probe, tolerance string) string {
		return fmt.Sprintf(`{"solver_class":"LinearElasticity","mesh":{"type":"inline_mfem","data":%s},"config":{
			"materials":[{"E":%s,"nu":0.3,"density":%s}],"gravity":[0,%s,0],"probes":[[%s,0.05,0.05]],
			"bcs":[{"attribute":1,"type":"fixed"},{"where":{"plane":"x_max","tolerance":%s},"type":"load","force":[%s,0,0]}]}}`, mesh, modulus, density, gravity, probe, tolerance, force)
	}
	numbers := input(fmt.Sprintf("%de9", e), "7850", "-9.81", fmt.Sprintf("%d000", force), fmt.Sprintf("%d", x)+"e-3", "0.001")
	texts := input(fmt.Sprintf(`"%d GPa"`, e), `"7.85 g/cm^3"`, `"-9810 mm/s^2"`, fmt.Sprintf(`"%d kN"`, force), fmt.Sprintf(`"%d mm"`, x), `"0.1 cm"`)
	figure := func(out any) []float64 {
		var list []float64
		body, _ := out.(map[string]any)
		r := reply{body: body}
		for _, path := range [][]any{{"energy"}, {"max_displacement", "value"}, {"probes", 0, "displacement", 0}, {"probes", 0, "displacement", 1}} {
			v, ok := r.at(path...).(float64)
			if !ok {
				v = math.NaN()
			}
			list = append(list, v)
		}
		return list
	}
	call := outputs(t, s)
	want := figure(call["direct"]("fea.solve", numbers))
	if slices.ContainsFunc(want, func(v float64) bool { return v == 0 || math.IsNaN(v) }) {
		t.Fatalf("no figures: %v", want)
	}
	for protocol, run := range call {
		for what, in := range map[string]string{"numbers": numbers, "texts": texts} {
			got := figure(run("fea.solve", in))
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }) {
				t.Errorf("%s by %s: %v, want %v", what, protocol, got, want)
			}
		}
	}
	// And the same fault, whatever the protocol: of dimension, of what physics allows,
	// of a text that is no quantity, of what an agent may leave in it.
	codes := protocols(t, s)
	for what, faulty := range map[string]string{
		"dimension":  input(`"210 kg"`, "7850", "0", "1", "0.5", "0.001"),
		"impossible": input("2e11", `"-1 kg/m^3"`, "0", "1", "0.5", "0.001"),
		"no text":    input(`"steel"`, "7850", "0", "1", "0.5", "0.001"),
		"two ways":   input(`"1,5 GPa"`, "7850", "0", "1", "0.5", "0.001"),
		"place":      input("2e11", "7850", "0", "1", `"5 s"`, "0.001"),
		"bare":       input("2e11", "7850", "0", "1", `"5"`, "0.001"),
	} {
		for protocol, tell := range codes {
			want := "invalid_request"
			if protocol == "invocation" {
				want = "INVALID_VALUE"
			}
			tool := "fea.solve"
			if protocol == "mcp" {
				tool = "fea_solve"
			}
			if got := tell(tool, faulty); got.code != want {
				t.Errorf("%s by %s: %v, want %s", what, protocol, got, want)
			}
		}
	}
}
