#include "stress_lines.hpp"

#include <array>
#include <cmath>
#include <fstream>
#include <map>

#include "bodies.hpp"
#include "elasticity.hpp"
#include "singularity.hpp"
#include "spatial.hpp"

namespace atelier {
namespace {

constexpr int kIntervals = 120;      // of Simpson's rule along a line
constexpr double kShortest = 1e-9;   // of the part's size: a line with a length
constexpr double kTakesPart = 1e-9;  // weight of a node in a value
// An end on a round face that the mesh has as facets lies outside of them by their sagitta: it
// is taken inwards along the line by the least of these shares of its length.
constexpr double kInwards[] = {0, 1e-6, 1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3};
constexpr double kBeside = 0.3;   // weight of the nodes off a face at a place that lies on it
constexpr double kAcross = 0.05;  // cosine to the normal of a face that a line does not lie along
constexpr int kPlaces = 20;       // intervals from one place of a line that is looked at to another
constexpr double kOnFace = 0.01;  // of a line: an end so near to the face of the wall is on it
constexpr double kBefore = 2.5;   // elements before another material, where a line may end
constexpr double kNothing = 1e-6;  // of the part's size: a coordinate that rounding has left
constexpr double kFurther = 1.25;  // from one place beyond an end that is looked at to the next
constexpr const char* kTable = "stress_lines";  // and what ends the name of a state
constexpr const char* kMethod =
    "recovered stresses along the line, linearised (ASME BPVC VIII-2, annex 5-A)";

using StressTensor = std::array<double, kStressComponents>;  // Pa, as StressField::tensor

StressTensor Plus(const StressTensor& a, double factor, const StressTensor& b) {
  StressTensor out;
  for (int c = 0; c < kStressComponents; c++) out[c] = a[c] + factor * b[c];
  return out;
}

double VonMises(const StressTensor& s) { return atelier::VonMises(s.data()); }

// The part of a stress that acts in the plane across a direction of length 1.
StressTensor Across(const StressTensor& s, const Vector3& n) {
  Matrix3 full;
  full << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
  const Matrix3 p = Matrix3::Identity() - n * n.transpose(), a = p * full * p;
  return {a(0, 0), a(1, 1), a(2, 2), a(0, 1), a(1, 2), a(0, 2)};
}

// Of a line of length 1: sigma = membrane + (1 - 2 x) bending + the rest. Stresses along the
// line and shear across it do not bend the wall, and have no bending part.
struct Linearised {
  StressTensor membrane = {}, bending = {};
};

// Simpson's weight of sample i of a line, of 1 in all.
double Weight(int i) {
  return (i == 0 || i == kIntervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) / (3 * kIntervals);
}

Linearised Linearise(const std::vector<StressTensor>& s, const Vector3& along) {
  Linearised out;
  for (int i = 0; i <= kIntervals; i++) {
    const double x = static_cast<double>(i) / kIntervals, w = Weight(i);
    out.membrane = Plus(out.membrane, w, s[i]);
    out.bending = Plus(out.bending, 6 * w * (0.5 - x), s[i]);
  }
  out.bending = Across(out.bending, along);
  return out;
}

// Whether each node lies between materials of which one is more stressed: by its stiffness or its
// expansion, and where it flows also by its strength.
std::vector<char> BetweenMaterials(const Elasticity& p) {
  const std::vector<int>& kind = p.nonlinear ? p.materials.material : p.materials.kind;
  std::vector<int> first(p.space->Nodes(), -1);
  std::vector<char> between(p.space->Nodes(), 0);
  for (int e = 0; e < p.space->Elements(); e++) {
    for (int a = 0; a < p.space->Count(e); a++) {
      int& m = first[p.space->Dofs(e)[a]];
      if (m < 0) m = kind[e];
      if (m != kind[e]) between[p.space->Dofs(e)[a]] = 1;
    }
  }
  return between;
}

void CheckBody(Elasticity& p, const Probes& samples, const std::string& place,
               const std::vector<char>& between) {
  for (int i = 0; i < samples.Count(); i++) {
    for (const auto& [node, weight] : samples.Weights(i, *p.space)) {
      if (!between[node] || std::abs(weight) < kTakesPart) continue;
      p.answer.evidence.Holds(
          "line_within_material", "model", place, false,
          "The line comes within an element of a face between two materials, where stresses jump "
          "and whose nodes have those of the more stressed one. Draw a line within each material "
          "that ends an element before the face.");
      return;
    }
  }
}

// The boundary of the part as lines meet it.
struct BoundaryFaces {
  Holds holds;
  std::vector<std::vector<int>> faces;  // by node

  explicit BoundaryFaces(const Elasticity& p) : holds(p), faces(p.space->Nodes()) {
    for (size_t f = 0; f < holds.hold.size(); f++) {
      for (int node : p.space->BoundaryDofs(static_cast<int>(f)))
        faces[node].push_back(static_cast<int>(f));
    }
  }
};

// A boundary face at a place of a line.
struct FaceAt {
  Hold hold;
  int condition;
  bool across;  // whether the line meets it, and does not lie along it
};

std::vector<FaceAt> FacesAt(const Elasticity& p, const BoundaryFaces& boundary,
                            const Probes& samples, int i, const Vector3& along) {
  std::map<int, double> weights;
  double all = 0;
  for (const auto& [node, weight] : samples.Weights(i, *p.space)) {
    for (int f : boundary.faces[node]) weights[f] += std::abs(weight);
    all += std::abs(weight);
  }
  std::vector<FaceAt> out;
  mfem::Mesh& mesh = *p.domain.mesh;
  for (const auto& [f, weight] : weights) {
    if (weight < (1 - kBeside) * all) continue;
    const Point3 n =
        BoundaryNormal(mesh, f, mfem::Geometries.GetCenter(mesh.GetBdrElementGeometry(f)));
    const double cosine = along[0] * n[0] + along[1] * n[1] + along[2] * n[2];
    out.push_back(
        {boundary.holds.hold[f], boundary.holds.condition[f], std::abs(cosine) > kAcross});
  }
  return out;
}

// Why a line does not go through the wall to its face at an end; "" if it does. An end that no
// face is at stops within the part, as one before another material may (Walls).
std::string NoFaceOfTheWall(const Elasticity& p, const std::vector<FaceAt>& faces,
                            const std::string& side) {
  const FaceAt* mirror = nullptr;
  const auto floor = [&](int condition) {  // the part ends on it, and slides
    return condition >= 0 &&
           p.regions[condition].name.find(", frictionless: ") != std::string::npos;
  };
  for (const FaceAt& f : faces) {
    if (f.across && (f.hold != Hold::kSymmetry || floor(f.condition))) return "";
    if (f.across) mirror = &f;
  }
  if (mirror && mirror->condition < 0)
    return "The end \"" + side +
           "\" lies on the axis of revolution, beyond which the wall goes on: the figures are "
           "those of half of it. Draw it where the wall ends, or along the axis; probes tell the "
           "stresses of a place.";
  if (mirror)
    return "The end \"" + side + "\" lies on a plane of symmetry (bcs/" +
           std::to_string(mirror->condition) +
           "), beyond which the wall goes on: the figures are those of half of it. Model the wall "
           "from face to face. Under symmetric loads its membrane stress is the same, without "
           "shear along the plane, and it has no bending. (Where the part ends there and slides on "
           "a support, say frictionless instead: then the figures hold.)";
  if (faces.empty()) return "";
  return "The end \"" + side +
         "\" lies within a face that the line lies along: it goes through no wall there. Draw "
         "it to a face that it meets.";
}

// The wall about a line as it goes on beyond the line's ends.
class Walls {
 public:
  explicit Walls(const Elasticity& p) : p_(p) {
    int count = 0;
    body_ = Bodies(*p.domain.mesh, false, count);
  }

  // Why a line does not go through its wall at an end; "" if it does. outward: of length 1.
  std::string GoesOn(const Vector3& end, const Vector3& outward, double length,
                     const std::string& side) const {
    const std::vector<int> first = At(end, outward, {0, kOnFace * length});
    const int own = first[0];
    if (!Within(first[1], own)) return "";
    std::vector<double> far = {kOnFace * length};
    while (far.back() < p_.domain.Diagonal()) far.push_back(kFurther * far.back());
    double inside = far[0], outside = far.back();
    int beyond = -1;
    for (int round = 0; round < kRounds; round++) {
      const std::vector<int> there = At(end, outward, far);
      const size_t leaves =
          std::find_if(there.begin(), there.end(), [&](int e) { return !Within(e, own); }) -
          there.begin();
      if (leaves < far.size()) outside = far[leaves], beyond = there[leaves];
      if (leaves > 0) inside = far[leaves - 1];
      far.clear();
      for (int i = 1; i < kParts; i++) far.push_back(inside + (outside - inside) * i / kParts);
    }
    mfem::Vector along(p_.dim);
    for (int k = 0; k < p_.dim; k++) along(k) = outward[k];
    if (beyond >= 0 && inside <= kBefore * p_.domain.mesh->GetElementSize(own, along)) return "";
    return Told(end + inside * outward, inside, side, beyond >= 0);
  }

 private:
  static constexpr int kRounds = 6, kParts = 16;

  // The element at each distance, -1 outside the mesh.
  std::vector<int> At(const Vector3& end, const Vector3& outward,
                      const std::vector<double>& distances) const {
    mfem::DenseMatrix at(p_.dim, static_cast<int>(distances.size()));
    for (int i = 0; i < at.Width(); i++) {
      for (int k = 0; k < p_.dim; k++) at(k, i) = end[k] + distances[i] * outward[k];
    }
    mfem::Array<int> elements;
    mfem::Array<mfem::IntegrationPoint> points;
    p_.domain.mesh->FindPoints(at, elements, points, false);
    return {elements.begin(), elements.end()};
  }

  // Whether an element is of the body and the material of another one.
  bool Within(int e, int own) const {
    return e >= 0 && own >= 0 && body_[e] == body_[own] &&
           p_.materials.kind[e] == p_.materials.kind[own];
  }

  std::string Told(const Vector3& face, double depth, const std::string& side,
                   bool material) const {
    const double unit = p_.domain.metres_per_unit;
    std::string place;
    for (int k = 0; k < p_.dim; k++) {
      const double x = std::abs(face[k]) < kNothing * p_.domain.Diagonal() ? 0 : face[k];
      place += (k == 0 ? "[" : ", ") + Text(x / unit, 6);
    }
    const std::string deep = Text(depth / unit, 3) + " " + p_.domain.length_unit;
    if (material)
      return "The end \"" + side + "\" lies " + deep +
             " before the other material that the line leads to, at " + place +
             "]: the figures are those of a part of the wall. End the line an element before it.";
    return "The end \"" + side + "\" lies " + deep +
           " inside the wall, whose face along the line is at " + place +
           "]: a line goes through one wall from face to face, and the figures are those of a part "
           "of it. Give the point on the face.";
  }

  const Elasticity& p_;
  std::vector<int> body_;
};

// The support that a line lies along between its ends, -1 for none.
int SupportAlong(const Elasticity& p, const BoundaryFaces& boundary, const Probes& samples,
                 const Vector3& along) {
  for (int i = kPlaces; i < kIntervals; i += kPlaces) {
    for (const FaceAt& f : FacesAt(p, boundary, samples, i, along)) {
      if (f.hold == Hold::kClamped && !f.across) return f.condition;
    }
  }
  return -1;
}

void CheckWall(Elasticity& p, const BoundaryFaces& boundary, const Walls& walls,
               const Probes& samples, const Vector3& span, const std::string& place) {
  const Vector3 along = span.normalized();
  for (const auto& [side, i] : {std::pair("from", 0), std::pair("to", kIntervals)}) {
    std::string why = NoFaceOfTheWall(p, FacesAt(p, boundary, samples, i, along), side);
    if (why.empty())
      why = walls.GoesOn(Spatial(samples.Point(i)), i == 0 ? Vector3(-along) : along, span.norm(),
                         side);
    if (!why.empty()) p.answer.evidence.Holds("line_through_wall", "model", place, false, why);
  }
  const int support = SupportAlong(p, boundary, samples, along);
  if (support >= 0)
    p.answer.evidence.Holds(
        "line_off_supports", "model", place, false,
        "The line lies along the support bcs/" + std::to_string(support) +
            ", at whose rim stresses have no bound: no error bar covers the figures. Draw it at "
            "least two elements from the support.");
}

void CheckEnds(Elasticity& p, const Singularities& singularities, const Probes& samples,
               const std::string& place) {
  for (const auto& [side, i] : {std::pair("from", 0), std::pair("to", kIntervals)}) {
    std::pair<int, double> nearest = {-1, 0};
    for (const auto& [node, weight] : samples.Weights(i, *p.space))
      if (weight > nearest.second) nearest = {node, weight};
    const std::string cause = singularities.At(*p.space, nearest.first);
    if (cause.empty()) continue;
    p.answer.evidence.Holds(
        "line_end_bounded", "model", place + "/membrane_plus_bending/" + side, false,
        std::string("The end \"") + side + "\" " + LiesAt(cause) +
            ": its linear part converges more slowly than the "
            "error bar supposes. Model the fillet or the real support, or draw the line at least "
            "two elements away.");
  }
}

void StateLine(Elasticity& p, const std::string& place, const Linearised& l, double mean,
               Json& line) {
  const std::string name = "of line " + place.substr(place.rfind('/') + 1);
  const StressTensor start = Plus(l.membrane, 1, l.bending), end = Plus(l.membrane, -1, l.bending);
  line["membrane"] = {{"von_mises", VonMises(l.membrane)}, {"stress", l.membrane}};
  line["bending"] = {{"von_mises", VonMises(l.bending)}, {"stress", l.bending}};
  line["membrane_plus_bending"] = {{"from", VonMises(start)}, {"to", VonMises(end)}};
  // Each is a sum of stresses that may cancel, and as accurate as they are.
  const double scale = std::max({mean, VonMises(start), VonMises(end)});
  auto state = [&](const std::string& what, const std::string& figure, double value) {
    Quantity q = {what, place + figure, value, "Pa", kMethod};
    q.scale = scale;
    p.answer.evidence.State(q);
  };
  state("membrane stress (von Mises) " + name, "/membrane/von_mises", VonMises(l.membrane));
  for (const char* side : {"from", "to"})
    state("membrane plus bending stress (von Mises) " + name + " at its end " + side,
          std::string("/membrane_plus_bending/") + side,
          line["membrane_plus_bending"][side].get<double>());
}

void WriteRow(std::ofstream& table, size_t line, double distance, const std::vector<double>& at,
              const StressTensor& s) {
  table << line << "," << Text(distance, 10);
  for (double x : at) table << "," << Text(x, 10);
  for (double c : s) table << "," << Text(c, 10);
  table << "," << Text(VonMises(s), 10) << "\n";
}

double MeanVonMises(const std::vector<StressTensor>& s) {
  double mean = 0;
  for (int i = 0; i <= kIntervals; i++) mean += Weight(i) * VonMises(s[i]);
  return mean;
}

// From end to end, where a part that moves far has them.
Vector3 Direction(const Elasticity& p, const Probes& samples) {
  auto at = [&](int i) {
    Vector3 place = Spatial(samples.Point(i));
    if (p.nonlinear) place += Spatial(samples.At(i, *p.space, p.dim, p.u));
    return place;
  };
  return (at(kIntervals) - at(0)).normalized();
}

// The end of a line, or the first place in the mesh close behind it.
std::vector<double> Inwards(const Domain& domain, const std::vector<double>& end,
                            const std::vector<double>& other) {
  const int dim = domain.Dimension(), count = static_cast<int>(std::size(kInwards));
  auto place = [&](int i, int k) { return end[k] + kInwards[i] * (other[k] - end[k]); };
  mfem::DenseMatrix at(dim, count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < dim; k++) at(k, i) = place(i, k);
  }
  mfem::Array<int> elements;
  mfem::Array<mfem::IntegrationPoint> points;
  domain.mesh->FindPoints(at, elements, points, false);
  for (int i = 0; i < count; i++) {
    if (elements[i] < 0) continue;
    std::vector<double> out(dim);
    for (int k = 0; k < dim; k++) out[k] = place(i, k);
    return out;
  }
  return end;
}

}  // namespace

StressLines::StressLines(const Domain& domain, const Config& config) {
  if (!config.Has("stress_lines")) return;
  const int dim = domain.Dimension();
  const std::string hint =
      "A line goes through one wall, from one of its faces to the other. Numbers are in the mesh's "
      "unit (" +
      domain.length_unit +
      "); write \"2 mm\" for another. Where the place is on a round face, the mesh has facets "
      "inside of it: move the end inwards by at least that distance.";
  for (const Config& c : config.List("stress_lines")) {
    Line line = {c.Lengths("from", dim, domain.metres_per_unit),
                 c.Lengths("to", dim, domain.metres_per_unit), Probes()};
    if ((Spatial(line.to) - Spatial(line.from)).norm() <= kShortest * domain.Diagonal())
      throw c.Refuse("to", "is the same place as from").Hint(hint);
    const std::vector<double> from = line.from;
    line.from = Inwards(domain, from, line.to);
    line.to = Inwards(domain, line.to, from);
    Probes(domain, {line.from, line.to}, [&](int i, const std::string& distance) {
      return c.Refuse(i == 0 ? "from" : "to", "lies about " + distance + " outside the mesh")
          .Hint(hint);
    });
    std::vector<std::vector<double>> points;
    for (int i = 0; i <= kIntervals; i++) {
      points.push_back(line.from);
      for (int k = 0; k < dim; k++)
        points.back()[k] += (line.to[k] - line.from[k]) * i / kIntervals;
    }
    line.samples = Probes(domain, points, [&](int i, const std::string& distance) {
      return Error(codes::kInvalidInput,
                   "the line leaves the part: " + Text(100.0 * i / kIntervals, 3) +
                       " % of the way along it lies about " + distance + " outside the mesh")
          .At(c.Pointer())
          .Hint(hint);
    });
    lines_.push_back(std::move(line));
  }
}

void StressLines::State(Elasticity& p) const {
  if (lines_.empty()) return;
  std::ofstream table;
  const std::string name = kTable + (p.kept ? "_" + p.kept->ending : "") + ".csv";
  if (!p.domain.refined) {
    table.open(name);
    table << "line,distance_m";
    for (int c = 0; c < p.dim; c++) table << "," << "xyz"[c] << "_m";
    table << ",xx_Pa,yy_Pa,zz_Pa,xy_Pa,yz_Pa,xz_Pa,von_mises_Pa\n";
    p.answer.artifacts.push_back({{"name", name}, {"mime_type", "text/csv"}});
  }
  const std::vector<char> between = BetweenMaterials(p);
  const BoundaryFaces boundary(p);
  const Walls walls(p);
  const Singularities singularities(p, boundary.holds);
  Json list = Json::array();
  for (size_t k = 0; k < lines_.size(); k++) {
    const Line& line = lines_[k];
    const Vector3 span = Spatial(line.to) - Spatial(line.from);
    std::vector<StressTensor> stress;
    for (int i = 0; i <= kIntervals; i++) {
      const Values s = line.samples.At(i, *p.space, kStressComponents, p.stress.tensor);
      stress.emplace_back();
      std::copy(s.begin(), s.end(), stress.back().begin());
      if (!p.domain.refined)
        WriteRow(table, k, span.norm() * i / kIntervals, line.samples.Point(i), stress.back());
    }
    const std::string place = "/stress_lines/" + std::to_string(k);
    Json out = {{"from", line.from},
                {"to", line.to},
                {"length", span.norm()},
                {"total", {{"from", VonMises(stress.front())}, {"to", VonMises(stress.back())}}},
                {"table", name},
                {"unit", "Pa"}};
    StateLine(p, place, Linearise(stress, Direction(p, line.samples)), MeanVonMises(stress), out);
    CheckBody(p, line.samples, place, between);
    CheckWall(p, boundary, walls, line.samples, span, place);
    CheckEnds(p, singularities, line.samples, place);
    list.push_back(out);
  }
  p.answer.output["stress_lines"] = list;
}

}  // namespace atelier
