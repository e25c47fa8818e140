"""scikit-fem alone: peer_skfem.py STEM PHYSICS ORDER SOLVER OUT. Prints one JSON object."""

import sys

import numpy as np
import skfem
from skfem.helpers import ddot, dot, grad, sym_grad, trace
from skfem.models.elasticity import lame_parameters
from tell import Clock, problem_beside


def forms(problem, physics):
    if physics == "heat":

        @skfem.BilinearForm
        def conduction(u, v, _):
            return problem["conductivity"] * dot(grad(u), grad(v))

        @skfem.LinearForm
        def flux(v, _):
            return problem["flux"] * v

        return conduction, flux
    lam, mu = lame_parameters(problem["E"], problem["nu"])

    @skfem.BilinearForm
    def stiffness(u, v, _):
        strain, virtual = sym_grad(u), sym_grad(v)
        return 2 * mu * ddot(strain, virtual) + lam * trace(strain) * trace(virtual)

    @skfem.LinearForm
    def traction(v, _):
        return problem["traction"] * v[2]

    return stiffness, traction


def main(stem, physics, order, solver, out):
    problem = problem_beside(stem)
    clock = Clock()
    saved = np.load(stem + ".npz")
    mesh = skfem.MeshTet(*(np.ascontiguousarray(saved[name].T) for name in ("points", "cells")))
    clock.mark("read")

    element = skfem.ElementTetP1() if order == 1 else skfem.ElementTetP2()
    if physics != "heat":
        element = skfem.ElementVector(element)
    axis, at = (2, 1) if physics == "heat" else (0, 10)
    # Elements are straight: derivatives are of degree order - 1, the loads of degree order.
    basis = skfem.Basis(mesh, element, intorder=2 * (order - 1))
    faces = mesh.facets_satisfying(lambda x: np.isclose(x[axis], at), boundaries_only=True)
    loaded = skfem.FacetBasis(mesh, element, facets=faces, intorder=order)
    bilinear, linear = forms(problem, physics)
    a, b = bilinear.assemble(basis), linear.assemble(loaded)
    held = basis.get_dofs(lambda x: np.isclose(x[0], 0)).all()
    u = basis.zeros()
    if physics == "heat":
        u[held] = problem["cold"]
    clock.mark("assemble")

    how = {"solver": skfem.solver_iter_pcg(rtol=1e-8)} if solver == "cg" else {}
    u = skfem.solve(*skfem.condense(a, b, x=u, D=held), **how)
    clock.mark("solve")
    np.save(out + ".npy", u)
    clock.mark("write")
    corner = np.flatnonzero(np.isclose(mesh.p.T, (10, 0, 0)).all(axis=1))[0]
    clock.tell(unknowns=len(u), tip=u[basis.nodal_dofs[:, corner]].tolist())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
