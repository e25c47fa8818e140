package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
)

// ServeStdio serves one client by lines of JSON until it closes its end or ctx
// ends. out carries nothing but the protocol.
func (s *Server) ServeStdio(ctx context.Context, selection contract.Selection, in io.ReadCloser, out io.WriteCloser) error {
	lines := newLineFilter(in, out, int(s.maxBody()))
	lines.refusal = s.refusal
	transport := &sdk.IOTransport{Reader: lines.reader(), Writer: lines.writer(), MaxLineLength: -1} // the filter bounds them
	return s.serveTransport(ctx, selection, transport, lines.forget)
}

// ServeTransport serves one client over any transport of the SDK.
func (s *Server) ServeTransport(ctx context.Context, selection contract.Selection, transport sdk.Transport) error {
	return s.serveTransport(ctx, selection, transport, func(json.RawMessage) {})
}

func (s *Server) serveTransport(ctx context.Context, selection contract.Selection, transport sdk.Transport, forget func(id json.RawMessage)) error {
	v, err := s.view(selection, s.Canonical)
	if err != nil {
		return err
	}
	return v.sdk.Run(ctx, &taskTransport{transport, s, forget})
}

// taskTransport adds subscriptions to tasks to a transport; see subscription.
type taskTransport struct {
	sdk.Transport
	server *Server
	forget func(id json.RawMessage) // of a call that gets no response
}

// Connect implements the SDK's Transport.
func (t *taskTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &taskConnection{Connection: conn, server: t.server, forget: t.forget, ctx: ctx, cancel: cancel, ends: map[string]context.CancelFunc{}}, nil
}

type taskConnection struct {
	sdk.Connection
	server *Server
	forget func(id json.RawMessage)
	ctx    context.Context // of the subscriptions
	cancel context.CancelFunc
	begun  bool // initialize has come; Read's own

	mu       sync.Mutex
	ends     map[string]context.CancelFunc // of the subscriptions, by the id's JSON
	open     int                           // calls without a response
	answered chan struct{}                 // not nil once the client has left; closed with the last response
}

// settling is how long calls may go on when the client has closed its end:
// `printf … | atelier mcp` gets its answers.
const settling = 5 * time.Second

// Read takes subscriptions to tasks, and their cancellations, out of what the
// SDK gets to see.
func (c *taskConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if errors.Is(err, io.EOF) {
			c.awaitResponses(ctx)
		}
		req, ok := msg.(*jsonrpc.Request)
		if err != nil || !ok {
			return msg, err
		}
		m := messageOf(req)
		if fault := c.check(m); fault != nil {
			if err := c.Connection.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: fault}); err != nil {
				return nil, err
			}
			continue
		}
		if !c.serveTask(m) {
			c.count(req)
			return msg, nil
		}
	}
}

// check holds a call against the protocol; nil for one that the SDK may see.
func (c *taskConnection) check(m message) error {
	if len(m.ID) == 0 {
		return nil
	}
	if code, text := c.server.refusal(m); text != "" {
		return &jsonrpc.Error{Code: code, Message: text}
	}
	if text := outOfTurn(m, c.begun); text != "" {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}
	}
	c.begun = c.begun || m.Method == methodInitialize
	return nil
}

// refusal is why a call can never be served, whatever came before it; text is "" for
// one that can.
func (s *Server) refusal(m message) (code int64, text string) {
	if len(m.ID) == 0 {
		return 0, ""
	}
	if code, text = strange(m); text != "" && s.Extend == nil {
		return code, text
	}
	return jsonrpc.CodeInvalidParams, misfit(m.Method, m.given)
}

func messageOf(req *jsonrpc.Request) message {
	m := message{Method: req.Method, sent: true, given: req.Params}
	if req.ID.IsValid() {
		m.ID, _ = json.Marshal(req.ID.Raw()) // a string or a number
	}
	_ = json.Unmarshal(req.Params, &m.Params) // misfit tells of another kind
	return m
}

func (c *taskConnection) count(req *jsonrpc.Request) {
	if req.ID.IsValid() {
		c.mu.Lock()
		c.open++
		c.mu.Unlock()
	}
}

// Write implements the SDK's Connection.
func (c *taskConnection) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open--; c.open == 0 && c.answered != nil {
			close(c.answered)
			c.answered = nil
		}
	}
	return err
}

// awaitResponses waits for the responses of the calls that came before the end.
func (c *taskConnection) awaitResponses(ctx context.Context) {
	c.mu.Lock()
	if c.open <= 0 {
		c.mu.Unlock()
		return
	}
	answered := make(chan struct{})
	c.answered = answered
	c.mu.Unlock()
	select {
	case <-answered:
	case <-time.After(settling):
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
}

// Close implements the SDK's Connection.
func (c *taskConnection) Close() error {
	c.cancel()
	return c.Connection.Close()
}

func (c *taskConnection) serveTask(m message) bool {
	switch m.Method {
	case "notifications/cancelled":
		return c.end(string(m.Params["requestId"]))
	case methodListen:
	default:
		return false
	}
	sub, ok := taskSubscription(m)
	if ok {
		go c.listen(sub)
	}
	return ok
}

func (c *taskConnection) end(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, ok := c.ends[id]
	if ok {
		cancel()
		delete(c.ends, id)
	}
	return ok
}

func (c *taskConnection) listen(sub subscription) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	c.mu.Lock()
	c.ends[string(sub.id)] = cancel
	c.mu.Unlock()
	defer c.end(string(sub.id))
	send := func(value any) error {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		msg, err := jsonrpc.DecodeMessage(data)
		if err != nil {
			return err
		}
		return c.Connection.Write(ctx, msg) // it is no response to a counted call
	}
	if sub.serve(ctx, c.server, send) != nil {
		c.forget(sub.id) // the client has ended it, or is gone
		return
	}
	_ = send(sub.result())
}
