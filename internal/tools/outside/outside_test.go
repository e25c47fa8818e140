package outside

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/runner"
)

// TestMain lets the test binary hold the sandbox of a program.
func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

const good = `{"name":"probe.read","title":"Probe","version":"0.1.0","stability":"experimental","status":"active",
"transport":"http, mcp","endpoint":"/v1/tools/probe.read","family":"probe","tags":["probe"],"description":"d","capabilities":["c"],
"input_schema":{"type":"object","additionalProperties":false,"properties":{
  "file":{"type":"string","format":"atelier-file","description":"A file."},"mode":{"type":"string","description":"What to do."},
  "size":{"type":"number","quantity":"length","description":"A size, m."}}},
"output_schema":{"type":"object","additionalProperties":false,"required":["text"],"properties":{
  "text":{"type":"string"},"n":{"type":"number"},"unit":{"$ref":"atelier:defs/length_unit"}}},
"evidence":{"quantities":[{"figure":"/n","what":"A number."}]},"errors":[{"code":"invalid_input","http_status":400,"when":"bad"}],"examples":[{"title":"t","input":{"mode":"x"},"notes":""}],
"effects":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},
"deterministic":true,"limits":{"timeout_ms":10000},"cost_hint":{"unit":"call","estimated_cost":0,"currency":"credits"},"engine":"probe_read"}`

// script answers by the mode that it finds in the request. It is a shell script:
// any language will do.
const script = `#!/bin/sh
read -r request
case "$request" in
*read*"in/file"*) printf '{"type":"result","summary":"S.","output":{"text":"%s"},"evidence":{"checks":[{"name":"a","kind":"exact","figure":"","value":1,"limit":null,"unit":"1","passed":true,"sentence":"Said."}],"quantities":[]}}\n' "$(cat in/file.txt)" ;;
*'"size":0.0254'*) echo '{"type":"result","summary":"S.","output":{"text":"an inch"}}' ;;
*failed*) echo '{"type":"result","summary":"S.","output":{"text":""},"evidence":{"checks":[{"name":"a","kind":"exact","figure":"","value":1,"limit":null,"unit":"1","passed":true,"sentence":"Said."},{"name":"b","kind":"exact","figure":"","value":1,"limit":null,"unit":"1","passed":false,"sentence":"Said."}],"quantities":[]}}' ;;
*unchecked*) echo '{"type":"result","summary":"S.","output":{"text":""}}' ;;
*trusts*) echo '{"type":"result","summary":"S.","output":{"text":"","evidence":{"trust":"verified","reasons":[],"checks":[]}}}' ;;
*trustcheck*) echo '{"type":"result","summary":"S.","output":{"text":""},"evidence":{"checks":[{"name":"a","kind":"exact","figure":"","value":1,"limit":null,"unit":"1","passed":true,"sentence":"Said.","trust":"verified"}],"quantities":[]}}' ;;
*wrong*) echo '{"type":"result","summary":"S.","output":{"text":5}}' ;;
*gone*) echo '{"type":"result","summary":"S.","output":{"text":""}}'; exit 3 ;;
*undefined*) echo noise; echo '{"type":"result","summary":"S.","output":{"text":"","n":NaN}}' ;;
*broken*) echo '{"type":"result","summary":"S.",}' ;;
*banana*) echo '{"type":"banana"}' ;;
*chatter*) echo hello; echo world ;;
*huge*) echo '{"type":"result","summary":"S.","output":{"text":"","n":1e999}}' ;;
*unknowntool*) echo '{"type":"error","code":"unknown_tool","message":"no such part"}' ;;
*twocodes*) echo '{"type":"error","code":"invalid_input","Code":"ERR_NOT_CONVERGED","message":"m"}' ;;
*twofields*) echo '{"type":"error","code":"invalid_input","message":"m","fields":["/mode"]}' ;;
*elsewhere*) echo '{"type":"error","code":"invalid_input","message":"bad","field":"/zzz/1"}' ;;
*noplace*) echo '{"type":"error","code":"invalid_input","message":"bad","field":"mode"}' ;;
*ownfault*) echo '{"type":"error","code":"ERR_NOT_CONVERGED","message":"m","details":{"steps":3}}' ;;
*careful*) echo '{"type":"result","summary":"S.","output":{"text":""},"warnings":["careful"]}' ;;
*marked*) printf '\357\273\277{"type":"result","summary":"S.","output":{"text":""}}\n' ;;
*picture*) echo hi >p.png; echo '{"type":"result","summary":"S.","output":{"text":""},"artifacts":[{"name":"p.png"}]}' ;;
*silent*) echo '{"type":"result","output":{"text":""}}' ;;
*writes*) if echo x >/var/tmp/outside-probe 2>/dev/null; then t=written; else t=refused; fi
  printf '{"type":"result","summary":"S.","output":{"text":"%s"}}\n' "$t" ;;
*) echo '{"type":"error","code":"invalid_input","message":"no such mode","field":"/mode"}' ;;
esac
`

func folder(t *testing.T, contractText string, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	own := filepath.Join(dir, "probe")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{contractFile: contractText}
	for _, p := range programs {
		files[p] = script
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFoldersWithAFaultAreRefused(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("the contract has no %s", from)
		}
		return strings.Replace(good, from, to, 1)
	}
	for name, c := range map[string]struct {
		dir, want string
	}{
		"good":                {folder(t, good, "program.sh"), ""},
		"no program":          {folder(t, good), "0 executable files"},
		"two programs":        {folder(t, good, "program.sh", "program"), "2 executable files"},
		"no contract":         {t.TempDir(), "no folder in"},
		"malformed":           {folder(t, change(`"0.1.0"`, `"1"`), "program"), "major.minor.patch"},
		"unknown code":        {folder(t, change(`"code":"invalid_input"`, `"code":"nope"`), "program"), "catalogue"},
		"unknown part":        {folder(t, change(`defs/length_unit`, `defs/proof`), "program"), `"defs/proof"`},
		"open object":         {folder(t, change(`"output_schema":{"type":"object","additionalProperties":false,`, `"output_schema":{"type":"object",`), "program"), "not closed"},
		"no description":      {folder(t, change(`,"description":"What to do."`, ``), "program"), "/properties/mode has no description"},
		"no evidence":         {folder(t, change(`"evidence":{"quantities":[{"figure":"/n","what":"A number."}]},`, ``), "program"), "what stands behind"},
		"foreign engine":      {folder(t, change(`"engine":"probe_read"`, `"engine":"mfem"`), "program"), `write "probe_read"`},
		"another's route":     {folder(t, change(`/v1/tools/probe.read`, `/v1/tools/other`), "program"), `write "/v1/tools/probe.read"`},
		"another status":      {folder(t, change(`"status":"active"`, `"status":"bananas"`), "program"), `write "active"`},
		"another way":         {folder(t, change(`"http, mcp"`, `"carrier pigeon"`), "program"), `write "http, mcp"`},
		"a key twice":         {folder(t, change(`"title":"Probe"`, `"title":"Probe","title":"Probe"`), "program"), "/title stands twice"},
		"an exact float":      {folder(t, change(`{"quantities":[{"figure":"/n","what":"A number."}]}`, `"exact"`), "program"), "list it in quantities"},
		"an exact count":      {folder(t, strings.Replace(change(`{"quantities":[{"figure":"/n","what":"A number."}]}`, `"exact"`), `"n":{"type":"number"}`, `"n":{"type":"integer"}`, 1), "program"), ""},
		"no quantities":       {folder(t, change(`{"quantities":[{"figure":"/n","what":"A number."}]}`, `{"quantities":[]}`), "program"), "it has no quantities, but the output has the number /n"},
		"claims stable":       {folder(t, change(`"stability":"experimental"`, `"stability":"stable"`), "program"), `"experimental"`},
		"a key in capitals":   {folder(t, change(`"evidence":{"quantities":[{"figure":"/n","what":"A number."}]}`, `"evidence":{"quantities":[{"figure":"/n","what":"A number."}]},"Evidence":"none"`), "program"), `the unknown field "Evidence". Did you mean "evidence"?`},
		"one within":          {folder(t, change(`"timeout_ms":10000`, `"timeout_ms":10000,"Timeout_ms":1`), "program"), `/limits has the unknown field "Timeout_ms"`},
		"one of the evidence": {folder(t, change(`{"quantities":[{"figure":"/n","what":"A number."}]}`, `{"quantities":[],"Quantities":[]}`), "program"), `the unknown field "Quantities"`},
		"the server's code":   {folder(t, change(`"errors":[`, `"errors":[{"code":"unauthorized","http_status":401,"when":"never"},`), "program"), `/errors/0/code is "unauthorized"`},
		"a fault as success":  {folder(t, change(`"http_status":400`, `"http_status":200`), "program"), "/errors/0/http_status is 200"},
		"a bad pattern":       {folder(t, change(`"description":"What to do."`, `"description":"What to do.","pattern":"["`), "program"), "input_schema: /properties/mode/pattern is"},
		"a bad type":          {folder(t, change(`"text":{"type":"string"}`, `"text":{"type":"strin"}`), "program"), `output_schema: /properties/text/type is "strin"`},
		"a circle of $ref":    {folder(t, change(`"mode":{"type":"string",`, `"mode":{"$ref":"#/properties/mode",`), "program"), "input_schema: /properties/mode/$ref leads back"},
		"no such output":      {folder(t, change(`"required":["text"]`, `"required":["zzz"]`), "program"), `output_schema: /required/0 is "zzz"`},
		"an untyped output":   {folder(t, change(`"text":{"type":"string"}`, `"text":{"description":"any"}`), "program"), "output_schema: /properties/text takes any value"},
		"a free object":       {folder(t, change(`"text":{"type":"string"}`, `"text":{"type":"object"}`), "program"), "/properties/text says nothing of its fields"},
		"a free list":         {folder(t, change(`"text":{"type":"string"}`, `"text":{"type":"array","items":{}}`), "program"), "/properties/text/items takes any value"},
		"the server's field":  {folder(t, change(`"text":{"type":"string"}`, `"text":{"type":"string"},"status":{"type":"string"}`), "program"), "/properties/status is a name"},
		"evidence of its own": {folder(t, change(`"text":{"type":"string"}`, `"text":{"type":"string"},"evidence":{"type":"string"}`), "program"), "evidence"},
		"an empty word":       {folder(t, change(`"description":"What to do."`, `"description":" "`), "program"), "/properties/mode has no description"},
		"a slip of the pen":   {folder(t, change(`"description":"What to do."`, `"description":"What to do.","maxLenght":5`), "program"), "write maxLength"},
		"a unit of another":   {folder(t, change(`"quantity":"length"`, `"quantity":{"kind":"length","unit":"kg"}`), "program"), `the unit "kg" is none of a`},
		"file not string":     {folder(t, change(`"type":"string","format"`, `"type":"array","format"`), "program"), "of type string"},
	} {
		_, err := Load([]string{c.dir})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.dir)) {
			t.Errorf("%s: %v, want %q and the folder", name, err, c.want)
		}
	}
}

func TestANameThatIsTakenIsRefused(t *testing.T) {
	one, other := folder(t, good, "program"), folder(t, good, "program")
	renamed := func(name string) string {
		return folder(t, strings.NewReplacer("probe.read", name, `"probe_read"`, `"`+strings.ReplaceAll(name, ".", "_")+`"`).Replace(good), "program")
	}
	own := contract.Bind([]byte(strings.NewReplacer("probe.read", "mesh.probe", `"probe_read"`, `"atelier"`).Replace(good)),
		func(context.Context, *contract.Call, json.RawMessage) (*contract.Result, error) { return nil, nil })
	for name, c := range map[string]struct {
		folders []string
		want    string
	}{
		"twice":              {[]string{one, other}, "probe.read is the tool in " + filepath.Join(one, "probe")},
		"the same alias":     {[]string{one, renamed("probe_read")}, "probe_read is the tool in " + filepath.Join(one, "probe")},
		"an engine's":        {[]string{renamed("vtk")}, "vtk is an engine of this program"},
		"the program's own":  {[]string{renamed("atelier")}, "atelier is an engine of this program"},
		"a built-in tool's":  {[]string{renamed("mesh.probe")}, "mesh.probe is a tool of this program"},
		"a built-in's alias": {[]string{renamed("mesh_probe")}, "mesh_probe is a tool of this program"},
		"nobody's":           {[]string{one, renamed("probe.write")}, ""},
	} {
		found, err := Load(c.folders)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Contracts(found, []contract.Tool{own}, nil)
		if c.want == "" {
			if err != nil || len(list) != len(found) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		last := filepath.Join(c.folders[len(c.folders)-1], "probe")
		if err == nil || !strings.Contains(err.Error(), "in "+last+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s, in %s", name, err, c.want, last)
		}
	}
}

// files resolves every reference to one path.
type files string

func (f files) Path(context.Context, string) (string, error)           { return string(f), nil }
func (f files) Beside(context.Context, string, string) (string, error) { return string(f), nil }

func TestAProgramIsHeldToWhatEveryToolIs(t *testing.T) {
	found, err := Load([]string{folder(t, good, "program.sh")})
	if err != nil {
		t.Fatal(err)
	}
	host, err := engine.NewHost(engine.Options{Root: t.TempDir(), Work: t.TempDir(), Engines: Engines(found)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	list, err := Contracts(found, nil, host)
	if err != nil {
		t.Fatal(err)
	}
	given := filepath.Join(t.TempDir(), "given.txt")
	if err := os.WriteFile(given, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]struct{ has, code string }{
		`{"mode":"read","file":"given.txt"}`: {`"text":"content","quantities":[],"evidence":{"trust":"converged"`, ""},
		`{"mode":"failed"}`:                  {`"trust":"suspect","reasons":["Failed: b. Said."]`, ""},
		`{"mode":"unchecked"}`:               {`"trust":"computed"`, ""},
		`{"mode":"writes"}`:                  {`"text":"refused"`, ""}, // outside of its folder
		`{"mode":"trusts"}`:                  {"evidence into its output", contract.CodeInvalidToolOutput},
		`{"mode":"trustcheck"}`:              {"trust", contract.CodeInvalidToolOutput},
		`{"mode":"wrong"}`:                   {"/text", contract.CodeInvalidToolOutput},
		`{"mode":"silent"}`:                  {"summary", contract.CodeInvalidToolOutput},
		`{"mode":"unknowntool"}`:             {`"unknown_tool" (/code), which is about the request or the server`, contract.CodeInvalidToolOutput},
		`{"mode":"twocodes"}`:                {`the unknown field "Code". Did you mean "code"?`, contract.CodeInvalidToolOutput},
		`{"mode":"twofields"}`:               {`the unknown field "fields". Did you mean "field"?`, contract.CodeInvalidToolOutput},
		`{"mode":"elsewhere"}`:               {`at the field "/zzz/1" (/field), which is no argument`, contract.CodeInvalidToolOutput},
		`{"mode":"noplace"}`:                 {`at the field "mode" (/field), which is no argument: write a JSON pointer into the input, such as /file`, contract.CodeInvalidToolOutput},
		`{"mode":"ownfault"}`:                {"m", "ERR_NOT_CONVERGED"},
		`{"mode":"careful"}`:                 {"/warnings/0 is a string; an object is expected", contract.CodeInvalidToolOutput},
		`{"mode":"marked"}`:                  {"line 1 of what it wrote is no JSON: it begins with a byte order mark", contract.CodeInvalidToolOutput},
		`{"mode":"picture"}`:                 {`"p.png" the mime_type image/png (/artifacts/0/mime_type)`, contract.CodeInvalidToolOutput},
		`{"mode":"gone"}`:                    {"exit status 3", contract.CodeEngineCrashed},
		`{"mode":"undefined"}`:               {"line 2 of what it wrote is no JSON: NaN is no number of JSON", contract.CodeInvalidToolOutput},
		`{"mode":"broken"}`:                  {"line 1 of what it wrote is no JSON", contract.CodeInvalidToolOutput},
		`{"mode":"banana"}`:                  {`line 1 of what it wrote has the type "banana"`, contract.CodeInvalidToolOutput},
		`{"mode":"chatter"}`:                 {"none of the 2 lines", contract.CodeEngineCrashed},
		`{"mode":"huge"}`:                    {"the output's /n is a number that no 64-bit float holds", contract.CodeInvalidToolOutput},
		`{"size":"1 in"}`:                    {`"text":"an inch"`, ""},
		`{"size":"1 kg"}`:                    {"a mass, not a length", contract.CodeInvalidRequest},
		`{"mode":"other"}`:                   {"no such mode", contract.CodeInvalidRequest},
		`{"mode":5}`:                         {"/mode", contract.CodeInvalidRequest},
	} {
		dir := t.TempDir()
		result := runner.New()(t.Context(), &runner.Request{
			Tool: &list[0], Input: json.RawMessage(input), JobID: "job_test", Dir: dir, Limits: contract.DefaultLimits(), Files: files(given),
		})
		if want.code == "" {
			raw, _ := json.Marshal(result.Output)
			if len(result.Errors) > 0 || !strings.Contains(string(raw), want.has) {
				t.Errorf("%s: %s %v, want %s", input, raw, result.Errors, want.has)
			}
			continue
		}
		if len(result.Errors) == 0 || result.Errors[0].Code != want.code || !strings.Contains(result.Errors[0].Error(), want.has) {
			t.Errorf("%s: %v, want %s with %q", input, result.Errors, want.code, want.has)
		}
	}
}
