// The text of STEP names (ISO 10303-21 section 6.4.3).
#ifndef ATELIER_OCCT_STEP_TEXT_H_
#define ATELIER_OCCT_STEP_TEXT_H_

#include <string>

namespace atelier {

// Decodes \X\hh, \X2\hhhh…\X0\, \X4\…\X0\ and \S\c to UTF-8, takes other bytes
// above 0x7f that are not UTF-8 for Latin-1, drops control characters, trims, and
// returns "" for the placeholders that exporters write where there is no name.
std::string DecodeName(const std::string& raw);

}  // namespace atelier

#endif  // ATELIER_OCCT_STEP_TEXT_H_
