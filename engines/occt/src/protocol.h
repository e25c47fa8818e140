// The engine protocol: one JSON request on stdin, JSON lines on stdout, the last
// one a result or an error. OpenCASCADE prints to stdout too, so the protocol
// keeps a private copy of that descriptor and sends everything else to stderr.
#ifndef ATELIER_OCCT_PROTOCOL_H_
#define ATELIER_OCCT_PROTOCOL_H_

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "error_codes.hpp"

namespace atelier {

using Json = nlohmann::ordered_json;

// A failure of the call, with a code of the catalogue and what to do about it.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& message, std::string hint = "", std::string field = "",
        Json details = Json::object())
      : std::runtime_error(message),
        code(std::move(code)),
        hint(std::move(hint)),
        field(std::move(field)),
        details(std::move(details)) {}

  std::string code, hint, field;
  Json details;
};

// A non-fatal finding.
struct Warning {
  std::string code, message;
};

// Takes stdout for the protocol; to be called before anything else can print.
void OpenProtocol();

void SendProgress(double fraction, const std::string& message);
void SendLog(const std::string& level, const std::string& message);
void SendResult(const Json& output, const Json& artifacts, const Json& metrics,
                const std::vector<Warning>& warnings);
void SendError(const Error& error);
void SendLine(const Json& line);

}  // namespace atelier

#endif  // ATELIER_OCCT_PROTOCOL_H_
