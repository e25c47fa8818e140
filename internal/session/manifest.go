// Package session keeps workspaces: uploaded files, what tools made of them, a
// manifest that says how far the work is, and a log of what happens, which any
// number of readers can follow and resume.
//
// A session lives in the database and its files in the store of contents, so
// that any process serves it; what an artifact of a job and a file of a session
// have in common is stored once. A call of a tool that names a session in its
// context is a step: it is in the manifest before the tool runs, and its end and
// its files are before the caller hears of them. A turn of conversation is a run
// of the Runner; its end, like that of a step, is never lost with a process.
package session

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"atelier/internal/store"
)

// ManifestName is the asset under which the manifest itself is served.
const ManifestName = "manifest.json"

// Status of a session: processing while a run or a tool works on it.
const (
	Idle       = "idle"
	Processing = "processing"
)

// StageCreated is the stage of a new session.
const StageCreated = "created"

// Manifest is the source of truth of a session, as every protocol shows it. Version
// grows with every change; a writer names the one that it has read.
type Manifest struct {
	SessionID    string                     `json:"session_id"`
	Version      int64                      `json:"version"`
	CreatedAt    string                     `json:"created_at"`
	UpdatedAt    string                     `json:"updated_at"`
	Status       string                     `json:"status"`
	Stage        string                     `json:"stage"`
	Directories  map[string]string          `json:"directories"`
	Assets       []string                   `json:"assets"` // relative paths
	AssetDetails []Asset                    `json:"asset_details"`
	PlannedTool  string                     `json:"planned_tool,omitempty"`
	Messages     []Message                  `json:"messages"`
	Steps        []Step                     `json:"steps"`
	Facts        map[string]json.RawMessage `json:"facts"`
	Metadata     map[string]json.RawMessage `json:"metadata"`
}

// Asset is a file of the session. Reference is what a file argument takes.
type Asset struct {
	Path      string `json:"path"`
	Reference string `json:"reference"`
	URL       string `json:"url"`
	MIMEType  string `json:"mime_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	JobID     string `json:"job_id,omitempty"`    // whose artifact it is
	SeriesOf  string `json:"series_of,omitempty"` // the asset that names this one as a part
}

// Message of the conversation. Role is user, assistant, system or tool.
type Message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	CreatedAt string `json:"created_at"`
}

// States of a step.
const (
	StepAwaiting  = "awaiting_approval"
	StepApproved  = "approved" // about to run
	StepRunning   = "running"
	StepSucceeded = "succeeded"
	StepFailed    = "failed"
	StepCancelled = "cancelled"
	StepDenied    = "denied"
)

// Step is one call of a tool. Input is left out of the manifest when it is
// longer than store.SnapshotInput; the export and the job's record have it.
type Step struct {
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	JobID      string          `json:"job_id,omitempty"`
	Status     string          `json:"status"`
	Input      json.RawMessage `json:"input,omitempty"`
	InputBytes int64           `json:"input_bytes"`
	StartedAt  string          `json:"started_at"`
	FinishedAt string          `json:"finished_at,omitempty"`
	stepBody
}

// stepBody is the part of a step that the database does not look into.
type stepBody struct {
	DurationMS *float64   `json:"duration_ms,omitempty"` // of the work itself, without waiting
	Summary    string     `json:"summary,omitempty"`
	Outputs    []string   `json:"outputs,omitempty"` // paths of the assets that it made
	Error      *StepError `json:"error,omitempty"`
	Reason     string     `json:"reason,omitempty"` // why it needs approval
	Run        string     `json:"run_id,omitempty"` // the run that made the call
}

// StepError says why a step failed.
type StepError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Draft is the part of a manifest that its writers change.
type Draft struct {
	Stage       string                     `json:"stage"`
	PlannedTool string                     `json:"planned_tool,omitempty"`
	Messages    []Message                  `json:"messages,omitempty"`
	Facts       map[string]json.RawMessage `json:"facts,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
}

// body is what the session's row holds.
type body struct {
	Draft
	Turn *Turn `json:"turn,omitempty"` // of the run that works on the session
}

func decodeBody(raw json.RawMessage) (b body, err error) { return b, json.Unmarshal(raw, &b) }

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// newManifest puts the parts of one moment together.
func newManifest(snap *store.Snapshot) (*Manifest, error) {
	b, err := decodeBody(snap.Body)
	if err != nil {
		return nil, err
	}
	m := &Manifest{
		SessionID: snap.ID, Version: snap.Version, CreatedAt: stamp(snap.Created), UpdatedAt: stamp(snap.Updated),
		Status: Idle, Stage: b.Stage, Directories: map[string]string{}, PlannedTool: b.PlannedTool,
		Assets: []string{}, AssetDetails: []Asset{}, Messages: b.Messages, Steps: []Step{}, Facts: b.Facts, Metadata: b.Metadata,
	}
	for _, folder := range Folders {
		m.Directories[folder] = folder
	}
	if m.Messages == nil {
		m.Messages = []Message{}
	}
	if m.Facts == nil {
		m.Facts = map[string]json.RawMessage{}
	}
	if m.Metadata == nil {
		m.Metadata = map[string]json.RawMessage{}
	}
	for _, a := range snap.Assets {
		m.Assets = append(m.Assets, a.Path)
		m.AssetDetails = append(m.AssetDetails, newAsset(snap.ID, a))
	}
	if snap.Run != "" {
		m.Status = Processing
	}
	for _, st := range snap.Steps {
		step, err := newStep(st)
		if err != nil {
			return nil, err
		}
		if step.FinishedAt == "" {
			m.Status = Processing
		}
		m.Steps = append(m.Steps, step)
	}
	return m, nil
}

func newAsset(session string, a store.Asset) Asset {
	return Asset{
		Path: a.Path, Reference: "session:" + a.Path, URL: AssetURL(session, a.Path), MIMEType: a.MIME,
		Bytes: a.Bytes, SHA256: a.SHA256, JobID: a.JobID, SeriesOf: a.Head,
	}
}

func newStep(st store.Step) (Step, error) {
	s := Step{
		ID: st.ID, Tool: st.Tool, JobID: st.JobID, Status: st.State, Input: st.Input, InputBytes: st.InputBytes,
		StartedAt: stamp(st.Started), FinishedAt: stamp(st.Finished),
	}
	return s, json.Unmarshal(st.Body, &s.stepBody)
}

// AssetURL is the path under which an asset is served, each segment encoded.
func AssetURL(session, path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return "/v1/sessions/" + url.PathEscape(session) + "/assets/" + strings.Join(segments, "/")
}
