#include "vibration.hpp"

#include <algorithm>
#include <cmath>

#include "error_estimate.hpp"
#include "krylov.hpp"
#include "spatial.hpp"
#include "surface.hpp"

namespace atelier {
namespace {

constexpr double kSolve = 1e-10;  // tolerance of the inner solves
// Speeds of a wave in a bar, sqrt(E / density), m/s: from foam to beyond diamond.
constexpr double kSlowestSolid = 10, kFastestSolid = 2e4;

}  // namespace

std::optional<double> SquaredShapeError(const Elasticity& p, const Values& shape) {
  if (p.domain.refined || p.domain.mesh->GetNE() < kFewElements) return std::nullopt;
  const StressField s = RecoverStress(*p.space, shape, p.materials.lame, p.materials.kind);
  const double error = kEstimatorFactor[p.space->Order()] * s.error;
  return error * error;
}

void RequireDensity(const Elasticity& p) {
  if (p.materials.weightless.empty()) return;
  throw Error(codes::kInvalidInput, "an analysis of vibrations needs the density of every material")
      .At(p.materials.weightless.front())
      .Hint("Give density in kg/m^3 (steel: 7850).");
}

Values Times(const BlockCsr& a, const Values& x) {
  Values y(x.size());
  a.Multiply(x, y);
  return y;
}

namespace {

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

// K, or K + Kg, and a share of M. The linear space of the preconditioner goes without Kg.
BlockCsr Stiffness(const Vibration& v, const NodalSpace& space,
                   std::shared_ptr<const NodeGraph> graph, double of_mass) {
  BlockCsr k = AssembleElasticity(space, graph, v.p.materials.lame);
  AddElasticSupports(v.p, space, k);
  if (v.prestress && &space == v.p.space.get()) v.prestress->stiffness.AddTo(k, 1);
  if (of_mass == 0) return k;
  const BlockCsr m = AssembleMass(space, graph, v.p.materials.density);
  for (size_t i = 0; i < k.val.size(); i++) k.val[i] += of_mass * m.val[i];
  return k;
}

Pencil MakePencil(Vibration& v) {
  Elasticity& p = v.p;
  SolveOptions options = p.options;
  options.relative_tolerance = std::min(kSolve, options.relative_tolerance);
  options.expected_loads = kEigenSolves;
  return {[&v](const Values& x) {
            Values y = Times(v.mass, x);
            for (const Values& m : v.momentum) Axpy(-Dot(m, x), m, y);  // rigid motions set apart
            v.p.constraints->Clear(y);
            return y;
          },
          [&v](const Values& x) { return v.Problem().Stiffness(x); },
          [&v, &p, options](const Values& r) {
            Values x;
            const SolveReport report = v.Problem().SolveHomogeneous(r, x, options);
            v.inner.Worst(report);
            RequireConverged(report, options, *p.domain.mesh, &p.materials.lame);
            return x;
          },
          p.constraints->fixed, p.constraints->slanted};
}

// The rigid motions of one body that no support stops: those combinations that vanish at
// every unknown that is held, and along every spring.
void FindFloating(Vibration& v) {
  const Elasticity& p = v.p;
  const int dim = p.dim;
  const std::vector<char>& fixed = p.constraints->fixed;
  std::vector<Eigen::VectorXd> motion;  // of each unknown
  for (size_t u = 0; u < fixed.size(); u++) {
    double along[3] = {};
    along[u % dim] = 1;
    motion.push_back(RigidMotions(p.domain, &p.space->Coordinates()[u - u % dim], along));
  }
  const int all = static_cast<int>(motion[0].size());
  Eigen::MatrixXd held = Eigen::MatrixXd::Zero(all, all);
  for (size_t u = 0; u < fixed.size(); u++) {
    if (fixed[u]) held += motion[u] * motion[u].transpose();
  }
  for (const Slanted& s : p.constraints->slanted) {
    for (const auto& d : s.along) {
      const Eigen::VectorXd m = RigidMotions(
          p.domain, &p.space->Coordinates()[static_cast<size_t>(s.node) * dim], d.data());
      held += m * m.transpose();
    }
  }
  for (const Spring& s : Springs(p)) {
    const Eigen::VectorXd m = RigidMotions(p.domain, s.place.data(), s.direction.data());
    held += m * m.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(held);  // the free ones come first
  for (int f = 0; f < v.motions.total && f < all; f++) {
    Values r;
    for (const Eigen::VectorXd& m : motion) r.push_back(eigen.eigenvectors().col(f).dot(m));
    p.constraints->Clear(r);
    for (int twice = 0; twice < 2; twice++) {
      for (size_t k = 0; k < v.floating.size(); k++) Axpy(-Dot(v.momentum[k], r), v.floating[k], r);
    }
    const double size = std::sqrt(Dot(r, Times(v.mass, r)));
    for (double& c : r) c /= size;
    v.momentum.push_back(Times(v.mass, r));
    v.floating.push_back(std::move(r));
  }
}

void Add(Vibration& v, const EigenModes& found, size_t i, double lambda, Values shape) {
  if (!(lambda > 0))
    throw Error(codes::kNotConverged,
                "the modes are not told apart: rounding makes the eigenvalue "
                "of number " +
                    std::to_string(i + 1) + " negative")
        .At(v.p.config.Pointer("materials"))
        .Hint(
            "Stiffness and mass of the bodies or their supports differ by too much: check their "
            "units, or ask for fewer modes.");
  v.residuals.push_back(found.ErrorBound(i) * (lambda + v.shift) / lambda);
  if (static_cast<int>(i) < v.wanted) v.residual = std::max(v.residual, v.residuals.back());
  v.lambda.push_back(lambda);
  v.shapes.push_back(std::move(shape));
}

// phi_i^T K phi_j, K without the shift, by strains: a shape that hardly deforms has strains that
// are right to rounding, where products with K are what cancellation leaves.
Eigen::MatrixXd Works(const Vibration& v, const std::vector<Values>& shapes) {
  const Elasticity& p = v.p;
  const int n = static_cast<int>(shapes.size()), dim = p.dim;
  Eigen::MatrixXd work = Eigen::MatrixXd::Zero(n, n), strain(dim * dim, n);
  ForEachElement(*p.space, ElementKernel(*p.space, GradientDegree(*p.space)),
                 [&](int e, const LocalShapes& s) {
                   for (int q = 0; q < s.points; q++) {
                     const double* gradient = &s.gradient[static_cast<size_t>(q) * s.dofs * dim];
                     Eigen::RowVectorXd swelling = Eigen::RowVectorXd::Zero(n);
                     for (int i = 0; i < n; i++) {
                       Eigen::MatrixXd h = Eigen::MatrixXd::Zero(dim, dim);
                       for (int a = 0; a < s.dofs; a++) {
                         const double* u = &shapes[i][static_cast<size_t>(s.dof[a]) * dim];
                         for (int c = 0; c < dim; c++) {
                           for (int k = 0; k < dim; k++) h(c, k) += u[c] * gradient[a * dim + k];
                         }
                       }
                       swelling(i) = h.trace();
                       strain.col(i) = (0.5 * (h + h.transpose())).reshaped();
                     }
                     work += s.measure[q] *
                             (p.materials.lame.lambda[e] * swelling.transpose() * swelling +
                              2 * p.materials.lame.mu[e] * strain.transpose() * strain);
                   }
                 });
  BlockCsr springs(v.graph, dim);
  AddElasticSupports(p, *p.space, springs);
  for (int i = 0; i < n; i++) {
    Values image = Times(springs, shapes[i]);
    if (v.prestress) Axpy(1, v.prestress->stiffness(shapes[i]), image);
    for (int j = 0; j < n; j++) work(j, i) += Dot(shapes[j], image);
  }
  return work;
}

// The eigenvalues that were found, less the shift, beside which those of a soft mount are small:
// then by Rayleigh and Ritz on the shapes that were found, else by Rayleigh's quotient of each.
void Take(Vibration& v, EigenModes found) {
  for (const Values& r : v.floating)
    v.rigid = std::max(v.rigid, std::abs(Dot(r, v.Problem().Stiffness(r)) - v.shift));
  const int n = static_cast<int>(found.theta.size());
  if (v.shift == 0) {
    for (int i = 0; i < n; i++) {
      Values& x = found.shapes[i];
      const double size = std::sqrt(Dot(x, Times(v.mass, x)));
      for (double& c : x) c /= size;
      Add(v, found, i, Dot(x, v.Problem().Stiffness(x)), x);
    }
    return;
  }
  const Eigen::MatrixXd k = Works(v, found.shapes);
  Eigen::MatrixXd m(n, n);
  for (int i = 0; i < n; i++) {
    const Values momentum = Times(v.mass, found.shapes[i]);
    for (int j = 0; j < n; j++) m(j, i) = Dot(found.shapes[j], momentum);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> ritz(0.5 * (k + k.transpose()),
                                                                       0.5 * (m + m.transpose()));
  for (int i = 0; i < n; i++) {
    Values x(found.shapes[0].size(), 0.0);
    for (int j = 0; j < n; j++) Axpy(ritz.eigenvectors()(j, i), found.shapes[j], x);
    Add(v, found, i, ritz.eigenvalues()[i], std::move(x));
  }
}

}  // namespace

int CountModesBelow(const Vibration& v, double lambda) {
  BlockCsr k = Stiffness(v, *v.p.space, v.graph, -lambda);
  Clamp(k, *v.p.constraints);
  return CountFreeBelow(k, *v.p.constraints);
}

void CountModes(Vibration& v) {
  if (v.p.domain.refined) return;
  for (size_t i = v.wanted - 1; i + 1 < v.lambda.size(); i++) {
    if (v.lambda[i + 1] - v.lambda[i] <= kGap * v.lambda[i]) continue;
    v.count.counted = CountModesBelow(v, 0.5 * (v.lambda[i] + v.lambda[i + 1]));
    v.count.expected = static_cast<int>(i) + 1 + v.motions.total;
    return;
  }
}

void AssembleVibration(Vibration& v) {
  Elasticity& p = v.p;
  v.motions = FindFreeMotions(p.domain, *p.space, *p.constraints, Springs(p));
  if (v.motions.bodies > 1 && v.motions.total > 0)
    throw Error(codes::kSingularSystem,
                "the mesh falls into " + std::to_string(v.motions.bodies) + " bodies, and " +
                    std::to_string(v.motions.total) +
                    " of their rigid motions are free; a single body may float, several may not")
        .At("/config/bcs")
        .Hint("Hold every body, or mesh them so that they share the nodes of their faces.")
        .With("bodies", v.motions.loose);
  if (v.motions.total > 0 || std::any_of(p.regions.begin(), p.regions.end(), IsElastic))
    v.shift = Shift(p);
  EmitProgress(0.15, "assembling " + std::to_string(p.constraints->fixed.size()) + " unknowns");
  v.graph = MakeGraph(*p.space);
  v.mass = AssembleMass(*p.space, v.graph, p.materials.density);
  std::unique_ptr<SpdProblem>& problem = p.problem && v.shift > 0 ? v.shifted : p.problem;
  if (problem) return;
  problem = std::make_unique<SpdProblem>(
      *p.space, *p.constraints, [&](const NodalSpace& s, std::shared_ptr<const NodeGraph> g) {
        return Stiffness(v, s, std::move(g), v.shift);
      });
}

void FindModes(Vibration& v) {
  Elasticity& p = v.p;
  const int free = p.constraints->Free();
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
}

namespace {

// How much the error of the prestress may change an eigenvalue: phi^T Kg phi is a linear
// functional of the displacements, with a dual solution.
std::optional<double> PrestressError(const Vibration& v, size_t mode) {
  const Elasticity& p = v.p;
  if (!v.prestress) return 0;
  if (mode >= (p.u.size() > kManyUnknowns ? kFewModes : kStatedModes)) return std::nullopt;
  return StressWorkError(p, *v.prestress->statics, v.shapes[mode]);
}

}  // namespace

// Half that of its eigenvalue.
std::optional<double> ShapeFrequencyError(const Vibration& v, size_t mode) {
  const auto error = SquaredShapeError(v.p, v.shapes[mode]);
  if (!error) return std::nullopt;
  const auto stress = PrestressError(v, mode);
  if (!stress) return std::nullopt;
  return 0.5 * (kErrorBarSafety * *error + *stress) / v.lambda[mode];
}

// On a coarse mesh modes change places: the nth frequency is at most the nth that was found
// (Rayleigh and Ritz), and at least the nth of all their lower bounds.
std::vector<std::optional<double>> FrequencyErrors(const Vibration& v) {
  std::vector<std::optional<double>> errors;
  Values least;
  for (size_t i = 0; i < v.lambda.size(); i++) {
    errors.push_back(ShapeFrequencyError(v, i));
    least.push_back(Frequency(v.lambda[i]) * std::max(0.0, 1 - errors[i].value_or(0)));
  }
  std::sort(least.begin(), least.end());
  for (size_t i = 0; i < v.lambda.size(); i++) {
    const double f = Frequency(v.lambda[i]);
    if (errors[i]) errors[i] = std::max(*errors[i] * f, f - least[i]);
  }
  return errors;
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

}  // namespace atelier
