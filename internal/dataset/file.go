package dataset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"atelier/internal/contract"
)

// ImportFile is Import of a file whose format is csv, jsonl or parquet or, where
// that is empty, told by its first bytes and its name. CSV and JSON lines may be
// compressed by gzip. What is clearly no table is refused by its first bytes.
func ImportFile(ctx context.Context, name, format string, in io.ReadSeeker, out io.WriteSeeker, o Options) (*Info, error) {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	head, err := start(in)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PAR1")) || format == "parquet" {
		at, ok := in.(io.ReaderAt)
		if !ok || !bytes.HasPrefix(head, []byte("PAR1")) {
			return nil, contract.Errorf(contract.CodeFileUnreadable, "the file is not Parquet: it does not start with PAR1").At("file")
		}
		return ImportParquet(ctx, at, size, out, o)
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		in, name = &gunzip{packed: in, most: contract.MostUnpacked(size)}, strings.TrimSuffix(name, ".gz")
		if head, err = start(in); err != nil {
			return nil, err
		}
	}
	if err := refuse(head); err != nil {
		return nil, err
	}
	if in, err = lineFeeds(in); err != nil {
		return nil, err
	}
	switch ending := strings.ToLower(filepath.Ext(name)); {
	case format == "jsonl", format == "" && (ending == ".jsonl" || ending == ".ndjson"):
		o.JSONLines = true
	}
	return Import(ctx, in, out, o)
}

// start reads the first bytes.
func start(in io.ReadSeeker) ([]byte, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // a short table is one too
		return nil, err
	}
	return head[:n], nil
}

// refuse tells what a file is by its first bytes, where it is no text.
func refuse(head []byte) error {
	hint := "Send CSV with a header, Parquet, or JSON lines."
	kinds := []struct{ magic, is, hint string }{
		{"PK\x03\x04", "a ZIP archive or a spreadsheet", hint},
		{"\x28\xb5\x2f\xfd", "compressed by zstd", "Send it unpacked, or compressed by gzip."},
		{"\xff\xfe", "UTF-16 text", "Save it as UTF-8, e.g. iconv -f UTF-16 -t UTF-8."},
		{"\xfe\xff", "UTF-16 text", "Save it as UTF-8, e.g. iconv -f UTF-16 -t UTF-8."},
		{"\x1f\x8b", "compressed twice", "Send it compressed once."},
		{"PAR1", "Parquet inside of gzip", "Send it as it is: Parquet is compressed by itself."},
		{"ARRO", "an Arrow file", hint},
		{"\x89HDF", "an HDF5 file", hint},
		{"\xd0\xcf\x11\xe0", "an old spreadsheet", hint},
		{"%PDF", "a PDF file", hint},
	}
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return contract.Errorf(contract.CodeFileUnreadable, "the file is %s", k.is).At("file").WithHint("%s", k.hint)
		}
	}
	if len(head) == 4 && (head[1] == 0 && head[3] == 0 || head[0] == 0 && head[2] == 0) {
		return contract.Errorf(contract.CodeFileUnreadable, "the file is UTF-16 text").At("file").WithHint("Save it as UTF-8, e.g. iconv -f UTF-16 -t UTF-8.")
	}
	return nil
}

// peeked is how many bytes tell how the lines of a table end.
const peeked = 64 << 10

// lineFeeds is the table itself, or one whose lines end with a line feed where they
// end with a carriage return alone, as some spreadsheets and old programs write them.
func lineFeeds(in io.ReadSeeker) (io.ReadSeeker, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head := make([]byte, peeked)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if head = head[:n]; returnsAlone(head) {
		return carriageReturns{in}, nil
	}
	return in, nil
}

// returnsAlone says that lines end with carriage returns, and none with a line feed.
func returnsAlone(text []byte) bool {
	return bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(text, "\r"), '\r') >= 0
}

type carriageReturns struct{ io.ReadSeeker }

func (c carriageReturns) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// gunzip is a file that unpacks as it is read, from the start each time.
type gunzip struct {
	packed     io.ReadSeeker
	in         *gzip.Reader
	most, read int64
}

func (g *gunzip) Seek(int64, int) (int64, error) {
	if _, err := g.packed.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	in, err := gzip.NewReader(g.packed)
	if err != nil {
		return 0, broken(err)
	}
	g.in, g.read = in, 0
	return 0, nil
}

func broken(err error) error {
	return contract.Errorf(contract.CodeFileUnreadable, "the file cannot be unpacked: %w", err).At("file").WithHint("Check that it came over whole: gzip -t.")
}

func (g *gunzip) Read(p []byte) (int, error) {
	n, err := g.in.Read(p)
	if g.read += int64(n); g.read > g.most {
		return n, contract.Errorf(contract.CodeFileUnreadable, "the file unpacks to more than %d bytes", g.most).At("file").
			WithHint("If it is a table, send it unpacked.")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = broken(err)
	}
	return n, err
}
