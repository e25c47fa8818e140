package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/store"
	"atelier/internal/study"
	"atelier/internal/tools"
)

type workerCmd struct {
	storage
	modelFlags
	Queues      map[string]int `help:"Engines whose queues to serve, with jobs at once; default: every engine that is installed, one at once." env:"ATELIER_QUEUES"`
	StopTimeout time.Duration  `help:"How long running jobs may continue after a stop was requested." env:"ATELIER_STOP_TIMEOUT" default:"20s"`
}

func (c *workerCmd) Run() error {
	if !strings.HasPrefix(c.Database, "postgres") {
		return fmt.Errorf("a worker needs --database postgres://…; with SQLite the server itself runs the jobs")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	queues := c.Queues
	if queues == nil {
		queues = installedQueues(c.storage)
	}
	a, err := open(ctx, setup{storage: c.storage, modelFlags: c.modelFlags, queues: queues})
	if err != nil {
		return err
	}
	a.backends.Start()
	fmt.Printf("atelier %s worker serves %v\n", version, queues)
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.Background(), c.StopTimeout)
	defer cancel()
	return a.close(ending)
}

// installedQueues are the engines that this machine has, one job at once each.
func installedQueues(s storage) map[string]int {
	queues := map[string]int{}
	if s.Engines == "" {
		s.Engines = findEngines()
	}
	host, err := newHost(s, s.workDir(), nil)
	if err != nil {
		return queues
	}
	defer host.Close()
	backends, err := newBackends(s)
	if err != nil {
		return queues
	}
	list, err := s.allTools(tools.Parts{Host: host, Models: backends})
	if err != nil {
		return queues
	}
	for _, tool := range list {
		if name := tool.Contract.Engine; name != "atelier" && (tool.Available == nil || tool.Available() == nil) {
			queues[name] = 1
		}
	}
	for _, spec := range host.Engines() {
		if host.Check(spec.Name) == nil {
			queues[spec.Name] = 1
		}
	}
	for name, atOnce := range waiting {
		if queues[name] > 0 {
			queues[name] = atOnce
		}
	}
	return queues
}

type callCmd struct {
	storage
	Tool   string `arg:"" help:"Name or alias of the tool."`
	Given  string `arg:"" optional:"" name:"input" help:"The input as JSON, or @FILE, or @- for standard input. Default: {}."`
	Input  string `help:"The same as a flag."`
	Limits string `help:"Limits as JSON, any subset."`
	Keep   string `help:"Folder to copy the artifacts into." type:"path"`

	passing bool // the job and its artifacts go with the call
}

// Run exits with 0 when the result's status is ok and with 1 when it is error.
func (c *callCmd) Run() error {
	if c.Given != "" && c.Input != "" {
		return errors.New("the input is given twice: after the tool's name and by --input; leave one out")
	}
	input, err := readInput(cmp.Or(c.Given, c.Input, "{}"))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, release, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer release()
	result, jobID := c.submit(ctx, a, input)
	c.hintAtJobs(result, input)
	out, err := json.MarshalIndent(result.ToolResult(jobID), "", "  ")
	if err == nil {
		fmt.Println(string(out))
		err = c.saveArtifacts(ctx, a, jobID)
	}
	if closeErr := a.close(context.Background()); err == nil {
		err = closeErr
	}
	if err == nil && result.Status == contract.StatusError {
		return fmt.Errorf("%s ended with an error", c.Tool)
	}
	return err
}

// keepCalls is how long the jobs of calls are kept.
const keepCalls = 7 * 24 * time.Hour

// open opens a data folder of calls beside that of a server, so that a call finds what earlier
// ones have made; while another call runs there, one that goes with this call.
func (c *callCmd) open(ctx context.Context) (a *app, release func(), err error) {
	own, release := c.storage, func() {}
	if c.Database == "" {
		own.Data = filepath.Join(c.Data, "calls")
	}
	a, err = open(ctx, setup{storage: own, only: c.Tool, warm: cold})
	if err == nil {
		if c.Database == "" { // what fails is tried again by the next call
			ages := map[string]time.Duration{study.Kind: keepCalls, study.RunKind: keepCalls, study.StepKind: keepCalls}
			_, _ = a.blobs.Sweep(ctx, store.Policy{JobAge: keepCalls, FileAge: keepCalls, SessionAge: keepCalls, DocumentAge: ages})
		}
		return a, release, nil
	}
	if c.Database != "" || contract.AsError(err).Code != contract.CodeConflict {
		return nil, nil, err
	}
	if own.Data, err = os.MkdirTemp("", "atelier-call-"); err != nil {
		return nil, nil, err
	}
	c.passing = true
	release = func() { _ = os.RemoveAll(own.Data) }
	if a, err = open(ctx, setup{storage: own, only: c.Tool, warm: cold}); err != nil {
		release()
		return nil, nil, err
	}
	return a, release, nil
}

func (c *callCmd) submit(ctx context.Context, a *app, input []byte) (*contract.Result, string) {
	done, err := a.jobs.Submit(ctx, job.Request{Tool: c.Tool, Input: input, Limits: json.RawMessage(c.Limits)})
	if err != nil {
		return contract.Failure("atelier", contract.ErrorsOf(err)...), ""
	}
	asked := contract.LimitWords(func(name string) string { return fmt.Sprintf(`--limits '{"%s": …}'`, name) })
	return asked.Result(view.Result(done)), done.ID
}

// jobReference is the id of a job in an input, as such or in the URL of an artifact.
var jobReference = regexp.MustCompile(`\bjob_[0-9a-z]{20,}`)

// hintAtJobs says where the jobs of other calls are, to a call that knows of none.
func (c *callCmd) hintAtJobs(result *contract.Result, input []byte) {
	if !c.passing || !jobReference.Match(input) {
		return
	}
	for _, e := range result.Errors {
		if e.Code == contract.CodeNotFound || e.Code == contract.CodeFileNotFound {
			e.WithHint("Another atelier call runs, so this one works in a folder of its own and knows of no other job. Wait for its end, or give --database FILE to this call and to the one that made the job.")
		}
	}
}

func readInput(text string) ([]byte, error) {
	name, isFile := strings.CutPrefix(text, "@")
	switch {
	case !isFile:
		return []byte(text), nil
	case name == "-":
		return io.ReadAll(os.Stdin)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		err = fmt.Errorf("input @%s: %w; @FILE names a file that holds the input as JSON", name, err)
	}
	return content, err
}

func (c *callCmd) saveArtifacts(ctx context.Context, a *app, jobID string) error {
	if c.Keep == "" || jobID == "" {
		return nil
	}
	artifacts, err := a.db.Artifacts(ctx, jobID)
	if err != nil {
		return err
	}
	for _, art := range artifacts {
		if err := copyContent(ctx, a, art.SHA256, filepath.Join(c.Keep, filepath.FromSlash(art.Name))); err != nil {
			return err
		}
	}
	return nil
}

// copyContent writes a stored content to a file, making its folder.
func copyContent(ctx context.Context, a *app, sha, to string) error {
	from, err := a.blobs.LocalPath(ctx, sha)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}

type toolsCmd struct {
	storage
	Name string `arg:"" optional:"" help:"Show this tool's whole contract."`
	JSON bool   `help:"Print the answer of GET /v1/tools."`
}

func (c *toolsCmd) Run() error {
	if c.Engines == "" {
		c.Engines = findEngines()
	}
	host, err := newHost(c.storage, c.workDir(), nil)
	if err != nil {
		return err
	}
	defer host.Close()
	backends, err := newBackends(c.storage)
	if err != nil {
		return err
	}
	list, err := c.allTools(tools.Parts{Host: host, Models: backends})
	if err != nil {
		return err
	}
	registry, err := contract.NewRegistry(list)
	if err != nil {
		return err
	}
	var shown any
	switch {
	case c.Name != "":
		tool, err := registry.Find(c.Name)
		if err != nil {
			return err
		}
		shown = contract.Whole(tool)
	case c.JSON:
		list := []contract.Descriptor{}
		for _, t := range registry.All() {
			list = append(list, t.Contract.Descriptor())
		}
		shown = contract.ToolList{Tools: list, Availability: contract.AvailabilityOf(registry.All(), (*contract.Contract).ID)}
	default:
		w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
		for _, t := range registry.All() {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.Contract.Name, t.Contract.Version, t.Contract.Stability, t.Contract.Title, t.Availability())
		}
		return w.Flush()
	}
	out, err := json.MarshalIndent(shown, "", "  ")
	if err == nil {
		fmt.Println(string(out))
	}
	return err
}

type versionCmd struct{}

func (versionCmd) Run() error {
	info, _ := debug.ReadBuildInfo()
	fmt.Printf("atelier %s %s\n", version, info.GoVersion)
	return nil
}
