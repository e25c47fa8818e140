#include "domain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "facets.hpp"
#include "regions.hpp"

namespace atelier {
namespace {

constexpr std::pair<const char*, double> kUnits[] = {
    {"m", 1}, {"mm", 1e-3}, {"cm", 1e-2}, {"um", 1e-6}, {"in", 0.0254}, {"ft", 0.3048}, {"km", 1e3},
};

void Scale(mfem::Mesh& mesh, double factor) {
  if (factor == 1) return;
  if (mfem::GridFunction* nodes = mesh.GetNodes()) {
    *nodes *= factor;
  }
  for (int v = 0; v < mesh.GetNV(); v++) {
    double* x = mesh.GetVertex(v);
    for (int k = 0; k < mesh.SpaceDimension(); k++) x[k] *= factor;
  }
}

bool OnlyAffineSimplices(mfem::Mesh& mesh) {
  if (mesh.GetNodes()) return false;
  for (int e = 0; e < mesh.GetNE(); e++) {
    const auto g = mesh.GetElementGeometry(e);
    if (g != mfem::Geometry::SEGMENT && g != mfem::Geometry::TRIANGLE &&
        g != mfem::Geometry::TETRAHEDRON) {
      return false;
    }
  }
  return true;
}

// Least Jacobian determinant over the element's quadrature points, and its mean.
std::pair<double, double> Jacobians(mfem::Mesh& mesh, int e) {
  mfem::IsoparametricTransformation t;
  mesh.GetElementTransformation(e, &t);
  const auto geometry = mesh.GetElementGeometry(e);
  const int order = mesh.GetNodes() || !mfem::Geometry::IsTensorProduct(geometry) ? 3 : 2;
  const auto& rule = mfem::IntRules.Get(geometry, order);
  double least = std::numeric_limits<double>::infinity(), sum = 0, weights = 0;
  for (int q = 0; q < rule.GetNPoints(); q++) {
    t.SetIntPoint(&rule.IntPoint(q));
    const double j = t.Jacobian().Det();
    least = std::min(least, j);
    sum += rule.IntPoint(q).weight * j;
    weights += rule.IntPoint(q).weight;
  }
  return {least, sum / weights};
}

// Signed measure of straight simplices without MFEM's transformations: 50 times quicker.
double SimplexJacobian(mfem::Mesh& mesh, int e) {
  const mfem::Element& element = *mesh.GetElement(e);
  const int* v = element.GetVertices();
  const double* a = mesh.GetVertex(v[0]);
  double d[3][3] = {};
  for (int c = 0; c < mesh.Dimension(); c++) {
    for (int k = 0; k < mesh.Dimension(); k++) d[c][k] = mesh.GetVertex(v[c + 1])[k] - a[k];
  }
  switch (mesh.Dimension()) {
    case 1:
      return d[0][0];
    case 2:
      return d[0][0] * d[1][1] - d[0][1] * d[1][0];
    default:
      return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
             d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
             d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
  }
}

Error Inverted(const std::string& what, int count, int first, mfem::Mesh& mesh) {
  const bool simplex = mesh.GetElement(first)->GetNVertices() == mesh.Dimension() + 1;
  const bool folded = mesh.GetNodes() && simplex && SimplexJacobian(mesh, first) > 0;
  return Error(codes::kMeshInverted, std::to_string(count) + " of " + std::to_string(mesh.GetNE()) +
                                         " elements " + what + "; the first is element " +
                                         std::to_string(first))
      .At("/mesh")
      .Hint(folded ? "Their corners are in order and their edges are bent too far: move the nodes "
                     "between the corners back, or let the mesher straighten or refine them."
            : mesh.Dimension() == 3
                ? "Mesh the part again (volume_mesh_cad of a CAD file, volume_mesh_quartet of a "
                  "closed surface), or repair the elements in the mesher."
                : "Repair the elements in the mesher.")
      .With("count", count)
      .With("first_element", first);
}

Error Listed(const std::string& what) {
  return Error(codes::kMeshUnreadable, "the mesh cannot be solved on: " + what)
      .At("/mesh")
      .Hint("Export the mesh again, every element and every boundary face once.");
}

std::vector<int> SortedVertices(const mfem::Element& element) {
  std::vector<int> v(element.GetVertices(), element.GetVertices() + element.GetNVertices());
  std::sort(v.begin(), v.end());
  return v;
}

// A number that elements with the same vertices share, and hardly any others do.
size_t Mark(const mfem::Element& element) {
  const int* v = element.GetVertices();
  size_t sum = 0;
  for (int i = 0; i < element.GetNVertices(); i++) {
    size_t x = (static_cast<size_t>(v[i]) + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9u;
    sum += x ^ (x >> 29);
  }
  return sum;
}

void RefuseTwins(const mfem::Mesh& mesh) {
  std::vector<std::pair<size_t, int>> marks(mesh.GetNE());
  for (int e = 0; e < mesh.GetNE(); e++) marks[e] = {Mark(*mesh.GetElement(e)), e};
  std::sort(marks.begin(), marks.end());
  for (size_t i = 0; i + 1 < marks.size(); i++) {
    for (size_t j = i + 1; j < marks.size() && marks[j].first == marks[i].first; j++) {
      const int a = marks[i].second, b = marks[j].second;
      if (SortedVertices(*mesh.GetElement(a)) != SortedVertices(*mesh.GetElement(b))) continue;
      throw Listed("elements " + std::to_string(a) + " and " + std::to_string(b) +
                   " have the same vertices");
    }
  }
}

// Refuses what would count twice, and boundary faces that belong to no element.
void CheckLists(mfem::Mesh& mesh) {
  RefuseTwins(mesh);
  std::map<std::pair<int, int>, int> faces;
  for (int b = 0; b < mesh.GetNBE(); b++) {
    const int face = mesh.GetBdrElementFaceIndex(b);
    int inside = -1, other = -1;
    if (face >= 0) mesh.GetFaceElements(face, &inside, &other);
    if (inside < 0)
      throw Listed("boundary element " + std::to_string(b) + " is no face of any element");
    const auto [at, added] = faces.try_emplace({face, mesh.GetBdrAttribute(b)}, b);
    if (!added)
      throw Listed("boundary elements " + std::to_string(at->second) + " and " + std::to_string(b) +
                   " are the same face with the same attribute");
  }
}

// Gives the faces of the surface that the file does not list (mesh generators write those of
// named groups alone) an attribute of their own: what lies at the edges between them and the
// others counts too.
void CompleteBoundary(Domain& d) {
  mfem::Mesh& mesh = *d.mesh;
  if (mesh.Dimension() < 2) return;
  std::vector<char> listed(mesh.GetNumFaces(), 0);
  for (int b = 0; b < mesh.GetNBE(); b++) listed[mesh.GetBdrElementFaceIndex(b)] = 1;
  std::vector<int> missing;
  for (int f = 0; f < mesh.GetNumFaces(); f++) {
    int inside, other;
    mesh.GetFaceElements(f, &inside, &other);
    if (other < 0 && !listed[f]) missing.push_back(f);
  }
  if (missing.empty()) return;
  const int attribute = mesh.bdr_attributes.Size() > 0 ? mesh.bdr_attributes.Max() + 1 : 1;
  d.unlisted = attribute;
  for (int f : missing) {
    mfem::Element* face = mesh.GetFace(f)->Duplicate(&mesh);
    face->SetAttribute(attribute);
    mesh.AddBdrElement(face);
  }
  mesh.FinalizeTopology(false);
  d.warnings.push_back(
      {"boundary_completed", "The mesh lists " + std::to_string(mesh.GetNBE() - missing.size()) +
                                 " of the " + std::to_string(mesh.GetNBE()) +
                                 " faces of its boundary; the others have the attribute " +
                                 std::to_string(attribute) + " here."});
}

// Refuses tangled and degenerate elements.
void CheckElements(Domain& d) {
  mfem::Mesh& mesh = *d.mesh;
  const double reference = std::pow(d.Diagonal() / std::cbrt(double(mesh.GetNE())), d.Dimension());
  int negative = 0, degenerate = 0, first_negative = -1, first_degenerate = -1;
  std::vector<double> least(mesh.GetNE());
  for (int e = 0; e < mesh.GetNE(); e++) {
    least[e] = d.affine_simplices ? SimplexJacobian(mesh, e) : Jacobians(mesh, e).first;
    if (std::abs(least[e]) < 1e-14 * reference) {
      if (degenerate++ == 0) first_degenerate = e;
    } else if (least[e] < 0) {
      if (negative++ == 0) first_negative = e;
    }
  }
  if (degenerate > 0) throw Inverted("have no volume", degenerate, first_degenerate, mesh);
  if (negative > 0) throw Inverted("are inverted", negative, first_negative, mesh);
}

void MeasureDomain(Domain& d) {
  mfem::Vector low, high;
  d.mesh->GetBoundingBox(low, high, 2);
  for (int k = 0; k < low.Size(); k++) {
    d.low[k] = low(k);
    d.high[k] = high(k);
    if (!std::isfinite(low(k)) || !std::isfinite(high(k))) {
      throw Error(codes::kMeshUnreadable, "the mesh has coordinates that are not finite")
          .At("/mesh");
    }
  }
}

// Whether the mesh is as large in each direction as the shape that it is known to come
// from, and so has its unit. origin: {length_unit, min, max}.
bool HasSizeOf(mfem::Mesh& mesh, const Config& origin) {
  constexpr double kSameSize = 0.05;
  if (!origin.Has("length_unit") || !origin.Has("min") || !origin.Has("max")) return false;
  mfem::Vector low, high;
  mesh.GetBoundingBox(low, high, 2);
  const Json &from = origin.Raw("min"), &to = origin.Raw("max");
  for (int k = 0; k < low.Size(); k++) {
    const double known = to.at(k).get<double>() - from.at(k).get<double>();
    if (!(std::abs(high(k) - low(k) - known) <= kSameSize * known)) return false;
  }
  return true;
}

// The call's unit, else the mesh's own, else that of the shape that it was made from,
// else metres: then the server says so of every figure.
std::string LengthUnit(Domain& d, const Config& mesh, const std::string& own) {
  const std::string told = mesh.String("length_unit", "");
  if (!told.empty() && !own.empty() && told != own) {
    d.warnings.push_back({"length_unit_overridden", "The mesh says its unit is " + own +
                                                        "; the call's " + told + " was used."});
  }
  if (!told.empty()) return told;
  if (!own.empty()) return own;
  const Config origin = mesh.Object("origin");
  if (HasSizeOf(*d.mesh, origin)) return origin.String("length_unit", "");
  d.warnings.push_back({"length_unit_assumed",
                        "Neither the mesh nor the call says the unit of its coordinates: metres "
                        "were assumed. Set mesh.length_unit."});
  return "m";
}

}  // namespace

double Domain::Diagonal() const {
  double s = 0;
  for (int k = 0; k < 3; k++) s += (high[k] - low[k]) * (high[k] - low[k]);
  return std::sqrt(s);
}

namespace {

// All but the mesh and where it came from.
Domain Described(const Domain& d) {
  Domain out;
  out.length_unit = d.length_unit;
  out.metres_per_unit = d.metres_per_unit;
  out.face_names = d.face_names;
  out.unlisted = d.unlisted;
  out.affine_simplices = d.affine_simplices;
  out.low = d.low;
  out.high = d.high;
  out.refined = d.refined;
  out.axisymmetric = d.axisymmetric;
  out.goal = d.goal;
  out.warnings = d.warnings;
  return out;
}

}  // namespace

Domain Domain::Refined(const std::function<void(mfem::Mesh&)>& split) const {
  Domain out = Described(*this);
  out.mesh = std::make_unique<mfem::Mesh>(*mesh);
  out.read = read;
  std::vector<int> from = origin;
  if (!read) {
    auto whole = std::make_shared<Domain>(Described(*this));
    whole->mesh = std::make_unique<mfem::Mesh>(*mesh);
    out.read = std::move(whole);
    from.resize(mesh->GetNBE());
    std::iota(from.begin(), from.end(), 0);
  }
  // Parts of a boundary element inherit its attribute, which tells whose they are.
  for (int f = 0; f < out.mesh->GetNBE(); f++) out.mesh->SetBdrAttribute(f, from[f] + 1);
  split(*out.mesh);
  out.origin.resize(out.mesh->GetNBE());
  for (int f = 0; f < out.mesh->GetNBE(); f++) {
    out.origin[f] = out.mesh->GetBdrAttribute(f) - 1;
    out.mesh->SetBdrAttribute(f, out.read->mesh->GetBdrAttribute(out.origin[f]));
  }
  out.mesh->SetAttributes();
  return out;
}

double MetresPerUnit(const std::string& unit) {
  for (const auto& [name, metres] : kUnits) {
    if (unit == name) return metres;
  }
  throw Error(codes::kInvalidInput,
              "\"" + unit + "\" is no length unit; use m, mm, cm, um, in, ft or km")
      .At("/mesh/length_unit");
}

Domain LoadDomain(const Config& mesh) {
  MeshFile file = ReadMesh(mesh.String("path", ""));
  Domain d;
  d.mesh = std::move(file.mesh);
  d.warnings = std::move(file.warnings);
  d.face_names = std::move(file.metadata.face_names);
  if (d.mesh->GetNE() == 0) {
    throw Error(codes::kMeshUnreadable, "the mesh has no elements").At("/mesh");
  }
  if (d.mesh->SpaceDimension() != d.mesh->Dimension()) {
    throw Error(codes::kMeshUnreadable,
                "the mesh is a surface in space, not a solid or planar domain")
        .At("/mesh")
        .Hint("Make a volume mesh of the closed surface first (volume_mesh_quartet).");
  }
  CheckLists(*d.mesh);
  CompleteBoundary(d);
  d.length_unit = LengthUnit(d, mesh, file.metadata.length_unit);
  d.metres_per_unit = MetresPerUnit(d.length_unit);
  Scale(*d.mesh, d.metres_per_unit);
  d.affine_simplices = OnlyAffineSimplices(*d.mesh);
  MeasureDomain(d);
  CheckElements(d);
  return d;
}

Json MeasureShape(Domain& d) {
  double volume = 0;
  for (int e = 0; e < d.mesh->GetNE(); e++) volume += d.mesh->GetElementVolume(e);
  std::map<int, double> areas;
  const BoundaryGeometry g = MeasureBoundary(*d.mesh);
  for (int f = 0; f < d.mesh->GetNBE(); f++) areas[d.mesh->GetBdrAttribute(f)] += g.area[f];
  Json list = Json::array();
  for (const auto& [attribute, area] : areas) list.push_back({{"id", attribute}, {"area", area}});
  const Facets facets = RoundFacets(*d.mesh);
  return {{"volume", volume},
          {"faces", list},
          {"curved", CurvedShortfall(*d.mesh)},
          {"facets",
           {{"count", facets.count},
            {"turn", facets.turn},
            {"sagitta", facets.sagitta},
            {"volume", facets.volume}}}};
}

}  // namespace atelier
