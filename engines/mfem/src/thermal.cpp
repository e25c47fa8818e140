#include "thermal.hpp"

#include <map>

namespace atelier {

namespace {

// Temperature by element attribute; the number for all others.
std::map<int, double> ByAttribute(const Domain& domain, const Config& t) {
  std::map<int, double> out;
  for (const Config& body : t.List("value")) {
    const int attribute = body.Integer("attribute", 0, 1, 1 << 30);
    if (domain.mesh->attributes.Find(attribute) < 0)
      throw UnknownElementAttribute(domain, attribute).At(body.Pointer("attribute"));
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

InitialStrain ReadThermal(const Domain& domain, const Config& config,
                          const ElasticMaterials& materials) {
  InitialStrain out;
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
  // In plane stress the strain across the plane is free.
  const int directions = materials.lame.plane_stress ? 2 : domain.Dimension() == 1 ? 1 : 3;
  for (int e = 0; e < domain.mesh->GetNE(); e++) {
    const double value = by.empty() ? whole : by.at(domain.mesh->GetAttribute(e));
    Tensor strain;
    for (int i = 0; i < directions; i++) strain.a[i][i] = materials.alpha[e] * (value - reference);
    out.Add(materials.lame, e, strain);
  }
  return out;
}

}  // namespace atelier
