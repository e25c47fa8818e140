package main

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"
)

// /v1/files speaks OpenAI's form beside our own fields: create, list, retrieve,
// content and delete, as the official SDKs read them.
func TestFilesInOpenAIsForm(t *testing.T) {
	s := start(t, nil)
	var ids []string
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		made := s.do("POST", "/v1/files?name="+name, "application/octet-stream", strings.NewReader("x\n1\n"))
		id, _ := made.at("id").(string)
		created, _ := made.at("created_at").(float64)
		if id == "" || made.at("file_id") != id || made.at("object") != "file" || made.at("filename") != name || made.at("bytes") != 4.0 ||
			made.at("purpose") != "user_data" || made.at("status") != "processed" || created < 1.7e9 || made.at("reference") != "file:"+id {
			t.Fatalf("%s", made.raw)
		}
		if found := s.get("/v1/files/" + id); found.at("id") != id || found.at("object") != "file" {
			t.Errorf("%s", found.raw)
		}
		ids = append(ids, id)
	}
	var listed []string
	after := ""
	for more := true; more; {
		page := s.get("/v1/files?limit=2" + after)
		if page.status != 200 || page.at("object") != "list" {
			t.Fatalf("%d %s", page.status, page.raw)
		}
		for _, f := range page.at("data").([]any) {
			listed = append(listed, f.(map[string]any)["id"].(string))
		}
		more, _ = page.at("has_more").(bool)
		after = "&after=" + page.at("last_id").(string)
	}
	slices.Sort(listed)
	slices.Sort(ids)
	if !slices.Equal(listed, ids) {
		t.Errorf("listed %v, made %v", listed, ids)
	}
	if content := s.get("/v1/files/" + ids[0] + "/content"); string(content.raw) != "x\n1\n" {
		t.Errorf("%s", content.raw)
	}
	gone := s.do("DELETE", "/v1/files/"+ids[0], "", nil)
	if gone.at("id") != ids[0] || gone.at("object") != "file" || gone.at("deleted") != true || s.get("/v1/files/"+ids[0]).status != 404 {
		t.Errorf("%s", gone.raw)
	}
	for _, wrong := range []string{"?order=asc", "?limit=0", "?after=file_nobody", "?colour=1"} {
		if r := s.get("/v1/files" + wrong); r.status != 400 && r.status != 404 {
			t.Errorf("%s: %d", wrong, r.status)
		}
	}
}

// A selection that a tool cannot use is ignored with a warning, not in silence.
func TestAnIgnoredCaptureIsTold(t *testing.T) {
	s := start(t, nil)
	invoke := func(capture string) reply {
		return s.post("/v1/invocations", `{"tool_name":"echo_json","tool_version":"1.0.0","capture_selection":`+capture+
			`,"arguments":{"message":"a"},"request_id":"`+rand.Text()+`","timeout_ms":5000}`)
	}
	if r := invoke(`{"capture_id":"","selectors":{}}`); r.at("warnings", 0) != nil || r.at("status") != "ok" {
		t.Errorf("%s", r.raw)
	}
	for _, unused := range []string{`{"capture_id":"","selectors":{"filters":["a > 1"]}}`, `{"capture_id":"nobody","selectors":{"filters":["a > 1"]}}`, `{"capture_id":"nobody"}`} {
		if r := invoke(unused); r.at("warnings", 0, "code") != "CAPTURE_IGNORED" || r.at("status") != "ok" {
			t.Errorf("%s: %s", unused, r.raw)
		}
	}
}
