package jobtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
)

// childVariable makes a test binary a child: a server that takes requests as
// JSON lines on stdin and answers each with the job, until it is killed.
const childVariable = "ATELIER_JOBTEST_CHILD"

type childSetup struct {
	URL, Dir string
	Queues   map[string]int
}

// Main must be called by TestMain of a package that uses Run.
func Main(m *testing.M) {
	if setup := os.Getenv(childVariable); setup != "" {
		fmt.Fprintln(os.Stderr, serveChild(setup)) // it returns only with an error
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveChild(text string) error {
	var setup childSetup
	if err := json.Unmarshal([]byte(text), &setup); err != nil {
		return err
	}
	p, err := open(setup.URL, setup.Dir, func(o *job.Options) { o.Queues = setup.Queues })
	if err != nil {
		return err
	}
	fmt.Println("{}") // ready
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r job.Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		j, err := p.Submit(context.Background(), r)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"id": j.ID, "state": string(j.State)}); err != nil {
			return err
		}
	}
	select {} // until it is killed
}

// child is a server process of its own.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Scanner
}

func (h *cluster) child(queues map[string]int) *child {
	h.t.Helper()
	c := h.spawn(queues)
	if !c.out.Scan() {
		h.t.Fatal("the child did not start")
	}
	return c
}

// spawn does not wait until the child serves.
func (h *cluster) spawn(queues map[string]int) *child {
	h.t.Helper()
	setup, err := json.Marshal(childSetup{h.url, h.dir, queues})
	if err != nil {
		h.t.Fatal(err)
	}
	c := &child{t: h.t, cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), childVariable+"="+string(setup))
	c.cmd.Stderr = os.Stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		h.t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(c.kill)
	return c
}

func (c *child) submit(r job.Request) (id string) {
	c.t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
	var answer struct{ ID string }
	if !c.out.Scan() || json.Unmarshal(c.out.Bytes(), &answer) != nil {
		c.t.Fatalf("the child answered %q", c.out.Text())
	}
	return answer.ID
}

// kill is kill -9: nothing in the child can react.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

var both = map[string]int{"engine": 2, "other": 2}

func killAfterReply(t *testing.T, h *cluster) {
	c := h.child(both)
	var ids []string
	for i := range 20 {
		ids = append(ids, c.submit(request(Quick, Input{Note: fmt.Sprint(i), Files: map[string]string{"a.txt": fmt.Sprint("text ", i)}})))
	}
	ids = append(ids, c.submit(request(Engine, Input{Note: "engine", Events: 3})))
	c.kill()
	p := h.start()
	for _, id := range ids {
		j := p.get(id)
		if j.State != job.Succeeded || j.Result == nil {
			t.Fatalf("%s is %s after the kill, %v", id, j.State, j.Error)
		}
		list, err := p.Artifacts(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if ok, err := p.blobs.Exists(context.Background(), a.SHA256); err != nil || !ok {
				t.Errorf("the content of %s of %s is gone, %v", a.Name, id, err)
			}
		}
	}
	replay, err := p.Events(context.Background(), ids[20], 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, replay); len(got) != 6 { // queued, running, three lines, succeeded
		t.Errorf("the events after the kill are %+v", got)
	}
}

func killMidJob(t *testing.T, h *cluster) {
	c := h.child(map[string]int{"engine": 2})
	again := c.submit(async(request(Engine, Input{Note: "again", Started: h.file("again"), Release: h.file("go")})))
	once := c.submit(async(request(Once, Input{Started: h.file("once"), Release: h.file("go")})))
	queued := c.submit(async(request(Engine, Input{Note: "queued"})))
	quick := c.submit(async(request(Quick, Input{Started: h.file("quick"), Release: h.file("go")})))
	h.eventually("three jobs run", func() bool { return h.lines("again") == 1 && h.lines("once") == 1 && h.lines("quick") == 1 })
	c.kill()
	h.touch("go")
	begun := time.Now()
	p := h.start()
	j := p.finished(again, job.Succeeded)
	if j.Attempt != 2 || j.Interruptions != 1 || h.lines("again") != 2 {
		t.Errorf("the idempotent job ended after %d attempts, %d interruptions, %d starts", j.Attempt, j.Interruptions, h.lines("again"))
	}
	p.finished(queued, job.Succeeded)
	for _, id := range []string{once, quick} {
		if j := p.finished(id, job.Failed); j.Error.Code != contract.CodeInterrupted || j.Error.Hint == "" {
			t.Errorf("%s ended with %v", id, j.Error)
		}
	}
	if h.lines("once") != 1 {
		t.Errorf("a job that must not be repeated was started %d times", h.lines("once"))
	}
	t.Logf("all jobs of the killed process had ended %v after the start of the next", time.Since(begun).Round(time.Millisecond))
}

// poison: a job that kills its process is run at most 1 + MaxReruns times.
func poison(t *testing.T, h *cluster) {
	first := h.child(both)
	id := first.submit(async(request(Engine, Input{Exit: true, Started: h.file("starts")})))
	first.cmd.Wait() // it dies of the job
	for range 2 {
		h.spawn(both).cmd.Wait() // and so do those that take it up
	}
	p := h.start()
	j := p.finished(id, job.Failed)
	if j.Error.Code != contract.CodeInterrupted || j.Interruptions != 3 || h.lines("starts") != 3 {
		t.Errorf("it ended with %v after %d interruptions and %d starts", j.Error, j.Interruptions, h.lines("starts"))
	}
}
