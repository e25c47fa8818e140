//go:build !linux

package extract

// Elsewhere the parent's clock and the collector's limit are what there is.
func confineSelf() {}

func limitMemory(int64) {}
