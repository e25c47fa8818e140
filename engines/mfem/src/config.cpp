#include "config.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace atelier {
namespace {

const Json kEmpty = Json::object();

std::string Lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
  return s;
}

// A vector whose first component is `x` and whose others are 0.
std::string Example(const Json& x, int size) {
  std::string text = "[" + (x.is_number() ? Text(x.get<double>(), 6) : std::string("1"));
  for (int i = 1; i < size; i++) text += ", 0";
  return text + "]";
}

}  // namespace

Config::Config(const Json& object, std::string pointer)
    : object_(&object), pointer_(std::move(pointer)) {
  if (!object.is_object()) {
    throw Error(codes::kInvalidInput,
                (pointer_.empty() ? "the request" : pointer_) + " must be an object")
        .At(pointer_);
  }
}

bool Config::SameBut(const std::string& name, const Config& other) const {
  Json one = *object_, two = *other.object_;
  one.erase(name), two.erase(name);
  return one == two;
}

bool Config::Has(const std::string& name) const {
  auto it = object_->find(name);
  return it != object_->end() && !it->is_null();
}

Error Config::Refuse(const std::string& name, const std::string& message,
                     const std::string& code) const {
  return Error(code, name + " " + message).At(Pointer(name));
}

double Config::Number(const std::string& name) const {
  if (!Has(name)) throw Refuse(name, "is required");
  const Json& v = Raw(name);
  if (!v.is_number()) throw Refuse(name, "must be a number");
  const double x = v.get<double>();
  if (!std::isfinite(x)) throw Refuse(name, "must be finite");
  return x;
}

double Config::Number(const std::string& name, double fallback) const {
  return Has(name) ? Number(name) : fallback;
}

double Config::Positive(const std::string& name) const {
  const double x = Number(name);
  if (x <= 0) throw Refuse(name, "is " + Text(x) + "; it must be greater than 0");
  return x;
}

double Config::Positive(const std::string& name, double fallback) const {
  return Has(name) ? Positive(name) : fallback;
}

int Config::Integer(const std::string& name, int fallback, int low, int high) const {
  if (!Has(name)) return fallback;
  const double x = Number(name);
  if (x != std::floor(x) || x < low || x > high) {
    throw Refuse(name, "is " + Text(x, 12) + "; it must be a whole number from " +
                           std::to_string(low) + " to " + std::to_string(high));
  }
  return static_cast<int>(x);
}

bool Config::Flag(const std::string& name, bool fallback) const {
  if (!Has(name)) return fallback;
  if (!Raw(name).is_boolean()) throw Refuse(name, "must be true or false");
  return Raw(name).get<bool>();
}

std::string Config::String(const std::string& name, const std::string& fallback) const {
  if (!Has(name)) return fallback;
  if (!Raw(name).is_string()) throw Refuse(name, "must be a string");
  return Raw(name).get<std::string>();
}

std::string Config::Choice(const std::string& name, const std::string& fallback,
                           const std::vector<std::string>& choices) const {
  const std::string given = String(name, fallback);
  std::string all;
  for (const std::string& c : choices) {
    if (Lower(given) == Lower(c)) return c;
    all += (all.empty() ? "" : ", ") + c;
  }
  throw Refuse(name, "is \"" + given + "\"; it must be one of " + all);
}

double Config::Metres(const std::string& name, const Json& value, double metres_per_unit) const {
  double x = std::nan("");
  if (value.is_number()) x = value.get<double>() * metres_per_unit;
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    char* end = nullptr;
    const double metres = std::strtod(text.c_str(), &end);
    if (end != text.c_str() && std::string(end) == " m") x = metres;
  }
  if (!std::isfinite(x)) throw Refuse(name, "must be a length");
  return x;
}

double Config::PositiveLength(const std::string& name, double metres_per_unit) const {
  if (!Has(name)) throw Refuse(name, "is required");
  const double x = Metres(name, Raw(name), metres_per_unit);
  if (x <= 0) throw Refuse(name, "is " + Text(x) + " m; it must be greater than 0");
  return x;
}

std::vector<double> Config::Lengths(const std::string& name, int size,
                                    double metres_per_unit) const {
  return Components(name, size, [&](const Json& x) { return Metres(name, x, metres_per_unit); });
}

std::vector<double> Config::Vector(const std::string& name, int size) const {
  return Components(name, size, [&](const Json& x) {
    if (!x.is_number() || !std::isfinite(x.get<double>())) {
      throw Refuse(name, "must hold finite numbers");
    }
    return x.get<double>();
  });
}

std::vector<double> Config::Components(const std::string& name, int size,
                                       const std::function<double(const Json&)>& read) const {
  if (!Has(name)) throw Refuse(name, "is required");
  const Json& v = Raw(name);
  if (!v.is_array()) {
    throw Refuse(name, "is one number; it must be a list with one for each of the mesh's " +
                           std::to_string(size) + " dimensions")
        .Hint("Write " + Example(v, size) +
              (size > 1 ? ", or the value at the component that it belongs to." : "."));
  }
  std::vector<double> out;
  for (const Json& x : v) out.push_back(read(x));
  if (static_cast<int>(out.size()) < size) {
    throw Refuse(name, "has " + std::to_string(out.size()) + " components; the mesh has " +
                           std::to_string(size) + " dimensions")
        .Hint("Write " + Example(v.empty() ? v : v[0], size) + ", or the like.");
  }
  for (size_t i = size; i < out.size(); i++) {
    if (out[i] != 0) {
      throw Refuse(name, "has a nonzero component beyond the mesh's " + std::to_string(size) +
                             " dimensions");
    }
  }
  out.resize(size);
  return out;
}

std::vector<int> Config::Integers(const std::string& name) const {
  std::vector<int> out;
  auto take = [&](const Json& x) {
    if (!x.is_number_integer()) throw Refuse(name, "must be a whole number or a list of them");
    out.push_back(x.get<int>());
  };
  const Json& v = Raw(name);
  if (v.is_array()) {
    for (const Json& x : v) take(x);
  } else {
    take(v);
  }
  return out;
}

std::vector<std::string> Config::Strings(const std::string& name) const {
  std::vector<std::string> out;
  auto take = [&](const Json& x) {
    if (!x.is_string()) throw Refuse(name, "must be a string or a list of strings");
    out.push_back(x.get<std::string>());
  };
  const Json& v = Raw(name);
  if (v.is_array()) {
    for (const Json& x : v) take(x);
  } else {
    take(v);
  }
  return out;
}

Config Config::Object(const std::string& name) const {
  return Config(Has(name) ? Raw(name) : kEmpty, Pointer(name));
}

std::vector<Config> Config::List(const std::string& name) const {
  std::vector<Config> out;
  if (!Has(name)) return out;
  const Json& v = Raw(name);
  if (!v.is_array()) throw Refuse(name, "must be a list");
  for (size_t i = 0; i < v.size(); i++)
    out.emplace_back(v[i], Pointer(name) + "/" + std::to_string(i));
  return out;
}

}  // namespace atelier
