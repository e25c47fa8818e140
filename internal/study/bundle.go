package study

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Bundle is a run with all that it was made from, so that another machine can repeat it.
type Bundle struct {
	Format   string            `json:"bundle"` // "1.0"
	Run      string            `json:"run"`
	Build    string            `json:"build"` // of the program
	Tools    map[string]string `json:"tools"` // versions
	Document json.RawMessage   `json:"document"`
	Files    map[string]string `json:"files"` // sha256:… by their names in the bundle
	Figures  []Figure          `json:"figures"`

	contents map[string][]byte
}

// Figure of a run.
type Figure struct {
	Analysis string         `json:"analysis"`
	Pointer  string         `json:"figure"`
	Name     string         `json:"name"`
	Value    *float64       `json:"value"`
	Unit     string         `json:"unit"`
	Error    *float64       `json:"error"`
	Trust    evidence.Trust `json:"trust"`
}

const (
	bundleFormat = "1.0"
	bundleIndex  = "bundle.json"
	bundleFiles  = "files/"
	mostBundled  = 4 << 30 // bytes of the contents of a bundle that is read
)

// figures of a run that checks were made for.
func (r *Run) figures() []Figure {
	out := []Figure{}
	for _, name := range keys(r.results) {
		if result := r.results[name]; result != nil && result.Evidence != nil {
			for _, q := range result.Evidence.Quantities() {
				out = append(out, figureOf(name, q))
			}
		}
	}
	return out
}

func figureOf(analysis string, q evidence.Quantity) Figure {
	return Figure{analysis, q.Pointer, q.Name, q.Value, q.Unit, q.Error, q.Trust()}
}

// Bundle gathers a run. A file that has other contents than it had when the study was run is
// refused.
func (s *Service) Bundle(ctx context.Context, call *contract.Call, r *Run) (*Bundle, error) {
	b := &Bundle{Format: bundleFormat, Run: r.ID, Build: s.Build, Tools: map[string]string{}, Files: map[string]string{}, Figures: r.figures(), contents: map[string][]byte{}}
	names := map[string]string{}
	document := decoded(r.Document)
	brought := maps.Clone(r.Files)
	if brought == nil {
		brought = map[string]string{}
	}
	artifacts(document, brought)
	for _, ref := range keys(brought) {
		content, name, err := s.bundled(ctx, call, ref)
		if err != nil {
			return nil, err
		}
		hash := "sha256:" + hashOf(content)
		if then := brought[ref]; then != "" && then != hash {
			return nil, contract.Errorf(contract.CodeConflict, "the file %s has other contents than when the study was run", ref).At("/run").
				WithHint("Run the study again: study_run.")
		}
		inside := bundleFiles + name
		for n := 2; b.Files[inside] != "" && b.Files[inside] != hash; n++ {
			inside = fmt.Sprintf("%s%d-%s", bundleFiles, n, name)
		}
		b.Files[inside], b.contents[inside], names[ref] = hash, content, inside
	}
	b.Document = encode(renamed(document, "", names))
	for _, step := range r.Steps {
		if tool, err := s.Tools.Find(step.Tool); err == nil {
			b.Tools[tool.Contract.Name] = tool.Contract.Version
		}
	}
	return b, nil
}

// artifacts adds the files of jobs that a document names; no run keeps their hashes, as they
// never change.
func artifacts(v any, to map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			artifacts(member, to)
		}
	case []any:
		for _, item := range v {
			artifacts(item, to)
		}
	case string:
		if _, _, ok := contract.ParseArtifactURL(v); ok && to[v] == "" {
			to[v] = ""
		}
	}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// bundled is the content of a file, with the name that tells its format.
func (s *Service) bundled(ctx context.Context, call *contract.Call, ref string) (content []byte, name string, err error) {
	at, err := call.File(ctx, ref, "/run")
	if err != nil {
		return nil, "", err
	}
	if content, err = os.ReadFile(at); err != nil {
		return nil, "", contract.Errorf(contract.CodeFileNotFound, "%s cannot be read", ref).At("/run")
	}
	return content, filepath.Base(at), nil
}

// renamed names the files of a document by where they are in a bundle.
func renamed(v any, at string, names map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if at == "" && (key == "title" || key == "assumptions") {
				continue
			}
			v[key] = renamed(member, at+"/"+key, names)
		}
	case []any:
		for i, item := range v {
			v[i] = renamed(item, at+"/-", names)
		}
	case string:
		if inside := names[v]; inside != "" {
			return inside
		}
	}
	return v
}

// Zip is the bundle as one file.
func (b *Bundle) Zip() ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	put := func(name string, content []byte) error {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = f.Write(content)
		}
		return err
	}
	index, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := put(bundleIndex, index); err != nil {
		return nil, err
	}
	for _, name := range keys(b.contents) {
		if err := put(name, b.contents[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil { // it writes the rest
		return nil, err
	}
	return out.Bytes(), nil
}

// Unpack reads a bundle and writes its files below a folder. A file that was changed since is
// refused.
func Unpack(name, folder string) (*Bundle, error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s is no bundle: %v", name, err).WithHint("study_report makes bundle.zip.")
	}
	defer archive.Close()
	b := &Bundle{}
	left := int64(mostBundled)
	index, err := member(&archive.Reader, bundleIndex, &left)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s is no bundle: it has no %s", name, bundleIndex).WithHint("study_report makes bundle.zip.")
	}
	if err := json.Unmarshal(index, b); err != nil || b.Format != bundleFormat {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s is no bundle of the format %s: %s says %q", name, bundleFormat, bundleIndex, b.Format)
	}
	for _, inside := range keys(b.Files) {
		if path.Clean(inside) != inside || path.Dir(inside) != strings.TrimSuffix(bundleFiles, "/") || strings.Contains(inside, `\`) {
			return nil, contract.Errorf(contract.CodeInvalidInput, "%s names a file %q, which does not lie in %s", name, inside, bundleFiles)
		}
		content, err := member(&archive.Reader, inside, &left)
		if err != nil {
			return nil, contract.Errorf(contract.CodeInvalidInput, "%s lacks %s: %v", name, inside, err)
		}
		if "sha256:"+hashOf(content) != b.Files[inside] {
			return nil, contract.Errorf(contract.CodeContentDamaged, "%s of %s is not what the run was made from: its hash is another", inside, name)
		}
		to := filepath.Join(folder, filepath.FromSlash(inside))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func member(archive *zip.Reader, name string, left *int64) ([]byte, error) {
	f, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, *left+1))
	if *left -= int64(len(content)); err == nil && *left < 0 {
		err = fmt.Errorf("the bundle has more than %d bytes", int64(mostBundled))
	}
	return content, err
}

// Repeated is a figure of a bundle beside that of a run which repeats it.
type Repeated struct {
	Pair
	Equal bool // within both error bars, or to sameTo where one is not known
}

// sameTo is how closely a figure without an error bar is to be repeated: the sums of another
// processor round otherwise.
const sameTo = 1e-6

// Repeats holds a run against the figures of a bundle; one that is missing is not equal.
func (b *Bundle) Repeats(r *Run) []Repeated {
	now := map[[2]string]Figure{}
	for _, f := range r.figures() {
		now[[2]string{f.Analysis, f.Pointer}] = f
	}
	var out []Repeated
	for _, f := range b.Figures {
		found, ok := now[[2]string{f.Analysis, f.Pointer}]
		if !ok {
			out = append(out, Repeated{Pair: Pair{Analysis: f.Analysis, Figure: f.Pointer, Name: f.Name, Unit: f.Unit, Before: f.Value, Verdict: "unknown", Text: f.Name + ": not in the run"}})
			continue
		}
		p := pair(f, found)
		equal := f.Value == nil && found.Value == nil
		if f.Value != nil && found.Value != nil {
			change := math.Abs(*found.Value - *f.Value)
			equal = change <= sameTo*math.Abs(*f.Value) || f.Error != nil && found.Error != nil && change <= *f.Error+*found.Error
		}
		out = append(out, Repeated{p, equal})
	}
	return out
}
