#include "step_text.h"

#include <cstdint>
#include <cstdlib>

namespace atelier {
namespace {

void AppendUtf8(std::string& out, uint32_t c) {
  if (c < 0x20 || c == 0x7f || c > 0x10ffff) return;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// Hex reads `digits` hex digits at s[at]; -1 when they are not all there.
long Hex(const std::string& s, size_t at, size_t digits) {
  if (at + digits > s.size()) return -1;
  std::string text = s.substr(at, digits);
  char* end = nullptr;
  long value = std::strtol(text.c_str(), &end, 16);
  return *end == 0 ? value : -1;
}

// Run decodes the code units of \X2\ (4 digits, UTF-16) or \X4\ (8 digits) and
// returns the position behind \X0\.
size_t Run(const std::string& s, size_t at, size_t digits, std::string& out) {
  uint32_t high = 0;
  for (long c; at < s.size() && s[at] != '\\' && (c = Hex(s, at, digits)) >= 0; at += digits) {
    uint32_t u = static_cast<uint32_t>(c);
    if (u >= 0xd800 && u < 0xdc00) {
      high = u;
      continue;
    }
    if (high != 0 && u >= 0xdc00 && u < 0xe000) {
      u = 0x10000 + ((high - 0xd800) << 10) + (u - 0xdc00);
    }
    high = 0;
    AppendUtf8(out, u);
  }
  return s.compare(at, 4, "\\X0\\") == 0 ? at + 4 : at;
}

// Utf8Length is the length of the well-formed UTF-8 sequence at s[at], or 0.
size_t Utf8Length(const std::string& s, size_t at) {
  unsigned char c = static_cast<unsigned char>(s[at]);
  size_t n = c < 0x80                ? 1
             : c >= 0xc2 && c < 0xe0 ? 2
             : c >= 0xe0 && c < 0xf0 ? 3
             : c >= 0xf0 && c < 0xf5 ? 4
                                     : 0;
  if (n == 0 || at + n > s.size()) return 0;
  for (size_t i = 1; i < n; ++i) {
    if ((static_cast<unsigned char>(s[at + i]) & 0xc0) != 0x80) return 0;
  }
  return n;
}

std::string Trim(const std::string& s) {
  size_t first = s.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return s.substr(first, s.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string DecodeName(const std::string& raw) {
  std::string out;
  for (size_t i = 0; i < raw.size();) {
    if (raw.compare(i, 4, "\\X2\\") == 0) {
      i = Run(raw, i + 4, 4, out);
    } else if (raw.compare(i, 4, "\\X4\\") == 0) {
      i = Run(raw, i + 4, 8, out);
    } else if (raw.compare(i, 3, "\\X\\") == 0 && Hex(raw, i + 3, 2) >= 0) {
      AppendUtf8(out, static_cast<uint32_t>(Hex(raw, i + 3, 2)));
      i += 5;
    } else if (raw.compare(i, 3, "\\S\\") == 0 && i + 3 < raw.size()) {
      AppendUtf8(out, static_cast<unsigned char>(raw[i + 3]) | 0x80u);
      i += 4;
    } else if (size_t n = Utf8Length(raw, i); n > 1) {
      out.append(raw, i, n);
      i += n;
    } else {
      AppendUtf8(out, static_cast<unsigned char>(raw[i]));
      ++i;
    }
  }
  out = Trim(out);
  return out == "NONE" || out == "''" || out == "$" ? "" : out;
}

}  // namespace atelier
