#include "contact.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace atelier {
namespace {

constexpr double kSmooth = 0.985;     // cosine of the angle within which faces are parallel
constexpr double kContact = 1e-6;     // of the diagonal: closer is touching
constexpr double kLeastShare = 1e-6;  // of a face: a smaller piece of it is rounding
constexpr double kOfElement = 0.01;   // of its height: no distance within an element is longer

std::pair<int, int> Pair(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

Box BoxOf(const Polygon& polygon, double grown) {
  Box box;
  for (const Point3& x : polygon) box.Add(x);
  box.Grow(grown);
  return box;
}

// The part of `polygon`, in the plane of `f`, that lies over `f`.
void ClipTo(const Facet& f, int dimension, Polygon& polygon) {
  const size_t n = f.corner.size();
  if (dimension == 2) {
    const Point3 along = Less(f.corner[1], f.corner[0]);
    Clip(polygon, along, Dot(along, f.corner[1]));
    Clip(polygon, {-along[0], -along[1], 0}, -Dot(along, f.corner[0]));
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const Point3 edge = Less(f.corner[(i + 1) % n], f.corner[i]);
    Point3 out = Cross(edge, f.normal);
    if (Dot(out, Less(f.centre, f.corner[i])) > 0) out = {-out[0], -out[1], -out[2]};
    Clip(polygon, out, Dot(out, f.corner[i]));
  }
}

// Calls visit(facet, other, patch) for the pieces of faces that lie upon other faces
// which look the same way (sign 1) or the opposite one (-1).
template <class Visit>
void ForEachPair(const Domain& d, const std::vector<Facet>& surface, double sign, Visit visit) {
  const double tolerance = kContact * d.Diagonal();
  std::vector<Box> boxes;
  for (const Facet& f : surface) boxes.push_back(BoxOf(f.corner, tolerance));
  const BoxTree tree(boxes);
  for (size_t i = 0; i < surface.size(); i++) {
    const Facet& f = surface[i];
    for (int j : tree.Overlapping(boxes[i])) {
      const Facet& g = surface[j];
      if (j == static_cast<int>(i) || sign * Dot(f.normal, g.normal) < kSmooth) continue;
      // The opposite sides of a part thinner than the tolerance look apart.
      const double near = std::min(tolerance, kOfElement * std::min(f.height, g.height)),
                   apart = Dot(Less(f.centre, g.centre), g.normal);
      if (std::abs(apart) > tolerance || (sign < 0 && apart < -near)) continue;
      Polygon piece = f.corner;
      ClipTo(g, d.Dimension(), piece);
      const Patch patch = Measure(piece, d.Dimension());
      if (patch.area > kLeastShare * f.area) visit(f, g, patch);
    }
  }
}

// The half spaces whose intersection an element is, for one with flat faces.
class HalfSpaces {
 public:
  HalfSpaces(const mfem::Mesh& mesh, int element) {
    const mfem::Element& e = *mesh.GetElement(element);
    Point3 inside{};
    for (int i = 0; i < e.GetNVertices(); i++)
      inside = Less(inside, -1.0 / e.GetNVertices(), VertexOf(mesh, e.GetVertices()[i]));
    const bool flat = mesh.Dimension() == 2;
    count_ = flat ? e.GetNEdges() : e.GetNFaces();
    for (int i = 0; i < count_; i++) {
      const int* at = flat ? e.GetEdgeVertices(i) : e.GetFaceVertices(i);
      const int count = flat ? 2 : e.GetNFaceVertices(i);
      Point3 x[4], centre{};
      for (int k = 0; k < count; k++) {
        x[k] = VertexOf(mesh, e.GetVertices()[at[k]]);
        centre = Less(centre, -1.0 / count, x[k]);
      }
      const Point3 one = Less(x[1], x[0]);
      Point3 n = flat         ? Point3{one[1], -one[0], 0}
                 : count == 3 ? Cross(one, Less(x[2], x[0]))
                              : Cross(Less(x[2], x[0]), Less(x[3], x[1]));
      const double size = Length(n) * (Dot(n, Less(centre, inside)) < 0 ? -1 : 1);
      for (double& v : n) v /= size;
      planes_[i] = {n, Dot(n, centre)};
    }
  }

  // Whether the polygon lies beyond one of the planes.
  bool Exclude(const Polygon& polygon, double shrunk) const {
    return std::any_of(planes_, planes_ + count_, [&](const Plane& plane) {
      return std::all_of(polygon.begin(), polygon.end(), [&](const Point3& x) {
        return Dot(plane.normal, x) > plane.limit - shrunk;
      });
    });
  }

  void Clip(Polygon& polygon, double shrunk) const {
    for (int i = 0; i < count_ && polygon.size() >= 2; i++)
      atelier::Clip(polygon, planes_[i].normal, planes_[i].limit - shrunk);
  }

 private:
  struct Plane {
    Point3 normal;  // unit, outward
    double limit;
  };
  Plane planes_[6];
  int count_;
};

// A face of the surface a little inside its own body, and where that is.
struct Moved {
  Polygon polygon;
  double step;

  Moved(const Domain& d, const Facet& f)
      : polygon(f.corner), step(std::min(kContact * d.Diagonal(), kOfElement * f.height)) {
    for (Point3& x : polygon) x = Less(x, step, f.normal);
  }
};

// A piece of a face of the surface within an element other than its own.
struct Inside {
  const Facet* facet;
  int element;
  Patch patch;
};

Box BoxOf(const mfem::Mesh& mesh, int element) {
  const mfem::Element& e = *mesh.GetElement(element);
  Box box;
  for (int i = 0; i < e.GetNVertices(); i++) box.Add(VertexOf(mesh, e.GetVertices()[i]));
  return box;
}

// The elements near the surface, which few are of a large mesh, by their boxes.
struct NearSurface {
  std::vector<int> element;
  std::vector<Box> box;

  NearSurface(const Domain& d, const std::vector<Facet>& surface) {
    std::vector<Box> faces;
    for (const Facet& f : surface) faces.push_back(BoxOf(Moved(d, f).polygon, 0));
    const BoxTree tree(std::move(faces));
    const int elements = d.mesh->GetNE();
    std::vector<char> near(elements);
#pragma omp parallel for schedule(static)
    for (int e = 0; e < elements; e++) near[e] = tree.Meets(BoxOf(*d.mesh, e));
    for (int e = 0; e < elements; e++) {
      if (!near[e]) continue;
      element.push_back(e);
      box.push_back(BoxOf(*d.mesh, e));
    }
  }
};

// The box without its rim, where what no more than touches it ends.
Box Interior(Box box) {
  constexpr double kRim = 1e-10;
  for (int k = 0; k < 3; k++) {
    const double rim = kRim * (box.high[k] - box.low[k]);
    box.low[k] += rim;
    box.high[k] -= rim;
  }
  return box;
}

// Adds the pieces of one face that lie within these elements but its own.
void AddInside(const Domain& d, const Facet& f, const std::vector<int>& body,
               const std::vector<int>& element, const BoxTree& tree, std::vector<Inside>& out) {
  const Moved moved(d, f);
  for (int i : tree.Overlapping(Interior(BoxOf(moved.polygon, 0)))) {
    const int e = element[i];
    if (e == f.element) continue;
    const double bulge = d.affine_simplices ? 0 : f.bulge + Bulge(*d.mesh, e),
                 shrunk = 2 * bulge + (body[e] == f.body ? 1.01 * moved.step : 0);
    const HalfSpaces within(*d.mesh, e);
    if (within.Exclude(moved.polygon, shrunk)) continue;
    Polygon piece = moved.polygon;
    within.Clip(piece, shrunk);
    Patch patch = Measure(piece, d.Dimension());
    if (patch.area <= kLeastShare * f.area) continue;
    patch.centre = Less(patch.centre, -moved.step, f.normal);
    out.push_back({&f, e, patch});
  }
}

// In the order of the faces. Where elements are curved, MFEM's mesh serves one thread alone.
std::vector<Inside> FacesInside(const Domain& d, const std::vector<Facet>& surface,
                                const std::vector<int>& body) {
  const NearSurface near(d, surface);
  const BoxTree tree(near.box);
  const int faces = static_cast<int>(surface.size());
  std::vector<std::vector<Inside>> parts(omp_get_max_threads());
#pragma omp parallel for schedule(static) if (d.affine_simplices)
  for (int f = 0; f < faces; f++)
    AddInside(d, surface[f], body, near.element, tree, parts[omp_get_thread_num()]);
  std::vector<Inside> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

std::string Place(const Domain& d, const Point3& x) {
  std::string out = "(";
  for (int k = 0; k < d.Dimension(); k++) out += (k ? ", " : "") + Text(x[k], 4);
  return out + ") m";
}

std::string Named(const std::pair<int, int>& bodies) {
  if (bodies.first == bodies.second) return "Parts of body " + std::to_string(bodies.first + 1);
  return "Bodies " + std::to_string(bodies.first + 1) + " and " + std::to_string(bodies.second + 1);
}

// The pair that meets most, and how many others do.
const Meetings::value_type& Largest(const Meetings& all) {
  auto best = all.begin();
  for (auto it = all.begin(); it != all.end(); ++it) {
    if (it->second.area > best->second.area) best = it;
  }
  return *best;
}

std::string Others(const Meetings& all) {
  if (all.size() < 2) return "";
  return " So do " + std::to_string(all.size() - 1) + " other pairs.";
}

}  // namespace

bool Meeting::Add(const Patch& patch) {
  area += patch.area;
  if (patch.area <= largest) return false;
  largest = patch.area, place = patch.centre;
  return true;
}

bool Meant::Faces(int one, int other) const {
  const auto a = sides.find(one), b = sides.find(other);
  return a != sides.end() && b != sides.end() && a->second.first == b->second.first &&
         a->second.second != b->second.second;
}

std::set<std::pair<int, int>> Meant::Bodies(const std::vector<Facet>& surface) const {
  std::map<int, std::set<int>> bodies[2];  // of each side, by contact
  for (const Facet& f : surface) {
    const auto it = sides.find(f.face);
    if (it != sides.end()) bodies[it->second.second][it->second.first].insert(f.body);
  }
  std::set<std::pair<int, int>> out;
  for (const auto& [contact, ones] : bodies[0]) {
    for (int one : ones) {
      for (int other : bodies[1][contact]) out.insert(Pair(one, other));
    }
  }
  return out;
}

Meetings Touching(const Domain& d, const std::vector<Facet>& surface, const Meant& meant) {
  Meetings all;
  ForEachPair(d, surface, -1, [&](const Facet& f, const Facet& g, const Patch& patch) {
    if (meant.Faces(f.face, g.face)) return;
    Meeting& m = all[Pair(f.body, g.body)];
    if (m.Add({patch.area / 2, patch.centre})) m.faces = {f.face, g.face};  // each side counts once
  });
  return all;
}

// The space that two bodies share is bounded by the faces of either within the other,
// and by the faces of both that lie upon each other and look the same way, which count
// for both. By the divergence theorem its volume is the integral of x . n / dimension.
// A face within another body may lie in a plane between elements: it is looked for a
// little inside its own body. Within one body that little is taken off the elements,
// so that a face is never found in those beside it.
Meetings Overlapping(const Domain& d, const std::vector<Facet>& surface,
                     const std::vector<int>& body) {
  const int dimension = d.Dimension();
  Point3 origin{};
  for (int k = 0; k < 3; k++) origin[k] = 0.5 * (d.low[k] + d.high[k]);
  auto moment = [&](const Facet& f, const Patch& patch) {
    return Dot(Less(patch.centre, origin), f.normal) * patch.area / dimension;
  };
  Meetings all;
  for (const Inside& i : FacesInside(d, surface, body)) {
    Meeting& m = all[Pair(i.facet->body, body[i.element])];
    m.Add(i.patch);
    m.volume += moment(*i.facet, i.patch);
  }
  if (all.empty()) return all;
  ForEachPair(d, surface, 1, [&](const Facet& f, const Facet& g, const Patch& patch) {
    const auto it = all.find(Pair(f.body, g.body));
    if (it != all.end()) it->second.volume -= moment(f, patch) / 2;
  });
  return all;
}

std::string AttributesOf(mfem::Mesh& mesh, const std::pair<int, int>& faces) {
  const mfem::Array<int> boundary = mesh.GetFaceToBdrElMap();
  auto attribute = [&](int face) {
    const int b = boundary[face];
    return b < 0 ? std::string("none") : std::to_string(mesh.GetBdrAttribute(b));
  };
  return attribute(faces.first) + " and " + attribute(faces.second);
}

void CheckContact(const Domain& d, const std::vector<Facet>& surface, const std::vector<int>& body,
                  const Meant& meant, Evidence& ev) {
  const std::string area = d.Dimension() == 3 ? " m^2" : " m",
                    volume = d.Dimension() == 3 ? "m^3" : "m^2";
  Meetings shared = Overlapping(d, surface, body);
  for (const auto& pressed : meant.Bodies(surface)) {
    const auto it = shared.find(pressed);
    if (it == shared.end()) continue;
    ev.Note(Named(pressed) + " overlap at the start by about " +
            Text(std::abs(it->second.volume), 3) + " " + volume +
            ": the contact between them presses them apart.");
    shared.erase(it);
  }
  if (!shared.empty()) {
    const auto& [bodies, m] = Largest(shared);
    double total = 0;
    for (const auto& [pair, meeting] : shared) total += std::abs(meeting.volume);
    ev.Within({"bodies_apart", "model", "", std::max(total, 1e-300), 0, volume,
               Named(bodies) + " occupy the same space, about " + Text(std::abs(m.volume), 3) +
                   " " + volume + " around " + Place(d, m.place) +
                   ": material, loads and sources count twice there, and nothing passes from one "
                   "to the other." +
                   Others(shared) +
                   " Unite the bodies, or cut one out of the other, before the mesh is made."});
  }
  Meetings apart, cracks;
  for (const auto& [bodies, m] : Touching(d, surface, meant))
    (bodies.first == bodies.second ? cracks : apart).emplace(bodies, m);
  if (!apart.empty()) {
    const auto& [bodies, m] = Largest(apart);
    ev.Holds("bodies_joined", "model", "", false,
             Named(bodies) + " touch over about " + Text(m.area, 3) + area + " around " +
                 Place(d, m.place) + " (boundary attributes " + AttributesOf(*d.mesh, m.faces) +
                 ") but share no nodes there: no force, heat or flow passes between them." +
                 Others(apart) +
                 (meant.Any()
                      ? " Name the faces as sides of a contact, mesh the bodies as one part with "
                        "common nodes, or leave a gap if they are meant to be apart."
                      : " Mesh them as one part with common nodes, or leave a gap if they are "
                        "meant to be apart."));
  }
  if (cracks.empty()) return;
  const auto& [bodies, m] = Largest(cracks);
  ev.Holds("nodes_joined", "model", "", false,
           "Within body " + std::to_string(bodies.first + 1) + ", faces over about " +
               Text(m.area, 3) + area + " around " + Place(d, m.place) +
               " lie upon each other with nodes of their own: the mesh is cut there, and no "
               "force, heat or flow passes. Merge the coincident nodes, or open the cut to a gap "
               "if a crack is meant.");
}

}  // namespace atelier
