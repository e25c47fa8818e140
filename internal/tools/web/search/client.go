package search

import (
	"bytes"
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

const (
	longestAnswer = 4 << 20 // bytes of a service's answer
	retries       = 2       // after a broken connection, 429, 502, 503 and 504
	longestWait   = 2 * time.Second
)

// client speaks JSON with one service, whose address the operator has given.
type client struct {
	name string
	base *url.URL
	key  string
	http *retryablehttp.Client
}

func newClient(name, base, key string) (*client, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "the search service's URL %q is not an http or https URL", base).
			WithHint("Set --search-url, e.g. http://127.0.0.1:4000 of a LiteLLM proxy or http://127.0.0.1:8888 of SearXNG.")
	}
	c := &client{name: name, base: u, key: key, http: retryablehttp.NewClient()}
	c.http.Logger = nil
	c.http.RetryMax, c.http.RetryWaitMin, c.http.RetryWaitMax = retries, 100*time.Millisecond, longestWait
	c.http.ErrorHandler = retryablehttp.PassthroughErrorHandler
	c.http.CheckRetry = worthRepeating
	// A redirect would carry the key elsewhere.
	c.http.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// worthRepeating repeats what may be better in a moment: 500 is how LiteLLM
// tells a wrong configuration.
func worthRepeating(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	}
	if seconds, bad := strconv.Atoi(resp.Header.Get("Retry-After")); bad == nil && time.Duration(seconds)*time.Second > longestWait {
		return false, nil
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, nil
	}
	return false, nil
}

// answer is what a service said.
type answer struct {
	status int
	body   []byte
	header http.Header
}

// call sends a request: parameters in the query, body as JSON when there is one.
func (c *client) call(ctx context.Context, method, path string, query url.Values, body any, header map[string]string) (*answer, error) {
	u := *c.base
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	if query != nil {
		u.RawQuery = query.Encode()
	}
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := retryablehttp.NewRequestWithContext(ctx, method, u.String(), raw)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer+1))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if len(text) > longestAnswer {
		return nil, contract.Errorf(contract.CodeUpstreamFailure, "%s answered with more than %d MB", c.name, longestAnswer>>20).
			WithHint("See that --search-url is the address of the search service itself.")
	}
	return &answer{resp.StatusCode, text, resp.Header}, nil
}

func (c *client) bearer() map[string]string {
	if c.key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + c.key}
}

func (c *client) unreachable(ctx context.Context, err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return late(c.name)
	case ctx.Err() != nil:
		return contract.Errorf(contract.CodeCancelled, "the search was cancelled")
	}
	return contract.Errorf(contract.CodeUpstreamFailure, "%s at %s cannot be reached: %s", c.name, c.base.Redacted(), c.hidden(rootCause(err))).
		WithHint("The operator sees that it runs, and that --search-url is right.")
}

func rootCause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// hidden takes the key out of a text that will be shown.
func (c *client) hidden(text string) string {
	if len(c.key) >= 4 {
		text = strings.ReplaceAll(text, c.key, "[key]")
	}
	return text
}

// refused tells an answer that is no success; said is the service's own sentence.
func (c *client) refused(a *answer, said, hint string) *contract.Error {
	e := contract.Errorf(contract.CodeUpstreamFailure, "%s answered %d: %s", c.name, a.status, c.upstreamMessage(a, said)).With("status", a.status)
	switch {
	case hint != "":
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		hint = "The operator sets the service's key with --search-key."
	case a.status == http.StatusTooManyRequests:
		hint = "The service takes no more requests for now; ask again later."
	case a.status >= 300 && a.status < 400:
		hint = "The service sends on to another address, which is not followed, as it would get the key; set --search-url to that address."
	case a.status == http.StatusNotFound:
		hint = "There is no search at this address; see --search-url and --search-backend."
	}
	if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err == nil {
		_ = e.With("retry_after_s", seconds)
	}
	if hint != "" {
		_ = e.WithHint("%s", hint)
	}
	return e
}

func (c *client) upstreamMessage(a *answer, said string) string {
	const most = 300
	if said == "" {
		said = plainText(string(a.body[:min(len(a.body), 4*most)]))
	}
	if said == "" {
		said = "(nothing)"
	}
	if letters := []rune(said); len(letters) > most {
		said = string(letters[:most]) + " …"
	}
	return c.hidden(said)
}

// read decodes a successful answer.
func (c *client) read(a *answer, into any) error {
	if err := json.Unmarshal(a.body, into); err != nil {
		what := "something that is not JSON"
		if json.Valid(a.body) {
			what = fmt.Sprintf("JSON of another form (%s)", err)
		} else if len(bytes.TrimSpace(a.body)) == 0 {
			what = "nothing"
		}
		return contract.Errorf(contract.CodeUpstreamFailure, "%s answered %d with %s: %s", c.name, a.status, what, c.upstreamMessage(a, "")).
			WithHint("See that --search-url is the address of the search service itself, and --search-backend its kind.")
	}
	return nil
}

// formless is the fault of an answer that is JSON, but no list of results.
func (c *client) formless(a *answer) error {
	return contract.Errorf(contract.CodeUpstreamFailure, "%s answered %d with JSON that holds no results: %s", c.name, a.status, c.upstreamMessage(a, "")).
		WithHint("See that --search-url is the address of the search service itself, and --search-backend its kind.")
}
