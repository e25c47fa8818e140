package notebook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Half a surrogate pair cannot be sent: the cell fails, as under a terminal.
func TestHalfASurrogatePairIsAnError(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	result := h.call("validator.run_execution", `{"notebook_path":"`+writeNotebook(t, "", cell{`print("\ud800")`})+`"}`, "")
	if !strings.Contains(result.Summary, "UnicodeEncodeError") {
		t.Errorf("%s", result.Summary)
	}
}

// What fails without making a cell fail is told, and takes verified away.
func TestFaultsThatNoCellShows(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	for _, c := range []struct {
		name, says, trust string
		cells             []cell
	}{
		{"tag", "In [1] (cell_index 0) shows ZeroDivisionError, though it does not fail", "computed", []cell{{"1/0", "raises-exception"}, {"print(2)"}}},
		{"tag without exception", "without an error", "verified", []cell{{"1/1", "raises-exception"}}},
		{"command", "a shell command failed", "computed", []cell{{"!false"}, {"print(1)"}}},
		{"commands", "2 shell commands failed", "computed", []cell{{"!exit 3\n!sh -c 'exit 4'"}}},
		{"pip", "a shell command failed", "computed", []cell{{"!pip install package-that-is-nowhere"}}},
		{"fine command", "without an error", "verified", []cell{{"!true"}, {"x = !echo 1\nprint(x)"}}},
		{"thread", "a thread ended with an exception", "suspect", []cell{{"import threading\nthread = threading.Thread(target=lambda: 1/0)\nthread.start()\nthread.join()"}}},
		{"fine thread", "without an error", "verified", []cell{{"import threading, sys\nthread = threading.Thread(target=sys.exit)\nthread.start()\nthread.join()"}}},
		{"kept task", "an asynchronous task ended with an exception", "suspect", []cell{{"import asyncio\nasync def f(): 1/0\ntask = asyncio.ensure_future(f())"}, {"await asyncio.sleep(0.1)"}}},
		{"lost task", "an asynchronous task ended with an exception", "suspect", []cell{{"import asyncio, gc\nasync def f(): 1/0\nasyncio.ensure_future(f());"}, {"await asyncio.sleep(0.1)\ngc.collect();"}}},
		{"caught task", "without an error", "verified", []cell{{"import asyncio\nasync def f(): 1/0\ntry:\n    await asyncio.ensure_future(f())\nexcept ZeroDivisionError: pass"}}},
		{"late thread", "a thread ended with an exception", "suspect", []cell{{"import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.5), 1/0)).start()"}}},
		{"idle pool", "without an error", "verified", []cell{{"from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\npool.submit(int).result()"}}},
		{"endless thread", "still running at the end", "computed", []cell{{"import threading\nthreading.Thread(target=threading.Event().wait).start()"}}},
		{"quiet script", "a shell command failed", "computed", []cell{{"%%script bash --no-raise-error\nexit 3"}, {"print(1)"}}},
		{"fine script", "without an error", "verified", []cell{{"%%script bash --no-raise-error\nexit 0"}}},
		{"unittest", "a test failed", "suspect", []cell{{"import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\nunittest.main(argv=['x'], exit=False)"}}},
		{"fine unittest", "without an error", "verified", []cell{{"import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 1)\nunittest.main(argv=['x'], exit=False)"}}},
		{"doctest", "a test failed", "suspect", []cell{{"def f():\n    '''\n    >>> f()\n    2\n    '''\n    return 1\nimport doctest\ndoctest.testmod()"}}},
		{"fork", "a forked process", "suspect", []cell{{"import os\npid = os.fork()\nif pid == 0:\n    os._exit(3)\nprint(pid > 0)"}}},
		{"fine fork", "without an error", "verified", []cell{{"import os\npid = os.fork()\nif pid == 0:\n    os._exit(0)\nprint(os.waitpid(pid, 0)[1])"}}},
		{"process", "a forked process failed", "suspect", []cell{{"import multiprocessing as m\ndef f(): 1/0\np = m.get_context('fork').Process(target=f)\np.start()\np.join()"}}},
		{"ended process", "without an error", "verified", []cell{{"import multiprocessing as m, time\np = m.get_context('fork').Process(target=time.sleep, args=(60,))\np.start()\np.terminate()\np.join()"}}},
		{"exit", "exit() was called", "computed", []cell{{"exit()"}, {"print(1)"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeNotebook(t, "", c.cells...)
			result := h.call("validator.run_execution", `{"notebook_path":"`+path+`"}`, "")
			r := execute(h, path, nil)
			because := strings.Join(r.Execution.Because, " ")
			if r.Execution.State != "current" || strings.Contains(because, c.says) == (c.trust == "verified") {
				t.Errorf("the state is %s %q, and the evidence %s", r.Execution.State, because, r.Evidence.Trust)
			}
			if !strings.Contains(result.Summary, c.says) || r.Evidence.Trust != c.trust || !r.OK {
				t.Errorf("%s, %s %v", result.Summary, r.Evidence.Trust, r.Evidence.Reasons)
			}
			if strings.Contains(result.Summary, "without an error") != (c.trust == "verified") {
				t.Errorf("%s is %s", result.Summary, c.trust)
			}
		})
	}
}

// What fails in the background is told of the cell that began it.
func TestFaultsAreOfTheirCell(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	path := writeNotebook(t, "", cell{"x = 1"}, cell{"!exit 7"}, cell{"import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), 1/0)).start()"}, cell{"time.sleep(1)"}, cell{"import os\nif os.fork() == 0: os._exit(9)"})
	warnings := fmt.Sprint(h.call("validator.run_execution", `{"notebook_path":"`+path+`"}`, "").Warnings)
	for _, want := range []string{"From In [2] (cell_index 1): exit 7", "From In [3] (cell_index 2): a thread", "From In [5] (cell_index 4): a forked process"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("%q is not in %s", want, warnings)
		}
	}
}

func TestNotebookWithoutCode(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	path := filepath.Join(t.TempDir(), "words.ipynb")
	if err := os.WriteFile(path, []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"id":"a","cell_type":"markdown","metadata":{},"source":"# Words"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	result := h.call("validator.run_execution", `{"notebook_path":"`+path+`"}`, "")
	if !strings.Contains(result.Summary, "no code cell") {
		t.Errorf("%s", result.Summary)
	}
	if r := execute(h, path, nil); r.Evidence.Trust != "suspect" {
		t.Errorf("%s %v", r.Evidence.Trust, r.Evidence.Reasons)
	}
}
