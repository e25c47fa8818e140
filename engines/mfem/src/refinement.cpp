#include "refinement.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "figures.hpp"
#include "krylov.hpp"
#include "load_cases.hpp"

namespace atelier {
namespace {

constexpr char kPeak[] = "/von_mises/max";
constexpr int kPeakLevels = 2;
constexpr double kPeakBulk = 0.3, kPeakShare = 0.03;
constexpr double kHot = 0.9;                  // of the peak: elements that may come to bear it
constexpr double kHotShare = 0.06;            // of all elements; more are no concentration
constexpr double kBulk = 0.6, kShare = 0.25;  // of the squared error, and of the elements
constexpr int kMostSteps = 14;
constexpr double kLeastTarget = 1e-4, kMostTarget = 0.5;
constexpr int kDefaultUnknowns = 300000, kMostUnknowns = 5000000;
constexpr double kSeriesSafety = 1.5;
constexpr double kLeastRatio = 0.3, kMostRatio = 0.8;  // of two changes of a converging series
constexpr double kMostLeft = 0.95;                     // of an estimate that hardly falls
// Of a dual error bar: on drawn L-shaped parts of order 1 and 2, refined by it, the true error was
// 0.53 of it in the median and at most 0.73.
constexpr double kOfDual = 0.75;

// Solves without files, error bars and words on the model, in a folder of its own.
Answer SolveAside(const Task& task, Domain& domain) {
  const std::string folder = "refined";
  ChooseThreads(domain);
  domain.refined = true;
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  SetQuiet(true);
  auto leave = [&] {
    std::filesystem::current_path("..");
    std::filesystem::remove_all(folder);
    SetQuiet(false);
  };
  try {
    const Config config = Config(task.request, "").Object("config");
    Answer answer = config.Has("cases") ? SolveLoadCases(domain, task.request["config"])
                                        : task.solver.solve(domain, config);
    RequireFinite(answer.output, "");
    leave();
    return answer;
  } catch (...) {
    leave();
    throw;
  }
}

Json LeftOut(const std::exception& e) {
  EmitLog("warn", std::string("a solve on a finer mesh failed: ") + e.what());
  const Error* told = dynamic_cast<const Error*>(&e);
  return {{"left_out", "the solve on it failed" + (told ? ": " + told->message : "")}};
}

// The domain, some of whose simplices are split in 2^dimension, and with them those that
// have to give way.
Domain Split(const Domain& domain, const std::vector<int>& elements) {
  return domain.Refined([&elements, &domain](mfem::Mesh& mesh) {
    if (!domain.read) mesh.Finalize(true, false);  // marks the edges that are bisected
    mfem::Array<int> list(static_cast<int>(elements.size()));
    std::copy(elements.begin(), elements.end(), list.begin());
    mesh.GeneralRefinement(list);
  });
}

double FigureOf(const Answer& answer, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  return answer.output.at(at).get<double>();
}

bool IsSingular(const Answer& answer) {
  return answer.output.contains("von_mises") &&
         answer.output["von_mises"]["singularity"] == "likely";
}

}  // namespace

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void ChooseThreads(const Domain& d) {
  static const int most = omp_get_max_threads();
  omp_set_num_threads(d.mesh->GetNE() < 4000 ? 1 : most);
}

void RequireFinite(const Json& value, const std::string& where) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw Error(codes::kSolverFailed, "the result is not finite at " + where);
  }
  if (value.is_structured()) {
    for (auto& [key, item] : value.items()) RequireFinite(item, where + "/" + key);
  }
}

Json SolveHalved(const Task& task, const Answer& coarse, const Domain& domain) {
  const Config refine = Config(task.request, "").Object("refine");
  const double growth = std::pow(2, domain.Dimension());
  const double unknowns = growth * coarse.output["unknowns"].get<double>();
  if (unknowns > refine.Number("most_unknowns"))
    return {{"left_out", "it would have " + Text(unknowns, 6) + " unknowns"}};
  // Direct solution and fill-in grow faster than the unknowns.
  if ((Seconds() - task.start) * (1 + 3 * growth) > refine.Number("seconds"))
    return {{"left_out", "the time allowed would not suffice"}};
  EmitProgress(0.9, "solving again on elements of half the size");
  try {
    Domain finer = domain.Refined([](mfem::Mesh& mesh) { mesh.UniformRefinement(); });
    return {{"output", SolveAside(task, finer).output}};
  } catch (const std::exception& e) {
    return LeftOut(e);
  }
}

double SeriesError(const Values& values) {
  const size_t n = values.size();
  if (n < 3) return INFINITY;
  const double before = std::abs(values[n - 2] - values[n - 3]);
  const double last = std::abs(values[n - 1] - values[n - 2]);
  // A last change that is small by chance says less than the one before it.
  const double change = std::max(last, kLeastRatio * before);
  if (change == 0) return 0;
  const double ratio = std::clamp(before > 0 ? last / before : kMostRatio, kLeastRatio, kMostRatio);
  return kSeriesSafety * change * ratio / (1 - ratio);
}

double ErrorByEstimates(const Values& values, const Values& estimates) {
  const size_t n = values.size();
  double error = 0;
  for (size_t back = 1; back <= 2 && back < n; back++) {
    const double before = estimates[n - 1 - back];
    const double left = before > 0 ? std::min(estimates[n - 1] / before, kMostLeft) : 0;
    const double change = std::abs(values[n - 1] - values[n - 1 - back]);
    error = std::max(error, kSeriesSafety * change * left / (1 - left));
  }
  return error;
}

std::vector<int> ToSplit(const ByElement& by, double bulk, double share, bool peaks) {
  const size_t n = by.error.size();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  auto first = [&](const Values& of, auto until, double most) {
    std::vector<int> out;
    std::sort(order.begin(), order.end(), [&](int a, int b) { return of[a] > of[b]; });
    for (int e : order) {
      if (until(of[e]) || static_cast<double>(out.size()) >= std::max(1.0, most * double(n))) break;
      out.push_back(e);
    }
    return out;
  };
  double sum = 0, taken = 0;
  for (double e : by.error) sum += e * e;
  std::vector<int> out = first(
      by.error,
      [&](double e) {
        const bool enough = taken >= bulk * sum;
        taken += e * e;
        return enough;
      },
      share);
  if (peaks && !by.peak.empty()) {
    const double largest = *std::max_element(by.peak.begin(), by.peak.end());
    const auto hot = first(by.peak, [&](double p) { return p < kHot * largest; }, kHotShare);
    out.insert(out.end(), hot.begin(), hot.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Where a round surface bends by an angle between curved elements (peak_kink), the stress is off
// by up to about that share of it, which splitting them does not mend: 0.7 of it on a ring of
// quadratic edges of 22 to 45 degrees.
Json SolvePeak(const Task& task, const Answer& coarse, const Domain& domain) {
  const Config refine = Config(task.request, "").Object("refine");
  if (coarse.by_element.peak.empty() || IsSingular(coarse)) return nullptr;
  const double unknowns = coarse.output["unknowns"].get<double>();
  if (!domain.mesh->IsSimplexMesh()) return nullptr;
  if (unknowns > refine.Number("peak_unknowns"))
    return {{"left_out", "the mesh has " + Text(unknowns, 6) + " unknowns"}};
  if ((Seconds() - task.start) * (2 + 2 * kPeakLevels) > refine.Number("seconds"))
    return {{"left_out", "the time allowed would not suffice"}};
  EmitProgress(0.92, "solving again on smaller elements around the stress peak");
  Values values = {FigureOf(coarse, kPeak)};
  try {
    ByElement by = coarse.by_element;
    Domain finer;
    for (int level = 0; level < kPeakLevels; level++) {
      finer = Split(level == 0 ? domain : finer, ToSplit(by, kPeakBulk, kPeakShare, true));
      Answer answer = SolveAside(task, finer);
      values.push_back(FigureOf(answer, kPeak));
      by = std::move(answer.by_element);
    }
  } catch (const std::exception& e) {
    return LeftOut(e);
  }
  return {{"values", values},
          {"error", std::abs(values.back() - values.front()) + SeriesError(values) +
                        coarse.peak_kink * std::abs(values.front())}};
}

namespace {

constexpr double kVanishes = 1e-7;  // of the largest of its kind: what solvers leave of a zero

struct Accuracy {
  std::string quantity;
  double target, most_unknowns;
};

Accuracy ReadAccuracy(const Config& config, const Domain& domain) {
  if (config.String("analysis", "static") != "static")
    throw config.Refuse("accuracy", "is for the analysis static")
        .Hint("Leave it out, and compare the figure on two meshes.");
  const Config c = config.Object("accuracy");
  const Accuracy out = {c.String("quantity", ""), c.Positive("target"),
                        double(c.Integer("max_unknowns", kDefaultUnknowns, 1, kMostUnknowns))};
  if (out.target < kLeastTarget || out.target > kMostTarget)
    throw c.Refuse("target", "is a relative error between 0.0001 and 0.5 (1 %: 0.01)");
  if (!domain.mesh->IsSimplexMesh())
    throw Error(codes::kInvalidInput,
                "accuracy needs a mesh of triangles or tetrahedra, which can be refined locally")
        .At(config.Pointer("accuracy"))
        .Hint("Mesh the part with tetrahedra, or leave accuracy out and refine the mesh yourself.");
  return out;
}

void RequireFigure(const Answer& answer, const Config& config, const std::string& quantity) {
  try {
    if (answer.output.at(Json::json_pointer(quantity)).is_number()) return;
  } catch (const Json::exception&) {
  }
  throw config.Object("accuracy")
      .Refuse("quantity", "\"" + quantity + "\" points to no number of the answer")
      .Hint(WhyNoFigure(answer.output, config, quantity));
}

// The coarsest mesh on which the figure is exact enough: it differs from that on the last one,
// which is off by left.
size_t Coarsest(const Values& values, double left, double target) {
  size_t i = 0;
  while (i + 1 < values.size() &&
         std::abs(values[i] - values.back()) + left > target * std::abs(values[i]))
    i++;
  return i;
}

std::vector<int> AllElements(const Domain& domain) {
  std::vector<int> all(domain.mesh->GetNE());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Why a figure that is not exact enough yet is refined no further; "" where it is.
std::string Stop(const Task& task, const Accuracy& asked, const Answer& answer, size_t steps,
                 double unknowns, double seconds) {
  if (asked.quantity.rfind("/von_mises", 0) == 0 && IsSingular(answer))
    return "the stress has no bound at the place of its peak, or at another that will overtake "
           "it, and grows with every refinement";
  const auto unbounded = answer.output.find("unbounded");
  if (unbounded != answer.output.end() && unbounded->contains(asked.quantity))
    return (*unbounded)[asked.quantity].get<std::string>() + ", which no mesh mends";
  const double value = FigureOf(answer, asked.quantity),
               largest = LargestLike(answer.output, asked.quantity);
  if (std::abs(value) < kVanishes * largest)
    return "the figure, " + Text(value, 2) + ", vanishes beside the largest of its kind, " +
           Text(largest, 3) +
           ": what is left of it is rounding, to which an accuracy relative to it "
           "means nothing";
  if (unknowns > asked.most_unknowns)
    return "the next mesh would have about " + Text(unknowns, 3) +
           " unknowns; max_unknowns allows " + Text(asked.most_unknowns, 6);
  const Config refine = Config(task.request, "").Object("refine");
  if (Seconds() - task.start + seconds > refine.Number("seconds", INFINITY))
    return "the time allowed would not suffice for a finer mesh";
  if (steps >= kMostSteps) return std::to_string(kMostSteps) + " meshes did not suffice";
  return "";
}

// How a figure is refined for, by what it hangs on.
struct Kind {
  bool peak;  // of the stresses: what is refined is around it
  // Of the stresses on a line or in the bulk. Where the whole solution errs most, or is largest,
  // need not be there, and meshes that leave them alone agree.
  bool even;
  double power;  // of the error in the energy norm, that its own error falls with
};

Kind KindOf(const std::string& quantity) {
  auto starts = [&quantity](const char* with) { return quantity.rfind(with, 0) == 0; };
  const bool even = starts("/stress_lines") || quantity == "/von_mises/p99";
  const bool peak = !even && (starts("/von_mises") || starts("/safety_factor"));
  return {peak, even, quantity.find("stress") == std::string::npos && !peak && !even ? 2.0 : 1.0};
}

// A figure on finer and finer meshes.
struct Approach {
  Values values;
  Values estimates;   // in proportion to which its error is taken to fall
  bool dual = false;  // they are error bars by dual solutions
  double kink = 0;    // the largest of Answer::peak_kink

  void Take(const Answer& answer, const std::string& quantity, const Kind& kind) {
    values.push_back(FigureOf(answer, quantity));
    const Values &goal = answer.by_element.goal, &error = answer.by_element.error;
    dual = !goal.empty();
    estimates.push_back(dual ? std::accumulate(goal.begin(), goal.end(), 0.0)
                             : std::pow(Norm2(error), kind.power));
    if (kind.peak) kink = std::max(kink, answer.peak_kink);
  }
  double Size() const { return std::abs(values.back()); }
  // What the changes leave of the last value.
  double Series(const Kind& kind) const {
    const double series = SeriesError(values);
    if (kind.peak || kind.even) return series;
    return std::max(
        {series, ErrorByEstimates(values, estimates), dual ? kOfDual * estimates.back() : 0.0});
  }
};

// The elements to split for a figure.
std::vector<int> Next(const Domain& domain, const Answer& answer, const Kind& kind) {
  if (kind.even) return AllElements(domain);
  ByElement by = answer.by_element;
  for (size_t e = 0; e < by.goal.size(); e++) by.error[e] = std::sqrt(by.goal[e]);
  return ToSplit(by, kind.peak ? kPeakBulk : kBulk, kind.peak ? kPeakShare : kShare, kind.peak);
}

}  // namespace

Json RefineToAccuracy(const Task& task, Domain& domain) {
  const Config config = Config(task.request, "").Object("config");
  const Accuracy asked = ReadAccuracy(config, domain);
  const Kind kind = KindOf(asked.quantity);
  Json steps = Json::array();
  Approach figure;
  std::vector<Domain> meshes;  // that were refined
  std::string reason;
  double error = INFINITY;
  domain.goal = asked.quantity;
  for (;;) {
    const double before = Seconds();
    const Answer answer = SolveAside(task, domain);
    RequireFigure(answer, config, asked.quantity);
    if (answer.by_element.error.empty())
      throw config.Refuse("accuracy", "is for solver classes that estimate errors by element");
    figure.Take(answer, asked.quantity, kind);
    const double unknowns = answer.output["unknowns"].get<double>();
    steps.push_back({{"unknowns", answer.output["unknowns"]}, {"value", figure.values.back()}});
    const double series = figure.Series(kind), kink = figure.kink * figure.Size();
    error = series + kink;
    if (error <= asked.target * figure.Size()) break;
    if (figure.kink > asked.target && series <= kink) {
      reason = "round surfaces bend by " + Text(figure.kink * 180 / M_PI, 2) +
               " degrees between the elements at the peak, which no refinement of this mesh mends: "
               "mesh the part finer";
      break;
    }
    EmitProgress(0.1 + 0.7 * (1 - std::pow(0.8, figure.values.size())),
                 Text(unknowns, 6) + " unknowns: " + Text(figure.values.back()));
    Domain finer = Split(domain, Next(domain, answer, kind));
    const double growth = double(finer.mesh->GetNE()) / domain.mesh->GetNE();
    // Once for the next mesh, and once more to report it.
    reason = Stop(task, asked, answer, figure.values.size(), growth * unknowns,
                  3 * growth * (Seconds() - before));
    if (!reason.empty()) break;
    meshes.push_back(std::move(domain));
    domain = std::move(finer);
  }
  size_t chosen = figure.values.size() - 1;
  if (reason.empty()) chosen = Coarsest(figure.values, error, asked.target);
  if (chosen < meshes.size()) {
    error += std::abs(figure.values[chosen] - figure.values.back());
    domain = std::move(meshes[chosen]);
  }
  domain.refined = false;
  Json out = {{"quantity", asked.quantity},
              {"target", asked.target},
              {"reached", reason.empty()},
              {"steps", steps},
              {"step", chosen}};
  if (!reason.empty()) out["reason"] = reason;
  if (std::isfinite(error)) out["error"] = error;
  return out;
}

}  // namespace atelier
