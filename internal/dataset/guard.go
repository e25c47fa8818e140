package dataset

import "bytes"

// LineGuard ends the copying of a text table at once when a line is longer than
// any record may be, so that what is no table is not stored first. It lets
// through what is not text, by the first bytes.
type LineGuard struct {
	head       []byte
	line, long int
	feeds      bool // a line ended with a line feed
}

// Write looks at the next bytes; the error is that of an import.
func (g *LineGuard) Write(p []byte) (int, error) {
	if n := 4 - len(g.head); n > 0 {
		g.head = append(g.head, p[:min(n, len(p))]...)
	}
	if packed := bytes.HasPrefix(g.head, []byte("PAR1")) || bytes.HasPrefix(g.head, []byte("\x1f\x8b")); packed || len(g.head) < 4 {
		return len(p), nil
	}
	end := byte('\n')
	if g.feeds = g.feeds || bytes.IndexByte(p, '\n') >= 0; !g.feeds { // lines that end with \r
		end = '\r'
	}
	if n := bytes.Count(p, []byte{end}); n > 0 {
		g.line, g.long = g.line+n, len(p)-1-bytes.LastIndexByte(p, end)
	} else {
		g.long += len(p)
	}
	if g.long > maxRecord {
		return 0, fault(g.line+1, "the record at line %d has more than %d bytes", g.line+1, maxRecord).
			WithHint("Check that quotes are closed and that the file is a table.")
	}
	return len(p), nil
}
