#include "bolts.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "elasticity.hpp"
#include "surface.hpp"
#include "union_find.hpp"

namespace atelier {
namespace {

constexpr double kLonger = 1.2;        // second moments of a body along its axis, and across
constexpr double kAligned = 1e-9;      // less across a coordinate axis is rounding
constexpr double kAcross = 0.05;       // cosine between a side of the shank and its axis
constexpr double kAtEnd = 0.01;        // of the length: faces at the ends of a shank
constexpr double kStricter = 0.1;      // of the solver's tolerance, for what preloads rest on
constexpr double kStrictest = 1e-12;   // what rounding leaves of it
constexpr double kUnreachable = 1e-6;  // of a bolt between rigid walls: a force that is rounding

void FindElements(const Elasticity& p, Bolt& b) {
  mfem::Mesh& mesh = *p.domain.mesh;
  if (mesh.attributes.Find(b.body) < 0)
    throw UnknownElementAttribute(p.domain, b.body)
        .At(b.config.Pointer("body"))
        .Hint("Give the element attribute of the bolt's shank.");
  UnionFind sets(mesh.GetNE());
  for (int f = 0; f < mesh.GetNumFaces(); f++) {
    int one, two;
    mesh.GetFaceElements(f, &one, &two);
    if (two >= 0 && mesh.GetAttribute(one) == b.body && mesh.GetAttribute(two) == b.body)
      sets.Join(one, two);
  }
  int pieces = 0;
  for (int e = 0; e < mesh.GetNE(); e++) {
    if (mesh.GetAttribute(e) != b.body) continue;
    b.elements.push_back(e);
    if (sets.Root(e) == e) pieces++;
  }
  if (pieces > 1)
    throw b.config.Refuse("body", "falls into " + std::to_string(pieces) + " separate pieces")
        .Hint("Give every bolt an element attribute of its own.");
}

// Volume and axis: the given one, or that along which the body is longest.
void FindAxis(const Elasticity& p, Bolt& b) {
  const ElementKernel kernel(*p.space, 4);
  LocalShapes s;
  Eigen::Vector3d first = Eigen::Vector3d::Zero(), x;
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (int e : b.elements) {
    kernel.Evaluate(e, s);
    for (int q = 0; q < s.points; q++) {
      kernel.Position(e, q, x.data());
      b.volume += s.measure[q];
      first += s.measure[q] * x;
      second += s.measure[q] * x * x.transpose();
    }
  }
  second -= first * first.transpose() / b.volume;
  b.given = b.config.Has("axis");
  Eigen::Vector3d axis;
  if (b.given) {
    const std::vector<double> v = b.config.Vector("axis", 3);
    axis = Eigen::Vector3d(v[0], v[1], v[2]);
    if (axis.norm() == 0)
      throw b.config.Refuse("axis", "must not be the zero vector")
          .Hint("Write the direction of the bolt's axis: [0, 0, 1] for z.");
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> moments(second);
    if (moments.eigenvalues()[2] < kLonger * moments.eigenvalues()[1])
      throw b.config
          .Refuse("axis", "is required: the body " + std::to_string(b.body) +
                              " is not longer along one axis than across")
          .Hint("Write the direction of the bolt's axis: [0, 0, 1] for z.");
    axis = moments.eigenvectors().col(2);
    int largest;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis[largest] < 0) axis = -axis;
  }
  axis.normalize();
  for (int k = 0; k < 3; k++) b.axis[k] = std::abs(axis[k]) > kAligned ? axis[k] : 0;
}

// Length of the shank, how other bodies are joined to it, and whether anything is.
void FindEnds(const Elasticity& p, Bolt& b) {
  mfem::Mesh& mesh = *p.domain.mesh;
  double low = INFINITY, high = -INFINITY;
  std::vector<char> own(p.space->Nodes(), 0);
  for (int e : b.elements) {
    for (int a = 0; a < p.space->Count(e); a++) {
      const int node = p.space->Dofs(e)[a];
      const std::vector<double> x = p.space->Point(node);
      const double at = Dot(b.axis, {x[0], x[1], x[2]});
      own[node] = 1;
      low = std::min(low, at);
      high = std::max(high, at);
    }
  }
  b.length = high - low;
  double joined = 0, aside = 0;
  mfem::Array<int> vertices;
  for (int f = 0; f < mesh.GetNumFaces(); f++) {
    int one, two;
    mesh.GetFaceElements(f, &one, &two);
    if (two < 0 || (mesh.GetAttribute(one) == b.body) == (mesh.GetAttribute(two) == b.body))
      continue;
    bool bottom = true, top = true;
    mesh.GetFaceVertices(f, vertices);
    for (int v : vertices) {
      const double at = Dot(b.axis, VertexOf(mesh, v));
      bottom = bottom && at - low <= kAtEnd * b.length;
      top = top && high - at <= kAtEnd * b.length;
    }
    const double area = Length(AreaVector(mesh, f));
    joined += area;
    if (!bottom && !top) aside += area;
  }
  b.aside = joined > 0 ? aside / joined : 0;
  if (joined > 0) return;
  for (const Region& r : p.regions) {
    if (!IsFixed(r) && !IsElastic(r)) continue;
    for (int f : r.faces) {
      for (int node : p.space->BoundaryDofs(f)) {
        if (own[node]) return;
      }
    }
  }
  throw b.config
      .Refuse("body", "is not connected: the body " + std::to_string(b.body) +
                          " shares no face with another body, and no support holds it")
      .Hint(
          "Mesh the joint as one part, in which the ends of the shank share nodes with what "
          "the bolt clamps.");
}

// The condition that holds a flat side of the shank as a plane of symmetry does, or null.
const Region* CutBy(const Elasticity& p, const Bolt& b) {
  const mfem::Mesh& mesh = *p.domain.mesh;
  const auto steepest = [](const Point3& v) {
    int most = 0;
    for (int k = 1; k < 3; k++) most = std::abs(v[k]) > std::abs(v[most]) ? k : most;
    return most;
  };
  for (const Region& r : p.regions) {
    if (!IsFixed(r)) continue;
    const Slant* slant = p.supports.Of(r);
    const std::vector<int> held = slant ? std::vector<int>() : FixedComponents(r, 3);
    const bool mirror = slant && slant->type == "symmetry";
    const auto holds = [&](int k) { return std::find(held.begin(), held.end(), k) != held.end(); };
    if (holds(steepest(b.axis))) continue;  // a thread in something rigid
    for (int f : r.faces) {
      int element, info;
      mesh.GetBdrElementAdjacentElement(f, element, info);
      const Point3 normal = AreaVector(mesh, mesh.GetBdrElementFaceIndex(f));
      if (mesh.GetAttribute(element) == b.body && (mirror || holds(steepest(normal))) &&
          std::abs(Dot(normal, b.axis)) < kAcross * Length(normal))
        return &r;
    }
  }
  return nullptr;
}

void ReadShare(const Elasticity& p, Bolt& b) {
  const Region* cut = CutBy(p, b);
  if (b.config.Has("share")) b.share = b.config.Positive("share");
  if (cut && !b.config.Has("share"))
    throw b.config
        .Refuse("share", "is required: bcs/" + std::to_string(cut->index) +
                             " holds a side of the shank as a plane of symmetry does, so that only "
                             "a part of the bolt is in the mesh")
        .Hint("Give share 0.5 for half a bolt, 0.25 for a quarter, and the preload of the whole.");
  if (!cut && b.share < 1)
    throw b.config
        .Refuse("share",
                "is for bolts that a plane of symmetry cuts, and no condition holds a "
                "side of the body " +
                    std::to_string(b.body) + " as one does")
        .Hint(
            "Leave share out where the whole bolt is in the mesh, or hold the cut by a "
            "condition of the type symmetry.");
}

Bolt ReadBolt(const Elasticity& p, const Config& config) {
  Bolt b(config);
  b.body = config.Integer("body", 0, 1, 1 << 30);
  b.preload = config.Positive("preload");
  FindElements(p, b);
  FindAxis(p, b);
  FindEnds(p, b);
  ReadShare(p, b);
  const int e = b.elements.front();
  b.young = p.materials.lame.Young(e);
  b.yield = p.materials.yield[e];
  return b;
}

// force(b, c): in bolt b, of a strain of 1 in c. A preload can be reached where no set of
// strains leaves the joint without a force.
void RequireReachable(Elasticity& p, const Eigen::MatrixXd& force) {
  const int n = static_cast<int>(p.bolts.size());
  Eigen::MatrixXd stiffness(n, n);  // of a bolt between rigid walls: 1
  for (int b = 0; b < n; b++) {
    for (int c = 0; c < n; c++) {
      const Bolt &one = p.bolts[b], &two = p.bolts[c];
      stiffness(b, c) = force(b, c) * one.share * one.length /
                        std::sqrt(one.young * one.volume * two.young * two.volume);
    }
    p.bolts[b].load_factor = 1 - stiffness(b, b);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(0.5 *
                                                             (stiffness + stiffness.transpose()));
  if (modes.eigenvalues()[0] > kUnreachable) return;
  const Eigen::VectorXd share = modes.eigenvectors().col(0).cwiseAbs2();
  int at;
  const bool alone = share.maxCoeff(&at) > 0.9;
  const Bolt& b = p.bolts[at];
  throw Error(codes::kSingularSystem,
              alone ? "the preload cannot be reached: nothing holds the bolt at both ends, so "
                      "that it carries no force however far it is tightened"
                    : "the preloads cannot be reached: this bolt and others carry one force, as "
                      "in one line, so that each cannot have its own")
      .At(b.config.Pointer("preload"))
      .Hint(alone ? "Mesh the joint so that both ends of the shank share nodes with what it "
                    "clamps."
                  : "Give a bolt one element attribute along its whole shank.");
}

}  // namespace

Point3 AreaVector(const mfem::Mesh& mesh, int face) {
  mfem::Array<int> v;
  mesh.GetFaceVertices(face, v);
  Point3 sum{};
  const Point3 first = VertexOf(mesh, v[0]);
  for (int i = 1; i + 1 < v.Size(); i++) {
    sum = Less(sum, -0.5,
               Cross(Less(VertexOf(mesh, v[i]), first), Less(VertexOf(mesh, v[i + 1]), first)));
  }
  return sum;
}

std::vector<Bolt> ReadBolts(const Elasticity& p) {
  std::vector<Bolt> out;
  if (!p.config.Has("bolts")) return out;
  if (p.dim != 3)
    throw p.config.Refuse("bolts", "is for 3-D meshes").Hint("Mesh the joint in 3-D.");
  for (const Config& c : p.config.List("bolts")) {
    Bolt b = ReadBolt(p, c);
    for (const Bolt& other : out) {
      if (other.body == b.body)
        throw c.Refuse("body", "is that of " + other.config.Pointer() + " already")
            .Hint("Give every bolt an element attribute of its own, and one preload.");
    }
    out.push_back(std::move(b));
  }
  return out;
}

double AxialForce(const Elasticity& p, const Bolt& bolt, const Values& u,
                  const InitialStrain& initial) {
  const ElementKernel kernel(*p.space, GradientDegree(*p.space));
  Tensor along;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) along.a[i][k] = bolt.axis[i] * bolt.axis[k];
  }
  LocalShapes s;
  double sum = 0;
  for (int e : bolt.elements) {
    kernel.Evaluate(e, s);
    for (int q = 0; q < s.points; q++) {
      const Tensor strain = Symmetric(DisplacementGradient(p.dim, s, q, u));
      sum +=
          s.measure[q] * Product(along, ElasticStress(strain, p.materials.lame, e, s, q, initial));
    }
  }
  return sum / (bolt.length * bolt.share);
}

InitialStrain Shortened(const Elasticity& p, const Bolt& bolt, double strain) {
  Tensor t;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) t.a[i][k] = -strain * bolt.axis[i] * bolt.axis[k];
  }
  InitialStrain out;
  for (int e : bolt.elements) out.Add(p.materials.lame, e, t);
  return out;
}

InitialStrain Tighten(Elasticity& p) {
  const int n = static_cast<int>(p.bolts.size());
  p.tightened = std::make_unique<Tightened>();
  Tightened& t = *p.tightened;
  t.of_service = p.initial;
  t.unit.resize(n);
  SolveOptions options = p.options;
  options.relative_tolerance = std::max(kStricter * options.relative_tolerance, kStrictest);
  options.expected_loads = n + 1;
  Eigen::MatrixXd force(n, n);
  Eigen::VectorXd preload(n);
  for (int c = 0; c < n; c++) {
    EmitProgress(0.4, "tightening bolt " + std::to_string(c + 1) + " of " + std::to_string(n));
    const InitialStrain strain = Shortened(p, p.bolts[c], 1);
    Values load(p.load.size(), 0.0);
    AddInitialLoad(*p.space, strain, load);
    const SolveReport step = p.problem->SolveHomogeneous(load, t.unit[c], options);
    RequireConverged(step, options, *p.domain.mesh, &p.materials.lame);
    p.report.Worst(step);
    for (int b = 0; b < n; b++) force(b, c) = AxialForce(p, p.bolts[b], t.unit[c], strain);
    preload[c] = p.bolts[c].preload;
  }
  RequireReachable(p, force);
  const Eigen::VectorXd strain = force.fullPivLu().solve(preload);
  InitialStrain added;
  t.u.assign(p.load.size(), 0.0);
  for (int c = 0; c < n; c++) {
    p.bolts[c].strain = strain[c];
    added.Add(Shortened(p, p.bolts[c], strain[c]));
    for (size_t i = 0; i < t.u.size(); i++) t.u[i] += strain[c] * t.unit[c][i];
  }
  p.initial.Add(added);
  return added;
}

}  // namespace atelier
