#include "spd_solver.hpp"

#include <cmath>
#include <limits>

#include "difficulty.hpp"
#include "direct_solver.hpp"
#include "evidence.hpp"
#include "krylov.hpp"
#include "p_multigrid.hpp"

namespace atelier {
namespace {

// Multigrid alone. The residual is scaled so that floats neither vanish nor overflow.
class AmgPreconditioner : public Preconditioner {
 public:
  AmgPreconditioner(std::unique_ptr<Amg> amg, size_t n) : amg_(std::move(amg)), r_(n), z_(n) {}

  void Apply(const Values& r, Values& z) override {
    double largest = Largest(r);
    if (largest == 0) largest = 1;
    for (size_t i = 0; i < r.size(); i++) r_[i] = static_cast<float>(r[i] / largest);
    amg_->Apply(r_, z_);
    for (size_t i = 0; i < r.size(); i++) z[i] = static_cast<double>(z_[i]) * largest;
  }

 private:
  std::unique_ptr<Amg> amg_;
  std::vector<float> r_, z_;
};

}  // namespace

SolveOptions ReadSolveOptions(const Config& config) {
  const Config opts = config.Object("analysis_opts");
  SolveOptions o;
  o.pointer = opts.Pointer();
  o.limited = opts.Has("max_iter");
  o.max_iterations = opts.Integer("max_iter", o.max_iterations, 1, 1000000);
  o.relative_tolerance = opts.Positive("rel_tol", o.relative_tolerance);
  if (o.relative_tolerance >= 1) throw opts.Refuse("rel_tol", "must be less than 1");
  return o;
}

SolveOptions OfErrorBars(SolveOptions options) {
  constexpr double kTolerance = 1e-4;
  options.relative_tolerance = std::max(kTolerance, options.relative_tolerance);
  options.by_energy = true;
  return options;
}

void RequireConverged(const SolveReport& report, const SolveOptions& options, mfem::Mesh& mesh,
                      const Lame* lame) {
  if (report.converged) return;
  const bool cut = options.limited && report.iterations >= options.max_iterations;
  std::string hint =
      "Leave analysis_opts.max_iter out: a system that converges slowly is then "
      "factorised, if there is the memory.";
  if (!cut) {
    hint = SlowReasons(mesh, lame);
    if (!report.reason.empty())
      hint += " It could not be factorised: " + report.reason +
              ". A coarser mesh, order 1 or a larger memory_mb lets it.";
  }
  throw Error(codes::kNotConverged,
              "the linear solver stopped after " + std::to_string(report.iterations) +
                  " iterations at a relative residual of " + Text(report.residual) +
                  "; asked was " + Text(options.relative_tolerance))
      .At(options.pointer)
      .Hint(hint)
      .With("iterations", report.iterations)
      .With("residual", report.residual);
}

Json DescribeSolver(const SolveReport& r) {
  Json out = {{"method", r.direct ? "direct" : "multigrid"},
              {"reason", r.reason},
              {"iterations", r.iterations}};
  if (r.direct) out["factor_entries"] = r.factor_entries;
  return out;
}

void SolveReport::Worst(const SolveReport& step) {
  iterations += step.iterations;
  converged = step.converged;
  if (reason.empty() || step.direct || !step.converged) reason = step.reason;
  factor_entries = std::max(factor_entries, step.factor_entries);
  direct = direct || step.direct;
  backward_error = std::max(backward_error, step.backward_error);
  residual = std::max(residual, step.residual);
  if (!step.direct) iterated = std::max(iterated, step.residual);
}

void CheckSolution(const SolveReport& r, const SolveOptions& options, Evidence& ev) {
  // Rounding decides how small the residual of a direct solution is, not the tolerance.
  const double iterated = r.direct ? r.iterated : r.residual;
  if (!r.direct || iterated > 0) {
    ev.Within({"residual", "residual", "", iterated, 1.01 * options.relative_tolerance, "1",
               "The linear system is solved to a relative residual of " + Text(iterated, 2) + ".",
               "Give the elements better shapes, or the materials less contrast."});
  }
  if (!r.direct) return;
  ev.Note("The linear system was factorised: " + r.reason + ".");
  ev.Within({"backward_error", "residual", "", r.backward_error, 1e-13, "1",
             "The solution is that of a linear system whose entries differ by at most " +
                 Text(r.backward_error, 2) + " of their size from those asked.",
             "The system is too near to a singular one: look for a part that is hardly held, or "
             "for elements without volume."});
}

SpdSolver::SpdSolver(const NodalSpace& space, const BlockCsr& a, const Constraints& constraints,
                     const NodalSpace* coarse_space, const BlockCsr* coarse,
                     const Constraints* coarse_fixed)
    : a_(&a) {
  if (!coarse) {
    preconditioner_ = std::make_unique<AmgPreconditioner>(
        MakeAmg(a, space.Coordinates(), 1, &constraints), a.Size());
    return;
  }
  preconditioner_ = std::make_unique<PMultigrid>(
      space, a, constraints, *coarse_space,
      MakeAmg(*coarse, coarse_space->Coordinates(), 2, coarse_fixed), *coarse_fixed, *coarse);
}

SpdSolver::~SpdSolver() = default;

namespace {

constexpr size_t kFewestSteps = 6;     // before the energy tells the error
constexpr size_t kMostLateSteps = 10;  // by whose energy it is told
// The error before them, in the energy norm. Few steps tell it worse, and must add less.
constexpr double kEnergyError = 0.03, kErrorByFew = 0.01;
constexpr double kOrdering = 40;  // iterations in whose time the unknowns are ordered, at most

// The energy that each step of the iteration adds to the solution. What the latest ones add is the
// error before them (Hestenes and Stiefel; Strakos and Tichy, ETNA 13, 2002): the later half.
class EnergyOfSteps {
 public:
  void Add(double energy) { sums_.push_back((sums_.empty() ? 0 : sums_.back()) + energy); }
  bool Settled() const {
    if (sums_.size() < kFewestSteps) return false;
    const size_t late = std::min(sums_.size() / 2, kMostLateSteps);
    const double error = late == kMostLateSteps ? kEnergyError : kErrorByFew;
    return sums_.back() - sums_[sums_.size() - 1 - late] <= error * error * sums_.back();
  }

 private:
  std::vector<double> sums_;  // of the energies so far
};

// How far the iteration is from its end, looked at after 40 steps, 80, 160 and so on: by
// then the steps of a healthy one are done or nearly so.
class Outlook {
 public:
  explicit Outlook(double tolerance) : tolerance_(tolerance) {}

  // Steps that remain at the mean rate since the last look, no end where the residual does
  // not fall; 0 between looks.
  double After(int step, double residual) {
    best_ = std::min(best_, residual);
    if (step < next_) return 0;
    const double fallen = std::log(before_ / best_);
    // Where the residual is small and the energy has not settled, nothing tells how long.
    const double rest = best_ <= tolerance_ ? step
                        : fallen > 0 ? std::log(best_ / tolerance_) * (step - looked_) / fallen
                                     : std::numeric_limits<double>::infinity();
    before_ = best_;
    looked_ = step;
    next_ = 2 * step;
    return rest;
  }

 private:
  double tolerance_, best_ = 1, before_ = 1;
  int looked_ = 0, next_ = 40;
};

std::string SlowBecause(int steps, double rest) {
  const std::string start = "after " + std::to_string(steps) + " steps the iteration had ";
  if (std::isinf(rest)) return start + "come no nearer to its tolerance";
  return start + "about " + Text(rest, 1) + " to go, longer than a factorisation takes";
}

}  // namespace

double SpdSolver::CostOfFactors() const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (refused_) return kNone;
  if (!direct_) direct_ = DirectSolver::Plan(*a_);
  if (direct_) return direct_->Cost();
  refused_ = true;
  reason_ = "the matrix is too large to be ordered for a factorisation";
  return kNone;
}

bool SpdSolver::GoDirect(const std::string& reason) const {
  using Outcome = SymmetricFactors::Outcome;
  if (CostOfFactors() == std::numeric_limits<double>::infinity()) return false;
  const double megabytes = direct_->Bytes() / 1e6;
  const Outcome outcome = direct_->Factorise();
  if (outcome == Outcome::kDone) {
    reason_ = reason;
    factorised_ = true;
    return true;
  }
  direct_.reset();
  refused_ = true;
  reason_ =
      outcome == Outcome::kTooLarge
          ? "its factors would take " + Text(megabytes, 2) + " MB of memory, more than is free"
          : "the matrix is singular to rounding, and cannot be factorised";
  return false;
}

SolveReport SpdSolver::Solve(const Values& b, Values& x, const SolveOptions& options) const {
  SolveReport report;
  if (Norm2(b) == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    report.converged = true;
    report.reason = "there is no load";
    return report;
  }
  Expect(options.expected_loads);
  if (!factorised_) Iterate(b, x, options, report);
  if (factorised_) direct_->Solve(*a_, b, x, report);
  report.reason =
      !factorised_ && report.converged ? "the iteration reached its tolerance" : reason_;
  return report;
}

void SpdSolver::Expect(int loads) const {
  if (factorised_ || loads * usual_ <= kOrdering) return;
  const double cost = CostOfFactors();
  if (!refused_ && cost + loads * direct_->CostOfSolve() < loads * usual_)
    GoDirect("its factors serve so many loads that iterating for each would take longer");
}

void SpdSolver::Precondition(const Values& r, Values& z) const {
  if (!factorised_) return preconditioner_->Apply(r, z);
  SolveReport report;
  if (Norm2(r) > 0) {
    direct_->Solve(*a_, r, z, report);
  } else {
    std::fill(z.begin(), z.end(), 0.0);
  }
}

void SpdSolver::Iterate(const Values& b, Values& x, const SolveOptions& options,
                        SolveReport& report) const {
  const size_t n = b.size();
  const double norm = Norm2(b);
  Values r(n), z(n), p(n, 0.0), q(n);
  EnergyOfSteps energy;
  Outlook outlook(options.relative_tolerance);
  auto true_residual = [&] {
    a_->Multiply(x, q);
    for (size_t i = 0; i < n; i++) r[i] = b[i] - q[i];
    return Norm2(r) / norm;
  };
  report.residual = true_residual();
  // Rounding makes the recurrence drift from the true residual: start anew when they part.
  for (int restart = 0; restart < 3 && report.iterations < options.max_iterations; restart++) {
    if (report.residual <= options.relative_tolerance) break;
    double rz = 0;
    bool first = true;
    while (report.iterations < options.max_iterations) {
      preconditioner_->Apply(r, z);
      const double rz_new = Dot(r, z), beta = first ? 0 : rz_new / rz;
      rz = rz_new;
      first = false;
#pragma omp parallel for
      for (size_t i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
      const double pq = a_->MultiplyDot(p, q);
      if (!(pq > 0)) break;  // not positive definite, or not a number
      const double alpha = rz / pq;
      double rr = 0;
#pragma omp parallel for reduction(+ : rr)
      for (size_t i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rr += r[i] * r[i];
      }
      report.iterations++;
      energy.Add(alpha * rz);
      const double residual = std::sqrt(rr) / norm;
      if (residual <= options.relative_tolerance && (!options.by_energy || energy.Settled())) break;
      const double rest = outlook.After(report.iterations, residual);
      if (rest > kOrdering && rest > CostOfFactors() &&
          GoDirect(SlowBecause(report.iterations, rest)))
        return;
    }
    report.residual = true_residual();
  }
  report.converged = report.residual <= 1.01 * options.relative_tolerance;
  usual_ = std::max<int>(report.iterations, kFewestSteps);
  // Where the limit on the iterations was not reached, rounding or the condition of the matrix
  // ended them, and more would not help. The caller's limit is kept.
  const bool exhausted = report.iterations >= options.max_iterations;
  if (!report.converged && !(exhausted && options.limited))
    GoDirect("the iteration stalled at a residual of " + Text(report.residual, 2));
}

SpdProblem::SpdProblem(const NodalSpace& space, const Constraints& constraints,
                       const Assemble& assemble, std::shared_ptr<const NodeGraph> graph)
    : space_(&space), constraints_(&constraints) {
  a_ = assemble(space, graph ? std::move(graph) : MakeGraph(space));
  rows_ = std::make_unique<ConstrainedRows>(a_, constraints);
  lifted_.assign(a_.Size(), 0.0);
  Lift(a_, constraints, lifted_);
  Clamp(a_, constraints);
  if (space.Order() == 1) {
    solver_ = std::make_unique<SpdSolver>(space, a_, constraints, nullptr, nullptr, nullptr);
    return;
  }
  linear_space_ = std::make_unique<NodalSpace>(space.Mesh(), 1, space.Axisymmetric());
  linear_ = assemble(*linear_space_, MakeGraph(*linear_space_));
  // The unknowns at vertices come first in both spaces.
  linear_constraints_ = Constraints(linear_.Size());
  std::copy_n(constraints.fixed.begin(), linear_.Size(), linear_constraints_.fixed.begin());
  for (const Slanted& s : constraints.slanted) {
    if (s.node < linear_space_->Nodes()) linear_constraints_.slanted.push_back(s);
  }
  Clamp(linear_, linear_constraints_);
  solver_ = std::make_unique<SpdSolver>(space, a_, constraints, linear_space_.get(), &linear_,
                                        &linear_constraints_);
}

SolveReport SpdProblem::Solve(Values b, Values& x, const SolveOptions& options) const {
  const size_t n = b.size();
  for (size_t u = 0; u < n; u++) b[u] += lifted_[u];
  constraints_->Clear(b);
  // The prescribed values stand apart: the solver sees zeros there.
  x.resize(n, 0.0);
  constraints_->Clear(x);
  const SolveReport report = solver_->Solve(b, x, options);
  constraints_->Clear(x);
  for (size_t u = 0; u < n; u++) x[u] += constraints_->value[u];
  return report;
}

SolveReport SpdProblem::SolveHomogeneous(Values b, Values& x, const SolveOptions& options) const {
  constraints_->Clear(b);
  x.assign(b.size(), 0.0);
  const SolveReport report = solver_->Solve(b, x, options);
  constraints_->Clear(x);
  return report;
}

Values SpdProblem::Precondition(Values r) const {
  constraints_->Clear(r);
  Values z(r.size(), 0.0);
  solver_->Precondition(r, z);
  constraints_->Clear(z);
  return z;
}

SolveReport SpdProblem::SolveHeld(const Values& held, Values& x,
                                  const SolveOptions& options) const {
  Values b = rows_->Product(held);
  for (double& v : b) v = -v;
  const SolveReport report = SolveHomogeneous(std::move(b), x, options);
  for (size_t u = 0; u < x.size(); u++) x[u] += held[u];
  return report;
}

}  // namespace atelier
