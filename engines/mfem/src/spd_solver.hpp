// Conjugate gradients with the preconditioner that suits the order: algebraic
// multigrid (order 1), or two-level p-multigrid over it (order 2): Chebyshev
// smoothing on the fine space and multigrid on the linear one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "amg.hpp"
#include "block_csr.hpp"
#include "config.hpp"

namespace atelier {

struct SolveOptions {
  int max_iterations = 1000;
  double relative_tolerance = 1e-8;  // of the residual's 2-norm
  bool limited = false;              // max_iterations is the caller's
  // Stop by the error in the energy norm too: of a load that is not smooth, the part that
  // bends a thin part is less than any small residual.
  bool by_energy = false;
  // Loads on this matrix, where they are known to be many: it is factorised at once if that is
  // quicker than the usual number of iterations for each.
  int expected_loads = 0;
  std::string pointer = "/config/analysis_opts";  // where they stand
};
// analysis_opts {max_iter, rel_tol}
SolveOptions ReadSolveOptions(const Config& config);
// For the dual solutions of error bars, of which two digits are wanted.
SolveOptions OfErrorBars(SolveOptions options);

struct SolveReport {
  int iterations = 0;
  double residual = 0;  // |b - A x| / |b|, computed anew at the end
  bool converged = false;
  // Of a direct solution: |b - A x| / (|A| |x| + |b|), the error of the equations
  // that were solved. Where a part is thin, A x cancels, and rounding alone keeps
  // the residual above the tolerance.
  bool direct = false;
  double backward_error = 0;
  double factor_entries = 0;  // nonzeros of the factors
  std::string reason;         // why this method was taken, or why no other could be
  double iterated = 0;  // the largest residual of those of several solutions that were iterated

  // Makes this the report of all solutions so far, of which `step` is the next.
  void Worst(const SolveReport& step);
};
// Whether a solution took so many iterations that a factorisation may be quicker for several.
inline bool TookLong(const SolveReport& r) { return !r.direct && r.iterations > 40; }
class Evidence;
struct Lame;
// States how exactly the equations are solved.
void CheckSolution(const SolveReport& report, const SolveOptions& options, Evidence& evidence);
// The method, its reason and its cost, for the output.
Json DescribeSolver(const SolveReport& report);
// Throws ERR_NOT_CONVERGED unless the report says converged.
void RequireConverged(const SolveReport& report, const SolveOptions& options, mfem::Mesh& mesh,
                      const Lame* lame = nullptr);

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void Apply(const Values& r, Values& z) = 0;
};

class DirectSolver;

// The matrix with its constraints already applied (Clamp), kept by the caller.
class SpdSolver {
 public:
  // coarse: the operator on linear elements (also clamped) for order 2, else null.
  SpdSolver(const NodalSpace& space, const BlockCsr& a, const Constraints& constraints,
            const NodalSpace* coarse_space, const BlockCsr* coarse,
            const Constraints* coarse_fixed);
  ~SpdSolver();
  // x holds the first guess. Deterministic for a given number of threads.
  SolveReport Solve(const Values& b, Values& x, const SolveOptions& options) const;
  // Factorises where so many loads are to come that iterating for each would take longer.
  void Expect(int loads) const;
  // What a step of the iteration is preconditioned by, about A^-1 r; the factors, where they are.
  void Precondition(const Values& r, Values& z) const;

 private:
  static constexpr int kUsualIterations = 20;

  void Iterate(const Values& b, Values& x, const SolveOptions& options, SolveReport& report) const;
  // Cost of a factorisation in iterations; no end where there is none.
  double CostOfFactors() const;
  // Factorises, for this reason. False where that cannot be done.
  bool GoDirect(const std::string& reason) const;

  const BlockCsr* a_;
  std::unique_ptr<Preconditioner> preconditioner_;
  // Planned when the iteration is slow, factorised when that is quicker or the iteration
  // stalls, and kept for further loads.
  mutable std::unique_ptr<DirectSolver> direct_;
  mutable bool factorised_ = false, refused_ = false;
  mutable int usual_ = kUsualIterations;  // iterations of a load
  mutable std::string reason_;            // why it was factorised, or could not be
};

// Assembles what the solver needs on a space, and solves: for problems whose
// operator is described by a function from space to matrix.
class SpdProblem {
 public:
  using Assemble = std::function<BlockCsr(const NodalSpace&, std::shared_ptr<const NodeGraph>)>;
  // graph: that of the space, where it is known already.
  SpdProblem(const NodalSpace& space, const Constraints& constraints, const Assemble& assemble,
             std::shared_ptr<const NodeGraph> graph = nullptr);

  // b: the load before constraints; x receives the solution with prescribed values.
  SolveReport Solve(Values b, Values& x, const SolveOptions& options) const;
  // The same with every prescribed value 0.
  SolveReport SolveHomogeneous(Values b, Values& x, const SolveOptions& options) const;
  // Without loads, with these values at the constrained unknowns; x receives both.
  SolveReport SolveHeld(const Values& held, Values& x, const SolveOptions& options) const;
  // K x of values that are 0 at the constrained unknowns, and 0 there.
  Values Stiffness(const Values& x) const {
    Values y(x.size());
    a_.Multiply(x, y);
    return y;
  }
  void Expect(int loads) const { solver_->Expect(loads); }
  // About K^-1 r: one step of the preconditioner, 0 at the constrained unknowns.
  Values Precondition(Values r) const;
  Values Reactions(const Values& x, const Values& load) const { return rows_->Reactions(x, load); }
  // Which nodes of the space share an element.
  std::shared_ptr<const NodeGraph> Graph() const { return a_.graph; }

 private:
  const NodalSpace* space_;
  const Constraints* constraints_;
  std::unique_ptr<NodalSpace> linear_space_;
  Constraints linear_constraints_;
  BlockCsr a_, linear_;
  Values lifted_;  // A times the prescribed values
  std::unique_ptr<ConstrainedRows> rows_;
  std::unique_ptr<SpdSolver> solver_;
};

}  // namespace atelier
