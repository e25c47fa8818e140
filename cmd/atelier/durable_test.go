package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// What a caller has been told is on the disk: a server that dies by kill -9 in
// the middle of many quick calls at once has, when it is started again, the
// record of every call that it had answered, and answers a read directly after
// the reply, too.
func TestKillUnderLoad(t *testing.T) {
	bin, data := binary(t), t.TempDir()
	answered := map[string]string{}
	for round := range 3 {
		p := launch(t, bin, data)
		for id, message := range answered {
			checkRecord(t, p.url, id, message)
		}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for c := range 16 {
			wg.Go(func() {
				for i := 0; ; i++ {
					message := fmt.Sprintf("%d/%d/%d", round, c, i)
					id, ok := echo(p.url, message)
					if !ok {
						return // killed
					}
					mu.Lock()
					answered[id] = message
					mu.Unlock()
					if i%50 == 0 && !alive(p.url, id) {
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(300+200*round) * time.Millisecond)
		if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait()
		wg.Wait()
	}
	if len(answered) < 100 {
		t.Fatalf("only %d calls were answered", len(answered))
	}
	p := launch(t, bin, data)
	for id, message := range answered {
		checkRecord(t, p.url, id, message)
	}
	listed, last := map[string]bool{}, ""
	for query := "?limit=500"; ; {
		page := p.call(t, "GET", "/v1/jobs"+query, "")
		jobs, ok := page["jobs"].([]any)
		if !ok {
			t.Fatalf("the list is %v", page)
		}
		for _, item := range jobs {
			job := item.(map[string]any)
			id, created := job["id"].(string), job["created_at"].(string)
			if listed[id] || last != "" && created > last {
				t.Fatalf("job %s of %s comes twice or out of order after %s", id, created, last)
			}
			listed[id], last = true, created
		}
		next, _ := page["next_cursor"].(string)
		if next == "" {
			break
		}
		query = "?limit=500&cursor=" + next
	}
	for id := range answered {
		if !listed[id] {
			t.Errorf("job %s is not in the list", id)
		}
	}
	t.Logf("%d answered calls, all kept", len(answered))
}

// echo makes one call; false when the server is gone.
func echo(url, message string) (jobID string, ok bool) {
	resp, err := http.Post(url+"/v1/tools/execute", "application/json", strings.NewReader(`{"tool":"echo_json","input":{"message":"`+message+`"}}`))
	if err != nil {
		return "", false
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return "", false // a reply that broke off promises nothing
	}
	var result struct {
		Metrics struct {
			JobID string `json:"job_id"`
		} `json:"metrics"`
	}
	if json.Unmarshal(raw, &result) != nil {
		return "", false
	}
	return result.Metrics.JobID, result.Metrics.JobID != ""
}

// alive reads a job directly after its reply; false when the server is gone.
func alive(url, id string) bool {
	resp, err := http.Get(url + "/v1/jobs/" + id)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return false
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(raw, []byte(`"succeeded"`)) {
		panic(fmt.Sprintf("job %s directly after its reply: %s %s", id, resp.Status, raw))
	}
	return true
}

func checkRecord(t *testing.T, url, id, message string) {
	t.Helper()
	resp, err := http.Get(url + "/v1/jobs/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || !bytes.Contains(raw, []byte(`"succeeded"`)) || !bytes.Contains(raw, []byte(`"`+message+`"`)) {
		t.Fatalf("the record of %s (%s) is %s %s", id, message, resp.Status, raw)
	}
}
