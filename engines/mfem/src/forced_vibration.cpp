#include "forced_vibration.hpp"

#include <cmath>

#include "kinematics.hpp"

namespace atelier {

Damping ReadDamping(const Config& config, const std::string& analysis) {
  if (!config.Has("damping"))
    throw Error(codes::kInvalidInput, analysis + " needs the damping of the part")
        .At(config.Pointer("damping"))
        .Hint(
            "Give {\"ratio\": 0.02}, the share of critical damping. Usual are 0.001 to 0.005 for a "
            "bare metal part, 0.02 to 0.03 for welded, 0.05 to 0.07 for bolted structures of steel "
            "(Chopra, Dynamics of Structures, table 11.2.1); 0 is a part without damping.");
  const Config c = config.Object("damping");
  const int kinds = c.Has("ratio") + (c.Has("alpha") || c.Has("beta")) + c.Has("loss_factor");
  if (kinds != 1)
    throw config
        .Refuse("damping",
                "must have either ratio or alpha with beta (in a harmonic analysis, "
                "loss_factor instead)")
        .Hint("Of every mode give ratio, of the whole C = alpha M + beta K its two factors.");
  Damping d;
  d.ratio = c.Number("ratio", 0);
  d.alpha = c.Number("alpha", 0);
  d.beta = c.Number("beta", 0);
  d.loss = c.Number("loss_factor", 0);
  for (const char* name : {"ratio", "alpha", "beta", "loss_factor"}) {
    const double value = c.Number(name, 0);
    if (value < 0) throw c.Refuse(name, "must not be negative");
  }
  if (d.ratio >= 1)
    throw c.Refuse("ratio", "must be less than 1, critical damping").Hint("2 % is 0.02.");
  return d;
}

Json Describe(const Damping& d) {
  if (d.loss > 0) return {{"loss_factor", d.loss}};
  if (d.alpha > 0 || d.beta > 0) return {{"alpha", d.alpha}, {"beta", d.beta}};
  return {{"ratio", d.ratio}};
}

void RefuseSteady(const Elasticity& p, const std::string& analysis) {
  for (const char* name : {"rotation", "temperature"}) {
    if (p.config.Has(name))
      throw p.config.Refuse(name, "is no load that vibrates; " + analysis + " has none")
          .Hint("Leave it out: the vibration comes on top of what analysis static finds for it.");
  }
  for (const Region& r : p.regions) {
    if (!IsFixed(r) || !r.config.Has("value")) continue;
    for (double v : r.config.Vector("value", p.dim)) {
      if (v != 0)
        throw r.config.Refuse("value", "moves the support; in " + analysis + " it stands still")
            .Hint(
                "For supports that shake together give the amplitude of their acceleration as "
                "gravity, with the sign reversed: displacements are then those relative to them.");
    }
  }
}

void CheckSmallVibration(Elasticity& p, const std::vector<const Values*>& parts) {
  if (p.dim < 2 || p.domain.refined) return;
  double strain = 0, turn = 0;
  for (const Values* u : parts) {
    const Kinematics k = MeasureKinematics(*p.space, *u, p.materials.lame, {}, 0, nullptr);
    strain = std::hypot(strain, k.strain), turn = std::hypot(turn, k.rotation);
  }
  p.answer.evidence.Within({"small_strain", "model", "", 100 * strain, 100 * MostStrain(p), "%",
                            "The strains reach " + Text(100 * strain, 2) + " %.",
                            "Check loads, units and damping."});
  constexpr double kDegrees = 180 / M_PI;
  p.answer.evidence.Within({"small_rotation", "model", "", turn * kDegrees,
                            kMostRotation * kDegrees, "degrees",
                            "The part turns by up to " + Text(turn * kDegrees, 2) + " degrees.",
                            "Linear theory does not hold: check loads, units and damping."});
}

std::vector<Values> ModesAt(const Vibration& v, int node) {
  std::vector<Values> out;
  for (const Values& phi : v.shapes) {
    const auto at = phi.begin() + static_cast<long>(node) * v.p.dim;
    out.emplace_back(at, at + v.p.dim);
  }
  return out;
}

}  // namespace atelier
