// Package workbench holds the built web page. Its sources are beside it, in src;
// make workbench builds dist anew.
package workbench

import "embed"

// Dist is the page (index.html), its scripts and styles (assets, compressed by
// gzip, each with a hash of its content in its name), and the licences of the
// libraries in them.
//
//go:embed dist
var Dist embed.FS
