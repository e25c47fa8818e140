package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/job"
)

// The extension io.modelcontextprotocol/tasks (SEP-2663): a call that takes long
// is answered with a task, which is the job itself; its id is the job's. The
// server decides: a client that declares the extension gets a task for what is
// not done after taskAfter, and every other client waits.
const (
	TasksExtension = "io.modelcontextprotocol/tasks"

	taskAfter    = 500 * time.Millisecond
	pollInterval = 500 * time.Millisecond
	modernFrom   = "2026-07-28"

	methodTaskGet    = "tasks/get"
	methodTaskUpdate = "tasks/update"
	methodTaskCancel = "tasks/cancel"
)

// TaskStatus is a status of SEP-2663.
type TaskStatus string

// The statuses of a task. Failed is for faults of the server; a tool that ran
// and failed is a completed task whose result says isError.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// Task is what every message about a task carries. Times are RFC 3339 in UTC.
type Task struct {
	TaskID         string     `json:"taskId"`
	Status         TaskStatus `json:"status"`
	StatusMessage  string     `json:"statusMessage,omitempty"`
	CreatedAt      string     `json:"createdAt"`
	LastUpdatedAt  string     `json:"lastUpdatedAt"`
	TTLMs          *int64     `json:"ttlMs"` // null: kept for ever
	PollIntervalMs int64      `json:"pollIntervalMs,omitempty"`
}

// DetailedTask is a task with what its status adds: the result of a completed
// one, the error of a failed one, what an input_required one asks for.
type DetailedTask struct {
	Task
	Result        json.RawMessage     `json:"result,omitempty"`
	Error         *jsonrpc.Error      `json:"error,omitempty"`
	InputRequests sdk.InputRequestMap `json:"inputRequests,omitempty"`
}

// TaskParams are the parameters of tasks/get, tasks/update and tasks/cancel.
type TaskParams struct {
	sdk.ParamsBase
	TaskID         string                     `json:"taskId"`
	InputResponses map[string]json.RawMessage `json:"inputResponses,omitempty"`
}

// CreateTaskResult answers a tools/call that has become a task.
type CreateTaskResult struct {
	sdk.ResultBase
	ResultType string `json:"resultType"` // "task"
	Task
}

// GetTaskResult answers tasks/get.
type GetTaskResult struct {
	sdk.ResultBase
	ResultType string `json:"resultType"` // "complete"
	DetailedTask
}

// TaskAck answers tasks/update and tasks/cancel; what they led to is seen with
// the next tasks/get.
type TaskAck struct {
	sdk.ResultBase
	ResultType string `json:"resultType"` // "complete"
}

// NewTask answers a call with a task.
func NewTask(t Task) *CreateTaskResult { return &CreateTaskResult{ResultType: "task", Task: t} }

// Ack is the answer that tells nothing but that the request was understood.
func Ack() *TaskAck { return &TaskAck{ResultType: "complete"} }

// TasksRequired is the error of a request that needs the extension, from a
// client that has not declared it.
func TasksRequired() error {
	return &jsonrpc.Error{
		Code:    sdk.CodeMissingRequiredClientCapabilities,
		Message: "this needs the client capability extensions[\"" + TasksExtension + "\"]",
		Data:    json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + TasksExtension + `":{}}}}`),
	}
}

// DeclaresTasks says whether the client of a request can be answered with tasks.
func DeclaresTasks[P sdk.Params](r *sdk.ServerRequest[P]) bool {
	return declaresTasks(r.ClientCapabilities(), r.ProtocolVersion())
}

func declaresTasks(c *sdk.ClientCapabilities, version string) bool {
	if c == nil || version < modernFrom {
		return false
	}
	_, declared := c.Extensions[TasksExtension]
	return declared
}

func (s *Server) needsTask(tool *contract.Tool) bool {
	return s.NeedsTask != nil && s.NeedsTask(tool.Contract)
}

func unknownTask(id string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no task has the id " + id}
}

func (v *view) addTaskMethods() {
	s := v.server
	for method, serve := range map[string]func(context.Context, *TaskParams) (sdk.Result, error){
		methodTaskGet: s.getTask, methodTaskUpdate: s.updateTask, methodTaskCancel: s.cancelTask,
	} {
		err := sdk.AddReceivingCustomMethod(v.sdk, method, func(ctx context.Context, _ *sdk.ServerSession, p *TaskParams) (sdk.Result, error) {
			if p == nil || p.TaskID == "" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: method + " needs a taskId"}
			}
			return serve(ctx, p)
		})
		if err != nil {
			panic(err) // the SDK has got a method of this name: this file must go
		}
	}
}

// callAsTask answers with the result when it is there soon, else with a task.
func (v *view) callAsTask(ctx context.Context, req *sdk.CallToolRequest) (sdk.Result, error) {
	s := v.server
	ctx = withCaller(ctx, req)
	request, err := v.request(req)
	var j *job.Job
	if err == nil {
		request.Async = true // its record is durable before the client hears of it
		j, err = s.Jobs.Submit(ctx, request)
	}
	if err != nil {
		return complete(answer(contract.Failure("atelier", contract.ErrorsOf(err)...), ""), modernFrom), nil
	}
	if !j.State.Finished() {
		if j, err = s.Jobs.Wait(ctx, j.ID, taskAfter); err != nil {
			return nil, err
		}
	}
	if j.State.Finished() || ctx.Err() != nil {
		return complete(s.ended(ctx, j), modernFrom), nil
	}
	return NewTask(s.task(j)), nil
}

// completed is a tools/call result with its discriminator, which the SDK only
// adds behind its own handler.
type completed struct {
	sdk.ResultBase
	ResultType        string        `json:"resultType,omitempty"`
	Content           []sdk.Content `json:"content"`
	StructuredContent any           `json:"structuredContent,omitempty"`
	IsError           bool          `json:"isError,omitempty"`
}

func complete(a *sdk.CallToolResult, version string) *completed {
	c := &completed{
		ResultBase: sdk.ResultBase{Meta: a.Meta},
		Content:    a.Content, StructuredContent: a.StructuredContent, IsError: a.IsError,
	}
	if version >= modernFrom {
		c.ResultType = "complete"
	}
	return c
}

func (s *Server) getTask(ctx context.Context, p *TaskParams) (sdk.Result, error) {
	j, err := s.taskJob(ctx, p.TaskID)
	if err != nil {
		return nil, err
	}
	return &GetTaskResult{ResultType: "complete", DetailedTask: s.detailed(ctx, j)}, nil
}

// updateTask: no job asks for input, so that nothing can match; SEP-2663 wants
// answers that match nothing to be ignored.
func (s *Server) updateTask(ctx context.Context, p *TaskParams) (sdk.Result, error) {
	if _, err := s.taskJob(ctx, p.TaskID); err != nil {
		return nil, err
	}
	return Ack(), nil
}

func (s *Server) cancelTask(ctx context.Context, p *TaskParams) (sdk.Result, error) {
	if _, err := s.Jobs.Cancel(ctx, p.TaskID); err != nil {
		switch contract.AsError(err).Code {
		case contract.CodeConflict: // it has ended already
		case contract.CodeNotFound:
			return nil, unknownTask(p.TaskID)
		default:
			return nil, err
		}
	}
	return Ack(), nil
}

func (s *Server) taskJob(ctx context.Context, id string) (*job.Job, error) {
	j, err := s.Jobs.Get(ctx, id)
	if err != nil && contract.AsError(err).Code == contract.CodeNotFound {
		return nil, unknownTask(id)
	}
	return j, err
}

// task projects a job.
func (s *Server) task(j *job.Job) Task {
	t := Task{
		TaskID: j.ID, Status: TaskWorking, StatusMessage: string(j.State),
		CreatedAt: j.Created.UTC().Format(time.RFC3339Nano), LastUpdatedAt: changed(j).UTC().Format(time.RFC3339Nano),
		PollIntervalMs: pollInterval.Milliseconds(),
	}
	if s.KeepJobs > 0 {
		ms := s.KeepJobs.Milliseconds()
		t.TTLMs = &ms
	}
	switch {
	case j.State == job.Queued:
		t.StatusMessage = "waits for a place of " + j.Queue
	case j.State == job.Cancelled:
		t.Status = TaskCancelled
	case j.State.Finished():
		t.Status, t.StatusMessage = TaskCompleted, j.Summary
		if serverFault(j) {
			t.Status = TaskFailed
		}
	}
	return t
}

func changed(j *job.Job) time.Time {
	switch {
	case !j.Finished.IsZero():
		return j.Finished
	case !j.Started.IsZero():
		return j.Started
	}
	return j.Created
}

// serverFault tells the jobs that failed through no doing of the tool or call.
func serverFault(j *job.Job) bool {
	if j.State != job.Failed || j.Error == nil {
		return false
	}
	switch j.Error.Code {
	case contract.CodeInternal, contract.CodeInterrupted, contract.CodeStorageUnavailable, contract.CodeInvalidToolOutput:
		return true
	}
	return false
}

func (s *Server) detailed(ctx context.Context, j *job.Job) DetailedTask {
	d := DetailedTask{Task: s.task(j)}
	switch d.Status {
	case TaskCompleted:
		a := s.illustrated(ctx, j)
		if raw, err := json.Marshal(a); err == nil {
			d.Result = raw
		}
	case TaskFailed:
		d.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: j.Error.Error()}
		if data, err := json.Marshal(j.Error); err == nil {
			d.Error.Data = data
		}
	}
	return d
}
