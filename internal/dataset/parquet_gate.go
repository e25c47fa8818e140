package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"atelier/internal/contract"
)

// A Parquet file says of itself how large its parts are, and a reader that
// believes it may be made to take any amount of memory by a few bytes. The gate
// goes through everything that the library will read, before it does, and lets
// pass only what fits these bounds.
const (
	maxFooter      = 8 << 20 // bytes of the description of the file
	maxPageHeader  = 64 << 10
	maxPage        = 64 << 20 // bytes of a page, unpacked
	maxPageValues  = 4 << 20
	maxOpenPages   = 512 << 20 // bytes of the largest pages of all columns of a row group
	maxParquetRows = 1e9
)

func badParquet(format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeFileUnreadable, "the Parquet file is refused: "+format, args...).At("file")
}

// gateFooter looks at the description at the end of the file.
func gateFooter(in io.ReaderAt, size int64) error {
	tail := make([]byte, 8)
	if size < 12 {
		return badParquet("it has only %d bytes", size)
	}
	if _, err := in.ReadAt(tail, size-8); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	switch {
	case string(tail[4:]) != "PAR1":
		return badParquet("it is encrypted, or its end is missing")
	case length > maxFooter || length > size-12:
		return badParquet("its description would have %d bytes", length)
	}
	raw := make([]byte, length)
	if _, err := in.ReadAt(raw, size-8-length); err != nil {
		return err
	}
	// A structure of a row group or column has dozens of bytes; of a byte each, they
	// would take hundreds of times as much when they are read.
	c := &compact{in: raw, most: len(raw)/12 + 4096}
	file, err := c.structure(func(id int64) bool { return id == 2 }) // the schema
	if err != nil {
		return badParquet("its description is damaged: %w", err)
	}
	elements := file.fields[2].list
	if len(elements) < 2 || len(elements)-1 > maxColumns {
		return badParquet("it has %d columns; from 1 to %d are read", max(len(elements)-1, 0), maxColumns)
	}
	for _, e := range elements[1:] {
		if e.fields[5].number != 0 || e.fields[3].number == 2 {
			return badParquet("the column %q is nested or a list", e.fields[4].text).
				WithHint("Write a flat table: one value for each column and row.")
		}
	}
	return nil
}

// gatePages looks at every page of a file.
func gatePages(in io.ReaderAt, size int64, f *parquet.File) error {
	rows := int64(0)
	for g, group := range f.Metadata().RowGroups {
		open := int64(0)
		if rows += group.NumRows; group.NumRows < 0 || rows > maxParquetRows {
			return badParquet("it would have more than %.0f rows", maxParquetRows)
		}
		for _, column := range group.Columns {
			need, err := gateColumn(in, size, &column.MetaData, group.NumRows)
			if err != nil {
				if e := new(contract.Error); errors.As(err, &e) {
					return e
				}
				return badParquet("column %v of row group %d: %w", column.MetaData.PathInSchema, g, err)
			}
			if open += need; open > maxOpenPages {
				return badParquet("the pages of a row group need more than %d MB at a time", maxOpenPages>>20).
					WithHint("Write it with smaller pages.")
			}
		}
	}
	return nil
}

// gateColumn looks at the pages of a column of a row group, and returns the most
// bytes that a page and its dictionary need.
func gateColumn(in io.ReaderAt, size int64, c *format.ColumnMetaData, rows int64) (need int64, err error) {
	at, end := c.DataPageOffset, int64(0)
	if d := c.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	if end = at + c.TotalCompressedSize; at < 4 || c.TotalCompressedSize < 0 || end < at || end > size {
		return 0, errors.New("its place lies outside of the file")
	}
	var page, dictionary, values int64
	r := bufio.NewReaderSize(io.NewSectionReader(in, at, end-at), maxPageHeader)
	for values < c.NumValues {
		h, err := readPageHeader(r)
		if err != nil {
			return 0, err
		}
		if err := h.check(r, c.Codec); err != nil {
			return 0, err
		}
		if h.dictionary {
			dictionary = max(dictionary, h.unpacked+8*h.values)
			continue
		}
		values += h.values
		page = max(page, h.unpacked+8*h.values)
	}
	if values != c.NumValues || values != rows {
		return 0, fmt.Errorf("it has %d values for %d rows", values, rows)
	}
	return page + dictionary, nil
}

// pageHeader is what a page says of itself.
type pageHeader struct {
	packed, unpacked, values int64
	levels                   int64 // bytes before the packed ones
	encoding                 int64
	plain                    bool // not packed, whatever the codec
	dictionary               bool
}

func readPageHeader(r *bufio.Reader) (*pageHeader, error) {
	raw, err := r.Peek(maxPageHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	c := &compact{in: raw, most: 64}
	n, err := c.structure(func(int64) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("a page's header is damaged: %w", err)
	}
	_, _ = r.Discard(len(raw) - len(c.in)) // what was peeked at is there
	h := &pageHeader{unpacked: n.fields[2].number, packed: n.fields[3].number}
	switch kind := n.fields[1].number; kind {
	case 0:
		h.values, h.encoding = n.fields[5].fields[1].number, n.fields[5].fields[2].number
	case 2:
		h.values, h.encoding, h.dictionary = n.fields[7].fields[1].number, n.fields[7].fields[2].number, true
	case 3:
		v2 := n.fields[8].fields
		h.values, h.encoding, h.levels = v2[1].number, v2[4].number, v2[5].number+v2[6].number
		if packed, ok := v2[7]; ok {
			h.plain = packed.number == 0
		}
	default:
		return nil, fmt.Errorf("a page is of the kind %d", kind)
	}
	return h, nil
}

// deltaByteArray is the encoding in which a text repeats the start of the one
// before: a few bytes can stand for any amount.
const deltaByteArray = 7

// check reads the page behind the header.
func (h *pageHeader) check(r io.Reader, codec format.CompressionCodec) error {
	switch {
	case h.packed < 0 || h.unpacked < 0 || h.values < 0 || h.levels < 0 || h.levels > h.packed:
		return errors.New("a page has a negative size")
	case h.packed > maxPage || h.unpacked > maxPage:
		return fmt.Errorf("a page has %d bytes, unpacked %d; at most %d are read", h.packed, h.unpacked, maxPage)
	case h.values > maxPageValues:
		return fmt.Errorf("a page has %d values; at most %d are read", h.values, maxPageValues)
	case h.encoding == deltaByteArray:
		return errors.New("its texts are written as differences (DELTA_BYTE_ARRAY); write them plain or with a dictionary")
	}
	if codec == format.Uncompressed || h.plain {
		_, err := io.CopyN(io.Discard, r, h.packed)
		return err
	}
	if _, err := io.CopyN(io.Discard, r, h.levels); err != nil {
		return err
	}
	packed := io.LimitReader(r, h.packed-h.levels)
	n, err := unpackedSize(packed, codec, h.unpacked)
	if err != nil {
		return err
	}
	if n > h.unpacked {
		return errors.New("a page unpacks to more than it says")
	}
	_, err = io.Copy(io.Discard, packed)
	return err
}

// unpackedSize is how much a packed page unpacks to, or a little more than limit.
func unpackedSize(packed io.Reader, codec format.CompressionCodec, limit int64) (int64, error) {
	switch codec {
	case format.Snappy: // says its length, and never exceeds it
		head := make([]byte, binary.MaxVarintLen32)
		k, err := io.ReadFull(packed, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return 0, err
		}
		n, err := snappy.DecodedLen(head[:k])
		return int64(n), err
	case format.Gzip:
		z, err := gzip.NewReader(packed)
		if err != nil {
			return 0, err
		}
		return io.Copy(io.Discard, io.LimitReader(z, limit+1))
	case format.Zstd:
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecoderLowmem(true))
		if err != nil {
			return 0, err
		}
		defer z.Close()
		return io.Copy(io.Discard, io.LimitReader(z, limit+1))
	}
	return 0, fmt.Errorf("it is compressed by %v; snappy, gzip and zstd are read", codec)
}

// compact goes through Thrift's compact protocol, in which Parquet describes
// itself, without believing any length.
type compact struct {
	in    []byte
	depth int
	most  int // structures
}

// thing is a value: a number, a text, a structure's fields, or a list.
type thing struct {
	number int64
	text   []byte
	fields map[int64]thing
	list   []thing
}

var errThrift = errors.New("it ends in the middle, or claims more than there is")

func (c *compact) varint() (uint64, error) {
	v, n := binary.Uvarint(c.in)
	if n <= 0 {
		return 0, errThrift
	}
	c.in = c.in[n:]
	return v, nil
}

func (c *compact) zigzag() (int64, error) {
	v, err := c.varint()
	return int64(v>>1) ^ -int64(v&1), err
}

func (c *compact) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(c.in)) {
		return nil, errThrift
	}
	out := c.in[:n]
	c.in = c.in[n:]
	return out, nil
}

// structure reads fields up to the end of a structure, and keeps those that are
// wanted.
func (c *compact) structure(wanted func(id int64) bool) (thing, error) {
	if c.depth, c.most = c.depth+1, c.most-1; c.depth > 24 || c.most < 0 {
		return thing{}, errors.New("it is nested too deep, or has too many parts")
	}
	defer func() { c.depth-- }()
	out, id := thing{fields: map[int64]thing{}}, int64(0)
	for {
		head, err := c.bytes(1)
		if err != nil {
			return out, err
		}
		if head[0] == 0 {
			return out, nil
		}
		if delta := int64(head[0] >> 4); delta > 0 {
			id += delta
		} else if id, err = c.zigzag(); err != nil {
			return out, err
		}
		keep := wanted(id)
		v, err := c.value(head[0]&15, keep)
		if err != nil {
			return out, err
		}
		if keep {
			out.fields[id] = v
		}
	}
}

// The kinds of values of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftStruct = 12
)

func (c *compact) value(kind byte, keep bool) (v thing, err error) {
	switch {
	case kind == thriftTrue:
		v.number = 1
	case kind == thriftFalse:
	case kind == thriftByte:
		_, err = c.bytes(1)
	case kind > thriftByte && kind <= thriftI64:
		v.number, err = c.zigzag()
	case kind == thriftDouble:
		_, err = c.bytes(8)
	case kind == thriftBinary:
		var n uint64
		if n, err = c.varint(); err == nil {
			v.text, err = c.bytes(n)
		}
	case kind == thriftList || kind == thriftSet:
		v.list, err = c.items(keep)
	case kind == thriftStruct:
		v, err = c.structure(func(int64) bool { return keep })
	default:
		err = fmt.Errorf("a value is of the kind %d", kind)
	}
	v.text = bytes.Clone(v.text)
	return v, err
}

func (c *compact) items(keep bool) ([]thing, error) {
	head, err := c.bytes(1)
	if err != nil {
		return nil, err
	}
	n, kind := uint64(head[0]>>4), head[0]&15
	if n == 15 {
		if n, err = c.varint(); err != nil {
			return nil, err
		}
	}
	if n > uint64(len(c.in)) { // each has a byte at least
		return nil, errThrift
	}
	var out []thing
	for range n {
		var v thing
		if kind == thriftTrue || kind == thriftFalse { // of a list, a byte each
			_, err = c.bytes(1)
		} else {
			v, err = c.value(kind, keep)
		}
		if err != nil {
			return nil, err
		}
		if keep {
			out = append(out, v)
		}
	}
	return out, nil
}
