#include "contact_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bodies.hpp"
#include "elasticity.hpp"
#include "surface.hpp"

namespace atelier {
namespace {

constexpr int kMostContacts = 20;
// What a pressure strains a layer of one face's thickness by, over the penetration. Ten times as
// much leaves less than 0.3 % more of the force on cylinders, but makes the pressure of elements
// of order 2 waver by a quarter at the rim of the patch.
constexpr double kPenalty = 12;
constexpr double kFiner = 0.9;       // of the other side's mean size of faces
constexpr double kRounding = 1e-9;   // of the diagonal: a gap that the file's digits may leave
constexpr double kMostAdjust = 0.5;  // of the size of a face; more would distort elements
constexpr double kBeside = 1e-3;     // of a face's size: how far beside it a node may lie

struct Side {
  double mean = 0, least = INFINITY;  // size of its faces, m
  double young = 0;                   // mean, Pa
};

Side Measure(const Elasticity& p, const BoundaryGeometry& g, const Region& r) {
  Side s;
  for (int b : r.faces) {
    int element, info;
    p.domain.mesh->GetBdrElementAdjacentElement(b, element, info);
    const double size = p.dim == 3 ? std::sqrt(g.area[b]) : g.area[b];
    s.mean += size / static_cast<double>(r.faces.size());
    s.least = std::min(s.least, size);
    s.young += p.materials.lame.Young(element) / static_cast<double>(r.faces.size());
  }
  return s;
}

// Faces between elements with common nodes cannot open.
void RequireSurface(const Elasticity& p, const Region& r) {
  for (int b : r.faces) {
    int one = -1, other = -1;
    p.domain.mesh->GetFaceElements(p.domain.mesh->GetBdrElementFaceIndex(b), &one, &other);
    if (other < 0) continue;
    throw Error(codes::kInvalidInput,
                r.name + " lies between elements that share its nodes, where nothing can open")
        .At(r.config.Pointer())
        .Hint("Mesh the two bodies apart, so that each has nodes of its own on its side.");
  }
}

// One face has one contact: pressures could not be told apart.
void RequireOnce(const ContactPair& c, std::map<int, std::string>& taken) {
  for (const Region& r : c.sides) {
    for (int b : r.faces) {
      const auto [at, added] = taken.try_emplace(b, r.config.Pointer());
      if (added) continue;
      throw Error(codes::kConflictingConditions, "a face is on two sides of contacts: " +
                                                     at->second + " and " + r.config.Pointer())
          .At(r.config.Pointer())
          .Hint(
              "Give each face to one side of one contact; a side may name the faces of several "
              "bodies.");
    }
  }
}

Region ReadSide(const Elasticity& p, const Json& place, const std::string& pointer, int index) {
  if (!place.is_object())
    throw Error(codes::kInvalidInput, "a side of a contact must be a place").At(pointer);
  Region r = ReadPlace(p.domain, Config(place, pointer), "contact", index);
  RequireSurface(p, r);
  return r;
}

ContactPair ReadPair(const Elasticity& p, const Config& config, int index,
                     const BoundaryGeometry& g) {
  const bool two =
      config.Has("sides") && config.Raw("sides").is_array() && config.Raw("sides").size() == 2;
  if (!two) throw config.Refuse("sides", "must be two places, which may touch each other");
  const Json& sides = config.Raw("sides");
  const std::string at = config.Pointer("sides") + "/";
  ContactPair c{config,
                {ReadSide(p, sides[0], at + "0", index), ReadSide(p, sides[1], at + "1", index)}};
  const Side one = Measure(p, g, c.sides[0]), other = Measure(p, g, c.sides[1]);
  const bool alike = one.mean >= kFiner * other.mean && other.mean >= kFiner * one.mean;
  c.slave = alike ? other.young < one.young : other.mean < one.mean;
  c.reason = !alike                     ? "its faces are smaller"
             : one.young == other.young ? "they are alike"
                                        : "it is the softer one";
  c.size = (c.slave ? other : one).least;
  c.young = std::min(one.young, other.young);
  c.stiffness = kPenalty * c.young / c.size;
  c.friction = config.Number("friction", 0);
  if (c.friction < 0) throw config.Refuse("friction", "is a coefficient, which is not negative");
  if (!config.Has("adjust")) return c;
  c.adjust = config.PositiveLength("adjust", p.domain.metres_per_unit);
  if (c.adjust > kMostAdjust * c.size && !p.domain.refined)
    throw config
        .Refuse("adjust", "is " + Text(c.adjust) + " m, beside faces of " + Text(c.size) +
                              " m: elements would be distorted")
        .Hint("It closes the gaps of a mesh; wider ones close as the bodies are moved.");
  return c;
}

Point3 PlaceOf(const Elasticity& p, int node) {
  Point3 x{};
  for (int k = 0; k < p.dim; k++)
    x[k] = p.space->Coordinates()[static_cast<size_t>(node) * p.dim + k];
  return x;
}

bool Over(const Facet& f, const Point3& x, int dim) {
  const double slack = kBeside * std::pow(f.area, 1.0 / (dim - 1));
  const size_t n = f.corner.size();
  for (size_t i = 0; i < n; i++) {
    const Point3 edge = Less(f.corner[(i + 1) % n], f.corner[i]);
    Point3 out = dim == 3 ? Cross(edge, f.normal) : Less({}, edge);
    const double size = Length(out);
    if (dim == 3 && Dot(out, Less(f.centre, f.corner[i])) > 0) out = Less({}, out);
    if (Dot(out, Less(x, f.corner[i])) > slack * size) return false;
  }
  return true;
}

// The facets of the other side, and which of them a node touches.
class Opposite {
 public:
  Opposite(const Elasticity& p, const ContactPair& c, const std::map<int, const Facet*>& surface)
      : dim_(p.dim), reach_(std::max(c.adjust, kRounding * p.domain.Diagonal())), tree_({}) {
    std::vector<Box> boxes;
    for (int b : c.Master().faces) {
      facets_.push_back(surface.at(p.domain.mesh->GetBdrElementFaceIndex(b)));
      Box box;
      for (const Point3& x : facets_.back()->corner) box.Add(x);
      box.Grow(reach_);
      boxes.push_back(box);
    }
    tree_ = BoxTree(boxes);
  }

  const Facet* At(const Point3& x) const {
    Box box;
    box.Add(x);
    for (int i : tree_.Overlapping(box)) {
      const Facet& f = *facets_[i];
      if (std::abs(Dot(f.normal, Less(x, f.centre))) <= reach_ && Over(f, x, dim_)) return &f;
    }
    return nullptr;
  }

 private:
  int dim_;
  double reach_;
  std::vector<const Facet*> facets_;
  BoxTree tree_;
};

// What a node that touches a facet is held along: its normal, and with friction all directions.
void Hold(const Elasticity& p, const ContactPair& c, int node, const Facet& f,
          std::vector<Spring>& held) {
  Spring s{node, PlaceOf(p, node), f.normal, f.vertex[0]};
  held.push_back(s);
  for (int k = 0; c.friction > 0 && k < p.dim; k++) {
    s.direction = {};
    s.direction[k] = 1;
    held.push_back(s);
  }
}

void FindClosed(const Elasticity& p, const std::map<int, const Facet*>& surface, ContactPair& c) {
  const Opposite opposite(p, c, surface);
  std::map<int, const Facet*> touched;
  for (int b : c.Slave().faces) {
    const std::vector<int> nodes = p.space->BoundaryDofs(b);
    for (int node : nodes) {
      if (!touched.count(node)) touched[node] = opposite.At(PlaceOf(p, node));
    }
    const size_t corners = p.domain.mesh->GetBdrElement(b)->GetNVertices();
    const bool whole = std::all_of(nodes.begin(), nodes.begin() + static_cast<long>(corners),
                                   [&](int node) { return touched[node] != nullptr; });
    for (size_t i = 0; whole && i < corners; i++) Hold(p, c, nodes[i], *touched[nodes[i]], c.held);
  }
  for (const auto& [node, facet] : touched) {
    if (facet) c.closed.push_back(node);
  }
}

// Refuses a contact whose sides touch nowhere, where other faces of its bodies do.
void RequireFacing(const Elasticity& p, const ContactPair& c, const Meetings& touching,
                   const std::vector<int>& body) {
  const std::set<int> one = BodiesOf(p.domain, c.sides[0], body),
                      other = BodiesOf(p.domain, c.sides[1], body);
  for (const auto& [bodies, m] : touching) {
    const auto [a, b] = bodies;
    if (a == b || !((one.count(a) && other.count(b)) || (one.count(b) && other.count(a)))) continue;
    throw c.config
        .Refuse("sides", "name faces that do not touch (" + c.sides[0].name + ", " +
                             c.sides[1].name +
                             "), while faces of the same bodies that no contact names lie upon "
                             "each other")
        .Hint("Name the boundary attributes " + AttributesOf(*p.domain.mesh, m.faces) +
              ", as sides of this contact or of another one.");
  }
}

}  // namespace

std::vector<ContactPair> ReadContacts(const Elasticity& p) {
  std::vector<ContactPair> all;
  const std::vector<Config> list = p.config.List("contacts");
  if (list.empty()) return all;
  if (list.size() > kMostContacts)
    throw p.config.Refuse("contacts", "may be " + std::to_string(kMostContacts) + " at most")
        .Hint("A side may name the faces of several bodies.");
  const BoundaryGeometry g = MeasureBoundary(*p.domain.mesh);
  int count = 0;
  const std::vector<int> body = Bodies(*p.domain.mesh, true, count);
  const std::vector<Facet> facets = Surface(*p.domain.mesh, body);
  std::map<int, const Facet*> surface;
  for (const Facet& f : facets) surface[f.face] = &f;
  std::map<int, std::string> taken;
  for (const Config& config : list) {
    ContactPair c = ReadPair(p, config, static_cast<int>(all.size()), g);
    RequireOnce(c, taken);
    FindClosed(p, surface, c);
    all.push_back(std::move(c));
  }
  const bool apart =
      std::any_of(all.begin(), all.end(), [](const ContactPair& c) { return c.closed.empty(); });
  if (!apart || p.domain.refined) return all;
  const Meetings touching = Touching(p.domain, facets, MayTouch(p, all));
  for (const ContactPair& c : all) {
    if (c.closed.empty()) RequireFacing(p, c, touching, body);
  }
  return all;
}

void RequireHeldInContact(const Elasticity& p) {
  std::vector<Spring> springs = Springs(p);
  for (const ContactPair& c : p.nonlinear->contacts)
    springs.insert(springs.end(), c.held.begin(), c.held.end());
  const FreeMotions motions = FindFreeMotions(p.domain, *p.space, *p.constraints, springs);
  if (motions.total == 0) return;
  throw Error(codes::kSingularSystem, "before contact closes, " + InWords(motions))
      .At("/config/contacts")
      .Hint(
          "Contact holds a body from the start only where whole faces touch, along their normal, "
          "and sideways with friction. Else push the body by a displacement (fixed with value) "
          "instead of a force, hold it where it does not move (symmetry, fixed components), or "
          "close small gaps by adjust. No springs are added: they would bear part of the load.")
      .With("bodies", motions.loose);
}

Meant MayTouch(const Elasticity& p) {
  return p.nonlinear ? MayTouch(p, p.nonlinear->contacts) : Meant();
}

Meant MayTouch(const Elasticity& p, const std::vector<ContactPair>& contacts) {
  Meant meant;
  int index = 0;
  for (const ContactPair& c : contacts) {
    for (int side = 0; side < 2; side++) {
      for (int b : c.sides[side].faces)
        meant.sides[p.domain.mesh->GetBdrElementFaceIndex(b)] = {index, side};
    }
    index++;
  }
  return meant;
}

}  // namespace atelier
