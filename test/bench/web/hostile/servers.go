package hostile

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// at is a page of a handler; errors of writing mean that who reads has gone.
func at(path, want string, serve http.HandlerFunc) Page {
	return Page{Path: path, Want: want, serve: serve}
}

func slow(path string, serve http.HandlerFunc) Page {
	return Page{Path: path, Want: "timeout", Slow: true, serve: serve}
}

// bodies are larger than anybody needs, or never end.
func bodies() []Page {
	chunk := []byte("<p>" + strings.Repeat(sentence, 700)) // 62 kB
	pour := func(w http.ResponseWriter, r *http.Request, total int) {
		for n := 0; (total < 0 || n < total) && r.Context().Err() == nil; n += len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	kind := func(w http.ResponseWriter, mime string) { w.Header().Set("Content-Type", mime) }
	return []Page{
		at("/body/50MB", fetch, func(w http.ResponseWriter, r *http.Request) {
			kind(w, "text/html")
			w.Header().Set("Content-Length", fmt.Sprint(50<<20))
			pour(w, r, 50<<20)
		}),
		at("/body/50MB-chunked", fetch, func(w http.ResponseWriter, r *http.Request) { kind(w, "text/html"); pour(w, r, 50<<20) }),
		at("/body/endless", fetch, func(w http.ResponseWriter, r *http.Request) { kind(w, "text/html"); pour(w, r, -1) }),
		at("/body/endless-text", fetch, func(w http.ResponseWriter, r *http.Request) { kind(w, "text/plain"); pour(w, r, -1) }),
		at("/body/endless-error", fetch, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); pour(w, r, -1) }),
		at("/body/9MB", ok, func(w http.ResponseWriter, r *http.Request) { kind(w, "text/html"); pour(w, r, 9<<20) }),
		at("/body/empty", parse, func(w http.ResponseWriter, _ *http.Request) { kind(w, "text/html") }),
		at("/body/blank", parse, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte(" \n"), 4<<20)) }),
		at("/body/none", parse, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		slow("/slow/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		slow("/slow/drip", func(w http.ResponseWriter, r *http.Request) {
			kind(w, "text/html")
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte("x")); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}),
		slow("/slow/early-hints", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.WriteHeader(http.StatusEarlyHints)
				time.Sleep(20 * time.Millisecond)
			}
		}),
	}
}

// zeros is an endless stream of them, read as far as a bomb's size.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// packed compresses n zeros by a writer's constructor.
func packed(n int64, open func(io.Writer) (io.WriteCloser, error)) []byte {
	var b bytes.Buffer
	w, err := open(&b)
	if err == nil {
		_, err = io.CopyN(w, zeros{}, n)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // all goes into memory
	}
	return b.Bytes()
}

func encoded(path, want, encoding string, body func() []byte) Page {
	return at(path, want, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", encoding)
		_, _ = w.Write(body())
	})
}

func squeeze(n int64) []byte {
	return packed(n, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) })
}

// gigabyte takes seconds to make.
var gigabyte = sync.OnceValue(func() []byte { return squeeze(1 << 30) })

// encodings are bombs, and bodies that are not what their header promises.
func encodings() []Page {
	again := func(body []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body)
		_ = w.Close() // into memory
		return b.Bytes()
	}
	return []Page{
		encoded("/bomb/gzip-100MB", fetch, "gzip", func() []byte { return squeeze(100 << 20) }),
		encoded("/bomb/gzip-1GB", fetch, "gzip", gigabyte),
		encoded("/bomb/gzip-gzip", fetch, "gzip, gzip", func() []byte { return again(gigabyte()) }),
		encoded("/bomb/gzip-gzip-gzip-gzip", fetch, "gzip, gzip, gzip, gzip", func() []byte { return again(again(again(squeeze(1 << 20)))) }),
		encoded("/bomb/brotli", fetch, "br", func() []byte {
			return packed(200<<20, func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 1), nil })
		}),
		encoded("/bomb/zstd", fetch, "zstd", func() []byte {
			return packed(1<<30, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
		}),
		encoded("/bomb/zstd-window", fetch, "zstd", func() []byte {
			return packed(200<<20, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithWindowSize(256<<20)) })
		}),
		encoded("/bomb/deflate", fetch, "deflate", func() []byte {
			return packed(500<<20, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 9) })
		}),
		encoded("/encoding/not-gzip", fetch, "gzip", func() []byte { return []byte(sentence) }),
		encoded("/encoding/cut", fetch, "gzip", func() []byte { return squeeze(1 << 20)[:500] }),
		encoded("/encoding/not-brotli", fetch, "br", func() []byte { return noise(5000) }),
		encoded("/encoding/not-zstd", fetch, "zstd", func() []byte { return noise(5000) }),
		encoded("/encoding/unknown", fetch, "compress", func() []byte { return noise(5000) }),
		encoded("/encoding/long", fetch, strings.Repeat("gzip,", 1000), func() []byte { return noise(5000) }),
	}
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewSource(7)) // the same noise each time
	for i := range b {
		b[i] = byte(r.Intn(256))
	}
	return b
}

// charsets are declared wrongly.
func charsets() []Page {
	as := func(path, want, kind string, body []byte) Page {
		return at(path, want, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(body)
		})
	}
	prose := []byte("<html><body><p>" + strings.Repeat(sentence, 20))
	var wide bytes.Buffer
	for _, b := range prose {
		wide.Write([]byte{b, 0})
	}
	return []Page{
		as("/charset/noise", either, "text/html; charset=utf-8", noise(1<<20)),
		as("/charset/unknown", ok, "text/html; charset=no-such-thing", prose),
		as("/charset/utf-16-undeclared", either, "text/html", wide.Bytes()),
		as("/charset/utf-16-declared", either, "text/html; charset=utf-16", prose),
		as("/charset/iso-2022", ok, "text/html; charset=iso-2022-jp", append(bytes.Repeat([]byte("\x1b$B"), 100_000), prose...)),
		as("/charset/gb18030", either, "text/html; charset=gb18030", noise(2<<20)),
		as("/charset/long", ok, "text/html; charset="+strings.Repeat("x", 10_000), prose),
	}
}

// redirections lead nowhere.
func redirections() []Page {
	to := func(path string, location func(r *http.Request) string) Page {
		return at(path, fetch, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", location(r))
			w.WriteHeader(http.StatusFound)
		})
	}
	return []Page{
		to("/redirect/self", func(*http.Request) string { return "/redirect/self" }),
		to("/redirect/ping", func(*http.Request) string { return "/redirect/pong" }),
		to("/redirect/pong", func(*http.Request) string { return "/redirect/ping" }),
		to("/redirect/growing", func(r *http.Request) string { return "/redirect/growing?" + r.URL.RawQuery + strings.Repeat("x", 1000) }),
		to("/redirect/malformed", func(*http.Request) string { return "http://[::1" }),
		to("/redirect/inside", func(*http.Request) string { return "http://169.254.169.254/" }),
		to("/redirect/file", func(*http.Request) string { return "file:///etc/passwd" }),
		to("/redirect/long", func(*http.Request) string { return "/" + strings.Repeat("x", 200_000) }),
	}
}
