// Continuous Lagrange spaces and the evaluation of their shape functions.
#pragma once

#include <memory>
#include <vector>

#include "mfem.hpp"

namespace atelier {

// A scalar H1 space of order 1 or 2 with its tables in flat arrays, which
// threads may read together. Vector fields have a node's components together:
// unknown = node * components + component.
class NodalSpace {
 public:
  // axisymmetric: the 2-D mesh is half the section of a body of revolution about y.
  NodalSpace(mfem::Mesh& mesh, int order, bool axisymmetric = false);

  mfem::Mesh& Mesh() const { return *mesh_; }
  int Dimension() const { return mesh_->Dimension(); }
  int Order() const { return order_; }
  int Nodes() const { return nodes_; }
  int Elements() const { return mesh_->GetNE(); }
  int Count(int e) const { return static_cast<int>(offset_[e + 1] - offset_[e]); }
  const int* Dofs(int e) const { return &dof_[offset_[e]]; }
  const mfem::FiniteElement& Element(int e) const { return *fes_->GetFE(e); }
  // Of nodes, metres: [node * dimension + k].
  const std::vector<double>& Coordinates() const { return coordinates_; }
  bool Axisymmetric() const { return axisymmetric_; }
  // Whether a radius, m, or a node is on the axis of revolution but for rounding.
  bool OnAxis(double radius) const { return axisymmetric_ && radius <= axis_; }
  bool IsOnAxis(int node) const {
    return OnAxis(coordinates_[static_cast<size_t>(node) * Dimension()]);
  }
  std::vector<double> Point(int node) const;
  // mfem::Geometry::Type of element e.
  int Geometry(int e) const { return geometry_[e]; }
  // Whether all elements are simplices with straight edges.
  bool StraightSimplices() const { return straight_simplices_; }
  // Nodes of the geometry of a curved element, [node][k]; null where edges are straight, whose
  // corners are the element's first nodes.
  const double* CurvedNodes(int e) const {
    return curve_.empty() ? nullptr : &curve_[curve_offset_[e]];
  }
  // Nodes of boundary element b.
  std::vector<int> BoundaryDofs(int b) const;
  mfem::FiniteElementSpace& Fes() const { return *fes_; }

 private:
  void CollectCurves();
  void Locate();

  mfem::Mesh* mesh_;
  int order_, nodes_;
  bool straight_simplices_, axisymmetric_;
  double axis_ = 0;  // m, radius up to which a place is on the axis
  std::unique_ptr<mfem::FiniteElementCollection> collection_;
  std::unique_ptr<mfem::FiniteElementSpace> fes_;
  std::vector<size_t> offset_;
  std::vector<int> dof_;
  std::vector<signed char> geometry_;
  std::vector<double> coordinates_, curve_;
  std::vector<size_t> curve_offset_;
};

// Shape functions of one element at the points of a rule.
struct LocalShapes {
  int dofs = 0, points = 0;
  const int* dof = nullptr;
  const double* shape = nullptr;  // [point * dofs + a]
  std::vector<double> gradient;   // [(point * dofs + a) * dimension + k], 1/m
  // Quadrature weight times |J|, m^dimension; of a body of revolution times 2 pi r, m^3.
  std::vector<double> measure;
  // [point * dofs + a], 1/m: what a displacement along r strains around the axis, N_a / r; on the
  // axis its limit, dN_a/dr, where no node there moves. Empty but for bodies of revolution.
  std::vector<double> hoop;
};

// Evaluates a space's shape functions element by element. Immutable after
// construction: every thread has its own LocalShapes.
class ElementKernel {
 public:
  // At the points of a quadrature rule that is exact for polynomials of `degree`, of a body of
  // revolution for such times the radius.
  ElementKernel(const NodalSpace& space, int degree);
  // At the space's own nodes (the weights are then those of no rule: 0).
  static ElementKernel AtNodes(const NodalSpace& space);

  void Evaluate(int e, LocalShapes& out) const;
  // The rule of elements of a geometry.
  const mfem::IntegrationRule& Rule(mfem::Geometry::Type geometry) const {
    return mfem::IntRules.Get(geometry, degree_);
  }
  // The volume (area, length) of element e by the points' rule.
  double Measure(int e) const;
  // Physical coordinates of point q of the element last evaluated.
  void Position(int e, int q, double* x) const;

 private:
  struct Reference {
    int dofs = 0, points = 0, corners = 0;
    bool constant = false;  // gradients are the same at all points
    std::vector<double> weight, shape, dshape, corner_shape, corner_dshape;
  };
  ElementKernel(const NodalSpace& space, int degree, bool at_nodes);
  void AddReference(int e, bool at_nodes);
  // Node c of the geometry of element e.
  const double* Corner(int e, int c) const {
    const double* curved = space_->CurvedNodes(e);
    return curved ? &curved[c * dimension_]
                  : &space_->Coordinates()[static_cast<size_t>(space_->Dofs(e)[c]) * dimension_];
  }
  // Whether one Jacobian serves all points: that of a straight simplex.
  bool Affine(const Reference& r) const { return r.corners == dimension_ + 1; }
  // |J| at point q, and the inverse of J.
  template <int N>
  double Jacobian(int e, const Reference& r, int q, double inverse[N][N]) const;
  template <int N>
  double MeasureIn(int e, const Reference& r) const;
  template <int N>
  void EvaluateIn(int e, const Reference& r, LocalShapes& out) const;
  double Radius(int e, const Reference& r, int q) const;
  // Makes what was evaluated that of the body of revolution.
  void Turn(int e, const Reference& r, LocalShapes& out) const;

  const NodalSpace* space_;
  int dimension_, degree_;
  std::vector<Reference> references_;  // by mfem::Geometry::Type
};

}  // namespace atelier
