// Load factors at which a part buckles: K phi = lambda (-Kg) phi, Kg the stiffness of the
// stresses of a static solution (Cook, Malkus, Plesha and Witt, Concepts and Applications of
// Finite Element Analysis, 4th ed., ch. 18).
#include <cmath>

#include "buckling.hpp"
#include "displacement_gradient.hpp"
#include "elasticity.hpp"
#include "error_estimate.hpp"
#include "krylov.hpp"

namespace atelier {

namespace {

// d(phi^T Kg phi) / du: how the work of the stresses on a shape depends on the displacements
// that they are of.
Values StressWork(const Elasticity& p, const Values& shape) {
  Values out(shape.size(), 0.0);
  const ElementKernel kernel(*p.space, 3 * p.space->Order() - 2);
  ForEachElement(*p.space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      const Tensor h = DisplacementGradient(p.dim, s, q, shape);
      Tensor square;
      for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
          for (int j = 0; j < 3; j++) square.a[i][k] += h.a[j][i] * h.a[j][k];
        }
      }
      const Tensor stress = Stress(square, p.materials.lame.lambda[e], p.materials.lame.mu[e]);
      for (int a = 0; a < s.dofs; a++) {
        const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * p.dim];
        for (int i = 0; i < p.dim; i++) {
          for (int k = 0; k < p.dim; k++)
            out[static_cast<size_t>(s.dof[a]) * p.dim + i] += s.measure[q] * stress.a[i][k] * g[k];
        }
      }
    }
  });
  return out;
}

}  // namespace

std::optional<double> StressWorkError(const Elasticity& p, const SpdProblem& statics,
                                      const Values& shape) {
  Values z;
  if (!statics.SolveHomogeneous(StressWork(p, shape), z, p.options).converged) return std::nullopt;
  return StressErrorBar(p, z);
}

namespace {

constexpr double kSolve = 1e-10;     // tolerance of the inner solves
constexpr double kMostTheory = 0.1;  // strain up to which linear buckling has a meaning

struct Collapse {
  Elasticity& p;
  int wanted = 0, found = 0;
  Kinematics kinematics;
  Values factor;  // of the load, rising
  std::vector<Values> shapes;
  double residual = 0, reversed = 0;
  ModeCount count;
  SolveReport report;

  explicit Collapse(Elasticity& e) : p(e) {}
};

bool HasPressure(const Elasticity& p) {
  return std::any_of(p.regions.begin(), p.regions.end(),
                     [](const Region& r) { return IsPressure(r); });
}

// Counts the load factors below a gap behind those asked for.
void Count(Collapse& b, const Geometric& geometric) {
  const Elasticity& p = b.p;
  if (p.domain.refined || HasPressure(p) || b.found == 0) return;
  for (size_t i = b.found - 1; i + 1 < b.factor.size(); i++) {
    if (b.factor[i + 1] - b.factor[i] <= kGap * b.factor[i]) continue;
    BlockCsr k = AssembleElasticity(*p.space, MakeGraph(*p.space), p.materials.lame);
    AddElasticSupports(p, *p.space, k);
    geometric.AddTo(k, 0.5 * (b.factor[i] + b.factor[i + 1]));
    Clamp(k, *p.constraints);
    b.count.counted = CountFreeBelow(k, *p.constraints);
    b.count.expected = static_cast<int>(i) + 1;
    return;
  }
}

void Find(Collapse& b) {
  Elasticity& p = b.p;
  EmitProgress(0.5, "looking for " + std::to_string(b.wanted) + " load factors");
  SolveOptions options = p.options;
  options.relative_tolerance = std::min(kSolve, options.relative_tolerance);
  options.by_energy = true;
  options.expected_loads = kEigenSolves;
  b.report.converged = true;
  b.kinematics = MeasureKinematics(*p.space, p.u, p.materials.lame, p.initial, 0, nullptr);
  const Geometric geometric(*p.space, p.problem->Graph(), p.u, p.materials.lame, p.initial);
  BucklingModes all = FindBuckling(geometric, p.u, MakeStabilityOperators(p, options, b.report),
                                   b.wanted + kSpareModes, b.kinematics.strain / kMostTheory);
  RequireConverged(b.report, options, *p.domain.mesh, &p.materials.lame);
  b.found = std::min(b.wanted, static_cast<int>(all.modes.theta.size()));
  for (int i = 0; i < b.found; i++) b.residual = std::max(b.residual, all.modes.ErrorBound(i));
  for (double theta : all.modes.theta) b.factor.push_back(1 / theta);
  b.shapes = std::move(all.modes.shapes);
  b.reversed = all.reversed;
  EmitProgress(0.7, "counting the load factors");
  Count(b, geometric);
}

// Relative error of a load factor: that of its shape, squared, and that of the stresses, of
// which it is a linear functional with a dual solution.
std::optional<double> RelativeError(const Collapse& b, int mode) {
  const Elasticity& p = b.p;
  if (p.u.size() > kManyUnknowns && mode >= static_cast<int>(kFewModes)) return std::nullopt;
  const auto shape = SquaredShapeError(p, b.shapes[mode]);
  if (!shape) return std::nullopt;
  const auto stress = StressWorkError(p, *p.problem, b.shapes[mode]);
  if (!stress) return std::nullopt;
  return kErrorBarSafety * *shape + b.factor[mode] * *stress;
}

void StateFactors(Collapse& b) {
  Elasticity& p = b.p;
  Json modes = Json::array();
  for (int i = 0; i < b.found; i++) {
    modes.push_back({{"number", i + 1}, {"load_factor", b.factor[i]}});
    if (i >= kStatedModes) continue;
    Quantity q = {"buckling load factor " + std::to_string(i + 1),
                  "/buckling_modes/" + std::to_string(i) + "/load_factor", b.factor[i], "1",
                  "linear buckling, block Krylov space; error bar by recovered stresses of the "
                  "shape and a dual solution for the stresses"};
    q.quoted = i < 3;
    if (const auto error = RelativeError(b, i)) q.error = *error * b.factor[i];
    CheckError(p.answer.evidence, q, b.factor[i]);
  }
  p.answer.output["buckling_modes"] = modes;
}

// The error of the energy is the square of that in the energy norm, but beside prescribed
// displacements.
void StateEnergy(Elasticity& p) {
  Quantity q = {"strain energy", "/energy", p.energy, "J",
                "half the work of loads and reactions, under the loads as they are given"};
  const Values& held = p.constraints->value;
  const bool moved = std::any_of(held.begin(), held.end(), [](double v) { return v != 0; });
  if (!moved && !p.initial.Any() && p.domain.mesh->GetNE() >= kFewElements)
    q.error =
        kErrorBarSafety * 0.5 * std::pow(kEstimatorFactor[p.space->Order()] * p.stress.error, 2);
  CheckError(p.answer.evidence, q, p.energy);
}

// What linear buckling assumes of the part on the way to its load.
void CheckTheory(const Collapse& b) {
  Evidence& ev = b.p.answer.evidence;
  const double first = b.factor[0], strain = first * b.kinematics.strain,
               turn = first * b.kinematics.rotation, most = MostStrain(b.p);
  ev.Within({"strain_at_buckling", "model", "", strain, most, "1",
             "At the first load factor the strains reach " + Text(100 * strain, 2) + " %" +
                 (strain <= most ? "; that the material does not yield before is not known here."
                                 : ": such a solid yields or breaks before it buckles.")});
  ev.Within({"turn_before_buckling", "model", "", turn, kMostRotation, "rad",
             "Up to the first load factor the part turns by up to " + Text(turn * 180 / M_PI, 2) +
                 " degrees" +
                 (turn <= kMostRotation
                      ? "."
                      : ": it does not keep its shape up to there, as linear buckling assumes. Use "
                        "a geometrically non-linear analysis.")});
  ev.Note(
      "A load factor is that of the perfect part: imperfections lower it, of thin shells to a "
      "fraction.");
}

void CheckFactors(const Collapse& b) {
  Evidence& ev = b.p.answer.evidence;
  ev.Within({"modes_converged", "residual", "/buckling_modes", b.residual, kMostResidual, "1",
             "The load factors are those of the discrete part to " + Text(b.residual, 2) +
                 " of their size.",
             HasPressure(b.p)
                 ? "A pressure that follows an open surface has no potential: the part "
                   "may start to swing instead, which takes a dynamic analysis."
                 : "Ask for fewer modes, or use a finer mesh."});
  if (HasPressure(b.p))
    ev.Note(
        "Pressures stay normal to their faces as the part buckles; of their stiffness the "
        "symmetric part counts.");
  CheckCount(b.count, "/buckling_modes", "K + mu Kg", "load factors",
             "That no load factor was missed was not counted: the part has too many unknowns, a "
             "pressure follows its face, or the load factors lie too close together.",
             ev);
}

// What the reversed load does, where it buckles the part earlier than as it is given.
std::string Reversed(const Collapse& b) {
  if (!(b.reversed > b.kinematics.strain / kMostTheory)) return "";
  const double factor = 1 / b.reversed;
  if (!b.factor.empty() && factor >= b.factor[0]) return "";
  return " Reversed, the load buckles it at about " + Text(factor, 3) + " times its size.";
}

std::string Summary(const Collapse& b) {
  if (b.found == 0)
    return "The load does not buckle the part: there is no load factor below that at which its "
           "strains reach " +
           Text(100 * kMostTheory, 2) + " %." + Reversed(b);
  std::string text = "The part buckles at " + Text(b.factor[0]) + " times the load";
  const int told = std::min(b.found, 6);
  for (int i = 1; i < told; i++)
    text += (i == 1 ? "; further load factors " : ", ") + Text(b.factor[i]);
  if (b.found > told) text += " and " + std::to_string(b.found - told) + " more";
  return text + "." + Reversed(b);
}

}  // namespace

Answer SolveBuckling(Domain& domain, const Config& config) {
  if (config.Has("probes"))
    throw config.Refuse("probes", "is for static analyses")
        .Hint("The shapes of the modes are in the field file.");
  if (domain.Dimension() == 1)
    throw Error(codes::kInvalidInput, "a bar in one dimension cannot buckle")
        .At(config.Pointer("analysis"))
        .Hint("Use a mesh of two or three dimensions.");
  Elasticity p(domain, config);
  Collapse b(p);
  b.wanted = config.Integer("modes", kDefaultModes, 1, kMostModes);
  SolveStatic(p);
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space->Order());
  ev.Note(Provenance("stress recovery, Krylov spaces"));
  Find(b);
  ReportEquilibrium(p);
  p.answer.output["analysis"] = "buckling";
  p.answer.output["iterations"] = p.report.iterations + b.report.iterations;
  StateFactors(b);
  StateEnergy(p);
  if (b.found > 0) {
    CheckTheory(b);
    CheckFactors(b);
  }
  if (b.found < b.wanted)
    ev.Note("There are " + std::to_string(b.found) +
            " load factors below that at which strains reach " + Text(100 * kMostTheory, 2) +
            " %, up to where linear buckling has a meaning.");
  CheckMaterials(p);
  WriteShapes(p, b.shapes, b.found,
              {{"displacement", "m", p.dim, &p.u}, {"von_mises", "Pa", 1, &p.stress.von_mises}});
  p.answer.summary = Summary(b);
  return std::move(p.answer);
}

}  // namespace atelier
