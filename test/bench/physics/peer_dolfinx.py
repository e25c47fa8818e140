"""dolfinx alone: mpirun -n 2 /usr/bin/python3 peer_dolfinx.py STEM PHYSICS ORDER SOLVER OUT, or
with STEM alone makes STEM.xdmf of STEM.npz. Prints one JSON object for each rank."""

import sys

import numpy as np
import ufl
from dolfinx import fem, la, mesh
from dolfinx.fem import petsc
from dolfinx.io import XDMFFile
from mpi4py import MPI
from petsc4py import PETSc
from tell import Clock, problem_beside

COMM = MPI.COMM_WORLD
JIT = {"cffi_extra_compile_args": ["-O3", "-march=native"]}
SOLVERS = {
    "gamg": {
        "ksp_type": "cg",
        "pc_type": "gamg",
        "mg_levels_ksp_type": "chebyshev",
        "mg_levels_pc_type": "jacobi",
        "mg_levels_ksp_chebyshev_esteig_steps": 10,
    },
    "mumps": {"ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "mumps"},
}


def convert(stem):
    saved = np.load(stem + ".npz")
    element = ufl.Mesh(ufl.VectorElement("Lagrange", "tetrahedron", 1))
    made = mesh.create_mesh(COMM, saved["cells"], saved["points"], element)
    with XDMFFile(COMM, stem + ".xdmf", "w") as out:
        out.write_mesh(made)


def rigid_motions(space):
    """The near null space that smoothed aggregation needs, orthonormal."""
    basis = [la.create_petsc_vector(space.dofmap.index_map, 3) for _ in range(6)]
    x = space.tabulate_dof_coordinates()[: space.dofmap.index_map.size_local]
    for k, vector in enumerate(basis):
        values = np.zeros((len(x), 3))
        if k < 3:
            values[:, k] = 1
        else:
            a, b = (k + 1) % 3, (k + 2) % 3
            values[:, a], values[:, b] = -x[:, b], x[:, a]
        vector.array[:] = values.ravel()
    for i, vector in enumerate(basis):
        for other in basis[:i]:
            vector.axpy(-vector.dot(other), other)
        vector.normalize()
    return PETSc.NullSpace().create(vectors=basis, comm=COMM)


def forms(problem, physics, space, part):
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    face = part.topology.dim - 1
    axis, at = (2, 1) if physics == "heat" else (0, 10)
    found = mesh.locate_entities_boundary(part, face, lambda x: np.isclose(x[axis], at))
    loaded = np.sort(found)
    tags = mesh.meshtags(part, face, loaded, np.full(len(loaded), 1, dtype=np.int32))
    ds = ufl.Measure("ds", domain=part, subdomain_data=tags)(1)
    if physics == "heat":
        conductivity = fem.Constant(part, problem["conductivity"])
        flux = fem.Constant(part, problem["flux"])
        return conductivity * ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx, flux * v * ds
    e, nu = problem["E"], problem["nu"]
    mu = fem.Constant(part, e / (2 * (1 + nu)))
    lam = fem.Constant(part, e * nu / ((1 + nu) * (1 - 2 * nu)))
    strain = ufl.sym(ufl.grad(u))
    stress = 2 * mu * strain + lam * ufl.tr(strain) * ufl.Identity(3)
    traction = fem.Constant(part, (0.0, 0.0, problem["traction"]))
    return ufl.inner(stress, ufl.sym(ufl.grad(v))) * ufl.dx, ufl.inner(traction, v) * ds


def main(stem, physics, order, solver, out):
    problem = problem_beside(stem)
    clock = Clock()
    with XDMFFile(COMM, stem + ".xdmf", "r") as file:
        part = file.read_mesh()
    clock.mark("read")

    make = fem.FunctionSpace if physics == "heat" else fem.VectorFunctionSpace
    space = make(part, ("Lagrange", order))
    held = fem.locate_dofs_geometrical(space, lambda x: np.isclose(x[0], 0))
    prescribed = np.array(problem["cold"]) if physics == "heat" else np.zeros(3)
    held = [fem.dirichletbc(prescribed, held, space)]
    a, b = (fem.form(form, jit_params=JIT) for form in forms(problem, physics, space, part))
    matrix = petsc.assemble_matrix(a, bcs=held)
    matrix.assemble()
    load = petsc.assemble_vector(b)
    petsc.apply_lifting(load, [a], [held])
    load.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
    petsc.set_bc(load, held)
    matrix.setOption(PETSc.Mat.Option.SPD, True)
    clock.mark("assemble")

    if solver == "gamg" and physics != "heat":
        matrix.setNearNullSpace(rigid_motions(space))
    options = PETSc.Options()
    for key, value in {"ksp_rtol": 1e-8, **SOLVERS[solver]}.items():
        options[key] = value
    ksp = PETSc.KSP().create(COMM)
    ksp.setFromOptions()
    ksp.setOperators(matrix)
    u = fem.Function(space)
    ksp.solve(load, u.vector)
    if ksp.getConvergedReason() <= 0:
        raise SystemExit(f"dolfinx: the iteration ended with {ksp.getConvergedReason()}")
    clock.mark("solve")

    owned = space.dofmap.index_map.size_local
    x = space.tabulate_dof_coordinates()[:owned]
    values = u.vector.array.reshape(owned, -1)
    np.savez(f"{out}.{COMM.rank}.npz", points=x, values=values)
    clock.mark("write")
    tip = values[np.isclose(x, (10, 0, 0)).all(axis=1)]
    unknowns = space.dofmap.index_map.size_global * values.shape[1]
    clock.tell(unknowns=unknowns, **({"tip": tip[0].tolist()} if len(tip) else {}))


if __name__ == "__main__":
    if len(sys.argv) == 2:
        convert(sys.argv[1])
    else:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
