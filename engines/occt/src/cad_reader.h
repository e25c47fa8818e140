// Reads a CAD file of any format.
#ifndef ATELIER_OCCT_CAD_READER_H_
#define ATELIER_OCCT_CAD_READER_H_

#include <string>

#include "part.h"

namespace atelier {

// By the path's extension: .iges, .brep, else STEP. A BREP file has no length unit: part.unit
// is the millimetre. Throws Error: ERR_FILE_UNREADABLE when the file cannot be parsed,
// ERR_TESSELLATION_FAILED when it holds no solid and no surface.
Part ReadCad(const std::string& path);

}  // namespace atelier

#endif  // ATELIER_OCCT_CAD_READER_H_
