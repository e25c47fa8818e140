"""NGSolve alone: peer_ngsolve.py STEM PHYSICS ORDER SOLVER OUT. Prints one JSON object."""

import sys

import ngsolve as ngs
import numpy as np
from tell import Clock, problem_beside

THREADS = 2


def forms(problem, physics, space):
    u, v = space.TnT()
    if physics == "heat":
        a = problem["conductivity"] * ngs.grad(u) * ngs.grad(v) * ngs.dx
        return a, problem["flux"] * v * ngs.ds("top")
    e, nu = problem["E"], problem["nu"]
    mu, lam = e / (2 * (1 + nu)), e * nu / ((1 + nu) * (1 - 2 * nu))
    strain, virtual = ngs.Sym(ngs.Grad(u)), ngs.Sym(ngs.Grad(v))
    a = 2 * mu * ngs.InnerProduct(strain, virtual) + lam * ngs.div(u) * ngs.div(v)
    return a * ngs.dx, ngs.CF((0, 0, problem["traction"])) * v * ngs.ds("end")


def main(stem, physics, order, solver, out):
    problem = problem_beside(stem)
    clock = Clock()
    mesh = ngs.Mesh(stem + ".vol")
    clock.mark("read")

    ngs.SetNumThreads(THREADS)
    with ngs.TaskManager():
        make = ngs.H1 if physics == "heat" else ngs.VectorH1
        # By this flag BDDC solves directly for the unknowns at vertices alone.
        space = make(mesh, order=order, dirichlet="held", wb_withedges=False)
        bilinear, linear = forms(problem, physics, space)
        a = ngs.BilinearForm(bilinear, symmetric=True)
        direct = solver == "sparsecholesky"
        pre = None if direct else ngs.Preconditioner(a, solver)
        a.Assemble()
        b = ngs.LinearForm(linear).Assemble()
        clock.mark("assemble")

        u = ngs.GridFunction(space)
        if physics == "heat":
            u.Set(problem["cold"], definedon=mesh.Boundaries("held"))
        rest = b.vec.CreateVector()
        rest.data = b.vec - a.mat * u.vec
        if direct:
            u.vec.data += a.mat.Inverse(space.FreeDofs(), inverse=solver) * rest
        else:
            u.vec.data += ngs.CGSolver(a.mat, pre.mat, tol=1e-8, maxiter=10000) * rest
        clock.mark("solve")
    np.save(out + ".npy", u.vec.FV().NumPy())
    clock.mark("write")
    tip = np.atleast_1d(u(mesh(10 - 1e-12, 1e-12, 1e-12)))
    clock.tell(unknowns=space.ndof, tip=tip.tolist())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
