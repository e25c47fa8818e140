#include "gradient.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "krylov.hpp"

namespace atelier {

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

constexpr int kMostParts = 8;  // of sums by thread, which take memory

// Sums over the elements that one thread passes; those of all are added up in order, so that the
// result is the same each time.
struct Sums {
  Values flux, weight;  // by node
};

void AddUp(std::vector<Sums>& parts) {
  for (size_t t = 1; t < parts.size(); t++) {
    if (parts[t].weight.empty()) continue;
    Axpy(1, parts[t].flux, parts[0].flux);
    Axpy(1, parts[t].weight, parts[0].weight);
  }
}

// A field whose fluxes are wanted.
struct Field {
  const NodalSpace& space;
  const Values& u;
  const PointCoefficient& conductivity;
  const std::vector<int>& material;
  bool uniform;  // its gradient within each element
};

// The gradients of a field at points of one element after the other.
template <int D>
class Gradient {
 public:
  explicit Gradient(const Field& field) : field_(field) {}

  const double* At(const LocalShapes& s, int q) {
    if (q > 0 && field_.uniform) return value_;
    for (double& v : value_) v = 0;
    const double* g = &s.gradient[static_cast<size_t>(q) * s.dofs * D];
    for (int a = 0; a < s.dofs; a++) {
      const double u = field_.u[s.dof[a]];
      for (int c = 0; c < D; c++) value_[c] += u * g[a * D + c];
    }
    return value_;
  }

 private:
  const Field& field_;
  double value_[D];
};

// The nodal averages over the elements of material m, [node * dimension + c].
template <int D>
Values Average(const Field& field, int m, const ElementKernel& at_points) {
  const int nodes = field.space.Nodes();
  const ElementKernel at_nodes = ElementKernel::AtNodes(field.space);
  const int threads = std::min(omp_get_max_threads(), kMostParts);
  std::vector<Sums> parts(threads);
#pragma omp parallel num_threads(threads)
  {
    Sums& mine = parts[omp_get_thread_num()];
    mine = {Values(static_cast<size_t>(nodes) * D, 0.0), Values(nodes, 0.0)};
    LocalShapes s;
    Gradient<D> gradient(field);
#pragma omp for schedule(static)
    for (int e = 0; e < field.space.Elements(); e++) {
      if (field.material[e] != m) continue;
      const double volume = at_points.Measure(e);
      at_nodes.Evaluate(e, s);
      for (int a = 0; a < s.dofs; a++) {
        const double* g = gradient.At(s, a);
        const double weight = -volume * field.conductivity(e, s, a);
        mine.weight[s.dof[a]] += volume;
        for (int c = 0; c < D; c++)
          mine.flux[static_cast<size_t>(s.dof[a]) * D + c] += weight * g[c];
      }
    }
  }
  AddUp(parts);
  Values mean = std::move(parts[0].flux);
  for (int i = 0; i < nodes; i++) {
    for (int c = 0; c < D && parts[0].weight[i] > 0; c++)
      mean[static_cast<size_t>(i) * D + c] /= parts[0].weight[i];
  }
  return mean;
}

// The energy of element e, and the square of the norm of what differs from the averages.
template <int D>
std::pair<double, double> Energies(const Field& field, const LocalShapes& s, int e,
                                   Gradient<D>& gradient, const Values& mean) {
  double energy = 0, square = 0;
  for (int q = 0; q < s.points; q++) {
    const double k = field.conductivity(e, s, q);
    const double* g = gradient.At(s, q);
    const double* shape = &s.shape[static_cast<size_t>(q) * s.dofs];
    double difference[D];
    for (int c = 0; c < D; c++) {
      difference[c] = -k * g[c];
      energy += s.measure[q] * k * g[c] * g[c];
    }
    for (int a = 0; a < s.dofs; a++) {
      const double* of_node = &mean[static_cast<size_t>(s.dof[a]) * D];
      for (int c = 0; c < D; c++) difference[c] -= shape[a] * of_node[c];
    }
    for (int c = 0; c < D; c++) square += s.measure[q] * difference[c] * difference[c] / k;
  }
  return {energy, square};
}

// Adds those of the elements of material m.
template <int D>
void Estimate(const Field& field, int m, const ElementKernel& at_points, const Values& mean,
              FluxField& f) {
  double energy = 0, error = 0;
#pragma omp parallel
  {
    LocalShapes local;
    Gradient<D> gradient(field);
#pragma omp for schedule(static) reduction(+ : energy, error)
    for (int e = 0; e < field.space.Elements(); e++) {
      if (field.material[e] != m) continue;
      at_points.Evaluate(e, local);
      const auto [own, square] = Energies<D>(field, local, e, gradient, mean);
      energy += own;
      error += square;
      f.element_error[e] = std::sqrt(square);
    }
  }
  f.energy += energy;
  f.error += error;
}

// The averages over the elements of material m, whose energies and errors are added to f.
template <int D>
Values RecoverIn(const Field& field, int m, const ElementKernel& at_points, FluxField& f) {
  Values mean = Average<D>(field, m, at_points);
  Estimate<D>(field, m, at_points, mean, f);
  return mean;
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
  const bool uniform = space.Order() == 1 && space.StraightSimplices();
  const Field field = {space, u, conductivity, material, uniform};
  const auto recover = dim == 1 ? RecoverIn<1> : dim == 2 ? RecoverIn<2> : RecoverIn<3>;
  for (int m = 0; m < materials; m++) {
    const Values mean = recover(field, m, at_points, f);
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
#pragma omp parallel
  {
    LocalShapes s;
#pragma omp for schedule(static) reduction(+ : sum)
    for (int e = 0; e < space.Elements(); e++) {
      kernel.Evaluate(e, s);
      for (int q = 0; q < s.points; q++) sum += s.measure[q] * ValueAt(s, q, u);
    }
  }
  return sum;
}

namespace {

// The field inside one element, by the sign that makes an extreme a maximum; of a field of several
// components their length.
class ElementField {
 public:
  ElementField(const NodalSpace& space, const Values& field, int components, int e, double sign)
      : element_(space.Element(e)),
        dofs_(space.Dofs(e)),
        geometry_(space.Mesh().GetElementGeometry(e)),
        dimension_(space.Dimension()),
        components_(components),
        shape_(space.Count(e)) {
    for (int a = 0; a < space.Count(e); a++) {
      for (int c = 0; c < components; c++)
        value_.push_back(sign * field[static_cast<size_t>(space.Dofs(e)[a]) * components + c]);
    }
  }

  double Top() const {
    double top = -INFINITY;
    for (size_t a = 0; a < value_.size(); a += components_) top = std::max(top, Size(&value_[a]));
    return top;
  }
  double Span() const {
    double sum = 0;
    for (int c = 0; c < components_; c++) {
      double low = INFINITY, high = -INFINITY;
      for (size_t a = c; a < value_.size(); a += components_)
        low = std::min(low, value_[a]), high = std::max(high, value_[a]);
      sum += (high - low) * (high - low);
    }
    return std::sqrt(sum);
  }

  double At(const mfem::IntegrationPoint& point) const {
    element_.CalcShape(point, shape_);
    double sum[3] = {};
    for (int a = 0; a < shape_.Size(); a++) {
      for (int c = 0; c < components_; c++) sum[c] += shape_(a) * value_[a * components_ + c];
    }
    return Size(sum);
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
  double Size(const double* v) const {
    if (components_ == 1) return *v;
    double sum = 0;
    for (int c = 0; c < components_; c++) sum += v[c] * v[c];
    return std::sqrt(sum);
  }
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
  int dimension_, components_;
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

namespace {

// The extreme of the field, or of the length of its components, from that of the nodes on.
FieldExtreme Inside(const NodalSpace& space, const Values& field, int components, double sign,
                    FieldExtreme best) {
  constexpr double kLeastRise = 1e-9;  // of the value: less is rounding
  for (int e = 0; space.Order() > 1 && e < space.Elements(); e++) {
    const ElementField inside(space, field, components, e, sign);
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

}  // namespace

FieldExtreme ExtremeOf(const NodalSpace& space, const Values& field, bool top) {
  return Inside(space, field, 1, top ? 1 : -1, NodalExtreme(space, field, top));
}

FieldExtreme LongestOf(const NodalSpace& space, const Values& field) {
  const int dim = space.Dimension();
  Values length(space.Nodes(), 0.0);
  for (size_t i = 0; i < field.size(); i++) length[i / dim] += field[i] * field[i];
  for (double& l : length) l = std::sqrt(l);
  return Inside(space, field, dim, 1, NodalExtreme(space, length, true));
}

double AboveNode(const NodalSpace& space, const Values& field, int node) {
  const int dim = space.Dimension();
  auto apart = [&](int a, double of_a, int b, double of_b, int c, double of_c) {
    double squares = 0;
    for (int k = 0; k < dim; k++) {
      auto at = [&](int n) { return field[static_cast<size_t>(n) * dim + k]; };
      squares += std::pow(of_a * at(a) + of_b * at(b) + of_c * at(c), 2);
    }
    return std::sqrt(squares);
  };
  const double size = apart(node, 1, node, 0, node, 0);
  if (size == 0) return 0;
  double sag = 0, drop = 0;  // of an edge's middle from its ends; along an edge
  for (int e = 0; e < space.Elements(); e++) {
    const int* dofs = space.Dofs(e);
    if (std::find(dofs, dofs + space.Count(e), node) == dofs + space.Count(e)) continue;
    const mfem::Element& element = *space.Mesh().GetElement(e);
    for (int i = 0; i < element.GetNEdges(); i++) {
      const int* ends = element.GetEdgeVertices(i);
      const int a = dofs[ends[0]], b = dofs[ends[1]];
      drop = std::max(drop, apart(a, 1, b, -1, b, 0));
      if (space.Order() > 1)
        sag = std::max(sag, apart(dofs[element.GetNVertices() + i], 1, a, -0.5, b, -0.5));
    }
  }
  // Of u = size cos(k x) about its crest: lines miss (k h)^2 / 8 of it, an eighth of what the
  // edge beside falls; parabolas, whose sag is (k h)^2 / 8, miss (k h)^4 / 384 = sag^2 / 6. Twice
  // that, since the crest lies anywhere.
  if (space.Order() == 1) return drop / 8;
  return std::max(0.0, LongestOf(space, field).value - size) + sag * sag / (3 * size);
}

}  // namespace atelier
