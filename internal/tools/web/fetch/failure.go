package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"atelier/internal/contract"
)

// failed is a fetch_failed; its reason, one word, stands in details.reason: url,
// refused, robots, dns, tls, connect, redirects, http_status, too_large,
// encoding, protocol.
func failed(reason, format string, args ...any) *contract.Error {
	e := contract.Errorf(contract.CodeFetchFailed, format, args...).With("reason", reason)
	e.Retryable = false
	return e
}

// unreadable is a parse_failed; its reasons are type, empty, too_large,
// too_deep, memory, pdf and crashed.
func unreadable(reason, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeParseFailed, format, args...).With("reason", reason)
}

func tooLarge(u *url.URL, limit, told int64) *contract.Error {
	e := failed("too_large", "%s is larger than %d bytes", u.Redacted(), limit).With("max_bytes", limit)
	if told > 0 {
		e.With("content_length", told)
	}
	return e.WithHint("Fetch a smaller page, or a part of it; the operator sets the limit with --web-max-bytes.")
}

// failure tells why an address could not be fetched.
func (f *Fetcher) failure(ctx context.Context, u *url.URL, err error) error {
	var known *contract.Error
	if errors.As(err, &known) {
		return known
	}
	if r := refusal(err); r != nil {
		return refused(r)
	}
	where := u.Redacted()
	if cause, ok := context.Cause(ctx).(*contract.Error); ok { // the job's own end: cancelled, timeout
		return cause
	}
	if errors.Is(err, context.Canceled) {
		return contract.Errorf(contract.CodeCancelled, "the fetch of %s was cancelled", where)
	}
	var dns *net.DNSError
	if errors.As(err, &dns) && !errors.Is(err, context.DeadlineExceeded) {
		e := failed("dns", "the name %s was not found: %s", u.Hostname(), dns.Err).With("host", u.Hostname())
		e.Retryable = dns.IsTemporary || dns.IsTimeout
		return e.WithHint("Check the spelling of the host.")
	}
	var timed net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timed) && timed.Timeout() {
		return contract.Errorf(contract.CodeTimeout, "%s did not answer in time", where).
			WithHint("The site is slow or does not answer. Try again, or ask for more time.")
	}
	return f.broken(u, err)
}

// broken tells faults of the connection and of the protocol.
func (f *Fetcher) broken(u *url.URL, err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &certificate), errors.As(err, &unknown), errors.As(err, &record), errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return failed("tls", "no safe connection to %s: %s", u.Host, rootCause(err)).
			WithHint("The site's certificate or its TLS is not in order; it is not fetched without.")
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		e := failed("connect", "%s could not be reached: %s", u.Host, rootCause(err))
		e.Retryable = true
		return e
	}
	e := failed("protocol", "%s broke off or did not speak HTTP: %s", u.Host, clip(rootCause(err), 300))
	e.Retryable = true
	return e
}

func refused(r *Refusal) *contract.Error {
	e := failed("refused", "%s is not fetched: %s", clip(r.Address, 300), r.Text).With("rule", r.Rule)
	switch r.Rule {
	case "scheme", "credentials", "zone", "host":
		return e.WithHint("Give a plain http or https address with a host name.")
	}
	return e.WithHint("Only the public Internet is fetched; the operator allows other addresses with --web-allow.")
}

func rootCause(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// clip shortens a text for a message.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
