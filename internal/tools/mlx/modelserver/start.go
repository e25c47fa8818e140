package modelserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"atelier/internal/contract"
)

func (m *Manager) url(port int) string {
	return "http://" + net.JoinHostPort(m.opts.Address, strconv.Itoa(port)) + "/v1"
}

// local is where this machine reaches a server: one that listens on all
// addresses is reached by the loopback.
func (m *Manager) local(port int) string {
	host := m.opts.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// start starts the server's process and waits until it is ready. The record
// names the process before it is waited for. The caller ends what has begun when
// there is an error.
func (s *server) start(ctx context.Context, backend Backend) error {
	m, r := s.m, s.snapshot()
	program, err := backend.program(m.opts.Engines)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.cache, 0o755); err != nil { // without it mlx_lm.server answers /v1/models with an empty body
		return contract.Errorf(contract.CodeLaunchFailed, "the cache of models: %w", err)
	}
	token := rand.Text()
	if err := s.change(context.WithoutCancel(ctx), func(r *Record) { r.Token, r.Process = token, nil }); err != nil {
		return err
	}
	path := logPath(m.opts.Logs, s.port)
	if err := rotate(path, maxLog); err != nil && !os.IsNotExist(err) {
		return contract.Errorf(contract.CodeLaunchFailed, "the log of the server: %w", err)
	}
	log, err := openLog(path)
	if err != nil {
		return contract.Errorf(contract.CodeLaunchFailed, "the log of the server: %w", err)
	}
	defer log.Close()
	argv := backend.argv(r.Argument, m.opts.Host, s.port)
	argv[0] = program
	fmt.Fprintf(log, "=== %s atelier starts %q\n", time.Now().UTC().Format(time.RFC3339), argv)
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return contract.Errorf(contract.CodeLaunchFailed, "the log of the server: %w", err)
	}
	p, err := spawn(argv, environment(m.opts.Cache, m.cache, token, m.opts.Downloads), log)
	if err != nil {
		return contract.Errorf(contract.CodeLaunchFailed, "%s could not be started: %w", program, err).WithHint("%s", backend.Hint)
	}
	s.set(p)
	if err := s.change(context.WithoutCancel(ctx), func(r *Record) { r.Process = &p.id }); err != nil {
		return err
	}
	return s.await(ctx, p, func() string { return tail(path, from) })
}

// await asks the server for its health until it is well and has completed a
// token, so that the model itself is loaded and works.
func (s *server) await(ctx context.Context, p *process, log func() string) error {
	client := &http.Client{Timeout: 5 * time.Second}
	probing, cancel := context.WithCancel(ctx)
	defer cancel()
	var completed chan error
	tick := time.NewTicker(s.m.opts.Poll)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return s.launchFailed(log(), "the server ended (%s) before it was ready", p.status)
		case <-ctx.Done():
			return stopped(ctx, s.port, log())
		case err := <-completed:
			if err == nil && p.alive() {
				return nil
			}
			if ctx.Err() == nil && p.alive() {
				return s.launchFailed(log(), "the server is up, but the model does not work: %v", err)
			}
			completed = nil
		case <-tick.C:
			switch s.health(ctx, client) {
			case healthy:
				if completed == nil {
					completed = make(chan error, 1)
					go func() { completed <- s.complete(probing) }()
				}
			case broken:
				return s.launchFailed(log(), "the server says that it is unavailable: the model could not be loaded")
			}
		}
	}
}

func (s *server) launchFailed(log, format string, args ...any) error {
	if !s.runs() && !free(s.port) { // it has lost a race with a program that is not ours
		return busy(s.port, "another program has taken it while the server started").WithHint("Choose another port.")
	}
	fault := contract.Errorf(contract.CodeLaunchFailed, format, args...).
		WithHint("The end of its log is in details.log_tail; all of it is %s on %s.", logPath(s.m.opts.Logs, s.port), s.m.opts.Machine).With("log_tail", log)
	fault.Log = &contract.Log{Stderr: log, ExitCode: 1}
	return fault
}

type health int

const (
	silent  health = iota // no answer, or one that says to wait
	healthy               // 200
	broken                // mlx_lm.server lives on when its model cannot be loaded
)

func (s *server) health(ctx context.Context, client *http.Client) health {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.m.local(s.port)+"/health", nil)
	if err != nil {
		return silent
	}
	resp, err := client.Do(req)
	if err != nil {
		return silent
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // an empty body is an answer too
	if resp.StatusCode == http.StatusOK {
		return healthy
	}
	var said struct {
		Status string `json:"status"`
	}
	if resp.StatusCode == http.StatusServiceUnavailable && json.Unmarshal(raw, &said) == nil && said.Status == "unavailable" {
		return broken
	}
	return silent
}

// complete asks for one token. mlx_lm.server is healthy as soon as it listens,
// and answers this when its model is loaded. A server that has no completions
// says so with 4xx and is taken at its word.
func (s *server) complete(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"model": s.snapshot().Request, "prompt": "a", "max_tokens": 1})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.m.local(s.port)+"/v1/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // what came is told
	if resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("a completion of one token was answered with %d: %s", resp.StatusCode, redact(string(raw)))
	}
	return nil
}
