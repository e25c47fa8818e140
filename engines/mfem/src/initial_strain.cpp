#include "initial_strain.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "gradient.hpp"

namespace atelier {

namespace {

double LargestComponent(const Tensor& t) {
  double most = 0;
  for (const auto& row : t.a) {
    for (double s : row) most = std::max(most, std::abs(s));
  }
  return most;
}

// Polynomials of one order less than those of a space, on a reference element.
struct Lower {
  Eigen::MatrixXd at_points, at_nodes;  // [point or node of the space, polynomial]
};

Eigen::MatrixXd Tabulate(const mfem::FiniteElement* polynomials, const mfem::IntegrationRule& at) {
  if (!polynomials) return Eigen::MatrixXd::Ones(at.GetNPoints(), 1);
  Eigen::MatrixXd out(at.GetNPoints(), polynomials->GetDof());
  mfem::Vector shape(polynomials->GetDof());
  for (int q = 0; q < at.GetNPoints(); q++) {
    polynomials->CalcShape(at.IntPoint(q), shape);
    for (int c = 0; c < shape.Size(); c++) out(q, c) = shape(c);
  }
  return out;
}

// A field by node as polynomials of one order less, element by element in the mean square, by
// the nodes of every element.
Values OneOrderLess(const NodalSpace& space, const Values& field) {
  const ElementKernel kernel(space, MassDegree(space));
  const mfem::H1_FECollection linear(1, space.Dimension());
  std::vector<Lower> by_geometry(mfem::Geometry::NUM_GEOMETRIES);
  Values out;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    const auto geometry = space.Mesh().GetElementGeometry(e);
    Lower& lower = by_geometry[geometry];
    if (lower.at_points.size() == 0) {
      const mfem::FiniteElement* polynomials =
          space.Order() == 1 ? nullptr : linear.FiniteElementForGeometry(geometry);
      lower = {Tabulate(polynomials, kernel.Rule(geometry)),
               Tabulate(polynomials, space.Element(e).GetNodes())};
    }
    const Eigen::Map<const Eigen::VectorXd> measure(s.measure.data(), s.points);
    Eigen::VectorXd value(s.points);
    for (int q = 0; q < s.points; q++) value[q] = ValueAt(s, q, field);
    const Eigen::MatrixXd weighted = lower.at_points.transpose() * measure.asDiagonal();
    const Eigen::VectorXd nodal =
        lower.at_nodes * (weighted * lower.at_points).ldlt().solve(weighted * value);
    out.insert(out.end(), nodal.begin(), nodal.end());
  });
  return out;
}

}  // namespace

double InitialStrain::Largest() const {
  double most = 0;
  for (const Tensor& t : stress_) most = std::max(most, LargestComponent(t));
  return most + most_of_field_;
}

Tensor InitialStrain::At(const std::vector<Tensor>& constant, const std::vector<Tensor>& unit,
                         int e, const LocalShapes& s, int q) const {
  const Tensor base = constant.empty() ? Tensor{} : constant[e];
  if (field_.empty()) return base;
  double value = 0;
  for (int a = 0; a < s.dofs; a++)
    value += s.shape[static_cast<size_t>(q) * s.dofs + a] * field_[offset_[e] + a];
  return Sum(base, value, unit[e]);
}

InitialStrain InitialStrain::Of(const NodalSpace& space, const Lame& lame, std::vector<Tensor> unit,
                                const Values& field) {
  InitialStrain out;
  out.field_ = OneOrderLess(space, field);
  size_t next = 0;
  for (int e = 0; e < space.Elements(); e++) {
    out.offset_.push_back(next);
    out.unit_stress_.push_back(atelier::Stress(unit[e], lame.lambda[e], lame.mu[e]));
    const double stress = LargestComponent(out.unit_stress_.back());
    for (int a = 0; a < space.Count(e); a++, next++)
      out.most_of_field_ = std::max(out.most_of_field_, stress * std::abs(out.field_[next]));
  }
  out.unit_ = std::move(unit);
  return out;
}

void InitialStrain::Add(const Lame& lame, int e, const Tensor& strain) {
  strain_.resize(lame.mu.size());
  stress_.resize(lame.mu.size());
  strain_[e] = Sum(strain_[e], 1, strain);
  stress_[e] = atelier::Stress(strain_[e], lame.lambda[e], lame.mu[e]);
}

void InitialStrain::Add(const InitialStrain& other) {
  strain_.resize(std::max(strain_.size(), other.strain_.size()));
  stress_.resize(strain_.size());
  for (size_t e = 0; e < other.strain_.size(); e++) {
    strain_[e] = Sum(strain_[e], 1, other.strain_[e]);
    stress_[e] = Sum(stress_[e], 1, other.stress_[e]);
  }
  if (!other.Varies()) return;
  unit_ = other.unit_;
  unit_stress_ = other.unit_stress_;
  field_ = other.field_;
  offset_ = other.offset_;
  most_of_field_ = other.most_of_field_;
}

Tensor ElasticStress(const Tensor& strain, const Lame& lame, int e, const LocalShapes& s, int q,
                     const InitialStrain& initial) {
  return Sum(Stress(strain, lame.lambda[e], lame.mu[e]), -1, initial.Stress(e, s, q));
}

void AddInitialLoad(const NodalSpace& space, const InitialStrain& initial, Values& load) {
  if (!initial.Any()) return;
  const int dim = space.Dimension();
  const int varying = initial.Varies() ? space.Order() - 1 : 0;
  const ElementKernel kernel(space, GradientDegree(space) + varying);
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      const Tensor stress = initial.Stress(e, s, q);
      for (int a = 0; a < s.dofs; a++) {
        const double* shape = &s.gradient[(static_cast<size_t>(q) * s.dofs + a) * dim];
        double* to = &load[static_cast<size_t>(s.dof[a]) * dim];
        for (int i = 0; i < dim; i++) {
          for (int k = 0; k < dim; k++) to[i] += s.measure[q] * stress.a[i][k] * shape[k];
        }
        if (!s.hoop.empty())
          to[0] += s.measure[q] * stress.a[2][2] * s.hoop[static_cast<size_t>(q) * s.dofs + a];
      }
    }
  });
}

double ElasticEnergy(const NodalSpace& space, const Values& u, const Lame& lame,
                     const InitialStrain& initial) {
  const int dim = space.Dimension();
  const ElementKernel kernel(space, GradientDegree(space) + 2);
  double sum = 0;
  ForEachElement(space, kernel, [&](int e, const LocalShapes& s) {
    for (int q = 0; q < s.points; q++) {
      const Tensor strain = Symmetric(DisplacementGradient(dim, s, q, u));
      const Tensor elastic = Sum(strain, -1, initial.Strain(e, s, q));
      sum += 0.5 * s.measure[q] * Product(elastic, ElasticStress(strain, lame, e, s, q, initial));
    }
  });
  return sum;
}

}  // namespace atelier
