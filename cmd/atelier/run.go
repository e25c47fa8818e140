package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/session"
)

type runCmd struct {
	storage
	narrowing
	modelFlags
	Words   []string `arg:"" help:"Files to work on, and what is to be done with them, in words."`
	Approve string   `help:"Which calls need a confirmation before they run: never, destructive or always." enum:"never,destructive,always" default:"never"`
	Keep    string   `help:"Folder to copy the session's files and its manifest into." type:"path"`
	JSON    bool     `help:"Print every event as a line of JSON instead of words."`

	passing bool // the data folder goes with the run
	in      *bufio.Reader
}

// leftOpen is the error of a run whose question nobody has answered.
type leftOpen struct{ error }

// Run exits with 0 when the work was done, and with 2 when a question of it was left open.
func (c *runCmd) Run() error {
	files, prompt := c.split()
	if name := c.missing(); name != "" {
		return fmt.Errorf("there is no file %s: name the files first, then what is to be done with them", name)
	}
	if prompt == "" {
		return fmt.Errorf(`say what is to be done, e.g. atelier run part.step "steel, fixed at the bottom, 500 N on top, show the stress"`)
	}
	c.in = bufio.NewReader(os.Stdin)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.Database == "" { // beside a server that holds the database's lock
		dir, err := os.MkdirTemp("", "atelier-run-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		c.Data, c.passing = dir, true
	}
	a, err := open(ctx, setup{storage: c.storage, narrowing: c.narrowing, modelFlags: c.modelFlags})
	if err != nil {
		return err
	}
	err = c.work(ctx, a, files, prompt)
	if closeErr := a.close(context.Background()); err == nil {
		err = closeErr
	}
	return err
}

// split takes the leading words that are files as files.
func (c *runCmd) split() (files []string, prompt string) {
	words := c.Words
	for len(words) > 0 {
		info, err := os.Stat(words[0])
		if err != nil || info.IsDir() {
			break
		}
		files, words = append(files, words[0]), words[1:]
	}
	return files, strings.TrimSpace(strings.Join(words, " "))
}

var fileName = regexp.MustCompile(`(?i)^\S+\.(step|stp|iges|igs|brep|stl|obj|ply|off|glb|mesh|vtu|csv|parquet|cir|ipynb)$`)

// missing is the word that names a file which is not there; "" for none.
func (c *runCmd) missing() string {
	for _, word := range c.Words {
		if _, err := os.Stat(word); err == nil {
			continue
		}
		if fileName.MatchString(word) {
			return word
		}
		break // the words of the task begin
	}
	return ""
}

func (c *runCmd) work(ctx context.Context, a *app, files []string, prompt string) error {
	var uploads []session.Upload
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		upload, err := a.sessions.Put(ctx, filepath.Base(name), f)
		f.Close()
		if err != nil {
			return err
		}
		uploads = append(uploads, upload)
	}
	m, err := a.sessions.Create(ctx, uploads, nil)
	if err != nil {
		return err
	}
	for {
		if err = c.turn(ctx, a, m.SessionID, prompt); err != nil {
			break
		}
		if m, err = a.sessions.Get(ctx, m.SessionID); err != nil || !agent.Asks(m) {
			break
		}
		if prompt = c.answer(); prompt == "" {
			err = leftOpen{errors.New("a question is open, so nothing was run: answer it on the terminal, or say it with the rest")}
			break
		}
	}
	if kept := c.exportFiles(context.WithoutCancel(ctx), a, m.SessionID); err == nil {
		err = kept
	}
	return err
}

// answer is the next line that is typed or piped; "" where there is none.
func (c *runCmd) answer() string {
	if terminal(os.Stdin) {
		fmt.Fprint(os.Stderr, "\n> ")
	}
	line, _ := c.in.ReadString('\n') // the end of the input answers nothing
	return strings.TrimSpace(line)
}

// turn works on one prompt and shows what happens.
func (c *runCmd) turn(ctx context.Context, a *app, id, prompt string) error {
	turn, err := a.sessions.Start(ctx, id, session.Turn{Prompt: prompt, Approve: c.Approve})
	if err != nil {
		return err
	}
	ended := context.AfterFunc(ctx, func() { _, _ = a.sessions.Cancel(context.WithoutCancel(ctx), id) }) // it has ended by itself, else
	defer ended()
	show := &progressPrinter{out: os.Stdout, json: c.JSON, began: time.Now(), live: terminal(os.Stdout)}
	for e := range turn.Events(context.WithoutCancel(ctx)) {
		show.print(e)
		if e.Type == session.ApprovalRequired {
			if err := c.ask(context.WithoutCancel(ctx), a, id, e); err != nil {
				return err
			}
		}
	}
	<-turn.Done()
	if status, _, fault := turn.End(); status != "completed" {
		if fault != nil {
			return fault
		}
		return contract.Errorf(contract.CodeCancelled, "the run was %s", status)
	}
	return nil
}

// ask lets the person decide about a call whose arguments have been shown.
func (c *runCmd) ask(ctx context.Context, a *app, id string, e session.Event) error {
	var asked struct {
		StepID string `json:"step_id"`
	}
	if err := json.Unmarshal(e.Data, &asked); err != nil {
		return err
	}
	fmt.Fprint(os.Stderr, "Run it? [y/N] ")
	word, _ := c.in.ReadString('\n') // nothing said is a no
	_, err := a.sessions.Decide(ctx, id, asked.StepID, strings.HasPrefix(strings.ToLower(strings.TrimSpace(word)), "y"))
	if err != nil && contract.AsError(err).Code == contract.CodeConflict {
		return nil // the run was cancelled meanwhile
	}
	return err
}

// exportFiles copies what the session holds at its end.
func (c *runCmd) exportFiles(ctx context.Context, a *app, id string) error {
	if c.Keep == "" {
		if c.passing {
			fmt.Fprintln(os.Stderr, "The files of this run are not kept; --keep FOLDER copies them there.")
		}
		return nil
	}
	m, err := a.sessions.Get(ctx, id)
	if err != nil {
		return err
	}
	for _, asset := range m.AssetDetails {
		if err := copyContent(ctx, a, asset.SHA256, filepath.Join(c.Keep, filepath.FromSlash(asset.Path))); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.MkdirAll(c.Keep, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Keep, session.ManifestName), append(raw, '\n'), 0o644)
	}
	if err == nil {
		fmt.Fprintln(os.Stderr, "The files are in", c.Keep+".")
	}
	return err
}

// progressPrinter tells the events of a run on a terminal, or as lines in a log.
type progressPrinter struct {
	out   io.Writer
	json  bool
	live  bool // the last line may be written over
	began time.Time
	open  bool // a line of progress stands there
	text  bool // the last that was written is text without its end
}

type toldEvent struct {
	Delta    string          `json:"delta"`
	Tool     string          `json:"tool_name"`
	Duration *float64        `json:"duration_ms"`
	Status   string          `json:"status"`
	Summary  string          `json:"summary"`
	Fraction *float64        `json:"fraction"`
	Message  string          `json:"message"`
	Reason   string          `json:"reason"`
	Code     string          `json:"code"`
	Input    json.RawMessage `json:"input"`
}

func (t *progressPrinter) print(e session.Event) {
	if t.json {
		raw, _ := json.Marshal(map[string]any{"seq": e.Seq, "event": e.Type, "data": e.Data}) // data is JSON
		fmt.Fprintln(t.out, string(raw))
		return
	}
	var d toldEvent
	if e.Type == session.StateUpdate || json.Unmarshal(e.Data, &d) != nil {
		return
	}
	switch e.Type {
	case session.TextDelta:
		t.clear()
		fmt.Fprint(t.out, d.Delta)
		t.text = !strings.HasSuffix(d.Delta, "\n")
	case session.ToolCallStart:
		t.over("  %s …", d.Tool)
	case session.Progress:
		t.progress(d)
	case session.ToolCallComplete:
		t.line("  %s %s in %s: %s", d.Tool, d.Status, seconds(d.Duration), d.Summary)
	case session.ApprovalRequired:
		t.line("  %s waits for your approval (%s) with %s", d.Tool, d.Reason, d.Input)
	case session.Failure:
		t.line("  %s: %s", d.Code, d.Message)
	case session.AgentDone:
		t.line("%s after %.1f s", d.Status, time.Since(t.began).Seconds())
	}
}

// progress is shown only where it can be written over.
func (t *progressPrinter) progress(d toldEvent) {
	bar := ""
	if d.Fraction != nil {
		const width = 20
		n := int(min(max(*d.Fraction, 0), 1) * width)
		bar = fmt.Sprintf("[%s%s] %3.0f %% ", strings.Repeat("#", n), strings.Repeat(".", width-n), *d.Fraction*100)
	}
	name := d.Tool
	if name != "" {
		name += " "
	}
	t.over("  %s%s%s", name, bar, d.Message)
}

func seconds(ms *float64) string {
	if ms == nil {
		return "no time"
	}
	return fmt.Sprintf("%.2f s", *ms/1000)
}

func (t *progressPrinter) clear() {
	if t.open {
		fmt.Fprint(t.out, "\r\x1b[K")
		t.open = false
	}
}

// over writes a line that the next one replaces.
func (t *progressPrinter) over(format string, args ...any) {
	if !t.live {
		return
	}
	t.end()
	line := []rune(fmt.Sprintf(format, args...))
	fmt.Fprint(t.out, string(line[:min(len(line), 100)]))
	t.open = true
}

func (t *progressPrinter) line(format string, args ...any) {
	t.end()
	fmt.Fprintf(t.out, format+"\n", args...)
}

// end leaves a fresh line.
func (t *progressPrinter) end() {
	t.clear()
	if t.text {
		fmt.Fprintln(t.out)
		t.text = false
	}
}

// terminal says whether a person may be looking.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
