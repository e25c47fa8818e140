#include "thermal.hpp"

#include <cmath>
#include <map>

#include "displacement_gradient.hpp"

namespace atelier {

double Thermal::Largest() const {
  double most = 0;
  for (double p : pressure) most = std::max(most, std::abs(p));
  return most;
}

namespace {

// Temperature by element attribute; the number for all others.
std::map<int, double> ByAttribute(const Domain& domain, const Config& t) {
  std::map<int, double> out;
  for (const Config& body : t.List("value")) {
    const int attribute = body.Integer("attribute", 0, 1, 1 << 30);
    if (domain.mesh->attributes.Find(attribute) < 0)
      throw Error(codes::kUnknownAttribute,
                  "the mesh has no element attribute " + std::to_string(attribute))
          .At(body.Pointer("attribute"));
    if (!out.emplace(attribute, body.Number("value")).second)
      throw body.Refuse("attribute", "has a temperature already");
  }
  for (int a : domain.mesh->attributes) {
    if (out.count(a) == 0)
      throw t.Refuse("value", "has no temperature for the element attribute " + std::to_string(a))
          .Hint("Name every body, or give one number for the whole part.");
  }
  return out;
}

}  // namespace

Thermal ReadThermal(const Domain& domain, const Config& config, const ElasticMaterials& materials,
                    bool plane_stress) {
  Thermal out;
  if (!config.Has("temperature")) return out;
  if (!materials.inexpansible.empty())
    throw Error(codes::kInvalidInput, "a change of temperature needs alpha of every material")
        .At(materials.inexpansible.front())
        .Hint("Give the coefficient of thermal expansion in 1/K (steel: 12e-6).");
  const Config t = config.Object("temperature");
  const double reference = t.Number("reference");
  std::map<int, double> by;
  if (t.Raw("value").is_array()) by = ByAttribute(domain, t);
  const double whole = by.empty() ? t.Number("value") : 0;
  const double directions = domain.Dimension() == 1 ? 1 : plane_stress ? 2 : 3;
  for (int e = 0; e < domain.mesh->GetNE(); e++) {
    const double value = by.empty() ? whole : by.at(domain.mesh->GetAttribute(e));
    const double strain = materials.alpha[e] * (value - reference);
    out.strain.push_back(strain);
    out.pressure.push_back(strain *
                           (directions * materials.lame.lambda[e] + 2 * materials.lame.mu[e]));
  }
  return out;
}

void AddThermalLoad(const NodalSpace& space, const Thermal& thermal, Values& load) {
  const int dim = space.Dimension();
  const ElementKernel kernel(space, GradientDegree(space));
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      const double p = s.measure[q] * thermal.Pressure(e);
      for (int a = 0; a < s.dofs; a++) {
        for (int k = 0; k < dim; k++)
          load[static_cast<size_t>(s.dof[a]) * dim + k] +=
              p * s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim + k];
      }
    }
  });
}

double ElasticEnergy(const NodalSpace& space, const Values& u, const Lame& lame,
                     const Thermal& thermal, bool plane_stress) {
  const int dim = space.Dimension(), directions = dim == 2 && !plane_stress ? 3 : dim;
  const ElementKernel kernel(space, GradientDegree(space) + 2);
  double sum = 0;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      Tensor strain = Symmetric(DisplacementGradient(dim, s, q, u));
      Tensor stress = Stress(strain, lame.lambda[e], lame.mu[e]);
      for (int i = 0; i < directions; i++) {
        strain.a[i][i] -= thermal.Strain(e);
        stress.a[i][i] -= thermal.Pressure(e);
      }
      for (int i = 0; i < directions; i++) {
        for (int k = 0; k < directions; k++)
          sum += 0.5 * s.measure[q] * strain.a[i][k] * stress.a[i][k];
      }
    }
  });
  return sum;
}

}  // namespace atelier
