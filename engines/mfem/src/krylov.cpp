#include "krylov.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {

double Dot(const Values& a, const Values& b) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (size_t i = 0; i < a.size(); i++) s += a[i] * b[i];
  return s;
}

void Axpy(double a, const Values& x, Values& y) {
#pragma omp parallel for
  for (size_t i = 0; i < x.size(); i++) y[i] += a * x[i];
}

double Norm2(const Values& a) { return std::sqrt(Dot(a, a)); }

double Largest(const Values& a) {
  double most = 0;
  for (double x : a) most = std::max(most, std::abs(x));
  return most;
}

double LargestDifference(const Values& a, const Values& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); i++) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

double Percentile99(std::vector<std::pair<double, double>> weighted) {
  std::sort(weighted.begin(), weighted.end());
  double total = 0, sum = 0;
  for (const auto& [v, w] : weighted) total += w;
  for (const auto& [v, w] : weighted) {
    sum += w;
    if (sum >= 0.99 * total) return v;
  }
  return 0;
}

Ilu0::Ilu0(const BlockCsr& a) : graph_(a.graph), val_(a.val) {
  const NodeGraph& g = *graph_;
  const int n = g.Nodes();
  diagonal_.resize(n);
  std::vector<ptrdiff_t> place(n, -1);
  for (int i = 0; i < n; i++) {
    for (size_t p = g.ptr[i]; p < g.ptr[i + 1]; p++) {
      place[g.col[p]] = static_cast<ptrdiff_t>(p);
      if (g.col[p] == i) diagonal_[i] = p;
    }
    for (size_t p = g.ptr[i]; p < diagonal_[i]; p++) {
      const int k = g.col[p];
      const double factor = val_[p] /= val_[diagonal_[k]];
      if (factor == 0) continue;
      for (size_t q = diagonal_[k] + 1; q < g.ptr[k + 1]; q++) {
        if (place[g.col[q]] >= 0) val_[place[g.col[q]]] -= factor * val_[q];
      }
    }
    for (size_t p = g.ptr[i]; p < g.ptr[i + 1]; p++) place[g.col[p]] = -1;
  }
}

void Ilu0::Solve(const Values& r, Values& z) const {
  const NodeGraph& g = *graph_;
  const int n = g.Nodes();
  z.resize(n);
  for (int i = 0; i < n; i++) {
    double s = r[i];
    for (size_t p = g.ptr[i]; p < diagonal_[i]; p++) s -= val_[p] * z[g.col[p]];
    z[i] = s;
  }
  for (int i = n - 1; i >= 0; i--) {
    double s = z[i];
    for (size_t p = diagonal_[i] + 1; p < g.ptr[i + 1]; p++) s -= val_[p] * z[g.col[p]];
    z[i] = s / val_[diagonal_[i]];
  }
}

namespace {

// The small least-squares problem of GMRES, kept triangular by Givens rotations.
struct Hessenberg {
  std::vector<Values> column;
  Values cosine, sine, rhs;

  // Adds column j; returns the residual norm.
  double Add(int j, Values h) {
    for (int i = 0; i < j; i++) {
      const double t = cosine[i] * h[i] + sine[i] * h[i + 1];
      h[i + 1] = -sine[i] * h[i] + cosine[i] * h[i + 1];
      h[i] = t;
    }
    const double r = std::hypot(h[j], h[j + 1]);
    cosine.push_back(r > 0 ? h[j] / r : 1);
    sine.push_back(r > 0 ? h[j + 1] / r : 0);
    h[j] = r;
    rhs.push_back(-sine[j] * rhs[j]);
    rhs[j] *= cosine[j];
    column.push_back(std::move(h));
    return std::abs(rhs[j + 1]);
  }

  Values Solve(int n) const {
    Values y(rhs.begin(), rhs.begin() + n);
    for (int i = n - 1; i >= 0; i--) {
      for (int j = i + 1; j < n; j++) y[i] -= column[j][i] * y[j];
      y[i] /= column[i][i];
    }
    return y;
  }
};

}  // namespace

KrylovResult Fgmres(const Operator& a, const Operator& preconditioner, const Values& b, Values& x,
                    double tolerance, int max_iterations, int restart) {
  KrylovResult result;
  Values w(b.size());
  while (true) {
    a(x, w);
    Values r(b);
    Axpy(-1, w, r);
    result.residual = Norm2(r);
    result.converged = result.residual <= tolerance;
    if (result.converged || result.iterations >= max_iterations || !std::isfinite(result.residual))
      return result;
    std::vector<Values> v, z;
    Hessenberg h;
    h.rhs = {result.residual};
    for (double& value : r) value /= result.residual;
    v.push_back(std::move(r));
    int j = 0;
    for (; j < restart && result.iterations < max_iterations; j++, result.iterations++) {
      z.emplace_back(b.size(), 0.0);
      preconditioner(v[j], z[j]);
      a(z[j], w);
      Values column(j + 2);
      for (int i = 0; i <= j; i++) {
        column[i] = Dot(w, v[i]);
        Axpy(-column[i], v[i], w);
      }
      column[j + 1] = Norm2(w);
      const double next = column[j + 1];
      result.residual = h.Add(j, std::move(column));
      if (result.residual <= tolerance || !(next > 0)) {
        j++;
        result.iterations++;
        break;
      }
      v.push_back(w);
      for (double& value : v.back()) value /= next;
    }
    const Values y = h.Solve(j);
    for (int i = 0; i < j; i++) Axpy(y[i], z[i], x);
  }
}

KrylovResult BiCgStab(const Operator& a, const Operator& preconditioner, const Values& b, Values& x,
                      double relative, int max_iterations) {
  KrylovResult result;
  const size_t n = b.size();
  x.assign(n, 0.0);
  const double tolerance = relative * Norm2(b);
  if (tolerance == 0) return {0, 0, true};
  Values r(b), shadow(b), p(n, 0.0), v(n, 0.0), s(n), t(n), hat(n);
  double rho = 1, alpha = 1, omega = 1;
  while (result.iterations < max_iterations) {
    result.iterations++;
    const double next = Dot(shadow, r);
    if (next == 0) break;
    const double beta = next / rho * alpha / omega;
    rho = next;
    for (size_t i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    preconditioner(p, hat);
    a(hat, v);
    alpha = rho / Dot(shadow, v);
    for (size_t i = 0; i < n; i++) s[i] = r[i] - alpha * v[i];
    Axpy(alpha, hat, x);
    result.residual = Norm2(s);
    if (result.residual <= tolerance) return {result.iterations, result.residual, true};
    preconditioner(s, hat);
    a(hat, t);
    const double tt = Dot(t, t);
    if (!(tt > 0)) break;
    omega = Dot(t, s) / tt;
    Axpy(omega, hat, x);
    for (size_t i = 0; i < n; i++) r[i] = s[i] - omega * t[i];
    result.residual = Norm2(r);
    if (result.residual <= tolerance || omega == 0) break;
  }
  result.converged = result.residual <= tolerance;
  return result;
}

}  // namespace atelier
