// Load cases and combinations: one static problem after the other on one matrix.
#include "load_cases.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "elasticity.hpp"
#include "refinement.hpp"

namespace atelier {
namespace {

constexpr const char* kActions[] = {"gravity", "acceleration", "rotation", "body_force",
                                    "temperature"};

// A copy of a condition or of what acts on the whole part.
Json Scaled(Json given, double factor) {
  given["factor"] = factor;
  return given;
}

Json Conditions(const Json& object) {
  const auto it = object.find("bcs");
  return it == object.end() || it->is_null() ? Json::array() : *it;
}

// Adds a case to a state: as it is, or with a factor.
void AddCase(LoadState& s, const Json& given, size_t number, std::optional<double> factor) {
  Json action = Json::object();
  for (const char* name : kActions) {
    if (given.contains(name)) action[name] = given[name];
  }
  Json& actions = s.config["actions"];
  const std::string place = "cases/" + std::to_string(number) + "/bcs/";
  size_t k = 0;
  for (Json bc : Conditions(given)) {
    if (factor) bc = Scaled(bc, *factor), bc["action"] = actions.size();
    s.config["bcs"].push_back(bc);
    s.places.push_back(place + std::to_string(k++));
  }
  if (factor) {
    actions.push_back(Scaled(action, *factor));
  } else {
    s.config.erase("actions");
    s.config.update(action);
  }
}

LoadState Start(const Json& config, const char* list, size_t index) {
  LoadState s;
  s.list = list;
  s.index = index;
  s.name = config[list][index]["name"].get<std::string>();
  s.config = config;
  for (const char* name : {"cases", "combinations", "accuracy"}) s.config.erase(name);
  s.config["bcs"] = Conditions(config);
  s.config["actions"] = Json::array();
  s.common = s.config["bcs"].size();
  return s;
}

}  // namespace

std::vector<Action> Actions(const Config& config) {
  if (!config.Has("actions")) return {{config, 1}};
  std::vector<Action> out;
  for (const Config& c : config.List("actions")) out.push_back({c, c.Number("factor")});
  return out;
}

Config ActionOf(const Config& config, const Config& condition) {
  if (!condition.Has("action")) return config;
  return config.List("actions").at(condition.Raw("action").get<size_t>());
}

double FactorOf(const Config& condition) { return condition.Number("factor", 1); }

std::vector<LoadState> ReadLoadStates(const Json& config) {
  const Json& cases = config.at("cases");
  std::vector<LoadState> out;
  for (size_t i = 0; i < cases.size(); i++) {
    out.push_back(Start(config, "cases", i));
    AddCase(out.back(), cases[i], i, std::nullopt);
  }
  const size_t combinations = config.contains("combinations") ? config["combinations"].size() : 0;
  for (size_t k = 0; k < combinations; k++) {
    LoadState s = Start(config, "combinations", k);
    const Json& factors = config["combinations"][k].at("factors");
    for (size_t i = 0; i < cases.size(); i++) {
      const double factor = factors.value(out[i].name, 0.0);
      if (factor == 0) continue;
      s.factors.emplace_back(i, factor);
      AddCase(s, cases[i], i, factor);
    }
    out.push_back(std::move(s));
  }
  return out;
}

namespace {

// What a state says of places in its own configuration, said of those in the caller's.
std::string Retold(const LoadState& s, const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    constexpr size_t kBcs = 4;
    size_t end = at + kBcs;
    const bool starts = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
    if (starts && text.compare(at, kBcs, "bcs/") == 0) {
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) end++;
      const bool numbered = end > at + kBcs && end - at < 10;
      const size_t n = numbered ? std::stoul(text.substr(at + kBcs, end - at - kBcs)) : 0;
      if (numbered && n >= s.common && n - s.common < s.places.size()) {
        out += s.places[n - s.common];
        at = end;
        continue;
      }
    }
    if (starts && s.list == "cases") {
      const std::string config = "config/";
      const bool own =
          text.compare(at, config.size(), config) == 0 &&
          std::any_of(std::begin(kActions), std::end(kActions), [&](const char* name) {
            return text.compare(at + config.size(), std::string(name).size(), name) == 0;
          });
      if (own) {
        out += "config" + s.Pointer() + "/";
        at += config.size();
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

Json Retold(const LoadState& s, const Json& value) {
  if (value.is_string()) return Retold(s, value.get<std::string>());
  Json out = value;
  if (value.is_structured()) {
    for (auto& [key, item] : out.items()) item = Retold(s, item);
  }
  return out;
}

[[noreturn]] void Rethrow(const LoadState& s, Error e) {
  e.message = s.Title() + ": " + Retold(s, e.message);
  e.field = Retold(s, e.field);
  e.hint = Retold(s, e.hint);
  throw e;
}

// Names of fields and files: "wind from x" is wind_from_x.
std::string Ending(const std::vector<LoadState>& states, size_t i) {
  const auto plain = [](std::string name) {
    for (char& c : name) {
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '+') c = '_';
    }
    return name;
  };
  const std::string name = plain(states[i].name);
  for (size_t k = 0; k < states.size(); k++) {
    if (k != i && plain(states[k].name) == name) return name + "_" + std::to_string(i);
  }
  return name;
}

// What all states have in common, and what each leaves.
struct Shared {
  std::unique_ptr<NodalSpace> space;
  std::unique_ptr<Constraints> constraints;
  std::unique_ptr<SpdProblem> problem;
  int matrices = 0;                // that were assembled
  SolveReport report;              // of all solutions
  std::vector<Values> u;           // by case
  std::vector<KeptFields> fields;  // by state
};

// The displacements of a combination, from those of its cases.
Values Superposed(const LoadState& s, const std::vector<Values>& u) {
  Values out;
  for (const auto& [i, factor] : s.factors) {
    out.resize(u[i].size(), 0.0);
    for (size_t k = 0; k < out.size(); k++) out[k] += factor * u[i][k];
  }
  return out;
}

Answer SolveState(Domain& domain, const std::vector<LoadState>& states, size_t i, Shared& shared) {
  const LoadState& s = states[i];
  const Config config(s.config, "/config");
  Admit(domain, config);
  Elasticity p(domain, config);
  SetUp(p);
  const Probes probes(domain, config);
  const StressLines lines(domain, config);
  if (shared.problem) {
    p.space = std::move(shared.space);
    p.constraints = std::move(shared.constraints);
    p.problem = std::move(shared.problem);
  } else {
    AssembleProblem(p);
    shared.matrices++;
    p.problem->Expect(static_cast<int>(states.size()));
  }
  p.kept = &shared.fields.emplace_back();
  p.kept->ending = Ending(states, i);
  p.u = Superposed(s, shared.u);
  SolveLoaded(p);
  ReportElasticity(p, probes, lines);
  shared.report.Worst(p.report);
  if (s.list == "cases") shared.u.push_back(std::move(p.u));
  shared.space = std::move(p.space);
  shared.constraints = std::move(p.constraints);
  shared.problem = std::move(p.problem);
  return std::move(p.answer);
}

// The largest of a figure of all states.
double Largest(const std::vector<Answer>& answers, const char* name) {
  double most = 0;
  for (const Answer& a : answers) most = std::max(most, a.output[name].get<double>());
  return most;
}

struct Solved {
  std::vector<LoadState> states;
  std::vector<Answer> answers;
  double longest = 0;  // seconds that one took
  Shared shared;
};

Solved SolveStates(Domain& domain, const Json& config) {
  Solved out;
  out.states = ReadLoadStates(config);
  for (size_t i = 0; i < out.states.size(); i++) {
    const double start = Seconds();
    try {
      out.answers.push_back(SolveState(domain, out.states, i, out.shared));
    } catch (const Error& e) {
      Rethrow(out.states[i], e);
    }
    out.longest = std::max(out.longest, Seconds() - start);
  }
  return out;
}

// One file with the fields of all states; each state is told its own under their plain names.
void WriteAll(Solved& all, Answer& total) {
  EmitProgress(0.85, "writing fields");
  std::vector<PointField> points;
  std::vector<CellField> cells;
  std::vector<size_t> point_of, cell_of;  // the states that they are of
  std::vector<std::string> plain_points, plain_cells;
  for (size_t i = 0; i < all.states.size(); i++) {
    const std::string ending = "_" + all.shared.fields[i].ending;
    for (const KeptFields::Field& f : all.shared.fields[i].fields) {
      if (f.components == 0) {
        cells.push_back({f.name + ending, f.unit, &f.values});
        cell_of.push_back(i), plain_cells.push_back(f.name);
      } else {
        points.push_back({f.name + ending, f.unit, f.components, &f.values});
        point_of.push_back(i), plain_points.push_back(f.name);
      }
    }
  }
  VtuWriter writer(*all.shared.space, "solution");
  writer.Write(0, points, cells);
  point_of.insert(point_of.end(), cell_of.begin(), cell_of.end());
  plain_points.insert(plain_points.end(), plain_cells.begin(), plain_cells.end());
  for (size_t k = 0; k < point_of.size(); k++) {
    Json field = writer.Fields()[k];
    field["name"] = plain_points[k];
    all.answers[point_of[k]].output["fields"].push_back(field);
  }
  total.artifacts.push_back(writer.Artifact());
  total.output["fields"] = writer.Fields();
  total.output["vtk_file"] = writer.Collection();
}

// Puts the answers of all states into one.
Answer Join(Solved& all) {
  Answer total;
  const Answer& first = all.answers.front();
  Json& out = total.output;
  for (const char* name : {"order", "unknowns"}) out[name] = first.output[name];
  for (const char* name : {"energy", "residual", "error_norm", "imbalance"})
    out[name] = Largest(all.answers, name);
  out["iterations"] = all.shared.report.iterations;
  out["solver"] = DescribeSolver(all.shared.report);
  out["solver"]["matrices"] = all.shared.matrices;
  out["solver"]["loads"] = all.states.size();
  out["loads"] = Json::array();
  out["cases"] = out["combinations"] = Json::array();
  return total;
}

void AddStates(Solved& all, Answer& total, bool told) {
  for (size_t i = 0; i < all.states.size(); i++) {
    const LoadState& s = all.states[i];
    Answer& a = all.answers[i];
    Json out = a.output;
    if (told) {
      out["evidence"] = a.evidence.Report();
      out["summary"] = a.summary;
      out["warnings"] = Json::array();
      for (const Warning& w : a.warnings)
        out["warnings"].push_back({{"code", w.code}, {"message", w.message}});
      out = Retold(s, out);
    }
    out["name"] = s.name;
    total.output[s.list].push_back(out);
    for (const Json& artifact : a.artifacts) total.artifacts.push_back(artifact);
  }
  if (total.output["combinations"].empty()) total.output.erase("combinations");
}

// The state that config.accuracy points into, with the rest of the pointer.
const LoadState& Accurate(const std::vector<LoadState>& states, const std::string& quantity,
                          std::string& figure) {
  for (const LoadState& s : states) {
    const std::string pointer = s.Pointer() + "/";
    if (quantity.rfind(pointer, 0) != 0) continue;
    figure = quantity.substr(pointer.size() - 1);
    return s;
  }
  throw Error(codes::kInvalidInput, "quantity \"" + quantity + "\" points into no case")
      .At("/config/accuracy/quantity")
      .Hint("With cases, give the figure of one: /cases/0/von_mises/max or /combinations/0/...");
}

// Refines the mesh for the figure of one state. Returns which, with what was reached.
Json RefineForState(const Task& task, Domain& domain, const Json& config) {
  const std::vector<LoadState> states = ReadLoadStates(config);
  const std::string quantity = config["accuracy"]["quantity"].get<std::string>();
  std::string figure;
  const LoadState& s = Accurate(states, quantity, figure);
  Json request = task.request;
  request["config"] = s.config;
  request["config"]["accuracy"] = config["accuracy"];
  request["config"]["accuracy"]["quantity"] = figure;
  try {
    Json reached = RefineToAccuracy({request, task.solver, task.start}, domain);
    reached["quantity"] = quantity;
    return reached;
  } catch (const Error& e) {
    Rethrow(s, e);
  }
}

// Holds every state against finer meshes: of half the size for all, around its own peak for each.
void HoldOnFiner(const Task& task, Domain& domain, Solved& all, const Answer& total) {
  const Json halved = SolveHalved(task, total, domain);
  const double seconds = task.request["refine"]["seconds"].get<double>() + task.start;
  for (size_t i = 0; i < all.states.size(); i++) {
    const LoadState& s = all.states[i];
    Json& out = all.answers[i].output;
    const bool solved = halved.contains("output");
    out["refined"] = solved ? Json{{"output", halved["output"][s.list][s.index]}} : halved;
    // The time that is left, for a problem that took as long as the longest of these.
    Json request = task.request;
    request["config"] = s.config;
    const double start = Seconds() - all.longest;
    request["refine"]["seconds"] = seconds - start;
    const Json peak = SolvePeak({request, task.solver, start}, all.answers[i], domain);
    if (!peak.is_null()) out["peak"] = peak;
  }
}

}  // namespace

Answer SolveLoadCases(Domain& domain, const Json& config) {
  Solved all = SolveStates(domain, config);
  Answer total = Join(all);
  AddStates(all, total, false);
  return total;
}

Answer RunLoadCases(const Task& task, Domain& domain) {
  const Json& config = task.request["config"];
  Json accuracy;
  if (config.contains("accuracy")) accuracy = RefineForState(task, domain, config);
  ChooseThreads(domain);
  Solved all = SolveStates(domain, config);
  Answer total = Join(all);
  WriteAll(all, total);
  if (!accuracy.is_null()) {
    total.output["accuracy"] = accuracy;
    for (Answer& a : all.answers)
      a.output["refined"] = {
          {"left_out", "its mesh was refined for " + accuracy["quantity"].get<std::string>()}};
  } else if (task.request.contains("refine")) {
    HoldOnFiner(task, domain, all, total);
  }
  AddStates(all, total, true);
  return total;
}

}  // namespace atelier
