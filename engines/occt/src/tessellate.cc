#include "tessellate.h"

#include <BRepBndLib.hxx>
#include <Bnd_Box.hxx>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "heal.h"
#include "triangulate.h"

namespace atelier {
namespace {

constexpr double kDefaultDeflection = 1e-3;   // of the diagonal
constexpr double kFinestDeflection = 1e-5;    // of the diagonal
constexpr double kCoarsestDeflection = 2e-2;  // of the diagonal
constexpr double kDefaultAngle = 0.2;         // rad: 32 chords to a full circle
constexpr double kCallerAngle = 0.5;          // where the caller sets the deflection alone
constexpr double kVolumeGoal = 0.005;
constexpr int kRefinements = 3;
constexpr double kPatience = 15;  // s, of meshing finer
constexpr double kFirst = 0.6;    // of the time left, to mesh with the first deflection

double DiagonalMM(const Part& part) {
  Bnd_Box box;
  BRepBndLib::Add(part.root, box, false);
  if (box.IsVoid()) return 0;
  double d = std::sqrt(box.SquareExtent());
  return std::isfinite(d) && d < 1e90 ? d : 0;
}

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

// Forecast is what a finer deflection is expected to cost.
struct Forecast {
  double triangles = 0, seconds = 0;
};

// Tessellator keeps of every body the best mesh so far.
class Tessellator {
 public:
  Tessellator(Part& part, const MeshOptions& options, double diagonal)
      : part_(part),
        options_(options),
        diagonal_(diagonal),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.seconds))),
        groups_(GroupsOf(part)),
        attempts_(groups_.size(), 0),
        pieces_(part.bodies.size()) {}

  Mesh Run() {
    bool chosen = options_.linear_deflection <= 0;
    Plan plan{kDefaultDeflection * diagonal_, options_.angular_deflection};
    if (plan.angular <= 0) plan.angular = chosen ? kDefaultAngle : kCallerAngle;
    if (!chosen) plan.linear = Bound(plan);
    Coarser(First(plan), plan);
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (chosen) Refine(g);
      Mend(g);
    }
    return Joined();
  }

 private:
  double Left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }

  // Try meshes a group with a plan; nothing is kept yet. Empty where the time was over.
  std::vector<Piece> Try(size_t g, const Plan& plan, double seconds) {
    ++attempts_[g];
    auto end = Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    if (!Triangulate(part_, groups_[g], plan, end)) return {};
    std::vector<Piece> made;
    for (size_t i : groups_[g].bodies) made.push_back(Collected(part_, part_.bodies[i], plan));
    return made;
  }

  bool Keep(size_t g, std::vector<Piece> made) {
    if (made.empty()) return false;
    for (size_t k = 0; k < made.size(); ++k) pieces_[groups_[g].bodies[k]] = std::move(made[k]);
    return true;
  }

  // Bound is the caller's deflection within what the part and max_triangles bear; it
  // says so where it had to be raised.
  double Bound(Plan plan) {
    double asked = options_.linear_deflection * part_.unit_mm;
    double goal = std::max(asked, kFinestDeflection * diagonal_), bound = goal;
    // Step by step, so that each forecast rests on a mesh that is not much coarser.
    double at = kDefaultDeflection * diagonal_;
    while (goal < 0.2 * at) {
      plan.linear = at;
      if (!First(plan).empty()) {
        bound = at;
        break;
      }
      double wish = goal < at / 20 ? at / 4 : goal, next = wish;
      while (next < at && !Bearable(at / next)) next *= 1.25;
      if (next > wish) {
        bound = std::min(next, at);
        break;
      }
      if (wish == goal) break;
      at = wish;
    }
    if (bound > asked * (1 + 1e-12)) {
      part_.warnings.push_back(
          {"deflection_raised",
           "linear_deflection " + Length(asked) + " is too fine for this part and was raised to " +
               Length(bound) + " (at least 1e-5 of the diagonal of " + Number(Unit(diagonal_)) +
               ", and at most " + std::to_string(options_.max_triangles) +
               " triangles and a quarter of a minute of meshing)."});
    }
    return bound;
  }

  double Unit(double mm) const { return mm / part_.unit_mm; }
  std::string Length(double mm) const { return Number(Unit(mm)) + " " + part_.length_unit; }

  // First meshes every group, within a share of the time by its faces, and lists those
  // that were not done in it.
  std::vector<size_t> First(const Plan& plan) {
    size_t faces = part_.faces.size();
    std::vector<size_t> late;
    for (size_t g = 0; g < groups_.size(); ++g) {
      SendProgress(0.35 + 0.2 * static_cast<double>(g) / static_cast<double>(groups_.size()),
                   "tessellating " + std::to_string(groups_[g].faces) + " of " +
                       std::to_string(part_.faces.size()) + " faces");
      if (!Keep(g, Try(g, plan, kFirst * Share(g, faces)))) late.push_back(g);
      faces -= groups_[g].faces;
    }
    return late;
  }

  // Coarser meshes the groups that were late, when all others are done.
  void Coarser(const std::vector<size_t>& late, const Plan& plan) {
    const Plan coarse{
        std::min(8 * plan.linear, std::max(plan.linear, kCoarsestDeflection * diagonal_)),
        std::max(plan.angular, kCallerAngle)};
    size_t faces = 0;
    for (size_t g : late) faces += groups_[g].faces;
    for (size_t g : late) {
      bool done = Keep(g, Try(g, coarse, Share(g, faces)));
      faces -= groups_[g].faces;
      for (size_t i : groups_[g].bodies) Late(i, plan, done);
    }
  }

  // Share is a group's part of the time left, when so many faces are to be meshed.
  double Share(size_t g, size_t faces) const {
    return Left() * static_cast<double>(groups_[g].faces) / static_cast<double>(faces);
  }

  void Late(size_t body, const Plan& plan, bool done) {
    const Body& b = part_.bodies[body];
    Piece& p = pieces_[body];
    std::string text = "Body " + std::to_string(b.id) + " (" + std::to_string(b.faces.size()) +
                       " faces) was not meshed in time with a deflection of " + Length(plan.linear);
    if (done) {
      part_.warnings.push_back(
          {"deflection_raised", text + ": it has " + Length(p.plan.linear) + "."});
      return;
    }
    for (size_t f : b.faces) p.empty_faces.push_back(part_.faces[f].id);
    part_.warnings.push_back({"body_not_meshed", text + ", nor coarser: it has no triangles."});
  }

  // Predict estimates from a group's mesh what a deflection finer by the ratio costs: on
  // singly curved faces the number of triangles grows as its square root, on doubly
  // curved ones as itself. BRepMesh was measured to take about 1e-8 s times the number
  // of a face's triangles to the power of 1.8.
  Forecast Predict(size_t g, double ratio) const {
    Forecast f;
    for (size_t i : groups_[g].bodies) {
      const std::vector<int32_t>& face = pieces_[i].surface.face;
      for (auto at = face.begin(); at != face.end();) {
        auto next = std::find_if(at, face.end(), [at](int32_t id) { return id != *at; });
        const std::string& kind = part_.faces[static_cast<size_t>(*at - 1)].kind;
        bool singly =
            kind == "plane" || kind == "cylinder" || kind == "cone" || kind == "extrusion";
        double n = static_cast<double>(next - at) * (singly ? std::sqrt(ratio) : ratio);
        f.triangles += n;
        f.seconds += 1e-8 * std::pow(n, 1.8);
        at = next;
      }
    }
    return f;
  }

  // Bearable says whether all groups together may be meshed finer by the ratio.
  bool Bearable(double ratio) const {
    Forecast all;
    for (size_t g = 0; g < groups_.size(); ++g) {
      Forecast one = Predict(g, ratio);
      all.triangles += one.triangles;
      all.seconds += one.seconds;
    }
    return all.triangles <= static_cast<double>(options_.max_triangles) &&
           all.seconds <= std::min(kPatience, Left() / 2);
  }

  // VolumeError is the largest relative error of the volume of a group's closed bodies.
  double VolumeError(size_t g) const {
    double worst = 0;
    for (size_t i : groups_[g].bodies) {
      double exact = part_.bodies[i].volume;
      if (exact > 0) worst = std::max(worst, std::abs(pieces_[i].volume - exact) / exact);
    }
    return worst;
  }

  // Refine meshes a group finer until its volumes are near the exact ones.
  void Refine(size_t g) {
    for (int i = 0; i < kRefinements && VolumeError(g) > kVolumeGoal; ++i) {
      Plan plan = pieces_[groups_[g].bodies[0]].plan;
      plan.linear *= 0.5;
      plan.angular *= 0.7;
      Forecast cost = Predict(g, 2);
      double others = Triangles() - Predict(g, 1).triangles;
      if (others + cost.triangles > static_cast<double>(options_.max_triangles)) return;
      if (cost.seconds > std::min(kPatience, Left() / 2)) return;
      SendProgress(
          0.6, "refining " + Names(g) + ": its volume is not yet within 0.5 % of the exact one");
      if (!Keep(g, Try(g, plan, Left() / 2))) return;
    }
  }

  // Mend tries a torn group again: with the other algorithm, then finer, since most tears
  // are narrow faces that the discretisation folds over, then with the shape healed.
  void Mend(size_t g) {
    const Plan plan = pieces_[groups_[g].bodies[0]].plan;
    const Plan tries[] = {{plan.linear, plan.angular, IMeshTools_MeshAlgoType_Delabella},
                          {plan.linear * 0.5, plan.angular * 0.7},
                          {plan.linear * 0.2, plan.angular * 0.4},
                          {plan.linear * 0.5, plan.angular * 0.7}};
    for (const Plan& next : tries) {
      const int torn = CountTorn(g);
      if (torn == 0 || plan.linear <= 0) return;
      SendProgress(0.7,
                   "the mesh of " + Names(g) + " is open where the shape is closed; trying again");
      if (&next == std::end(tries) - 1 && !Heal(part_, groups_[g].bodies)) return;
      std::vector<Piece> made = Try(g, next, Left() / 3);
      if (made.empty()) continue;
      int left = 0;
      for (size_t k = 0; k < made.size(); ++k) left += Torn(groups_[g].bodies[k], made[k]);
      if (left < torn) Keep(g, std::move(made));
    }
  }

  // Torn says whether a body that is closed in the exact shape is open in the mesh.
  bool Torn(size_t body, const Piece& piece) const {
    const Body& b = part_.bodies[body];
    return b.shells > 0 && b.closed_shells == b.shells && !piece.edges.closed();
  }

  int CountTorn(size_t g) const {
    int n = 0;
    for (size_t i : groups_[g].bodies) n += Torn(i, pieces_[i]);
    return n;
  }

  std::string Names(size_t g) const {
    const std::vector<size_t>& bodies = groups_[g].bodies;
    std::string text = "body " + std::to_string(part_.bodies[bodies[0]].id);
    if (bodies.size() > 1)
      text += " and " + std::to_string(bodies.size() - 1) + " that share its faces";
    return text;
  }

  double Triangles() const {
    double n = 0;
    for (const Piece& p : pieces_) n += static_cast<double>(p.surface.triangles.size());
    return n;
  }

  // Joined is the mesh of all bodies one after the other.
  Mesh Joined() {
    Mesh mesh;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      Piece& p = pieces_[i];
      if (Torn(i, p)) ReportTorn(i, p);
      BodyMesh b{mesh.surface.triangles.size(), 0, p.volume, p.area, p.edges};
      const auto base = static_cast<int32_t>(mesh.surface.points.size());
      for (Triangle t : p.surface.triangles) {
        for (int32_t& v : t) v += base;
        mesh.surface.triangles.push_back(t);
      }
      auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(mesh.surface.points, p.surface.points);
      append(mesh.surface.face, p.surface.face);
      append(mesh.empty_faces, p.empty_faces);
      b.last = mesh.surface.triangles.size();
      mesh.bodies.push_back(b);
      mesh.linear_deflection = std::max(mesh.linear_deflection, Unit(p.plan.linear));
      mesh.angular_deflection = std::max(mesh.angular_deflection, p.plan.angular);
      mesh.max_chord_deviation = std::max(mesh.max_chord_deviation, p.deviation);
      p = {};
    }
    mesh.attempts = *std::max_element(attempts_.begin(), attempts_.end());
    return mesh;
  }

  void ReportTorn(size_t body, const Piece& p) {
    part_.warnings.push_back(
        {"mesh_not_closed", "Body " + std::to_string(part_.bodies[body].id) +
                                " is closed in the exact shape but its mesh is not (" +
                                std::to_string(p.edges.boundary) + " open and " +
                                std::to_string(p.edges.non_manifold) + " non-manifold edges)."});
  }

  Part& part_;
  const MeshOptions& options_;
  const double diagonal_;
  const Clock::time_point end_;
  const std::vector<Group> groups_;
  std::vector<int> attempts_;  // of each group
  std::vector<Piece> pieces_;  // of each body
};

void ReportEmpty(Part& part, const Mesh& mesh) {
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
  Mesh mesh = Tessellator(part, options, diagonal).Run();
  const bool late = std::any_of(part.warnings.begin(), part.warnings.end(),
                                [](const Warning& w) { return w.code == "body_not_meshed"; });
  if (mesh.surface.triangles.empty() && late) {
    throw Error(codes::kTessellationFailed, "No body could be meshed in time.",
                "Ask for more time with limits.timeout_ms, or give a coarser linear_deflection.",
                "/file_path");
  }
  if (mesh.surface.triangles.empty()) {
    throw Error(codes::kTessellationFailed, "No face of the shape could be turned into triangles.",
                "Give a linear_deflection nearer to 0.001 of the part's size, or export the "
                "part again.",
                "/file_path");
  }
  ReportEmpty(part, mesh);
  return mesh;
}

}  // namespace atelier
