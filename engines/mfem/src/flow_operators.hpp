// Operators of incompressible flow on Taylor-Hood elements (velocity of order
// 2, pressure of order 1), and the linearised saddle-point system.
#pragma once

#include "amg.hpp"
#include "assembly.hpp"
#include "krylov.hpp"
#include "regions.hpp"

namespace atelier {

// int q d_c v: rows are pressure nodes, columns velocity nodes, one value per axis.
struct Divergence {
  int dimension = 0;
  std::vector<size_t> ptr, transposed_ptr;
  std::vector<int> col, transposed_col;
  Values val, transposed_val;  // [entry * dimension + c]

  Divergence(const NodalSpace& velocity, const NodalSpace& pressure);
  void Multiply(const Values& u, Values& q) const;           // q = D u
  void TransposeMultiply(const Values& p, Values& v) const;  // v = D^T p
};

struct FlowSpaces {
  NodalSpace velocity, pressure;
  std::shared_ptr<const NodeGraph> velocity_graph, pressure_graph;
  explicit FlowSpaces(mfem::Mesh& mesh)
      : velocity(mesh, 2),
        pressure(mesh, 1),
        velocity_graph(MakeGraph(velocity)),
        pressure_graph(MakeGraph(pressure)) {}
};

// a += density int ((w.grad) u v + (div w) u v / 2): the second part makes the
// form skew-symmetric, so that it cannot feed energy into the flow (Temam).
void AddConvection(const NodalSpace& velocity, const Values& w, double density, BlockCsr& a);
// The same on the pressure space, without the second part, for the preconditioner.
void AddPressureConvection(const FlowSpaces& spaces, const Values& w, double density, BlockCsr& a);
// a -= density / 2 int min(w.n, 0) u v over an outlet: backflow carries no energy in.
void AddBackflow(const NodalSpace& velocity, const Region& outlet, const Values& w, double density,
                 BlockCsr& a);

// load -= int p v.n over a region's faces; p by velocity node, Pa.
void AddPressure(const NodalSpace& velocity, const Region& region, const Values& p, Values& load);

// int u.n over a region's faces, m^3/s (m^2/s in 2-D).
double FlowRate(const NodalSpace& velocity, const Region& region, const Values& u);
// Mean of a pressure field over a region.
double MeanPressure(const NodalSpace& pressure, const Region& region, const Values& p);

// The parts of a region that hang together, in the order of their nodes; of each, area and
// centroid stay those of the whole.
std::vector<Region> ConnectedParts(const NodalSpace& velocity, const Region& region);

// Velocity profile of fully developed flow through a region: the solution of
// -laplace(phi) = 1 on it with 0 on its rim, over its mean. By velocity node; 0 elsewhere.
Values DevelopedProfile(const NodalSpace& velocity, const Region& region,
                        const std::vector<int>& rim);

// One linearised step: [F -D^T; -D 0], F = mass_factor M + viscosity K + C(w).
// The pressure Schur complement is approximated as in pressure convection-
// diffusion (Elman, Silvester, Wathen, Finite Elements and Fast Iterative
// Solvers, 2014, ch. 9); at small time steps that is Cahouet and Chabard's.
class OseenSolver {
 public:
  OseenSolver(const FlowSpaces& spaces, const Constraints& nodes,
              const std::vector<Region>& outlets, double density, double viscosity);

  // Sets the convecting velocity and the factor of the mass matrix (density alpha / dt).
  void Prepare(double mass_factor, const Values& w);
  // Solves, directly where the iteration does not arrive, for u and p, which hold the first guess
  // (u with its boundary values). load: momentum right-hand side by velocity unknown.
  KrylovResult Solve(const Values& load, Values& u, Values& p, double relative_tolerance,
                     int max_iterations);

  const BlockCsr& Mass() const { return mass_; }  // int u v
  bool Enclosed() const { return outlets_.empty(); }
  // Momentum and continuity residuals at the last solution, relative.
  double Residual() const { return residual_; }

 private:
  // By sparse LU factors; false when the matrix is singular.
  bool SolveDirect(const Values& load, Values& u, Values& p) const;
  // Scales the rows of continuity to those of momentum; returns the residual to measure against.
  double SetScales(const Values& b, const Values& u);
  void Apply(const Values& x, Values& y) const;
  void Precondition(const Values& r, Values& z) const;
  void SolveVelocity(const Values& r, Values& z) const;
  void SolvePressure(const Values& r, Values& z) const;

  const FlowSpaces* spaces_;
  const Constraints* nodes_;
  std::vector<Region> outlets_;
  int dimension_;
  size_t velocity_unknowns_, pressure_unknowns_;
  double density_, viscosity_, mass_factor_ = 0, continuity_scale_ = 1, residual_ = 0;
  bool prefer_direct_ = false;  // the iteration has failed once
  Divergence divergence_;
  BlockCsr mass_, stiffness_, momentum_, clamped_, pressure_convection_, pressure_poisson_;
  Values pressure_mass_;  // lumped
  std::unique_ptr<Ilu0> ilu_;
  std::unique_ptr<Amg> pressure_amg_;
  Constraints pressure_fixed_;
};

}  // namespace atelier
