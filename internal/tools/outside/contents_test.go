package outside

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// pictures are what the standard library's encoders make of one pixel.
func pictures(t *testing.T) (asPNG, asJPEG string) {
	t.Helper()
	var p, j bytes.Buffer
	one := image.NewGray(image.Rect(0, 0, 1, 1))
	if err := png.Encode(&p, one); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&j, one, nil); err != nil {
		t.Fatal(err)
	}
	return p.String(), j.String()
}

// The beginnings of files are those of their formats: PNG (W3C, 5.2), JPEG (T.81,
// B.1.1.3), PDF (ISO 32000, 7.5.2), SVG and JSON (RFC 8259) by what they must hold.
func TestArtifactsAreWhatTheirMediaTypeSays(t *testing.T) {
	aPNG, aJPEG := pictures(t)
	for _, row := range []struct {
		kind, content, want string
	}{
		{"image/png", aPNG, ""}, {"image/png", "hi", "does not begin"}, {"image/png", "", "does not begin"}, {"image/png", aJPEG, "does not begin"},
		{"image/jpeg", aJPEG, ""}, {"image/jpeg", aPNG, "does not begin"},
		{"application/pdf", "%PDF-1.7\n", ""}, {"application/pdf", "<html>", "does not begin"},
		{"image/svg+xml", "<?xml version=\"1.0\"?>\n<!-- a -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>", ""}, {"image/svg+xml", "<html/>", "no <svg>"},
		{"application/json", `{"a":[1,2]}`, ""}, {"application/json; charset=utf-8", `{"a":NaN}`, "is not JSON: invalid character 'N'"}, {"application/json", "", "is not JSON"},
		{"model/gltf+json", `{"a":`, "ends too early"},
		{"application/json", "[" + strings.Repeat(" ", longestJSON) + "]", ""}, {"application/json", "x" + strings.Repeat(" ", longestJSON), "does not begin as JSON"},
		{"text/csv", "a,b\n1,2\n", ""}, {"text/csv", "", ""}, {"text/csv", "gr\xf6\xdfe\n", ""}, {"text/csv", "PK,1\n", ""}, {"text/csv", "GIF89a,b\n", ""},
		{"text/csv", aPNG, "image/png"}, {"text/plain", aJPEG, "image/jpeg"}, {"text/plain", "a\x00b", "zero bytes"}, {"text/plain; charset=utf-16", "a\x00b\x00", ""}, {"text/plain", "\xff\xfea\x00", ""},
		{"application/octet-stream", aPNG, ""}, {"application/x-own", "", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(row.content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := contents(dir, []contract.Artifact{{Name: "f", MIME: row.kind}})
		if (err == nil) != (row.want == "") || err != nil && (!strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "/artifacts/0/mime_type")) {
			t.Errorf("%s %.40q: %v, want %q", row.kind, row.content, err, row.want)
		}
	}
}

func TestOneFileIsPrimaryAndHoldsSomething(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"full.txt": "x", "also.txt": "x", "empty.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	file := func(name string, primary bool) contract.Artifact {
		return contract.Artifact{Name: name, MIME: "text/plain", Primary: primary}
	}
	for want, files := range map[string][]contract.Artifact{
		"": {file("full.txt", true), file("empty.txt", false), file("gone.txt", false), file("link.txt", false)},
		`two primary artifacts, "full.txt" and "also.txt" (/artifacts/1/primary)`: {file("full.txt", true), file("also.txt", true)},
		`"empty.txt" (/artifacts/1), which is empty`:                              {file("full.txt", false), file("empty.txt", true)},
	} {
		if err := contents(dir, files); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
