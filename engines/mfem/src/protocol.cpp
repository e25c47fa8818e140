#include "protocol.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace atelier {
namespace {

bool quiet_progress = false;
constexpr double kPlain = 1e5;  // below it 130 rather than 1.3e+02

// Invalid UTF-8 (a file name, a library's message) must not break the answer.
void EmitLine(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

std::string Text(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  if (std::abs(value) >= 1 && std::abs(value) < kPlain && std::strchr(buffer, 'e') != nullptr)
    std::snprintf(buffer, sizeof buffer, "%.0f", std::strtod(buffer, nullptr));
  return buffer;
}

void SetQuiet(bool quiet) { quiet_progress = quiet; }

void EmitProgress(double fraction, const std::string& message) {
  if (quiet_progress) return;
  EmitLine({{"type", "progress"}, {"fraction", fraction}, {"message", message}});
}

void EmitLog(const std::string& level, const std::string& message) {
  if (quiet_progress) return;
  EmitLine({{"type", "log"}, {"level", level}, {"message", message}});
}

void EmitResult(const Json& output, const Json& artifacts, const Json& metrics,
                const Warnings& warnings) {
  Json list = Json::array();
  for (const Warning& w : warnings) list.push_back({{"code", w.code}, {"message", w.message}});
  EmitLine({{"type", "result"},
            {"output", output},
            {"artifacts", artifacts},
            {"metrics", metrics},
            {"warnings", list}});
}

void EmitError(const Error& error) {
  Json line = {{"type", "error"}, {"code", error.code}, {"message", error.message}};
  if (!error.hint.empty()) line["hint"] = error.hint;
  if (!error.field.empty()) line["field"] = error.field;
  if (!error.details.empty()) line["details"] = error.details;
  EmitLine(line);
}

}  // namespace atelier
