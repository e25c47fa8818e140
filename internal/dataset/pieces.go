package dataset

import (
	"bytes"
	"errors"
	"io"

	"atelier/internal/stat"
)

// maxPiece is the bytes of a piece after which it ends early, so that a block of
// long texts stays small.
const maxPiece = 4 << 20

// piece is a run of whole records of a CSV table, at most stat.BlockRows lines.
type piece struct {
	data   []byte
	line   int  // number of its first
	quoted bool // holds a quote
}

// pieces cuts a CSV table after whole records.
type pieces struct {
	in   io.Reader
	left []byte // read, but behind the piece before
	line int
	done bool
	free chan []byte // memory of pieces that are done with
}

func (p *pieces) memory() []byte {
	select {
	case m := <-p.free:
		return m
	default:
		return make([]byte, 0, 1<<20)
	}
}

// release takes a piece's memory back.
func (p *pieces) release(done piece) {
	select {
	case p.free <- done.data[:0]:
	default:
	}
}

// next returns io.EOF at the end of the table. The caller releases the piece.
func (p *pieces) next() (piece, error) {
	c := cut{data: append(p.memory(), p.left...)}
	p.left = p.left[:0]
	for !c.advance() && !p.done {
		if c.end == 0 && len(c.data) > maxRecord {
			return piece{}, p.tooLong()
		}
		if len(c.data) > maxPiece && c.end > 0 {
			break
		}
		if err := p.read(&c); err != nil {
			return piece{}, err
		}
	}
	if p.done && c.pos == len(c.data) && !c.full {
		if c.inside {
			at := p.line + bytes.Count(c.data[:c.end], []byte{'\n'})
			return piece{}, fault(at, "the quotes that open at line %d are not closed", at)
		}
		c.end = len(c.data)
	}
	if c.end == 0 {
		return piece{}, io.EOF
	}
	p.left = append(p.left, c.data[c.end:]...)
	out := piece{data: c.data[:c.end], line: p.line, quoted: c.quoted}
	p.line += bytes.Count(out.data, []byte{'\n'})
	return out, nil
}

func (p *pieces) tooLong() error {
	return fault(p.line, "the record at line %d has more than %d bytes", p.line, maxRecord).
		WithHint("Check that quotes are closed and that the file is a table.")
}

// read appends some of the table.
func (p *pieces) read(c *cut) error {
	n := len(c.data)
	if cap(c.data)-n < 64<<10 {
		c.data = append(make([]byte, 0, 2*cap(c.data)), c.data...)
	}
	k, err := p.in.Read(c.data[n:min(cap(c.data), n+256<<10)])
	c.data = c.data[:n+k]
	if errors.Is(err, io.EOF) {
		p.done = true
		return nil
	}
	return err
}

// cut looks for the end of the last record that a piece may hold.
type cut struct {
	data           []byte
	pos            int // up to which was looked
	end            int // of the last whole record
	lines          int // that end outside of quotes
	inside, quoted bool
	full           bool
}

// advance looks at what was read since; true when the piece is full.
func (c *cut) advance() bool {
	for c.pos < len(c.data) && !c.full {
		rest := c.data[c.pos:min(len(c.data), c.pos+64<<10)]
		quote := bytes.IndexByte(rest, '"')
		if c.inside {
			if quote < 0 {
				c.pos += len(rest)
				continue
			}
			c.inside, c.pos = false, c.pos+quote+1
			continue
		}
		if quote >= 0 {
			rest = rest[:quote]
		}
		c.records(rest)
		if quote >= 0 && !c.full {
			c.inside, c.quoted, c.pos = true, true, c.pos+1
		}
	}
	return c.full
}

// records counts the lines of text without quotes.
func (c *cut) records(text []byte) {
	n := bytes.Count(text, []byte{'\n'})
	if c.lines+n < stat.BlockRows {
		c.lines += n
		if n > 0 {
			c.end = c.pos + bytes.LastIndexByte(text, '\n') + 1
		}
		c.pos += len(text)
		return
	}
	for c.lines < stat.BlockRows {
		c.pos += bytes.IndexByte(c.data[c.pos:], '\n') + 1
		c.lines++
	}
	c.end, c.full = c.pos, true
}
