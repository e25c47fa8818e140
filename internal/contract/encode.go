package contract

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// The encodings of a result are made once for every call. What these functions
// write is what encoding/json makes of the same value without its escapes for
// HTML; they spare its reflection over a structure that never changes.

// WriteJSON writes the result as JSON.
func (r *Result) WriteJSON(w *bytes.Buffer) error {
	o := objectWriter{w: w}
	o.text("status", string(r.Status))
	o.text("solver", r.Solver)
	o.text("summary", r.Summary)
	if r.Output != nil {
		o.value("output", r.Output)
	}
	if len(r.Artifacts) > 0 {
		o.value("artifacts", r.Artifacts)
	}
	if len(r.Metrics) > 0 {
		o.values("metrics", r.Metrics)
	}
	o.value("log", r.Log)
	if len(r.Warnings) > 0 {
		o.value("warnings", r.Warnings)
	}
	if len(r.Errors) > 0 {
		o.value("errors", r.Errors)
	}
	if r.Evidence != nil {
		o.value("evidence", r.Evidence)
	}
	o.value("confidence", r.Confidence)
	return o.close()
}

// WriteJSON writes a ToolResult as JSON.
func (t *ToolResult) WriteJSON(w *bytes.Buffer) error {
	o := objectWriter{w: w}
	o.text("status", string(t.Status))
	o.text("solver", t.Solver)
	o.text("summary", t.Summary)
	o.text("stdout", t.Stdout)
	o.text("stderr", t.Stderr)
	o.value("exit_code", t.ExitCode)
	o.value("artifacts", t.Artifacts)
	o.values("metrics", t.Metrics)
	o.value("output", t.Output)
	return o.close()
}

// objectWriter writes the members of a JSON object, and remembers the first error.
type objectWriter struct {
	w     *bytes.Buffer
	begun bool
	err   error
}

func (o *objectWriter) key(name string) {
	if o.begun {
		o.w.WriteByte(',')
	} else {
		o.w.WriteByte('{')
	}
	o.begun = true
	o.string(name)
	o.w.WriteByte(':')
}

func (o *objectWriter) text(name, text string) {
	o.key(name)
	o.string(text)
}

func (o *objectWriter) values(name string, m map[string]any) {
	if m == nil {
		o.value(name, nil)
		return
	}
	o.key(name)
	var few [12]string
	keys := few[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	inner := objectWriter{w: o.w}
	for _, k := range keys {
		inner.value(k, m[k])
	}
	if err := inner.close(); err != nil && o.err == nil {
		o.err = err
	}
}

func (o *objectWriter) value(name string, value any) {
	o.key(name)
	switch v := value.(type) {
	case nil:
		o.w.WriteString("null")
	case string:
		o.string(v)
	case bool:
		o.w.Write(strconv.AppendBool(o.w.AvailableBuffer(), v))
	case int:
		o.w.Write(strconv.AppendInt(o.w.AvailableBuffer(), int64(v), 10))
	case int64:
		o.w.Write(strconv.AppendInt(o.w.AvailableBuffer(), v, 10))
	case float64:
		// Others are written with an exponent, or are no JSON at all.
		if size := math.Abs(v); v == 0 || size >= 1e-6 && size < 1e21 {
			o.w.Write(strconv.AppendFloat(o.w.AvailableBuffer(), v, 'f', -1, 64))
			return
		}
		o.any(v)
	case []ArtifactLink:
		if v != nil && len(v) == 0 {
			o.w.WriteString("[]")
			return
		}
		o.any(v)
	case Log:
		inner := objectWriter{w: o.w}
		inner.text("stdout", v.Stdout)
		inner.text("stderr", v.Stderr)
		inner.value("exit_code", v.ExitCode)
		inner.close()
	case json.RawMessage:
		if v == nil {
			o.w.WriteString("null")
		} else if err := json.Compact(o.w, v); err != nil && o.err == nil {
			o.err = err
		}
	default:
		o.any(v)
	}
}

func (o *objectWriter) any(value any) {
	enc := json.NewEncoder(o.w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		if o.err == nil {
			o.err = err
		}
		return
	}
	o.w.Truncate(o.w.Len() - 1) // Encode ends with a line feed
}

func (o *objectWriter) string(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			o.any(s)
			return
		}
	}
	o.w.WriteByte('"')
	o.w.WriteString(s)
	o.w.WriteByte('"')
}

func (o *objectWriter) close() error {
	if !o.begun {
		o.w.WriteByte('{')
	}
	o.w.WriteByte('}')
	return o.err
}
