#include <cmath>

#include "flow_operators.hpp"

namespace atelier {
namespace {

constexpr int kRestart = 80;
constexpr double kInnerTolerance = 0.03;  // of the velocity solves in the preconditioner
constexpr int kInnerIterations = 40;
constexpr size_t kDirectUnknowns = 120000;  // above, LU factors would take too much memory

}  // namespace

OseenSolver::OseenSolver(const FlowSpaces& spaces, const Constraints& nodes,
                         const std::vector<Region>& outlets, double density, double viscosity)
    : spaces_(&spaces),
      nodes_(&nodes),
      outlets_(outlets),
      dimension_(spaces.velocity.Dimension()),
      velocity_unknowns_(static_cast<size_t>(spaces.velocity.Nodes()) * dimension_),
      pressure_unknowns_(spaces.pressure.Nodes()),
      density_(density),
      viscosity_(viscosity),
      divergence_(spaces.velocity, spaces.pressure),
      mass_(spaces.velocity_graph, 1),
      stiffness_(spaces.velocity_graph, 1) {
  const Values one(spaces.velocity.Elements(), 1.0);
  AddDiffusionMass(spaces.velocity, {}, one, mass_);
  AddDiffusionMass(spaces.velocity, one, {}, stiffness_);
  BlockCsr pressure_mass(spaces.pressure_graph, 1);
  AddDiffusionMass(spaces.pressure, {}, one, pressure_mass);
  pressure_mass.Multiply(Values(pressure_unknowns_, 1.0), pressure_mass_);
  // Pressure is known at outlets; elsewhere its normal derivative is taken as 0.
  pressure_fixed_ = Constraints(pressure_unknowns_);
  for (const Region& outlet : outlets_) {
    for (int f : outlet.faces) {
      for (int node : spaces.pressure.BoundaryDofs(f)) pressure_fixed_.Set(node, 0);
    }
  }
  pressure_poisson_ = BlockCsr(spaces.pressure_graph, 1);
  double volume = 0;
  for (double m : pressure_mass_) volume += m;
  // An enclosed flow knows its pressure up to a constant: a little mass makes the operator regular.
  const double shift = outlets_.empty() ? 0.01 / std::pow(volume, 2.0 / dimension_) : 0;
  AddDiffusionMass(spaces.pressure, one, Values(spaces.pressure.Elements(), shift),
                   pressure_poisson_);
  Clamp(pressure_poisson_, pressure_fixed_);
  pressure_amg_ = MakeAmg(pressure_poisson_, spaces.pressure.Coordinates(), 1);
}

void OseenSolver::Prepare(double mass_factor, const Values& w) {
  mass_factor_ = mass_factor;
  momentum_ = BlockCsr(spaces_->velocity_graph, 1);
  for (size_t i = 0; i < momentum_.val.size(); i++)
    momentum_.val[i] = mass_factor * mass_.val[i] + viscosity_ * stiffness_.val[i];
  AddConvection(spaces_->velocity, w, density_, momentum_);
  // Only backflow within an outflow: where a region lets fluid in as a whole, its pressure is
  // prescribed.
  for (const Region& outlet : outlets_) {
    if (FlowRate(spaces_->velocity, outlet, w) >= 0)
      AddBackflow(spaces_->velocity, outlet, w, density_, momentum_);
  }
  clamped_ = momentum_;
  Clamp(clamped_, *nodes_);
  ilu_ = std::make_unique<Ilu0>(clamped_);
  pressure_convection_ = BlockCsr(spaces_->pressure_graph, 1);
  AddPressureConvection(*spaces_, w, density_, pressure_convection_);
}

void OseenSolver::Apply(const Values& x, Values& y) const {
  const Values u(x.begin(), x.begin() + static_cast<long>(velocity_unknowns_));
  const Values p(x.begin() + static_cast<long>(velocity_unknowns_), x.end());
  y.resize(x.size());
  Values gradient, q;
  divergence_.TransposeMultiply(p, gradient);
  divergence_.Multiply(u, q);
  const NodeGraph& g = *momentum_.graph;
  const int d = dimension_;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g.Nodes(); i++) {
    double sum[3] = {};
    if (!nodes_->fixed[i]) {
      for (size_t k = g.ptr[i]; k < g.ptr[i + 1]; k++) {
        for (int c = 0; c < d; c++)
          sum[c] += momentum_.val[k] * u[static_cast<size_t>(g.col[k]) * d + c];
      }
      for (int c = 0; c < d; c++) sum[c] -= gradient[static_cast<size_t>(i) * d + c];
    }
    for (int c = 0; c < d; c++) y[static_cast<size_t>(i) * d + c] = sum[c];
  }
  for (size_t i = 0; i < pressure_unknowns_; i++)
    y[velocity_unknowns_ + i] = -continuity_scale_ * q[i];
}

void OseenSolver::SolveVelocity(const Values& r, Values& z) const {
  const int nodes = spaces_->velocity.Nodes();
  Values b(nodes), x(nodes);
  z.assign(velocity_unknowns_, 0.0);
  for (int c = 0; c < dimension_; c++) {
    for (int i = 0; i < nodes; i++)
      b[i] = nodes_->fixed[i] ? 0 : r[static_cast<size_t>(i) * dimension_ + c];
    BiCgStab([&](const Values& v, Values& y) { clamped_.Multiply(v, y); },
             [&](const Values& v, Values& y) { ilu_->Solve(v, y); }, b, x, kInnerTolerance,
             kInnerIterations);
    for (int i = 0; i < nodes; i++)
      z[static_cast<size_t>(i) * dimension_ + c] = nodes_->fixed[i] ? 0 : x[i];
  }
}

// -S^-1 r with S^-1 ~ (mass_factor + Mp^-1 Cp) Lp^-1 + viscosity Mp^-1.
void OseenSolver::SolvePressure(const Values& r, Values& z) const {
  const size_t n = pressure_unknowns_;
  std::vector<float> in(n), out(n);
  double largest = 0, diagonal = 0;
  for (size_t i = 0; i < n; i++) {
    largest = std::max(largest, std::abs(r[i]));
    diagonal = std::max(diagonal, pressure_poisson_.Diagonal(static_cast<int>(i), 0));
  }
  z.assign(n, 0.0);
  if (largest == 0) return;
  for (size_t i = 0; i < n; i++)
    in[i] = pressure_fixed_.fixed[i] ? 0.f : static_cast<float>(r[i] / largest);
  pressure_amg_->Apply(in, out);
  Values potential(n), convected;
  // The multigrid works on the matrix over its largest diagonal.
  for (size_t i = 0; i < n; i++)
    potential[i] = pressure_fixed_.fixed[i] ? 0 : out[i] * largest / diagonal;
  pressure_convection_.Multiply(potential, convected);
  for (size_t i = 0; i < n; i++) {
    z[i] = -(mass_factor_ * potential[i] + (convected[i] + viscosity_ * r[i]) / pressure_mass_[i]);
  }
}

void OseenSolver::Precondition(const Values& r, Values& z) const {
  Values rp(r.begin() + static_cast<long>(velocity_unknowns_), r.end()), zp, gradient, zu;
  // The rows of continuity are -D u, scaled.
  for (double& v : rp) v /= continuity_scale_;
  SolvePressure(rp, zp);
  if (Enclosed()) {
    double mean = 0, volume = 0;
    for (size_t i = 0; i < zp.size(); i++) {
      mean += pressure_mass_[i] * zp[i];
      volume += pressure_mass_[i];
    }
    for (double& v : zp) v -= mean / volume;
  }
  divergence_.TransposeMultiply(zp, gradient);
  for (size_t i = 0; i < velocity_unknowns_; i++) gradient[i] += r[i];
  SolveVelocity(gradient, zu);
  std::copy(zu.begin(), zu.end(), z.begin());
  std::copy(zp.begin(), zp.end(), z.begin() + static_cast<long>(velocity_unknowns_));
}

double OseenSolver::SetScales(const Values& b, const Values& u) {
  // The residual of the flow that has only its boundary values.
  Values x(velocity_unknowns_ + pressure_unknowns_, 0.0), y;
  for (size_t i = 0; i < velocity_unknowns_; i++) {
    if (nodes_->fixed[i / dimension_]) x[i] = u[i];
  }
  continuity_scale_ = 1;
  Apply(x, y);
  double momentum = 0, continuity = 0;
  for (size_t i = 0; i < velocity_unknowns_; i++) momentum += (b[i] - y[i]) * (b[i] - y[i]);
  // What a velocity of the flow's own size would do to the rows of continuity.
  const double diagonal =
      mass_.Diagonal(0, 0) * mass_factor_ + stiffness_.Diagonal(0, 0) * viscosity_;
  double velocity = std::sqrt(momentum / static_cast<double>(velocity_unknowns_)) / diagonal;
  for (double v : x) velocity = std::max(velocity, std::abs(v));
  for (size_t i = 0; i < pressure_unknowns_; i++) {
    double row = 0;
    for (size_t k = divergence_.ptr[i] * dimension_; k < divergence_.ptr[i + 1] * dimension_; k++) {
      row += std::abs(divergence_.val[k]);
    }
    continuity += row * row * velocity * velocity;
  }
  if (momentum > 0 && continuity > 0) continuity_scale_ = std::sqrt(momentum / continuity);
  return std::sqrt(momentum > 0 ? momentum : 1);
}

KrylovResult OseenSolver::Solve(const Values& load, Values& u, Values& p, double relative_tolerance,
                                int max_iterations) {
  const size_t n = velocity_unknowns_ + pressure_unknowns_;
  Values x(n), b(n, 0.0), y;
  for (size_t i = 0; i < velocity_unknowns_; i++) {
    b[i] = nodes_->fixed[i / dimension_] ? 0 : load[i];
  }
  const double reference = SetScales(b, u);
  const auto pressures = x.begin() + static_cast<long>(velocity_unknowns_);
  std::copy(u.begin(), u.end(), x.begin());
  std::copy(p.begin(), p.end(), pressures);
  KrylovResult result;
  if (!prefer_direct_) {
    result = Fgmres([this](const Values& v, Values& w) { Apply(v, w); },
                    [this](const Values& v, Values& w) { Precondition(v, w); }, b, x,
                    relative_tolerance * reference, max_iterations, kRestart);
  }
  if (!result.converged && n <= kDirectUnknowns && SolveDirect(load, u, p)) {
    prefer_direct_ = true;
    std::copy(u.begin(), u.end(), x.begin());
    std::copy(p.begin(), p.end(), pressures);
    Apply(x, y);
    for (size_t i = 0; i < n; i++) y[i] = b[i] - y[i];
    result.residual = Norm2(y);
    result.converged = result.residual <= relative_tolerance * reference;
  }
  residual_ = result.residual / reference;
  std::copy(x.begin(), pressures, u.begin());
  std::copy(pressures, x.end(), p.begin());
  return result;
}

}  // namespace atelier
