#include "nodal_space.hpp"

#include <cmath>

namespace atelier {
namespace {

double Invert(int n, const double j[3][3], double inverse[3][3]) {
  if (n == 1) {
    inverse[0][0] = 1 / j[0][0];
    return j[0][0];
  }
  if (n == 2) {
    const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    inverse[0][0] = j[1][1] / det;
    inverse[0][1] = -j[0][1] / det;
    inverse[1][0] = -j[1][0] / det;
    inverse[1][1] = j[0][0] / det;
    return det;
  }
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

}  // namespace

NodalSpace::NodalSpace(mfem::Mesh& mesh, int order) : mesh_(&mesh), order_(order) {
  collection_ = std::make_unique<mfem::H1_FECollection>(order, mesh.Dimension());
  fes_ = std::make_unique<mfem::FiniteElementSpace>(&mesh, collection_.get());
  nodes_ = fes_->GetVSize();
  const int elements = mesh.GetNE();
  offset_.assign(elements + 1, 0);
  mfem::Array<int> dofs;
  for (int e = 0; e < elements; e++) {
    fes_->GetElementDofs(e, dofs);
    dof_.insert(dof_.end(), dofs.begin(), dofs.end());
    offset_[e + 1] = dof_.size();
  }
  const ElementKernel kernel = ElementKernel::AtNodes(*this);
  coordinates_.resize(static_cast<size_t>(nodes_) * Dimension());
  for (int e = 0; e < elements; e++) {
    for (int a = 0; a < Count(e); a++) {
      kernel.Position(e, a, &coordinates_[static_cast<size_t>(Dofs(e)[a]) * Dimension()]);
    }
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
    : space_(&space), dimension_(space.Dimension()), references_(mfem::Geometry::NUM_GEOMETRIES) {
  for (int e = 0; e < space.Elements(); e++) {
    if (references_[space.Mesh().GetElementGeometry(e)].dofs == 0)
      AddReference(e, degree, at_nodes);
  }
  CollectCorners();
}

void ElementKernel::AddReference(int e, int degree, bool at_nodes) {
  mfem::Mesh& mesh = space_->Mesh();
  const mfem::FiniteElement& field = space_->Element(e);
  const mfem::FiniteElement& corner =
      mesh.GetNodes() ? *mesh.GetNodes()->FESpace()->GetFE(e)
                      : *mfem::Mesh::GetTransformationFEforElementType(mesh.GetElementType(e));
  const auto geometry = mesh.GetElementGeometry(e);
  const mfem::IntegrationRule& rule =
      at_nodes ? field.GetNodes() : mfem::IntRules.Get(geometry, degree);
  Reference& r = references_[geometry];
  r.dofs = field.GetDof();
  r.points = rule.GetNPoints();
  r.corners = corner.GetDof();
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

void ElementKernel::CollectCorners() {
  mfem::Mesh& mesh = space_->Mesh();
  corner_offset_.assign(space_->Elements() + 1, 0);
  mfem::Array<int> vdofs;
  for (int e = 0; e < space_->Elements(); e++) {
    if (const mfem::GridFunction* nodes = mesh.GetNodes()) {
      nodes->FESpace()->GetElementVDofs(e, vdofs);
      const int count = vdofs.Size() / dimension_;
      for (int a = 0; a < count; a++) {
        for (int k = 0; k < dimension_; k++) corners_.push_back((*nodes)(vdofs[k * count + a]));
      }
    } else {
      const mfem::Element& element = *mesh.GetElement(e);
      for (int a = 0; a < element.GetNVertices(); a++) {
        const double* x = mesh.GetVertex(element.GetVertices()[a]);
        corners_.insert(corners_.end(), x, x + dimension_);
      }
    }
    corner_offset_[e + 1] = corners_.size();
  }
}

void ElementKernel::Position(int e, int q, double* x) const {
  const Reference& r = references_[space_->Mesh().GetElementGeometry(e)];
  const double* corner = &corners_[corner_offset_[e]];
  for (int k = 0; k < dimension_; k++) {
    x[k] = 0;
    for (int a = 0; a < r.corners; a++)
      x[k] += r.corner_shape[q * r.corners + a] * corner[a * dimension_ + k];
  }
}

void ElementKernel::Evaluate(int e, LocalShapes& out) const {
  const auto geometry = space_->Mesh().GetElementGeometry(e);
  const Reference& r = references_[geometry];
  const int n = dimension_;
  const bool affine = r.corners == n + 1;  // a straight simplex: one Jacobian for all points
  const double* corner = &corners_[corner_offset_[e]];
  out.dofs = r.dofs;
  out.points = r.points;
  out.dof = space_->Dofs(e);
  out.shape = r.shape.data();
  out.gradient.resize(static_cast<size_t>(r.points) * r.dofs * n);
  out.measure.resize(r.points);
  double jacobian[3][3], inverse[3][3], det = 0;
  for (int q = 0; q < r.points; q++) {
    if (q == 0 || !affine) {
      const double* d = &r.corner_dshape[static_cast<size_t>(q) * r.corners * n];
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
          jacobian[i][k] = 0;
          for (int a = 0; a < r.corners; a++) jacobian[i][k] += corner[a * n + i] * d[a * n + k];
        }
      }
      det = std::abs(Invert(n, jacobian, inverse));
    }
    out.measure[q] = r.weight[q] * det;
    const double* d = &r.dshape[static_cast<size_t>(q) * r.dofs * n];
    double* g = &out.gradient[static_cast<size_t>(q) * r.dofs * n];
    for (int a = 0; a < r.dofs; a++) {
      for (int k = 0; k < n; k++) {
        double s = 0;
        for (int c = 0; c < n; c++) s += d[a * n + c] * inverse[c][k];
        g[a * n + k] = s;
      }
    }
  }
}

}  // namespace atelier
