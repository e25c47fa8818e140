package geometry

import (
	"bytes"
	"fmt"

	"atelier/internal/contract"
)

// remark is for the caller to tell: something in the file that was passed over.
func (m *Mesh) remark(format string, args ...any) {
	m.Remarks = append(m.Remarks, fmt.Sprintf(format, args...))
}

// padding says whether the bytes hold nothing: zeros and white space, which some writers
// put at the end of a file.
func padding(b []byte) bool { return len(bytes.Trim(b, "\x00 \t\r\n\x1a")) == 0 }

// leftover judges the bytes of a binary file that stand after what its header announces.
// White space is right; zeros, and fewer bytes than the least record takes, hold no
// triangle and are told; more than that may be the rest of the surface.
func (m *Mesh) leftover(data []byte, at, least int, announced string) error {
	rest := data[at:]
	switch {
	case len(bytes.TrimSpace(rest)) == 0:
		return nil
	case padding(rest):
		m.remark("the last %d bytes of the file, after what its header announces (%s), are zeros and were passed over", len(rest), announced)
		return nil
	case len(rest) < least:
		m.remark("the last %d bytes of the file, after what its header announces (%s), are too few for one more and were passed over", len(rest), announced)
		return nil
	}
	return tooMuch("byte %d: the header announces %s, and %d bytes go on after them, room for up to %d more", at, announced, len(rest), len(rest)/least)
}

// leftoverText judges what follows in a text file: only comments, blank lines and padding
// hold nothing.
func (m *Mesh) leftoverText(s *scanner, announced string) error {
	if s.token() == nil {
		return nil
	}
	if rest := s.data[bytes.LastIndexByte(s.data[:s.pos], '\n')+1:]; padding(rest) {
		m.remark("the last %d bytes of the file, after what its header announces (%s), are no text and were passed over", len(rest), announced)
		return nil
	}
	line, more := s.line, 0
	for found := true; found; found = s.next() && s.blankTo() {
		more++
	}
	return tooMuch("line %d: the header announces %s, and the file goes on after them with text in %d more lines", line, announced, more)
}

func tooMuch(format string, args ...any) *contract.Error {
	return unreadable(format, args...).WithHint(
		"Either the count is too small or two files were joined: what follows may be a part of the surface, and is not dropped unasked. Export the surface again; if you wrote the file, set the count right, or cut off what does not belong to it.")
}

func cutShort(format string, args ...any) *contract.Error {
	return unreadable(format, args...).WithHint(
		"The file was cut short, or its count is wrong: a part of the surface is missing. Copy or upload it again, or export the surface again.")
}
