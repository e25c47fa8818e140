package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"
)

// Guard is the policy of the addresses that may be asked for: http and https,
// on the public Internet, and what the operator allows beside. The address is
// checked when the connection is made, after the name was resolved, so neither
// a redirect nor a DNS answer that changes leads around it. A nil Guard allows
// what an empty one does.
type Guard struct {
	prefixes []portPrefix
	names    []portName
	own      func() ([]net.Addr, error) // addresses of this machine
}

type portPrefix struct {
	prefix netip.Prefix
	port   uint16 // 0: every port
}

type portName struct {
	name string
	port uint16
}

// Refusal says why an address is not asked for. Rule is one of the words scheme,
// credentials, host, port, name, zone, loopback, private, link_local, metadata,
// shared (RFC 6598), unspecified, multicast, reserved, translated (an IPv6 form
// that carries an IPv4 address) and own (an address of this machine).
type Refusal struct {
	Rule    string
	Address string
	Text    string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s is refused: %s", r.Address, r.Text) }

// NewGuard makes a guard that also allows each entry of a list: an address or a
// network ("10.1.0.0/16", "::1"), an address with a port ("127.0.0.1:8099"), or
// a host name, with or without a port, whose addresses are then not checked.
func NewGuard(allow []string) (*Guard, error) {
	g := &Guard{own: net.InterfaceAddrs}
	for _, entry := range allow {
		if err := g.allow(strings.TrimSpace(entry)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *Guard) allow(entry string) error {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		g.prefixes = append(g.prefixes, portPrefix{prefix.Masked(), 0})
		return nil
	}
	if addr, err := netip.ParseAddr(entry); err == nil {
		g.prefixes = append(g.prefixes, portPrefix{netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), 0})
		return nil
	}
	host, port := entry, uint64(0)
	if h, p, err := net.SplitHostPort(entry); err == nil {
		if port, err = strconv.ParseUint(p, 10, 16); err != nil || port == 0 {
			return fmt.Errorf("allowed address %q: the port is not a number from 1 to 65535", entry)
		}
		host = h
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		g.prefixes = append(g.prefixes, portPrefix{netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), uint16(port)})
		return nil
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil || name == "" || strings.ContainsAny(name, "/ ") {
		return fmt.Errorf("allowed address %q is none of address, network, host:port and host name", entry)
	}
	g.names = append(g.names, portName{strings.ToLower(name), uint16(port)})
	return nil
}

// CheckURL refuses a URL for what stands in it, before any name is resolved.
func (g *Guard) CheckURL(u *url.URL) error {
	refuse := func(rule, format string, args ...any) error {
		return &Refusal{rule, u.Redacted(), fmt.Sprintf(format, args...)}
	}
	port := u.Port()
	switch u.Scheme {
	case "http", "https":
	default:
		return refuse("scheme", "only http and https are fetched, not %q", u.Scheme)
	}
	if u.User != nil {
		return refuse("credentials", "a URL with a user name or password is not fetched")
	}
	if u.Hostname() == "" {
		return refuse("host", "the URL names no host")
	}
	if strings.Contains(u.Host, "%") {
		return refuse("zone", "a host with an interface zone or an escape is not fetched")
	}
	if port == "" {
		if strings.HasSuffix(u.Host, ":") {
			return refuse("port", "the port is empty")
		}
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return refuse("port", "%q is no port", port)
	}
	host := hostOf(u)
	if g.allowsName(host, uint16(number)) {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return g.Check(netip.AddrPortFrom(addr, uint16(number)))
	}
	if rule, why := refusedName(host); rule != "" {
		return refuse(rule, "%s", why)
	}
	if slices.Contains(blockedPorts, uint16(number)) {
		return refuse("port", "port %d belongs to another protocol", number)
	}
	return nil
}

// hostOf is the host as it is resolved: full-width and other compatible forms of
// digits and dots become the plain ones (UTS 46).
func hostOf(u *url.URL) string {
	host := u.Hostname()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// refusedName refuses names that mean this machine or its surroundings, and
// numbers that some resolvers read as an address (127.1, 0x7f.1, 2130706433).
func refusedName(host string) (rule, why string) {
	if host == "" || strings.ContainsAny(host, "\x00\t\n\r /\\@#?<>[]^|") {
		return "host", "the host is malformed"
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if number(last) {
		return "host", "the host is a number that is not a plain dotted address"
	}
	for _, suffix := range localNames {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return "name", "the name means this machine or its own network"
		}
	}
	return "", ""
}

// number is the WHATWG's "ends in a number" check of one label.
func number(label string) bool {
	if label == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// Names of RFC 6761, RFC 6762, RFC 8375, ICANN's private-use name, and those
// under which clouds serve the secrets of a machine.
var localNames = []string{"localhost", "localdomain", "local", "internal", "home.arpa", "intranet", "lan", "instance-data", "metadata"}

// blockedPorts are those of the Fetch standard ("port blocking").
var blockedPorts = []uint16{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113,
	115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
	563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
	6668, 6669, 6679, 6697, 10080,
}

func (g *Guard) allowsName(name string, port uint16) bool {
	return g != nil && slices.ContainsFunc(g.names, func(n portName) bool { return n.name == name && (n.port == 0 || n.port == port) })
}

// Check refuses an address that is not on the public Internet, unless the
// operator allows it.
func (g *Guard) Check(to netip.AddrPort) error {
	addr := to.Addr().Unmap()
	if g != nil {
		for _, p := range g.prefixes {
			if p.prefix.Contains(addr.WithZone("")) && (p.port == 0 || p.port == to.Port()) {
				return nil
			}
		}
	}
	if rule, why := refusedAddress(addr); rule != "" {
		return &Refusal{rule, to.String(), why}
	}
	if slices.Contains(blockedPorts, to.Port()) {
		return &Refusal{"port", to.String(), fmt.Sprintf("port %d belongs to another protocol", to.Port())}
	}
	if g.isOwn(addr) {
		return &Refusal{"own", to.String(), "it is an address of this machine"}
	}
	return nil
}

func (g *Guard) isOwn(addr netip.Addr) bool {
	own := net.InterfaceAddrs
	if g != nil && g.own != nil {
		own = g.own
	}
	addrs, err := own()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(addrs, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == addr
	})
}

// Control is for net.Dialer.Control: it is called with the address that is about
// to be connected to, after the name was resolved.
func (g *Guard) Control(network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return &Refusal{"scheme", address, "only TCP connections are made, not " + network}
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refusal{"host", address, "the address is malformed"}
	}
	return g.Check(to)
}

// Dialer makes connections under the guard; for http.Transport.DialContext. A
// nil resolver is the system's.
func (g *Guard) Dialer(resolver *net.Resolver) func(ctx context.Context, network, address string) (net.Conn, error) {
	free := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: resolver}
	guarded := *free
	guarded.Control = g.Control
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, &Refusal{"host", address, "the address is malformed"}
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, &Refusal{"port", address, "the port is malformed"}
		}
		if g.allowsName(strings.ToLower(strings.TrimSuffix(host, ".")), uint16(number)) {
			return free.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
}

// refusal finds a Refusal in the chain of an error.
func refusal(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}
