"""NGSolve alone: peer_ngsolve.py STEM PHYSICS ORDER SOLVER OUT. Prints one JSON object."""

import json
import resource
import sys
import time

begin = time.monotonic()

import ngsolve as ngs
import numpy as np

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
    with open(stem.rsplit("/", 1)[0] + "/problem.json", encoding="ascii") as file:
        problem = json.load(file)
    clock = [time.monotonic()]
    mesh = ngs.Mesh(stem + ".vol")
    clock.append(time.monotonic())

    ngs.SetNumThreads(THREADS)
    with ngs.TaskManager():
        make = ngs.H1 if physics == "heat" else ngs.VectorH1
        space = make(mesh, order=order, dirichlet="held")
        bilinear, linear = forms(problem, physics, space)
        a = ngs.BilinearForm(bilinear, symmetric=True)
        direct = solver in ("sparsecholesky", "umfpack", "pardiso")
        pre = None
        if not direct:
            kind, _, coarse = solver.partition("-")
            pre = ngs.Preconditioner(a, kind, **({"coarsetype": coarse} if coarse else {}))
        a.Assemble()
        b = ngs.LinearForm(linear).Assemble()
        clock.append(time.monotonic())

        u = ngs.GridFunction(space)
        if physics == "heat":
            u.Set(problem["cold"], definedon=mesh.Boundaries("held"))
        rest = b.vec.CreateVector()
        rest.data = b.vec - a.mat * u.vec
        iterations = 1
        if direct:
            u.vec.data += a.mat.Inverse(space.FreeDofs(), inverse=solver) * rest
        else:
            krylov = ngs.CGSolver(a.mat, pre.mat, tol=1e-8, maxiter=2000)
            u.vec.data += krylov * rest
            iterations = krylov.iterations
        clock.append(time.monotonic())
    np.save(out + ".npy", u.vec.FV().NumPy())
    clock.append(time.monotonic())
    tip = np.atleast_1d(u(mesh(*(10 - 1e-12, 1e-12, 1e-12))))
    print(
        json.dumps(
            {
                "version": ngs.__version__,
                "seconds": dict(
                    zip(("import", "read", "assemble", "solve", "write"), np.diff([begin, *clock]), strict=True)
                ),
                "iterations": iterations,
                "unknowns": space.ndof,
                "kilobytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                "tip": tip.tolist(),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
