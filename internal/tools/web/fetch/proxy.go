package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// proxyBytes is how much one page may load through the proxy.
const proxyBytes = 64 << 20

// proxy is what the browser reaches the web through: every address that it asks
// for is checked, when the connection is made, as those of web.fetch itself.
type proxy struct {
	f        *Fetcher
	listener net.Listener
	server   *http.Server
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	left     atomic.Int64
}

func (f *Fetcher) startProxy() (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{f: f, listener: l, dial: f.o.Guard.Dialer(f.o.Resolver)}
	p.left.Store(proxyBytes)
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 256 << 10}
	go func() { _ = p.server.Serve(l) }() // ends by close
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// close ends the connections too: tunnels are not the server's any more, but the
// browser's end of them is closed with the browser.
func (p *proxy) close() { _ = p.server.Close() }

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	target := r.URL
	if r.Method == http.MethodConnect {
		target = &url.URL{Scheme: "https", Host: r.Host, Path: "/"}
	}
	if err := p.f.o.Guard.CheckURL(target); err != nil {
		p.f.o.Log.Info("the browser was refused an address", "error", err)
		http.Error(w, "refused", http.StatusForbidden)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	forward := &httputil.ReverseProxy{
		Rewrite: func(out *httputil.ProxyRequest) { out.Out.Header.Del("Proxy-Connection") }, Transport: p.f.client,
		ModifyResponse: func(answer *http.Response) error {
			answer.Body = struct {
				io.Reader
				io.Closer
			}{p.metered(answer.Body), answer.Body}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			p.f.o.Log.Info("the browser could not load an address", "error", err)
			http.Error(w, "not loaded", http.StatusBadGateway)
		},
	}
	forward.ServeHTTP(w, r)
}

// tunnel connects the browser with a host, for TLS between the two.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	outside, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		p.f.o.Log.Info("the browser could not connect", "error", err)
		http.Error(w, "not connected", http.StatusBadGateway)
		return
	}
	defer outside.Close()
	inside, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer inside.Close()
	end := time.Now().Add(renderTime)
	_ = inside.SetDeadline(end) // a connection that takes no deadline is closed with the browser
	_ = outside.SetDeadline(end)
	if _, err := io.WriteString(inside, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{}, 2)
	pipe := func(to io.Writer, from io.Reader) {
		_, _ = io.Copy(to, from) // either side may end it
		done <- struct{}{}
	}
	go pipe(outside, buffered)
	go pipe(inside, p.metered(outside))
	<-done
}

// metered reads as much as the page may still load.
func (p *proxy) metered(from io.Reader) io.Reader { return &meter{from, &p.left} }

type meter struct {
	from io.Reader
	left *atomic.Int64
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	if m.left.Add(-int64(n)) < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
