#include "probes.hpp"

#include <algorithm>
#include <limits>

namespace atelier {
namespace {

constexpr double kBeside = 0.01;  // of an element's size
constexpr int kNearest = 32;      // elements that are looked at

// Place is the point of an element that is nearest to a probe beside the mesh.
struct Place {
  int element = -1;
  mfem::IntegrationPoint point;
  double distance = std::numeric_limits<double>::infinity();
};

// A probe on a curved face of the part lies beside the elements by as much as these lie
// off the face.
Place Nearest(const Domain& domain, const std::vector<double>& probe) {
  mfem::Mesh& mesh = *domain.mesh;
  const mfem::Vector at(const_cast<double*>(probe.data()), domain.Dimension());
  std::vector<std::pair<double, int>> near;
  mfem::Vector middle(domain.Dimension());
  for (int e = 0; e < mesh.GetNE(); e++) {
    mesh.GetElementCenter(e, middle);
    near.emplace_back(middle.DistanceTo(at), e);
  }
  const size_t some = std::min<size_t>(kNearest, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(some), near.end());
  Place best;
  for (size_t i = 0; i < some; i++) {
    mfem::ElementTransformation& map = *mesh.GetElementTransformation(near[i].second);
    mfem::InverseElementTransformation inverse(&map);
    inverse.SetSolverType(mfem::InverseElementTransformation::Newton);
    mfem::IntegrationPoint point;
    if (inverse.Transform(at, point) == mfem::InverseElementTransformation::Unknown) continue;
    mfem::Geometry::ProjectPoint(map.GetGeometryType(), point);
    mfem::Vector there(domain.Dimension());
    map.Transform(point, there);
    const double d = there.DistanceTo(at);
    if (d < best.distance) best = {near[i].second, point, d};
  }
  return best;
}

}  // namespace

Probes::Probes(const Domain& domain, const Config& config) {
  if (!config.Has("probes")) return;
  const Json& list = config.Raw("probes");
  if (!list.is_array()) throw config.Refuse("probes", "must be a list of points");
  for (size_t i = 0; i < list.size(); i++) {
    const Json wrapped = {{"point", list[i]}};
    points_.push_back(Config(wrapped, config.Pointer("probes/" + std::to_string(i)))
                          .Lengths("point", domain.Dimension(), domain.metres_per_unit));
  }
  Find(domain, [&](int i, const std::string& distance) {
    return Error(codes::kInvalidInput,
                 "probe " + std::to_string(i) + " lies about " + distance + " outside the mesh")
        .At(config.Pointer("probes/" + std::to_string(i)))
        .Hint("Numbers are in the mesh's unit (" + domain.length_unit +
              "); write \"2 mm\" for another.");
  });
}

Probes::Probes(const Domain& domain, std::vector<std::vector<double>> points,
               const Outside& outside)
    : points_(std::move(points)) {
  Find(domain, outside);
}

void Probes::Find(const Domain& domain, const Outside& outside) {
  if (points_.empty()) return;
  mfem::DenseMatrix at(domain.Dimension(), Count());
  for (int i = 0; i < Count(); i++) {
    for (int k = 0; k < domain.Dimension(); k++) at(k, i) = points_[i][k];
  }
  domain.mesh->FindPoints(at, elements_, places_, false);
  for (int i = 0; i < Count(); i++) {
    if (elements_[i] >= 0) continue;
    const Place place = Nearest(domain, points_[i]);
    if (place.element >= 0 &&
        place.distance <= kBeside * domain.mesh->GetElementSize(place.element)) {
      elements_[i] = place.element;
      places_[i] = place.point;
      continue;
    }
    throw outside(i, Text(place.distance / domain.metres_per_unit, 3) + " " + domain.length_unit);
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
