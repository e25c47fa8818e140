// Package cad holds the tools that turn CAD files into meshes. The exact geometry is
// the engines' work (OpenCASCADE, Truck, Netgen); this package looks at the file before
// an engine sees it, chooses the engine, and judges what comes back.
package cad

import (
	"context"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

// Tools lists the family.
func Tools(host engine.Host) []contract.Tool {
	importer := contract.Bind(importContract, func(ctx context.Context, call *contract.Call, in importInput) (*contract.Result, error) {
		return runImport(ctx, host, call, in)
	}, importContract12, importContract11, importContract10)
	importer.Quick, importer.Glances = true, map[string]contract.Glance{"/file_path": aFile}
	importer.Available = func() error {
		if host == nil {
			return nil
		}
		err := host.Check(occt)
		if err != nil && host.Check(truck) == nil {
			return nil
		}
		return err
	}
	mesher := contract.Bind(volumeContract, func(ctx context.Context, call *contract.Call, in volumeInput) (*contract.Result, error) {
		return runVolume(ctx, host, call, in)
	}, volumeContract12, volumeContract11, volumeContract10)
	mesher.Glances = map[string]contract.Glance{"/file_path": aFile}
	mesher.Available = func() error {
		if host == nil {
			return nil
		}
		return host.Check(netgen)
	}
	return []contract.Tool{importer, mesher}
}

func aFile(ref, path string) error {
	_, _, err := cadFile(ref, path)
	return err
}
