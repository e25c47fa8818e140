package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"atelier/internal/stat"
)

// Column is a column of a capture.
type Column struct {
	Name    string   `json:"name"`
	Type    Kind     `json:"type"`
	Missing int64    `json:"missing"`
	Min     *float64 `json:"min"` // null of text and where there are no finite values
	Max     *float64 `json:"max"`
	// Words are texts among its numbers that are taken as missing, with how often each
	// is there.
	Words map[string]int64 `json:"missing_words,omitempty"`
}

type blockInfo struct {
	Rows   int         `json:"n"`
	Chunks []chunkInfo `json:"c"`
	// Texts are what the numbers of some columns were written as.
	Texts map[int]chunkInfo `json:"t,omitempty"`
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
	// Spelled are the columns of numbers whose levels are their texts, Trimmed those of
	// texts whose spaces tell nothing apart.
	Spelled []int `json:"spelled,omitempty"`
	Trimmed []int `json:"trimmed,omitempty"`
	// Separator stands between the fields of a CSV table; "" of other formats.
	Separator string `json:"separator,omitempty"`
	// Grouped are the columns whose points may all be separators of thousands.
	Grouped []int `json:"grouped,omitempty"`
}

// Capture is an open capture. It is read from several goroutines.
type Capture struct {
	Info
	blocks []blockInfo
	starts []int64 // rows before each block
	file   *os.File
	// spelled, trimmed, grouped and separator are as in the footer.
	spelled, trimmed, grouped []int
	separator                 string
	reads                     atomic.Int64 // columns of blocks that were read
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
	c.Info, c.blocks, c.spelled, c.trimmed = f.Info, f.Blocks, f.Spelled, f.Trimmed
	c.grouped, c.separator = f.Grouped, f.Separator
	rows := int64(0)
	for _, b := range c.blocks {
		if b.Rows < 0 || b.Rows > stat.BlockRows || len(b.Chunks) != len(c.Columns) {
			return errCorrupt
		}
		c.starts = append(c.starts, rows)
		rows += int64(b.Rows)
	}
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

// chunk reads the bytes of a column of a block into memory that is given back by
// scraps.Put, and which values are absent.
func (c *Capture) chunk(block, column int) (info chunkInfo, rest, absent []byte, s *scrap, err error) {
	return c.bytes(c.blocks[block].Rows, c.blocks[block].Chunks[column])
}

func (c *Capture) bytes(rows int, info chunkInfo) (_ chunkInfo, rest, absent []byte, s *scrap, err error) {
	if info.Length < 0 || info.Length > maxChunk {
		return info, nil, nil, nil, errCorrupt
	}
	s = scraps.Get().(*scrap)
	if cap(s.raw) < info.Length {
		s.raw = make([]byte, info.Length)
	}
	raw := s.raw[:info.Length]
	c.reads.Add(1)
	if _, err := c.file.ReadAt(raw, info.Offset); err != nil {
		return info, nil, nil, s, errCorrupt
	}
	if info.Missing > 0 {
		n := (rows + 7) / 8
		if len(raw) < n {
			return info, nil, nil, s, errCorrupt
		}
		absent, raw = raw[:n], raw[n:]
	}
	return info, raw, absent, s, nil
}

// maxChunk is more bytes than a column of a block takes: its texts are of one
// piece of the table.
const maxChunk = 64 << 20

// scrap is memory for the bytes and the whole numbers of a column of a block.
type scrap struct {
	raw    []byte
	stored []int64
}

var scraps = sync.Pool{New: func() any { return &scrap{} }}

func isAbsent(bits []byte, i int) bool { return bits != nil && bits[i/8]>>(i%8)&1 == 1 }

// present is what is absent of a column that lacks nothing; it is only read.
var present = make([]bool, stat.BlockRows)

// absences are those of the rows that index names (nil for all).
func absences(bits []byte, n int, index []int32) []bool {
	if bits == nil && n <= len(present) {
		return present[:n]
	}
	out := make([]bool, n)
	for k := range out {
		i := k
		if index != nil {
			i = int(index[k])
		}
		out[k] = isAbsent(bits, i)
	}
	return out
}

// doubles decodes the rows of a numeric column that index names into out, which
// has their number.
func (c *Capture) doubles(block, column int, index []int32, out []stat.DD) ([]bool, error) {
	info, raw, bits, s, err := c.chunk(block, column)
	if s != nil {
		defer scraps.Put(s)
	}
	if err != nil {
		return nil, err
	}
	rows := c.blocks[block].Rows
	if err := info.check(raw, rows); err != nil {
		return nil, err
	}
	absent := absences(bits, len(index), index)
	switch info.Form {
	case formDecimal:
		stored := s.unpack(raw, info, rows)
		for k, i := range index {
			out[k] = stat.FromDecimal(stored[i], info.Places)
		}
	case formFloat:
		for k, i := range index {
			out[k] = stat.F(float(raw, int(i)))
		}
	case formDouble:
		for k, i := range index {
			out[k] = stat.DD{Hi: float(raw, int(i)), Lo: float(raw, rows+int(i))}
		}
	}
	if bits != nil {
		for k, a := range absent {
			if a {
				out[k] = stat.DD{}
			}
		}
	}
	return absent, nil
}

// check says whether the bytes hold the values of the rows.
func (i chunkInfo) check(raw []byte, rows int) error {
	need, ok := map[string]int{formDecimal: i.Width, formFloat: 8, formDouble: 16}[i.Form]
	if !ok || len(raw) < need*rows || i.Places < 0 || i.Places > 22 || !slices.Contains([]int{0, 1, 2, 4, 8}, i.Width) {
		return errCorrupt
	}
	return nil
}

func float(raw []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
}

// unpack makes the mantissas of a column of decimals.
func (s *scrap) unpack(raw []byte, info chunkInfo, rows int) []int64 {
	if cap(s.stored) < rows {
		s.stored = make([]int64, max(rows, stat.BlockRows))
	}
	out, base := s.stored[:rows], uint64(info.Base)
	switch info.Width {
	case 0:
		for i := range out {
			out[i] = info.Base
		}
	case 1:
		for i, b := range raw[:rows] {
			out[i] = int64(base + uint64(b))
		}
	case 2:
		for i := range out {
			out[i] = int64(base + uint64(binary.LittleEndian.Uint16(raw[2*i:])))
		}
	case 4:
		for i := range out {
			out[i] = int64(base + uint64(binary.LittleEndian.Uint32(raw[4*i:])))
		}
	case 8:
		for i := range out {
			out[i] = int64(base + binary.LittleEndian.Uint64(raw[8*i:]))
		}
	}
	return out
}

// floats decodes all rows of a numeric column, rounded to float64, into out, which
// has their number.
func (c *Capture) floats(block, column int, out []float64) ([]bool, error) {
	info, raw, bits, s, err := c.chunk(block, column)
	if s != nil {
		defer scraps.Put(s)
	}
	if err != nil {
		return nil, err
	}
	rows := c.blocks[block].Rows
	if err := info.check(raw, rows); err != nil {
		return nil, err
	}
	absent := absences(bits, rows, nil)
	if info.Form == formDecimal {
		toFloats(out, s.unpack(raw, info, rows), info.Places)
	} else {
		for i := range out {
			out[i] = float(raw, i)
		}
	}
	if bits != nil {
		for i, a := range absent {
			if a {
				out[i] = 0
			}
		}
	}
	return absent, nil
}

func toFloats(out []float64, stored []int64, places int) {
	scale := pow10[places]
	for i, m := range stored {
		if m < 1<<53 && m > -1<<53 {
			out[i] = float64(m) / scale
		} else {
			out[i] = toFloat(m, places)
		}
	}
}

// words decodes a column of texts, or what the numbers of one were written as: its
// words and the number of each row's.
func (c *Capture) words(block, column int) (words []string, code []uint16, absent []bool, err error) {
	info := c.blocks[block].Chunks[column]
	if c.Columns[column].Type != String {
		info = c.blocks[block].Texts[column]
	}
	trimmed := slices.Contains(c.trimmed, column)
	info, raw, bits, s, err := c.bytes(c.blocks[block].Rows, info)
	if s != nil {
		defer scraps.Put(s)
	}
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
		word := raw[n : n+int(length)]
		if trimmed {
			word = bytes.Trim(word, " ")
		}
		words = append(words, string(word))
		raw = raw[n+int(length):]
	}
	if len(raw) < 2*rows {
		return nil, nil, nil, errCorrupt
	}
	code, absent = make([]uint16, rows), absences(bits, rows, nil)
	for i := range code {
		code[i] = binary.LittleEndian.Uint16(raw[2*i:])
		switch {
		case absent[i]:
			code[i] = 0
		case int(code[i]) >= len(words):
			return nil, nil, nil, errCorrupt
		}
	}
	return words, code, absent, nil
}
