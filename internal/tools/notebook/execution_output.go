package notebook

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/ipynb"
)

type executeOutput struct {
	OK               bool            `json:"ok"`
	CellsRun         int             `json:"cells_run"`
	CellsTotal       int             `json:"cells_total"`
	Failure          *failedCell     `json:"failure"`
	Cells            []cellRow       `json:"cells"`
	CellsLeftOut     int             `json:"cells_left_out"`
	Seconds          float64         `json:"seconds"`
	ExecutedNotebook string          `json:"executed_notebook"`
	ExecutedURL      string          `json:"executed_url"`
	HTMLURL          string          `json:"html_url"`
	ReceiptURL       string          `json:"receipt_url"`
	Receipt          receiptRow      `json:"receipt"`
	Artifacts        []madeRow       `json:"artifacts"`
	Execution        ipynb.Execution `json:"execution"`
	Previous         ipynb.Execution `json:"previous"`
}

type failedCell struct {
	Code      string   `json:"code"`
	Index     int      `json:"cell_index"`
	Count     *int     `json:"execution_count"`
	ID        string   `json:"cell_id"`
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	Line      *int     `json:"line"`
}

type cellRow struct {
	Index   int     `json:"cell_index"`
	Count   *int    `json:"execution_count"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Output  string  `json:"output"`
}

type receiptRow struct {
	Python             string            `json:"python"`
	Platform           string            `json:"platform"`
	Packages           map[string]string `json:"packages"`
	SourceSHA256       string            `json:"source_sha256"`
	ParametersInjected bool              `json:"parameters_injected"`
}

type madeRow struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Index int    `json:"cell_index"`
}

// The inline answer stays within about a thousand tokens; the receipt and the
// executed notebook have everything.
const (
	mostRows      = 16
	mostOutput    = 1200 // characters of all outputs
	mostOfOne     = 240
	mostTraceback = 1000
	mostFiles     = 12
	mostPackages  = 16
)

// output reads what the engine left, and fills the receipt.
func (r *run) output(reply *engineReply) executeOutput {
	r.receipt = ipynb.Receipt{SchemaVersion: "1.0.0", OK: true, Complete: true, SourceSHA256: ipynb.CodeHash(r.nb), Python: reply.Python, Implementation: reply.Implementation,
		Platform: reply.Platform, Packages: reply.Packages, Parameters: r.in.Parameters, Cells: ipynb.CodeCells(r.nb), Artifacts: []ipynb.MadeFile{}}
	if r.receipt.Packages == nil {
		r.receipt.Packages = map[string]string{}
	}
	out := executeOutput{OK: true, CellsTotal: len(r.receipt.Cells), Cells: []cellRow{}, Artifacts: []madeRow{}}
	for i := range reply.Cells {
		cell := &reply.Cells[i]
		if cell.Index != r.injected || r.replaced {
			r.record(cell, &out)
		}
		if cell.State == "ok" && cell.Raised != "" {
			r.allowed = append(r.allowed, fmt.Sprintf("%s shows %s", r.named(r.given(cell.Index)), clip(cell.Raised, 120)))
		}
		if cell.Cut {
			r.warnings = append(r.warnings, contract.Warning{Code: "output_cut", Message: fmt.Sprintf("More than 1 MB was written by %s; the rest was left out.", r.named(r.given(cell.Index)))})
		}
		if cell.Error != nil && out.Failure == nil {
			out.OK, r.receipt.OK = false, false
			out.Failure = r.failureOf(cell)
			r.receipt.Code, r.receipt.FailedCell = out.Failure.Code, &out.Failure.Index
		}
	}
	r.tell(reply.Faults)
	r.receipt.Unseen = r.unseen()
	for i := range r.receipt.Cells {
		r.receipt.Complete = r.receipt.Complete && slices.Contains([]string{"ok", "error"}, r.receipt.Cells[i].State)
	}
	out.rows(r)
	out.Receipt = receiptRow{reply.Python, reply.Platform, some(r.receipt.Packages), r.receipt.SourceSHA256, r.injected >= 0}
	return out
}

// some are at most mostPackages of the packages, by name.
func some(all map[string]string) map[string]string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	few := map[string]string{}
	for _, name := range names[:min(len(names), mostPackages)] {
		few[name] = all[name]
	}
	return few
}

// record enters what the engine says of a cell into the receipt.
func (r *run) record(cell *engineCell, out *executeOutput) {
	at := r.given(cell.Index)
	i := slices.IndexFunc(r.receipt.Cells, func(c ipynb.ReceiptCell) bool { return c.Index == at })
	if i < 0 { // an empty cell
		return
	}
	c := &r.receipt.Cells[i]
	c.State, c.Seconds = cell.State, cell.Seconds
	out.Seconds += cell.Seconds
	if cell.State == "ok" || cell.State == "error" || cell.State == "stopped" {
		out.CellsRun++
		if r.executed != nil && cell.Index < len(r.executed.Cells) {
			c.OutputSHA256 = ipynb.Hash(r.executed.Cells[cell.Index].Fields["outputs"])
		}
	}
}

// noInput is what input() and getpass() raise in a kernel that nobody watches.
const noInput = "StdinNotImplementedError"

// insteadOfInput says how a value reaches a notebook that asks for it.
const insteadOfInput = "Set a default in a cell tagged parameters, use that name instead of input(), and give its value in the argument parameters."

func (r *run) failureOf(cell *engineCell) *failedCell {
	code := ipynb.CodeCellFailed
	if cell.Error.Name == "MemoryError" {
		code = contract.CodeMemoryExceeded
	}
	at := r.given(cell.Index)
	if cell.Error.Name == noInput {
		r.warnings = append(r.warnings, contract.Warning{Code: "input_unanswered", Message: fmt.Sprintf(
			"From %s: input() waits for a person, and nobody answers in a run. %s", r.named(at), insteadOfInput)})
	}
	f := &failedCell{Code: code, Index: at, Name: clip(cell.Error.Name, 120), Value: clip(cell.Error.Value, 400), Line: cell.Error.Line, Traceback: lastLines(cell.Error.Traceback)}
	if n := r.count(at); n > 0 {
		f.Count = &n
	}
	if at < len(r.nb.Cells) {
		f.ID = r.nb.Cells[at].ID()
	}
	return f
}

// lastLines keeps the end of a traceback, where the reason stands.
func lastLines(lines []string) []string {
	total := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if total += len(lines[i]) + 1; total > mostTraceback {
			return append([]string{"[…]"}, lines[i+1:]...)
		}
	}
	return append([]string{}, lines...)
}

// rows are the cells with what they show, as many as there is room for.
func (o *executeOutput) rows(r *run) {
	room := mostOutput
	for _, c := range r.receipt.Cells {
		if len(o.Cells) == mostRows && (o.Failure == nil || o.Failure.Index != c.Index) {
			o.CellsLeftOut++
			continue
		}
		row := cellRow{Index: c.Index, State: c.State, Seconds: c.Seconds}
		if n := r.count(c.Index); n > 0 && c.State != "not_run" && c.State != "skipped" {
			row.Count = &n
		}
		if at := r.place(c.Index); r.executed != nil && at < len(r.executed.Cells) && c.State != "not_run" {
			row.Output = clip(strings.TrimSpace(r.executed.Cells[at].Shown()), min(mostOfOne, room))
			room -= utf8.RuneCountInString(row.Output)
		}
		o.Cells = append(o.Cells, row)
	}
}

// place is the inverse of given.
func (r *run) place(index int) int {
	if r.injected >= 0 && !r.replaced && index >= r.injected {
		return index + 1
	}
	return index
}

// clip cuts a text to so many characters.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	if most < 1 {
		return ""
	}
	return string([]rune(s)[:most-1]) + "…"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// read is the notebook with its outputs as the engine left it; nil where it left
// none.
func (r *run) read() *ipynb.Existing {
	content := r.load(executedName)
	if content == nil {
		return nil
	}
	nb, err := ipynb.Read(content)
	if err != nil {
		return nil // a cell wrote over it; the kernel may write into its job's folder
	}
	return nb
}

// load reads a file of the job's folder that cells may have tampered with.
func (r *run) load(name string) []byte {
	root, err := os.OpenRoot(r.call.Dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxExecuted+1))
	if err != nil || len(content) > maxExecuted {
		return nil
	}
	return content
}

// maxExecuted bounds the notebook with outputs: what a run may keep of them, and
// the largest notebook that is read.
const maxExecuted = 512 << 20

// files names the artifacts: the executed notebook, its page, and what cells made.
func (r *run) files(reply *engineReply, out *executeOutput) error {
	if r.executed != nil {
		content, err := r.executed.Bytes()
		if err != nil {
			return err
		}
		if out.ExecutedNotebook, err = r.family.writeFile(r.folder, executedName, content); err != nil {
			return err
		}
		page, err := r.executed.HTML(strings.TrimSuffix(filepath.Base(r.in.NotebookPath), ".ipynb"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.call.Dir, executedPage), page, 0o600); err != nil {
			return err
		}
		out.ExecutedURL, out.HTMLURL = contract.ArtifactURL(r.call.JobID, executedName), contract.ArtifactURL(r.call.JobID, executedPage)
		r.artifacts = append(r.artifacts, artifact(executedName, true), artifact(executedPage, false))
	}
	made := map[string]int{}
	var names []string
	for _, cell := range reply.Cells {
		for _, file := range cell.Files {
			name := workFolder + "/" + filepath.ToSlash(file)
			if _, known := made[name]; !known {
				names = append(names, name)
			}
			made[name] = r.given(cell.Index)
		}
	}
	return r.made(names, made, out)
}

// made enters the files that cells made and that are still there.
func (r *run) made(names []string, cell map[string]int, out *executeOutput) error {
	root, err := os.OpenRoot(r.call.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	room := int(r.call.Limits.MaxArtifacts) - 3 // the notebook, its page and the receipt
	for i, name := range names {
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if i >= room {
			r.warnings = append(r.warnings, contract.Warning{Code: "artifact_removed", Message: fmt.Sprintf("The cells made %d files; only %d were kept. Raise limits.max_artifacts.", len(names), room)})
			break
		}
		file := ipynb.MadeFile{Name: name, Cell: cell[name]}
		if info.Size() <= r.call.Limits.MaxArtifactBytes {
			file.SHA256 = ipynb.Hash(r.load(name))
		}
		r.receipt.Artifacts = append(r.receipt.Artifacts, file)
		r.artifacts = append(r.artifacts, artifact(name, false))
		if len(out.Artifacts) < mostFiles {
			out.Artifacts = append(out.Artifacts, madeRow{name, contract.ArtifactURL(r.call.JobID, name), file.Cell})
		}
	}
	return nil
}

func artifact(name string, primary bool) contract.Artifact {
	return contract.Artifact{Name: name, MIME: contract.MIMEType(name), Primary: primary}
}

func (r *run) writeReceipt(out *executeOutput) error {
	content, err := json.MarshalIndent(&r.receipt, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.call.Dir, receiptName), append(content, '\n'), 0o600); err != nil {
		return err
	}
	out.ReceiptURL = contract.ArtifactURL(r.call.JobID, receiptName)
	r.artifacts = append(r.artifacts, artifact(receiptName, false))
	return nil
}

func (r *run) summary(o *executeOutput) string {
	if f := o.Failure; f != nil {
		text := fmt.Sprintf("%s raised %s: %s. %d of %d code cells ran.", r.named(f.Index), f.Name, clip(strings.TrimSuffix(firstLine(f.Value), "."), 120), o.CellsRun, o.CellsTotal)
		if f.Name == noInput {
			text += " " + insteadOfInput
		}
		return text
	}
	if o.CellsTotal == 0 {
		return "The notebook has no code cell: nothing ran."
	}
	text := fmt.Sprintf("%d of %d code cells ran in %.1f s", o.CellsRun, o.CellsTotal, o.Seconds)
	if unseen := r.unseen(); unseen != "" {
		return text + "; but " + unseen + "."
	}
	return text + " without an error."
}
