package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"atelier/internal/contract"
)

// What a page in the browser may use.
const (
	renderTime   = 20 * time.Second
	virtualTime  = 8 * time.Second // of the page's own clock, which runs ahead while nothing is loaded
	scriptMemory = 384             // MB of one page's scripts
)

// FindBrowser is the program of Chromium on this machine; "auto" looks for it in
// PATH. It is "" with an error where there is none.
func FindBrowser(name string) (string, error) {
	names := []string{name}
	if name == "auto" {
		names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no browser %s", strings.Join(names, ", "))
}

// render has headless Chromium run a page, in a fresh profile, and returns the
// document as it is then. Whatever the page loads goes through a proxy of ours,
// which is under the guard; the browser itself resolves no names and reaches
// nothing else.
func (f *Fetcher) render(ctx context.Context, address string) ([]byte, error) {
	select {
	case f.browsers <- struct{}{}:
		defer func() { <-f.browsers }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	proxy, err := f.startProxy()
	if err != nil {
		return nil, fmt.Errorf("the browser's proxy: %w", err)
	}
	defer proxy.close()
	profile, err := os.MkdirTemp("", "atelier-browser-")
	if err != nil {
		return nil, fmt.Errorf("the browser's profile: %w", err)
	}
	defer os.RemoveAll(profile)
	document := &bounded{most: int(f.o.MaxBytes)}
	command := exec.Command(f.o.Browser, browserFlags(profile, proxy.address(), f.o.UserAgent, address)...)
	command.Env = []string{"HOME=" + profile, "TMPDIR=" + profile, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC"}
	command.Dir, command.Stdout = profile, document
	if err := runGroup(ctx, command); err != nil {
		if ctx.Err() != nil {
			return nil, contract.Errorf(contract.CodeTimeout, "the browser did not finish %s in time", address)
		}
		return nil, unreadable("browser", "the browser failed on %s: %w", address, err)
	}
	if document.over {
		return nil, unreadable("too_large", "%s is larger than %d bytes in the browser", address, f.o.MaxBytes)
	}
	return document.Bytes(), nil
}

func browserFlags(profile, proxy, agent, address string) []string {
	flags := []string{
		"--headless", "--dump-dom", "--user-data-dir=" + profile, "--user-agent=" + agent,
		// Everything goes through the proxy, this machine's addresses too, and no
		// name is resolved beside it.
		"--proxy-server=http://" + proxy, "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--dns-prefetch-disable",
		fmt.Sprintf("--virtual-time-budget=%d", virtualTime.Milliseconds()), fmt.Sprintf("--js-flags=--max-old-space-size=%d", scriptMemory),
		"--renderer-process-limit=1", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-breakpad", "--no-first-run", "--mute-audio",
		"--blink-settings=imagesEnabled=false", "--block-new-web-contents", "--disable-file-system",
	}
	if os.Geteuid() == 0 {
		flags = append(flags, "--no-sandbox") // Chromium refuses to start otherwise
	}
	return append(flags, "--", address)
}

// bounded keeps what is written, up to a limit.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

var errFull = errors.New("the document is too large")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.over = true
		return 0, errFull
	}
	return b.Buffer.Write(p)
}
