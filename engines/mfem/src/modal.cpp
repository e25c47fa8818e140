// Natural frequencies: K phi = (2 pi f)^2 M phi with the consistent mass matrix (Bathe, Finite
// Element Procedures, 2nd ed., ch. 9 to 11).
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "bodies.hpp"
#include "eigen_modes.hpp"
#include "elasticity.hpp"
#include "error_estimate.hpp"
#include "krylov.hpp"
#include "rigid_body.hpp"
#include "surface.hpp"
#include "vtu_writer.hpp"

namespace atelier {

std::optional<double> SquaredShapeError(const Elasticity& p, const Values& shape) {
  if (p.domain.refined || p.domain.mesh->GetNE() < kFewElements) return std::nullopt;
  const StressField s = RecoverStress(*p.space, shape, p.materials.lame, p.materials.material);
  const double error = kEstimatorFactor[p.space->Order()] * s.error;
  return error * error;
}

void WriteShapes(Elasticity& p, std::vector<Values>& shapes, int count,
                 std::vector<PointField> fields) {
  if (p.domain.refined) return;
  EmitProgress(0.85, "writing the shapes");
  for (int i = 0; i < count; i++) {
    double largest = 0;
    for (size_t n = 0; n < shapes[i].size(); n += p.dim) {
      double size = 0;
      for (int c = 0; c < p.dim; c++) size += shapes[i][n + c] * shapes[i][n + c];
      largest = std::max(largest, std::sqrt(size));
    }
    for (double& x : shapes[i]) x /= largest;
    fields.push_back({"mode_" + std::to_string(i + 1), "1", p.dim, &shapes[i]});
  }
  VtuWriter writer(*p.space, "solution");
  writer.Write(0, fields, {});
  p.answer.artifacts.push_back(writer.Artifact());
  p.answer.output["fields"] = writer.Fields();
  p.answer.output["vtk_file"] = writer.Collection();
}

namespace {

constexpr int kSpareModes = 3;    // found beyond those asked for, to see where to count
constexpr double kGap = 1e-4;     // between eigenvalues, relative: one can count between them
constexpr double kSolve = 1e-10;  // tolerance of the inner solves
constexpr double kRigid = 1e-5;   // of the first elastic eigenvalue: no more is a rigid one
// Speeds of a wave in a bar, sqrt(E / density), m/s: from foam to beyond diamond.
constexpr double kSlowestSolid = 10, kFastestSolid = 2e4;

struct Vibration {
  Elasticity& p;
  FreeMotions motions;
  double shift = 0;  // added to every eigenvalue, (rad/s)^2
  std::shared_ptr<const NodeGraph> graph;
  BlockCsr mass;
  int wanted = 0;
  SolveReport inner;                       // of all the solves
  Values lambda;                           // (rad/s)^2, of the elastic modes, rising
  std::vector<Values> shapes;              // with phi^T M phi = 1
  double residual = 0;                     // the largest relative error of an eigenvalue
  std::vector<Values> floating, momentum;  // rigid motions with phi^T M phi = 1, and M phi
  double rigid = 0;                        // the largest eigenvalue of a rigid mode
  ModeCount count;

  explicit Vibration(Elasticity& e) : p(e) {}
};

// What a vibration has no use for would be ignored without a word.
void RefuseLoads(const Elasticity& p) {
  const char* hint =
      "Natural frequencies of linear theory do not depend on the loads: leave them out, or use "
      "analysis static for what the loads do.";
  for (const char* name : {"gravity", "acceleration", "rotation", "body_force", "temperature"}) {
    if (p.config.Has(name))
      throw p.config.Refuse(name, "is a load, and a modal analysis has none").Hint(hint);
  }
  if (p.config.Has("probes"))
    throw p.config.Refuse("probes", "is for static analyses")
        .Hint("The shapes of the modes are in the field file.");
  for (const Region& r : p.regions) {
    if (IsElastic(r))
      throw r.config.Refuse("type", "elastic is for static analyses")
          .Hint("Hold the face by a fixed condition: the frequencies are then upper bounds.");
    if (r.type == "remote_mass")
      throw r.config.Refuse("type", "remote_mass is not offered in a modal analysis yet")
          .Hint("Model the mass as a body: without it the frequencies come out too high.");
    if (!IsFixed(r))
      throw r.config.Refuse("type", "is a load, and a modal analysis has none").Hint(hint);
    if (!r.config.Has("value")) continue;
    for (double v : r.config.Vector("value", p.dim)) {
      if (v != 0)
        throw r.config.Refuse("value", "moves the support; in a modal analysis it stands still")
            .Hint("Leave value out.");
    }
  }
}

void RequireDensity(const Elasticity& p) {
  if (p.materials.weightless.empty()) return;
  throw Error(codes::kInvalidInput, "a modal analysis needs the density of every material")
      .At(p.materials.weightless.front())
      .Hint("Give density in kg/m^3 (steel: 7850).");
}

// About the first eigenvalue of a free bar of the part's length and thickness (2 V / S), of
// which a rigid motion and the first mode are then equally far: 22.4^2 E I / (rho A L^4).
double Shift(const Elasticity& p) {
  double volume = 0, surface = 0, speed = INFINITY;
  mfem::Mesh& mesh = *p.domain.mesh;
  for (int e = 0; e < mesh.GetNE(); e++) {
    volume += mesh.GetElementVolume(e);
    speed = std::min(speed, 2 * p.materials.lame.mu[e] / p.materials.density[e]);
  }
  for (const Facet& f : Surface(mesh, std::vector<int>(mesh.GetNE(), 0))) surface += f.area;
  const double length = p.domain.Diagonal(), thickness = 2 * volume / surface;
  return 40 * speed * thickness * thickness / std::pow(length, 4);
}

// K + shift M.
BlockCsr Stiffness(const Vibration& v, const NodalSpace& space,
                   std::shared_ptr<const NodeGraph> graph) {
  BlockCsr k = AssembleElasticity(space, graph, v.p.materials.lame);
  if (v.shift == 0) return k;
  const BlockCsr m = AssembleMass(space, graph, v.p.materials.density);
  for (size_t i = 0; i < k.val.size(); i++) k.val[i] += v.shift * m.val[i];
  return k;
}

Values Times(const BlockCsr& a, const Values& x) {
  Values y(x.size());
  a.Multiply(x, y);
  return y;
}

Pencil MakePencil(Vibration& v) {
  Elasticity& p = v.p;
  SolveOptions options = p.options;
  options.relative_tolerance = std::min(kSolve, options.relative_tolerance);
  options.expected_loads = kEigenSolves;
  return {[&v](const Values& x) {
            Values y = Times(v.mass, x);
            for (const Values& m : v.momentum) Axpy(-Dot(m, x), m, y);  // rigid motions set apart
            for (size_t i = 0; i < y.size(); i++) y[i] = v.p.constraints->fixed[i] ? 0 : y[i];
            return y;
          },
          [&p](const Values& x) { return p.problem->Stiffness(x); },
          [&v, &p, options](const Values& r) {
            Values x;
            const SolveReport report = p.problem->SolveHomogeneous(r, x, options);
            v.inner.Worst(report);
            RequireConverged(report, options, *p.domain.mesh, &p.materials.lame);
            return x;
          },
          p.constraints->fixed};
}

// Component c of rigid motion k at a point: translations, then turns.
double RigidMotion(int dim, int k, int c, const double* x) {
  if (k < dim) return k == c ? 1 : 0;
  if (dim == 2) return c == 0 ? -x[1] : x[0];
  const int i = (k - 3 + 1) % 3, j = (k - 3 + 2) % 3;
  return c == i ? -x[j] : c == j ? x[i] : 0;
}

// The rigid motions of one body that no support stops: those combinations that vanish at
// every unknown that is held.
void FindFloating(Vibration& v) {
  const Elasticity& p = v.p;
  const int dim = p.dim, all = dim == 3 ? 6 : dim == 2 ? 3 : 1;
  const int nodes = p.space->Nodes();
  const double scale = p.domain.Diagonal() / 2;
  std::vector<Values> motion(all, Values(p.constraints->fixed.size()));
  for (int n = 0; n < nodes; n++) {
    double x[3] = {};
    for (int c = 0; c < dim; c++)
      x[c] = (p.space->Coordinates()[static_cast<size_t>(n) * dim + c] -
              (p.domain.low[c] + p.domain.high[c]) / 2) /
             scale;
    for (int k = 0; k < all; k++) {
      for (int c = 0; c < dim; c++)
        motion[k][static_cast<size_t>(n) * dim + c] = RigidMotion(dim, k, c, x);
    }
  }
  Eigen::MatrixXd held = Eigen::MatrixXd::Zero(all, all);
  for (size_t u = 0; u < p.constraints->fixed.size(); u++) {
    if (!p.constraints->fixed[u]) continue;
    for (int k = 0; k < all; k++) {
      for (int l = 0; l < all; l++) held(k, l) += motion[k][u] * motion[l][u];
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(held);  // the free ones come first
  for (int f = 0; f < v.motions.total && f < all; f++) {
    Values r(p.constraints->fixed.size(), 0.0);
    for (int k = 0; k < all; k++) Axpy(eigen.eigenvectors()(k, f), motion[k], r);
    for (size_t u = 0; u < r.size(); u++) r[u] = p.constraints->fixed[u] ? 0 : r[u];
    for (int twice = 0; twice < 2; twice++) {
      for (size_t k = 0; k < v.floating.size(); k++) Axpy(-Dot(v.momentum[k], r), v.floating[k], r);
    }
    const double size = std::sqrt(Dot(r, Times(v.mass, r)));
    for (double& c : r) c /= size;
    v.momentum.push_back(Times(v.mass, r));
    v.floating.push_back(std::move(r));
  }
}

// The eigenvalues that were found, less the shift.
void Take(Vibration& v, EigenModes found) {
  for (const Values& r : v.floating)
    v.rigid = std::max(v.rigid, std::abs(Dot(r, v.p.problem->Stiffness(r)) - v.shift));
  for (size_t i = 0; i < found.theta.size(); i++) {
    Values& x = found.shapes[i];
    const double m = Dot(x, Times(v.mass, x));
    const double lambda = 1 / m - v.shift;  // Rayleigh's quotient, phi^T (K + shift M) phi = 1
    if (static_cast<int>(i) < v.wanted)
      v.residual = std::max(v.residual, found.ErrorBound(i) / (m * std::abs(lambda)));
    for (double& c : x) c /= std::sqrt(m);
    v.lambda.push_back(lambda);
    v.shapes.push_back(std::move(x));
  }
}

// Counts the eigenvalues below a gap behind those asked for: one that Lanczos' method has
// missed would show.
void Count(Vibration& v) {
  if (v.p.domain.refined) return;
  for (size_t i = v.wanted - 1; i + 1 < v.lambda.size(); i++) {
    if (v.lambda[i + 1] - v.lambda[i] <= kGap * v.lambda[i]) continue;
    const double mu = 0.5 * (v.lambda[i] + v.lambda[i + 1]);
    BlockCsr k = AssembleElasticity(*v.p.space, v.graph, v.p.materials.lame);
    for (size_t j = 0; j < k.val.size(); j++) k.val[j] -= mu * v.mass.val[j];
    Clamp(k, *v.p.constraints);
    v.count.counted = CountFreeBelow(k, *v.p.constraints);
    v.count.expected = static_cast<int>(i) + 1 + v.motions.total;
    return;
  }
}

void Solve(Vibration& v) {
  Elasticity& p = v.p;
  p.options = ReadSolveOptions(p.config);
  v.wanted = p.config.Integer("modes", kDefaultModes, 1, kMostModes);
  v.motions = FindFreeMotions(p.domain, *p.space, *p.constraints);
  if (v.motions.bodies > 1 && v.motions.total > 0)
    throw Error(codes::kSingularSystem,
                "the mesh falls into " + std::to_string(v.motions.bodies) + " bodies, and " +
                    std::to_string(v.motions.total) +
                    " of their rigid motions are free; a single body may float, several may not")
        .At("/config/bcs")
        .Hint("Hold every body, or mesh them so that they share the nodes of their faces.")
        .With("bodies", v.motions.loose);
  if (v.motions.total > 0) v.shift = Shift(p);
  EmitProgress(0.15, "assembling " + std::to_string(p.constraints->fixed.size()) + " unknowns");
  v.graph = MakeGraph(*p.space);
  v.mass = AssembleMass(*p.space, v.graph, p.materials.density);
  p.problem = std::make_unique<SpdProblem>(
      *p.space, *p.constraints, [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
        return Stiffness(v, s, std::move(g));
      });
  const auto free = std::count(p.constraints->fixed.begin(), p.constraints->fixed.end(), 0);
  const long most = free - v.motions.total - 2;
  if (v.wanted > most)
    throw p.config
        .Refuse("modes", "is " + std::to_string(v.wanted) + ", and of this mesh at most " +
                             std::to_string(std::max(most, 0L)) +
                             " can be found: " + std::to_string(free) + " unknowns are free")
        .Hint("Use a finer mesh, or ask for fewer modes.");
  if (v.motions.total > 0) FindFloating(v);
  EmitProgress(0.3, "looking for " + std::to_string(v.wanted) + " modes");
  Take(v, LargestModes(MakePencil(v), v.wanted + kSpareModes));
  if (static_cast<int>(v.lambda.size()) < v.wanted)
    throw Error(codes::kNotConverged, "only " + std::to_string(v.lambda.size()) + " of " +
                                          std::to_string(v.wanted) + " modes were found")
        .At(p.config.Pointer("modes"))
        .Hint("Ask for fewer modes, or use a finer mesh.");
  EmitProgress(0.7, "counting the modes");
  Count(v);
}

double Frequency(double lambda) { return std::sqrt(std::max(0.0, lambda)) / (2 * M_PI); }

double TotalMass(const Elasticity& p) {
  double sum = 0;
  for (int e = 0; e < p.domain.mesh->GetNE(); e++)
    sum += p.materials.density[e] * p.domain.mesh->GetElementVolume(e);
  return sum;
}

// The share of the mass that a mode moves with when the supports shake along each axis.
Json MassShares(const Vibration& v, const Values& shape, double mass) {
  Json shares = Json::array();
  const int dim = v.p.dim;
  for (int c = 0; c < dim; c++) {
    Values along(shape.size(), 0.0);
    for (size_t i = c; i < along.size(); i += dim) along[i] = 1;
    const double part = Dot(shape, Times(v.mass, along));
    shares.push_back(part * part / mass);
  }
  return shares;
}

// Relative error of a frequency: half that of its eigenvalue.
std::optional<double> RelativeError(const Vibration& v, size_t mode) {
  const auto error = SquaredShapeError(v.p, v.shapes[mode]);
  if (!error) return std::nullopt;
  return kErrorBarSafety * 0.5 * *error / v.lambda[mode];
}

// The error of each frequency, Hz. On a coarse mesh modes change places: the nth frequency is at
// most the nth that was found (Rayleigh and Ritz), and at least the nth of all their lower bounds.
std::vector<std::optional<double>> Errors(const Vibration& v) {
  std::vector<std::optional<double>> errors;
  Values least;
  for (size_t i = 0; i < v.lambda.size(); i++) {
    errors.push_back(RelativeError(v, i));
    least.push_back(Frequency(v.lambda[i]) * std::max(0.0, 1 - errors[i].value_or(0)));
  }
  std::sort(least.begin(), least.end());
  for (size_t i = 0; i < v.lambda.size(); i++) {
    const double f = Frequency(v.lambda[i]);
    if (errors[i]) errors[i] = std::max(*errors[i] * f, f - least[i]);
  }
  return errors;
}

void StateFrequencies(Vibration& v) {
  Elasticity& p = v.p;
  const std::vector<std::optional<double>> errors = Errors(v);
  const double mass = TotalMass(p);
  Json modes = Json::array();
  for (int i = 0; i < v.wanted; i++) {
    const double f = Frequency(v.lambda[i]);
    modes.push_back(
        {{"number", i + 1}, {"frequency", f}, {"mass_share", MassShares(v, v.shapes[i], mass)}});
    if (i >= kStatedModes) continue;
    Quantity q = {"natural frequency " + std::to_string(i + 1),
                  "/modes/" + std::to_string(i) + "/frequency", f, "Hz",
                  "Lanczos' method on consistent mass; error bar by recovered stresses"};
    q.quoted = i < 3;
    q.error = errors[i];
    CheckError(p.answer.evidence, q, f);
  }
  Json& out = p.answer.output;
  out["modes"] = modes;
  out["rigid_modes"] = v.motions.total;
  out["mass"] = mass;
  p.answer.evidence.State({"mass", "/mass", mass, p.dim == 3 ? "kg" : "kg/m", "density by volume"});
}

void CheckModes(Vibration& v) {
  Evidence& ev = v.p.answer.evidence;
  ev.Within({"modes_converged", "residual", "/modes", v.residual, kMostResidual, "1",
             "The eigenvalues are those of the discrete part to " + Text(v.residual, 2) +
                 " of their size."});
  if (v.motions.total > 0) {
    const double share = v.rigid / v.lambda[0];
    ev.Within({"rigid_modes", "exact", "/modes", share, kRigid, "1",
               "Nothing holds the part along " + std::to_string(v.motions.total) +
                   " rigid motions, whose stiffness is 0 to " + Text(share, 2) +
                   " of that of the first mode; they are left out of the modes."});
  }
  CheckCount(v.count, "/modes", "K - mu M", "modes",
             "That no mode was missed was not counted: the part has too many unknowns, or the "
             "eigenvalues lie too close together.",
             ev);
}

// Density and modulus must be of one solid.
void CheckWaveSpeed(Elasticity& p) {
  double least = INFINITY, most = 0;
  for (size_t e = 0; e < p.materials.density.size(); e++) {
    const double c = std::sqrt(2 * p.materials.lame.mu[e] / p.materials.density[e]);
    least = std::min(least, c), most = std::max(most, c);
  }
  if (least >= kSlowestSolid && most <= kFastestSolid) return;
  p.answer.evidence.Holds(
      "wave_speed", "model", "", false,
      "Sound would travel through the material at about " +
          Text(least < kSlowestSolid ? least : most, 2) +
          " m/s, as it does through no solid (steel: 5,000): check the units of E (Pa) and density "
          "(kg/m^3).");
}

std::string Summary(const Vibration& v) {
  std::string text = "Natural frequencies";
  const int told = std::min(v.wanted, 6);
  for (int i = 0; i < told; i++)
    text += (i ? ", " : " ") + Text(Frequency(v.lambda[i])) + (i + 1 == told ? " Hz" : "");
  if (v.wanted > told) text += " and " + std::to_string(v.wanted - told) + " more";
  if (v.motions.total > 0)
    text += "; beside them " + std::to_string(v.motions.total) + " rigid motions are free";
  return text + ".";
}

}  // namespace

Answer SolveModal(Domain& domain, const Config& config) {
  Elasticity p(domain, config);
  Prepare(p);
  RefuseLoads(p);
  RequireDensity(p);
  Vibration v(p);
  Solve(v);
  Evidence& ev = p.answer.evidence;
  ev.Order(p.space->Order());
  ev.Note(Provenance("stress recovery") + " Lanczos' method: Spectra.");
  Json& out = p.answer.output;
  out["analysis"] = "modal";
  out["order"] = p.space->Order();
  out["unknowns"] = p.constraints->fixed.size();
  out["iterations"] = v.inner.iterations;
  out["residual"] = v.residual;
  out["solver"] = DescribeSolver(v.inner);
  out["error_norm"] = v.residual;
  out["energy"] = 0;
  out["imbalance"] = 0;
  out["loads"] = Json::array();
  for (const Region& r : p.regions) out["loads"].push_back(DescribeRegion(r));
  StateFrequencies(v);
  CheckModes(v);
  CheckMesh(p.domain, p.regions, false, ev);
  CheckMaterials(p);
  CheckWaveSpeed(p);
  WriteShapes(p, v.shapes, v.wanted);
  p.answer.summary = Summary(v);
  return std::move(p.answer);
}

}  // namespace atelier
