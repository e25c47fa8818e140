package notebook_test

import (
	"strings"
	"testing"
)

// What fails without making a cell fail is told, and takes verified away.
func TestFaultsThatNoCellShows(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	for _, c := range []struct {
		name, says, trust string
		cells             []cell
	}{
		{"tag", "cell 0 shows ZeroDivisionError, though it does not fail", "computed", []cell{{"1/0", "raises-exception"}, {"print(2)"}}},
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
		{"exit", "exit() was called", "computed", []cell{{"exit()"}, {"print(1)"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeNotebook(t, "", c.cells...)
			result := h.call("validator.run_execution", `{"notebook_path":"`+path+`"}`, "")
			r := execute(h, path, nil)
			if !strings.Contains(result.Summary, c.says) || r.Evidence.Trust != c.trust || !r.OK {
				t.Errorf("%s, %s %v", result.Summary, r.Evidence.Trust, r.Evidence.Reasons)
			}
			if strings.Contains(result.Summary, "without an error") != (c.trust == "verified") {
				t.Errorf("%s is %s", result.Summary, c.trust)
			}
		})
	}
}
