package extract

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// maxFrame bounds what one side believes of the other.
const maxFrame = 1 << 30

// send writes a message: its head as JSON, then its parts as they are, each
// after its length. Pages are large, and are not copied on the way.
func send(w *bufio.Writer, head any, parts ...[]byte) error {
	encoded, err := json.Marshal(head)
	if err != nil {
		return err
	}
	for _, part := range append([][]byte{encoded}, parts...) {
		if err := binary.Write(w, binary.BigEndian, uint32(len(part))); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Flush()
}

// receive reads a message into head and returns its parts.
func receive(r *bufio.Reader, head any, parts int) ([][]byte, error) {
	read := make([][]byte, 0, parts)
	for i := range parts + 1 {
		var length uint32
		if err := binary.Read(r, binary.BigEndian, &length); err != nil {
			return nil, err
		}
		if length > maxFrame {
			return nil, fmt.Errorf("a part of %d bytes", length)
		}
		part := make([]byte, length)
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, err
		}
		if i > 0 {
			read = append(read, part)
		} else if err := json.Unmarshal(part, head); err != nil {
			return nil, err
		}
	}
	return read, nil
}
