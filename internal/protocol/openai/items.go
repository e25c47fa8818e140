package openai

// item is an entry of a response's output.
type item interface{ itemID() string }

type messageItem struct {
	Type    string `json:"type"` // message
	ID      string `json:"id"`
	Status  string `json:"status"`
	Role    string `json:"role"`
	Content []part `json:"content"`
}

// part is a piece of a message: textPart or refusalPart.
type part interface{ partType() string }

type textPart struct {
	Type        string     `json:"type"` // output_text
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

type refusalPart struct {
	Type    string `json:"type"` // refusal
	Refusal string `json:"refusal"`
}

func newTextPart(text string) textPart {
	return textPart{"output_text", text, []struct{}{}, []struct{}{}}
}

func (textPart) partType() string    { return "output_text" }
func (refusalPart) partType() string { return "refusal" }

type functionCallItem struct {
	Type      string `json:"type"` // function_call
	ID        string `json:"id"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionOutputItem struct {
	Type   string `json:"type"` // function_call_output
	ID     string `json:"id"`
	Status string `json:"status"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

type mcpCallItem struct {
	Type        string  `json:"type"` // mcp_call
	ID          string  `json:"id"`
	Status      string  `json:"status"`
	ServerLabel string  `json:"server_label"`
	Name        string  `json:"name"`
	Arguments   string  `json:"arguments"`
	Output      *string `json:"output"`
	Error       *string `json:"error"`
}

func (i messageItem) itemID() string        { return i.ID }
func (i functionCallItem) itemID() string   { return i.ID }
func (i functionOutputItem) itemID() string { return i.ID }
func (i mcpCallItem) itemID() string        { return i.ID }

// responseEvent is any event of a response's stream; the fields that an event
// does not have are absent.
type responseEvent struct {
	Type         string       `json:"type"`
	Sequence     int          `json:"sequence_number"`
	Response     *response    `json:"response,omitempty"`
	ItemID       string       `json:"item_id,omitempty"`
	OutputIndex  *int         `json:"output_index,omitempty"`
	ContentIndex *int         `json:"content_index,omitempty"`
	Item         item         `json:"item,omitempty"`
	Part         part         `json:"part,omitempty"`
	Delta        *string      `json:"delta,omitempty"`
	Text         *string      `json:"text,omitempty"`
	Refusal      *string      `json:"refusal,omitempty"`
	Arguments    *string      `json:"arguments,omitempty"`
	Logprobs     *[]struct{}  `json:"logprobs,omitempty"`
	Error        *errorObject `json:"error,omitempty"`
	// Flat copies of an error event: some SDKs read these, others the object.
	Code    *string `json:"code,omitempty"`
	Message *string `json:"message,omitempty"`
}

func (e *responseEvent) number(n int) string {
	e.Sequence = n
	return e.Type
}
