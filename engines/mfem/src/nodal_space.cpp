#include "nodal_space.hpp"

#include <algorithm>
#include <cmath>

namespace atelier {
namespace {

constexpr double kOnAxis = 1e-6;  // of the largest radius: meshes are written with some digits

template <int N>
double Invert(const double j[N][N], double inverse[N][N]) {
  if constexpr (N == 1) {
    inverse[0][0] = 1 / j[0][0];
    return j[0][0];
  } else if constexpr (N == 2) {
    const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    inverse[0][0] = j[1][1] / det;
    inverse[0][1] = -j[0][1] / det;
    inverse[1][0] = -j[1][0] / det;
    inverse[1][1] = j[0][0] / det;
    return det;
  } else {
    const double det = j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
                       j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
                       j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        const int r1 = (b + 1) % 3, r2 = (b + 2) % 3, c1 = (a + 1) % 3, c2 = (a + 2) % 3;
        inverse[a][b] = (j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1]) / det;
      }
    }
    return det;
  }
}

}  // namespace

NodalSpace::NodalSpace(mfem::Mesh& mesh, int order, bool axisymmetric)
    : mesh_(&mesh),
      order_(order),
      straight_simplices_(!mesh.GetNodes()),
      axisymmetric_(axisymmetric) {
  collection_ = std::make_unique<mfem::H1_FECollection>(order, mesh.Dimension());
  fes_ = std::make_unique<mfem::FiniteElementSpace>(&mesh, collection_.get());
  nodes_ = fes_->GetVSize();
  const int elements = mesh.GetNE();
  offset_.assign(elements + 1, 0);
  geometry_.resize(elements);
  mfem::Array<int> dofs;
  for (int e = 0; e < elements; e++) {
    fes_->GetElementDofs(e, dofs);
    if (e == 0) dof_.reserve(static_cast<size_t>(elements) * dofs.Size());
    dof_.insert(dof_.end(), dofs.begin(), dofs.end());
    offset_[e + 1] = dof_.size();
    geometry_[e] = static_cast<signed char>(mesh.GetElementGeometry(e));
    if (mesh.GetElement(e)->GetNVertices() != mesh.Dimension() + 1) straight_simplices_ = false;
  }
  CollectCurves();
  Locate();
  for (size_t i = 0; axisymmetric_ && i < coordinates_.size(); i += mesh.Dimension())
    axis_ = std::max(axis_, kOnAxis * coordinates_[i]);
}

void NodalSpace::CollectCurves() {
  const mfem::GridFunction* nodes = mesh_->GetNodes();
  if (!nodes) return;
  const int elements = Elements(), dim = Dimension();
  curve_offset_.assign(elements + 1, 0);
  mfem::Array<int> vdofs;
  for (int e = 0; e < elements; e++) {
    nodes->FESpace()->GetElementVDofs(e, vdofs);
    if (e == 0) curve_.reserve(static_cast<size_t>(elements) * vdofs.Size());
    const int count = vdofs.Size() / dim;
    for (int a = 0; a < count; a++) {
      for (int k = 0; k < dim; k++) curve_.push_back((*nodes)(vdofs[k * count + a]));
    }
    curve_offset_[e + 1] = curve_.size();
  }
}

void NodalSpace::Locate() {
  const int dim = Dimension();
  coordinates_.resize(static_cast<size_t>(nodes_) * dim);
  for (int e = 0; curve_.empty() && e < Elements(); e++) {
    const mfem::Element& element = *mesh_->GetElement(e);
    for (int a = 0; a < element.GetNVertices(); a++)
      std::copy_n(mesh_->GetVertex(element.GetVertices()[a]), dim,
                  &coordinates_[static_cast<size_t>(Dofs(e)[a]) * dim]);
  }
  if (curve_.empty() && order_ == 1) return;
  const ElementKernel kernel = ElementKernel::AtNodes(*this);
  for (int e = 0; e < Elements(); e++) {
    const int corners = curve_.empty() ? mesh_->GetElement(e)->GetNVertices() : 0;
    for (int a = corners; a < Count(e); a++)
      kernel.Position(e, a, &coordinates_[static_cast<size_t>(Dofs(e)[a]) * dim]);
  }
}

std::vector<double> NodalSpace::Point(int node) const {
  const auto* x = &coordinates_[static_cast<size_t>(node) * Dimension()];
  return std::vector<double>(x, x + Dimension());
}

std::vector<int> NodalSpace::BoundaryDofs(int b) const {
  mfem::Array<int> dofs;
  fes_->GetBdrElementDofs(b, dofs);
  return std::vector<int>(dofs.begin(), dofs.end());
}

ElementKernel::ElementKernel(const NodalSpace& space, int degree)
    : ElementKernel(space, degree, false) {}

ElementKernel ElementKernel::AtNodes(const NodalSpace& space) { return {space, 0, true}; }

ElementKernel::ElementKernel(const NodalSpace& space, int degree, bool at_nodes)
    : space_(&space),
      dimension_(space.Dimension()),
      degree_(degree + (space.Axisymmetric() ? 1 : 0)),
      references_(mfem::Geometry::NUM_GEOMETRIES) {
  for (int e = 0; e < space.Elements(); e++) {
    if (references_[space.Geometry(e)].dofs == 0) AddReference(e, at_nodes);
  }
}

void ElementKernel::AddReference(int e, bool at_nodes) {
  mfem::Mesh& mesh = space_->Mesh();
  const mfem::FiniteElement& field = space_->Element(e);
  const mfem::FiniteElement& corner =
      mesh.GetNodes() ? *mesh.GetNodes()->FESpace()->GetFE(e)
                      : *mfem::Mesh::GetTransformationFEforElementType(mesh.GetElementType(e));
  const auto geometry = mesh.GetElementGeometry(e);
  const mfem::IntegrationRule& rule = at_nodes ? field.GetNodes() : Rule(geometry);
  Reference& r = references_[geometry];
  r.dofs = field.GetDof();
  r.points = rule.GetNPoints();
  r.corners = corner.GetDof();
  r.constant = r.dofs == dimension_ + 1;  // linear on a simplex
  mfem::Vector shape(r.dofs), corner_shape(r.corners);
  mfem::DenseMatrix dshape(r.dofs, dimension_), corner_dshape(r.corners, dimension_);
  for (int q = 0; q < r.points; q++) {
    const mfem::IntegrationPoint& ip = rule.IntPoint(q);
    r.weight.push_back(at_nodes ? 0 : ip.weight);
    field.CalcShape(ip, shape);
    field.CalcDShape(ip, dshape);
    corner.CalcShape(ip, corner_shape);
    corner.CalcDShape(ip, corner_dshape);
    for (int a = 0; a < r.dofs; a++) {
      r.shape.push_back(shape(a));
      for (int k = 0; k < dimension_; k++) r.dshape.push_back(dshape(a, k));
    }
    for (int a = 0; a < r.corners; a++) {
      r.corner_shape.push_back(corner_shape(a));
      for (int k = 0; k < dimension_; k++) r.corner_dshape.push_back(corner_dshape(a, k));
    }
  }
}

void ElementKernel::Position(int e, int q, double* x) const {
  const Reference& r = references_[space_->Geometry(e)];
  double sum[3] = {};  // x may be where a corner is kept
  for (int a = 0; a < r.corners; a++) {
    const double* corner = Corner(e, a);
    for (int k = 0; k < dimension_; k++) sum[k] += r.corner_shape[q * r.corners + a] * corner[k];
  }
  for (int k = 0; k < dimension_; k++) x[k] = sum[k];
}

template <int N>
double ElementKernel::Jacobian(int e, const Reference& r, int q, double inverse[N][N]) const {
  const double* d = &r.corner_dshape[static_cast<size_t>(q) * r.corners * N];
  double jacobian[N][N] = {};
  for (int a = 0; a < r.corners; a++) {
    const double* corner = Corner(e, a);
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < N; k++) jacobian[i][k] += corner[i] * d[a * N + k];
    }
  }
  return std::abs(Invert<N>(jacobian, inverse));
}

template <int N>
double ElementKernel::MeasureIn(int e, const Reference& r) const {
  double inverse[N][N] = {}, det = 0, sum = 0;
  for (int q = 0; q < r.points; q++) {
    if (q == 0 || !Affine(r)) det = Jacobian<N>(e, r, q, inverse);
    sum += r.weight[q] * det * (space_->Axisymmetric() ? 2 * M_PI * Radius(e, r, q) : 1);
  }
  return sum;
}

double ElementKernel::Measure(int e) const {
  const Reference& r = references_[space_->Geometry(e)];
  return dimension_ == 1   ? MeasureIn<1>(e, r)
         : dimension_ == 2 ? MeasureIn<2>(e, r)
                           : MeasureIn<3>(e, r);
}

template <int N>
void ElementKernel::EvaluateIn(int e, const Reference& r, LocalShapes& out) const {
  const bool affine = Affine(r);
  const size_t of_point = static_cast<size_t>(r.dofs) * N;
  double inverse[N][N] = {}, det = 0;
  for (int q = 0; q < r.points; q++) {
    if (q == 0 || !affine) det = Jacobian<N>(e, r, q, inverse);
    out.measure[q] = r.weight[q] * det;
    double* g = &out.gradient[q * of_point];
    if (q > 0 && affine && r.constant) {
      std::copy_n(out.gradient.data(), of_point, g);
      continue;
    }
    const double* d = &r.dshape[q * of_point];
    for (int a = 0; a < r.dofs; a++) {
      for (int k = 0; k < N; k++) {
        double s = 0;
        for (int c = 0; c < N; c++) s += d[a * N + c] * inverse[c][k];
        g[a * N + k] = s;
      }
    }
  }
}

double ElementKernel::Radius(int e, const Reference& r, int q) const {
  double radius = 0;
  for (int a = 0; a < r.corners; a++)
    radius += r.corner_shape[static_cast<size_t>(q) * r.corners + a] * Corner(e, a)[0];
  return radius;
}

void ElementKernel::Turn(int e, const Reference& r, LocalShapes& out) const {
  out.hoop.resize(static_cast<size_t>(r.points) * r.dofs);
  for (int q = 0; q < r.points; q++) {
    const double radius = Radius(e, r, q);
    const bool on_axis = space_->OnAxis(radius);
    out.measure[q] *= 2 * M_PI * radius;
    for (int a = 0; a < r.dofs; a++) {
      const size_t at = static_cast<size_t>(q) * r.dofs + a;
      out.hoop[at] = on_axis ? out.gradient[at * dimension_] : r.shape[at] / radius;
    }
  }
}

void ElementKernel::Evaluate(int e, LocalShapes& out) const {
  const Reference& r = references_[space_->Geometry(e)];
  out.dofs = r.dofs;
  out.points = r.points;
  out.dof = space_->Dofs(e);
  out.shape = r.shape.data();
  out.gradient.resize(static_cast<size_t>(r.points) * r.dofs * dimension_);
  out.measure.resize(r.points);
  switch (dimension_) {
    case 1:
      return EvaluateIn<1>(e, r, out);
    case 2:
      EvaluateIn<2>(e, r, out);
      if (space_->Axisymmetric()) Turn(e, r, out);
      return;
    default:
      return EvaluateIn<3>(e, r, out);
  }
}

}  // namespace atelier
