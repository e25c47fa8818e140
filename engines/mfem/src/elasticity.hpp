// The state of an elasticity problem, shared by its solution and its report.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "material.hpp"
#include "probes.hpp"
#include "solver_class.hpp"
#include "spd_solver.hpp"
#include "stress.hpp"

namespace atelier {

// What a nonlinear analysis knows beside what a static one does.
struct Nonlinear {
  Values plastic_strain;  // equivalent, by node; empty where nothing yields
  double strain = 0;      // the largest
};

struct Elasticity {
  Domain& domain;
  const Config& config;
  int dim;
  bool plane_stress = false;
  ElasticMaterials materials;
  std::vector<Region> regions;
  std::unique_ptr<NodalSpace> space;
  std::unique_ptr<Constraints> constraints;
  std::unique_ptr<SpdProblem> problem;
  SolveOptions options;
  std::vector<std::set<int>> region_nodes;  // of fixed regions, else empty
  std::vector<Values> region_load;          // of load regions, else empty
  Values load, u, reactions;
  // Sum of the sizes of the loads before they were added, N: what their rounding is relative to.
  double given = 0;
  SolveReport report;
  double energy = 0;
  StressField stress;
  std::unique_ptr<Nonlinear> nonlinear;  // of that analysis, else null
  Answer answer;

  Elasticity(Domain& d, const Config& c) : domain(d), config(c), dim(d.Dimension()) {}
};

inline bool IsFixed(const Region& r) { return r.type == "fixed"; }
inline bool IsPressure(const Region& r) { return r.type == "pressure" || r.config.Has("pressure"); }
// Of such a region, Pa.
inline double Pressure(const Region& r) {
  return r.config.Number(r.config.Has("pressure") ? "pressure" : "value");
}
// Reads materials, conditions and supports.
void Prepare(Elasticity& p);
// The same, and the loads of a part that must be held.
void SetUp(Elasticity& p);

// Natural frequencies and the shapes in which the part vibrates.
Answer SolveModal(Domain& domain, const Config& config);

// Large deflections, plastic flow, by CalculiX.
Answer SolveNonlinear(Domain& domain, const Config& config);
// The part of its report that is its own: figures, and whether its model holds.
void ReportNonlinear(Elasticity& p);

// The components that a fixed region holds.
std::vector<int> FixedComponents(const Region& r, int dim);

// Zienkiewicz-Zhu by averaging finds less than the true error; these factors, by order, bring
// its mean onto it (measured on manufactured solutions and a clamped beam: effectivity 0.83 to
// 0.90 on order 1, 0.48 to 0.68 on order 2).
constexpr double kEstimatorFactor[] = {0, 1.2, 1.75};

// States materials that are no solid's, or that nobody gave.
void CheckMaterials(Elasticity& p);

struct Kinematics;
// States whether the stresses change the deflections, and how far buckling is.
void CheckStability(Elasticity& p, const Kinematics& k);

// Fills the answer of a solved problem: figures, fields, checks and the summary.
void ReportElasticity(Elasticity& p, const Probes& probes);

}  // namespace atelier
