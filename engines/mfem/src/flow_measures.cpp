#include "flow_measures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradient.hpp"

namespace atelier {
namespace {

constexpr int kWorst = 50;  // one element of so many is among the worst

}  // namespace

Values PressureEverywhere(const FlowSpaces& spaces, const Values& p) {
  const NodalSpace &v = spaces.velocity, &q = spaces.pressure;
  Values out(v.Nodes(), 0.0);
  mfem::Vector shape;
  for (int e = 0; e < v.Elements(); e++) {
    shape.SetSize(q.Count(e));
    const mfem::IntegrationRule& nodes = v.Element(e).GetNodes();
    for (int a = 0; a < v.Count(e); a++) {
      q.Element(e).CalcShape(nodes.IntPoint(a), shape);
      double s = 0;
      for (int b = 0; b < q.Count(e); b++) s += shape(b) * p[q.Dofs(e)[b]];
      out[v.Dofs(e)[a]] = s;
    }
  }
  return out;
}

double KineticEnergy(const NodalSpace& space, const Values& u, double density) {
  const ElementKernel kernel(space, 4);
  double sum = 0;
  ForEachElement(space, kernel, [&](int, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      for (int c = 0; c < space.Dimension(); c++) {
        double v = 0;
        for (int a = 0; a < s.dofs; a++)
          v += s.shape[static_cast<size_t>(q) * s.dofs + a] *
               u[static_cast<size_t>(s.dof[a]) * space.Dimension() + c];
        sum += 0.5 * density * s.measure[q] * v * v;
      }
    }
  });
  return sum;
}

double CellReynolds(const NodalSpace& space, const Values& u, double density, double viscosity) {
  const ElementKernel kernel(space, 2);
  double largest = 0;
  ForEachElement(space, kernel, [&](int, const LocalShapes& s) {
    double volume = 0, speed = 0;
    for (double w : s.measure) volume += w;
    for (int a = 0; a < s.dofs; a++) {
      double v = 0;
      for (int c = 0; c < space.Dimension(); c++)
        v += u[static_cast<size_t>(s.dof[a]) * space.Dimension() + c] *
             u[static_cast<size_t>(s.dof[a]) * space.Dimension() + c];
      speed = std::max(speed, std::sqrt(v));
    }
    largest = std::max(
        largest, density * speed * 0.5 * std::pow(volume, 1.0 / space.Dimension()) / viscosity);
  });
  return largest;
}

GradientErrors GradientError(const NodalSpace& space, const Values& u) {
  const Values one(space.Elements(), 1.0);
  Values component(space.Nodes()), squared(space.Elements(), 0.0);
  double energy = 0;
  for (int c = 0; c < space.Dimension(); c++) {
    for (int i = 0; i < space.Nodes(); i++)
      component[i] = u[static_cast<size_t>(i) * space.Dimension() + c];
    const FluxField field = RecoverFlux(space, component, one);
    energy += field.energy;
    for (int e = 0; e < space.Elements(); e++)
      squared[e] += std::pow(EstimatorFactor(2) * field.element_error[e], 2);
  }
  std::sort(squared.begin(), squared.end());
  const auto most = squared.end() - (space.Elements() + kWorst - 1) / kWorst;
  const double bulk = std::accumulate(squared.begin(), most, 0.0);
  const double all = std::accumulate(most, squared.end(), bulk);
  const auto relative = [energy](double e) { return e > 0 ? std::sqrt(e / (e + energy)) : 0; };
  return {relative(all), relative(bulk)};
}

}  // namespace atelier
