// Reads a STEP file: assemblies with their placements, product, solid and face
// names, colours, and the length unit.
#ifndef ATELIER_OCCT_STEP_READER_H_
#define ATELIER_OCCT_STEP_READER_H_

#include <string>

#include "part.h"

namespace atelier {

// Throws Error: ERR_FILE_UNREADABLE when the file cannot be parsed,
// ERR_TESSELLATION_FAILED for a mirrored part that cannot be followed.
Part ReadStep(const std::string& path);

}  // namespace atelier

#endif  // ATELIER_OCCT_STEP_READER_H_
