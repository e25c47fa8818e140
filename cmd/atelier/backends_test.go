package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
	"atelier/internal/tools/mlx/modelserver"
)

// The backend of this test is this test program: a real child with a real HTTP
// server that repeats the last message. The real mlx_lm.server is held by
// test/conformance/mlx.sh.
func init() {
	if len(os.Args) != 4 || os.Args[1] != "model-server" {
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/v1/completions", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model    string
			Messages []struct{ Content string }
		}
		if json.NewDecoder(r.Body).Decode(&asked) != nil || len(asked.Messages) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		said, _ := json.Marshal(filepath.Base(asked.Model) + " says " + asked.Messages[len(asked.Messages)-1].Content)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", said)
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Args[3], mux))
	os.Exit(1)
}

// lastOfTests is the last port that these tests use; the others are those of
// package modelserver's.
const lastOfTests = 8119

// startWithBackend is a server whose backend mlx is this program, and a free port.
func startWithBackend(t *testing.T, change func(*serveCmd)) (*server, int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	port := 0
	for p := modelserver.FirstPort; p < lastOfTests && port == 0; p++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p)); err == nil {
			port = p
			_ = l.Close()
		}
	}
	if port == 0 {
		testenv.Skip(t, testenv.Ports, "all ports of 8100 to 8118 are taken on this machine")
	}
	s := start(t, func(c *serveCmd) {
		c.Backend = []string{fmt.Sprintf("own=%q model-server {model} {port}", exe)}
		c.MLX, c.LogLevel = filepath.Join(t.TempDir(), "nowhere"), "error"
		if change != nil {
			change(c)
		}
	})
	dir := filepath.Join(s.root, "tiny")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, port
}

func TestModelsAreLoadedAndUsed(t *testing.T) {
	s, port := startWithBackend(t, nil)
	id := fmt.Sprintf("local:%d", port)
	load := fmt.Sprintf(`{"model":"tiny","port":%d,"backend":"own"}`, port)
	if r := s.execute("mlx.load", load); r.at("status") != "ok" || r.at("output", "ok") != true || r.at("output", "model") != "tiny" || r.at("solver") != "mlx" {
		t.Fatalf("%s", r.raw)
	}
	if r := s.get("/v1/models"); r.at("data", 1, "id") != id || r.at("data", 1, "root") != "tiny" || r.at("data", 1, "owned_by") != "own" {
		t.Fatalf("%s", r.raw)
	}
	if r := s.post("/v1/chat/completions", `{"model":"`+id+`","messages":[{"role":"user","content":"hello"}]}`); r.at("choices", 0, "message", "content") != "tiny says hello" {
		t.Fatalf("%s", r.raw)
	}
	old := fmt.Sprintf("lane:%d", port) // the id that earlier versions gave
	if r := s.post("/v1/chat/completions", `{"model":"`+old+`","messages":[{"role":"user","content":"hello"}]}`); r.at("choices", 0, "message", "content") != "tiny says hello" {
		t.Fatalf("%s", r.raw)
	}
	if r := s.get("/v1/models/" + old); r.status != 200 || r.at("id") != id {
		t.Fatalf("%s", r.raw)
	}
	status := s.get("/v1/admin/status")
	if status.at("models", 0, "id") != id || status.at("models", 0, "state") != "ready" || status.at("models", 0, "restarts") != 0.0 {
		t.Errorf("%s", status.raw)
	}
	backends := map[any]any{}
	for _, backend := range status.at("doctor", "backends").([]any) {
		backends[backend.(map[string]any)["name"]] = backend.(map[string]any)["installed"]
	}
	if backends["own"] != true || backends["mlx"] != false {
		t.Errorf("%v", backends)
	}
	if r := s.execute("mlx.load", fmt.Sprintf(`{"model":"tiny","port":%d,"lane":"own"}`, port)); r.at("status") != "ok" || !strings.Contains(string(r.raw), "/lane is deprecated") {
		t.Errorf("%s", r.raw)
	}
	if r := s.post("/v1/tools/mlx_load", load); r.status != 200 || !strings.HasPrefix(r.at("message").(string), "Already loaded") || len(r.body) != 4 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	for body, want := range map[string]string{
		fmt.Sprintf(`{"model":"tiny","port":%d}`, port):    "501 missing_dependency", // the backend mlx is not there
		`{"model":"tiny","port":8140,"backend":"own"}`:     "400 invalid_port",
		`{"model":"nobody","port":8119,"backend":"own"}`:   "404 model_not_found",
		`{"model":"tiny","port":8119,"backend":"unknown"}`: "400 invalid_request",
		`{"port":8119}`: "400 invalid_request",
		`{"model":"tiny","port":8119,"lane":"unknown"}`:                  "400 invalid_request", // its name before 1.1
		`{"model":"tiny","port":8119,"backend":"own","lane":"llamacpp"}`: "400 invalid_request", // which of them?
	} {
		if r := s.post("/v1/tools/mlx.load", body); fmt.Sprint(r.status, " ", r.at("error", "code")) != want {
			t.Errorf("%s: %d %s, want %s", body, r.status, r.raw, want)
		}
	}
	if r := s.execute("mlx.load", `{"model":"tiny","port":8119,"lane":"unknown"}`); !strings.Contains(string(r.raw), `"field":"/lane"`) || !strings.Contains(string(r.raw), "one of ") {
		t.Errorf("a fault of lane is elsewhere: %s", r.raw)
	}
	unload := fmt.Sprintf(`{"port":%d}`, port)
	if r := s.post("/v1/tools/mlx.unload", unload); r.status != 200 || r.at("ok") != true || len(r.body) != 3 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/tools/mlx.unload", unload); r.status != 404 || r.at("error", "code") != contract.CodeNotListening {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/chat/completions", `{"model":"`+id+`","messages":[{"role":"user","content":"hello"}]}`); r.status != 404 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

// The model behind the server may be a loaded one; it is found at every call.
func TestTheModelMayBeALoadedOne(t *testing.T) {
	ask := `{"model":"autosage-0.1","messages":[{"role":"user","content":"hello"}]}`
	s, _ := startWithBackend(t, func(c *serveCmd) { c.ModelURL = fmt.Sprintf("local:%d", lastOfTests) })
	if r := s.post("/v1/chat/completions", ask); r.status != 404 || r.at("error", "code") != contract.CodeModelNotFound {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/tools/mlx.load", fmt.Sprintf(`{"model":"tiny","port":%d,"backend":"own"}`, lastOfTests)); r.status == 409 {
		testenv.Skip(t, testenv.Ports, "the port is taken on this machine")
	}
	if r := s.post("/v1/chat/completions", ask); r.at("choices", 0, "message", "content") != "tiny says hello" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

// The tools are an MCP server of their own, and are left out where no backend has its
// program.
func TestTheServerMlxctl(t *testing.T) {
	s, _ := startWithBackend(t, func(c *serveCmd) { c.Family = []string{"mlxctl"} })
	if names := s.app.tools.Names(); strings.Join(names, " ") != "mlx.load mlx.unload" {
		t.Fatalf("%v", names)
	}
	if err := s.app.backends.Check(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	bare := start(t, func(c *serveCmd) { c.Family, c.Engines = []string{"mlxctl"}, t.TempDir() })
	r := bare.post("/v1/tools/mlx.load", `{"model":"someone/tiny","port":8100}`)
	if r.status != 501 || !strings.Contains(fmt.Sprint(r.at("error", "details", "hint")), "pip install mlx-lm") {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	list := bare.get("/v1/agent/config?family=mlx")
	if tools, _ := list.at("tools").([]any); len(tools) != 0 || list.at("availability", "mlx_load", "available") != false {
		t.Errorf("%s", list.raw)
	}
}
