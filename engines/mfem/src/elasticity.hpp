// The state of an elasticity problem, shared by its solution and its report.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "bolts.hpp"
#include "contact_pairs.hpp"
#include "initial_strain.hpp"
#include "material.hpp"
#include "probes.hpp"
#include "rigid_body.hpp"
#include "solver_class.hpp"
#include "spd_solver.hpp"
#include "stress.hpp"
#include "stress_lines.hpp"
#include "supports.hpp"
#include "vtu_writer.hpp"

namespace atelier {

// What a nonlinear analysis knows beside what a static one does.
struct Nonlinear {
  Values plastic_strain;    // equivalent, by node; empty where nothing yields
  double strain = 0;        // the largest
  double beyond_yield = 0;  // by how much stresses at nodes passed the yield surface, relative
  // Of displacement and plastic strain, over their largest: what the size of the increments
  // leaves, by another run with smaller ones.
  std::optional<double> increment_error;
  std::vector<ContactPair> contacts;
  std::vector<ContactState> states;  // of the contacts
};

// What a heat problem on the same mesh gave, whose temperatures strain the part.
struct Heated {
  InitialStrain strain_change;  // by steps in time twice as long; none where that is not known
  bool transient = false;
  std::vector<Region> regions;  // of its conditions
  Answer answer;                // of the heat problem
};

// The fields of one of several states that are written to one file: each name ends as it does.
struct KeptFields {
  struct Field {
    std::string name, unit;
    int components;  // 0 for one by element
    Values values;
  };
  std::string ending;
  std::vector<Field> fields;
};

struct Elasticity {
  Domain& domain;
  const Config& config;
  int dim;
  ElasticMaterials materials;
  InitialStrain initial;           // of the temperature, and of bolts once they are tightened
  Values temperature;              // by node, K; empty where it is none or that of bodies
  std::unique_ptr<Heated> heated;  // of temperature.heat, else null
  std::vector<Bolt> bolts;
  std::unique_ptr<Tightened> tightened;  // of bolts, else null
  std::vector<Region> regions;
  std::unique_ptr<NodalSpace> space;
  std::unique_ptr<Constraints> constraints;
  Supports supports;  // along directions that are no axes
  std::unique_ptr<SpdProblem> problem;
  SolveOptions options;
  std::vector<std::set<int>> region_nodes;  // of fixed regions, else empty
  std::vector<Values> region_load;          // of load regions, else empty
  Values load, u, reactions;
  // Sum of the sizes of the loads before they were added, N: what their rounding is relative to.
  double given = 0;
  double mechanical = 0;  // the part of it that is no temperature's
  SolveReport report;
  double energy = 0;  // of the elastic strains
  double work = 0;    // half that of loads and reactions, those of initial strains among them
  StressField stress;
  std::unique_ptr<Nonlinear> nonlinear;  // of that analysis, else null
  KeptFields* kept = nullptr;            // of one of several states: where its fields go
  Answer answer;

  Elasticity(Domain& d, const Config& c) : domain(d), config(c), dim(d.Dimension()) {}
};

inline bool IsFixed(const Region& r) { return r.type == "fixed"; }
// An elastic foundation: springs over the face.
inline bool IsElastic(const Region& r) { return r.type == "elastic"; }
inline bool IsPressure(const Region& r) { return r.type == "pressure" || r.config.Has("pressure"); }
// Of such a region, Pa: the mean over a flat face where it varies.
double Pressure(const Elasticity& p, const Region& r);
// The nodal forces of a load.
Values SurfaceLoad(const Elasticity& p, const Region& r);
// Those of the rotation that acts on the part, N.
Values CentrifugalLoad(const Elasticity& p, const Config& action);
// Where and along what the elastic supports hold the part.
std::vector<Spring> Springs(const Elasticity& p);
// Adds the stiffness of the elastic supports.
void AddElasticSupports(const Elasticity& p, const NodalSpace& space, BlockCsr& a);
// What such a support does to the part when it is displaced by u, N.
Values ElasticForces(const Elasticity& p, const Region& r, const Values& u);

// The length of the vector of every node.
Values LengthsByNode(const Values& u, int dim);

// Reads temperature {value | heat, reference, gradient?, at?} with the materials' alpha, and
// solves the heat problem: the initial strain is alpha (T - reference), in all directions.
void ReadTemperature(Elasticity& p);
// Tells what the heat problem gave, and what stands behind it.
void ReportHeated(Elasticity& p);
// The parts of the error bars that the time step of the heat problem makes: the figures of the
// part under the change of temperature by steps twice as long.
void StateTimeErrors(Elasticity& p, const Probes& probes);

// Reads materials, conditions and supports.
void Prepare(Elasticity& p);
// The same, and the loads of a part that must be held.
void SetUp(Elasticity& p);

// Assembles the matrix, after SetUp.
void AssembleProblem(Elasticity& p);
// Solves for displacements, reactions and stresses, after SetUp; on the matrix of p.problem where
// there is one, with p.u as the first guess.
void SolveLoaded(Elasticity& p);
// Both.
void SolveStatic(Elasticity& p);

// Natural frequencies and the shapes in which the part vibrates.
Answer SolveModal(Domain& domain, const Config& config);
// Steady vibrations under loads that vary as sin(2 pi f t).
Answer SolveHarmonic(Domain& domain, const Config& config);
// Vibrations under loads whose size is a given function of time.
Answer SolveTransient(Domain& domain, const Config& config);
// Load factors at which the part buckles, and the shapes into which it does.
Answer SolveBuckling(Domain& domain, const Config& config);

// Square of the estimated error of a shape in the energy norm, which is the error of its
// eigenvalue where the shape has phi^T K phi = lambda (Strang and Fix, An Analysis of the
// Finite Element Method, ch. 6).
std::optional<double> SquaredShapeError(const Elasticity& p, const Values& shape);
// What p.stress misses of a linear functional of the displacements that has the dual solution z.
double StressErrorBar(const Elasticity& p, const Values& z);
// The same of phi^T Kg phi, the work of the stresses on a shape, with the problem of the statics
// that they are of; none where its dual solution is not found.
std::optional<double> StressWorkError(const Elasticity& p, const SpdProblem& statics,
                                      const Values& shape);
// Writes the first shapes as fields mode_N, their largest displacement made 1, behind others.
void WriteShapes(Elasticity& p, std::vector<Values>& shapes, int count,
                 std::vector<PointField> fields = {});

// Large deflections, plastic flow, by CalculiX.
Answer SolveNonlinear(Domain& domain, const Config& config);
// The part of its report that is its own: figures, and whether its model holds.
void ReportNonlinear(Elasticity& p);

// States that nothing loads the part.
void StateUnloaded(Elasticity& p);

// The components that a fixed region holds.
std::vector<int> FixedComponents(const Region& r, int dim);

// Zienkiewicz-Zhu by averaging finds less than the true error; these factors, by order, bring
// its mean onto it (measured on manufactured solutions and a clamped beam: effectivity 0.83 to
// 0.90 on order 1, 0.48 to 0.68 on order 2).
constexpr double kEstimatorFactor[] = {0, 1.2, 1.75};

constexpr double kMostRotation = 0.17;  // rad, 10 degrees: sin and tangent part by 3 %
// The strain that the part may bear elastically.
double MostStrain(const Elasticity& p);

// Error bars of displacements by dual solutions on the matrix of p.problem, of which there are few.
class ErrorBars {
 public:
  explicit ErrorBars(Elasticity& p);

  // Of the displacement of the nodes in a direction, weighted: what p.stress misses of it.
  // figure: the pointer that it is stated under.
  std::optional<double> Of(const std::string& figure,
                           const std::vector<std::pair<int, double>>& nodes,
                           const std::vector<double>& direction);
  // Of a reaction, by the displacements of the supports that it does work with.
  std::optional<double> OfReaction(const std::string& figure, const Values& held);

 private:
  bool Takes(const std::string& figure);  // one of the solutions that are left
  double From(const Values& z, const std::string& figure);

  Elasticity& p_;
  int left_;
};

// States materials that are no solid's, or that nobody gave.
void CheckMaterials(Elasticity& p);

// States whether rotations and strains are small, the part need not stretch, and its stresses
// leave its deflections as they are.
void CheckModel(Elasticity& p);
// Doubts springs that hold a motion by the facets of a round face alone.
void CheckFacetedSupports(Elasticity& p);

// The largest von Mises stress of p.stress: its figures, and whether it has a bound at all.
Json ReportPeakStress(Elasticity& p);

struct Kinematics;
// More says no more than that nothing is loaded.
constexpr double kMostSafety = 1e6;
// The safety factor against yield by node, of the weakest of the adjoining materials: infinite
// where none has a yield strength, empty where no material has one.
Values SafetyByNode(const Elasticity& p);
// States the least of them, and whether the part stays elastic. bounded: whether the stress
// peak has a bound.
void ReportSafety(Elasticity& p, const Values& safety, bool bounded);

struct StabilityOperators;
struct Buckling;
class Geometric;
// K^-1, K and what the loads follow; what the solves cost is added to the report.
StabilityOperators MakeStabilityOperators(const Elasticity& p, const SolveOptions& options,
                                          SolveReport& report);
// How near the solved part is to buckling, by about so many solves to a tolerance.
Buckling MeasureBuckling(const Elasticity& p, const Geometric& stiffness, double tolerance,
                         int solves);
// States whether the stresses change the deflections, and how far buckling is.
void CheckStability(Elasticity& p, const Kinematics& k);

// The figures of a solved problem that every analysis with loads has, and their checks:
// energy, loads and reactions, residual and balance.
void ReportEquilibrium(Elasticity& p);
// Fills the answer of a solved problem: figures, fields, checks and the summary.
void ReportElasticity(Elasticity& p, const Probes& probes, const StressLines& lines);

}  // namespace atelier
