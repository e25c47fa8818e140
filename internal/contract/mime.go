package contract

import (
	"path"
	"strings"
)

var mimeTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".tiff": "image/tiff", ".tif": "image/tiff",
	".svg": "image/svg+xml", ".pdf": "application/pdf", ".html": "text/html; charset=utf-8",
	".glb": "model/gltf-binary", ".gltf": "model/gltf+json", ".stl": "model/stl", ".obj": "model/obj", ".ply": "model/ply",
	".step": "model/step", ".stp": "model/step", ".off": "text/plain; charset=utf-8",
	".vtu": "application/xml", ".pvd": "application/xml", ".vtk": "application/xml",
	".json": "application/json", ".csv": "text/csv; charset=utf-8", ".ipynb": "application/x-ipynb+json",
	".txt": "text/plain; charset=utf-8", ".log": "text/plain; charset=utf-8", ".cir": "text/plain; charset=utf-8",
	".mesh": "text/plain; charset=utf-8", ".msh": "text/plain; charset=utf-8", ".tet": "text/plain; charset=utf-8",
}

// MIMEType is the media type of a file by its extension, the one table of the
// program; application/octet-stream where the extension says nothing.
func MIMEType(name string) string {
	if t, ok := mimeTypes[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}
