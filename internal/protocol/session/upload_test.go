package session_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Binary files of several megabytes, several in one form, come back as they went
// in, with their types, in ranges, and never as a page of this server.
func TestFilesComeBackAsTheyWentIn(t *testing.T) {
	s := start(t, nil)
	step, stl, glb := noise(3<<20), noise(2<<20+1), noise(5<<20-3)
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	m := s.upload("/v1/sessions",
		part{field: "file", file: "part.step", content: step}, part{field: "anything", file: "part.stl", content: stl},
		part{field: "metadata", content: []byte(`{"title":"bracket"}`)},
		part{field: "", header: `form-data; filename="scene.glb"`, content: glb}, part{field: "p", file: "x.svg", content: svg},
		part{field: "e", file: "none.txt"}).state(t)
	if want := []string{"input/part.step", "input/part.stl", "input/scene.glb", "input/x.svg", "input/none.txt"}; !slices.Equal(m.Assets, want) ||
		string(m.Metadata["title"]) != `"bracket"` {
		t.Fatalf("%v %s", m.Assets, m.Metadata)
	}
	for i, want := range []struct {
		content []byte
		kind    string
	}{{step, "model/step"}, {stl, "model/stl"}, {glb, "model/gltf-binary"}, {svg, "image/svg+xml"}, {nil, "text/plain; charset=utf-8"}} {
		r := s.get(m.AssetDetails[i].URL)
		h := r.header
		if r.status != http.StatusOK || !bytes.Equal(r.raw, want.content) || h.Get("Content-Type") != want.kind ||
			h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("ETag") != `"`+m.AssetDetails[i].SHA256+`"` {
			t.Fatalf("%s: %d, %d bytes of %d, %v", m.Assets[i], r.status, len(r.raw), len(want.content), h)
		}
		if page := strings.HasPrefix(want.kind, "image/svg"); strings.HasPrefix(h.Get("Content-Disposition"), "attachment") != page {
			t.Fatalf("%s: disposition %q", m.Assets[i], h.Get("Content-Disposition"))
		}
	}
	url := m.AssetDetails[0].URL
	for asked, want := range map[string][]byte{"bytes=0-9": step[:10], "bytes=1048576-1048579": step[1<<20 : 1<<20+4], "bytes=-7": step[len(step)-7:]} {
		if r := s.get(url, "Range", asked); r.status != http.StatusPartialContent || !bytes.Equal(r.raw, want) {
			t.Errorf("%s: %d, %d bytes", asked, r.status, len(r.raw))
		}
	}
	if r := s.get(url, "Range", "bytes=99999999-"); r.status != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("beyond the end: %d", r.status)
	}
	if r := s.get(url, "If-None-Match", `"`+m.AssetDetails[0].SHA256+`"`); r.status != http.StatusNotModified || len(r.raw) != 0 {
		t.Errorf("unchanged: %d", r.status)
	}
	if r := s.do("HEAD", url, "", nil); r.status != http.StatusOK || r.header.Get("Content-Length") != "3145728" || len(r.raw) != 0 {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
	more := s.upload("/v1/sessions/"+m.SessionID+"/files", part{field: "file", file: "part.step", content: glb}).state(t)
	if more.Assets[5] != "input/part-2.step" || more.Version <= m.Version {
		t.Fatalf("%v", more.Assets)
	}
	if r := s.get(m.AssetDetails[0].URL); !bytes.Equal(r.raw, step) {
		t.Fatal("a second file of the same name replaced the first")
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	s := start(t, nil)
	id := s.empty()
	file := part{field: "file", file: "a.txt", content: []byte("a")}
	for _, path := range []string{"/v1/sessions", "/v1/sessions/" + id + "/files"} {
		s.upload(path).want(t, 400, "invalid_request")
		s.upload(path, part{field: "file", content: []byte("no name")}).want(t, 400, "invalid_request")
		s.upload(path, file, part{field: "metadata", content: []byte(`[1]`)}).want(t, 400, "invalid_request")
		s.do("POST", path, "text/plain", strings.NewReader("x")).want(t, 415, "unsupported_media_type")
		s.do("POST", path, "", strings.NewReader("x")).want(t, 415, "unsupported_media_type")
		s.do("POST", path, "multipart/form-data", strings.NewReader("x")).want(t, 400, "invalid_request") // no boundary
		contentType, body := form(t, file, part{field: "b", file: "b.bin", content: noise(1 << 20)})
		s.do("POST", path, contentType, bytes.NewReader(body[:len(body)/2])).want(t, 400, "invalid_request") // broken off inside a file
		s.upload(path, part{field: "b", file: "b.bin", content: noise(uploadLimit)}).want(t, 413, "payload_too_large")
		// Without a length the limit is met on the way.
		contentType, body = form(t, part{field: "b", file: "b.bin", content: noise(uploadLimit)})
		s.do("POST", path, contentType, struct{ *bytes.Reader }{bytes.NewReader(body)}).want(t, 413, "payload_too_large")
	}
	s.upload("/v1/sessions/session_none/files", file).want(t, 404, "not_found")
	s.post("/v1/sessions", `[]`).want(t, 400, "invalid_request")
	s.post("/v1/sessions", `{"colour":1}`).want(t, 400, "invalid_request")
	s.post("/v1/sessions", `{"metadata":"x"}`).want(t, 400, "invalid_request")
	// None of it left anything: all files of a form are taken, or none.
	if m := s.get("/v1/sessions/" + id).state(t); len(m.Assets) != 0 || m.Version != 1 {
		t.Fatalf("%+v", m)
	}
	if list := s.get("/v1/sessions"); strings.Count(string(list.raw), `"session_id"`) != 1 {
		t.Fatalf("%s", list.raw)
	}
}

func TestPathsThatLeadNowhere(t *testing.T) {
	s := start(t, nil)
	m := s.upload("/v1/sessions", part{field: "f", header: `form-data; name="f"; filename="../../../etc/passwd"`, content: []byte("x")}).state(t)
	if m.Assets[0] != "input/passwd" {
		t.Fatal(m.Assets)
	}
	base := "/v1/sessions/" + m.SessionID + "/assets/"
	for _, path := range []string{"..%2f..%2fetc%2fpasswd", "input%2f..%2f..%2fetc/passwd", "input/none", "input", "input/", "%00", "input/passwd%00", "%2e%2e/%2e%2e/etc/passwd",
		"/etc/passwd", `input\passwd`, strings.Repeat("a", 5000)} {
		r := s.get(base + path)
		if r.status != http.StatusNotFound || bytes.Contains(r.raw, []byte("root:")) {
			t.Errorf("%.60s: %d %.200s", path, r.status, r.raw)
		}
	}
	for _, id := range []string{"session_none", "..", "x", "session_" + strings.Repeat("a", 500), "session_%00", "session_'; DROP TABLE sessions; --"} {
		for _, path := range []string{"", "/assets/manifest.json", "/export", "/events"} {
			url := "/v1/sessions/" + strings.ReplaceAll(id, " ", "%20") + path
			if r := s.get(url); r.status != http.StatusNotFound {
				t.Errorf("%s: %d", url, r.status)
			}
		}
	}
	if r := s.get(base + "input/passwd"); string(r.raw) != "x" {
		t.Fatalf("%q", r.raw)
	}
}
