#include "solver_class.hpp"

#include <algorithm>
#include <cctype>

namespace atelier {
namespace {

std::vector<SolverClass>& Registry() {
  static std::vector<SolverClass> classes;
  return classes;
}

std::string Canonical(const std::string& name) {
  std::string out;
  for (unsigned char c : name) {
    if (c != '_' && c != '-' && c != ' ') out += static_cast<char>(std::tolower(c));
  }
  return out;
}

}  // namespace

Registration::Registration(const char* name, SolveFunction solve,
                           std::vector<GoldenCase> (*golden)()) {
  Registry().push_back({name, solve, golden});
  std::sort(Registry().begin(), Registry().end(),
            [](const SolverClass& a, const SolverClass& b) { return a.name < b.name; });
}

const SolverClass& FindClass(const std::string& name) {
  std::string known;
  for (const SolverClass& c : Registry()) {
    if (Canonical(c.name) == Canonical(name)) return c;
    known += (known.empty() ? "" : ", ") + c.name;
  }
  throw Error(codes::kInvalidInput, "there is no solver class \"" + name + "\"; known are " + known)
      .At("/solver_class");
}

const std::vector<SolverClass>& AllClasses() { return Registry(); }

}  // namespace atelier
