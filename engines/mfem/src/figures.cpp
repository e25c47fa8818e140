#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

namespace atelier {
namespace {

constexpr size_t kMostNames = 12;  // that a hint lists

std::vector<std::string> Steps(const std::string& pointer) {
  std::vector<std::string> out;
  std::stringstream rest(pointer.substr(1));
  for (std::string step; std::getline(rest, step, '/');) out.push_back(step);
  return out;
}

bool HasYield(const Config& config) {
  const std::vector<Config> list = config.List("materials");
  return std::any_of(list.begin(), list.end(), [](const Config& m) { return m.Has("yield"); });
}

// What an answer has only where the configuration asks for it.
std::string NotAsked(const Config& config, const std::string& first) {
  struct Part {
    const char *field, *what;
  };
  for (const Part& part :
       {Part{"probes", "a list of points"}, Part{"stress_lines", "a list of lines {from, to}"},
        Part{"bolts", "a list of the bolts with their preload"}}) {
    if (first == part.field && !config.Has(part.field))
      return std::string("The configuration has no ") + part.field + ": give " +
             config.Pointer(part.field) + ", " + part.what + ".";
  }
  if (first != "safety_factor") return "";
  if (!HasYield(config))
    return "No safety factor is stated, since no material has a yield strength: give " +
           config.Pointer("materials/0/yield") + ".";
  return "No safety factor is stated, since the stress peak has no bound or is not resolved: ask "
         "for /von_mises/max to see which.";
}

std::string Names(const Json& object) {
  std::string out;
  size_t told = 0;
  for (const auto& [name, unused] : object.items()) {
    if (told++ == kMostNames) return out + " and others";
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

std::string Entries(const std::string& list, size_t count) {
  const std::string first = list + "/0";
  if (count == 1) return list + " has 1 entry, " + first + ".";
  return list + " has " + std::to_string(count) + " entries, " + first + " to " + list + "/" +
         std::to_string(count - 1) + ".";
}

bool IsIndex(const std::string& s) {
  return !s.empty() && s.size() < 9 && s.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string WhyNoFigure(const Json& output, const Config& config, const std::string& pointer) {
  const std::string general =
      "Use a JSON pointer into the output, as /von_mises/max, /max_displacement/value, /energy or "
      "/loads/0/force/0.";
  if (pointer.empty() || pointer[0] != '/') return general;
  const std::vector<std::string> steps = Steps(pointer);
  const std::string why = steps.empty() ? "" : NotAsked(config, steps[0]);
  if (steps.empty() || !output.contains(steps[0])) return why.empty() ? general : why;
  const Json* at = &output;
  std::string place;
  for (const std::string& step : steps) {
    if (at->is_array()) {
      const size_t count = at->size();
      if (count == 0) return why.empty() ? place + " is an empty list: " + general : why;
      if (!IsIndex(step) || std::stoul(step) >= count) return Entries(place, count);
      at = &(*at)[std::stoul(step)];
    } else if (at->is_object() && at->contains(step)) {
      at = &(*at)[step];
    } else if (at->is_object()) {
      return place + " has no " + step + ", but " + Names(*at) + ".";
    } else {
      return place + " is no list and no object: it ends there.";
    }
    place += "/" + step;
  }
  if (at->is_array() && !at->empty())
    return place + " is a list of " + std::to_string(at->size()) + ": give one of them, as " +
           place + "/0.";
  if (at->is_object()) return place + " has " + Names(*at) + ": give one of these.";
  return place + " is no number.";
}

namespace {

double Largest(const Json& value) {
  if (value.is_number()) return std::abs(value.get<double>());
  double most = 0;
  if (value.is_structured()) {
    for (const Json& item : value) most = std::max(most, Largest(item));
  }
  return most;
}

double Distance(const Json& a, const Json& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); k++) {
    const double d = a[k].get<double>() - b[k].get<double>();
    sum += d * d;
  }
  return std::sqrt(sum);
}

// Of a field of all conditions. A moment is small beside the forces times the distances between
// their places.
double LargestOfLoads(const Json& loads, const std::string& field) {
  double most = 0, force = 0, reach = 0;
  for (const Json& load : loads) {
    if (load.contains(field)) most = std::max(most, Largest(load[field]));
    if (load.contains("force")) force = std::max(force, Largest(load["force"]));
    for (const Json& other : loads)
      reach = std::max(reach, Distance(load["centroid"], other["centroid"]));
  }
  return field == "moment" ? std::max(most, force * reach) : most;
}

}  // namespace

double LargestLike(const Json& output, const std::string& pointer) {
  const auto holds = [&](const char* name) { return pointer.find(name) != std::string::npos; };
  const auto of = [&](const char* figure) {
    const Json::json_pointer at(figure);
    return output.contains(at) ? Largest(output.at(at)) : 0;
  };
  if (holds("/displacement")) return of("/max_displacement/value");
  if (holds("/von_mises") || holds("/stress")) return of("/von_mises/max");
  for (const char* field : {"force", "moment", "heat_rate", "flux"}) {
    if (pointer.rfind("/loads/", 0) == 0 && holds((std::string("/") + field).c_str()))
      return LargestOfLoads(output["loads"], field);
  }
  if (pointer.rfind("/heat/", 0) == 0) return of("/heat");
  if (pointer.rfind("/solution/", 0) == 0 || (holds("/value") && output.contains("solution")))
    return std::max(of("/solution/min"), of("/solution/max"));
  return 0;
}

}  // namespace atelier
