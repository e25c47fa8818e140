package ipynb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/python"
)

// Dependency is an entry of the manifest.
type Dependency struct {
	Package     string `json:"package"`
	Version     string `json:"version"`
	Manager     string `json:"manager"` // pip, conda or apt
	ImportCheck string `json:"import_check,omitempty"`
	Notes       string `json:"notes,omitempty"`
}

// ID is what notebook.add_dependency answers: pip::torch@2.4.0.
func (d Dependency) ID() string { return d.Manager + "::" + d.Package + "@" + d.Version }

var (
	separators = regexp.MustCompile(`[-_.]+`)
	// packageNames: PEP 508 names with extras; conda and apt names fit too. An
	// apt name may hold a plus sign.
	packageNames = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._+-]*[A-Za-z0-9+])?(\[[A-Za-z0-9._, -]+\])?$`)
)

// normal is the form in which PEP 503 compares names, without extras.
func normal(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

// AddDependency enters a requirement and returns its position from 1. The same
// one again has the position that it had; another version or manager of the same
// package is refused.
func (d *Document) AddDependency(dep Dependency) (position int, warnings []contract.Warning, err error) {
	dep.Package = strings.TrimSpace(dep.Package)
	if !packageNames.MatchString(dep.Package) {
		return 0, nil, contract.Errorf(contract.CodeInvalidInput, "%q is not the name of a package", dep.Package).At("/package").
			WithHint("Give the name alone, e.g. numpy or uvicorn[standard]; the version goes into version.")
	}
	if dep.ImportCheck != "" {
		check, err := importStatement(dep.ImportCheck)
		if err != nil {
			return 0, nil, err
		}
		dep.ImportCheck = check
	}
	for i, have := range d.Dependencies {
		if normal(have.Package) != normal(dep.Package) || (have.Manager == "apt") != (dep.Manager == "apt") {
			continue
		}
		if have.Version != dep.Version || have.Manager != dep.Manager {
			e := contract.Errorf(CodeConflict, "the notebook needs %s already, which contradicts %s", have.ID(), dep.ID()).At("/version").
				With("dependency_id", have.ID()).With("manifest_position", i+1).
				WithHint("One environment has one version of a package. Use %s, or build another notebook.", have.ID())
			e.Expected, e.Actual = have.ID(), dep.ID()
			return 0, nil, e
		}
		d.Dependencies[i] = have.with(dep)
		return i + 1, []contract.Warning{{Code: "dependency_known", Message: fmt.Sprintf("%s was in the manifest already, at position %d.", have.ID(), i+1)}}, nil
	}
	d.Dependencies = append(d.Dependencies, dep)
	return len(d.Dependencies), nil, nil
}

// with takes over what the entry did not say yet.
func (d Dependency) with(later Dependency) Dependency {
	if d.ImportCheck == "" {
		d.ImportCheck = later.ImportCheck
	}
	if later.Notes != "" && !strings.Contains(d.Notes, later.Notes) {
		d.Notes = strings.TrimSpace(d.Notes + " " + later.Notes)
	}
	return d
}

// importStatement accepts import statements, and a bare module path.
func importStatement(check string) (string, error) {
	check = strings.TrimSpace(check)
	tree, err := python.Parse(check)
	if err == nil && len(tree.Body) == 1 && tree.Body[0].Kind == "Expr" && tree.Body[0].X.Dotted() != "" {
		return "import " + check, nil
	}
	ok := err == nil && len(tree.Body) > 0
	for _, n := range treeBody(tree) {
		ok = ok && (n.Kind == "Import" || n.Kind == "ImportFrom")
	}
	if !ok {
		return "", contract.Errorf(contract.CodeInvalidInput, "import_check is not a Python import statement: %q", check).At("/import_check").
			WithHint("Write a statement that succeeds when the package is there, e.g. import numpy.")
	}
	return check, nil
}

func treeBody(n *python.Node) []*python.Node {
	if n == nil {
		return nil
	}
	return n.Body
}

// importNames are distributions whose import name is not their own.
var importNames = map[string][]string{
	"scikit-learn": {"sklearn"}, "scikit-image": {"skimage"}, "pillow": {"PIL"}, "opencv-python": {"cv2"}, "opencv-python-headless": {"cv2"},
	"pyyaml": {"yaml"}, "beautifulsoup4": {"bs4"}, "python-dotenv": {"dotenv"}, "python-dateutil": {"dateutil"}, "attrs": {"attr", "attrs"},
	"faiss-cpu": {"faiss"}, "faiss-gpu": {"faiss"}, "sentence-transformers": {"sentence_transformers"}, "protobuf": {"google"},
	"google-generativeai": {"google"}, "google-genai": {"google"}, "pytorch": {"torch"}, "msgpack-python": {"msgpack"}, "pyserial": {"serial"},
	"pycryptodome": {"Crypto"}, "python-multipart": {"multipart"}, "umap-learn": {"umap"}, "biopython": {"Bio"}, "tensorflow-cpu": {"tensorflow"},
	"ipython": {"IPython"}, "pymupdf": {"fitz", "pymupdf"}, "python-docx": {"docx"}, "python-pptx": {"pptx"}, "setuptools": {"setuptools", "pkg_resources"},
	"llama-cpp-python": {"llama_cpp"}, "psycopg2-binary": {"psycopg2"}, "scikit-posthocs": {"scikit_posthocs"}, "pyjwt": {"jwt"}, "gitpython": {"git"},
}

// colabBase are modules that a fresh Google Colab runtime can import without an
// installation, by what its release notes and `pip list` show.
var colabBase = strings.Fields("IPython PIL absl altair astropy bokeh bs4 cv2 cycler dateutil datasets dask diffusers gensim google gym huggingface_hub " +
	"imageio ipywidgets jax jaxlib jinja2 joblib keras lightgbm lxml markdown matplotlib mpl_toolkits mpmath networkx nltk numba numpy openai openpyxl packaging pandas " +
	"patsy pip pkg_resources plotly polars psutil pyarrow pydantic pytest pytz regex requests rich safetensors scipy seaborn sentence_transformers setuptools shapely six " +
	"skimage sklearn spacy sqlalchemy statsmodels sympy tensorboard tensorflow tokenizers torch torchaudio torchvision tqdm transformers typing_extensions " +
	"wandb wheel xgboost yaml")

// provides lists the modules that a dependency makes importable.
func (d Dependency) provides() []string {
	if d.Manager == "apt" && d.ImportCheck == "" {
		return nil
	}
	modules := importNames[normal(d.Package)]
	if modules == nil {
		modules = []string{strings.ReplaceAll(normal(d.Package), "-", "_"), strings.ReplaceAll(normal(d.Package), "-", "")}
	}
	modules = slices.Clone(modules)
	if tree, err := python.Parse(d.ImportCheck); err == nil {
		for _, i := range python.Imports(tree) {
			modules = append(modules, i.Root())
		}
	}
	return modules
}

// Runnable says whether code can run in the notebook's environment: it is
// Python, and every module that it imports is in the standard library, the
// manifest, or Colab's base. The messages name what is missing.
func (d *Document) Runnable(code string) (bool, []contract.Warning) {
	tree, err := ParseCell(code)
	if err != nil {
		return false, []contract.Warning{{Code: "code_unparsable", Message: "The code is not Python: " + err.Error() + ". Correct it with notebook.revise_cell."}}
	}
	var known []string
	for _, dep := range d.Dependencies {
		known = append(known, dep.provides()...)
	}
	var warnings []contract.Warning
	seen := map[string]bool{}
	for _, i := range python.Imports(tree) {
		root := i.Root()
		if seen[root] || python.InStdlib(root) || slices.Contains(colabBase, root) ||
			slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, root) }) {
			continue
		}
		seen[root] = true
		warnings = append(warnings, contract.Warning{Code: "import_missing", Message: fmt.Sprintf("The module %s is neither in the standard library, nor in the manifest, nor in Colab's base. Call notebook.add_dependency for the package that has it; where their names differ, with import_check \"import %s\".", root, root)})
	}
	return len(warnings) == 0, warnings
}
