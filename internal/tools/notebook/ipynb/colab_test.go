package ipynb

import (
	"strings"
	"testing"
)

func code(source string) *Existing {
	nb, err := Read([]byte(`{"cells":[{"cell_type":"code","metadata":{},"source":` + literal(source) + `}],"metadata":{},"nbformat":4,"nbformat_minor":4}`))
	if err != nil {
		panic(err)
	}
	return nb
}

// What each piece of code is found to be, and what the fix makes of it.
func TestColab(t *testing.T) {
	for name, c := range map[string]struct{ source, issue, fixed string }{
		"one line":        {"import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', 'a', 'b>=1'])\nx = 1", "subprocess_pip", "import subprocess, sys\nget_ipython().run_line_magic(\"pip\", \"install a 'b>=1'\")\nx = 1"},
		"several lines":   {"import subprocess\nsubprocess.run([\n  'pip', 'install',\n  'numpy',  # arrays\n], check=True)\nprint(1)", "subprocess_pip", "import subprocess\nget_ipython().run_line_magic(\"pip\", \"install numpy\")\nprint(1)"},
		"value used":      {"import subprocess\nr = subprocess.run(['pip', 'install', 'x'])\nprint(r.returncode)", "subprocess_pip", "import subprocess\nr = (get_ipython().run_line_magic(\"pip\", \"install x\"), __import__(\"subprocess\").CompletedProcess([], 0, \"\", \"\"))[1]\nprint(r.returncode)"},
		"os.system":       {"import os\nos.system('pip install -q x')", "subprocess_pip", "import os\nget_ipython().run_line_magic(\"pip\", \"install -q x\")"},
		"two commands":    {"import os\nos.system('cd /tmp && pip install x')", "subprocess_pip", "import os\nget_ipython().system('cd /tmp && pip install x')"},
		"list of names":   {"import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', *names])", "subprocess_pip", "import subprocess, sys\nget_ipython().run_line_magic(\"pip\", __import__(\"shlex\").join(map(str, [\"install\", *names])))"},
		"conda magic":     {"%conda install -y -c conda-forge numpy=1.26 scipy\nimport numpy", "conda_install", "%pip install -q numpy==1.26 scipy\nimport numpy"},
		"conda in shell":  {"if True:\n    !conda install pytorch\n", "conda_install", "if True:\n    %pip install -q torch\n"},
		"token":           {"import os\nos.environ['HF_TOKEN'] = 'YOUR_HF_TOKEN'", "hardcoded_token", "import os\nos.environ['HF_TOKEN'] = (__import__(\"os\").environ.get(\"HF_TOKEN\") or __import__(\"getpass\").getpass(\"HF_TOKEN: \"))"},
		"input in a loop": {"while True:\n    line = input('> ')\n    if not line:\n        break", "input_loop", ""},
		"local path":      {"import pandas as pd\nd = pd.read_csv('/Users/me/data.csv')", "local_path", ""},
		"windows path":    {"with open(r'C:\\data\\x.txt') as f:\n    print(f.read())", "local_path", ""},
		"device map":      {"m = load(device_map = 'auto')", "device_mapping", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := colabIssues(c.source, 0)
			if len(found) != 1 || found[0].Type != c.issue {
				t.Fatalf("found %+v, want one %s", found, c.issue)
			}
			v, err := CheckColab(code(c.source))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if v.Notebook != nil {
				got = v.Notebook.Cells[0].Source
			}
			if got != c.fixed || !v.IsCompatible {
				t.Errorf("fixed to\n%s\nwant\n%s\ncompatible %t", got, c.fixed, v.IsCompatible)
			}
		})
	}
}

// None of these fails in Colab.
func TestColabLeavesAlone(t *testing.T) {
	for name, source := range map[string]string{
		"comment":       "# os.system('pip install x'); conda install y; /Users/me\nprint(1)",
		"string":        "print('run: conda install numpy, or os.system(\"pip install x\")')",
		"outside Colab": "import os, sys\nIN_COLAB = 'google.colab' in sys.modules\nif not IN_COLAB:\n    os.system('conda install x')\nelse:\n    print(1)",
		"pip magic":     "%pip install numpy\n!pip install scipy\nimport numpy",
		"other command": "import subprocess\nsubprocess.run(['ls', '-l'], check=True)",
		"one input":     "name = input('Name: ')",
		"path in print": "print('/home/me/is a path')",
	} {
		t.Run(name, func(t *testing.T) {
			v, err := CheckColab(code(source))
			if err != nil || !v.IsCompatible || v.Notebook != nil || len(v.Issues) > 0 {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

// Each notebook has one fault more than the sound one.
func TestStrict(t *testing.T) {
	text := func(s string) string { return `{"cell_type":"markdown","metadata":{},"source":` + literal(s) + `}` }
	run := func(s string) string {
		return `{"cell_type":"code","metadata":{},"execution_count":1,"outputs":[],"source":` + literal(s) + `}`
	}
	sound := []string{text("# Title"), text("## Objectives\n\nLearn."), text("## Setup\n\nNothing."), run("import math\nx = math.pi"), text("## Step 1: One\n\nSay."), run("print(x)"), text("## Questions\n\nWhich?")}
	verdict := func(cells ...string) Strict {
		nb, err := Read([]byte(`{"cells":[` + strings.Join(cells, ",") + `],"metadata":{},"nbformat":4,"nbformat_minor":4}`))
		if err != nil {
			t.Fatal(err)
		}
		return Judge(nb)
	}
	if v := verdict(sound...); !v.Passes || len(v.Findings) > 0 {
		t.Errorf("the sound notebook: %+v", v.Findings)
	}
	for code, extra := range map[string]string{
		"placeholder":     text("Explanation: TODO"),
		"filler":          text(strings.Repeat("we learn and we learn ", 20)),
		"syntax_error":    run("print((1)"),
		"undefined_name":  run("print(y)"),
		"secret":          run("key = 'AKIA" + "IOSFODNN7ABCDEFG'"),
		"duplicate_cell":  text("## Setup\n\nNothing."),
		"truncated":       text("And then the derivation goes on like this, and so on..."),
		"invalid_format":  `{"cell_type":"code","metadata":{},"execution_count":2,"source":"1"}`,
		"outputs_missing": `{"cell_type":"code","metadata":{},"execution_count":null,"outputs":[],"source":"1"}`,
	} {
		cells := append(append([]string{}, sound...), extra)
		if code == "duplicate_cell" { // must be long enough to count
			long := text("## More\n\nA sentence that is long enough not to stand twice by chance, in a notebook.")
			cells = append(append([]string{}, sound...), long, long)
		}
		if v := verdict(cells...); v.Passes || len(v.Findings) != 1 || v.Findings[0].Code != code {
			t.Errorf("%s: %+v", code, v.Findings)
		}
	}
	if v := verdict(sound[1:]...); v.Passes {
		t.Error("passes without a title")
	}
}
