package hostile

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// protocols speak HTTP badly.
func protocols() []Page {
	raw := func(path, want string, speak func(c net.Conn)) Page {
		return at(path, want, func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			speak(c)
		})
	}
	say := func(text string) func(net.Conn) {
		return func(c net.Conn) { _, _ = c.Write([]byte(text)) }
	}
	return []Page{
		raw("/protocol/noise", fetch, func(c net.Conn) { _, _ = c.Write(noise(100_000)) }),
		raw("/protocol/close", fetch, func(net.Conn) {}),
		raw("/protocol/short", fetch, say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<p>x")),
		raw("/protocol/chunk", fetch, say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n")),
		raw("/protocol/status", fetch, say("HTTP/1.1 999999999999 X\r\n\r\n")),
		raw("/protocol/headers", fetch, func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for range 100_000 {
				if _, err := c.Write([]byte("X-Filler: " + strings.Repeat("x", 500) + "\r\n")); err != nil {
					return
				}
			}
		}),
		raw("/protocol/header", fetch, say("HTTP/1.1 200 OK\r\nX-Long: "+strings.Repeat("x", 4<<20)+"\r\n\r\n")),
		raw("/protocol/two-lengths", fetch, say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello")),
	}
}

// documents are of other kinds than HTML, or say so.
func documents() []Page {
	as := func(path, want, kind string, body func() []byte) Page {
		return at(path, want, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(body())
		})
	}
	text := func(s string) func() []byte { return func() []byte { return []byte(s) } }
	laughs := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">` +
		func() string {
			var b strings.Builder
			for c := 'b'; c <= 'k'; c++ {
				fmt.Fprintf(&b, "<!ENTITY %c \"%s\">", c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
			}
			return b.String()
		}() + "]><l>&k;</l>"
	return []Page{
		as("/document/zip", parse, "application/zip", text("PK\x03\x04x")),
		as("/document/binary-text", parse, "text/plain", func() []byte { return bytes.Repeat([]byte{0, 1, 2, 255}, 1<<20) }),
		as("/document/laughs", either, "application/xml", text(laughs)),
		as("/pdf/noise", parse, "application/pdf", func() []byte { return append([]byte("%PDF-1.7\n"), noise(1<<20)...) }),
		as("/pdf/empty", parse, "application/pdf", text("%PDF-1.7\n%%EOF")),
		as("/pdf/cycle", parse, "application/pdf", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1000000/Kids[2 0 R 2 0 R]>>")
		}),
		as("/pdf/self", parse, "application/pdf", func() []byte { return pdf("1 0 R") }),
		as("/pdf/deep", parse, "application/pdf", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", strings.Repeat("[", 2_000_000))
		}),
		as("/pdf/bomb", parse, "application/pdf", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", bomb())
		}),
	}
}

// bomb is a stream of drawing operators that is a thousand times larger than it looks.
func bomb() string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for range 400 {
		_, _ = w.Write(bytes.Repeat([]byte("q BT Q ET\n"), 100_000)) // into memory
	}
	_ = w.Close()
	return fmt.Sprintf("<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", b.Len(), b.String())
}

// pdf puts objects, numbered from 1, into a file; the first is its root.
func pdf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}
