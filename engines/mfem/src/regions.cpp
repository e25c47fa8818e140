#include "regions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace atelier {
namespace {

constexpr double kPlaneTolerance = 1e-3;  // of the bounding box's diagonal
constexpr double kJutting = 1e-2;         // how far a vertex may jut out of a plane, likewise
constexpr double kFlatNormal = 0.985;     // least cosine of normals that are a plane's
constexpr double kOneLevel = 0.9;         // share of the area that makes a level a plane
constexpr double kNormalTolerance = 5;    // degrees

using Matches = std::function<bool(int face)>;

std::vector<int> FaceVertices(const Domain& d, int face) {
  mfem::Array<int> v;
  d.mesh->GetBdrElementVertices(face, v);
  return std::vector<int>(v.begin(), v.end());
}

Error UnknownAttribute(const Domain& d, const Config& bc, const char* field, int attribute) {
  std::string known;
  for (int a : d.mesh->bdr_attributes) known += (known.empty() ? "" : ", ") + std::to_string(a);
  return Error(codes::kUnknownAttribute, "the mesh has no boundary attribute " +
                                             std::to_string(attribute) + "; it has " + known)
      .At(bc.Pointer(field))
      .Hint(
          "Use one of the attributes listed, a face name, or a place such as "
          "{\"where\": {\"plane\": \"z_min\"}}.")
      .With("attributes", DescribeAttributes(d));
}

Matches ByAttribute(const Domain& d, const Config& bc, const char* field, std::string& name) {
  const std::vector<int> wanted = bc.Integers(field);
  for (int a : wanted) {
    if (d.mesh->bdr_attributes.Find(a) < 0) throw UnknownAttribute(d, bc, field, a);
    name += (name.empty() ? "attribute " : ", ") + std::to_string(a);
  }
  const std::set<int> set(wanted.begin(), wanted.end());
  return [&d, set](int f) { return set.count(d.mesh->GetBdrAttribute(f)) > 0; };
}

Matches ByFaceName(const Domain& d, const Config& bc, std::string& name) {
  std::set<int> set;
  for (const std::string& wanted : bc.Strings("face")) {
    auto it = d.face_names.find(wanted);
    if (it == d.face_names.end()) {
      std::string known;
      for (const auto& [n, unused] : d.face_names) known += (known.empty() ? "" : ", ") + n;
      throw Error(codes::kUnknownAttribute,
                  "the mesh has no face named \"" + wanted + "\"; " +
                      (known.empty() ? "its faces have no names" : "it has " + known))
          .At(bc.Pointer("face"))
          .Hint("Name a face that exists, an attribute, or a place ({\"where\": ...}).")
          .With("attributes", DescribeAttributes(d));
    }
    set.insert(it->second.begin(), it->second.end());
    name += (name.empty() ? "face " : ", ") + wanted;
  }
  return [&d, set](int f) { return set.count(d.mesh->GetBdrAttribute(f)) > 0; };
}

// The levels along an axis of the attributes that are flat and look outward
// along sign * axis.
std::map<int, double> FlatLevels(const Domain& d, const BoundaryGeometry& g, int axis, double sign,
                                 double tolerance) {
  struct Sum {
    double area = 0, level = 0, square = 0, normal = 0;
  };
  std::map<int, Sum> sums;
  for (int f = 0; f < d.mesh->GetNBE(); f++) {
    Sum& s = sums[d.mesh->GetBdrAttribute(f)];
    const double x = g.centre[f][axis] - d.low[axis];
    s.area += g.area[f];
    s.level += g.area[f] * x;
    s.square += g.area[f] * x * x;
    s.normal += g.area[f] * sign * g.normal[f][axis];
  }
  std::map<int, double> levels;
  for (const auto& [attribute, s] : sums) {
    const double mean = s.level / s.area;
    const double spread = std::sqrt(std::max(0.0, s.square / s.area - mean * mean));
    if (s.normal >= kFlatNormal * s.area && spread <= tolerance)
      levels[attribute] = mean + d.low[axis];
  }
  return levels;
}

// Where the outermost plane lies along sign * axis, for a surface whose
// attributes do not say: the mean of the faces that look outward and lie
// furthest out, if nearly all that lie about there are of one level (on a dome
// they are not). Else the bounding box.
double OutermostLevel(const Domain& d, const BoundaryGeometry& g, int axis, double sign,
                      double tolerance) {
  double outermost = -std::numeric_limits<double>::infinity();
  std::vector<int> outward;
  for (int f = 0; f < d.mesh->GetNBE(); f++) {
    if (sign * g.normal[f][axis] < kFlatNormal) continue;
    outward.push_back(f);
    outermost = std::max(outermost, sign * g.centre[f][axis]);
  }
  const double edge = sign < 0 ? d.low[axis] : d.high[axis];
  double near = 0, moment = 0, about = 0;
  for (int f : outward) {
    const double depth = outermost - sign * g.centre[f][axis];
    if (depth <= 4 * tolerance) about += g.area[f];
    if (depth > 2 * tolerance) continue;
    near += g.area[f];
    moment += g.area[f] * (g.centre[f][axis] - edge);
  }
  return near > 0 && near >= kOneLevel * about ? edge + moment / near : edge;
}

// The faces in the outermost plane. A meshed CAD face is that plane but for
// single vertices of its edges, which may jut out beyond it: where the
// outermost attribute is flat, it says where the plane is, and belongs to it
// whole. Elsewhere the faces themselves do: those that look along the axis from
// the plane, and those whose vertices all lie in it.
Matches ByPlane(const Domain& d, const Config& where, const BoundaryGeometry& g,
                std::string& name) {
  const std::string plane =
      where.Choice("plane", "", {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"});
  const int axis = plane[0] - 'x';
  if (axis >= d.Dimension())
    throw where.Refuse("plane", "names an axis that the mesh does not have");
  const double sign = plane.substr(2) == "min" ? -1 : 1;
  const double tolerance = where.Has("tolerance")
                               ? where.PositiveLength("tolerance", d.metres_per_unit)
                               : kPlaneTolerance * d.Diagonal();
  name += (name.empty() ? "" : " and ") + plane;
  const std::map<int, double> levels = FlatLevels(d, g, axis, sign, tolerance);
  double outermost = -std::numeric_limits<double>::infinity();
  for (const auto& [unused, x] : levels) outermost = std::max(outermost, sign * x);
  const double edge = sign < 0 ? d.low[axis] : d.high[axis];
  const bool told = std::abs(sign * outermost - edge) <= kJutting * d.Diagonal();
  const double level = told ? sign * outermost : OutermostLevel(d, g, axis, sign, tolerance);
  return [&d, &g, axis, sign, level, tolerance, levels, told](int f) {
    const auto flat = levels.find(d.mesh->GetBdrAttribute(f));
    if (flat != levels.end()) return std::abs(flat->second - level) <= tolerance;
    if (!told && sign * g.normal[f][axis] >= kFlatNormal)
      return std::abs(g.centre[f][axis] - level) <= tolerance;
    for (int v : FaceVertices(d, f)) {
      if (std::abs(d.mesh->GetVertex(v)[axis] - level) > tolerance) return false;
    }
    return true;
  };
}

Matches ByBox(const Domain& d, const Config& where, const BoundaryGeometry& g, std::string& name) {
  const Config box = where.Object("box");
  std::vector<double> low = box.Lengths("min", d.Dimension(), d.metres_per_unit),
                      high = box.Lengths("max", d.Dimension(), d.metres_per_unit);
  const double slack = 1e-9 * d.Diagonal();
  for (int k = 0; k < d.Dimension(); k++) {
    if (low[k] > high[k]) throw box.Refuse("min", "lies beyond max");
    low[k] -= slack;
    high[k] += slack;
  }
  name += std::string(name.empty() ? "" : " and ") + "box";
  return [&g, low, high](int f) {
    for (size_t k = 0; k < low.size(); k++) {
      if (g.centre[f][k] < low[k] || g.centre[f][k] > high[k]) return false;
    }
    return true;
  };
}

Matches ByNormal(const Domain& d, const Config& where, const BoundaryGeometry& g,
                 std::string& name) {
  std::vector<double> n = where.Vector("normal", d.Dimension());
  double length = 0;
  for (double v : n) length += v * v;
  if (length == 0) throw where.Refuse("normal", "must not be the zero vector");
  for (double& v : n) v /= std::sqrt(length);
  const double least = std::cos(where.Positive("tolerance_deg", kNormalTolerance) * M_PI / 180);
  name += std::string(name.empty() ? "" : " and ") + "normal";
  return [&g, n, least](int f) {
    double dot = 0;
    for (size_t k = 0; k < n.size(); k++) dot += n[k] * g.normal[f][k];
    return dot >= least;
  };
}

std::vector<Matches> Selectors(const Domain& d, const Config& bc, const BoundaryGeometry& g,
                               std::string& name) {
  std::vector<Matches> all;
  for (const char* field : {"attribute", "attr"}) {
    if (bc.Has(field)) all.push_back(ByAttribute(d, bc, field, name));
  }
  if (bc.Has("face")) all.push_back(ByFaceName(d, bc, name));
  if (bc.Has("where")) {
    const Config where = bc.Object("where");
    const size_t before = all.size();
    if (where.Has("plane")) all.push_back(ByPlane(d, where, g, name));
    if (where.Has("box")) all.push_back(ByBox(d, where, g, name));
    if (where.Has("normal")) all.push_back(ByNormal(d, where, g, name));
    if (all.size() == before) throw bc.Refuse("where", "needs plane, box or normal");
  }
  if (all.empty()) {
    throw Error(codes::kInvalidInput, "no place is named")
        .At(bc.Pointer())
        .Hint("Give attribute, face or where.")
        .With("attributes", DescribeAttributes(d));
  }
  return all;
}

// Places are looked for on the mesh as it was read: parts of a face go where it went.
const Domain& AsRead(const Domain& d) { return d.read ? *d.read : d; }

// The faces that every selector matches; the selectors are those of the mesh as it was read.
void Collect(const Domain& d, const BoundaryGeometry& g, const std::vector<Matches>& selectors,
             Region& r) {
  r.centroid.assign(d.Dimension(), 0.0);
  std::set<int> seen;  // a face may be listed once for each of its attributes
  for (int f = 0; f < d.mesh->GetNBE(); f++) {
    const int read = d.read ? d.origin[f] : f;
    if (!std::all_of(selectors.begin(), selectors.end(),
                     [read](const Matches& m) { return m(read); }))
      continue;
    if (!seen.insert(d.mesh->GetBdrElementFaceIndex(f)).second) continue;
    r.faces.push_back(f);
    r.area += g.area[f];
    for (int k = 0; k < d.Dimension(); k++) r.centroid[k] += g.area[f] * g.centre[f][k];
  }
  if (r.faces.empty()) return;
  for (double& x : r.centroid) x /= r.area > 0 ? r.area : 1;  // none of an edge on the axis
}

void Select(const Domain& d, const BoundaryGeometry& g, const BoundaryGeometry& read, Region& r) {
  const std::vector<Matches> selectors = Selectors(AsRead(d), r.config, read, r.name);
  Collect(d, g, selectors, r);
  if (!r.faces.empty()) return;
  Json low = Json::array(), high = Json::array();
  for (int k = 0; k < d.Dimension(); k++) {
    low.push_back(d.low[k] / d.metres_per_unit);
    high.push_back(d.high[k] / d.metres_per_unit);
  }
  throw Error(codes::kSelectionEmpty, "no boundary face matches " + r.name)
      .At(r.config.Pointer())
      .Hint(std::string(selectors.size() > 1 ? "A face must match every part of the place. " : "") +
            "Compare the place with the bounding box and the attributes in details (in the mesh's "
            "unit, " +
            d.length_unit + "); widen the tolerance if the surface is uneven.")
      .With("bounding_box", {{"min", low}, {"max", high}, {"unit", d.length_unit}})
      .With("attributes", DescribeAttributes(d));
}

}  // namespace

BoundaryGeometry MeasureBoundary(mfem::Mesh& mesh, bool axisymmetric) {
  BoundaryGeometry g;
  const int dim = mesh.Dimension();
  mfem::Vector x(dim), normal(dim);
  for (int f = 0; f < mesh.GetNBE(); f++) {
    mfem::ElementTransformation* t = mesh.GetBdrElementTransformation(f);
    const mfem::IntegrationRule& rule = mfem::IntRules.Get(mesh.GetBdrElementGeometry(f), 3);
    double area = 0;
    std::vector<double> centre(dim, 0.0), sum(dim, 0.0);
    for (int q = 0; q < rule.GetNPoints(); q++) {
      const mfem::IntegrationPoint& ip = rule.IntPoint(q);
      t->SetIntPoint(&ip);
      t->Transform(ip, x);
      if (dim > 1) {
        mfem::CalcOrtho(t->Jacobian(), normal);
      } else {
        normal(0) =
            x(0) > 0.5 * (mesh.GetVertex(0)[0] + mesh.GetVertex(mesh.GetNV() - 1)[0]) ? 1 : -1;
      }
      const double w = ip.weight * (dim > 1 ? normal.Norml2() : 1) *
                       (axisymmetric ? 2 * M_PI * std::max(x(0), 0.0) : 1);
      area += w;
      for (int k = 0; k < dim; k++) {
        centre[k] += w * x(k);
        sum[k] += ip.weight * normal(k);
      }
    }
    double length = 0;
    for (double v : sum) length += v * v;
    for (int k = 0; k < dim; k++) {
      centre[k] /= area > 0 ? area : 1;
      sum[k] /= std::sqrt(length);
    }
    g.area.push_back(area);
    g.centre.push_back(centre);
    g.normal.push_back(sum);
  }
  return g;
}

std::string Region::Label() const {
  const std::string pointer = config.Pointer(), prefix = "/config/";
  return pointer.rfind(prefix, 0) == 0 ? pointer.substr(prefix.size()) : pointer;
}

Region AttributeRegion(const Domain& domain, const Config& config, const std::string& field,
                       const std::string& type, int index) {
  static const Json kEmpty = Json::object();
  const BoundaryGeometry geometry = MeasureBoundary(*domain.mesh);
  Region r{Config(kEmpty, config.Pointer(field)), type, "", index, {}, 0, {}};
  Collect(domain, geometry, {ByAttribute(AsRead(domain), config, field.c_str(), r.name)}, r);
  return r;
}

std::vector<Region> ReadRegions(const Domain& domain, const Config& config,
                                const std::vector<std::string>& types) {
  const BoundaryGeometry geometry = MeasureBoundary(*domain.mesh, domain.axisymmetric);
  const BoundaryGeometry read = MeasureBoundary(*AsRead(domain).mesh);
  std::vector<Region> regions;
  for (const Config& bc : config.List("bcs")) {
    Region r{bc, bc.Choice("type", "", types), "", static_cast<int>(regions.size()), {}, 0, {}};
    Select(domain, geometry, read, r);
    regions.push_back(std::move(r));
  }
  return regions;
}

Error UnknownElementAttribute(const Domain& domain, int attribute) {
  std::string known;
  for (int a : domain.mesh->attributes) known += (known.empty() ? "" : ", ") + std::to_string(a);
  return Error(codes::kUnknownAttribute, "the mesh has no element attribute " +
                                             std::to_string(attribute) + "; it has " + known)
      .Hint("Name one of these; faces have attributes of their own.");
}

Region ReadPlace(const Domain& domain, const Config& place, const std::string& type, int index) {
  const BoundaryGeometry geometry = MeasureBoundary(*domain.mesh);
  Region r{place, type, "", index, {}, 0, {}};
  Select(domain, geometry, domain.read ? MeasureBoundary(*domain.read->mesh) : geometry, r);
  return r;
}

void RefuseOverlaps(const std::vector<Region>& regions,
                    const std::vector<std::vector<std::string>>& exclusive) {
  // Two of one kind on a face act together.
  static const std::vector<std::string> kAdding = {"load",         "pressure",    "moment",
                                                   "remote_force", "remote_mass", "bearing",
                                                   "heat_flux",    "convection",  "radiation"};
  auto has = [](const std::vector<std::string>& set, const std::string& type) {
    return std::find(set.begin(), set.end(), type) != set.end();
  };
  for (const auto& set : exclusive) {
    for (size_t i = 0; i < regions.size(); i++) {
      for (size_t j = i + 1; j < regions.size(); j++) {
        const Region &a = regions[i], &b = regions[j];
        if (!has(set, a.type) || !has(set, b.type)) continue;
        if (a.type == b.type && has(kAdding, a.type)) continue;
        std::vector<int> common;
        std::set_intersection(a.faces.begin(), a.faces.end(), b.faces.begin(), b.faces.end(),
                              std::back_inserter(common));
        if (common.empty()) continue;
        throw Error(codes::kConflictingConditions,
                    a.Label() + " (" + a.type + ", " + a.name + ") and " + b.Label() + " (" +
                        b.type + ", " + b.name + ") share " + std::to_string(common.size()) +
                        " boundary faces and contradict each other there")
            .At(b.config.Pointer())
            .Hint(
                "Give each face one of the two conditions; narrow a selector with a second "
                "condition.")
            .With("shared_faces", common.size());
      }
    }
  }
}

void Prescribed::Add(const Region& region, size_t unknown, double value) {
  const auto [at, added] = given_.try_emplace(unknown, region.Label(), value);
  const auto [other, before] = at->second;
  const double size = std::max(std::abs(value), std::abs(before));
  if (added || !conflict_.empty() || std::abs(value - before) <= 1e-9 * size) return;
  conflict_ = other + " prescribes " + Text(before) + " and " + region.Label() + " " + Text(value) +
              " where they meet";
}

Json DescribeRegion(const Region& r) {
  return {{"bc", r.index},           {"type", r.type}, {"place", r.name},
          {"faces", r.faces.size()}, {"area", r.area}, {"centroid", r.centroid}};
}

Json DescribeAttributes(const Domain& domain) {
  const BoundaryGeometry g = MeasureBoundary(*domain.mesh);
  std::map<int, std::pair<int, double>> found;
  for (int f = 0; f < domain.mesh->GetNBE(); f++) {
    auto& [faces, area] = found[domain.mesh->GetBdrAttribute(f)];
    faces++;
    area += g.area[f];
  }
  Json list = Json::array();
  const double unit = std::pow(domain.metres_per_unit, domain.Dimension() - 1);
  for (const auto& [attribute, what] : found) {
    Json item = {{"attribute", attribute}, {"faces", what.first}, {"area", what.second / unit}};
    for (const auto& [name, attributes] : domain.face_names) {
      if (std::find(attributes.begin(), attributes.end(), attribute) != attributes.end())
        item["name"] = name;
    }
    list.push_back(item);
    if (list.size() == 20) break;
  }
  return list;
}

}  // namespace atelier
