#include "heat_newton.hpp"

#include <cmath>

#include "krylov.hpp"

namespace atelier {
namespace {

// A front that melts or freezes settles from element to element.
constexpr int kMostIterations = 400;
constexpr int kPatience = 40;  // iterations in which the residual must halve
// Before the temperatures are near the solution, how the conductivity changes across elements in
// which they jump leads astray.
constexpr int kWithoutChange = 2;
constexpr int kMostHalvings = 20;
constexpr double kKept = 0.1;  // of the residual: a linearisation that leaves less is used again
constexpr double kRounding = 1e-14;
constexpr double kDescent = 1e-4;   // Armijo's
constexpr double kCurvature = 0.1;  // Wolfe's
constexpr int kMostKrylov = 200, kRestart = 50;
constexpr double kInner = 1e-3;  // of the preconditioner's residual

BlockCsr Transposed(const BlockCsr& a) {
  BlockCsr out(a.graph, 1);
  const NodeGraph& g = *a.graph;
  for (int i = 0; i < g.Nodes(); i++) {
    const int* col = &g.col[g.ptr[i]];
    for (int k = 0; k < g.Length(i); k++) out.Row(col[k], 0)[g.Find(col[k], i)] = a.Row(i, 0)[k];
  }
  return out;
}

Error NotConverged(const Heat& p, int iterations, double residual) {
  return Error(codes::kNotConverged, "the temperatures did not converge: after " +
                                         std::to_string(iterations) + " steps of Newton's method " +
                                         Text(residual, 2) +
                                         " of the heat that flows was not in balance")
      .At(p.config.Pointer())
      .Hint(std::string(p.steady
                            ? "Look for conditions that no temperature meets, as a flux that no "
                              "radiation or convection carries off; or let it settle in time "
                              "(steady: false). "
                            : "Use a smaller dt. ") +
            "Tables of materials that change by a multiple within few kelvins need a finer mesh.")
      .With("iterations", iterations)
      .With("residual", residual);
}

}  // namespace

HeatEquations::Defect HeatEquations::Measure(const Values& known, const Values& t) const {
  Values stored;
  const NodalFlows flows = FlowsAt(p_, t, p_.steady ? nullptr : &stored);
  Values exchanged = flows.lost;
  Axpy(-1, flows.conducted, exchanged);
  Defect d{flows.lost, 0, duration_ * (Norm2(flows.conducted) + Norm2(exchanged))};
  for (double& r : d.residual) r *= duration_;
  if (!p_.steady) {
    Axpy(-1, known, stored);
    Axpy(1, stored, d.residual);
    d.scale += Norm2(stored);
  }
  p_.fixed.Clear(d.residual);
  d.norm = Norm2(d.residual);
  return d;
}

// The residual over the heat that flows, or over what rounding leaves where none does any more.
double HeatEquations::Left(const Defect& d, const Values& t) const {
  double rounding = 0;
  for (size_t i = 0; tangent_ && i < t.size(); i++) {
    const double part = kRounding * tangent_->diagonal[i] * t[i];
    rounding += part * part;
  }
  const double scale = std::max(d.scale, std::sqrt(rounding) / p_.options.relative_tolerance);
  return scale > 0 ? d.norm / scale : 0;
}

bool HeatEquations::Converged(const Defect& d, const Values& t) const {
  return Left(d, t) <= p_.options.relative_tolerance;
}

HeatEquations::Tangent HeatEquations::Linearise(const Values& t, bool conductivity) const {
  Tangent out;
  const bool unsymmetric = conductivity && !p_.materials.Constant(&HeatMaterial::conductivity);
  out.symmetric = std::make_unique<SpdProblem>(
      p_.space, p_.fixed,
      [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
        BlockCsr a = HeatTangent(p_, s, std::move(g), t, p_.steady ? 0 : 1, duration_);
        if (s.Order() != p_.space.Order()) return a;
        for (int i = 0; i < s.Nodes(); i++) out.diagonal.push_back(a.Diagonal(i, 0));
        if (!unsymmetric) return a;
        out.whole = a;
        AddConductivityTangent(p_, t, duration_, out.whole);
        Clamp(out.whole, p_.fixed);
        return a;
      },
      GraphOf(p_));
  return out;
}

// Where the tangent is not symmetric, its symmetric part is the preconditioner.
SolveReport HeatEquations::SolveLinear(const Tangent& tangent, const BlockCsr& whole,
                                       const SolveOptions& options, Values b, Values& x) const {
  if (whole.val.empty()) return tangent.symmetric->Solve(std::move(b), x, options);
  p_.fixed.Clear(b);
  SolveReport report;
  SolveOptions inner = options;
  inner.relative_tolerance = std::max(kInner, inner.relative_tolerance);
  const double norm = Norm2(b);
  x.assign(b.size(), 0.0);
  auto multiply = [&](const Values& v, Values& y) { whole.Multiply(v, y); };
  Fgmres(
      multiply,
      [&](const Values& r, Values& z) {
        report.Worst(tangent.symmetric->SolveHomogeneous(r, z, inner));
      },
      b, x, options.relative_tolerance * norm, kMostKrylov, kRestart);
  Values rest;
  multiply(x, rest);
  Axpy(-1, b, rest);
  report.residual = norm > 0 ? Norm2(rest) / norm : 0;
  report.converged = report.residual <= 1.01 * options.relative_tolerance;
  report.direct = false;
  report.iterated = report.residual;
  return report;
}

bool HeatEquations::Descend(const Values& known, const Values& change, Values& t, Defect& d,
                            bool by_energy) const {
  const double slope = Dot(d.residual, change);
  double share = 1, low = 0, high = 1;
  for (int i = 0; i <= kMostHalvings; i++) {
    Values next = t;
    Axpy(share, change, next);
    Defect there = Measure(known, next);
    const double ahead = Dot(there.residual, change);
    const bool less = there.norm <= (1 - kDescent * share) * d.norm,
               lower = by_energy && slope < 0 && ahead >= kCurvature * slope &&
                       ahead <= -kCurvature * slope;
    if (less || lower || (by_energy && i == 0 && ahead <= 0) || Converged(there, next)) {
      t = std::move(next);
      d = std::move(there);
      return true;
    }
    (ahead > 0 || !by_energy ? high : low) = share;
    share = (low + high) / 2;
  }
  return false;
}

void HeatEquations::Solve(const Values& known, Values& t, Values& change) {
  Defect d = Measure(known, t);
  if (!p_.nonlinear) {
    if (!tangent_) tangent_ = std::make_unique<Tangent>(Linearise(t, false));
    Step(d, change);
    Axpy(1, change, t);
    return;
  }
  const bool constant = p_.materials.Constant(&HeatMaterial::conductivity);
  bool failed = false;              // the last step: the next one is made the other way
  bool kept = tangent_ != nullptr;  // the linearisation of an earlier state
  int made = 0;
  double checked = INFINITY;
  for (int i = 0; !Converged(d, t); i++) {
    const double left = d.norm / d.scale, before = d.norm;
    if (i % kPatience == 0) {
      // A functional may fall for long before the residual does.
      const bool stuck = !constant && d.norm > 0.5 * checked;
      if (i == kMostIterations || stuck) throw NotConverged(p_, i, left);
      checked = d.norm;
    }
    if (!kept)
      tangent_ = std::make_unique<Tangent>(Linearise(t, (made++ >= kWithoutChange) != failed));
    change.assign(t.size(), 0.0);
    Step(d, change);
    const bool nearer = Descend(known, change, t, d, constant || failed);
    if (!kept) {
      if (!nearer && (failed || constant)) throw NotConverged(p_, i + 1, left);
      failed = !nearer;
    }
    kept = nearer && d.norm <= kKept * before;
  }
  p_.newton.residual = std::max(p_.newton.residual, Left(d, t));
}

void HeatEquations::Step(const Defect& d, Values& change) {
  Values b = d.residual;
  for (double& v : b) v = -v;
  const SolveReport report =
      SolveLinear(*tangent_, tangent_->whole, p_.options, std::move(b), change);
  RequireConverged(report, p_.options, *p_.domain.mesh);
  p_.solved.Worst(report);
  p_.newton.iterations++;
}

Values HeatEquations::Dual(const Values& t, const Values& r) {
  const SolveOptions options = OfErrorBars(p_.options);
  Values z(r.size(), 0.0);
  if (!p_.nonlinear) {
    SolveLinear(*tangent_, tangent_->whole, options, r, z);
    return z;
  }
  if (!dual_) {
    dual_ = std::make_unique<Tangent>(Linearise(t, true));
    if (!dual_->whole.val.empty()) transposed_ = Transposed(dual_->whole);
  }
  RequireConverged(SolveLinear(*dual_, transposed_, options, r, z), options, *p_.domain.mesh);
  return z;
}

}  // namespace atelier
