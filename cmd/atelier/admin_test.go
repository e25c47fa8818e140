package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// The admin routes of the whole program: counts that agree with what was done,
// and a clearing that takes the finished and leaves the pinned.
func TestAdmin(t *testing.T) {
	s := start(t, nil)
	var ids []string
	for i := range 3 {
		r := s.post("/v1/jobs", fmt.Sprintf(`{"tool_name":"write_text_artifact","input":{"text":"note %d"},"mode":"sync"}`, i))
		if r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		ids = append(ids, r.body["job_id"].(string))
	}
	if err := s.app.jobs.Pin(context.Background(), ids[0], true); err != nil {
		t.Fatal(err)
	}
	status := s.get("/v1/admin/status")
	jobs, _ := status.body["jobs"].(map[string]any)
	storage, _ := status.body["storage"].(map[string]any)
	doctor, _ := status.body["doctor"].(map[string]any)
	if status.status != 200 || jobs["succeeded"] != 3.0 || storage["bytes"] != 18.0 || doctor["engines"] == nil {
		t.Errorf("%d %s", status.status, status.raw)
	}
	if r := s.get("/v1/admin/logs?limit=0"); r.status != 200 || r.body["count"].(float64) > 1 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if r := s.get("/v1/admin/logs?limit=99999999999999999999"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if r := s.get("/v1/admin/logs?limit=few"); r.status != 400 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/admin/clear-jobs", `{"all":true}`); r.status != 400 {
		t.Errorf("an argument that is not there: %d %s", r.status, r.raw)
	}
	if r := s.post("/v1/admin/clear-jobs", `{}`); r.status != 200 || r.body["deleted_jobs"] != 2.0 || !strings.Contains(r.body["message"].(string), "2 finished jobs") {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if r := s.get("/v1/jobs/" + ids[0]); r.status != 200 {
		t.Errorf("the pinned job: %d", r.status)
	}
	if r := s.get("/v1/jobs/" + ids[1]); r.status != 404 {
		t.Errorf("a finished job: %d", r.status)
	}
}
