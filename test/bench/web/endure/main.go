// Command endure has a running server read a hundred hostile pages by web.fetch,
// and holds it to its limits: every call ends in time with the outcome that the
// page may have, and the server with all that it has started stays below the
// memory it is given.
//
//	endure -listen 127.0.0.1:PORT -server URL -pid PID
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"atelier/test/bench/web/hostile"
)

const (
	slowLimit = 1500 * time.Millisecond // that a call of a slow page is given
	longest   = 30 * time.Second        // for any other
)

func main() {
	listen := flag.String("listen", "", "address that the hostile pages are served on")
	server := flag.String("server", "", "URL of the server")
	pid := flag.Int("pid", 0, "process of the server")
	memory := flag.Int64("memory", 300_000_000, "most resident bytes of the server with its children")
	at := flag.Int("at-once", 2, "pages at once")
	flag.Parse()
	if err := run(*listen, *server, *pid, *memory, *at); err != nil {
		fmt.Fprintln(os.Stderr, "endure:", err)
		os.Exit(1)
	}
}

// outcome is what became of one page.
type outcome struct {
	page hostile.Page
	code string // ok or an error's
	text string
	took time.Duration
}

func run(listen, server string, pid int, memory int64, at int) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	pages := &http.Server{Handler: hostile.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = pages.Serve(l) }() // ends with the program
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var peak highest
	go peak.watch(ctx, pid)

	list := hostile.Pages()
	outcomes := make([]outcome, len(list))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range at {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(list); i = next.Add(1) - 1 {
				peak.begun.Store(list[i].Path)
				outcomes[i] = call(server, "http://"+listen, list[i])
			}
		})
	}
	workers.Wait()
	return judge(outcomes, &peak, memory)
}

func judge(outcomes []outcome, peak *highest, memory int64) error {
	failures, counted := 0, map[string]int{}
	var slowest outcome
	for _, o := range outcomes {
		limit := longest
		if o.page.Slow {
			limit = slowLimit + 2*time.Second
		}
		if counted[o.code]++; !o.page.Allows(o.code) || o.took > limit {
			failures++
			fmt.Printf("%-28s %s after %v, want %s: %.300s\n", o.page.Path, o.code, o.took.Round(time.Millisecond), o.page.Want, o.text)
		}
		if o.took > slowest.took {
			slowest = o
		}
	}
	fmt.Printf("endure: %d hostile pages, %d with a wrong end; %v; longest %v (%s); peak %.0f MB of the server and its readers, %.0f MB of the server (about %s)\n",
		len(outcomes), failures, counted, slowest.took.Round(time.Millisecond), slowest.page.Path,
		float64(peak.total.Load())/1e6, float64(peak.own.Load())/1e6, peak.page.Load())
	fmt.Printf("%d passed, %d failed, 0 skipped\n", len(outcomes)-failures, failures)
	switch {
	case failures > 0:
		return fmt.Errorf("%d pages", failures)
	case peak.total.Load() > memory:
		return fmt.Errorf("%d bytes resident, more than %d", peak.total.Load(), memory)
	case peak.total.Load() == 0:
		return fmt.Errorf("the memory of the server could not be measured")
	}
	return nil
}

// call reads a page by the direct route.
func call(server, site string, p hostile.Page) outcome {
	query := ""
	if p.Slow {
		query = fmt.Sprintf("?timeout_ms=%d", slowLimit.Milliseconds())
	}
	body, err := json.Marshal(map[string]string{"url": site + p.Path})
	if err != nil {
		return outcome{page: p, code: "request", text: err.Error()}
	}
	client := &http.Client{Timeout: 2 * longest}
	begun := time.Now()
	answer, err := client.Post(server+"/v1/tools/web.fetch"+query, "application/json", bytes.NewReader(body))
	o := outcome{page: p, took: time.Since(begun)}
	if err != nil {
		o.code, o.text = "no answer", err.Error()
		return o
	}
	defer answer.Body.Close()
	var read struct {
		CleanText string `json:"clean_text"`
		Error     struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&read); err != nil {
		o.code, o.text = "no JSON", err.Error()
		return o
	}
	if o.code, o.text = read.Error.Code, read.Error.Message; answer.StatusCode == http.StatusOK && read.CleanText != "" {
		o.code = "ok"
	}
	return o
}

// highest is the most that was resident at once, of the server with the
// processes that it reads pages in, what they share counted once; of the server
// alone then; and the page that was begun last.
type highest struct {
	total, own  atomic.Int64
	begun, page atomic.Value
}

func (h *highest) watch(ctx context.Context, pid int) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		own := resident(pid)
		total := own
		for _, child := range readers(pid) {
			total += resident(child)
		}
		if total > h.total.Load() {
			h.total.Store(total)
			h.own.Store(own)
			if path, ok := h.begun.Load().(string); ok {
				h.page.Store(path)
			}
		}
	}
}

// resident is what a process has in memory, by /proc: its proportional set size.
func resident(pid int) int64 {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0 // it has ended
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "Pss:" {
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return n << 10
			}
		}
	}
	return 0
}

// readers are the children of a server that read pages.
func readers(pid int) []int {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var found []int
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(content)) {
			line, err := os.ReadFile("/proc/" + field + "/cmdline")
			if n, wrong := strconv.Atoi(field); err == nil && wrong == nil && bytes.HasSuffix(line, []byte("\x00__page\x00")) {
				found = append(found, n)
			}
		}
	}
	return found
}
