"""How each code solves a problem as a whole process, and what it tells of it."""

import json
import os
import shutil

from watch import watch

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = float(os.environ.get("LIMIT", "60"))  # seconds of one run
TIP = [10, 0, 0]
PEERS = ["dolfinx", "NGSolve", "CalculiX", "scikit-fem"]

# The quickest solver of those that each code offers, on two threads: by case, else by physics.
SOLVERS = {
    "dolfinx": {"elasticity": "gamg", "elasticity-2-30k": "mumps", "heat": "gamg"},
    "NGSolve": {"elasticity-1": "sparsecholesky", "heat-1": "sparsecholesky", "": "bddc"},
    "CalculiX": {
        "elasticity": "SPOOLES",
        "elasticity-1-285k": "ITERATIVE CHOLESKY",
        "heat": "ITERATIVE SCALING",
    },
    "scikit-fem": {"": "cg", "heat-1-30k": "direct", "heat-2-30k": "direct"},
}
WORDS = {
    "gamg": "CG with GAMG",
    "mumps": "MUMPS",
    "sparsecholesky": "sparse Cholesky",
    "bddc": "CG with BDDC on the vertices",
    "direct": "SuperLU",
    "cg": "CG with the diagonal",
    "SPOOLES": "SPOOLES",
    "ITERATIVE SCALING": "CG with the diagonal",
    "ITERATIVE CHOLESKY": "CG with incomplete Cholesky",
}

# What Atelier's driver says as each of its stages begins.
STAGES = {"read": "reading", "assemble": "assembling", "solve": "solving"}
STAGES |= {"stress": "recovering", "write": "writing"}


def solver_of(code, case):
    """The entry of the longest name that the case begins with."""
    return SOLVERS[code][max((name for name in SOLVERS[code] if case.startswith(name)), key=len)]


class Workshop:
    """What the runs need. Folder meshes holds the meshes, work is emptied by every run."""

    def __init__(self, atelier, engines, python, folder):
        self.atelier, self.engines, self.python = atelier, engines, python
        self.meshes = os.path.join(folder, "meshes")
        self.work = os.path.join(folder, "work")
        with open(os.path.join(self.meshes, "problem.json"), encoding="ascii") as file:
            self.problem = json.load(file)

    def fresh(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)

    def request(self, case):
        """Tool and input for Atelier."""
        physics, order = case.split("-")[:2]
        problem, config = self.problem, {"probes": [TIP]}
        if case.startswith("arc"):
            physics, order, config = "elasticity", 2, {}
        config["order"] = int(order)
        if physics == "heat":
            config |= {"conductivity": problem["conductivity"], "steady": True}
            held = {"type": "fixed_temp", "value": problem["cold"]}
            loaded = {"attribute": 3, "type": "heat_flux", "value": problem["flux"]}
        else:
            config["materials"] = [{"E": problem["E"], "nu": problem["nu"]}]
            held = {"type": "fixed"}
            loaded = {"attribute": 2, "type": "load", "value": [0, 0, problem["traction"]]}
        config["bcs"] = [{"attribute": 1, **held}, loaded]
        mesh = {"type": "file", "path": os.path.join(self.meshes, case + ".mesh")}
        solver = "HeatTransfer" if physics == "heat" else "LinearElasticity"
        tool = "heat.solve" if physics == "heat" else "fea.solve"
        return tool, {"solver_class": solver, "mesh": mesh, "config": config}

    def run(self, code, case, threads=2):
        self.fresh()
        if code == "Atelier":
            return self._atelier(case, threads)
        if code == "driver":
            return self._driver(case, threads)
        if code == "CalculiX":
            return self._calculix(case)
        return self._python(code, case)

    def _atelier(self, case, threads):
        tool, request = self.request(case)
        data = os.path.join(self.work, "data")
        command = [self.atelier, "call", tool, json.dumps(request), "--root", self.meshes]
        command += ["--data", data, "--engines", self.engines, "--threads", str(threads)]
        run = watch(command, self.work, LIMIT)
        if run.fault:
            return {"fault": run.fault, "seconds": run.seconds}
        answer = json.loads("\n".join(line for _, line in run.lines))
        output = answer["output"]
        if answer["status"] != "ok":
            return {"fault": output["error_message"], "seconds": run.seconds}
        return {
            "seconds": run.seconds,
            "kilobytes": run.kilobytes,
            "unknowns": output["unknowns"],
            "tip": _tip(output),
            "solver": output["solver"]["method"],
            "driver_seconds": answer["metrics"]["solve_seconds"],
        }

    def _driver(self, case, threads):
        """The driver alone: no second meshes, and what it says shows its stages."""
        _, request = self.request(case)
        environment = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
        environment["OMP_WAIT_POLICY"] = "passive"
        driver = os.path.join(self.engines, "mfem", "bin", "mfem-driver")
        run = watch([driver], self.work, LIMIT, environment, json.dumps(request) + "\n")
        if run.fault:
            return {"fault": run.fault, "seconds": run.seconds}
        begins, output = {}, None
        for at, line in run.lines:
            said = json.loads(line)
            if said["type"] == "result":
                output = said["output"]
            for stage, word in STAGES.items():
                if said["type"] == "progress" and said["message"].startswith(word):
                    begins[stage] = at
        stages, end = {}, run.seconds
        for stage in reversed(begins):
            stages[stage], end = end - begins[stage], begins[stage]
        return {
            "seconds": run.seconds,
            "kilobytes": run.kilobytes,
            "unknowns": output["unknowns"],
            "tip": _tip(output),
            "stages": stages if len(stages) == len(STAGES) else {},
            "solver": output["solver"]["method"],
        }

    def _calculix(self, case):
        solver = solver_of("CalculiX", case)
        with (
            open(os.path.join(self.meshes, case + ".inp"), encoding="ascii") as deck,
            open(os.path.join(self.work, "job.inp"), "w", encoding="ascii") as out,
        ):
            out.write(deck.read().replace("@SOLVER@", solver))
        run = watch(["ccx", "-i", "job"], self.work, LIMIT, {"OMP_NUM_THREADS": "2"})
        if run.fault:
            return {"fault": run.fault, "seconds": run.seconds}
        with open(os.path.join(self.work, "job.dat"), encoding="ascii") as file:
            tip = file.read().split("\n")[3].split()[1:]
        return {
            "seconds": run.seconds,
            "kilobytes": run.kilobytes,
            "tip": [float(value) for value in tip],
            "solver": WORDS[solver],
        }

    def _python(self, code, case):
        physics, order = case.split("-")[:2]
        solver = solver_of(code, case)
        name = {"scikit-fem": "skfem"}.get(code, code.lower())
        command = [self.python]
        environment = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
        if code == "dolfinx":
            command = ["mpirun", "--bind-to", "none", "-n", "2", "/usr/bin/python3"]
            environment = self.mpi()
        command += [os.path.join(HERE, f"peer_{name}.py"), os.path.join(self.meshes, case)]
        command += [physics, order, solver, os.path.join(self.work, "out")]
        run = watch(command, self.work, LIMIT, environment)
        if run.fault:
            return {"fault": run.fault, "seconds": run.seconds}
        told = [json.loads(line) for _, line in run.lines if line.startswith("{")]
        return {
            "seconds": run.seconds,
            "kilobytes": run.kilobytes,
            "unknowns": told[0]["unknowns"],
            "tip": next(row["tip"] for row in told if "tip" in row),
            "stages": told[0]["seconds"],
            "solver": WORDS[solver],
        }

    def mpi(self):
        """One thread for each rank, and compiled forms in the folder of the benchmark."""
        out = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        out["XDG_CACHE_HOME"] = os.path.join(os.path.dirname(self.meshes), "forms")
        return out | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def prepare(self, cases):
        """Meshes for dolfinx, and its forms, which it compiles when it first meets a problem."""
        smallest = sorted({tiny(case) for case in cases})
        for case in [*cases, *smallest]:
            self.fresh()
            command = ["/usr/bin/python3", os.path.join(HERE, "peer_dolfinx.py")]
            made = watch([*command, os.path.join(self.meshes, case)], self.work, LIMIT, self.mpi())
            if made.fault:
                raise SystemExit(f"dolfinx does not read {case}: {made.fault}")
        for case in smallest:
            self.run("dolfinx", case)


def tiny(case):
    """The smallest problem of its kind."""
    return "-".join([*case.split("-")[:2], "1k"])


def _tip(output):
    if not output.get("probes"):
        return None
    probe = output["probes"][0]
    return probe["displacement"] if "displacement" in probe else [probe["value"]]
