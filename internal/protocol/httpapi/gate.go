package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"atelier/internal/contract"
)

const requestIDHeader = "X-Request-Id"

// Gate decides who may come in. On the loopback interface any local program may,
// a web page of another origin may not (DNS rebinding and cross-site requests);
// off loopback a token is needed.
type Gate struct {
	Token        string   // "" where none is needed
	Hosts        []string // host names, without port, that the server answers to, beside loopback's
	MaxBodyBytes int64    // of JSON bodies
	Log          *slog.Logger
}

// Loopback says whether a host name, without port, is this machine.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// wrap puts the gate before a handler; open says which requests need no token.
func (g *Gate) wrap(next http.Handler, open func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimSpace(r.Header.Get(requestIDHeader))
		if id == "" || len(id) > 200 || !utf8.ValidString(id) {
			id = newRequestID()
		}
		r.Header.Set(requestIDHeader, id)
		w.Header().Set(requestIDHeader, id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if fault := g.admit(r); fault != nil && !(fault.Code == contract.CodeUnauthorized && open(r)) {
			ErrorObject(w, r, []*contract.Error{fault})
			return
		}
		next.ServeHTTP(w, r.WithContext(contract.WithCaller(r.Context(), callerOf(r))))
	})
}

// callerOf tells clients apart that name no session: by address and what they
// say of themselves, not by connection, since many open one for each call.
func callerOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	sum := sha256.Sum256([]byte(host + "\n" + r.Header.Get("User-Agent") + "\n" + r.Header.Get("Authorization") + "\n" + r.Header.Get("Mcp-Session-Id")))
	return "http:" + hex.EncodeToString(sum[:16])
}

func (g *Gate) admit(r *http.Request) *contract.Error {
	host := hostOnly(r.Host)
	if !g.knows(host) {
		return contract.Errorf(contract.CodeForbidden, "this server does not answer to the host %q", r.Host).
			WithHint("Use 127.0.0.1 or localhost, or start the server with --host-name %s.", host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return contract.Errorf(contract.CodeForbidden, "requests from the origin %q are refused", origin).
				WithHint("Open the workbench at this server's own address.")
		}
	}
	if g.Token != "" {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(g.Token)) != 1 {
			return contract.Errorf(contract.CodeUnauthorized, "a valid bearer token is needed").
				WithHint("Send the header Authorization: Bearer <token>.")
		}
	}
	return nil
}

func (g *Gate) knows(host string) bool {
	if Loopback(host) {
		return true
	}
	for _, h := range g.Hosts {
		if strings.EqualFold(h, host) {
			return true
		}
	}
	return false
}

func hostOnly(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return strings.Trim(hostport, "[]")
}

// checkBody refuses a body that is not JSON (a cross-site form can send any
// other type without asking first) and one that says it is too large.
func (route Route) checkBody(w http.ResponseWriter, r *http.Request) *contract.Error {
	if route.AnyBody || r.Body == nil || r.Body == http.NoBody || r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodDelete {
		return nil
	}
	if given := r.Header.Get("Content-Type"); !isJSON(given) {
		return contract.Errorf(contract.CodeUnsupportedMedia, "the body's content type is %q", given).
			WithHint("Send the header Content-Type: application/json.")
	}
	if given := strings.Join(r.Header.Values("Content-Encoding"), ", "); given != "" && !strings.EqualFold(given, "identity") {
		return contract.Errorf(contract.CodeUnsupportedMedia, "the body's content encoding is %q; bodies are read as they are", given).
			WithHint("Send the body without Content-Encoding, not compressed.")
	}
	if r.ContentLength > route.maxBody {
		return BodyFault(&http.MaxBytesError{Limit: route.maxBody})
	}
	r.Body = http.MaxBytesReader(w, r.Body, route.maxBody)
	return nil
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true // as nearly all send it
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == "application/json"
}

const idempotencyHeader = "Idempotency-Key"

// longestKey is how many bytes an idempotency key may have.
const longestKey = 255

func checkKey(r *http.Request) *contract.Error {
	if n := len(r.Header.Values(idempotencyHeader)); n > 1 {
		return contract.Errorf(contract.CodeInvalidRequest, "the header %s stands %d times; one call has one key", idempotencyHeader, n).At(idempotencyHeader)
	}
	if n := len(r.Header.Get(idempotencyHeader)); n > longestKey {
		return contract.Errorf(contract.CodeInvalidRequest, "the %s has %d bytes; at most %d are taken", idempotencyHeader, n, longestKey).At(idempotencyHeader)
	}
	return nil
}

// IdempotencyParameter describes the header by which a repeated call is known.
func IdempotencyParameter() Parameter {
	return Parameter{Name: idempotencyHeader, In: "header", Description: "A repeated call with the same key and input is answered with the first one's job.",
		Schema: Schema(`{"type":"string","maxLength":255}`)}
}
