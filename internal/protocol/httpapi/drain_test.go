package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A client that reads only when it has written everything, as Python's urllib,
// gets the 413 and no reset.
func TestALargeBodyIsAnsweredToAClientThatWritesFirst(t *testing.T) {
	server := httptest.NewServer(Mux(&Gate{MaxBodyBytes: 1 << 10}, Route{Path: "/x", Methods: Methods{"POST": {
		Serve: func(w http.ResponseWriter, r *http.Request) error { return ReadJSON(r, new(map[string]any), true) },
	}}}))
	defer server.Close()
	const size = 24 << 20 // more than the buffers of a connection hold
	for _, framing := range []string{fmt.Sprintf("Content-Length: %d\r\n", size), "Transfer-Encoding: chunked\r\n"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		body := bytes.Repeat([]byte(" "), size)
		if strings.HasPrefix(framing, "Transfer") {
			body = fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", size, body)
		}
		if _, err := io.WriteString(conn, "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+framing+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(body); err != nil {
			t.Errorf("%s: the server hung up: %v", framing, err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %v %+v", framing, err, response)
		}
		_ = conn.Close() // read to its end, or failed above
	}
}

// A body of another shape is told in JSON's words: no type of the program.
func TestABodyOfAnotherShapeIsToldInWordsOfJSON(t *testing.T) {
	var body struct {
		Tool  string          `json:"tool"`
		Wait  *float64        `json:"wait"`
		Input json.RawMessage `json:"input"`
		Inner struct {
			List []string `json:"list"`
		} `json:"inner"`
	}
	for text, want := range map[string]string{
		`[]`: "the body is a JSON array, expected object", `{"tool":1}`: "/tool is a JSON number, expected string",
		`{"wait":"x"}`: "/wait is a JSON string, expected number", `{"inner":{"list":{}}}`: "/inner/list is a JSON object, expected array",
		`{"tool":"a","tool":"b"}`: "/tool stands twice in its object",
	} {
		err := ReadJSON(httptest.NewRequest("POST", "/", strings.NewReader(text)), &body, true)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
