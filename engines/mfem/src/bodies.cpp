#include "bodies.hpp"

#include <map>
#include <set>

#include "contact.hpp"
#include "union_find.hpp"

namespace atelier {
namespace {

constexpr double kSmooth = 0.985;  // cosine of the angle within which a face goes on

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
  for (int b = 0; b < mesh.GetNBE(); b++) {
    if (mesh.GetBdrAttribute(b) != d.unlisted) listed.insert(mesh.GetBdrElementFaceIndex(b));
  }
  for (const Region& r : regions) {
    for (int b : r.faces) conditioned.insert(mesh.GetBdrElementFaceIndex(b));
  }
  std::vector<Facet> with, missing;
  double total = 0, lost = 0;
  for (const Facet& f : surface) {
    total += f.area;
    if (conditioned.count(f.face)) with.push_back(f);
    if (listed.count(f.face) || conditioned.count(f.face)) continue;
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
               Evidence& evidence, const Meant& meant) {
  if (domain.Dimension() < 2 || domain.refined) return;
  int count = 0;
  const std::vector<int> body = Bodies(*domain.mesh, true, count);
  const std::vector<Facet> surface = Surface(*domain.mesh, body);
  CheckContact(domain, surface, body, meant, evidence);
  CheckCoverage(domain, regions, every_face, surface, evidence);
}

std::set<int> BodiesOf(const Domain& domain, const Region& region, const std::vector<int>& body) {
  std::set<int> out;
  for (int b : region.faces) {
    int element, info;
    domain.mesh->GetBdrElementAdjacentElement(b, element, info);
    out.insert(body[element]);
  }
  return out;
}

std::map<int, int> MaterialByAttribute(const Domain& domain, const std::vector<Config>& materials) {
  std::map<int, int> out;
  for (size_t i = 0; i < materials.size(); i++) {
    const Config& m = materials[i];
    if (!m.Has("attribute") && i > 0) {
      throw m
          .Refuse("attribute", "is missing; only the first material, the default, may do without")
          .Hint(
              "Name the element attribute that this material is for, or leave it out: no element "
              "would be given it.");
    }
    if (!m.Has("attribute")) continue;
    const int attribute = m.Integer("attribute", 1, 1, 1 << 30);
    if (domain.mesh->attributes.Find(attribute) < 0)
      throw UnknownElementAttribute(domain, attribute).At(m.Pointer("attribute"));
    if (!out.emplace(attribute, static_cast<int>(i)).second)
      throw m.Refuse("attribute", "is " + std::to_string(attribute) +
                                      ", for which another material is given already");
  }
  return out;
}

std::vector<int> MaterialByElement(const Domain& domain, const std::map<int, int>& by_attribute) {
  std::vector<int> out;
  for (int e = 0; e < domain.mesh->GetNE(); e++) {
    const auto it = by_attribute.find(domain.mesh->GetAttribute(e));
    out.push_back(it == by_attribute.end() ? 0 : it->second);
  }
  return out;
}

void RequireAnchored(const NodalSpace& space, const std::vector<char>& anchored,
                     const Config& config, const std::string& missing) {
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
        .At(config.Pointer("bcs"))
        .Hint(count == 1 ? "Add such a condition."
                         : "Mesh the bodies as one part with common nodes, or give each of them "
                           "such a condition.");
  }
}

}  // namespace atelier
