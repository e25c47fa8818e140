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

// failing are cells that raise nothing, and what Python says of each elsewhere.
var failing = []struct{ source, warns string }{
	{"import subprocess, os, sys\nsubprocess.run(['false']);", "command_failed: From In [1] (cell_index 0): false ended with exit status 1."},
	{"subprocess.run('exit 2', shell=True)", "command_failed: From In [2] (cell_index 1): exit 2 ended with exit status 2."},
	{"os.system('exit 3')", "command_failed: From In [3] (cell_index 2): exit 3 ended with exit status 3."},
	{"for _ in [1]: subprocess.call(['sh', '-c', 'exit 4'])", "command_failed: From In [4] (cell_index 3): sh -c 'exit 4' ended with exit status 4."},
	{"with subprocess.Popen(['sh', '-c', 'kill -SEGV $$']) as p: p.communicate()", "command_failed: From In [5] (cell_index 4): sh -c 'kill -SEGV $$' ended with SIGSEGV."},
	{"pid = os.posix_spawn('/bin/sh', ['sh', '-c', 'exit 5'], {})\nos.wait();", "child_failed: From In [6] (cell_index 5): a forked process ended with exit status 5."},
	{"os.popen('exit 6').read();", "command_failed: From In [7] (cell_index 6): exit 6 ended with exit status 6."},
	{"lines = !exit 7", "command_failed: From In [8] (cell_index 7): exit 7 ended with exit status 7."},
	{"subprocess.getoutput('exit 8')", "command_failed: From In [9] (cell_index 8): exit 8 ended with exit status 8."},
	{"import asyncio\nchild = await asyncio.create_subprocess_exec('sh', '-c', 'exit 9')\nawait child.wait()", "command_failed: From In [10] (cell_index 9): sh -c 'exit 9' ended with exit status 9."},
	{"import threading\nwork = threading.Thread(target=os.system, args=('exit 10',))\nwork.start()\nwork.join()", "command_failed: From In [11] (cell_index 10): exit 10 ended with exit status 10."},
	{"class Closes:\n    def __del__(self): 1/0\none = Closes()\ndel one", "exception_ignored: From In [12] (cell_index 11): Python printed and ignored ZeroDivisionError: division by zero in Closes.__del__."},
	{"class Ring:\n    def __init__(self): self.own = self\n    def __del__(self): [][1]\nring = Ring()\ndel ring", "Python printed and ignored IndexError: list index out of range in Ring.__del__."},
	{"import atexit\n@atexit.register\ndef last(): {}['missing']", "exception_ignored: From In [14] (cell_index 13): Python printed and ignored KeyError: 'missing' in last, which atexit ran."},
	{"import logging\nlogging.error('%d rows', 'no number')", "exception_ignored: From In [15] (cell_index 14): Python printed and ignored TypeError: %d format: a real number is required, not str while logging."},
	{"from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(1) as pool: job = pool.submit(int, 'x')", "future_failed: From In [16] (cell_index 15): nothing asked for the result of a future, which holds ValueError: invalid literal for int() with base 10: 'x'."},
	{"async def save(): pass\ndef run(): save()\nrun()", "coroutine_never_awaited: From In [17] (cell_index 16): await is missing: nothing ran the coroutine save."},
	{"async def kept(): pass\nwaits = kept()", "coroutine_never_awaited: await is missing: nothing ran the coroutine kept."},
	{"async def slow(): await asyncio.sleep(60)\ntask = asyncio.create_task(slow())", "unfinished_failed: the notebook ended with a running task slow."},
	{"p = subprocess.Popen('sleep 0.2; exit 20', shell=True)", "command_failed: From In [20] (cell_index 19): sleep 0.2; exit 20 ended with exit status 20."},
	{"import multiprocessing\nspawned = multiprocessing.get_context('spawn').Process(target=save)\nspawned.start()\nspawned.join()", "child_failed: From In [21] (cell_index 20): a forked process ended with exit status 1."},
	{"pid = os.fork()\nif pid == 0: os.kill(os.getpid(), 9)\nos.waitpid(pid, 0);", "child_failed: From In [22] (cell_index 21): a forked process ended with SIGKILL."},
	{"subprocess.run(['sh', '-c', 'kill -9 $$']);", "command_failed: From In [23] (cell_index 22): sh -c 'kill -9 $$' ended with SIGKILL."},
	{"import sys\ngives_up = threading.Thread(target=sys.exit, args=('data missing',))\ngives_up.start()\ngives_up.join()", "thread_failed: From In [24] (cell_index 23): a thread ended with SystemExit: data missing."},
	{"def wrong(done): 1/0\nwith ThreadPoolExecutor(1) as pool:\n    job = pool.submit(int, '1')\n    job.add_done_callback(wrong)\njob.result()", "callback_failed: From In [25] (cell_index 24): a callback of a future ended with ZeroDivisionError: division by zero."},
	{"%cd folder_that_is_not", "command_failed: From In [26] (cell_index 25): %cd folder_that_is_not found no such folder."},
	{"%%bash --bg\nexit 7", "command_failed: From In [27] (cell_index 26): %%script bash --bg ended with exit status 7."},
	{"import unittest\nclass Fails(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\nunittest.defaultTestLoader.loadTestsFromTestCase(Fails)(unittest.TestResult());", "test_failed: From In [28] (cell_index 27): a test failed: unittest: 1 of 1 failed."},
	{"threading.excepthook = lambda args: None\nhidden = threading.Thread(target=int, args=('q',))\nhidden.start()\nhidden.join()", "thread_failed: From In [29] (cell_index 28): a thread ended with ValueError: invalid literal for int() with base 10: 'q'."},
	{"%store -r never_stored", "command_failed: From In [30] (cell_index 29): %store -r found nothing stored as never_stored."},
	{"class Several:\n    def __repr__(self): raise ExceptionGroup('several', [KeyError('x')])\ndisplay(Several())", "exception_ignored: From In [31] (cell_index 30): Python printed and ignored ExceptionGroup: several (1 sub-exception) in showing an object."},
	{"class Table:\n    def _repr_html_(self): return 7\nTable()", "value_not_shown: From In [32] (cell_index 31): what class Table gives as text/html is of type int, so that it is not shown."},
	{"class Bundle:\n    def _repr_mimebundle_(self, **_): return 'no'\ndisplay(Bundle())", "value_not_shown: From In [33] (cell_index 32): what class Bundle gives as"},
	{"class Counts:\n    def _repr_mimebundle_(self, **_): return {'text/plain': 5}\nCounts()", "value_not_shown: From In [34] (cell_index 33): what class Counts gives as text/plain is of type int, so that it is not shown."},
	{"class Odd:\n    def _repr_mimebundle_(self, **_): return {'text/plain': 'x'}, 5\nOdd()", "value_not_shown: From In [35] (cell_index 34): what class Odd gives as metadata is of type int instead of dict, so that it is left out."},
	{"class Parts:\n    def _repr_html_(self): return 'x', 1, 2\ndisplay(Parts())", "value_not_shown: From In [36] (cell_index 35): what class Parts gives as text/html is of type tuple and holds one of type int, so that it is not shown."},
	{"shown = display(1, display_id=True)\nshown.update({'text/plain': 7}, raw=True)", "value_not_shown: From In [37] (cell_index 36): what display() was given as text/plain is of type int, so that it is not shown."},
}

// What Python reports anywhere but in the cell is told, once, and of its cell.
func TestFaultsThatPythonReportsElsewhere(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	cells := []cell{}
	for _, c := range failing {
		cells = append(cells, cell{c.source})
	}
	result := h.call("validator.run_execution", `{"notebook_path":"`+writeNotebook(t, "", cells...)+`"}`, "")
	var warnings []string
	for _, w := range result.Warnings {
		warnings = append(warnings, w.Code+": "+w.Message)
	}
	all := strings.Join(warnings, "\n")
	for _, c := range failing {
		if strings.Count(all, c.warns) != 1 {
			t.Errorf("%q is told %d times", c.warns, strings.Count(all, c.warns))
		}
	}
	if len(warnings) != len(failing) {
		t.Errorf("%d warnings of %d failures", len(warnings), len(failing))
	}
	if t.Failed() {
		t.Log(result.Errors, all)
	}
	if result.Evidence.Trust() != "suspect" {
		t.Errorf("%s: %s", result.Evidence.Trust(), result.Summary)
	}
}

// A cell whose value cannot be shown fails with the exception of the method that was to
// show it, wherever Python and IPython look for one.
func TestValuesThatCannotBeShown(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	for _, c := range []struct{ method, raises, name, value string }{
		{"__repr__", "KeyError('x')", "KeyError", "'x'"},
		{"_repr_html_", "ValueError('no table')", "ValueError", "no table"},
		{"_repr_mimebundle_", "LookupError('y')", "LookupError", "y"},
		{"_ipython_display_", "TypeError('z')", "TypeError", "z"},
		{"_repr_html_", "ExceptionGroup('several', [KeyError('x')])", "ExceptionGroup", "several (1 sub-exception)"},
	} {
		class := "class Shown:\n    def " + c.method + "(self, *_, **__): raise " + c.raises
		result := h.call("validator.run_execution", `{"notebook_path":"`+writeNotebook(t, "", cell{class}, cell{"Shown()"})+`"}`, "")
		if want := "In [2] (cell_index 1) raised " + c.name + ": " + c.value + "."; !strings.HasPrefix(result.Summary, want) {
			t.Errorf("%s: %s", c.method, result.Summary)
		}
	}
	// The frames of IPython, which Python's own traceback of a group has, are no lines of the cell.
	if r := execute(h, writeNotebook(t, "", cell{"x = 1\nraise ExceptionGroup('two', [KeyError('x')])"}), nil); r.Failure == nil || r.Failure.Line != 2 {
		t.Errorf("%+v", r.Failure)
	}
}

// What the notebook reads, catches, awaits or ends itself is no fault, and neither is
// what a library leaves unread.
func TestFaultsThatTheNotebookDealsWith(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	r := execute(h, writeNotebook(t, "",
		cell{"import subprocess, os, sys\nif subprocess.run(['false']).returncode == 1: print('read')"},
		cell{"try: subprocess.run(['false'], check=True)\nexcept subprocess.CalledProcessError: pass"},
		cell{"try: subprocess.check_output('exit 3', shell=True)\nexcept subprocess.CalledProcessError: pass"},
		cell{"status = os.system('exit 3')\nif subprocess.call(['false']): print('read')"},
		cell{"status, text = subprocess.getstatusoutput('exit 3')"},
		cell{"p = subprocess.Popen(['sleep', '60'])\np.terminate()\np.wait();"},
		cell{"p = subprocess.Popen(['false'])\np.wait()\nprint(p.returncode)"},
		cell{"p = subprocess.Popen(['false'])\nassert p.wait() == 1"},
		cell{"try: subprocess.run(['a-program-that-is-nowhere'])\nexcept FileNotFoundError: pass"},
		cell{"import asyncio\nchild = await asyncio.create_subprocess_exec('false')\nawait child.communicate()\nassert child.returncode == 1"},
		cell{"child = await asyncio.create_subprocess_exec('false')\nassert await child.wait() == 1"},
		cell{"import ctypes.util\nctypes.util.find_library('no-library-of-this-name')"},
		cell{"from concurrent.futures import ThreadPoolExecutor, as_completed\nwith ThreadPoolExecutor(1) as pool: jobs = [pool.submit(int, 'x') for _ in range(3)]\nprint([type(job.exception()) for job in as_completed(jobs)])"},
		cell{"try: jobs[0].result()\nexcept ValueError: pass\ntry: await asyncio.to_thread(int, 'x')\nexcept ValueError: pass"},
		cell{"async def f(): return 1\ncoroutine = f()\nassert await coroutine == 1\nasync def g(): await asyncio.sleep(60)\ntask = asyncio.create_task(g())\ntask.cancel();"},
		cell{"import atexit\natexit.register(lambda: open('left.txt', 'w').write('done'))\nwrong = lambda: 1/0\natexit.register(wrong)\natexit.unregister(wrong)"},
		cell{"class Closes:\n    def __del__(self): pass\nCloses();"},
		cell{"import signal\np = subprocess.Popen(['sleep', '60'], start_new_session=True)\nos.killpg(p.pid, signal.SIGKILL)\np.wait();"},
		cell{"try: subprocess.run(['sleep', '60'], timeout=0.1)\nexcept subprocess.TimeoutExpired: pass"},
		cell{"import multiprocessing, time\nkilled = multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))\nkilled.start()\nkilled.kill()\nkilled.join()"},
		cell{"%cd ."},
		cell{"kept = 1\n%store kept\ndel kept\n%store -r kept\nassert kept == 1"},
		cell{"import unittest\nclass Known(unittest.TestCase):\n    @unittest.expectedFailure\n    def test_a(self): self.assertEqual(1, 2)\nunittest.main(argv=['x'], exit=False);"},
	), nil)
	if r.Evidence.Trust != "verified" {
		t.Errorf("%s %v %+v", r.Evidence.Trust, r.Evidence.Reasons, r.Failure)
	}
	if len(r.Artifacts) != 1 || r.Artifacts[0].Name != "files/left.txt" {
		t.Errorf("atexit wrote %v", r.Artifacts)
	}
}

// A cell of comments does nothing: it counts as no code.
func TestCommentsAreNoCode(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	if r := execute(h, writeNotebook(t, "", cell{"# first\n\n  # second"}, cell{"x = '''\n# text'''"}), nil); r.Run != 1 || r.Total != 1 || r.Evidence.Trust != "verified" {
		t.Errorf("%d of %d ran, %s", r.Run, r.Total, r.Evidence.Trust)
	}
	if r := execute(h, writeNotebook(t, "", cell{"# print(1)"}), nil); r.Run != 0 || r.Evidence.Trust != "suspect" {
		t.Errorf("%d ran, %s", r.Run, r.Evidence.Trust)
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

// An output that cannot be kept, as it is over the bound of a cell or of no form that a
// notebook has, leaves a note in its cell; the kernel is well, and the cells after it run.
func TestOutputsThatCannotBeKept(t *testing.T) {
	needKernel(t)
	path := writeNotebook(t, "", cell{"from IPython.display import HTML\ndisplay(HTML('x' * 2_000_000))"},
		cell{"shell = get_ipython()\nshell.kernel.session.send(shell.kernel.iopub_socket, 'display_data', {'data': {'text/plain': 5}, 'metadata': {}}, parent=shell.parent_header);"}, cell{"print('after')"})
	r := execute(newFixture(t, nil), path, nil)
	if len(r.Cells) != 3 || !r.OK {
		t.Fatalf("%+v", r)
	}
	for i, note := range []string{"more output was left out", "not of the types that a notebook can hold", "after"} {
		if !strings.Contains(r.Cells[i].Output, note) {
			t.Errorf("cell %d: %q is not in %q", i, note, r.Cells[i].Output)
		}
	}
}
