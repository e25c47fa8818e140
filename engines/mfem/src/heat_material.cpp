#include "heat_material.hpp"

#include <algorithm>

#include "bodies.hpp"

namespace atelier {
namespace {

HeatMaterial ReadMaterial(const Config& c, const std::string& place, bool steady,
                          Warnings& warnings) {
  HeatMaterial m;
  m.place = place;
  m.conductivity = Curve::Read(c, "conductivity");
  m.source = c.Number("source", 0);
  if (steady) return m;
  m.specific_heat = Curve::Read(c, "specific_heat");
  m.density = c.Positive("density", 1);
  if (!c.Has("density")) {
    warnings.push_back({"volumetric_heat_capacity",
                        "No density was given" + (place.empty() ? place : " in " + place) +
                            ": specific_heat was taken per volume, J/(m^3 K)."});
  }
  return m;
}

// Every body needs a material, and every material a body.
void RequireBodies(const Domain& domain, const Config& config, const std::vector<Config>& list,
                   const std::map<int, int>& by_attribute) {
  std::string without;
  for (int a : domain.mesh->attributes) {
    if (by_attribute.count(a) == 0) without += (without.empty() ? "" : ", ") + std::to_string(a);
  }
  const bool has_default = !list[0].Has("attribute");
  if (!has_default && !without.empty())
    throw config.Refuse("materials", "names no material of the element attribute " + without)
        .Hint(
            "Give every body a material, or leave attribute out of the first one, which is then "
            "that of all bodies that no other names.");
  if (has_default && without.empty())
    throw list[0]
        .Refuse("attribute", "is missing, and the other materials name every body of the mesh")
        .Hint("Leave the first material out, or name its body.");
}

}  // namespace

Curve Curve::Read(const Config& config, const std::string& name) {
  if (!config.Has(name) || !config.Raw(name).is_array()) return Curve(config.Positive(name));
  const Json& table = config.Raw(name);
  if (table.size() < 2)
    throw config.Refuse(name, "needs at least two pairs [temperature, value]")
        .Hint("Give one number where it does not change with temperature.");
  Curve curve;
  curve.at_.clear(), curve.value_.clear();
  for (size_t i = 0; i < table.size(); i++) {
    const Json& pair = table[i];
    const std::string row = name + "/" + std::to_string(i);
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number())
      throw config.Refuse(row, "must be a pair of numbers [temperature in K, value]");
    const double at = pair[0].get<double>(), value = pair[1].get<double>();
    if (!(value > 0))
      throw config.Refuse(row + "/1", "is " + Text(value) + "; it must be positive");
    if (at < 0) throw config.Refuse(row + "/0", "is " + Text(at) + " K, below absolute zero");
    if (i > 0 && !(at > curve.at_.back()))
      throw config.Refuse(row + "/0",
                          "is " + Text(at) + " K; temperatures must rise from pair to pair");
    curve.at_.push_back(at), curve.value_.push_back(value);
  }
  curve.integral_.assign(1, 0.0);
  for (size_t i = 1; i < curve.at_.size(); i++)
    curve.integral_.push_back(curve.integral_.back() + (curve.at_[i] - curve.at_[i - 1]) *
                                                           (curve.value_[i] + curve.value_[i - 1]) /
                                                           2);
  return curve;
}

size_t Curve::Interval(double t) const {
  const auto above = std::upper_bound(at_.begin(), at_.end(), t);
  return std::min<size_t>(std::max<long>(above - at_.begin() - 1, 0), at_.size() - 2);
}

double Curve::At(double t) const {
  if (t <= at_.front()) return value_.front();
  if (t >= at_.back()) return value_.back();
  const size_t i = Interval(t);
  return value_[i] + (value_[i + 1] - value_[i]) * (t - at_[i]) / (at_[i + 1] - at_[i]);
}

double Curve::Slope(double t) const {
  if (Constant() || t < at_.front() || t > at_.back()) return 0;
  const size_t i = Interval(t);
  return (value_[i + 1] - value_[i]) / (at_[i + 1] - at_[i]);
}

double Curve::Integral(double t) const {
  if (t <= at_.front()) return value_.front() * (t - at_.front());
  if (t >= at_.back()) return integral_.back() + value_.back() * (t - at_.back());
  const size_t i = Interval(t);
  return integral_[i] + (t - at_[i]) * (value_[i] + At(t)) / 2;
}

bool HeatMaterials::Constant(Curve HeatMaterial::* property) const {
  return std::all_of(list.begin(), list.end(),
                     [&](const HeatMaterial& m) { return (m.*property).Constant(); });
}

HeatMaterials ReadHeatMaterials(const Domain& domain, const Config& config, bool steady,
                                Warnings& warnings) {
  HeatMaterials out;
  out.number.assign(domain.mesh->GetNE(), 0);
  if (!config.Has("materials")) {
    out.list.push_back(ReadMaterial(config, "", steady, warnings));
    return out;
  }
  const std::vector<Config> list = config.List("materials");
  if (list.empty())
    throw config.Refuse("materials", "needs at least one material {attribute, conductivity}");
  const std::map<int, int> by_attribute = MaterialByAttribute(domain, list);
  for (size_t i = 0; i < list.size(); i++)
    out.list.push_back(ReadMaterial(list[i], "materials/" + std::to_string(i), steady, warnings));
  RequireBodies(domain, config, list, by_attribute);
  for (int e = 0; e < domain.mesh->GetNE(); e++) {
    const auto it = by_attribute.find(domain.mesh->GetAttribute(e));
    if (it != by_attribute.end()) out.number[e] = it->second;
  }
  return out;
}

}  // namespace atelier
