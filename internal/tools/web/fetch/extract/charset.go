package extract

import (
	"bytes"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

const sample = 64 << 10 // bytes of a page that its charset is guessed of

// Decode turns a text into UTF-8 and names the charset that it was read in.
func Decode(body []byte, declared string) (text, name string) {
	decoded, name := decode(body, declared)
	return string(decoded), name
}

// decode does so without a copy where none is needed. The
// page's own evidence comes first: a byte order mark, then that it is UTF-8
// beyond ASCII, which nothing is by accident. Then what the server or the page
// declares, unless it is UTF-8 and the page is not; then a guess by the
// frequency of bytes.
func decode(body []byte, declared string) (text []byte, name string) {
	contentType := ""
	if declared != "" {
		contentType = "text/html; charset=" + declared
	}
	coding, name, certain := charset.DetermineEncoding(body, contentType)
	if marked(body) {
		return decodeAs(coding, body), name
	}
	utf := utf8.Valid(body)
	switch {
	case utf && !ascii(body):
		return body, "utf-8"
	case utf && (!certain || name == "utf-8" || name == "windows-1252"):
		if !bytes.ContainsRune(body, 0x1b) { // ISO-2022-JP is ASCII with escapes
			return body, "utf-8"
		}
	case name == "utf-8" && mostlyUTF8(body):
		return bytes.ToValidUTF8(body, replacement), "utf-8"
	}
	if !certain || name == "utf-8" {
		if guessed, as := guess(body); guessed != nil {
			coding, name = guessed, as
		} else if name == "utf-8" {
			coding, name = charset.Lookup("windows-1252")
		}
	}
	return decodeAs(coding, body), name
}

var replacement = []byte("\uFFFD")

func marked(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
}

func ascii(body []byte) bool {
	for _, b := range body {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

// mostlyUTF8 says that what is beyond ASCII is UTF-8 but for a few broken places,
// as when a text was cut in bytes.
func mostlyUTF8(body []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(body); {
		if body[i] < 0x80 {
			i++
			continue
		}
		r, n := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return bad*20 <= good
}

func guess(body []byte) (encoding.Encoding, string) {
	best, err := chardet.NewHtmlDetector().DetectBest(body[:min(len(body), sample)])
	if err != nil || best.Confidence < 20 {
		return nil, ""
	}
	return charset.Lookup(best.Charset)
}

func decodeAs(coding encoding.Encoding, body []byte) []byte {
	if coding == nil || coding == encoding.Nop {
		return bytes.ToValidUTF8(body, replacement)
	}
	text, _, err := transform.Bytes(coding.NewDecoder(), body)
	if err != nil {
		return bytes.ToValidUTF8(body, replacement)
	}
	return bytes.ToValidUTF8(bytes.TrimPrefix(text, []byte("\ufeff")), replacement)
}
