package capture

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"atelier/stat"
)

// Column is a column of a capture.
type Column struct {
	Name    string   `json:"name"`
	Type    Kind     `json:"type"`
	Missing int64    `json:"missing"`
	Min     *float64 `json:"min"` // null of text and where there are no finite values
	Max     *float64 `json:"max"`
}

type blockInfo struct {
	Rows   int         `json:"n"`
	Chunks []chunkInfo `json:"c"`
}

// Info is what a capture says of itself.
type Info struct {
	Rows       int64    `json:"rows"`
	Columns    []Column `json:"columns"`
	TimeColumn string   `json:"time_column,omitempty"`
	TimeUnit   string   `json:"time_unit,omitempty"` // of a numeric time column: ms, s, us or ns
	// ChannelColumn is the column whose values channels select, "" for none.
	ChannelColumn string `json:"channel_column,omitempty"`
}

type footer struct {
	Info
	Blocks []blockInfo `json:"blocks"`
}

// Capture is an open capture. It is read from several goroutines.
type Capture struct {
	Info
	blocks []blockInfo
	file   *os.File
}

const magic = "atelier capture 1\n"

// Open opens a capture's file.
func Open(path string) (*Capture, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c := &Capture{file: file}
	if err := c.readFooter(); err != nil {
		_ = file.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the file.
func (c *Capture) Close() error { return c.file.Close() }

func (c *Capture) readFooter() error {
	size, err := c.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	tail := make([]byte, 8+len(magic))
	if size < int64(len(tail)+len(magic)) {
		return errCorrupt
	}
	if _, err := c.file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint64(tail)
	if string(tail[8:]) != magic || length > uint64(size) {
		return errCorrupt
	}
	raw := make([]byte, length)
	if _, err := c.file.ReadAt(raw, size-int64(len(tail))-int64(length)); err != nil {
		return errCorrupt
	}
	var f footer
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	c.Info, c.blocks = f.Info, f.Blocks
	return nil
}

// Blocks is the number of blocks.
func (c *Capture) Blocks() int { return len(c.blocks) }

// Find is the place of a column by name, -1 for none.
func (c *Info) Find(name string) int {
	for i, column := range c.Columns {
		if column.Name == name {
			return i
		}
	}
	return -1
}

// chunk reads the bytes of a column of a block, and which values are absent.
func (c *Capture) chunk(block, column int) (info chunkInfo, rest []byte, absent []byte, err error) {
	b := c.blocks[block]
	info = b.Chunks[column]
	raw := make([]byte, info.Length)
	if _, err := c.file.ReadAt(raw, info.Offset); err != nil {
		return info, nil, nil, errCorrupt
	}
	if info.Missing > 0 {
		n := (b.Rows + 7) / 8
		if len(raw) < n {
			return info, nil, nil, errCorrupt
		}
		absent, raw = raw[:n], raw[n:]
	}
	return info, raw, absent, nil
}

func isAbsent(bits []byte, i int) bool { return bits != nil && bits[i/8]>>(i%8)&1 == 1 }

// doubles decodes the rows of a numeric column that index names (nil for all).
func (c *Capture) doubles(block, column int, index []int32) ([]stat.DD, []bool, error) {
	info, raw, bits, err := c.chunk(block, column)
	if err != nil {
		return nil, nil, err
	}
	rows := c.blocks[block].Rows
	at, err := reader(info, raw, rows)
	if err != nil {
		return nil, nil, err
	}
	n := rows
	if index != nil {
		n = len(index)
	}
	out, absent := make([]stat.DD, n), make([]bool, n)
	for k := range out {
		i := k
		if index != nil {
			i = int(index[k])
		}
		if isAbsent(bits, i) {
			absent[k] = true
			continue
		}
		out[k] = at(i)
	}
	return out, absent, nil
}

// reader returns the function that reads value i.
func reader(info chunkInfo, raw []byte, rows int) (func(i int) stat.DD, error) {
	switch info.Form {
	case formDecimal:
		if len(raw) < info.Width*rows || info.Places < 0 || info.Places > 22 {
			return nil, errCorrupt
		}
		stored := unsigned(raw, info.Width)
		return func(i int) stat.DD {
			return stat.FromDecimal(int64(uint64(info.Base)+stored(i)), info.Places)
		}, nil
	case formFloat:
		if len(raw) < 8*rows {
			return nil, errCorrupt
		}
		return func(i int) stat.DD { return stat.F(float(raw, i)) }, nil
	case formDouble:
		if len(raw) < 16*rows {
			return nil, errCorrupt
		}
		return func(i int) stat.DD { return stat.DD{Hi: float(raw, i), Lo: float(raw, rows+i)} }, nil
	}
	return nil, errCorrupt
}

func float(raw []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
}

func unsigned(raw []byte, width int) func(i int) uint64 {
	switch width {
	case 1:
		return func(i int) uint64 { return uint64(raw[i]) }
	case 2:
		return func(i int) uint64 { return uint64(binary.LittleEndian.Uint16(raw[2*i:])) }
	case 4:
		return func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(raw[4*i:])) }
	case 8:
		return func(i int) uint64 { return binary.LittleEndian.Uint64(raw[8*i:]) }
	}
	return func(int) uint64 { return 0 }
}

// floats decodes all rows of a numeric column, rounded to float64.
func (c *Capture) floats(block, column int) ([]float64, []bool, error) {
	info, raw, bits, err := c.chunk(block, column)
	if err != nil {
		return nil, nil, err
	}
	rows := c.blocks[block].Rows
	at, err := reader(info, raw, rows)
	if err != nil {
		return nil, nil, err
	}
	out, absent := make([]float64, rows), make([]bool, rows)
	stored := unsigned(raw, info.Width)
	for i := range out {
		switch {
		case isAbsent(bits, i):
			absent[i] = true
		case info.Form == formDecimal:
			out[i] = toFloat(int64(uint64(info.Base)+stored(i)), info.Places)
		default:
			out[i] = at(i).Hi
		}
	}
	return out, absent, nil
}

// words decodes a string column: its words and the number of each row's.
func (c *Capture) words(block, column int) (words []string, code []uint16, absent []bool, err error) {
	info, raw, bits, err := c.chunk(block, column)
	if err != nil || info.Form != formText {
		return nil, nil, nil, errCorrupt
	}
	rows := c.blocks[block].Rows
	count, n := binary.Uvarint(raw)
	if n <= 0 || count > uint64(rows) {
		return nil, nil, nil, errCorrupt
	}
	raw = raw[n:]
	for range count {
		length, n := binary.Uvarint(raw)
		if n <= 0 || length > uint64(len(raw)-n) {
			return nil, nil, nil, errCorrupt
		}
		words = append(words, string(raw[n:n+int(length)]))
		raw = raw[n+int(length):]
	}
	if len(raw) < 2*rows {
		return nil, nil, nil, errCorrupt
	}
	code, absent = make([]uint16, rows), make([]bool, rows)
	for i := range code {
		code[i] = binary.LittleEndian.Uint16(raw[2*i:])
		absent[i] = isAbsent(bits, i)
		if !absent[i] && int(code[i]) >= len(words) {
			return nil, nil, nil, errCorrupt
		}
	}
	return words, code, absent, nil
}
