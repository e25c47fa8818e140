package conformance

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/protocol/mcp"
)

//go:embed slow_compute.json
var slowContract []byte

//go:embed failing_job.json
var failingContract []byte

//go:embed protocol_error_job.json
var protocolErrorContract []byte

// Tools are the fixtures that are ordinary tools: their tasks are jobs.
func Tools() []contract.Tool {
	type seconds struct {
		Seconds float64 `json:"seconds"`
		Label   string  `json:"label"`
	}
	type nothing struct{}
	return []contract.Tool{
		contract.Bind(slowContract, func(ctx context.Context, call *contract.Call, in seconds) (*contract.Result, error) {
			whole := time.Duration(in.Seconds * float64(time.Second))
			const steps = 10
			for i := range steps {
				if err := sleep(ctx, whole/steps); err != nil {
					return nil, err
				}
				call.Progress(float64(i+1)/steps, in.Label)
				call.Logf("info", "step %d of %d", i+1, steps)
			}
			return &contract.Result{Summary: "Slept.", Output: in}, nil
		}),
		contract.Bind(failingContract, func(ctx context.Context, _ *contract.Call, _ nothing) (*contract.Result, error) {
			if err := sleep(ctx, time.Second); err != nil {
				return nil, err
			}
			return nil, contract.Errorf(contract.CodeSolverFailed, "this tool always fails")
		}),
		contract.Bind(protocolErrorContract, func(ctx context.Context, _ *contract.Call, _ nothing) (*contract.Result, error) {
			if err := sleep(ctx, time.Second); err != nil {
				return nil, err
			}
			panic("this tool is always broken")
		}),
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tasks are the ones that ask for input while they run, which no job does.
type tasks struct {
	mu   sync.Mutex
	byID map[string]*task
}

type task struct {
	mcp.DetailedTask
	result string // the text at the end
}

// NeedsTask says of the tools here which cannot be answered without a task.
func NeedsTask(c *contract.Contract) bool { return c.Name == "failing_job" }

// interactive are the tools whose tasks ask for input.
var interactive = map[string]bool{"confirm_delete": true, "multi_input": true, "test_tool_with_task": true}

func (f *Fixtures) addTasks(server *sdk.Server) {
	addWith(server, "greet", "Greets, at once.", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return say("Hello, %s!", in.Name), nil
		})
	// These are answered by the middleware below; here they are listed.
	addWith(server, "confirm_delete", "Asks before it acts, as a task.", json.RawMessage(`{"type":"object","properties":{"filename":{"type":"string"}}}`), always(say("")))
	add(server, "multi_input", "Asks for two things at once, as a task.", always(say("")))
	add(server, "test_tool_with_task", "Asks for a name, then becomes a task.", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return askFor("task", sdk.InputRequestMap{"user_name": question("What is your name?", "name")}), nil
	})
	server.AddReceivingMiddleware(f.receive)
}

func (f *Fixtures) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.CallToolRequest:
			if !interactive[r.Params.Name] {
				break
			}
			if !mcp.DeclaresTasks(r) {
				return nil, mcp.TasksRequired()
			}
			if made := f.make(r); made != nil {
				return mcp.NewTask(made.Task), nil
			}
		case *sdk.ServerRequest[*mcp.TaskParams]:
			if r.Params != nil && mcp.DeclaresTasks(r) {
				if result, ours := f.tasks.serve(method, r.Params); ours {
					return result, nil
				}
			}
		}
		return next(ctx, method, req)
	}
}

// make starts the task of a call; nil when the call has none yet.
func (f *Fixtures) make(r *sdk.CallToolRequest) *task {
	switch r.Params.Name {
	case "confirm_delete":
		return f.tasks.add("deleted", sdk.InputRequestMap{"confirm": question("Delete it?", "confirm")})
	case "multi_input":
		return f.tasks.add("both have come", sdk.InputRequestMap{"first": question("The first?", "name"), "second": question("The second?", "name")})
	case "test_tool_with_task":
		if name, _ := accepted(r.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return f.tasks.add("Done for "+name+".", sdk.InputRequestMap{})
		}
	}
	return nil
}

func (t *tasks) add(result string, asked sdk.InputRequestMap) *task {
	now := time.Now().UTC().Format(time.RFC3339Nano)
	ttl := time.Hour.Milliseconds()
	made := &task{result: result}
	made.Task = mcp.Task{TaskID: "fixture_" + strings.ToLower(rand.Text()), Status: mcp.TaskWorking, CreatedAt: now, LastUpdatedAt: now, TTLMs: &ttl, PollIntervalMs: 100}
	made.InputRequests = asked
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[string]*task{}
	}
	t.byID[made.TaskID] = made
	made.advance()
	return made
}

// advance moves a task on when all its questions are answered.
func (t *task) advance() {
	t.LastUpdatedAt = time.Now().UTC().Format(time.RFC3339Nano)
	if len(t.InputRequests) > 0 {
		t.Status = mcp.TaskInputRequired
		return
	}
	raw, err := json.Marshal(say("%s", t.result))
	t.Status, t.Result, t.InputRequests = mcp.TaskCompleted, raw, nil
	if err != nil {
		t.Status, t.Error = mcp.TaskFailed, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
}

// serve answers the tasks/… methods for tasks that are not jobs.
func (t *tasks) serve(method string, p *mcp.TaskParams) (result sdk.Result, ours bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.byID[p.TaskID]
	if found == nil {
		return nil, false
	}
	open := found.Status == mcp.TaskInputRequired
	switch {
	case method == "tasks/get":
		shown := found.DetailedTask
		shown.InputRequests = nil
		for key, request := range found.InputRequests {
			if shown.InputRequests == nil {
				shown.InputRequests = sdk.InputRequestMap{}
			}
			shown.InputRequests[key] = request
		}
		return &mcp.GetTaskResult{ResultType: "complete", DetailedTask: shown}, true
	case method == "tasks/cancel" && open:
		found.Status, found.InputRequests = mcp.TaskCancelled, nil
	case method == "tasks/update" && open:
		for key := range p.InputResponses {
			delete(found.InputRequests, key)
		}
		found.advance()
	}
	return mcp.Ack(), true
}
