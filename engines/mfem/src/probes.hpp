// Values at points that the caller names.
#pragma once

#include "domain.hpp"
#include "nodal_space.hpp"

namespace atelier {

constexpr int kMostProbeFigures = 4;  // probes whose figures are stated

class Probes {
 public:
  // config.probes: points in the mesh's own unit. One outside the domain is an error.
  Probes(const Domain& domain, const Config& config);

  int Count() const { return static_cast<int>(points_.size()); }
  // Value of a field with `components` per node at probe i.
  std::vector<double> At(int i, const NodalSpace& space, int components,
                         const std::vector<double>& field) const;
  // The nodes of the element at probe i with the values of their shape functions.
  std::vector<std::pair<int, double>> Weights(int i, const NodalSpace& space) const;
  // [{"at": [m], "<name>": value or vector}]
  Json Report(const NodalSpace& space, int components, const std::vector<double>& field,
              const std::string& name) const;

 private:
  std::vector<std::vector<double>> points_;  // metres
  mfem::Array<int> elements_;
  mfem::Array<mfem::IntegrationPoint> places_;
};

}  // namespace atelier
