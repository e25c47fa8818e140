#include "tessellate.h"

#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <Bnd_Box.hxx>
#include <algorithm>
#include <cmath>
#include <set>

#include "deviation.h"
#include "heal.h"
#include "weld.h"

namespace atelier {
namespace {

constexpr double kDefaultDeflection = 1e-3;  // of the diagonal
constexpr double kFinestDeflection = 1e-5;   // of the diagonal
constexpr double kDefaultAngle = 0.2;        // rad: 32 chords to a full circle
constexpr double kCallerAngle = 0.5;         // where the caller sets the deflection alone
constexpr double kVolumeGoal = 0.005;
constexpr int kRefinements = 3;
constexpr double kPatience = 15;  // s, of meshing

// Plan is a deflection (mm) and an angle (rad) to mesh with.
struct Plan {
  double linear, angular;
};

double DiagonalMM(const Part& part) {
  Bnd_Box box;
  BRepBndLib::Add(part.root, box, false);
  if (box.IsVoid()) return 0;
  double d = std::sqrt(box.SquareExtent());
  return std::isfinite(d) && d < 1e90 ? d : 0;
}

void Triangulate(const Part& part, const Plan& plan) {
  BRepTools::Clean(part.root);
  IMeshTools_Parameters p;
  p.Deflection = plan.linear;
  p.Angle = plan.angular;
  p.InParallel = false;  // the same triangles every time
  BRepMesh_IncrementalMesh(part.root, p);
}

Mesh Collect(const Part& part, const Plan& plan) {
  Mesh mesh;
  mesh.linear_deflection = plan.linear / part.unit_mm;
  mesh.angular_deflection = plan.angular;
  for (const Body& body : part.bodies) {
    BodyMesh b;
    b.first = mesh.surface.triangles.size();
    std::vector<int> empty = AppendBody(part, body, mesh.surface);
    mesh.empty_faces.insert(mesh.empty_faces.end(), empty.begin(), empty.end());
    b.last = mesh.surface.triangles.size();
    mesh.bodies.push_back(b);
  }
  for (Vec3& p : mesh.surface.points) {
    for (double& x : p) x /= part.unit_mm;
  }
  for (BodyMesh& b : mesh.bodies) {
    b.edges = CountEdges(mesh.surface, b.first, b.last);
    b.volume = Volume(mesh.surface, b.first, b.last);
    b.area = Area(mesh.surface, b.first, b.last);
  }
  return mesh;
}

// Torn says whether a body that is closed in the exact shape is open in the mesh.
bool Torn(const Part& part, const Mesh& mesh, size_t body) {
  const Body& b = part.bodies[body];
  return b.shells > 0 && b.closed_shells == b.shells && !mesh.bodies[body].edges.closed();
}

int CountTorn(const Part& part, const Mesh& mesh) {
  int n = 0;
  for (size_t i = 0; i < part.bodies.size(); ++i) n += Torn(part, mesh, i);
  return n;
}

// VolumeError is the largest relative error of a closed body's volume.
double VolumeError(const Part& part, const Mesh& mesh) {
  double worst = 0;
  for (size_t i = 0; i < part.bodies.size(); ++i) {
    const Body& b = part.bodies[i];
    if (b.volume > 0)
      worst = std::max(worst, std::abs(mesh.bodies[i].volume - b.volume) / b.volume);
  }
  return worst;
}

// Forecast is what a finer deflection is expected to cost.
struct Forecast {
  double triangles = 0, seconds = 0;
  bool Within(const MeshOptions& options) const {
    return triangles <= static_cast<double>(options.max_triangles) && seconds <= kPatience;
  }
};

// Predict estimates from a coarse mesh what a deflection finer by the ratio costs:
// on singly curved faces the number of triangles grows as its square root, on doubly
// curved ones as itself. BRepMesh was measured to take about 1e-8 s times the number
// of a face's triangles to the power of 1.8.
Forecast Predict(const Part& part, const Mesh& coarse, double ratio) {
  std::vector<double> per_face(part.faces.size(), 0);
  for (int32_t id : coarse.surface.face) ++per_face[static_cast<size_t>(id - 1)];
  Forecast f;
  for (size_t i = 0; i < per_face.size(); ++i) {
    const std::string& kind = part.faces[i].kind;
    bool singly = kind == "plane" || kind == "cylinder" || kind == "cone" || kind == "extrusion";
    double n = per_face[i] * (singly ? std::sqrt(ratio) : ratio);
    f.triangles += n;
    f.seconds += 1e-8 * std::pow(n, 1.8);
  }
  return f;
}

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

// Bound keeps the caller's deflection within what the part and max_triangles
// bear, and says so where it had to be raised.
Plan Bound(Part& part, const MeshOptions& options, double diagonal) {
  Plan plan{options.linear_deflection * part.unit_mm,
            options.angular_deflection > 0 ? options.angular_deflection : kCallerAngle};
  double asked = plan.linear;
  double goal = std::max(plan.linear, kFinestDeflection * diagonal);
  plan.linear = goal;
  // Step by step, so that each forecast rests on a mesh that is not much coarser.
  double at = kDefaultDeflection * diagonal;
  while (goal < 0.2 * at) {
    Plan step{at, plan.angular};
    Triangulate(part, step);
    Mesh mesh = Collect(part, step);
    double wish = goal < at / 20 ? at / 4 : goal, next = wish;
    while (next < at && !Predict(part, mesh, at / next).Within(options)) next *= 1.25;
    if (next > wish) {
      plan.linear = std::min(next, at);
      break;
    }
    if (wish == goal) break;
    at = wish;
  }
  if (plan.linear > asked * (1 + 1e-12)) {
    part.warnings.push_back(
        {"deflection_raised",
         "linear_deflection " + Number(asked / part.unit_mm) + " " + part.length_unit +
             " is too fine for this part and was raised to " + Number(plan.linear / part.unit_mm) +
             " (at least 1e-5 of the diagonal of " + Number(diagonal / part.unit_mm) +
             ", and at most " + std::to_string(options.max_triangles) +
             " triangles and a quarter of a minute of meshing)."});
  }
  return plan;
}

// Refine repeats the default mesh finer until its volume is near the exact one.
Mesh Refine(const Part& part, Mesh mesh, Plan& plan, const MeshOptions& options) {
  for (int i = 0; i < kRefinements && VolumeError(part, mesh) > kVolumeGoal; ++i) {
    plan.linear *= 0.5;
    plan.angular *= 0.7;
    if (!Predict(part, mesh, 2).Within(options)) break;
    SendProgress(0.5, "refining the mesh: its volume is not yet within 0.5 % of the exact one");
    Triangulate(part, plan);
    int attempts = mesh.attempts + 1;
    mesh = Collect(part, plan);
    mesh.attempts = attempts;
  }
  return mesh;
}

// Mend tries a torn mesh again: finer first, since most tears are narrow faces
// that the discretisation folds over, then with the shape healed.
Mesh Mend(Part& part, Mesh mesh, Plan plan) {
  int torn = CountTorn(part, mesh);
  for (int i = 0; i < 3 && torn > 0; ++i) {
    SendProgress(0.6, "the mesh is open where the shape is closed; trying again");
    if (i == 2 && !Heal(part)) break;
    Plan finer{plan.linear * (i == 1 ? 0.2 : 0.5), plan.angular * (i == 1 ? 0.4 : 0.7)};
    Triangulate(part, finer);
    Mesh next = Collect(part, finer);
    next.attempts = ++mesh.attempts;
    int left = CountTorn(part, next);
    if (left < torn) mesh = std::move(next), torn = left;
  }
  return mesh;
}

void Report(Part& part, const Mesh& mesh) {
  for (size_t i = 0; i < part.bodies.size(); ++i) {
    if (!Torn(part, mesh, i)) continue;
    const BodyMesh& b = mesh.bodies[i];
    part.warnings.push_back(
        {"mesh_not_closed", "Body " + std::to_string(part.bodies[i].id) +
                                " is closed in the exact shape but its mesh is not (" +
                                std::to_string(b.edges.boundary) + " open and " +
                                std::to_string(b.edges.non_manifold) + " non-manifold edges)."});
  }
  if (mesh.empty_faces.empty()) return;
  std::string ids;
  for (size_t i = 0; i < mesh.empty_faces.size() && i < 10; ++i) {
    ids += (i ? ", " : "") + std::to_string(mesh.empty_faces[i]);
  }
  part.warnings.push_back(
      {"faces_without_triangles",
       std::to_string(mesh.empty_faces.size()) + " face(s) got no triangle: " + ids + "."});
}

}  // namespace

bool Mesh::watertight() const {
  if (surface.triangles.empty()) return false;
  return std::all_of(bodies.begin(), bodies.end(),
                     [](const BodyMesh& b) { return b.last > b.first && b.edges.closed(); });
}

double Mesh::volume() const {
  double sum = 0;
  for (const BodyMesh& b : bodies) sum += b.volume;
  return sum;
}

double Mesh::area() const {
  double sum = 0;
  for (const BodyMesh& b : bodies) sum += b.area;
  return sum;
}

Mesh Tessellate(Part& part, const MeshOptions& asked) {
  MeshOptions options = asked;
  if (asked.linear_mm > 0) options.linear_deflection = asked.linear_mm / part.unit_mm;
  double diagonal = DiagonalMM(part);
  if (diagonal <= 0) {
    throw Error(codes::kTessellationFailed, "The shape has no finite extent.",
                "Check the part in a CAD program: it may hold an unbounded surface.", "/file_path");
  }
  bool chosen = options.linear_deflection <= 0;
  Plan plan{kDefaultDeflection * diagonal,
            options.angular_deflection > 0 ? options.angular_deflection : kDefaultAngle};
  if (!chosen) plan = Bound(part, options, diagonal);
  SendProgress(0.35, "tessellating " + std::to_string(part.faces.size()) + " faces");
  Triangulate(part, plan);
  Mesh mesh = Collect(part, plan);
  if (chosen) mesh = Refine(part, std::move(mesh), plan, options);
  mesh = Mend(part, std::move(mesh), plan);
  if (mesh.surface.triangles.empty()) {
    throw Error(codes::kTessellationFailed, "No face of the shape could be turned into triangles.",
                "Give a linear_deflection nearer to 0.001 of the part's size, or export the "
                "part again.",
                "/file_path");
  }
  mesh.max_chord_deviation = MaxChordDeviation(part) / part.unit_mm;
  Report(part, mesh);
  return mesh;
}

}  // namespace atelier
