// Binary glTF 2.0.
#ifndef ATELIER_OCCT_GLB_H_
#define ATELIER_OCCT_GLB_H_

#include <string>

#include "surface.h"

namespace atelier {

// Encodes the surface as one mesh: all vertices in one accessor, one primitive
// per CAD face with extras.face_id and a material of the face's colour, the
// metadata in asset.extras.atelier. Coordinates stay in the file's unit.
std::string EncodeGlb(const Part& part, const Surface& s, const Json& meta);

}  // namespace atelier

#endif  // ATELIER_OCCT_GLB_H_
