package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/protocol/mcp"
	"atelier/internal/protocol/mcp/conformance"
	"atelier/internal/runner"
	"atelier/internal/store"
	"atelier/internal/tools/basics"
)

// The test binary is also the server that the stdio tests start.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ATELIER_TEST_STDIO"); dir != "" {
		if err := serveStdio(dir); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serveStdio(dir string) error {
	protocol, stop, err := open(dir)
	if err != nil {
		return err
	}
	err = protocol.ServeStdio(context.Background(), contract.Selection{}, os.Stdin, os.Stdout)
	stop()
	return err
}

// open puts the protocol together with the real job engine and the tools that need
// no engine: the stable ones, and the fixtures that run for a while.
func open(dir string) (protocol *mcp.Server, stop func(), err error) {
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(dir, "test.db"))
	if err != nil {
		return nil, nil, err
	}
	blobs, err := store.OpenBlobs(ctx, db, filepath.Join(dir, "artifacts"), store.BlobOptions{})
	if err != nil {
		return nil, nil, err
	}
	list := append(basics.Tools(), conformance.Tools()...)
	list = append(list, dotted(), missing(), reader())
	registry, err := contract.NewRegistry(list)
	if err != nil {
		return nil, nil, err
	}
	executor := runner.NewExecutor(registry, runner.Resolver{Source: source{db, blobs}})
	jobs, err := job.New(ctx, db, blobs, executor, job.Options{WorkDir: filepath.Join(dir, "work"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	stop = func() {
		ending, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = jobs.Drain(ending) // what still sleeps is interrupted
		_ = blobs.Close()
		_ = db.Close()
	}
	return &mcp.Server{Tools: registry, Jobs: jobs, Blobs: blobs, Version: "test", KeepJobs: time.Hour}, stop, nil
}

func renamed(name, family string) *contract.Contract {
	tool, err := json.Marshal(basics.Tools()[0].Contract)
	if err != nil {
		panic(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(tool, &fields); err != nil {
		panic(err)
	}
	fields["name"], fields["family"] = name, family
	if family == "web" {
		fields["endpoint"] = "web-fetch" // a server name of the contracts
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	c, err := contract.Parse(raw)
	if err != nil {
		panic(err)
	}
	return c
}

// dotted is echo_json under a name with a dot, in a family with a server name.
func dotted() contract.Tool {
	tool := basics.Tools()[0]
	tool.Contract = renamed("web.echo", "web")
	return tool
}

// installed says whether the engine of missing is there, as it is in one test.
var installed atomic.Bool

// missing is a tool whose engine is not installed.
func missing() contract.Tool {
	tool := basics.Tools()[0]
	tool.Contract = renamed("web.gone", "web")
	tool.Available = func() error {
		if installed.Load() {
			return nil
		}
		return contract.Errorf(contract.CodeMissingDependency, "the engine is not installed").WithHint("Run make engines.")
	}
	return tool
}

// reader is a tool with a file argument, whose content it answers with.
func reader() contract.Tool {
	tool := basics.Tools()[0]
	tool.Contract = renamed("read_note", "made")
	tool.Run = func(ctx context.Context, call *contract.Call, input json.RawMessage) (*contract.Result, error) {
		var in struct{ Message string }
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, err
		}
		path, err := call.File(ctx, in.Message, "/message")
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(path)
		return &contract.Result{Output: map[string]any{"message": in.Message, "repeat": []string{string(content)}}}, err
	}
	return tool
}

type source struct {
	*store.DB
	blobs *store.Blobs
}

func (s source) LocalPath(ctx context.Context, sha string) (string, error) {
	return s.blobs.LocalPath(ctx, sha)
}

// testServer is the protocol behind a loopback address.
type testServer struct {
	t        testing.TB
	protocol *mcp.Server
	url      string
}

func newTestServer(t testing.TB) *testServer {
	t.Helper()
	protocol, stop, err := open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 1 << 20}, protocol.Routes()...))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		stop()
	})
	return &testServer{t: t, protocol: protocol, url: server.URL + "/mcp"}
}

// connect opens a session of the SDK's client. legacy speaks 2025-11-25.
func (h *testServer) connect(query string, legacy bool, options *sdk.ClientOptions) *sdk.ClientSession {
	h.t.Helper()
	return join(h.t, &sdk.StreamableClientTransport{Endpoint: h.url + query}, legacy, options)
}

func join(t testing.TB, transport sdk.Transport, legacy bool, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		if err := sdk.AddSendingCustomMethod[*mcp.TaskParams, *mcp.GetTaskResult](client, method); err != nil {
			t.Fatal(err)
		}
	}
	var how *sdk.ClientSessionOptions
	if legacy {
		how = &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	session, err := client.Connect(context.Background(), transport, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// eachWay runs a test over every transport and in both eras of the protocol.
func eachWay(t *testing.T, options func() *sdk.ClientOptions, test func(t *testing.T, s *sdk.ClientSession, legacy bool)) {
	h := newTestServer(t)
	for _, era := range []string{"sessions", "2026-07-28"} {
		legacy := era == "sessions"
		t.Run("http "+era, func(t *testing.T) { test(t, h.connect("", legacy, options()), legacy) })
		t.Run("memory "+era, func(t *testing.T) {
			ours, theirs := sdk.NewInMemoryTransports()
			ended := make(chan struct{})
			go func() {
				_ = h.protocol.ServeTransport(context.Background(), contract.Selection{}, ours)
				close(ended)
			}()
			s := join(t, theirs, legacy, options())
			test(t, s, legacy)
			_ = s.Close()
			<-ended
		})
	}
}

func textBody() *sdk.ClientOptions { return nil }

func call(t testing.TB, s *sdk.ClientSession, name string, arguments any) *sdk.CallToolResult {
	t.Helper()
	result, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func text(r *sdk.CallToolResult) string {
	if len(r.Content) > 0 {
		if first, ok := r.Content[0].(*sdk.TextContent); ok {
			return first.Text
		}
	}
	return ""
}

// post sends one raw message.
func (h *testServer) post(body string, headers ...string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequest(http.MethodPost, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { response.Body.Close() })
	return response
}
