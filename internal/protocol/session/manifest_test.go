package session_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/session"
	"atelier/internal/testenv"
)

func TestManifestOverHTTP(t *testing.T) {
	s := start(t, nil)
	id := s.empty()
	path := "/v1/sessions/" + id
	first := s.get(path)
	if first.header.Get("ETag") != `"1"` || first.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v", first.header)
	}
	if r := s.get(path, "If-None-Match", `"1"`); r.status != http.StatusNotModified {
		t.Fatalf("unchanged: %d", r.status)
	}
	if r := s.get(path + "/assets/manifest.json"); !bytes.Equal(r.raw, first.raw) || r.header.Get("ETag") != `"1"` || r.header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("manifest.json: %s", r.raw)
	}
	change := `{"stage":"planning","facts":{"load":{"value":500,"unit":"N"}}}`
	s.put(path+"/manifest", change).want(t, 428, "precondition_required")
	for _, stale := range []string{`"9"`, `W/"1"`, `"0", "2"`, `""`} {
		s.put(path+"/manifest", change, "If-Match", stale).want(t, 412, "precondition_failed")
	}
	for _, wrong := range []string{`1`, `x`, `"1`, ``} {
		s.put(path+"/manifest", change, "If-Match", wrong).want(t, 400, "invalid_request")
	}
	done := s.put(path+"/manifest", change, "If-Match", `"7", "1"`)
	m := done.state(t)
	if done.header.Get("ETag") != `"2"` || m.Version != 2 || m.Stage != "planning" || string(m.Facts["load"]) != `{"value":500,"unit":"N"}` {
		t.Fatalf("%s", done.raw)
	}
	s.put(path+"/manifest", change, "If-Match", `"1"`).want(t, 412, "precondition_failed")
	if m = s.put(path+"/manifest", `{"metadata":{"a":1}}`, "If-Match", "*").state(t); m.Version != 3 || m.Stage != "planning" {
		t.Fatalf("%+v", m)
	}
	s.put(path+"/manifest", `{"assets":["input/forged"],"colour":1}`, "If-Match", "*").want(t, 400, "invalid_request")
	s.put(path+"/manifest", `{"stage":`, "If-Match", `"99"`).want(t, 400, "invalid_request") // before the version is looked at
	s.put(path+"/manifest", ``, "If-Match", "*").want(t, 400, "invalid_request")
	s.put(path+"/manifest", `null`, "If-Match", "*").want(t, 400, "invalid_request")
	s.put("/v1/sessions/session_none/manifest", `{}`, "If-Match", "*").want(t, 404, "not_found")
	s.do("PUT", path+"/manifest", "text/plain", strings.NewReader("{}"), "If-Match", "*").want(t, 415, "unsupported_media_type")
	// A client that reads, changes one field and sends the whole back.
	var whole map[string]any
	if err := json.Unmarshal(s.get(path).raw, &whole); err != nil {
		t.Fatal(err)
	}
	whole["planned_tool"] = "mesh_repair_pmp"
	back, _ := json.Marshal(whole)
	if m = s.put(path+"/manifest", string(back), "If-Match", `"3"`).state(t); m.PlannedTool != "mesh_repair_pmp" {
		t.Fatalf("%+v", m)
	}
}

func TestListOfSessions(t *testing.T) {
	s := start(t, nil)
	made := map[string]bool{}
	for range 5 {
		made[s.empty()] = true
	}
	cursor, pages := "", 0
	for {
		var page struct {
			Sessions []session.Listed
			Next     string `json:"next_cursor"`
		}
		if err := json.Unmarshal(s.get("/v1/sessions?limit=2"+cursor).raw, &page); err != nil {
			t.Fatal(err)
		}
		for _, l := range page.Sessions {
			if !made[l.SessionID] {
				t.Fatalf("%s twice, or not made", l.SessionID)
			}
			delete(made, l.SessionID)
		}
		if pages++; page.Next == "" {
			break
		}
		cursor = "&cursor=" + page.Next
		s.empty() // a newer one must not move the pages
	}
	if len(made) != 0 || pages != 3 {
		t.Fatalf("%d pages, not listed: %v", pages, made)
	}
	for _, query := range []string{"limit=0", "limit=x", "limit=501", "cursor=", "cursor=!!", "colour=1"} {
		s.get("/v1/sessions?"+query).want(t, 400, "invalid_request")
	}
	id := s.empty()
	if r := s.do("DELETE", "/v1/sessions/"+id, "", nil); r.status != http.StatusOK {
		t.Fatalf("%s", r.raw)
	}
	s.get("/v1/sessions/"+id).want(t, 404, "not_found")
	s.do("DELETE", "/v1/sessions/"+id, "", nil).want(t, 404, "not_found")
}

// cubeSTL is a binary STL of a cube of side a with one of its twelve triangles
// missing: a hole for the repair.
func cubeSTL(a float32) []byte {
	corner := func(i int) [3]float32 {
		return [3]float32{a * float32(i&1), a * float32(i>>1&1), a * float32(i>>2&1)}
	}
	quads := [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}
	var b bytes.Buffer
	b.Write(make([]byte, 80))
	_ = binary.Write(&b, binary.LittleEndian, uint32(11)) // a buffer takes everything
	for i, q := range quads {
		for j, tri := range [][3]int{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}} {
			if i == 0 && j == 0 {
				continue
			}
			_ = binary.Write(&b, binary.LittleEndian, [3]float32{})
			for _, v := range tri {
				_ = binary.Write(&b, binary.LittleEndian, corner(v))
			}
			_ = binary.Write(&b, binary.LittleEndian, uint16(0))
		}
	}
	return b.Bytes()
}

// pipeline repairs and meshes a cube with a hole, naming every file by its place
// in the session, and one by its artifact URL.
func (s *server) pipeline(t *testing.T) *session.Manifest {
	t.Helper()
	m := s.upload("/v1/sessions", part{field: "file", file: "my part's \"cube\".stl", content: cubeSTL(2)}).state(t)
	execute := func(tool, input string) map[string]any {
		t.Helper()
		r := s.post("/v1/tools/execute", fmt.Sprintf(`{"tool":%q,"input":%s,"context":{"session_id":%q}}`, tool, input, m.SessionID))
		var result struct {
			Status string
			Stderr string
			Output map[string]any
		}
		if err := json.Unmarshal(r.raw, &result); err != nil || result.Status != "ok" {
			t.Fatalf("%s: %d %s %v", tool, r.status, r.raw, err)
		}
		return result.Output
	}
	path, _ := json.Marshal("session:" + m.Assets[0])
	execute("mesh_repair_pmp", `{"input_path":`+string(path)+`}`)
	now := s.get("/v1/sessions/" + m.SessionID).state(t)
	if now.Stage != "mesh_repair" || !slices.Contains(now.Assets, "geometry/repaired_mesh.stl") {
		t.Fatalf("%s %v", now.Stage, now.Assets)
	}
	volume := execute("volume_mesh_quartet", `{"input_path":"session:geometry/repaired_mesh.stl","dx":0.4}`)
	if got, ok := volume["volume"].(float64); ok && math.Abs(got-8) > 0.1 { // the cube's own: 2³
		t.Fatalf("the volume mesh holds %g", got)
	}
	now = s.get("/v1/sessions/" + m.SessionID).state(t)
	var url string
	for _, a := range now.AssetDetails {
		if a.Path == "geometry/repaired_mesh.stl" {
			url = "/v1/jobs/" + a.JobID + "/artifacts/repaired_mesh.stl"
		}
	}
	execute("describe_file", fmt.Sprintf(`{"path":%q}`, url))
	s.post("/v1/tools/execute", fmt.Sprintf(`{"tool":"echo_json","input":{},"context":{"session_id":%q}}`, m.SessionID)) // refused
	return s.get("/v1/sessions/" + m.SessionID).state(t)
}

// The export is whole, and its script makes the session anew: the same steps
// with the same files, byte for byte, and curl lines that name real routes.
func TestExportRunsAgain(t *testing.T) {
	s := start(t, nil)
	m := s.pipeline(t)
	if m.Stage != "volume_mesh" || len(m.Steps) != 4 || m.Steps[3].Status != session.StepFailed {
		t.Fatalf("%s %+v", m.Stage, m.Steps)
	}
	exported := s.get("/v1/sessions/" + m.SessionID + "/export")
	again := s.get("/v1/sessions/" + m.SessionID + "/export")
	if exported.status != http.StatusOK || exported.header.Get("Content-Type") != "application/zip" || !bytes.Equal(exported.raw, again.raw) {
		t.Fatalf("%d %v, %d and %d bytes", exported.status, exported.header, len(exported.raw), len(again.raw))
	}
	folder := unzip(t, exported.raw)
	for _, a := range m.AssetDetails {
		file, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(a.Path)))
		if err != nil || !bytes.Equal(file, s.get(a.URL).raw) {
			t.Fatalf("%s: %v", a.Path, err)
		}
	}
	for _, name := range []string{"manifest.json", "README.md", "steps/001_mesh_repair_pmp.json", "jobs/001_mesh_repair_pmp.json", "jobs/002_volume_mesh_quartet.json"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("curl"); err != nil {
		testenv.Skip(t, testenv.Program, "curl is not installed; the script of an export uses it")
	}
	cmd := exec.Command("sh", filepath.Join(folder, "rerun.sh"))
	cmd.Env = append(os.Environ(), "ATELIER="+s.url, "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	made := s.get("/v1/sessions/" + strings.TrimSpace(string(out))).state(t)
	if made.SessionID == m.SessionID || made.Stage != m.Stage || len(made.Steps) != 3 || !slices.Equal(made.Assets, m.Assets) {
		t.Fatalf("%s: %s %d steps %v", out, made.Stage, len(made.Steps), made.Assets)
	}
	for i, a := range made.AssetDetails {
		if a.SHA256 != m.AssetDetails[i].SHA256 {
			t.Errorf("%s differs", a.Path)
		}
	}
}

func unzip(t *testing.T, raw []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, f := range z.File {
		if !filepath.IsLocal(f.Name) {
			t.Fatalf("the archive holds %q", f.Name)
		}
		to := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
