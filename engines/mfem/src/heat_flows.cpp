// The flows of heat of given temperatures, and how they change with these.
#include <cmath>

#include "gradient.hpp"
#include "heat.hpp"

namespace atelier {
namespace {

constexpr double kStefanBoltzmann = 5.670374419e-8;  // W/(m^2 K^4), CODATA 2018

double Fourth(double t) { return t * std::abs(t) * t * t; }

// Exact for conductivities that are linear in temperature, and for the heat that then is stored.
int NonlinearDegree(const NodalSpace& space) { return MassDegree(space) + space.Order(); }

Values Conducted(const Heat& p, const Values& t) {
  Values out(t.size(), 0.0);
  if (p.materials.Constant(&HeatMaterial::conductivity)) {
    p.conduction.Multiply(t, out);
    return out;
  }
  const int dim = p.space.Dimension();
  const ElementKernel kernel(p.space, NonlinearDegree(p.space));
  ForEachElement(p.space, kernel, [&](int e, const LocalShapes& s) {
    const Curve& k = p.materials.Of(e).conductivity;
    for (int q = 0; q < s.points; q++) {
      double gradient[3];
      GradientAt(dim, s, q, t, gradient);
      const double weight = s.measure[q] * k.At(ValueAt(s, q, t));
      for (int a = 0; a < s.dofs; a++) {
        const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
        for (int c = 0; c < dim; c++) out[s.dof[a]] += weight * gradient[c] * g[c];
      }
    }
  });
  return out;
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

PointCoefficient ConductivityAt(const Heat& p, const Values& t) {
  return [&p, &t](int e, const LocalShapes& s, int q) {
    const Curve& k = p.materials.Of(e).conductivity;
    return k.Constant() ? k.At(0) : k.At(ValueAt(s, q, t));
  };
}

NodalFlows FlowsAt(const Heat& p, const Values& t) {
  NodalFlows f;
  f.conducted = Conducted(p, t);
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
  Values out(t.size(), 0.0);
  if (p.materials.Constant(&HeatMaterial::specific_heat)) {
    p.mass.Multiply(t, out);
    return out;
  }
  const ElementKernel kernel(p.space, NonlinearDegree(p.space));
  ForEachElement(p.space, kernel, [&](int e, const LocalShapes& s) {
    const HeatMaterial& m = p.materials.Of(e);
    for (int q = 0; q < s.points; q++) {
      const double held = s.measure[q] * m.density * m.specific_heat.Integral(ValueAt(s, q, t));
      for (int a = 0; a < s.dofs; a++)
        out[s.dof[a]] += held * s.shape[static_cast<size_t>(q) * s.dofs + a];
    }
  });
  return out;
}

BlockCsr HeatTangent(const Heat& p, const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                     const Values& t, double content, double flow) {
  BlockCsr a(std::move(graph), 1);
  const HeatMaterials& m = p.materials;
  if (m.Constant(&HeatMaterial::conductivity) && m.Constant(&HeatMaterial::specific_heat)) {
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
