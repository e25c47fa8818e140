// Values at points that the caller names.
#pragma once

#include <functional>

#include "domain.hpp"
#include "nodal_space.hpp"

namespace atelier {

constexpr int kMostProbeFigures = 4;  // probes whose figures are stated

class Probes {
 public:
  // config.probes: points in the mesh's own unit. One outside the domain is an error.
  Probes(const Domain& domain, const Config& config);
  // Points in metres. outside: the error of one that lies outside the domain, by as much as the
  // text says.
  using Outside = std::function<Error(int, const std::string&)>;
  Probes(const Domain& domain, std::vector<std::vector<double>> points, const Outside& outside);
  Probes() = default;

  int Count() const { return static_cast<int>(points_.size()); }
  const std::vector<double>& Point(int i) const { return points_[i]; }
  // Value of a field with `components` per node at probe i.
  std::vector<double> At(int i, const NodalSpace& space, int components,
                         const std::vector<double>& field) const;
  // The nodes of the element at probe i with the values of their shape functions.
  std::vector<std::pair<int, double>> Weights(int i, const NodalSpace& space) const;
  // [{"at": [m], "<name>": value or vector}]
  Json Report(const NodalSpace& space, int components, const std::vector<double>& field,
              const std::string& name) const;

 private:
  void Find(const Domain& domain, const Outside& outside);

  std::vector<std::vector<double>> points_;  // metres
  mfem::Array<int> elements_;
  mfem::Array<mfem::IntegrationPoint> places_;
};

}  // namespace atelier
