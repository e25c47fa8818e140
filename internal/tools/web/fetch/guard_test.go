package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"atelier/internal/contract"
)

// Every form of an address that is not on the public Internet. The rules are
// those of the registries of RFC 6890 and of the WHATWG's host parser.
var refusedURLs = []struct{ url, rule string }{
	{"ftp://example.com/", "scheme"},
	{"file:///etc/passwd", "scheme"},
	{"gopher://example.com/_GET", "scheme"},
	{"data:text/html,x", "url"},
	{"javascript:alert(1)", "url"},
	{"//example.com/", "url"},
	{"example.com", "url"},
	{"http://", "host"},
	{"http:///x", "host"},
	{"http://user:secret@example.com/", "credentials"},
	{"http://example.com@127.0.0.1/", "credentials"},
	{"http://127.0.0.1/", "loopback"},
	{"http://127.0.0.1:80/", "loopback"},
	{"https://127.255.255.254/", "loopback"},
	{"http://127.0.0.1./", "loopback"},
	{"http://127.1/", "host"},
	{"http://127.0.1/", "host"},
	{"http://0177.0.0.1/", "host"},
	{"http://0177.0.0.01/", "host"},
	{"http://0x7f.0.0.1/", "host"},
	{"http://0x7f000001/", "host"},
	{"http://2130706433/", "host"},
	{"http://017700000001/", "host"},
	{"http://0/", "host"},
	{"http://0x/", "host"},
	{"http://127.0.0.0x1/", "host"},
	{"http://256.256.256.256/", "host"},
	{"http://1.2.3.4.5/", "host"},
	{"http://①②⑦.⓪.⓪.①/", "loopback"},
	{"http://１２７.０.０.１/", "loopback"},
	{"http://127。0。0。1/", "loopback"},
	{"http://0.0.0.0/", "unspecified"},
	{"http://0.1.2.3/", "unspecified"},
	{"http://10.0.0.1/", "private"},
	{"http://172.16.0.1/", "private"},
	{"http://172.31.255.255/", "private"},
	{"http://192.168.1.1/", "private"},
	{"http://169.254.169.254/latest/meta-data/", "metadata"},
	{"http://169.254.170.2/v2/credentials/", "metadata"},
	{"http://168.63.129.16/", "metadata"},
	{"http://100.100.100.200/", "metadata"},
	{"http://192.0.0.192/opc/v2/", "metadata"},
	{"http://[fd00:ec2::254]/", "metadata"},
	{"http://169.254.1.1/", "link_local"},
	{"http://100.64.0.1/", "shared"},
	{"http://100.127.255.255/", "shared"},
	{"http://192.0.0.1/", "reserved"},
	{"http://192.0.2.1/", "reserved"},
	{"http://198.18.0.1/", "reserved"},
	{"http://198.51.100.1/", "reserved"},
	{"http://203.0.113.1/", "reserved"},
	{"http://192.88.99.1/", "translated"},
	{"http://224.0.0.1/", "multicast"},
	{"http://239.255.255.250/", "multicast"},
	{"http://240.0.0.1/", "reserved"},
	{"http://255.255.255.255/", "reserved"},
	{"http://[::]/", "unspecified"},
	{"http://[::1]/", "loopback"},
	{"http://[0:0:0:0:0:0:0:1]/", "loopback"},
	{"http://[::ffff:127.0.0.1]/", "loopback"},
	{"http://[::ffff:7f00:1]/", "loopback"},
	{"http://[::ffff:169.254.169.254]/", "metadata"},
	{"http://[::ffff:10.0.0.1]/", "private"},
	{"http://[::127.0.0.1]/", "translated"},
	{"http://[::ffff:0:127.0.0.1]/", "translated"},
	{"http://[64:ff9b::7f00:1]/", "translated"},
	{"http://[64:ff9b:1::7f00:1]/", "translated"},
	{"http://[2002:7f00:1::]/", "translated"},
	{"http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "translated"},
	{"http://[2606:4700::5efe:7f00:1]/", "translated"},
	{"http://[2606:4700::200:5efe:a00:1]/", "translated"},
	{"http://[fe80::1]/", "link_local"},
	{"http://[fe80::1%25lo]/", "zone"},
	{"http://[fc00::1]/", "private"},
	{"http://[fd12:3456::1]/", "private"},
	{"http://[fec0::1]/", "private"},
	{"http://[ff02::1]/", "multicast"},
	{"http://[2001:db8::1]/", "reserved"},
	{"http://[3fff::1]/", "reserved"},
	{"http://[100::1]/", "reserved"},
	{"http://[5f00::1]/", "reserved"},
	{"http://[4000::1]/", "reserved"},
	{"http://localhost/", "name"},
	{"http://LOCALHOST./", "name"},
	{"http://foo.localhost/", "name"},
	{"http://metadata.google.internal/computeMetadata/v1/", "name"},
	{"http://printer.local/", "name"},
	{"http://router.home.arpa/", "name"},
	{"http://127.0.0.1%00.example.com/", "url"},
	{"http://exa%6dple.com%2f@127.0.0.1/", "credentials"},
	{"http://example.com:22/", "port"},
	{"http://example.com:25/", "port"},
	{"http://example.com:0/", "port"},
	{"http://example.com:65536/", "port"},
	{"http://example.com:/", "port"},
	{"http://93.184.216.34:6379x/", "url"},
	{"http://8.8.8.8:53/", "port"},
}

func TestAddressesRefused(t *testing.T) {
	if len(refusedURLs) < 60 {
		t.Fatalf("%d forms", len(refusedURLs))
	}
	f := fetcher(t, Options{})
	f.client.DialContext = func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("a connection to %s was begun", address)
		return nil, errors.New("no connection")
	}
	for _, tc := range refusedURLs {
		_, err := f.Get(t.Context(), tc.url)
		e := contract.AsError(err)
		if e.Code != contract.CodeFetchFailed || e.Hint == "" && e.Details["reason"] == "refused" {
			t.Errorf("%s: %v", tc.url, err)
			continue
		}
		got := e.Details["rule"]
		if e.Details["reason"] == "url" {
			got = "url"
		}
		if got != tc.rule {
			t.Errorf("%s: refused by %v, want %s: %s", tc.url, got, tc.rule, e.Message)
		}
	}
}

// The public Internet is not refused: the well-known addresses of resolvers and
// of the root servers.
func TestAddressesAllowed(t *testing.T) {
	g, err := NewGuard([]string{"10.1.0.0/16", "127.0.0.1:8099", "[fd00::5]:80", "intranet.example:8080", "Wiki.Example"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"8.8.8.8:443": true, "1.1.1.1:80": true, "198.41.0.4:8080": true, "172.15.255.255:80": true, "172.32.0.1:80": true,
		"100.63.255.255:80": true, "100.128.0.1:80": true, "192.0.1.1:80": true, "[2606:4700:4700::1111]:443": true, "[2001:500:2::c]:80": true,
		"10.1.2.3:9": true, "10.2.0.1:80": false, "127.0.0.1:8099": true, "127.0.0.1:8098": false, "[::ffff:127.0.0.1]:8099": true,
		"[fd00::5]:80": true, "[fd00::5]:81": false,
	} {
		if err := g.Check(netip.MustParseAddrPort(address)); (err == nil) != want {
			t.Errorf("%s: %v, want allowed %v", address, err, want)
		}
	}
	for address, want := range map[string]bool{
		"http://intranet.example:8080/x": true, "http://wiki.example:22/": true, "http://8.8.8.8/": true, "http://example.com:8443/": true,
		"http://localhost:8080/": false, "http://sub.wiki.example:22/": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.CheckURL(u); (err == nil) != want {
			t.Errorf("%s: %v, want allowed %v", address, err, want)
		}
	}
	for _, entry := range []string{"", "http://x/", "10.0.0.0/33", "x:0", "x:99999", "a b"} {
		if _, err := NewGuard([]string{entry}); err == nil {
			t.Errorf("%q is taken", entry)
		}
	}
	own := &Guard{own: func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("8.8.4.4"), Mask: net.CIDRMask(32, 32)}}, nil
	}}
	var r *Refusal
	if err := own.Check(netip.MustParseAddrPort("8.8.4.4:443")); !errors.As(err, &r) || r.Rule != "own" {
		t.Errorf("an address of this machine: %v", err)
	}
}

// A resolver whose answers change: the first one is public, the next is this
// machine. The check is made of the address that is connected to, so whichever
// answer a connection uses is the one that is checked.
func TestRebindingResolver(t *testing.T) {
	var inside atomic.Int64
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		inside.Add(1)
		_, _ = fmt.Fprint(w, "secret")
	}))
	defer secret.Close()
	_, port, err := net.SplitHostPort(secret.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name, answers := range map[string][][]string{
		"private at once":             {{"127.0.0.1"}},
		"public, then private":        {{"192.0.2.1"}, {"127.0.0.1"}},
		"both in one answer":          {{"192.0.2.1", "127.0.0.1"}},
		"IPv6 loopback":               {{"::1"}},
		"mapped":                      {{"::ffff:127.0.0.1"}},
		"metadata":                    {{"169.254.169.254"}},
		"private network, then other": {{"10.0.0.1"}, {"192.168.0.1"}, {"127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			dns := startDNS(t, answers)
			f := fetcher(t, Options{Resolver: dns.resolver(), IgnoreRobots: true, PerSecond: -1})
			for range 4 { // every answer is used at least once
				_, err := f.Get(t.Context(), "http://rebind.example:"+port+"/")
				if e := contract.AsError(err); e.Code != contract.CodeFetchFailed || e.Details["reason"] != "refused" {
					t.Fatalf("%v", err)
				}
			}
			if dns.asked.Load() == 0 {
				t.Fatal("the resolver was not asked")
			}
		})
	}
	if inside.Load() != 0 {
		t.Fatalf("the server inside was reached %d times", inside.Load())
	}
	// The same name is reached where the operator allows the address: what keeps
	// it away above is the guard, not a fault of the test.
	g, err := NewGuard([]string{"127.0.0.1:" + port})
	if err != nil {
		t.Fatal(err)
	}
	f := fetcher(t, Options{Guard: g, Resolver: startDNS(t, [][]string{{"127.0.0.1"}}).resolver(), IgnoreRobots: true})
	if r, err := f.Get(t.Context(), "http://rebind.example:"+port+"/"); err != nil || string(r.Body) != "secret" {
		t.Fatalf("%v %v", r, err)
	}
}

// A page outside leads inside in every way that a redirect can be written.
func TestRedirectsAreChecked(t *testing.T) {
	var inside atomic.Int64
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer secret.Close()
	target := secret.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(target)
	tricks := []string{
		"http://" + target + "/", "//" + target + "/", "http://localhost:" + port + "/", "http://127.1:" + port + "/",
		"http://2130706433:" + port + "/", "http://0x7f000001:" + port + "/", "http://[::ffff:127.0.0.1]:" + port + "/",
		"http://[::1]:" + port + "/", "http://0.0.0.0:" + port + "/", "http://169.254.169.254/latest/meta-data/iam/",
		"file:///etc/passwd", "gopher://" + target + "/_x", "http://user@" + target + "/", "hTTp://" + target + "/", "http://" + target + "#x",
		"\\\\" + target + "\\", "http:\\\\" + target, " http://" + target + "/", "http://①②⑦.⓪.⓪.①:" + port + "/",
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range tricks {
			outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/second" {
					w.Header().Set("Location", location)
				} else {
					w.Header().Set("Location", "/second")
				}
				w.WriteHeader(status)
			}))
			g, err := NewGuard([]string{outside.Listener.Addr().String()})
			if err != nil {
				t.Fatal(err)
			}
			f := fetcher(t, Options{Guard: g, IgnoreRobots: true, PerSecond: -1})
			if r, err := f.Get(t.Context(), outside.URL); err == nil || contract.AsError(err).Code != contract.CodeFetchFailed {
				t.Errorf("%d to %s: %+v %v", status, location, r, err)
			}
			outside.Close()
		}
	}
	if inside.Load() != 0 {
		t.Fatalf("the server inside was reached %d times", inside.Load())
	}
}

// fetcher makes one that ends with the test.
func fetcher(t *testing.T, o Options) *Fetcher {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// dnsServer answers every name with one list of addresses after the other.
type dnsServer struct {
	conn    net.PacketConn
	answers [][]string
	asked   atomic.Int64
}

func startDNS(t *testing.T, answers [][]string) *dnsServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d := &dnsServer{conn: conn, answers: answers}
	go d.serve()
	return d
}

func (d *dnsServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "udp", d.conn.LocalAddr().String())
	}}
}

func (d *dnsServer) serve() {
	buffer := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		m.Response, m.Authoritative, m.RecursionAvailable = true, true, true
		m.Additionals = nil
		q := m.Questions[0]
		list := d.answers[min(int(d.asked.Load()), len(d.answers)-1)]
		for _, text := range list {
			addr := netip.MustParseAddr(text)
			header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type, TTL: 0}
			switch {
			case q.Type == dnsmessage.TypeA && addr.Is4():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
			case q.Type == dnsmessage.TypeAAAA && addr.Is6():
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
			}
		}
		if len(m.Answers) > 0 {
			d.asked.Add(1)
		}
		if packed, err := m.Pack(); err == nil {
			_, _ = d.conn.WriteTo(packed, from) // a lost answer is asked for again
		}
	}
}
