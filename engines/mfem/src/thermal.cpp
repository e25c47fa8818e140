// Strains that a change of temperature brings: alpha (T - reference), the same in all directions.
#include <cmath>
#include <map>

#include "elasticity.hpp"
#include "heat.hpp"
#include "krylov.hpp"
#include "load_cases.hpp"

namespace atelier {
namespace {

// Temperature by element attribute.
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

// The strains of one kelvin, by element. In plane stress the strain across the plane is free.
std::vector<Tensor> PerKelvin(const Elasticity& p) {
  const int directions = p.materials.lame.plane_stress ? 2 : p.dim == 1 ? 1 : 3;
  std::vector<Tensor> out(p.domain.mesh->GetNE());
  for (size_t e = 0; e < out.size(); e++) {
    for (int i = 0; i < directions; i++) out[e].a[i][i] = p.materials.alpha[e];
  }
  return out;
}

// Temperatures by element.
Values OfBodies(const Elasticity& p, const Config& t) {
  std::map<int, double> by;
  if (t.Raw("value").is_array()) by = ByAttribute(p.domain, t);
  const double whole = by.empty() ? t.Number("value") : 0;
  Values out;
  for (int e = 0; e < p.domain.mesh->GetNE(); e++)
    out.push_back(by.empty() ? whole : by.at(p.domain.mesh->GetAttribute(e)));
  return out;
}

// The strain of changes of temperature by element, K.
InitialStrain StrainOfBodies(Elasticity& p, const Values& change) {
  const std::vector<Tensor> unit = PerKelvin(p);
  InitialStrain out;
  for (size_t e = 0; e < change.size(); e++)
    out.Add(p.materials.lame, static_cast<int>(e), Sum(Tensor{}, change[e], unit[e]));
  PartKinds(p.materials, change);
  return out;
}

// The strain of temperatures by node, K.
InitialStrain OfNodes(const Elasticity& p, Values temperature, double reference) {
  for (double& t : temperature) t -= reference;
  return InitialStrain::Of(*p.space, p.materials.lame, PerKelvin(p), temperature);
}

// A sum of changes of temperature, K: what rounding leaves of those that cancel is 0.
class ChangeSum {
 public:
  void Add(const Values& temperature, double reference, double factor) {
    sum_.resize(temperature.size(), 0.0);
    for (size_t i = 0; i < sum_.size(); i++) {
      const double change = factor * (temperature[i] - reference);
      sum_[i] += change;
      most_ = std::max(most_, std::abs(change));
    }
  }
  bool Any() const { return !sum_.empty(); }
  Values Take() {
    constexpr double kRounding = 1e-14;
    for (double& t : sum_) t = std::abs(t) <= kRounding * most_ ? 0 : t;
    return std::move(sum_);
  }

 private:
  Values sum_;
  double most_ = 0;
};

// value + gradient . (x - at).
Values Linear(const Elasticity& p, const Config& t) {
  if (!t.Raw("value").is_number())
    throw t.Refuse("value", "must be one number beside a gradient: the temperature at `at`");
  if (!t.Has("at"))
    throw t.Refuse("at", "is missing: the point where the temperature is value")
        .Hint("Give a point in the unit of the mesh.");
  const std::vector<double> gradient = t.Vector("gradient", p.dim),
                            at = t.Lengths("at", p.dim, p.domain.metres_per_unit);
  Values out(p.space->Nodes(), t.Number("value"));
  for (int i = 0; i < p.space->Nodes(); i++) {
    for (int k = 0; k < p.dim; k++)
      out[i] += gradient[k] * (p.space->Coordinates()[static_cast<size_t>(i) * p.dim + k] - at[k]);
  }
  return out;
}

void RefuseBeside(const Config& t) {
  const bool heat = t.Has("heat");
  if (!heat && !t.Has("value"))
    throw t.Refuse("value", "is missing, and so is heat")
        .Hint(
            "Give value, one temperature or one for each body, or heat, a heat problem whose "
            "temperatures act.");
  for (const char* name : {"value", "gradient", "at"}) {
    if (heat && t.Has(name))
      throw t.Refuse(name, "is given beside heat, which finds the temperatures")
          .Hint("Give one of value and heat.");
  }
  if (!heat && t.Has("at") && !t.Has("gradient"))
    throw t.Refuse("at", "is the point of a gradient, which is not given")
        .Hint("Give gradient, or leave at out.");
}

void SolveHeated(Elasticity& p, const Config& t, double reference) {
  EmitProgress(0.05, "solving for the temperatures");
  const Config config = t.Object("heat");
  Heat heat(p.domain, config, p.space->Order(), "heat");
  heat.of_part = true;
  p.temperature = SolveHeat(heat);
  p.initial = OfNodes(p, p.temperature, reference);
  p.heated = std::make_unique<Heated>();
  p.heated->transient = !heat.steady;
  p.heated->regions = std::move(heat.regions);
  if (!heat.time_change.empty()) p.heated->strain_change = OfNodes(p, heat.time_change, 0);
  p.heated->answer = std::move(heat.answer);
}

double ReactionChange(const Elasticity& p, const Region& r, int component,
                      const Values& reactions) {
  double sum = 0;
  for (int node : p.region_nodes[r.index])
    sum += std::abs(reactions[static_cast<size_t>(node) * p.dim + component]);
  return sum;
}

}  // namespace

void ReadTemperature(Elasticity& p) {
  std::vector<Action> actions = Actions(p.config);
  actions.erase(std::remove_if(actions.begin(), actions.end(),
                               [](const Action& a) { return !a.config.Has("temperature"); }),
                actions.end());
  if (actions.empty()) return;
  if (!p.materials.inexpansible.empty())
    throw Error(codes::kInvalidInput, "a change of temperature needs alpha of every material")
        .At(p.materials.inexpansible.front())
        .Hint("Give the coefficient of thermal expansion in 1/K (steel: 12e-6).");
  ChangeSum bodies, nodes;
  for (const Action& action : actions) {
    const Config t = action.config.Object("temperature");
    RefuseBeside(t);
    const double reference = t.Number("reference");
    if (t.Has("heat")) return SolveHeated(p, t, reference);
    if (!t.Has("gradient")) {
      bodies.Add(OfBodies(p, t), reference, action.factor);
      continue;
    }
    Values temperature = Linear(p, t);
    nodes.Add(temperature, reference, action.factor);
    // In a combination none is that of the part.
    if (!p.config.Has("actions")) p.temperature = std::move(temperature);
  }
  if (bodies.Any()) p.initial = StrainOfBodies(p, bodies.Take());
  if (nodes.Any()) p.initial.Add(OfNodes(p, nodes.Take(), 0));
}

void ReportHeated(Elasticity& p) {
  if (!p.heated) return;
  const Answer& heat = p.heated->answer;
  for (const char* name : {"temperature", "heat", "time_errors"}) {
    if (heat.output.contains(name)) p.answer.output[name] = heat.output[name];
  }
  if (p.heated->transient) {
    for (const char* name : {"steps", "time"}) p.answer.output[name] = heat.output[name];
  }
  p.answer.evidence.Input(heat.evidence, "/temperature", "/heat", "Heat");
  p.answer.warnings.insert(p.answer.warnings.end(), heat.warnings.begin(), heat.warnings.end());
  if (p.domain.refined) return;
  for (const Json& artifact : heat.artifacts) p.answer.artifacts.push_back(artifact);
}

void StateTimeErrors(Elasticity& p, const Probes& probes) {
  if (!p.heated || !p.heated->strain_change.Any() || p.domain.refined) return;
  const InitialStrain& change = p.heated->strain_change;
  Values load(p.load.size(), 0.0), u;
  AddInitialLoad(*p.space, change, load);
  const SolveReport report = p.problem->SolveHomogeneous(load, u, p.options);
  RequireConverged(report, p.options, *p.domain.mesh, &p.materials.lame);
  const StressField stress = RecoverStress(*p.space, u, p.materials.lame, p.materials.kind, change);
  // The von Mises stress of a sum is at most the sum of those of its parts.
  const double peak = *std::max_element(stress.von_mises.begin(), stress.von_mises.end());
  Json& out = p.answer.output["time_errors"];
  out["/von_mises/max"] = out["/von_mises/p99"] = peak;
  out["/max_displacement/value"] = Largest(LengthsByNode(u, p.dim));
  const double own = ElasticEnergy(*p.space, u, p.materials.lame, change);
  out["/energy"] = 2 * std::sqrt(p.energy * own) + own;  // Cauchy and Schwarz
  const Values reactions = p.problem->Reactions(u, load);
  for (const Region& r : p.regions) {
    if (!IsFixed(r)) continue;
    for (int c : ForceComponents(p, r))
      out["/loads/" + std::to_string(r.index) + "/force/" + std::to_string(c)] =
          ReactionChange(p, r, c, reactions);
  }
  for (int i = 0; i < probes.Count(); i++) {
    const std::vector<double> at = probes.At(i, *p.space, p.dim, u);
    for (int c = 0; c < p.dim; c++)
      out["/probes/" + std::to_string(i) + "/displacement/" + std::to_string(c)] = std::abs(at[c]);
  }
}

}  // namespace atelier
