package fetch

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	defaultCacheBytes = 256 << 20
	longestFresh      = 24 * time.Hour // whatever a server promises
	cacheFormat       = 1
)

// cache keeps pages on disk as a private cache of RFC 9111 does: fresh ones are
// not asked for again, others are asked for with their validators. One file per
// URL: the length of the head, the head as JSON, the body. A nil cache keeps
// nothing.
type cache struct {
	dir  string
	most int64

	mu   sync.Mutex
	size int64 // of all files, as far as we know
}

// entry is what the cache has of a URL.
type entry struct {
	Format  int
	URL     string
	Status  int
	MIME    string
	Charset string
	Header  http.Header
	Stored  time.Time // of the answer, or of its last confirmation
	body    []byte
}

func openCache(dir string, most int64) (*cache, error) {
	if most <= 0 {
		most = defaultCacheBytes
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cache of pages: %w", err)
	}
	c := &cache{dir: dir, most: most}
	for _, f := range c.files() {
		c.size += f.bytes
	}
	return c, nil
}

func (c *cache) path(u *url.URL) string {
	sum := sha256.Sum256([]byte(u.String()))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name)
}

// lookup finds what is kept of a URL, or nil; a file that is not whole is not there.
func (c *cache) lookup(u *url.URL) *entry {
	if c == nil {
		return nil
	}
	content, err := os.ReadFile(c.path(u))
	if err != nil || len(content) < 8 {
		return nil
	}
	length := binary.BigEndian.Uint64(content)
	if length > uint64(len(content)-8) {
		return nil
	}
	var e entry
	if json.Unmarshal(content[8:8+length], &e) != nil || e.Format != cacheFormat || e.URL != u.String() {
		return nil
	}
	e.body = content[8+length:]
	if strconv.Itoa(len(e.body)) != e.Header.Get(bodyLength) {
		return nil
	}
	return &e
}

const bodyLength = "X-Atelier-Body-Length" // of the decoded body, in the kept head alone

// fresh says whether the entry need not be asked for again.
func (e *entry) fresh(now time.Time) bool {
	directives := cacheControl(e.Header)
	if _, asks := directives["no-cache"]; asks {
		return false
	}
	age := now.Sub(e.Stored)
	if told, err := strconv.Atoi(e.Header.Get("Age")); err == nil && told > 0 {
		age += time.Duration(min(told, 1<<30)) * time.Second
	}
	return age >= 0 && age < min(lifetime(e.Header, directives), longestFresh)
}

func lifetime(header http.Header, directives map[string]string) time.Duration {
	if seconds, ok := directives["max-age"]; ok {
		n, err := strconv.Atoi(seconds)
		if err != nil || n < 0 {
			return 0
		}
		return time.Duration(min(n, 1<<30)) * time.Second
	}
	expires, err := http.ParseTime(header.Get("Expires"))
	date, derr := http.ParseTime(header.Get("Date"))
	if err != nil || derr != nil {
		return 0 // no guesses: it is confirmed each time
	}
	return expires.Sub(date)
}

func cacheControl(header http.Header) map[string]string {
	found := map[string]string{}
	for _, line := range header.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
			found[strings.ToLower(name)] = strings.Trim(value, `" `)
		}
	}
	return found
}

// ask makes a request conditional on what is kept.
func (e *entry) ask(header http.Header) {
	if e == nil {
		return
	}
	if tag := e.Header.Get("Etag"); tag != "" {
		header.Set("If-None-Match", tag)
	}
	if date := e.Header.Get("Last-Modified"); date != "" {
		header.Set("If-Modified-Since", date)
	}
}

func (e *entry) response(u *url.URL) *Response {
	header := e.Header.Clone()
	header.Del(bodyLength)
	return &Response{FinalURL: u.String(), Status: e.Status, MIME: e.MIME, Charset: e.Charset, Header: header, Body: e.body, Cached: true}
}

// put stores an answer that may be stored and can be of use later.
func (c *cache) put(u *url.URL, r *Response) {
	if c == nil || r.Status != http.StatusOK || int64(len(r.Body)) > c.most/4 {
		return
	}
	directives := cacheControl(r.Header)
	_, forbidden := directives["no-store"]
	if forbidden || slices.Contains(r.Header.Values("Vary"), "*") {
		return
	}
	if r.Header.Get("Etag") == "" && r.Header.Get("Last-Modified") == "" && lifetime(r.Header, directives) <= 0 {
		return
	}
	header := r.Header.Clone()
	header.Del("Set-Cookie")
	c.write(u, &entry{Status: r.Status, MIME: r.MIME, Charset: r.Charset, Header: header, Stored: time.Now(), body: r.Body})
}

// renew notes that the server confirmed an entry (304), with its new headers.
func (c *cache) renew(u *url.URL, e *entry, header http.Header) {
	for name, values := range header {
		switch name {
		case "Content-Length", "Content-Encoding", "Content-Type", "Set-Cookie", "Transfer-Encoding":
		default:
			e.Header[name] = values
		}
	}
	if header.Get("Age") == "" {
		e.Header.Del("Age")
	}
	e.Stored = time.Now()
	c.write(u, e)
}

// write is best effort: a cache that cannot be written costs time, not answers.
func (c *cache) write(u *url.URL, e *entry) {
	e.Format, e.URL = cacheFormat, u.String()
	e.Header.Set(bodyLength, strconv.Itoa(len(e.body)))
	head, err := json.Marshal(e)
	if err != nil {
		return
	}
	var file bytes.Buffer
	_ = binary.Write(&file, binary.BigEndian, uint64(len(head))) // into memory
	file.Write(head)
	file.Write(e.body)
	path := c.path(u)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(c.dir, "new-*")
	if err != nil {
		return
	}
	_, err = temporary.Write(file.Bytes())
	if closed := temporary.Close(); err != nil || closed != nil || os.Rename(temporary.Name(), path) != nil {
		_ = os.Remove(temporary.Name())
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += int64(file.Len()); c.size > c.most {
		c.shrink()
	}
}

type cacheFile struct {
	path  string
	bytes int64
	used  time.Time
}

func (c *cache) files() []cacheFile {
	var files []cacheFile
	_ = filepath.WalkDir(c.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what vanishes meanwhile is not there
		}
		if info, err := d.Info(); err == nil {
			files = append(files, cacheFile{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	return files
}

// shrink removes the oldest files until a fifth is free. The caller holds mu.
func (c *cache) shrink() {
	files := c.files()
	slices.SortFunc(files, func(a, b cacheFile) int { return a.used.Compare(b.used) })
	c.size = 0
	for _, f := range files {
		c.size += f.bytes
	}
	for _, f := range files {
		if c.size <= c.most*4/5 {
			return
		}
		if os.Remove(f.path) == nil {
			c.size -= f.bytes
		}
	}
}
