package ipynb

import (
	"fmt"
	"slices"
	"strings"
)

// environmentCell tells where the notebook runs, for the cells that depend on it.
const environmentCell = `# Environment check
import platform
import sys

IN_COLAB = "google.colab" in sys.modules
print("Python", platform.python_version(), "in Colab" if IN_COLAB else "outside Colab")`

// quizHelper shows a question with widgets, and as text where there are none.
const quizHelper = `

def render_mcq(question, options, correct_index, explanation):
    """Show a multiple-choice question, with buttons where ipywidgets is there."""
    try:
        import ipywidgets as widgets
    except ImportError:
        print(question)
        for number, option in enumerate(options):
            print(f"  {number}. {option}")
        return
    choice = widgets.RadioButtons(options=[(o, i) for i, o in enumerate(options)])
    button, answer = widgets.Button(description="Check"), widgets.HTML()

    def check(_):
        right = choice.value == correct_index
        answer.value = ("Correct. " if right else "Not yet. ") + explanation

    button.on_click(check)
    display(widgets.HTML(question), choice, button, answer)`

func (d *Document) environment() string {
	for i := range d.Cells {
		if d.Cells[i].Kind == KindQuestion {
			return environmentCell + "\n" + quizHelper
		}
	}
	return environmentCell
}

// setupText is the markdown above the installation.
func (d *Document) setupText() string {
	if len(d.Dependencies) == 0 {
		return "## Setup\n\nThis notebook needs nothing but Python's standard library."
	}
	var b strings.Builder
	b.WriteString("## Setup\n\nThe next cell installs what is missing and checks that it can be imported.\n\n| Package | Version | From | Why |\n|---|---|---|---|\n")
	for _, dep := range d.Dependencies {
		notes := strings.ReplaceAll(oneLine(dep.Notes), "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", dep.Package, dep.Version, dep.Manager, notes)
	}
	return strings.TrimRight(b.String(), "\n")
}

// setupCode installs the manifest where it is missing: by pip's magic, which
// reaches the kernel's own environment in Colab and out of it. Colab has no
// conda, so that there its packages come from pip; apt works there only.
func (d *Document) setupCode() string {
	if len(d.Dependencies) == 0 {
		return "# Nothing has to be installed\nprint(\"Setup complete\")"
	}
	var b strings.Builder
	pip, conda, apt := d.from("pip"), d.from("conda"), d.from("apt")
	b.WriteString("# Install what is missing\n")
	if len(pip)+len(conda) > 0 {
		b.WriteString("from importlib import metadata\n\n\ndef installed(name):\n    try:\n        return metadata.version(name)\n    except metadata.PackageNotFoundError:\n        return None\n\n\n")
		fmt.Fprintf(&b, "wanted = %s\n", dict(pip))
		if len(conda) > 0 {
			fmt.Fprintf(&b, "from_conda = %s\nif IN_COLAB:  # which has no conda\n    wanted.update(from_conda)\nelse:\n    missing = [f\"{p}={v}\" for p, v in from_conda.items() if not installed(p.split(\"[\")[0])]\n    if missing:\n        print(\"Install with: conda install\", *missing)\n", dict(conda))
		}
		b.WriteString("missing = [f\"{p}=={v}\" for p, v in wanted.items() if installed(p.split(\"[\")[0]) != v]\nif missing:\n    get_ipython().run_line_magic(\"pip\", \"install -q \" + \" \".join(missing))\n")
	}
	if len(apt) > 0 {
		var specs []string
		for _, dep := range apt {
			specs = append(specs, dep.Package+"="+dep.Version)
		}
		fmt.Fprintf(&b, "system_packages = %s\nif IN_COLAB:\n    get_ipython().system(\"apt-get -qq install -y \" + system_packages)\nelse:\n    print(\"Install with: sudo apt-get install\", system_packages)\n", literal(strings.Join(specs, " ")))
	}
	for _, dep := range d.Dependencies {
		if dep.ImportCheck != "" {
			b.WriteString(dep.ImportCheck + "\n")
		}
	}
	b.WriteString("print(\"Setup complete\")")
	return b.String()
}

func (d *Document) from(manager string) []Dependency {
	return slices.DeleteFunc(slices.Clone(d.Dependencies), func(dep Dependency) bool { return dep.Manager != manager })
}

func dict(deps []Dependency) string {
	entries := make([]string, len(deps))
	for i, dep := range deps {
		entries[i] = literal(dep.Package) + ": " + literal(dep.Version)
	}
	return "{" + strings.Join(entries, ", ") + "}"
}
