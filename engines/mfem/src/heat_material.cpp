#include "heat_material.hpp"

#include <algorithm>

#include "bodies.hpp"

namespace atelier {
namespace {

constexpr double kNarrowest = 0.01;  // K, from solidus to liquidus

// A positive number, or pairs [K, positive number] whose temperatures rise.
Curve ReadCurve(const Config& config, const std::string& name) {
  if (!config.Has(name) || !config.Raw(name).is_array()) return Curve(config.Positive(name));
  const Json& table = config.Raw(name);
  if (table.size() < 2)
    throw config.Refuse(name, "needs at least two pairs [temperature, value]")
        .Hint("Give one number where it does not change with temperature.");
  std::vector<double> places, values;
  for (size_t i = 0; i < table.size(); i++) {
    const Json& pair = table[i];
    const std::string row = name + "/" + std::to_string(i);
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number())
      throw config.Refuse(row, "must be a pair of numbers [temperature in K, value]");
    const double at = pair[0].get<double>(), value = pair[1].get<double>();
    if (!(value > 0))
      throw config.Refuse(row + "/1", "is " + Text(value) + "; it must be positive");
    if (at < 0) throw config.Refuse(row + "/0", "is " + Text(at) + " K, below absolute zero");
    if (i > 0 && !(at > places.back()))
      throw config.Refuse(row + "/0",
                          "is " + Text(at) + " K; temperatures must rise from pair to pair");
    places.push_back(at), values.push_back(value);
  }
  return Curve(std::move(places), std::move(values));
}

PhaseChange ReadPhaseChange(const Config& c) {
  if (!c.Has("phase_change")) return {};
  const Config change = c.Object("phase_change");
  const PhaseChange out = {change.Positive("latent_heat"), change.Positive("solidus"),
                           change.Positive("liquidus")};
  if (!(out.liquidus - out.solidus >= kNarrowest))
    throw change.Refuse("liquidus", "must lie above solidus by " + Text(kNarrowest) + " K or more")
        .Hint(
            "A pure substance changes at one temperature: spread it over a kelvin or so around "
            "that.");
  return out;
}

HeatMaterial ReadMaterial(const Config& c, const std::string& place, bool steady,
                          Warnings& warnings) {
  HeatMaterial m;
  m.place = place;
  m.conductivity = ReadCurve(c, "conductivity");
  m.source = c.Number("source", 0);
  if (steady) {
    if (c.Has("phase_change"))
      throw c.Refuse("phase_change", "has no part of a steady state")
          .Hint("Leave it out, or solve in time.");
    return m;
  }
  m.melting = ReadPhaseChange(c);
  if (c.Has("phase_change") && !c.Has("density"))
    throw c.Refuse("density", "is required beside phase_change, whose heat is per mass");
  m.specific_heat = ReadCurve(c, "specific_heat");
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

bool HeatMaterials::Constant(Curve HeatMaterial::* property) const {
  return std::all_of(list.begin(), list.end(),
                     [&](const HeatMaterial& m) { return (m.*property).Constant(); });
}

bool HeatMaterials::ConstantCapacity() const {
  return Constant(&HeatMaterial::specific_heat) &&
         std::all_of(list.begin(), list.end(),
                     [](const HeatMaterial& m) { return m.melting.latent == 0; });
}

HeatMaterials ReadHeatMaterials(const Domain& domain, const Config& config, bool steady,
                                Warnings& warnings) {
  HeatMaterials out;
  if (!config.Has("materials")) {
    out.number.assign(domain.mesh->GetNE(), 0);
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
  out.number = MaterialByElement(domain, by_attribute);
  return out;
}

}  // namespace atelier
