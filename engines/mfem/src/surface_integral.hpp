// Integrals over the faces of a condition.
#pragma once

#include "nodal_space.hpp"
#include "regions.hpp"

namespace atelier {

// Calls visit(dofs, element, point, transformation at it) at the quadrature points of a region.
template <class Visit>
void ForEachSurfacePoint(const NodalSpace& space, const Region& region, Visit visit) {
  for (int f : region.faces) {
    const std::vector<int> dofs = space.BoundaryDofs(f);
    const mfem::FiniteElement& fe = *space.Fes().GetBE(f);
    mfem::ElementTransformation* t = space.Mesh().GetBdrElementTransformation(f);
    const mfem::IntegrationRule& rule =
        mfem::IntRules.Get(fe.GetGeomType(), 2 * space.Order() + (space.Axisymmetric() ? 2 : 1));
    for (int q = 0; q < rule.GetNPoints(); q++) {
      t->SetIntPoint(&rule.IntPoint(q));
      visit(dofs, fe, rule.IntPoint(q), *t);
    }
  }
}

// Calls visit(dofs, shape, weight, unit outward normal, place) at the quadrature points of a
// region. The weights of a body of revolution are those of its whole face.
template <class Visit>
void IntegrateRegion(const NodalSpace& space, const Region& region, Visit visit) {
  const int dim = space.Dimension();
  mfem::Vector shape, normal(dim), place(dim);
  ForEachSurfacePoint(space, region,
                      [&](const std::vector<int>& dofs, const mfem::FiniteElement& fe,
                          const mfem::IntegrationPoint& ip, mfem::ElementTransformation& t) {
                        shape.SetSize(fe.GetDof());
                        fe.CalcShape(ip, shape);
                        double length = 1;
                        if (dim > 1) {
                          mfem::CalcOrtho(t.Jacobian(), normal);
                          length = normal.Norml2();
                          normal /= length;
                        } else {
                          normal(0) = region.centroid[0] > space.Coordinates()[0] ? 1 : -1;
                        }
                        t.Transform(ip, place);
                        if (space.Axisymmetric()) length *= 2 * M_PI * place(0);
                        visit(dofs, shape, ip.weight * length, normal, place);
                      });
}

}  // namespace atelier
