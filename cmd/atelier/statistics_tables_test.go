package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// leftovers are the files that a request leaves in the folders of work.
func (s *server) leftovers() []string {
	s.t.Helper()
	var left []string
	for _, pattern := range []string{"work/capture-*", "work/jobs/*/*/*"} {
		found, err := filepath.Glob(filepath.Join(s.data, pattern))
		if err != nil {
			s.t.Fatal(err)
		}
		left = append(left, found...)
	}
	return left
}

// parquetOf is a flat table of x, y = 2 x + noise, and a text.
func parquetOf(t *testing.T, rows int) []byte {
	t.Helper()
	type row struct {
		X float64 `parquet:"x"`
		Y float64 `parquet:"y"`
		W string  `parquet:"w"`
	}
	var list []row
	for i := range rows {
		list = append(list, row{float64(i), 2*float64(i) + float64(i*i%7), fmt.Sprint("w", i%3)})
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Snappy))
	if _, err := w.Write(list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadTablesLeaveNothingBehind(t *testing.T) {
	s := start(t, nil)
	good := parquetOf(t, 100)
	damaged := bytes.Clone(good)
	for i := 40; i < 80; i++ { // of the first pages
		damaged[i] ^= 0xff
	}
	for name, c := range map[string]struct{ table, want string }{
		"duplicate names":  {"a,a\n1,2\n", `two columns are named \"a\"`},
		"UTF-16":           {"\xff\xfea\x00,\x00b\x00", "UTF-16"},
		"Parquet, cut off": {string(good[:len(good)-20]), "Parquet"},
		"Parquet, damaged": {string(damaged), "Parquet"},
		"Parquet, bomb":    {"PAR1\x49\xfc\xff\xff\xff\xff\x07\x07\x00\x00\x00PAR1", "claims more than there is"},
		"gzip, cut off":    {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01", "cannot be unpacked"},
		"spreadsheet":      {"PK\x03\x04rest", "spreadsheet"},
	} {
		r := s.upload(c.table)
		var e struct {
			Error struct{ Code, Field, Hint string } `json:"error"`
		}
		if err := json.Unmarshal(r.raw, &e); err != nil || r.status != 422 || !strings.Contains(string(r.raw), c.want) || !strings.Contains(string(r.raw), `"field":"file"`) {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
		// The same table as an argument of a tool.
		file := filepath.Join(s.root, "bad.csv")
		if err := os.WriteFile(file, []byte(c.table), 0o600); err != nil {
			t.Fatal(err)
		}
		r = s.do("POST", "/v1/tools/execute", "application/json", strings.NewReader(`{"tool":"summary_stats_tool","input":{"path":"bad.csv"}}`))
		if r.status != 200 || r.body["status"] != "error" || !strings.Contains(string(r.raw), `"/path"`) || !strings.Contains(string(r.raw), c.want) {
			t.Errorf("%s as path: %d %s", name, r.status, r.raw)
		}
	}
	if left := s.leftovers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if r := s.get("/v1/captures"); len(r.body["captures"].([]any)) != 0 {
		t.Errorf("%s", r.raw)
	}
}

// xs are as many letters as are asked for.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A line of 2 GB is refused after the few megabytes that no record has, and is
// neither stored nor read to its end.
func TestALineOfTwoGigabytesIsNotTaken(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.MaxUploadBytes = 4 << 30 })
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	sent := make(chan int64, 1)
	go func() {
		part, err := form.CreateFormFile("file", "table.csv")
		n := int64(0)
		if err == nil {
			_, _ = part.Write([]byte("a,b\n1,"))
			n, err = io.Copy(part, io.LimitReader(xs{}, 2<<30))
		}
		if err == nil {
			err = form.Close()
		}
		_ = writer.CloseWithError(err)
		sent <- n
	}()
	req, err := http.NewRequest("POST", s.url+"/v1/captures", reader)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, _ := io.ReadAll(reply.Body)
	_ = reader.Close()
	if reply.StatusCode != 422 || !strings.Contains(string(raw), "line 2 has more than 4194304 bytes") {
		t.Errorf("%d %s", reply.StatusCode, raw)
	}
	// A part of the rest is read and thrown away, so that the client sees the answer.
	if n := <-sent; n > 128<<20 {
		t.Errorf("%d bytes were taken", n)
	}
	if left := s.leftovers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The tools take Parquet, and narrow a table by selectors as they do a capture:
// of 0 to 99, w1 is every third from 1, and 11 of those are at most 31.
func TestAPathIsNarrowedBySelectors(t *testing.T) {
	s := start(t, nil)
	if err := os.WriteFile(filepath.Join(s.root, "run.parquet"), parquetOf(t, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.do("POST", "/v1/tools/execute", "application/json", strings.NewReader(
		`{"tool":"statistical_regression_tool","input":{"path":"run.parquet","capture":{"selectors":{"filters":["w = 'w1' and x <= 31"]}},"operation":"linear_regression","target":"y","features":["x"]}}`))
	if !strings.Contains(string(r.raw), `"sample_count":11,`) {
		t.Errorf("%d %s", r.status, r.raw)
	}
	for body, want := range map[string]string{
		`{"path":"run.parquet","capture":{"selectors":{"filters":["x >"]}}}`: `"/capture/selectors/filters/0"`,
		`{"path":"run.parquet","capture":{"capture_id":"c"}}`:                "names its data more than once",
		`{"capture":{"selectors":{}}}`:                                       "names no data",
	} {
		r := s.do("POST", "/v1/tools/execute", "application/json", strings.NewReader(`{"tool":"summary_stats_tool","input":`+body+`}`))
		if r.body["status"] != "error" || !strings.Contains(string(r.raw), want) {
			t.Errorf("%s: %s", body, r.raw)
		}
	}
}

// A capture may be deleted while calls read it: each has its figures, or is told
// that the capture is gone.
func TestACaptureIsDeletedUnderItsReaders(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.MaxUploadBytes = 64 << 20 })
	var table strings.Builder
	table.WriteString("x,y\n")
	for i := range 200_000 {
		fmt.Fprintf(&table, "%d,%d\n", i, 2*i+i%7)
	}
	if r := s.upload(table.String(), "capture_id", "gone"); r.status != 201 {
		t.Fatalf("%s", r.raw)
	}
	replies := make(chan string)
	for range 6 {
		go func() {
			r, err := http.Post(s.url+"/v1/tools/execute", "application/json", strings.NewReader(
				`{"tool":"statistical_regression_tool","input":{"capture":{"capture_id":"gone"},"operation":"linear_regression","target":"y","features":["x"]}}`))
			if err != nil {
				replies <- err.Error()
				return
			}
			defer r.Body.Close()
			raw, _ := io.ReadAll(r.Body)
			replies <- string(raw)
		}()
	}
	if r := s.do("DELETE", "/v1/captures/gone", "", nil); r.status != 200 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	for range 6 {
		if r := <-replies; !strings.Contains(r, `"sample_count":200000,`) && !strings.Contains(r, `there is no capture`) {
			t.Errorf("%s", r)
		}
	}
}

// Numbers as they are written elsewhere are texts, and the answer says so.
func TestAColumnOfTextSaysWhichValueItIs(t *testing.T) {
	s := start(t, nil)
	for table, want := range map[string]string{
		"x;y\n1;1,5\n2;2,5\n":                 `row 1 holds \"1,5\"|Write decimals with a point: 1.5.`,
		"x,y\n1,\"1,234.5\"\n2,\"7\"\n":       `row 1 holds \"1,234.5\"|without separators of thousands`,
		"x\ty\n1\t3\n2\tbroken\n":             `row 2 holds \"broken\"|leave the value empty`,
		"x;y\n1;1.234.567,8\n2;1.000.000,1\n": `row 1 holds \"1.234.567,8\"|without separators of thousands`,
	} {
		made := s.upload(table)
		r := s.do("POST", "/v1/tools/execute", "application/json", strings.NewReader(fmt.Sprintf(
			`{"tool":"statistical_regression_tool","input":{"capture":{"capture_id":%q},"operation":"linear_regression","target":"y","features":["x"]}}`, made.body["capture_id"])))
		told, hint, _ := strings.Cut(want, "|")
		if !strings.Contains(string(r.raw), told) || !strings.Contains(string(r.raw), hint) || !strings.Contains(string(r.raw), `"/target"`) {
			t.Errorf("%q: %s", table, r.raw)
		}
	}
}
