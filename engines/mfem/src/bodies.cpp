#include "bodies.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace atelier {
namespace {

constexpr double kSmooth = 0.985;  // cosine of the angle within which a face goes on
constexpr double kContact = 1e-6;  // of the diagonal: closer is touching
constexpr size_t kMostPairs = 20000000;

using Vector = std::array<double, 3>;

double Dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector Difference(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector Cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct UnionFind {
  std::vector<int> parent;
  explicit UnionFind(int n) : parent(n) { std::iota(parent.begin(), parent.end(), 0); }
  int Root(int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  void Join(int a, int b) { parent[Root(a)] = Root(b); }
};

// A face of the surface as a flat polygon.
struct Facet {
  int face = 0, body = 0;
  double area = 0;
  Vector centre{}, normal{};  // unit, outward
  std::vector<Vector> corner;
  std::vector<int> vertex;
};

// Area and normal of a face, out of the element that it belongs to.
void Measure(Facet& f, const Vector& inside, int dim) {
  for (const Vector& x : f.corner) {
    for (int k = 0; k < 3; k++) f.centre[k] += x[k] / static_cast<double>(f.corner.size());
  }
  if (dim == 2) {
    const Vector along = Difference(f.corner[1], f.corner[0]);
    f.normal = {along[1], -along[0], 0};
  } else {
    for (size_t i = 1; i + 1 < f.corner.size(); i++) {
      const Vector n =
          Cross(Difference(f.corner[i], f.corner[0]), Difference(f.corner[i + 1], f.corner[0]));
      for (int k = 0; k < 3; k++) f.normal[k] += 0.5 * n[k];
    }
  }
  f.area = std::sqrt(Dot(f.normal, f.normal));
  const double sign = Dot(f.normal, Difference(f.centre, inside)) < 0 ? -1 : 1;
  for (double& x : f.normal) x *= sign / std::max(f.area, 1e-300);
}

// The faces that belong to one element only.
std::vector<Facet> Surface(mfem::Mesh& mesh, const std::vector<int>& body) {
  std::vector<Facet> out;
  mfem::Array<int> vertices;
  for (int face = 0; face < mesh.GetNumFaces(); face++) {
    int one, two;
    mesh.GetFaceElements(face, &one, &two);
    if (two >= 0) continue;
    Facet f;
    f.face = face;
    f.body = body[one];
    mesh.GetFaceVertices(face, vertices);
    Vector inside{};
    const mfem::Element& element = *mesh.GetElement(one);
    for (int v : vertices) {
      Vector x{};
      for (int k = 0; k < mesh.Dimension(); k++) x[k] = mesh.GetVertex(v)[k];
      f.corner.push_back(x);
      f.vertex.push_back(v);
    }
    for (int i = 0; i < element.GetNVertices(); i++) {
      for (int k = 0; k < mesh.Dimension(); k++)
        inside[k] += mesh.GetVertex(element.GetVertices()[i])[k] / element.GetNVertices();
    }
    Measure(f, inside, mesh.Dimension());
    out.push_back(f);
  }
  return out;
}

// Whether a point, which lies in the plane of a facet, lies within it.
bool Covers(const Facet& f, const Vector& x, int dim) {
  if (dim == 2) {
    const Vector along = Difference(f.corner[1], f.corner[0]);
    const double s = Dot(Difference(x, f.corner[0]), along) / Dot(along, along);
    return s > 0 && s < 1;
  }
  int positive = 0, negative = 0;
  for (size_t i = 0; i < f.corner.size(); i++) {
    const Vector& a = f.corner[i];
    const Vector edge = Difference(f.corner[(i + 1) % f.corner.size()], a);
    (Dot(Cross(edge, Difference(x, a)), f.normal) >= 0 ? positive : negative)++;
  }
  return positive == 0 || negative == 0;
}

void CheckContact(const Domain& d, const std::vector<Facet>& surface, int bodies, Evidence& ev) {
  if (bodies < 2) return;
  const double tolerance = kContact * d.Diagonal();
  std::vector<Vector> low(bodies, {INFINITY, INFINITY, INFINITY}),
      high(bodies, {-INFINITY, -INFINITY, -INFINITY});
  for (const Facet& f : surface) {
    for (const Vector& x : f.corner) {
      for (int k = 0; k < 3; k++) {
        low[f.body][k] = std::min(low[f.body][k], x[k] - tolerance);
        high[f.body][k] = std::max(high[f.body][k], x[k] + tolerance);
      }
    }
  }
  auto near = [&](const Facet& f, int body) {
    bool in = f.body != body;
    for (int k = 0; in && k < d.Dimension(); k++) {
      double least = INFINITY, most = -INFINITY;
      for (const Vector& x : f.corner) {
        least = std::min(least, x[k]);
        most = std::max(most, x[k]);
      }
      in = most >= low[body][k] && least <= high[body][k];
    }
    return in;
  };
  double area = 0;
  int first = -1, second = -1;
  for (int body = 0; body < bodies; body++) {
    std::vector<const Facet*> others, own;
    for (const Facet& f : surface) {
      if (f.body != body && near(f, body)) others.push_back(&f);
      if (f.body == body) own.push_back(&f);
    }
    if (others.size() * own.size() > kMostPairs) {
      ev.Note("Whether the bodies of the mesh touch was not looked at: there are too many faces.");
      return;
    }
    for (const Facet* o : others) {
      for (const Facet* f : own) {
        if (Dot(o->normal, f->normal) > -kSmooth) continue;
        if (std::abs(Dot(Difference(o->centre, f->centre), f->normal)) > tolerance) continue;
        if (!Covers(*f, o->centre, d.Dimension())) continue;
        area += o->area / 2;  // each side counts once
        first = body;
        second = o->body;
        break;
      }
    }
  }
  if (area == 0) return;
  ev.Holds("bodies_joined", "model", "", false,
           "Bodies " + std::to_string(std::min(first, second) + 1) + " and " +
               std::to_string(std::max(first, second) + 1) + " touch over about " + Text(area, 3) +
               (d.Dimension() == 3 ? " m^2" : " m") +
               " but share no nodes there: no force, heat or flow passes between them. Mesh them "
               "as one part with common nodes, or leave a gap if they are meant to be apart.");
}

// Faces that share an edge (in 2-D a vertex) with a listed face that has a
// condition, and go on in its plane.
double Continued(const std::vector<Facet>& listed, const std::vector<Facet>& missing, int dim) {
  std::map<std::vector<int>, std::vector<const Facet*>> edges;
  auto each = [&](const Facet& f, auto visit) {
    const size_t n = f.vertex.size();
    for (size_t i = 0; i < n; i++) {
      const int a = f.vertex[i], b = f.vertex[(i + 1) % n];
      visit(dim == 2 ? std::vector<int>{a} : std::vector<int>{std::min(a, b), std::max(a, b)});
    }
  };
  for (const Facet& f : listed) each(f, [&](const std::vector<int>& e) { edges[e].push_back(&f); });
  double area = 0;
  for (const Facet& f : missing) {
    bool on = false;
    each(f, [&](const std::vector<int>& e) {
      const auto it = edges.find(e);
      if (it == edges.end()) return;
      for (const Facet* g : it->second) on = on || Dot(f.normal, g->normal) > kSmooth;
    });
    if (on) area += f.area;
  }
  return area;
}

void CheckCoverage(const Domain& d, const std::vector<Region>& regions, bool every_face,
                   const std::vector<Facet>& surface, Evidence& ev) {
  mfem::Mesh& mesh = *d.mesh;
  std::set<int> conditioned, listed;
  for (int b = 0; b < mesh.GetNBE(); b++) listed.insert(mesh.GetBdrElementFaceIndex(b));
  for (const Region& r : regions) {
    for (int b : r.faces) conditioned.insert(mesh.GetBdrElementFaceIndex(b));
  }
  std::vector<Facet> with, missing;
  double total = 0, lost = 0;
  for (const Facet& f : surface) {
    total += f.area;
    if (conditioned.count(f.face)) with.push_back(f);
    if (listed.count(f.face)) continue;
    missing.push_back(f);
    lost += f.area;
  }
  if (missing.empty()) return;
  const double area = every_face ? lost : Continued(with, missing, d.Dimension());
  if (area == 0) return;
  ev.Within({"boundary_coverage", "bounds", "", lost / total, 0, "1",
             "The mesh's boundary list lacks " + std::to_string(missing.size()) + " faces, " +
                 Text(100 * lost / total, 3) + " % of the surface" +
                 (every_face ? "; the fluid passes through them freely"
                             : ", some of them beside faces that carry a condition, which ends "
                               "there") +
                 ". Export every face of the surface with its attribute."});
}

}  // namespace

std::vector<int> Bodies(mfem::Mesh& mesh, bool through_vertices, int& count) {
  UnionFind sets(mesh.GetNE());
  if (through_vertices) {
    std::vector<int> last(mesh.GetNV(), -1);
    for (int e = 0; e < mesh.GetNE(); e++) {
      const mfem::Element& element = *mesh.GetElement(e);
      for (int i = 0; i < element.GetNVertices(); i++) {
        int& seen = last[element.GetVertices()[i]];
        if (seen >= 0) sets.Join(seen, e);
        seen = e;
      }
    }
  } else {
    for (int f = 0; f < mesh.GetNumFaces(); f++) {
      int a, b;
      mesh.GetFaceElements(f, &a, &b);
      if (a >= 0 && b >= 0) sets.Join(a, b);
    }
  }
  std::vector<int> body(mesh.GetNE()), number(mesh.GetNE(), -1);
  count = 0;
  for (int e = 0; e < mesh.GetNE(); e++) {
    int& n = number[sets.Root(e)];
    if (n < 0) n = count++;
    body[e] = n;
  }
  return body;
}

void CheckMesh(const Domain& domain, const std::vector<Region>& regions, bool every_face,
               Evidence& evidence) {
  if (domain.Dimension() < 2) return;
  int count = 0;
  const std::vector<int> body = Bodies(*domain.mesh, true, count);
  const std::vector<Facet> surface = Surface(*domain.mesh, body);
  CheckContact(domain, surface, count, evidence);
  CheckCoverage(domain, regions, every_face, surface, evidence);
}

void RequireAnchored(const NodalSpace& space, const std::vector<char>& anchored,
                     const std::string& missing) {
  int count = 0;
  const std::vector<int> body = Bodies(space.Mesh(), true, count);
  std::vector<char> tied(count, 0);
  for (int e = 0; e < space.Elements(); e++) {
    for (int a = 0; a < space.Count(e); a++) {
      if (anchored[space.Dofs(e)[a]]) tied[body[e]] = 1;
    }
  }
  for (int b = 0; b < count; b++) {
    if (tied[b]) continue;
    throw Error(codes::kSingularSystem,
                count == 1 ? missing
                           : "body " + std::to_string(b + 1) + " of " + std::to_string(count) +
                                 " shares no nodes with the others: " + missing)
        .At("/config/bcs")
        .Hint(count == 1 ? "Add such a condition."
                         : "Mesh the bodies as one part with common nodes, or give each of them "
                           "such a condition.");
  }
}

}  // namespace atelier
