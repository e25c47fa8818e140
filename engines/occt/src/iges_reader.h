// Reads an IGES file: names, colours and the length unit; its faces are often loose and
// have to be sewn (heal.h).
#ifndef ATELIER_OCCT_IGES_READER_H_
#define ATELIER_OCCT_IGES_READER_H_

#include <string>

#include "part.h"

namespace atelier {

// Throws Error: ERR_FILE_UNREADABLE when the file cannot be parsed.
Part ReadIges(const std::string& path);

}  // namespace atelier

#endif  // ATELIER_OCCT_IGES_READER_H_
