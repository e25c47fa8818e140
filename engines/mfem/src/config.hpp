// Typed reading of a request: every fault names its place by JSON pointer.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "protocol.hpp"

namespace atelier {

// A view of one JSON object of the request, which must outlive it.
class Config {
 public:
  Config(const Json& object, std::string pointer);

  bool Has(const std::string& name) const;
  const Json& Raw(const std::string& name) const { return object_->at(name); }
  std::string Pointer(const std::string& name) const { return pointer_ + "/" + name; }
  const std::string& Pointer() const { return pointer_; }
  // Whether the fields of both are the same, but for this one.
  bool SameBut(const std::string& name, const Config& other) const;

  // The forms without a fallback require the field.
  double Number(const std::string& name) const;
  double Number(const std::string& name, double fallback) const;
  double Positive(const std::string& name) const;
  double Positive(const std::string& name, double fallback) const;
  int Integer(const std::string& name, int fallback, int low, int high) const;
  bool Flag(const std::string& name, bool fallback) const;
  std::string String(const std::string& name, const std::string& fallback) const;
  // One of the choices, compared without regard to case.
  std::string Choice(const std::string& name, const std::string& fallback,
                     const std::vector<std::string>& choices) const;
  // A vector of at least `size` numbers; more components must be zero, so that
  // a planar problem may be given with three.
  std::vector<double> Vector(const std::string& name, int size) const;
  // Lengths in metres: a number is in the unit of the mesh, a text such as "0.002 m" in metres.
  double PositiveLength(const std::string& name, double metres_per_unit) const;
  std::vector<double> Lengths(const std::string& name, int size, double metres_per_unit) const;
  std::vector<int> Integers(const std::string& name) const;  // a number or a list
  std::vector<std::string> Strings(const std::string& name) const;
  Config Object(const std::string& name) const;  // an empty object when absent
  std::vector<Config> List(const std::string& name) const;

  Error Refuse(const std::string& name, const std::string& message,
               const std::string& code = codes::kInvalidInput) const;

 private:
  std::vector<double> Components(const std::string& name, int size,
                                 const std::function<double(const Json&)>& read) const;
  double Metres(const std::string& name, const Json& value, double metres_per_unit) const;

  const Json* object_;
  std::string pointer_;
};

}  // namespace atelier
