#include "protocol.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace atelier {
namespace {

int protocol_fd = STDOUT_FILENO;

// OpenCASCADE follows null references that a malformed file leaves open. The
// process cannot go on then, but it can still say whose fault it was.
void OnCrash(int) {
  static const char kLine[] =
      "{\"type\":\"error\",\"code\":\"ERR_TESSELLATION_FAILED\",\"message\":\"OpenCASCADE crashed "
      "on "
      "this file: an entity in it lacks what its kind asks for.\",\"hint\":\"Export the part again "
      "from the CAD program, as STEP AP214 or AP242; or try engine "
      "truck.\",\"field\":\"/file_path\"}\n";
  if (write(protocol_fd, kLine, sizeof kLine - 1) < 0) _exit(2);
  _exit(1);
}

void CatchCrashes() {
  static char stack[64 << 10];  // its own, since a crash may be an overflow of the other
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace

void OpenProtocol() {
  CatchCrashes();
  int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return;  // then the protocol shares stdout with the libraries' chatter
  protocol_fd = copy;
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

void SendLine(const Json& line) {
  // Names from a STEP file may hold any bytes: what is not UTF-8 is replaced.
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; sent < text.size();) {
    ssize_t n = write(protocol_fd, text.data() + sent, text.size() - sent);
    if (n < 0) _exit(1);  // the parent is gone; nobody is left to answer
    sent += static_cast<size_t>(n);
  }
}

void SendProgress(double fraction, const std::string& message) {
  SendLine({{"type", "progress"}, {"fraction", fraction}, {"message", message}});
}

void SendLog(const std::string& level, const std::string& message) {
  SendLine({{"type", "log"}, {"level", level}, {"message", message}});
}

void SendResult(const Json& output, const Json& artifacts, const Json& metrics,
                const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const Warning& w : warnings) list.push_back({{"code", w.code}, {"message", w.message}});
  SendLine({{"type", "result"},
            {"output", output},
            {"artifacts", artifacts},
            {"metrics", metrics},
            {"warnings", list}});
}

void SendError(const Error& error) {
  Json line = {{"type", "error"}, {"code", error.code}, {"message", error.what()}};
  if (!error.hint.empty()) line["hint"] = error.hint;
  if (!error.field.empty()) line["field"] = error.field;
  if (!error.details.empty()) line["details"] = error.details;
  SendLine(line);
}

}  // namespace atelier
