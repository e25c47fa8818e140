// Package llm calls a language model behind an OpenAI-compatible endpoint:
// POST {url}/chat/completions, streamed. It repeats a call that was refused for
// lack of places or failed before it began to answer, merges fragments of tool
// calls, and tells every fault as an error of the catalogue. It runs no tool
// and keeps no history: the callers do.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"atelier/internal/contract"
)

// Options of a Client. The zero value of a field means its default.
type Options struct {
	URL   string // up to and without /chat/completions: http://127.0.0.1:8000/v1; required
	Model string // the model's name at the endpoint; required
	Key   string // bearer key; "" for none
	// Find, where it is set, says before every call where the model is then, in
	// place of URL; Model remains its name to the caller.
	Find func(ctx context.Context) (Place, error)

	Retries int           // further attempts after 429, 5xx and broken connections; 3, negative for none
	MinWait time.Duration // before the first further attempt, doubling; 500 ms
	MaxWait time.Duration // longest wait between attempts; a longer Retry-After is not waited for; 20 s
	Head    time.Duration // longest wait for the answer to begin; 5 min, as local models are slow to start
	Silence time.Duration // longest pause within an answer; 2 min
}

// Place is where a model is served.
type Place struct {
	URL   string // as that of Options
	Model string // the model's name there
}

// Client calls one model. It is safe for concurrent use.
type Client struct {
	options  Options
	endpoint string
	shown    string // the endpoint as it may be told: without a password
	http     *retryablehttp.Client
}

// New checks the options.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if o.Find != nil {
		u, err = &url.URL{Scheme: "http", Host: "localhost"}, nil // every call has another
	}
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "the model's URL %q is not an http or https URL", o.URL).
			WithHint("Give the endpoint's base, e.g. http://127.0.0.1:8000/v1.")
	}
	if o.Model == "" {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "a model's URL is given, but not the model's name").
			WithHint("Name it with --model; GET %s/models lists those of most endpoints.", strings.TrimSuffix(o.URL, "/"))
	}
	for value, standard := range map[*time.Duration]time.Duration{
		&o.MinWait: 500 * time.Millisecond, &o.MaxWait: 20 * time.Second, &o.Head: 5 * time.Minute, &o.Silence: 2 * time.Minute,
	} {
		if *value == 0 {
			*value = standard
		}
	}
	if o.Retries == 0 {
		o.Retries = 3
	}
	c := &Client{options: o, endpoint: strings.TrimSuffix(o.URL, "/") + "/chat/completions", shown: u.Redacted(), http: retryablehttp.NewClient()}
	c.http.Logger = nil
	c.http.RetryMax, c.http.RetryWaitMin, c.http.RetryWaitMax = max(o.Retries, 0), o.MinWait, o.MaxWait
	c.http.CheckRetry = c.worthRepeating
	c.http.ErrorHandler = retryablehttp.PassthroughErrorHandler
	// A redirect would carry the key elsewhere.
	c.http.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Name is the model's name at the endpoint.
func (c *Client) Name() string { return c.options.Model }

// at is the client of one call to a place that was just found.
func (c *Client) at(p Place) *Client {
	found := *c
	found.options.Model = p.Model
	found.endpoint, found.shown = strings.TrimSuffix(p.URL, "/")+"/chat/completions", p.URL
	return &found
}

// worthRepeating is the library's policy, without the repeats that would wait
// longer than a caller would.
func (c *Client) worthRepeating(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if resp != nil && retryAfter(resp) > c.options.MaxWait {
		return false, nil
	}
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	return again, nil
}

func retryAfter(resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return 0
}

var (
	errNoHead = errors.New("no answer within the time limit")
	errSilent = errors.New("the answer stopped arriving")
)

// Stream makes one call. on gets the pieces in their order, from this
// goroutine. Errors: model_unavailable (not reachable, 5xx, too slow),
// too_many_requests, model_refused (4xx: the request, the key or the model's
// name), model_reply_invalid (what came is not a chat completion), cancelled.
func (c *Client) Stream(ctx context.Context, req Request, on func(Delta)) (*Reply, error) {
	if c.options.Find != nil {
		place, err := c.options.Find(ctx)
		if err != nil {
			return nil, err
		}
		c = c.at(place)
	}
	sent := body{Model: c.options.Model, Messages: req.Messages, Tools: req.Tools, ToolChoice: req.ToolChoice, Stream: true, Settings: req.Settings}
	sent.StreamOptions.IncludeUsage = true
	if len(req.Tools) == 0 { // endpoints refuse these where there is nothing to choose from
		sent.ToolChoice, sent.ParallelToolCalls = nil, nil
	}
	raw, err := json.Marshal(sent)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "encode the request to the model: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.options.Head, func() { cancel(errNoHead) })
	defer watch.Stop()
	resp, err := c.post(ctx, raw)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, c.refusal(resp)
	}
	if !watch.Stop() {
		return nil, c.unreachable(ctx, errNoHead)
	}
	silence := time.AfterFunc(c.options.Silence, func() { cancel(errSilent) })
	defer silence.Stop()
	reader := &watched{resp.Body, func() { silence.Reset(c.options.Silence) }}
	reply, err := read(reader, resp.Header.Get("Content-Type"), on)
	if err != nil && ctx.Err() != nil {
		return nil, c.unreachable(ctx, err)
	}
	return reply, err
}

func (c *Client) post(ctx context.Context, raw []byte) (*http.Response, error) {
	r, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, raw)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	if c.options.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	resp, err := c.http.Do(r)
	if resp != nil && err != nil { // the last of several refusals tells why
		return resp, nil
	}
	return resp, err
}

// watched tells of every read that brought something.
type watched struct {
	io.Reader
	alive func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.alive()
	}
	return n, err
}

func (c *Client) unreachable(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errNoHead):
		return contract.Errorf(contract.CodeModelUnavailable, "the model's endpoint %s did not begin to answer within %s", c.shown, c.options.Head)
	case errors.Is(cause, errSilent):
		return contract.Errorf(contract.CodeModelUnavailable, "the model's endpoint %s sent nothing for %s within its answer", c.shown, c.options.Silence)
	case errors.Is(cause, context.DeadlineExceeded):
		return contract.Errorf(contract.CodeTimeout, "the time for the call of the model was used up")
	case cause != nil:
		return contract.Errorf(contract.CodeCancelled, "the call of the model was cancelled")
	}
	return contract.Errorf(contract.CodeModelUnavailable, "the model's endpoint %s cannot be reached: %w", c.shown, err).
		WithHint("See that it runs, and that --model-url is right.")
}

// refusal tells an answer that is not 200 in the endpoint's own words.
func (c *Client) refusal(resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what came is told, whole or not
	said := strings.TrimSpace(string(raw))
	var object struct {
		Error apiError `json:"error"`
	}
	if json.Unmarshal(raw, &object) == nil && object.Error.Message != "" {
		said = object.Error.Message
	}
	said = excerpt(said)
	switch status := resp.StatusCode; {
	case status == http.StatusTooManyRequests:
		e := contract.Errorf(contract.CodeTooManyRequests, "the model's endpoint takes no more requests: %s", said)
		if wait := retryAfter(resp); wait > 0 {
			_ = e.With("retry_after_s", int(wait.Seconds()+0.999))
		}
		return e
	case status >= 500:
		return contract.Errorf(contract.CodeModelUnavailable, "the model's endpoint answered %d: %s", status, said)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return contract.Errorf(contract.CodeModelRefused, "the model's endpoint answered %d: %s", status, said).
			WithHint("The server's operator sets the key with --model-key.")
	default:
		return contract.Errorf(contract.CodeModelRefused, "the model's endpoint answered %d: %s", status, said).With("status", status)
	}
}

// apiError is the error object of the API; some endpoints send a bare string.
type apiError struct {
	Message string
	Type    string
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *apiError) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &f.Message) == nil {
		return nil
	}
	var object struct{ Message, Type string }
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	f.Message, f.Type = object.Message, object.Type
	if f.Message == "" {
		f.Message = fmt.Sprintf("error %s", raw)
	}
	return nil
}

// excerpt is the beginning of what came, for a message.
func excerpt(text string) string {
	const most = 300
	if text == "" {
		return "(nothing)"
	}
	if len(text) > most {
		text = text[:most] + " …"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
