#include "probes.hpp"

namespace atelier {

Probes::Probes(const Domain& domain, const Config& config) {
  if (!config.Has("probes")) return;
  const Json& list = config.Raw("probes");
  if (!list.is_array()) throw config.Refuse("probes", "must be a list of points");
  for (size_t i = 0; i < list.size(); i++) {
    const Json wrapped = {{"point", list[i]}};
    points_.push_back(Config(wrapped, config.Pointer("probes/" + std::to_string(i)))
                          .Lengths("point", domain.Dimension(), domain.metres_per_unit));
  }
  if (points_.empty()) return;
  mfem::DenseMatrix at(domain.Dimension(), Count());
  for (int i = 0; i < Count(); i++) {
    for (int k = 0; k < domain.Dimension(); k++) at(k, i) = points_[i][k];
  }
  domain.mesh->FindPoints(at, elements_, places_, false);
  for (int i = 0; i < Count(); i++) {
    if (elements_[i] >= 0) continue;
    throw Error(codes::kInvalidInput, "probe " + std::to_string(i) + " lies outside the mesh")
        .At(config.Pointer("probes/" + std::to_string(i)))
        .Hint("Numbers are in the mesh's unit (" + domain.length_unit +
              "); write \"2 mm\" for another.");
  }
}

std::vector<double> Probes::At(int i, const NodalSpace& space, int components,
                               const std::vector<double>& field) const {
  const int e = elements_[i];
  mfem::Vector shape(space.Count(e));
  space.Element(e).CalcShape(places_[i], shape);
  std::vector<double> out(components, 0.0);
  for (int a = 0; a < shape.Size(); a++) {
    for (int c = 0; c < components; c++)
      out[c] += shape(a) * field[static_cast<size_t>(space.Dofs(e)[a]) * components + c];
  }
  return out;
}

std::vector<std::pair<int, double>> Probes::Weights(int i, const NodalSpace& space) const {
  const int e = elements_[i];
  mfem::Vector shape(space.Count(e));
  space.Element(e).CalcShape(places_[i], shape);
  std::vector<std::pair<int, double>> out;
  for (int a = 0; a < shape.Size(); a++) out.emplace_back(space.Dofs(e)[a], shape(a));
  return out;
}

Json Probes::Report(const NodalSpace& space, int components, const std::vector<double>& field,
                    const std::string& name) const {
  Json list = Json::array();
  for (int i = 0; i < Count(); i++) {
    const std::vector<double> v = At(i, space, components, field);
    list.push_back({{"at", points_[i]}, {name, components == 1 ? Json(v[0]) : Json(v)}});
  }
  return list;
}

}  // namespace atelier
