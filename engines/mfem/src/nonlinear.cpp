// Large deflections and plastic flow, by CalculiX.
#include <Eigen/Dense>
#include <cmath>

#include "calculix.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr double kMostResidual = 1e-3;  // of the forces
// An elastic solid's stress is taken as linear in Green's strain, which departs from other
// laws by about the strain itself.
constexpr double kMostElasticStrain = 0.05;
constexpr double kMostMomentLost = 0.01;
constexpr double kMostBeyond = 0.02;        // of the stress at which a material flows
constexpr double kMostPlasticStrain = 0.5;  // elements are badly distorted beyond
// Plastic flow is integrated with an error of first order: half the strain of an increment.
constexpr double kCoarsePlasticStrain = 0.002;  // beyond it, a second run with smaller increments
constexpr double kFiner = 4;                    // times as many
constexpr double kMostIncrementError = 0.01;

// Nodal forces of a region's pressure (Pa) on the surface as it has moved.
Values FollowedPressure(const Elasticity& p, const Region& region) {
  const NodalSpace& space = *p.space;
  const int dim = p.dim;
  const double pressure = Pressure(p, region);
  Values load(p.load.size(), 0.0);
  mfem::Vector shape;
  mfem::DenseMatrix dshape;
  for (int b : region.faces) {
    const std::vector<int> dofs = space.BoundaryDofs(b);
    const mfem::FiniteElement& fe = *space.Fes().GetBE(b);
    mfem::ElementTransformation& t = *space.Mesh().GetBdrElementTransformation(b);
    const int n = fe.GetDof();
    shape.SetSize(n), dshape.SetSize(n, dim - 1);
    // CalculiX's own rule, so that its forces and these are the same.
    const bool triangle = fe.GetGeomType() == mfem::Geometry::TRIANGLE;
    const mfem::IntegrationRule& rule =
        mfem::IntRules.Get(fe.GetGeomType(), triangle ? 2 * space.Order() - 2 : 5);
    for (int q = 0; q < rule.GetNPoints(); q++) {
      t.SetIntPoint(&rule.IntPoint(q));
      fe.CalcShape(rule.IntPoint(q), shape);
      fe.CalcDShape(rule.IntPoint(q), dshape);
      mfem::DenseMatrix jacobian(t.Jacobian());
      for (int a = 0; a < n; a++) {
        for (int c = 0; c < dim; c++) {
          for (int k = 0; k < dim - 1; k++)
            jacobian(c, k) += p.u[static_cast<size_t>(dofs[a]) * dim + c] * dshape(a, k);
        }
      }
      mfem::Vector normal(dim);
      mfem::CalcOrtho(jacobian, normal);
      for (int a = 0; a < n; a++) {
        for (int c = 0; c < dim; c++)
          load[static_cast<size_t>(dofs[a]) * dim + c] -=
              rule.IntPoint(q).weight * shape(a) * pressure * normal(c);
      }
    }
  }
  return load;
}

// The step that CalculiX takes: what keeps its direction, and what follows the surface.
CalculixStep MakeStep(Elasticity& p, const CalculixModel& model) {
  CalculixStep step;
  step.large = true;
  step.dead = p.load;
  for (const Region& r : p.regions) {
    if (IsFixed(r)) continue;
    Values& own = p.region_load[r.index];
    if (IsPressure(r)) {
      step.pressures.push_back(&r);
      for (size_t i = 0; i < own.size(); i++) step.dead[i] -= own[i];
    } else {
      model.Condense(own);
    }
  }
  model.Condense(step.dead);
  return step;
}

// Loads as they are at the end, and what the supports bear beside them.
void Balance(Elasticity& p, const CalculixModel& model, const CalculixStep& step,
             const CalculixResults& found) {
  p.load = step.dead;
  for (const Region* r : step.pressures) {
    Values& own = p.region_load[r->index];
    own = FollowedPressure(p, *r);
    model.Condense(own);
    for (size_t i = 0; i < own.size(); i++) p.load[i] += own[i];
  }
  Values rest = found.forces;
  Axpy(-1, p.load, rest);
  p.reactions = p.constraints->Held(rest);
  double left = 0, size = 0;
  for (size_t i = 0; i < p.load.size(); i++) {
    size += std::abs(found.forces[i]);
    left += std::abs(rest[i] - p.reactions[i]);
  }
  p.report.residual = size > 0 ? left / size : 0;
  p.report.converged = true;
}

// What the deck has no words for.
void RefuseUnknown(const Elasticity& p) {
  RefuseFarSliding(p);
  RefuseMovedSlants(p, "analysis", "nonlinear is not offered");
  for (const Region& r : p.regions) {
    if (IsElastic(r))
      throw r.config.Refuse("type", "is elastic, which the analysis nonlinear does not know")
          .Hint("Hold the face, or model what it rests on.");
    if (IsPressure(r) && r.config.Has("gradient"))
      throw r.config.Refuse("gradient",
                            "is for the analysis static: a pressure that follows the "
                            "surface is the same all over it");
  }
}

// The energy per volume that comes back on unloading, times 2: of Green's strain by the law that
// CalculiX has for elastic solids, else of the recovered stresses.
double ElasticDensity(const Elasticity& p, int e, const LocalShapes& s, int q, bool plastic) {
  const double lambda = p.materials.lame.lambda[e], mu = p.materials.lame.mu[e];
  Eigen::Matrix3d h = Eigen::Matrix3d::Zero(), t = h;
  for (int a = 0; a < s.dofs; a++) {
    const size_t node = s.dof[a];
    const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * p.dim];
    const double* x = &p.stress.tensor[node * kStressComponents];
    for (int i = 0; i < p.dim; i++) {
      for (int k = 0; k < p.dim; k++) h(i, k) += p.u[node * p.dim + i] * g[k];
    }
    Eigen::Matrix3d nodal;
    nodal << x[0], x[3], x[5], x[3], x[1], x[4], x[5], x[4], x[2];
    t += s.shape[static_cast<size_t>(q) * s.dofs + a] * nodal;
  }
  if (plastic) {
    const double share = p.materials.lame.plane_stress ? lambda / (2 * (lambda + mu))
                                                       : lambda / (3 * lambda + 2 * mu);
    return (t.squaredNorm() - share * t.trace() * t.trace()) / (2 * mu);
  }
  const Eigen::Matrix3d green = 0.5 * (h + h.transpose() + h.transpose() * h);
  return lambda * green.trace() * green.trace() + 2 * mu * green.squaredNorm();
}

// CalculiX's own sum over increments counts the elastic part nearly twice where deflections
// are large.
double ElasticEnergy(const Elasticity& p) {
  const bool plastic = IsPlastic(p);
  double sum = 0;
  ForEachElement(*p.space, ElementKernel(*p.space, 2 * GradientDegree(*p.space)),
                 [&](int e, const LocalShapes& s) {
                   for (int q = 0; q < s.points; q++)
                     sum += 0.5 * s.measure[q] * ElasticDensity(p, e, s, q, plastic);
                 });
  return sum;
}

void RefuseUnused(const Config& config) {
  if (config.Has("analysis_opts"))
    throw config.Refuse("analysis_opts", "is for the linear solver of other analyses");
  if (config.Has("modes"))
    throw config.Refuse("modes", "is for the analyses modal and buckling").Hint("Leave it out.");
  if (config.Has("temperature"))
    throw config.Refuse("temperature", "is for the analyses static and buckling")
        .Hint("Leave it out, or set analysis to static.");
}

// Figures of CalculiX have no error bar but by a second mesh.
void StateFigures(Elasticity& p) {
  Quantity energy = {"strain energy", "/energy", p.energy, "J",
                     IsPlastic(p) ? "elastic, of recovered stresses; plastic flow has taken more"
                                  : "elastic, of Green's strain"};
  energy.quoted = true;
  p.answer.evidence.State(energy);
  const Values& plastic = p.nonlinear->plastic_strain;
  if (plastic.empty()) return;
  const auto at = std::max_element(plastic.begin(), plastic.end());
  const std::vector<double> where = p.space->Point(static_cast<int>(at - plastic.begin()));
  p.answer.output["plastic_strain"] = {{"max", *at}, {"at", where}};
  p.answer.evidence.State({"plastic strain, largest", "/plastic_strain/max", *at, "1",
                           "equivalent; mean of the adjoining elements", where});
}

// Runs CalculiX; where much has flowed, a second time with smaller increments, whose results
// are kept, and the error that is left follows from the first order of the integration.
CalculixResults Integrate(Elasticity& p, const CalculixModel& model, CalculixStep step) {
  CalculixResults coarse = RunCalculix(p, model, step);
  const double flowed = Largest(coarse.plastic_strain);
  if (flowed <= kCoarsePlasticStrain) return coarse;
  step.most /= kFiner;
  EmitProgress(0.3, "CalculiX again, with smaller increments of plastic flow");
  CalculixResults fine = RunCalculix(p, model, step);
  // Where the first run had to cut its increments, the second has hardly more.
  const double more = std::max(1.5, static_cast<double>(fine.increments) / coarse.increments);
  p.nonlinear->increment_error =
      std::max(LargestDifference(fine.u, coarse.u) / Largest(fine.u),
               LargestDifference(fine.plastic_strain, coarse.plastic_strain) / flowed) /
      (more - 1);
  return fine;
}

void CheckIncrements(Elasticity& p) {
  if (!p.nonlinear->increment_error) return;
  const double error = *p.nonlinear->increment_error;
  p.answer.evidence.Within(
      {"increments", "model", "", error, kMostIncrementError, "1",
       "Plastic flow was followed twice, with increments of the load of up to " +
           Text(kMostIncrement) + " and " + Text(kMostIncrement / kFiner) +
           ": the second pass, which is quoted, is off by about " + Text(100 * error, 2) +
           " % of the largest displacement or plastic strain for the size of its increments" +
           (error <= kMostIncrementError
                ? "."
                : ". Most of the flow happens near the full load: prescribe a displacement in "
                  "place of the force, under which it is spread over the increments.")});
}

// The stress at which the material flows at each node's plastic strain, Pa; of several that of
// the strongest, infinite where one does not flow.
Values FlowStress(const Elasticity& p) {
  std::vector<std::optional<Curve>> curves(p.config.List("materials").size());
  Values out(p.space->Nodes(), 0.0);
  std::vector<char> read(curves.size(), 0);
  for (int e = 0; e < p.space->Elements(); e++) {
    const int m = p.materials.material[e];
    if (!read[m])
      curves[m] = ReadFlowStress(p.config.List("materials")[m], p.materials.lame.Young(e));
    read[m] = 1;
    for (int a = 0; a < p.space->Count(e); a++) {
      const int n = p.space->Dofs(e)[a];
      const double flow =
          curves[m] ? curves[m]->At(std::max(0.0, p.nonlinear->plastic_strain[n])) : INFINITY;
      out[n] = std::max(out[n], flow);
    }
  }
  return out;
}

// A material bears no more than the stress at which it flows. Stresses that are carried from
// inside the elements to their nodes can pass it, on finer meshes as well: those go back to the
// yield surface along the radius, as in the return of an integration point.
void HoldToYieldSurface(Elasticity& p) {
  if (p.nonlinear->plastic_strain.empty()) return;
  const Values flow = FlowStress(p);
  double& most = p.nonlinear->beyond_yield;
  for (size_t n = 0; n < flow.size(); n++) {
    double& mises = p.stress.von_mises[n];
    if (mises <= flow[n]) continue;
    most = std::max(most, mises / flow[n] - 1);
    double* t = &p.stress.tensor[n * kStressComponents];
    const double share = flow[n] / mises, mean = (t[0] + t[1] + t[2]) / 3;
    for (int c = 0; c < kStressComponents; c++)
      t[c] = c < 3 ? mean + share * (t[c] - mean) : share * t[c];
    mises = flow[n];
  }
}

void CheckYieldSurface(Elasticity& p) {
  if (p.nonlinear->plastic_strain.empty()) return;
  const double beyond = p.nonlinear->beyond_yield;
  p.answer.evidence.Within(
      {"yield_surface", "model", "/von_mises", beyond, kMostBeyond, "1",
       "Carried from inside the elements to their nodes, the stress passes that at which the "
       "material flows by up to " +
           Text(100 * beyond, 2) + " %, and is taken back to it" +
           (beyond <= kMostBeyond ? "." : ": refine the mesh where it flows.")});
}

// Forces that make up a moment keep their direction, so that it fades as the face turns.
void CheckMoments(Elasticity& p) {
  const std::vector<double> origin(p.dim, 0.0);
  for (const Region& r : p.regions) {
    if (r.type != "moment") continue;
    const Values& load = p.region_load[r.index];
    const auto asked = Resultants(*p.space, load, origin, nullptr).moment;
    auto lost = Resultants(*p.space, load, origin, &p.u).moment;
    for (int k = 0; k < 3; k++) lost[k] -= asked[k];
    const double size = Norm2(asked), share = size > 0 ? Norm2(lost) / size : 0;
    p.answer.evidence.Within(
        {"moment_kept", "model", "", share, kMostMomentLost, "1",
         "The moment bcs/" + std::to_string(r.index) + " is made of forces that keep their " +
             "direction: on the deflected part it differs by " + Text(100 * share, 2) +
             " % from the one asked for" +
             (share <= kMostMomentLost
                  ? "."
                  : ", so that this is the answer to another load. Give a remote_force at the end "
                    "of an arm, or a part that turns less.")});
  }
}

}  // namespace

void ReportNonlinear(Elasticity& p) {
  if (!p.nonlinear->contacts.empty() && p.energy == 0) StateUnloaded(p);
  StateFigures(p);
  ReportContacts(p);
  CheckMaterials(p);
  CheckMoments(p);
  CheckYieldSurface(p);
  CheckIncrements(p);
  Evidence& ev = p.answer.evidence;
  const Nonlinear& n = *p.nonlinear;
  ev.Within({"equilibrium", "residual", "", p.report.residual, kMostResidual, "1",
             "The internal forces that CalculiX found differ from the loads by " +
                 Text(p.report.residual, 2) + " of their size at the nodes that are free."});
  const bool yields = Largest(n.plastic_strain) > 0;
  const double most = yields ? kMostPlasticStrain : kMostElasticStrain;
  ev.Within(
      {yields ? "plastic_strain_moderate" : "small_strain", "model", "", n.strain, most, "1",
       "The strains reach " + Text(100 * n.strain, 2) + " %" +
           (n.strain <= most ? "."
            : yields ? ", at which elements are distorted and most metals have torn: refine the "
                       "mesh there, or lower the load."
                     : ", where a solid's stress is no longer linear in the strain: check loads "
                       "and units. The law of a rubber-like material is not offered.")});
  ev.Note(
      "Mesh and elements: MFEM; loads, supports and recovery of stresses: Atelier; equations, "
      "material laws and increments: CalculiX, a program of its own.");
  ev.Note(
      "Large rotations and deflections are part of the analysis; pressures follow the surface as "
      "it moves, other loads keep their direction. Stresses are true ones, and places those of "
      "the part before it moves. The law of an elastic solid is that of St. Venant and Kirchhoff "
      "(linear in Green's strain), which parts from others by about the strain.");
  ev.Note(
      "Whether the equilibrium is stable was not examined: a perfect part may stay on a path from "
      "which a real one buckles. A small load or shape across that path shows it.");
}

Answer SolveNonlinear(Domain& domain, const Config& config) {
  RefuseUnused(config);
  Elasticity p(domain, config);
  p.nonlinear = std::make_unique<Nonlinear>();
  SetUp(p);
  RefuseUnknown(p);
  const Probes probes(domain, config);
  const StressLines lines(domain, config);
  const CalculixModel model(p);
  const CalculixStep step = MakeStep(p, model);
  EmitProgress(0.2, "CalculiX: " + std::to_string(p.load.size()) + " unknowns");
  CalculixResults found = Integrate(p, model, step);
  p.u = std::move(found.u);
  p.stress = std::move(found.stress);
  p.report.iterations = found.increments;
  p.nonlinear->plastic_strain = std::move(found.plastic_strain);
  HoldToYieldSurface(p);
  p.energy = ElasticEnergy(p);
  p.nonlinear->strain = found.strain;
  p.nonlinear->states = std::move(found.contacts);
  Balance(p, model, step, found);
  ReportElasticity(p, probes, lines);
  p.answer.output["analysis"] = "nonlinear";
  if (!domain.refined)
    p.answer.artifacts.push_back({{"name", kCalculixDeck}, {"mime_type", "text/plain"}});
  return std::move(p.answer);
}

}  // namespace atelier
