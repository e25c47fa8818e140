// The engine's half of the protocol: one JSON object in, JSON lines out.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "error_codes.hpp"

namespace atelier {

using Json = nlohmann::json;

// A failure with a code of the server's error catalogue. It ends the run: main
// turns it into the protocol's error line.
class Error : public std::exception {
 public:
  Error(std::string code, std::string message)
      : code(std::move(code)), message(std::move(message)) {}

  Error& At(std::string pointer) {
    field = std::move(pointer);
    return *this;
  }
  Error& Hint(std::string what_to_do) {
    hint = std::move(what_to_do);
    return *this;
  }
  Error& With(const std::string& key, Json value) {
    details[key] = std::move(value);
    return *this;
  }
  const char* what() const noexcept override { return message.c_str(); }

  std::string code, message, field, hint;
  Json details = Json::object();
};

struct Warning {
  std::string code, message;
};
using Warnings = std::vector<Warning>;

// Text of a figure with `digits` significant digits, for sentences.
std::string Text(double value, int digits = 4);

// Progress and log lines are for requests only; the self test turns them off.
void SetQuiet(bool quiet);
void EmitProgress(double fraction, const std::string& message);
void EmitLog(const std::string& level, const std::string& message);
void EmitResult(const Json& output, const Json& artifacts, const Json& metrics,
                const Warnings& warnings);
void EmitError(const Error& error);

}  // namespace atelier
