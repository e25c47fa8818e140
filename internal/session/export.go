package session

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/job"
	"atelier/internal/store"
)

// Archive is a session that is ready to be written as one zip file: the
// manifest, every asset, each step as a request that can be sent again and as
// the record of its job, and a script that makes the session anew. The same
// session at the same version gives the same names in the same order.
type Archive struct {
	s        *Service
	manifest *Manifest
	assets   []store.Asset
	steps    []archivedStep
	at       time.Time
}

type archivedStep struct {
	Step
	name  string // 001_cad_import_truck
	input json.RawMessage
	job   *job.Job // nil where its record has expired
}

// Export gathers a session for an archive.
func (s *Service) Export(ctx context.Context, id string) (*Archive, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	assets, err := s.db.SessionAssets(ctx, id)
	if err != nil {
		return nil, err
	}
	row, err := s.db.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	a := &Archive{s: s, manifest: m, assets: assets, at: row.Updated}
	for i, step := range m.Steps {
		whole, err := s.db.SessionStep(ctx, id, step.ID)
		if err != nil {
			return nil, err
		}
		archived := archivedStep{Step: step, name: fmt.Sprintf("%03d_%s", i+1, strings.ReplaceAll(step.Tool, ".", "_")), input: whole.Input}
		if j, err := s.jobs.Get(ctx, step.JobID); err == nil {
			archived.job = j
		} else if !store.IsNotFound(err) {
			return nil, err
		}
		a.steps = append(a.steps, archived)
	}
	return a, nil
}

// Version is that of the manifest in the archive.
func (a *Archive) Version() int64 { return a.manifest.Version }

// Write writes the zip file. Contents are streamed; an error leaves what was
// written without an end, so that no client takes it for whole.
func (a *Archive) Write(ctx context.Context, w io.Writer) error {
	z := zip.NewWriter(w)
	if err := a.writeJSON(z, ManifestName, a.manifest); err != nil {
		return err
	}
	for _, asset := range a.assets {
		if err := a.writeAsset(ctx, z, asset); err != nil {
			return err
		}
	}
	for _, step := range a.steps {
		if err := a.writeStep(z, step); err != nil {
			return err
		}
	}
	if err := a.write(z, "rerun.sh", []byte(a.script()), 0o755); err != nil {
		return err
	}
	if err := a.write(z, "README.md", []byte(a.readme()), 0o644); err != nil {
		return err
	}
	return z.Close()
}

func (a *Archive) create(z *zip.Writer, name string, mode uint32) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at}
	h.SetMode(0o644)
	if mode == 0o755 {
		h.SetMode(0o755)
	}
	return z.CreateHeader(h)
}

func (a *Archive) write(z *zip.Writer, name string, content []byte, mode uint32) error {
	w, err := a.create(z, name, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func (a *Archive) writeJSON(z *zip.Writer, name string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return a.write(z, name, append(raw, '\n'), 0o644)
}

func (a *Archive) writeAsset(ctx context.Context, z *zip.Writer, asset store.Asset) error {
	content, err := a.s.Open(ctx, asset)
	if err != nil {
		return err
	}
	defer content.Close()
	w, err := a.create(z, asset.Path, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, content)
	return err
}

// request is a step as POST /v1/tools/execute takes it.
type request struct {
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Context struct {
		SessionID string `json:"session_id"`
	} `json:"context"`
}

// sessionMark stands in the requests of an archive for the new session's id.
const sessionMark = "SESSION_ID"

func (a *Archive) writeStep(z *zip.Writer, step archivedStep) error {
	if step.rerun() {
		req := request{Tool: step.Tool, Input: a.portable(step.input)}
		req.Context.SessionID = sessionMark
		if err := a.writeJSON(z, "steps/"+step.name+".json", req); err != nil {
			return err
		}
	}
	if step.job == nil {
		return nil
	}
	j := step.job
	record := map[string]any{
		"id": j.ID, "tool_name": j.Tool, "status": j.State, "created_at": stamp(j.Created), "started_at": stamp(j.Started),
		"finished_at": stamp(j.Finished), "summary": j.Summary, "attempt": j.Attempt, "input": j.Input, "limits": j.Limits, "error": j.Error,
	}
	if j.Result != nil {
		record["result"] = j.Result.ToolResult(j.ID)
	}
	return a.writeJSON(z, "jobs/"+step.name+".json", record)
}

// rerun says whether the step belongs into the script: those that succeeded are
// what the session's files come from.
func (s archivedStep) rerun() bool { return s.Status == StepSucceeded }

// portable names the artifacts of the session's jobs by their paths in the
// session, where a rerun makes them again under the same names.
func (a *Archive) portable(input json.RawMessage) json.RawMessage {
	byURL := map[string]string{}
	for _, asset := range a.assets {
		if asset.JobID != "" {
			byURL[contract.ArtifactURL(asset.JobID, asset.Artifact)] = "session:" + asset.Path
		}
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return input
	}
	raw, err := json.Marshal(rename(value, byURL))
	if err != nil {
		return input
	}
	return raw
}

func rename(value any, byURL map[string]string) any {
	switch v := value.(type) {
	case string:
		if jobID, name, ok := contract.ParseArtifactURL(v); ok {
			if ref, known := byURL[contract.ArtifactURL(jobID, name)]; known {
				return ref
			}
		}
	case []any:
		for i := range v {
			v[i] = rename(v[i], byURL)
		}
	case map[string]any:
		for k := range v {
			v[k] = rename(v[k], byURL)
		}
	}
	return value
}

// quote makes one word of the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// formFile is a file of curl's -F, whose file name may hold any character.
func formFile(path string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path)
	return quote(`file=@"` + escaped + `"`)
}

// createLine is the command that makes the session anew.
func (a *Archive) createLine() string {
	var b strings.Builder
	b.WriteString("curl -fsS")
	uploads := 0
	for _, asset := range a.assets {
		if asset.JobID == "" {
			b.WriteString(" -F " + formFile(asset.Path))
			uploads++
		}
	}
	if uploads == 0 {
		b.WriteString(" -H 'Content-Type: application/json' -d '{}'")
	}
	b.WriteString(` "$ATELIER/v1/sessions"`)
	return b.String()
}

func stepLine(step archivedStep) string {
	return fmt.Sprintf(`sed "s/\"session_id\": \"%s\"/\"session_id\": \"$SESSION\"/" %s | curl -fsS -H 'Content-Type: application/json' -d @- "$ATELIER/v1/tools/execute"`,
		sessionMark, quote("steps/"+step.name+".json"))
}

// headline is what came of the step, on one line, with its doubts where the result is
// suspect. A step of an earlier program was kept without them; its job has them.
func (s archivedStep) headline() string {
	said := strings.Join(strings.Fields(s.Summary), " ")
	if s.job != nil {
		if caveat := s.job.Result.Caveat(); !strings.Contains(said, caveat) {
			said += " " + caveat
		}
	}
	return strings.TrimSpace(said)
}

// suspect begins the doubts of a headline.
const suspect = "Evidence: " + string(evidence.Suspect) + "."

// markdownText writes a text so that Markdown shows it as it is.
var markdownText = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "~", `\~`)

func (a *Archive) script() string {
	var b strings.Builder
	fmt.Fprintf(&b, `#!/bin/sh
# Makes the session %s anew on a server: its uploads, then every step
# that succeeded, in order. Usage: ATELIER=http://127.0.0.1:8080 sh rerun.sh
set -eu
cd "$(dirname "$0")"
: "${ATELIER:=http://127.0.0.1:8080}"
SESSION=$(%s | sed -n 's/.*"session_id":"\(session_[^"]*\)".*/\1/p')
`, a.manifest.SessionID, a.createLine())
	for _, step := range a.steps {
		if step.rerun() {
			fmt.Fprintf(&b, "%s >/dev/null\n", stepLine(step))
		}
	}
	b.WriteString("echo \"$SESSION\"\n")
	return b.String()
}

func (a *Archive) readme() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s\n\nVersion %d of %s, stage %s.\n\n", a.manifest.SessionID, a.manifest.Version, a.manifest.UpdatedAt, a.manifest.Stage)
	b.WriteString("`manifest.json` is the session's manifest, `steps/` holds each step as a request, `jobs/` the records of their jobs with results and evidence; " +
		"all other folders hold the session's files.\n\n`sh rerun.sh` makes the session anew on the server that the environment variable ATELIER names. By hand, in this folder:\n\n```sh\nexport ATELIER=http://127.0.0.1:8080\n")
	b.WriteString(a.createLine() + "\nexport SESSION=session_…   # session_id of the answer\n```\n\n")
	for i, step := range a.steps {
		fmt.Fprintf(&b, "%d. `%s`: %s", i+1, step.Tool, step.Status)
		if step.Error != nil {
			fmt.Fprintf(&b, " (%s)", step.Error.Code)
		}
		if len(step.Outputs) > 0 {
			fmt.Fprintf(&b, ", made %s", strings.Join(step.Outputs, ", "))
		}
		b.WriteString("\n")
		if said := step.headline(); said != "" {
			fmt.Fprintf(&b, "\n   %s\n", strings.Replace(markdownText.Replace(said), suspect, "**"+suspect+"**", 1))
		}
		if step.rerun() {
			fmt.Fprintf(&b, "\n   ```sh\n   %s\n   ```\n", stepLine(step))
		}
		b.WriteString("\n")
	}
	b.WriteString("A file argument that names an upload outside the session (file:…) or a path of the first server must be on the new one too.\n")
	return b.String()
}
