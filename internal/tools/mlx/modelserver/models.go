package modelserver

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"atelier/internal/contract"
)

// hubID is the name of a repository on Hugging Face, owner/name.
var hubID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)

// models finds models by their names.
type models struct {
	folders   []string // in which paths may lie; relative names are sought in each
	cache     string   // the hub's cache: $HF_HOME/hub
	downloads bool
}

// locate turns a model's name into what the server is started with: an absolute
// path of a folder or file inside the allowed folders, or the id of a model in
// the cache of Hugging Face (any id where downloads are allowed). The error is
// model_not_found with the places that were looked at. What lies outside of the
// folders is not even told to exist.
func (m models) locate(name string) (string, error) {
	switch {
	case strings.TrimSpace(name) == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n\r") || len(name) > 1024:
		return "", contract.Errorf(contract.CodeModelNotFound, "%.80q is not a model's name", name).At("/model").WithHint("%s", m.hint())
	case filepath.IsAbs(name):
		if path, ok := m.inside(name); ok {
			return m.check(name, path)
		}
		return "", m.notFound(name, []string{name})
	}
	var looked []string
	if filepath.IsLocal(name) {
		for _, folder := range m.folders {
			path := filepath.Join(folder, name)
			if real, ok := m.inside(path); ok {
				return m.check(name, real)
			}
			looked = append(looked, path)
		}
	}
	if !hubID.MatchString(name) {
		return "", m.notFound(name, looked)
	}
	if m.downloads {
		return name, nil
	}
	cached := filepath.Join(m.cache, "models--"+strings.ReplaceAll(name, "/", "--"))
	if snapshots, _ := filepath.Glob(filepath.Join(cached, "snapshots", "*", "*")); len(snapshots) > 0 {
		return name, nil
	}
	return "", m.notFound(name, append(looked, cached))
}

// inside resolves links and says whether the path exists and lies in a folder.
func (m models) inside(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	for _, folder := range m.folders {
		root, err := filepath.EvalSymlinks(folder)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return real, true
		}
	}
	return "", false
}

// check refuses what is no model: a folder needs a config.json, a file must not
// be empty.
func (m models) check(name, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", m.notFound(name, []string{path})
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, "config.json")); err == nil {
			return path, nil
		}
		fault := contract.Errorf(contract.CodeModelNotFound, "the folder %s holds no model: it has no config.json", name).At("/model").With("looked_at", []string{path})
		if files, _ := filepath.Glob(filepath.Join(path, "*.gguf")); len(files) > 0 {
			return "", fault.WithHint("It holds %s: name the file, with the backend llamacpp.", filepath.Base(files[0]))
		}
		return "", fault.WithHint("%s", m.hint())
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return "", contract.Errorf(contract.CodeModelNotFound, "%s is no model: it is empty or not a regular file", name).At("/model").
			With("looked_at", []string{path}).WithHint("%s", m.hint())
	}
	return path, nil
}

func (m models) notFound(name string, looked []string) error {
	return contract.Errorf(contract.CodeModelNotFound, "the model %q is neither in the allowed folders nor in the cache of Hugging Face", name).
		At("/model").With("looked_at", looked).WithHint("%s", m.hint())
}

func (m models) hint() string {
	hint := "Name a folder or file inside " + strings.Join(m.folders, ", ") + ", or a model of " + m.cache + " as owner/name."
	if !m.downloads {
		hint += " Nothing is downloaded (atelier serve --model-downloads allows it)."
	}
	return hint
}
