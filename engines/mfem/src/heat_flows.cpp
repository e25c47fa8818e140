// The flows of heat of given temperatures, and how they change with these.
#include <omp.h>

#include <Eigen/Dense>
#include <cmath>

#include "gradient.hpp"
#include "heat.hpp"
#include "krylov.hpp"

namespace atelier {
namespace {

constexpr double kStefanBoltzmann = 5.670374419e-8;  // W/(m^2 K^4), CODATA 2018

double Fourth(double t) { return t * std::abs(t) * t * t; }

// Exact on straight simplices for conductivities that are linear in temperature, and for the
// heat that then is stored; on others one less than for both and the map, a point less along
// every side.
int NonlinearDegree(const NodalSpace& space) {
  return MassDegree(space) + space.Order() - (space.StraightSimplices() ? 0 : 1);
}

// What elements whose materials change with temperature conduct away, W, and hold, J, by node.
struct Varying {
  Values conducted, content;  // empty where not asked for
};

void AddElement(const HeatMaterial& m, const LocalShapes& s, int dim, const Values& t,
                Varying& out) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::VectorXd local(s.dofs), conducted = Eigen::VectorXd::Zero(s.dofs), held(s.points);
  for (int a = 0; a < s.dofs; a++) local[a] = t[s.dof[a]];
  const Eigen::Map<const Rows> shape(s.shape, s.points, s.dofs);
  const Eigen::VectorXd value = shape * local;
  for (int q = 0; q < s.points; q++) {
    if (!out.content.empty()) held[q] = s.measure[q] * m.Enthalpy(value[q]);
    if (out.conducted.empty()) continue;
    const Eigen::Map<const Rows> g(&s.gradient[static_cast<size_t>(q) * s.dofs * dim], s.dofs, dim);
    const Eigen::Vector3d flux = [&] {
      Eigen::Vector3d f = Eigen::Vector3d::Zero();
      f.head(dim) = s.measure[q] * m.conductivity.At(value[q]) * (g.transpose() * local);
      return f;
    }();
    conducted += g * flux.head(dim);
  }
  if (!out.conducted.empty()) {
    for (int a = 0; a < s.dofs; a++) out.conducted[s.dof[a]] += conducted[a];
  }
  if (out.content.empty()) return;
  const Eigen::VectorXd content = shape.transpose() * held;
  for (int a = 0; a < s.dofs; a++) out.content[s.dof[a]] += content[a];
}

// Both in one pass over the elements, in which their shapes cost the most.
Varying OfElements(const Heat& p, const Values& t, bool conducted, bool content) {
  const ElementKernel kernel(p.space, NonlinearDegree(p.space));
  const Varying none = {Values(conducted ? t.size() : 0, 0.0), Values(content ? t.size() : 0, 0.0)};
  std::vector<Varying> parts(omp_get_max_threads(), none);  // added up in order: the same each time
#pragma omp parallel
  {
    LocalShapes s;
    Varying& mine = parts[omp_get_thread_num()];
#pragma omp for schedule(static)
    for (int e = 0; e < p.space.Elements(); e++) {
      kernel.Evaluate(e, s);
      AddElement(p.materials.Of(e), s, p.space.Dimension(), t, mine);
    }
  }
  for (size_t i = 1; i < parts.size(); i++) {
    Axpy(1, parts[i].conducted, parts[0].conducted);
    Axpy(1, parts[i].content, parts[0].content);
  }
  return parts[0];
}

// a += factor diag(d).
void AddDiagonal(double factor, const Values& d, BlockCsr& a) {
  for (int i = 0; i < a.graph->Nodes(); i++) a.Row(i, 0)[a.graph->Find(i, i)] += factor * d[i];
}

}  // namespace

// The power is odd, so that the exchange rises with the temperature in every iterate, below
// absolute zero too.
double Exchange::Into(int node, double t) const {
  return weight[node] * (radiates ? Fourth(ambient) - Fourth(t) : ambient - t);
}

double Exchange::Slope(int node, double t) const {
  return weight[node] * (radiates ? 4 * std::abs(t * t * t) : 1);
}

bool IsExchange(const Region& r) { return r.type == "convection" || r.type == "radiation"; }

Exchange MakeExchange(const NodalSpace& space, const Region& r) {
  Exchange x{r.type == "radiation", NodalAreas(space, r), r.config.Number("ambient")};
  const double coefficient =
      x.radiates ? kStefanBoltzmann * r.config.Positive("emissivity") : r.config.Positive("h");
  for (double& w : x.weight) w *= coefficient;
  return x;
}

std::shared_ptr<const NodeGraph> GraphOf(const Heat& p) {
  return p.conduction.graph ? p.conduction.graph : MakeGraph(p.space);
}

FluxField FluxAt(const Heat& p, const Values& t) {
  return RecoverFlux(p.space, t, ConductivityAt(p, t), p.materials.number);
}

PointCoefficient ConductivityAt(const Heat& p, const Values& t) {
  return [&p, &t](int e, const LocalShapes& s, int q) {
    const Curve& k = p.materials.Of(e).conductivity;
    return k.Constant() ? k.At(0) : k.At(ValueAt(s, q, t));
  };
}

NodalFlows FlowsAt(const Heat& p, const Values& t, Values* content) {
  const bool conducts = !p.materials.Constant(&HeatMaterial::conductivity),
             stores = content && !p.materials.ConstantCapacity();
  NodalFlows f;
  Varying of;
  if (conducts || stores) of = OfElements(p, t, conducts, stores);
  f.conducted = std::move(of.conducted);
  if (!conducts) p.conduction.Multiply(t, f.conducted);
  if (content) *content = stores ? std::move(of.content) : ContentAt(p, t);
  f.lost = f.conducted;
  for (size_t i = 0; i < t.size(); i++) f.lost[i] -= p.load[i];
  for (const auto& [region, x] : p.exchanges) {
    for (int i = 0; i < p.space.Nodes(); i++) {
      if (x.weight[i] != 0) f.lost[i] -= x.Into(i, t[i]);
    }
  }
  return f;
}

Values ContentAt(const Heat& p, const Values& t) {
  if (!p.materials.ConstantCapacity()) return OfElements(p, t, false, true).content;
  Values out(t.size(), 0.0);
  p.mass.Multiply(t, out);
  return out;
}

BlockCsr HeatTangent(const Heat& p, const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                     const Values& t, double content, double flow) {
  BlockCsr a(std::move(graph), 1);
  const HeatMaterials& m = p.materials;
  const bool constant = m.Constant(&HeatMaterial::conductivity),
             stores = content != 0 && !p.mass.val.empty();
  if (&space == &p.space && constant && (content == 0 || stores)) {
    Axpy(flow, p.conduction.val, a.val);
    if (stores) Axpy(content, p.mass.val, a.val);
  } else if (constant && m.ConstantCapacity()) {
    Values diffusion(space.Elements()), mass(space.Elements());
    for (int e = 0; e < space.Elements(); e++) {
      diffusion[e] = flow * m.Of(e).conductivity.At(0);
      mass[e] = content * m.Of(e).Capacity(0);
    }
    AddDiffusionMass(space, diffusion, mass, a);
  } else {
    const PointCoefficient conductivity = ConductivityAt(p, t);
    AddDiffusionMass(
        space, NonlinearDegree(space),
        [&](int e, const LocalShapes& s, int q) { return flow * conductivity(e, s, q); },
        [&](int e, const LocalShapes& s, int q) {
          return content == 0 ? 0 : content * m.Of(e).Capacity(ValueAt(s, q, t));
        },
        a);
  }
  for (const Region& r : p.regions) {
    if (!IsExchange(r)) continue;
    const Exchange x = MakeExchange(space, r);
    Values slope(space.Nodes());
    for (int i = 0; i < space.Nodes(); i++) slope[i] = x.Slope(i, t[i]);
    AddDiagonal(flow, slope, a);
  }
  return a;
}

void AddConductivityTangent(const Heat& p, const Values& t, double flow, BlockCsr& a) {
  const int dim = p.space.Dimension();
  const ElementKernel kernel(p.space, NonlinearDegree(p.space));
  AddElementMatrices(p.space, kernel, a, [&](int e, const LocalShapes& s, double* m) {
    const Curve& k = p.materials.Of(e).conductivity;
    for (int q = 0; q < s.points; q++) {
      const double weight = flow * s.measure[q] * k.Slope(ValueAt(s, q, t));
      if (weight == 0) continue;
      double gradient[3];
      GradientAt(dim, s, q, t, gradient);
      for (int i = 0; i < s.dofs; i++) {
        const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + i) * dim];
        double dot = 0;
        for (int c = 0; c < dim; c++) dot += gradient[c] * g[c];
        for (int j = 0; j < s.dofs; j++)
          m[i * s.dofs + j] += weight * dot * s.shape[static_cast<size_t>(q) * s.dofs + j];
      }
    }
  });
}

void Watch(Heat& p, const Values& t) {
  p.temperatures.resize(p.materials.list.size(), {INFINITY, -INFINITY});
  for (int e = 0; e < p.space.Elements(); e++) {
    Range& r = p.temperatures[p.materials.number[e]];
    for (int a = 0; a < p.space.Count(e); a++) {
      r.low = std::min(r.low, t[p.space.Dofs(e)[a]]);
      r.high = std::max(r.high, t[p.space.Dofs(e)[a]]);
    }
  }
}

}  // namespace atelier
