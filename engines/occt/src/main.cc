// occt-driver imports STEP, IGES and BREP files by OpenCASCADE: exact figures, names, colours,
// units and a watertight mesh with CAD face ids. It speaks Atelier's engine
// protocol; `occt-driver --version` prints its versions.
#include <Standard_ErrorHandler.hxx>
#include <Standard_Failure.hxx>
#include <Standard_Version.hxx>
#include <cstring>
#include <iostream>
#include <string>

#include "import.h"
#include "protocol.h"

namespace {

using atelier::Error;
using atelier::Json;
namespace codes = atelier::codes;

int Version() {
  atelier::SendLine({{"engine", "occt"},
                     {"version", "1.0.0"},
                     {"libraries", {{"OpenCASCADE", OCC_VERSION_COMPLETE}}}});
  return 0;
}

int Serve() {
  Json request;
  try {
    std::string line;  // the request is one line; the parent may keep the pipe open
    std::getline(std::cin, line);
    request = Json::parse(line);
  } catch (const Json::exception& e) {
    throw Error(codes::kInvalidInput, std::string("The request is not JSON: ") + e.what());
  }
  std::string op = request.value("op", "");
  if (op != "import") {
    throw Error(codes::kInvalidInput, "The engine occt has no operation \"" + op + "\".",
                "It has: import.");
  }
  atelier::Import(request);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  atelier::OpenProtocol();
  if (argc > 1 && std::strcmp(argv[1], "--version") == 0) return Version();
  std::string failure;
  try {
    return Serve();
  } catch (const Error& e) {
    atelier::SendError(e);
    return 1;
  } catch (const Json::exception& e) {
    atelier::SendError(Error(codes::kInvalidInput, std::string("The request: ") + e.what()));
    return 1;
  } catch (const Standard_Failure& e) {
    const char* text = e.GetMessageString();
    failure =
        std::string(e.DynamicType()->Name()) + (text && *text ? std::string(": ") + text : "");
  } catch (const std::exception& e) {
    failure = e.what();
  }
  atelier::SendError(Error(codes::kTessellationFailed, "OpenCASCADE failed: " + failure + ".",
                           "The part may hold degenerate geometry; export it again, or try "
                           "engine truck.",
                           "/file_path"));
  return 1;
}
