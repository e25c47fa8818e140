package contract

import "encoding/json"

// NotebookResult is a result in the flat dialect of api/spec/notebooks.md, which Harmony and
// MCP text speak: status, the fields of the output, and messages with the
// warnings; of a failure error_code and error_message, and errors with every
// fault, its place and what to do.
func (r *Result) NotebookResult() json.RawMessage {
	flat := map[string]any{}
	var output map[string]json.RawMessage
	if r.Status != StatusError && json.Unmarshal(r.OutputJSON(), &output) == nil {
		for k, v := range output {
			flat[k] = v
		}
	}
	messages := make([]string, 0, len(r.Warnings))
	for _, w := range r.Warnings {
		messages = append(messages, w.Message)
	}
	if len(messages) > 0 {
		flat["messages"] = messages
	}
	flat["status"] = StatusOK
	if r.Status == StatusError {
		flat["status"] = StatusError
		flat["error_code"], flat["error_message"] = CodeInternal, r.Summary
		if len(r.Errors) > 0 {
			flat["error_code"], flat["error_message"] = r.Errors[0].Code, r.Errors[0].Error()
			flat["errors"] = r.Errors
			if escalate, _ := r.Errors[0].Details["escalate"].(bool); escalate { // section 3: two errors in a row
				flat["escalate"] = true
			}
		}
	}
	raw, err := json.Marshal(flat)
	if err != nil { // only an error's details could do that
		return json.RawMessage(`{"status":"error","error_code":"` + CodeInternal + `","error_message":"the result could not be encoded"}`)
	}
	return raw
}
