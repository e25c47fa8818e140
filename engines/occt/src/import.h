// The operation import: a STEP file becomes a mesh with figures.
#ifndef ATELIER_OCCT_IMPORT_H_
#define ATELIER_OCCT_IMPORT_H_

#include "protocol.h"

namespace atelier {

// Request: {op:"import", path, output_format: obj|stl|glb, output_file, faces_file,
// linear_deflection? (file unit) or linear_deflection_mm?, angular_deflection? (radians),
// max_triangles?, heal?}. Sends the result; throws Error.
void Import(const Json& request);

}  // namespace atelier

#endif  // ATELIER_OCCT_IMPORT_H_
