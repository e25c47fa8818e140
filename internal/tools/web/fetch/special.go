package fetch

import (
	"net/netip"
)

// special is a network of the IANA registries of special-purpose addresses
// (RFC 6890 and its updates) that is not reachable over the public Internet, or
// that stands for a machine near this one.
type special struct {
	prefix    netip.Prefix
	rule, why string
}

func specials(list ...[3]string) []special {
	made := make([]special, len(list))
	for i, s := range list {
		made[i] = special{netip.MustParsePrefix(s[0]), s[1], s[2]}
	}
	return made
}

// The first network that holds an address decides.
var specialAddresses = specials(
	[3]string{"169.254.169.254/32", "metadata", "it is a cloud's metadata service"},
	[3]string{"169.254.170.2/32", "metadata", "it is a cloud's metadata service"},
	[3]string{"168.63.129.16/32", "metadata", "it is a cloud's own service to its machines"},
	[3]string{"100.100.100.200/32", "metadata", "it is a cloud's metadata service"},
	[3]string{"192.0.0.192/32", "metadata", "it is a cloud's metadata service"},
	[3]string{"fd00:ec2::/32", "metadata", "it is a cloud's metadata service"},
	[3]string{"fd20:ce::254/128", "metadata", "it is a cloud's metadata service"},
	[3]string{"0.0.0.0/8", "unspecified", "0.0.0.0/8 means this machine"},
	[3]string{"10.0.0.0/8", "private", "it is private (RFC 1918)"},
	[3]string{"100.64.0.0/10", "shared", "it is a carrier's shared network (RFC 6598)"},
	[3]string{"127.0.0.0/8", "loopback", "it is this machine"},
	[3]string{"169.254.0.0/16", "link_local", "it is link-local (RFC 3927)"},
	[3]string{"172.16.0.0/12", "private", "it is private (RFC 1918)"},
	[3]string{"192.0.0.0/24", "reserved", "it is reserved for protocols (RFC 6890)"},
	[3]string{"192.0.2.0/24", "reserved", "it is for documentation (RFC 5737)"},
	[3]string{"192.88.99.0/24", "translated", "it is a 6to4 relay (RFC 7526)"},
	[3]string{"192.168.0.0/16", "private", "it is private (RFC 1918)"},
	[3]string{"198.18.0.0/15", "reserved", "it is for benchmarks (RFC 2544)"},
	[3]string{"198.51.100.0/24", "reserved", "it is for documentation (RFC 5737)"},
	[3]string{"203.0.113.0/24", "reserved", "it is for documentation (RFC 5737)"},
	[3]string{"224.0.0.0/4", "multicast", "it is a multicast group"},
	[3]string{"240.0.0.0/4", "reserved", "it is reserved or broadcast (RFC 1112)"},
	[3]string{"::/128", "unspecified", ":: means this machine"},
	[3]string{"::1/128", "loopback", "it is this machine"},
	[3]string{"fc00::/7", "private", "it is a unique local address (RFC 4193)"},
	[3]string{"fe80::/10", "link_local", "it is link-local (RFC 4291)"},
	[3]string{"fec0::/10", "private", "it is site-local (RFC 3879)"},
	[3]string{"ff00::/8", "multicast", "it is a multicast group"},
	[3]string{"::/96", "translated", "it carries an IPv4 address (RFC 4291)"},
	[3]string{"::ffff:0:0:0/96", "translated", "it carries an IPv4 address (RFC 2765)"},
	[3]string{"64:ff9b::/96", "translated", "it carries an IPv4 address (NAT64, RFC 6052)"},
	[3]string{"64:ff9b:1::/48", "translated", "it carries an IPv4 address (NAT64, RFC 8215)"},
	[3]string{"2001::/32", "translated", "it carries an IPv4 address (Teredo, RFC 4380)"},
	[3]string{"2002::/16", "translated", "it carries an IPv4 address (6to4, RFC 3056)"},
	[3]string{"2001::/23", "reserved", "it is reserved for protocols (RFC 2928)"},
	[3]string{"2001:db8::/32", "reserved", "it is for documentation (RFC 3849)"},
	[3]string{"3fff::/20", "reserved", "it is for documentation (RFC 9637)"},
)

// publicIPv6 is all that has been given out as global unicast so far.
var publicIPv6 = netip.MustParsePrefix("2000::/3")

// refusedAddress says by which rule an address is refused; empty for one on the
// public Internet. IPv4-mapped forms have been unwrapped.
func refusedAddress(addr netip.Addr) (rule, why string) {
	if !addr.IsValid() {
		return "host", "it is no address"
	}
	if addr.Zone() != "" {
		return "zone", "it belongs to one interface of this machine"
	}
	for _, s := range specialAddresses {
		if s.prefix.Contains(addr) {
			return s.rule, s.why
		}
	}
	if addr.Is6() {
		if !publicIPv6.Contains(addr) {
			return "reserved", "it is not in the public part of IPv6 (2000::/3)"
		}
		// The interface part of ISATAP (RFC 5214).
		if b := addr.As16(); b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
			return "translated", "it carries an IPv4 address (ISATAP, RFC 5214)"
		}
	}
	return "", ""
}
