// The driver: one request on stdin, JSON lines on stdout; see protocol.hpp.
//   mfem-driver             solve one request
//   mfem-driver --version   engine and library versions as one JSON line
//   mfem-driver --selftest  a golden case of every class, one JSON line each
#include <omp.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>

#include "load_cases.hpp"
#include "refinement.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace atelier {
namespace {

constexpr const char* kVersion = "1.0.0";

void PrepareLibraries() {
  mfem::set_error_action(mfem::MFEM_ERROR_THROW);
  mfem::out.Disable();
  mfem::err.Disable();
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 16 << 20);  // what is larger goes back to the system when it is freed
#endif
  if (!std::getenv("OMP_NUM_THREADS")) omp_set_num_threads(std::min(2, omp_get_num_procs()));
}

Json MeshReport(const Domain& d) {
  Json low = Json::array(), high = Json::array();
  for (int k = 0; k < d.Dimension(); k++) {
    low.push_back(d.low[k]);
    high.push_back(d.high[k]);
  }
  return {{"elements", d.mesh->GetNE()},
          {"vertices", d.mesh->GetNV()},
          {"length_unit", d.length_unit},
          {"min", low},
          {"max", high}};
}

void WriteFile(const std::string& name, const Json& content) {
  std::ofstream out(name);
  out << content.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

Answer Run(const Json& request, const SolverClass& solver) {
  const double start = Seconds();
  const Config root(request, "");
  EmitProgress(0.02, "reading the mesh");
  Domain domain = LoadDomain(root.Object("mesh"));
  const Task task = {request, solver, start};
  const bool cases = root.Object("config").Has("cases");
  Json accuracy;
  if (!cases && root.Object("config").Has("accuracy")) accuracy = RefineToAccuracy(task, domain);
  ChooseThreads(domain);
  Answer answer = cases ? RunLoadCases(task, domain) : solver.solve(domain, root.Object("config"));
  answer.warnings.insert(answer.warnings.begin(), domain.warnings.begin(), domain.warnings.end());
  answer.output["solver_class"] = solver.name;
  answer.output["dimension"] = domain.Dimension();
  answer.output["mesh"] = MeshReport(domain);
  answer.output["summary"] = answer.summary;
  answer.output["shape"] = MeasureShape(domain);
  RequireFinite(answer.output, "");
  if (cases) return answer;  // with finer meshes for each
  if (!accuracy.is_null()) {
    answer.output["accuracy"] = accuracy;
    answer.output["refined"] = {
        {"left_out", "its mesh was refined for " + accuracy["quantity"].get<std::string>()}};
    return answer;
  }
  if (!root.Has("refine")) return answer;
  answer.output["refined"] = SolveHalved(task, answer, domain);
  const Json peak = SolvePeak(task, answer, domain);
  if (!peak.is_null()) answer.output["peak"] = peak;
  return answer;
}

void SolveRequest() {
  std::string line;
  std::getline(std::cin, line);
  const Json request = Json::parse(line, nullptr, false);
  if (request.is_discarded()) throw Error(codes::kInvalidInput, "the request is not valid JSON");
  const double start = Seconds();
  Answer answer = Run(request, FindClass(Config(request, "").String("solver_class", "")));
  answer.output["evidence"] = answer.evidence.Report();
  WriteFile("job_result.json", answer.output);
  answer.artifacts.push_back({{"name", "job_result.json"}, {"mime_type", "application/json"}});
  answer.output["summary_file"] = "job_result.json";
  answer.metrics["iterations"] = answer.output["iterations"];
  answer.metrics["energy"] = answer.output["energy"];
  answer.metrics["error_norm"] = answer.output["error_norm"];
  answer.metrics["solve_seconds"] = Seconds() - start;
  EmitResult(answer.output, answer.artifacts, answer.metrics, answer.warnings);
}

// Runs one golden case in a folder of its own below the working folder.
Json RunGolden(const SolverClass& solver, const GoldenCase& golden) {
  const std::string folder = "selftest";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/golden.mesh") << golden.mesh;
  std::filesystem::current_path(folder);
  Json line = {{"type", "selftest"},
               {"solver_class", solver.name},
               {"case", golden.name},
               {"expected", golden.expected}};
  const double start = Seconds();
  try {
    const Json request = {{"mesh", {{"path", "golden.mesh"}}}, {"config", golden.config}};
    const Answer answer = Run(request, solver);
    const double got = answer.output.at(Json::json_pointer(golden.figure)).get<double>();
    line["actual"] = got;
    line["ok"] =
        std::abs(got - golden.expected) <= golden.relative_tolerance * std::abs(golden.expected);
  } catch (const Error& f) {
    line["ok"] = false;
    line["message"] = f.code + ": " + f.message;
  }
  line["seconds"] = Seconds() - start;
  std::filesystem::current_path("..");
  std::filesystem::remove_all(folder);
  return line;
}

int SelfTest() {
  SetQuiet(true);
  bool ok = true;
  for (const SolverClass& solver : AllClasses()) {
    for (const GoldenCase& golden : solver.golden()) {
      const Json line = RunGolden(solver, golden);
      ok = ok && line["ok"].get<bool>();
      std::cout << line.dump() << std::endl;
    }
  }
  return ok ? 0 : 1;
}

int Version() {
  Json classes = Json::array();
  for (const SolverClass& c : AllClasses()) classes.push_back(c.name);
  std::cout << Json{{"engine", "mfem"},
                    {"version", kVersion},
                    {"libraries", {{"mfem", MFEM_VERSION_STRING}}},
                    {"solver_classes", classes}}
                   .dump()
            << std::endl;
  return 0;
}

int Main(int argc, char** argv) {
  PrepareLibraries();
  if (argc > 1 && std::strcmp(argv[1], "--version") == 0) return Version();
  if (argc > 1 && std::strcmp(argv[1], "--selftest") == 0) return SelfTest();
  try {
    SolveRequest();
    return 0;
  } catch (const Error& f) {
    EmitError(f);
  } catch (const mfem::ErrorException& e) {
    EmitLog("error", e.what());
    EmitError(
        Error(codes::kSolverFailed, "the finite-element library refused the problem")
            .Hint("Check the mesh (elements, boundary attributes) and the conditions; another "
                  "order or a mesh of tetrahedra may pass.")
            .With("library_message", std::string(e.what()).substr(0, 300)));
  } catch (const std::bad_alloc&) {
    EmitError(Error(codes::kMemoryExceeded, "the solver ran out of memory")
                  .Hint("Use a coarser mesh or order 1."));
  } catch (const std::exception& e) {
    EmitLog("error", e.what());
    EmitError(Error(codes::kSolverFailed, "the solver stopped at a fault of its own")
                  .With("library_message", e.what()));
  }
  return 1;
}

}  // namespace
}  // namespace atelier

int main(int argc, char** argv) { return atelier::Main(argc, argv); }
