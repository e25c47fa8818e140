package capture

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"atelier/contract"
)

// ImportFile is Import of a file whose format is csv or jsonl or, where that is
// empty, told by its name. What is clearly no table is refused by its first bytes.
func ImportFile(ctx context.Context, name, format string, in io.ReadSeeker, out io.WriteSeeker, o Options) (*Info, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	n, _ := io.ReadFull(in, head) // a short table is one too
	for kind, magic := range map[string]string{"a Parquet file": "PAR1", "a ZIP archive or a spreadsheet": "PK\x03\x04", "compressed by gzip": "\x1f\x8b", "compressed by zstd": "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(head[:n], []byte(magic)) {
			return nil, contract.Errorf(contract.CodeFileUnreadable, "the file is %s", kind).At("file").
				WithHint("Send CSV with a header, or JSON lines.")
		}
	}
	o.JSONLines = format == "jsonl"
	if format == "" {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".jsonl", ".ndjson":
			o.JSONLines = true
		}
	}
	return Import(ctx, in, out, o)
}
