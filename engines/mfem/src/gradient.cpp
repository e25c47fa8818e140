#include "gradient.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {
namespace {

void ElementFlux(int dim, const LocalShapes& s, int q, const Values& u, double k, double* out) {
  GradientAt(dim, s, q, u, out);
  for (int c = 0; c < dim; c++) out[c] *= -k;
}

}  // namespace

double ValueAt(const LocalShapes& s, int q, const Values& u) {
  double sum = 0;
  for (int a = 0; a < s.dofs; a++)
    sum += s.shape[static_cast<size_t>(q) * s.dofs + a] * u[s.dof[a]];
  return sum;
}

void GradientAt(int dim, const LocalShapes& s, int q, const Values& u, double* out) {
  for (int c = 0; c < dim; c++) out[c] = 0;
  for (int a = 0; a < s.dofs; a++) {
    const double* g = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
    for (int c = 0; c < dim; c++) out[c] += u[s.dof[a]] * g[c];
  }
}

double EstimatorFactor(int order) { return order == 1 ? 1.1 : 1.75; }

namespace {

// Adds the elements of material m to the nodal averages, [node * dimension + c].
Values Average(const NodalSpace& space, const Values& u, const PointCoefficient& conductivity,
               const std::vector<int>& material, int m, const ElementKernel& at_points) {
  const int dim = space.Dimension(), nodes = space.Nodes();
  const ElementKernel at_nodes = ElementKernel::AtNodes(space);
  Values mean(static_cast<size_t>(nodes) * dim, 0.0), weight(nodes, 0.0);
  LocalShapes s, points;
  for (int e = 0; e < space.Elements(); e++) {
    if (material[e] != m) continue;
    at_points.Evaluate(e, points);
    double volume = 0;
    for (double w : points.measure) volume += w;
    at_nodes.Evaluate(e, s);
    for (int a = 0; a < s.dofs; a++) {
      double q[3];
      ElementFlux(dim, s, a, u, conductivity(e, s, a), q);
      weight[s.dof[a]] += volume;
      for (int c = 0; c < dim; c++) mean[static_cast<size_t>(s.dof[a]) * dim + c] += volume * q[c];
    }
  }
  for (int i = 0; i < nodes; i++) {
    for (int c = 0; c < dim && weight[i] > 0; c++)
      mean[static_cast<size_t>(i) * dim + c] /= weight[i];
  }
  return mean;
}

// Adds the energy of the elements of material m, and the norms of what differs from the averages.
void Estimate(const NodalSpace& space, const Values& u, const PointCoefficient& conductivity,
              const std::vector<int>& material, int m, const ElementKernel& at_points,
              const Values& mean, FluxField& f) {
  const int dim = space.Dimension();
  LocalShapes local;
  for (int e = 0; e < space.Elements(); e++) {
    if (material[e] != m) continue;
    at_points.Evaluate(e, local);
    double square = 0;
    for (int q = 0; q < local.points; q++) {
      const double k = conductivity(e, local, q);
      double difference[3];
      ElementFlux(dim, local, q, u, k, difference);
      for (int c = 0; c < dim; c++)
        f.energy += local.measure[q] * difference[c] * difference[c] / k;
      for (int a = 0; a < local.dofs; a++) {
        const double shape = local.shape[static_cast<size_t>(q) * local.dofs + a];
        for (int c = 0; c < dim; c++)
          difference[c] -= shape * mean[static_cast<size_t>(local.dof[a]) * dim + c];
      }
      for (int c = 0; c < dim; c++) square += local.measure[q] * difference[c] * difference[c] / k;
    }
    f.element_error[e] = std::sqrt(square);
    f.error += square;
  }
}

double Square(const double* v, int dim) {
  double sum = 0;
  for (int c = 0; c < dim; c++) sum += v[c] * v[c];
  return sum;
}

}  // namespace

FluxField RecoverFlux(const NodalSpace& space, const Values& u, const Values& conductivity) {
  return RecoverFlux(
      space, u, [&](int e, const LocalShapes&, int) { return conductivity[e]; },
      std::vector<int>(space.Elements(), 0));
}

FluxField RecoverFlux(const NodalSpace& space, const Values& u,
                      const PointCoefficient& conductivity, const std::vector<int>& material) {
  const int dim = space.Dimension(), nodes = space.Nodes();
  const ElementKernel at_points(space, MassDegree(space));
  FluxField f;
  f.flux.assign(static_cast<size_t>(nodes) * dim, 0.0);
  f.element_error.assign(space.Elements(), 0.0);
  const int materials = 1 + *std::max_element(material.begin(), material.end());
  for (int m = 0; m < materials; m++) {
    const Values mean = Average(space, u, conductivity, material, m, at_points);
    Estimate(space, u, conductivity, material, m, at_points, mean, f);
    for (int i = 0; i < nodes; i++) {
      const double* own = &mean[static_cast<size_t>(i) * dim];
      double* told = &f.flux[static_cast<size_t>(i) * dim];
      if (Square(own, dim) > Square(told, dim)) std::copy_n(own, dim, told);
    }
  }
  f.error = std::sqrt(f.error);
  return f;
}

double Integral(const NodalSpace& space, const Values& u) {
  const ElementKernel kernel(space, space.Order() + 1);
  double sum = 0;
  ForEachElement(space, kernel, [&](int, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) sum += s.measure[q] * ValueAt(s, q, u);
  });
  return sum;
}

namespace {

// The field inside one element, by the sign that makes an extreme a maximum.
class ElementField {
 public:
  ElementField(const NodalSpace& space, const Values& field, int e, double sign)
      : element_(space.Element(e)),
        dofs_(space.Dofs(e)),
        geometry_(space.Mesh().GetElementGeometry(e)),
        dimension_(space.Dimension()),
        shape_(space.Count(e)) {
    for (int a = 0; a < space.Count(e); a++) value_.push_back(sign * field[space.Dofs(e)[a]]);
  }

  double Top() const { return *std::max_element(value_.begin(), value_.end()); }
  double Span() const { return Top() - *std::min_element(value_.begin(), value_.end()); }

  double At(const mfem::IntegrationPoint& point) const {
    element_.CalcShape(point, shape_);
    double sum = 0;
    for (int a = 0; a < shape_.Size(); a++) sum += shape_(a) * value_[a];
    return sum;
  }

  // The maximum: the best point of a lattice, then steps, halved where none of them
  // leads up (Hooke and Jeeves 1961).
  double Maximum(mfem::IntegrationPoint& best) const {
    constexpr int kSamples = 8;
    constexpr double kLeastStep = 1e-7;
    const mfem::IntegrationRule& lattice =
        mfem::GlobGeometryRefiner.Refine(geometry_, kSamples, 1)->RefPts;
    best = lattice.IntPoint(0);
    double most = At(best);
    for (int q = 1; q < lattice.GetNPoints(); q++) {
      const double there = At(lattice.IntPoint(q));
      if (there > most) most = there, best = lattice.IntPoint(q);
    }
    for (double step = 0.5 / kSamples; step > kLeastStep;) {
      if (!Climb(step, best, most)) step /= 2;
    }
    return most;
  }

  std::vector<std::pair<int, double>> Weights(const mfem::IntegrationPoint& point) const {
    element_.CalcShape(point, shape_);
    std::vector<std::pair<int, double>> out;
    for (int a = 0; a < shape_.Size(); a++) out.emplace_back(dofs_[a], shape_(a));
    return out;
  }

 private:
  // Along the axes and, which the slanted sides of simplices need, from each towards
  // another.
  bool Climb(double step, mfem::IntegrationPoint& best, double& most) const {
    bool up = false;
    for (int i = 0; i < dimension_; i++) {
      for (int j = 0; j < dimension_; j++) {
        for (const double length : {step, -step}) {
          mfem::IntegrationPoint next = best;
          double* axis[] = {&next.x, &next.y, &next.z};
          *axis[i] += length;
          if (j != i) *axis[j] -= length;
          if (!mfem::Geometry::CheckPoint(geometry_, next)) continue;
          const double there = At(next);
          if (there > most) most = there, best = next, up = true;
        }
      }
    }
    return up;
  }

  const mfem::FiniteElement& element_;
  const int* dofs_;
  mfem::Geometry::Type geometry_;
  int dimension_;
  mutable mfem::Vector shape_;
  std::vector<double> value_;
};

}  // namespace

FieldExtreme NodalExtreme(const NodalSpace& space, const Values& field, bool top) {
  const auto found = top ? std::max_element(field.begin(), field.end())
                         : std::min_element(field.begin(), field.end());
  const int node = static_cast<int>(found - field.begin());
  return {*found, node, space.Point(node), {{node, 1.0}}};
}

FieldExtreme ExtremeOf(const NodalSpace& space, const Values& field, bool top) {
  constexpr double kLeastRise = 1e-9;  // of the value: less is rounding
  const double sign = top ? 1 : -1;
  FieldExtreme best = NodalExtreme(space, field, top);
  for (int e = 0; space.Order() > 1 && e < space.Elements(); e++) {
    const ElementField inside(space, field, e, sign);
    const double least = sign * best.value + kLeastRise * std::abs(best.value);
    // A parabola rises above its highest node by at most an eighth of what it spans
    // twice, along each axis.
    if (inside.Top() + 0.25 * space.Dimension() * inside.Span() <= least) continue;
    mfem::IntegrationPoint place;
    const double most = inside.Maximum(place);
    if (most <= least) continue;
    best.value = sign * most;
    best.node = -1;
    best.weights = inside.Weights(place);
    mfem::Vector at(space.Mesh().SpaceDimension());
    space.Mesh().GetElementTransformation(e)->Transform(place, at);
    best.at.assign(at.begin(), at.end());
  }
  return best;
}

}  // namespace atelier
