package modelserver

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseBackends(t *testing.T) {
	backends, err := ParseBackends([]string{`mlx-long="/opt/my mlx/bin/server" --model {model} --port {port} --note "a b"`, "vllm=vllm serve {model} --port {port} --dtype half", "own=serve {model} {port}"})
	if err != nil {
		t.Fatal(err)
	}
	if got := backends["mlx-long"]; !reflect.DeepEqual(got.Argv, []string{"/opt/my mlx/bin/server", "--model", "{model}", "--port", "{port}", "--note", "a b"}) || got.Request != "default_model" {
		t.Errorf("%+v", got)
	}
	// No shell reads the words: what would be a command there is a part of one argument.
	if got := backends["own"].argv("$(touch x); a b", "h", 8100); !reflect.DeepEqual(got, []string{"serve", "$(touch x); a b", "8100"}) {
		t.Errorf("%q", got)
	}
	if backends["own"].Request != "" || backends["llamacpp"].Argv[0] != "llama-server" || backends["vllm"].Argv[6] != "half" {
		t.Errorf("%+v", backends)
	}
	for _, wrong := range []string{"", "x", "x=", "=a {model} {port}", "X=a {model} {port}", "-x=a {model} {port}", "x=a {model}", "x=a {port}", `x=a {model} {port} "open`} {
		if _, err := ParseBackends([]string{wrong}); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

// Clients keep ids and databases keep records of earlier versions.
func TestOldNamesStillAnswer(t *testing.T) {
	for id, want := range map[string]int{"local:8100": 8100, "lane:8139": 8139, "local:8140": 0, "lane:810": 0, "8100": 0, "other:8100": 0} {
		port, ok := ParseID(id)
		if ok != (want > 0) || ok && port != want {
			t.Errorf("%s is port %d, %v", id, port, ok)
		}
	}
	if got := PresentID("lane:8101") + PresentID("local:8101") + PresentID("other"); got != "local:8101local:8101other" {
		t.Error(got)
	}
	for _, raw := range []string{`{"port":8100,"lane":"vllm"}`, `{"port":8100,"backend":"vllm"}`} {
		var r Record
		if err := decodeRecord([]byte(raw), &r); err != nil || r.Backend != "vllm" {
			t.Errorf("%s is %+v, %v", raw, r, err)
		}
	}
}

func TestSecretsAreNotTold(t *testing.T) {
	for text, want := range map[string]string{
		"HF_TOKEN=hf_abcdefghijkl done":       "HF_TOKEN=[redacted] done",
		"key sk-abc123DEF456 used":            "key sk-[redacted] used",
		`{"api_key": "s3cret-value", "a": 1}`: `{"api_key": "[redacted]", "a": 1}`,
		"Authorization: Bearer abc.def-ghi":   "Authorization: Bearer [redacted]",
		"GET https://me:pass@hub.example/x":   "GET https://me:[redacted]@hub.example/x",
		"Prompt processing progress: 18/19":   "Prompt processing progress: 18/19",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for name, value := range map[string]string{
		"HF_TOKEN": "hf_secret", "ATELIER_TOKEN": "secret", "AWS_SECRET_ACCESS_KEY": "secret", "PGPASSWORD": "secret", "VLLM_API_KEY": "secret",
		"HTTPS_PROXY": "http://me:secret@proxy", "CUDA_VISIBLE_DEVICES": "0",
	} {
		t.Setenv(name, value)
	}
	shut := environment("/hf", "/hf/hub", "t", false)
	for _, entry := range shut {
		if strings.Contains(entry, "secret") {
			t.Errorf("%s is passed on", entry)
		}
	}
	for _, entry := range []string{"HF_HUB_OFFLINE=1", "HF_HOME=/hf", "CUDA_VISIBLE_DEVICES=0", tokenVariable + "=t"} {
		if !slices.Contains(shut, entry) {
			t.Errorf("%s is missing", entry)
		}
	}
	open := environment("/hf", "/hf/hub", "t", true)
	if slices.Contains(open, "HF_HUB_OFFLINE=1") || !slices.Contains(open, "HF_TOKEN=hf_secret") || slices.Contains(open, "ATELIER_TOKEN=secret") {
		t.Errorf("%v", open)
	}
}

// A log is cut under its writer, who goes on at the new end.
func TestLogsAreRotatedUnderTheirWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "8100.log")
	f, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(text string) {
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return -1
		}
		return info.Size()
	}
	write(strings.Repeat("0123456789\n", 100)) // 1100 bytes
	if err := rotate(path, 1100); err != nil || size(path) != 1100 || size(path+".1") != -1 {
		t.Fatalf("%v %d %d", err, size(path), size(path+".1"))
	}
	write("more\n")
	if err := rotate(path, 1100); err != nil || size(path) != 0 || size(path+".1") != 1100 {
		t.Fatalf("%v %d %d", err, size(path), size(path+".1"))
	}
	write("after\n")
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "after\n" {
		t.Fatalf("%q %v", raw, err)
	}
	for range 100 {
		write("line\n")
	}
	if got := tail(path, 0); strings.Count(got, "line") != tailLines || strings.Contains(got, "after") {
		t.Errorf("%q", got)
	}
	if got := tail(path, 6+99*5); got != "line" {
		t.Errorf("%q", got)
	}
}

func TestModelsOfTheCache(t *testing.T) {
	root := t.TempDir()
	snapshot := filepath.Join(root, "hub", "models--mlx-community--tiny", "snapshots", "0123")
	if err := os.MkdirAll(snapshot, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(snapshot, "config.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := models{folders: []string{t.TempDir()}, cache: filepath.Join(root, "hub")}
	if got, err := m.locate("mlx-community/tiny"); err != nil || got != "mlx-community/tiny" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := m.locate("mlx-community/large"); err == nil {
		t.Error("a model that is not in the cache is found")
	}
	m.downloads = true
	if got, err := m.locate("mlx-community/large"); err != nil || got != "mlx-community/large" {
		t.Errorf("%q %v", got, err)
	}
	for _, wrong := range []string{"", " ", "-x", "a\nb", "../../x", "a/b/c", "/nowhere"} {
		if got, err := m.locate(wrong); err == nil {
			t.Errorf("%q is %q", wrong, got)
		}
	}
}
