// The equations of one step in time, or of a steady state, for the temperatures.
#pragma once

#include "heat.hpp"

namespace atelier {

// Solves content(T) - known + duration lost(T) = 0 at the nodes whose temperature is not held
// (without content in a steady state, of duration 1): once where the problem is linear, else by
// Newton's method, whose steps are shortened until they reduce what is left over. Where the
// conductivity is constant that is the slope of a convex functional of the temperatures, however
// suddenly the content changes with them (phase change; Elliott and Ockendon, Weak and Variational
// Methods for Moving Boundary Problems, 1982): a step that leads to a lower value of it is as good.
class HeatEquations {
 public:
  HeatEquations(Heat& p, double duration) : p_(p), duration_(duration) {}

  // t: the first guess with the held temperatures, and the solution. change: the first guess of
  // what a linear problem adds to it, and what was added last.
  void Solve(const Values& known, Values& t, Values& change);
  // Solves the transposed tangent at the temperatures t, those of all calls, for the load r.
  Values Dual(const Values& t, const Values& r);

 private:
  struct Defect {
    Values residual;  // 0 where a temperature is held
    double norm, scale;
  };
  struct Tangent {
    std::unique_ptr<SpdProblem> symmetric;
    BlockCsr whole;  // empty where that is all
    Values diagonal;
  };
  Defect Measure(const Values& known, const Values& t) const;
  double Left(const Defect& d, const Values& t) const;
  bool Converged(const Defect& d, const Values& t) const;
  // conductivity: with how that changes.
  Tangent Linearise(const Values& t, bool conductivity) const;
  SolveReport SolveLinear(const Tangent& tangent, const BlockCsr& whole,
                          const SolveOptions& options, Values b, Values& x) const;
  void Step(const Defect& d, Values& change);
  bool Descend(const Values& known, const Values& change, Values& t, Defect& d,
               bool by_energy) const;

  Heat& p_;
  double duration_;
  std::unique_ptr<Tangent> tangent_;  // of the last iteration; of all where the problem is linear
  std::unique_ptr<Tangent> dual_;
  BlockCsr transposed_;
};

}  // namespace atelier
