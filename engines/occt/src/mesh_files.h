// The mesh files that leave the program: OBJ, binary STL, GLB, each with the
// length unit and the CAD faces inside, and faces.json with all that is known of
// every face.
#ifndef ATELIER_OCCT_MESH_FILES_H_
#define ATELIER_OCCT_MESH_FILES_H_

#include <string>

#include "surface.h"

namespace atelier {

// Writes the surface in the format (obj, stl, glb). Throws ERR_TESSELLATION_FAILED
// when the file cannot be written. Appends a warning where single precision (stl,
// glb) cannot tell neighbouring vertices apart.
void WriteMesh(const std::string& path, const std::string& format, Part& part, const Surface& s);

// Writes faces.json.
void WriteFaces(const std::string& path, const Part& part, const Surface& s);

// One face or body as faces.json and the answer show them.
Json FaceJson(const Face& face);
Json BodyJson(const Body& body);

}  // namespace atelier

#endif  // ATELIER_OCCT_MESH_FILES_H_
