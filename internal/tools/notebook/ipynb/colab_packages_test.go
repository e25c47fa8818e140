package ipynb

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// How code installs packages, as text: shell lines, lists of words, commands in
// strings, and the magic's own forms. No parser of the project is used here.
var installForms = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^[ \t]*[!%][ \t]*(?:sudo )?(?:\S*pip3?|conda|mamba|apt|apt-get)(?:[ \t]+-\S+)*[ \t]+install\b(.*)$`),
	regexp.MustCompile(`["'](?:pip3?|conda|apt|apt-get)["']\s*,\s*["']install["']\s*((?:,[^\]]*)?\](?:\s*\+\s*(?:\[[^\]]*\]|\w+))?)`),
	regexp.MustCompile(`run_line_magic\(\s*["']pip["']\s*,\s*"install\b([^"\n]*)"`),
	regexp.MustCompile(`run_line_magic\(\s*["']pip["']\s*,\s*'install\b([^'\n]*)'`),
	regexp.MustCompile(`map\(str, \[\s*["']install["']\s*(,[^\]]*\])`),
	regexp.MustCompile(`["'](?:\S*python3? -m )?(?:pip3?|conda|apt|apt-get) install\b([^"'\n]*)["']`),
}

var (
	comment = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
	doubled = regexp.MustCompile(`''([^'\s,]+)'{1,2}`) // a slip of one of the notebooks, twice on each side
	word    = regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s,\[\]+"']+`)
	flags   = map[string]bool{"-c": true, "-r": true, "-n": true, "-p": true, "-i": true, "-f": true}
)

// installed lists what a cell's text installs, sorted.
func installed(source string) []string {
	var packages []string
	source = doubled.ReplaceAllString(comment.ReplaceAllString(source, ""), "'$1'")
	for _, form := range installForms {
		for _, m := range form.FindAllStringSubmatch(source, -1) {
			skip := false
			for _, w := range word.FindAllString(m[1], -1) {
				w = strings.Trim(w, `"'{}`)
				switch {
				case skip:
					skip = false
				case flags[w]:
					skip = true
				case strings.HasPrefix(w, "-") || w == "" || w == ")" || w == "install":
				default:
					packages = append(packages, w)
				}
			}
		}
	}
	slices.Sort(packages)
	return packages
}

// The reading itself, on forms written by hand.
func TestInstalledReadsEveryForm(t *testing.T) {
	for source, want := range map[string][]string{
		"!pip install -q torch>=2.0 'numpy<2'":                                                      {"numpy<2", "torch>=2.0"},
		"%pip install a\n  !apt-get -qq install -y b":                                               {"a", "b"},
		"subprocess.check_call([sys.executable, '-m', 'pip', 'install', '-q',\n  'x', \"y==1\"])":   {"x", "y==1"},
		"cmd = [sys.executable, '-m', 'pip', 'install'] + [\"x\",\"y\"]":                            {"x", "y"},
		"cmd = [sys.executable, \"-m\", \"pip\", \"install\", pkg]":                                 {"pkg"},
		"os.system('pip install z')":                                                                {"z"},
		`get_ipython().run_line_magic("pip", "install -q x y==1")`:                                  {"x", "y==1"},
		`get_ipython().run_line_magic("pip", __import__("shlex").join(map(str, ["install", pkg])))`: {"pkg"},
		`get_ipython().system("pip install z && true")`:                                             {"&&", "true", "z"},
		"# nothing\nprint('install')":                                                               nil,
	} {
		if got := installed(source); !slices.Equal(got, want) {
			t.Errorf("%s\n got %v\nwant %v", source, got, want)
		}
	}
}

// A fixed notebook installs what the flawed one did, cell by cell.
func TestColabFixInstallsTheSame(t *testing.T) {
	notebooks, changed, packages := 0, 0, 0
	each(t, func(t *testing.T, content []byte, want expectation) {
		if want.Colab == nil || !anyCritical(want.Detected) {
			return
		}
		notebooks++
		before, err := Read(content)
		if err != nil {
			t.Fatal(err)
		}
		nb, _ := Read(content)
		v, err := CheckColab(nb)
		if err != nil || v.Notebook == nil || len(v.Notebook.Cells) != len(before.Cells) {
			t.Fatalf("%v %+v", err, v.Issues)
		}
		for i, cell := range before.Cells {
			if cell.Type != "code" {
				continue
			}
			was, is := installed(cell.Source), installed(v.Notebook.Cells[i].Source)
			if !slices.Equal(was, is) {
				t.Errorf("cell %d installed %v and now installs %v", i, was, is)
			}
			packages += len(was)
			if cell.Source != v.Notebook.Cells[i].Source {
				changed++
			}
		}
	})
	if notebooks < 10 || changed < 10 || packages < 20 {
		t.Errorf("%d notebooks, %d changed cells, %d packages: too few to say anything", notebooks, changed, packages)
	}
	t.Logf("%d notebooks, %d changed cells, %d installed packages, all the same", notebooks, changed, packages)
}
