// Names of ISO 10303-21: an encoder written here by the standard, and every way in
// which a name can be damaged.
#include "step_text.h"

#include <doctest/doctest.h>

#include <cstdio>

#include "testing/random.hpp"

namespace atelier {
namespace {

std::string Utf8(uint32_t c) {
  std::string s;
  if (c < 0x80) return {static_cast<char>(c)};
  const int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  s += static_cast<char>(lead[tail] | (c >> (6 * tail)));
  for (int i = tail - 1; i >= 0; i--) s += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f));
  return s;
}

std::string HexDigits(uint32_t value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*X", digits, value);
  return text;
}

// \X2\ holds UTF-16, \X4\ whole code points.
std::string Escaped(uint32_t c, bool wide) {
  if (wide) return "\\X4\\" + HexDigits(c, 8) + "\\X0\\";
  if (c < 0x10000) return "\\X2\\" + HexDigits(c, 4) + "\\X0\\";
  c -= 0x10000;
  return "\\X2\\" + HexDigits(0xd800 + (c >> 10), 4) + HexDigits(0xdc00 + (c & 0x3ff), 4) +
         "\\X0\\";
}

// A character that is no control character, surrogate, blank or reverse solidus.
uint32_t RandomCharacter(Random& random) {
  constexpr int kRanges[][2] = {{0x30, 0x5a},    {0xa1, 0xff},     {0x100, 0x7ff},
                                {0x800, 0xd7ff}, {0xe000, 0xfffd}, {0x10000, 0x10ffff}};
  const auto& range = kRanges[random.Integer(0, 5)];
  return static_cast<uint32_t>(random.Integer(range[0], range[1]));
}

TEST_CASE("what the standard encodes is decoded") {
  Random random(1);
  for (int i = 0; i < 2000; i++) {
    std::string raw, expected;
    for (int k = random.Integer(1, 8); k > 0; k--) {
      const uint32_t c = RandomCharacter(random);
      expected += Utf8(c);
      const int way = random.Integer(0, 4);
      if (c < 0x80 || way == 0) {
        raw += Utf8(c);  // many exporters write plain UTF-8
      } else if (c < 0x100 && way == 1) {
        raw += "\\X\\" + HexDigits(c, 2);
      } else if (c < 0x100 && way == 2) {
        raw += std::string("\\S\\") + static_cast<char>(c & 0x7f);
      } else {
        raw += Escaped(c, way == 3);
      }
    }
    CAPTURE(raw);
    REQUIRE(DecodeName(raw) == expected);
  }
}

TEST_CASE("one escape holds many characters") {
  CHECK(DecodeName("W\\X2\\00FC00DF\\X0\\rfel") == "Wüßrfel");
  CHECK(DecodeName("\\X2\\D83DDE00\\X0\\") == "\xf0\x9f\x98\x80");
}

TEST_CASE("placeholders and blanks are no name") {
  for (const char* none : {"", "   ", "NONE", " NONE ", "''", "$"}) CHECK(DecodeName(none).empty());
  CHECK(DecodeName("  left  side ") == "left  side");
  CHECK(DecodeName("NONE 2") == "NONE 2");
  CHECK(DecodeName("a\tb\nc\x7f") == "abc");
}

bool WellFormed(const std::string& s) {
  for (size_t i = 0; i < s.size();) {
    const unsigned char c = static_cast<unsigned char>(s[i]);
    const int tail = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : -1;
    if (tail < 0 || i + tail >= s.size() + (tail == 0)) return false;
    for (int k = 1; k <= tail; k++) {
      if ((static_cast<unsigned char>(s[i + k]) & 0xc0) != 0x80) return false;
    }
    i += 1 + tail;
  }
  return true;
}

TEST_CASE("damaged names end, and are UTF-8 without control characters") {
  Random random(2);
  const std::string parts[] = {"\\",    "X2\\",     "\\X2\\", "\\X4\\", "\\X0\\", "\\X\\",
                               "\\S\\", "D83D",     "DE00",   "00F",    "zz",     "\xff",
                               "\xc3",  "\xc3\xa4", "a",      "\x01"};
  for (int i = 0; i < 20000; i++) {
    std::string raw;
    for (int k = random.Integer(0, 7); k > 0; k--) raw += parts[random.Integer(0, 15)];
    const std::string name = DecodeName(raw);
    CAPTURE(raw);
    REQUIRE(WellFormed(name));
    for (char c : name) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  }
  CHECK(DecodeName("\xe4hnlich") == "ähnlich");  // Latin-1
}

}  // namespace
}  // namespace atelier
