package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// server is a running Atelier with the stored capture.
type server struct {
	url  string
	cmd  *exec.Cmd
	data string
	copy string // of the data folder, for single calls beside the server
}

var address = regexp.MustCompile(`at (http://\S+)`)

// serve starts a server that holds a table as the capture bench, beside a copy of
// its data folder made while it was stopped.
func serve(ctx context.Context, program, dir, table string) (*server, error) {
	s := &server{data: filepath.Join(dir, "data"), copy: filepath.Join(dir, "copy")}
	if err := s.start(ctx, program, filepath.Dir(table)); err != nil {
		return nil, err
	}
	err := s.store(ctx, table)
	s.stop()
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "cp", "-r", s.data, s.copy).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return s, s.start(ctx, program, filepath.Dir(table))
}

func (s *server) start(ctx context.Context, program, root string) error {
	s.cmd = exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0", "--data", s.data, "--root", root, "--log-level", "error")
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
	}
	s.stop()
	return errors.New("the server said no address")
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

func (s *server) post(ctx context.Context, path, body string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode >= 300 {
		return fmt.Errorf("%s: %d %s", path, reply.StatusCode, raw)
	}
	return json.Unmarshal(raw, into)
}

// store makes the capture.
func (s *server) store(ctx context.Context, table string) error {
	var made struct {
		Rows int64 `json:"rows"`
	}
	start := time.Now()
	if err := s.post(ctx, "/v1/captures", fmt.Sprintf(`{"path":%q,"capture_id":"bench"}`, table), &made); err != nil {
		return err
	}
	fmt.Printf("%d rows are stored as a capture in %.2f s\n", made.Rows, time.Since(start).Seconds())
	return nil
}

// execute calls the tool in the server.
func (s *server) execute(ctx context.Context, input string) (sample, error) {
	var reply struct {
		Status  string          `json:"status"`
		Summary string          `json:"summary"`
		Output  json.RawMessage `json:"output"`
	}
	start := time.Now()
	if err := s.post(ctx, "/v1/tools/execute", fmt.Sprintf(`{"tool":"statistical_regression_tool","input":%s}`, input), &reply); err != nil {
		return sample{}, err
	}
	x := sample{wall: time.Since(start).Seconds()}
	if reply.Status != "ok" {
		return x, fmt.Errorf("%s: %s", reply.Status, reply.Summary)
	}
	var err error
	x.figures, err = ourFigures(reply.Output)
	return x, err
}

// small prints how long calls on a table of a thousand rows take, through HTTP.
func (s *server) small(ctx context.Context, dir string) error {
	table, err := filepath.Abs(filepath.Join(dir, "table-1000.csv"))
	if err == nil {
		err = ensureTable(table, 1000)
	}
	if err != nil {
		return err
	}
	var times []float64
	for range 50 {
		x, err := s.execute(ctx, ofPath(table))
		if err != nil {
			return err
		}
		times = append(times, x.wall*1000)
	}
	fmt.Printf("A call on 1000 rows of CSV through HTTP: %.1f ms, the median of %d\n\n", median(times), len(times))
	return nil
}
