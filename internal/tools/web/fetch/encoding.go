package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	acceptEncoding = "gzip, br, zstd, deflate"
	maxEncodings   = 3       // one upon the other
	zstdWindow     = 8 << 20 // RFC 9659 allows no larger one on the web
)

var errTooLarge = errors.New("the body is too large")

// decoded reads a body to its end, without its content-encodings; wire is how
// many bytes were sent. No more than limit bytes are kept, whatever was sent.
func decoded(raw *http.Response, limit int64) (body []byte, wire int64, err error) {
	// What is sent is bounded too: a compressed form is not longer than the plain one.
	counted := &counter{from: io.LimitReader(raw.Body, limit+1)}
	reader, closers, err := unwrap(counted, raw.Header.Values("Content-Encoding"))
	defer func() {
		for _, c := range closers {
			c()
		}
	}()
	if err != nil {
		return nil, counted.n, err
	}
	if body, err = readAll(reader, limit); err != nil {
		if err != errTooLarge && counted.n > limit {
			err = errTooLarge
		} else if reader != io.Reader(counted) && corrupt(err) {
			err = failed("encoding", "the body's encoding %q is broken: %w", strings.Join(raw.Header.Values("Content-Encoding"), ", "), err)
		}
	}
	return body, counted.n, err
}

func corrupt(err error) bool {
	var syntax flate.CorruptInputError
	return errors.As(err, &syntax) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrHeader) ||
		errors.Is(err, zlib.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "brotli") || isZstd(err)
}

func isZstd(err error) bool {
	for _, known := range []error{zstd.ErrMagicMismatch, zstd.ErrWindowSizeExceeded, zstd.ErrDecoderSizeExceeded, zstd.ErrCRCMismatch,
		zstd.ErrReservedBlockType, zstd.ErrCompressedSizeTooBig, zstd.ErrBlockTooSmall, zstd.ErrUnexpectedBlockSize, zstd.ErrUnknownDictionary} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// readAll keeps at most limit bytes, those of a longer body too. Memory grows
// with what has come, never by what a header promises, in pieces that are put
// together once.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	var pieces [][]byte
	piece := make([]byte, 0, 32<<10)
	for total := int64(0); ; {
		if len(piece) == cap(piece) {
			pieces = append(pieces, piece)
			piece = make([]byte, 0, min(2*cap(piece), 1<<20))
		}
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		if total += int64(n); total > limit {
			piece = piece[:len(piece)-int(total-limit)]
			err = errTooLarge
		}
		if err == nil {
			continue
		}
		if err == io.EOF {
			err = nil
		}
		if len(pieces) == 0 {
			return piece, err
		}
		return bytes.Join(append(pieces, piece), nil), err
	}
}

// unwrap puts a decoder for each content-encoding around a body, the last applied first.
func unwrap(body io.Reader, headers []string) (io.Reader, []func(), error) {
	var names []string
	for _, header := range headers {
		for name := range strings.SplitSeq(header, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
				names = append(names, name)
			}
		}
	}
	if len(names) > maxEncodings {
		return nil, nil, failed("encoding", "the body has %d content-encodings, one upon the other", len(names))
	}
	var closers []func()
	for i := len(names) - 1; i >= 0; i-- {
		buffered := bufio.NewReader(body)
		if _, err := buffered.Peek(1); err == io.EOF {
			return buffered, closers, nil // an empty body is empty in every encoding
		}
		switch names[i] {
		case "gzip", "x-gzip":
			r, err := gzip.NewReader(buffered)
			if err != nil {
				return nil, closers, failed("encoding", "the body is not the gzip that its header promises: %w", err)
			}
			body = r
		case "deflate": // zlib by RFC 9110, and bare deflate by many servers
			r, err := inflate(buffered)
			if err != nil {
				return nil, closers, failed("encoding", "the body is not the deflate that its header promises: %w", err)
			}
			body = r
		case "br":
			body = brotli.NewReader(buffered)
		case "zstd":
			r, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
			if err != nil {
				return nil, closers, failed("encoding", "the body is not the zstd that its header promises: %w", err)
			}
			closers = append(closers, r.Close)
			body = r
		default:
			return nil, closers, failed("encoding", "the content-encoding %q is unknown", clip(names[i], 40))
		}
	}
	return body, closers, nil
}

func inflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (int(head[0])<<8+int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// mediaType splits a Content-Type; what is malformed is "".
func mediaType(header string) (mimeType, charset string) {
	mimeType, params, err := mime.ParseMediaType(header)
	if err != nil && mimeType == "" {
		mimeType, _, _ = strings.Cut(header, ";")
		mimeType = strings.ToLower(strings.TrimSpace(mimeType))
	}
	return mimeType, params["charset"]
}
