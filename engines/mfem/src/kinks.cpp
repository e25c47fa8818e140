#include "kinks.hpp"

#include <algorithm>
#include <cmath>

#include "union_find.hpp"

namespace atelier {
namespace {

// A kink is like another one that turns by this share of it, at least: the first of a
// fillet turns by half as much as the next, and chords are not of one length.
constexpr double kLike = 0.35;
constexpr int kRow = 3;  // kinks that are like each other
// Facets are as long as this many elements, at least: a corner that more of them lie
// beside is one to the elements, whatever it stands for.
constexpr double kFewElements = 2.5;
// … unless it raises their stress by no more than this.
constexpr double kRaised = 1.1;
constexpr double kMostElements = 12;  // beside a facet
constexpr double kLook = 4;           // times as far, for what is like it and no facet
constexpr int kMostSteps = 200;
// Of a kink that is like it: what turns by less is flat. What turns by more adds up,
// since the cut of triangles crosses several edges of one facet.
constexpr double kCounts = 0.6;
// The flat face that a round one runs out into touches it: by how much more than that
// the last kink may turn, on irregular triangles and otherwise.
constexpr double kTangent[] = {0, 0, 1.5, 2};
constexpr double kTangentSlack = 1.5 * kDegree;
// A corner of a solid part is a line of edges, each of which goes on within this and
// turns by half as much as the other, at least. Sharp edges at its ends count as one.
const double kStraight = std::cos(40 * kDegree);
constexpr int kLine = 3;

bool Normalize(Point3& v) {
  const double length = Length(v);
  for (double& x : v) x /= length > 0 ? length : 1;
  return length > 0;
}

// Of a segment, at one of its ends: along its true tangent to the other end.
Point3 Tangent(mfem::Mesh& mesh, int f, const mfem::IntegrationPoint& ip, const Point3& chord) {
  mfem::ElementTransformation* t = mesh.GetBdrElementTransformation(f);
  t->SetIntPoint(&ip);
  Point3 out{t->Jacobian()(0, 0), t->Jacobian()(1, 0), 0};
  if (Dot(out, chord) < 0) out = Less({}, out);
  return Normalize(out) ? out : chord;
}

// The corners of a plane part by their vertex, and the edges of another by both.
using ByVertices = std::map<std::vector<int>, BoundaryEdge>;

void AddCorner(mfem::Mesh& mesh, int f, int i, ByVertices& edges) {
  const mfem::Element& element = *mesh.GetBdrElement(f);
  const mfem::IntegrationPoint& ip =
      mfem::Geometries.GetVertices(mesh.GetBdrElementGeometry(f))->IntPoint(i);
  const int a = element.GetVertices()[i], b = element.GetVertices()[1 - i];
  Point3 chord = Less(VertexOf(mesh, b), VertexOf(mesh, a));
  if (!Normalize(chord)) return;
  BoundaryEdge& edge = edges[{a}];
  edge.at = VertexOf(mesh, a);
  edge.sides.push_back({f, BoundaryNormal(mesh, f, ip), Tangent(mesh, f, ip, chord)});
}

void AddEdge(mfem::Mesh& mesh, int f, int i, ByVertices& edges) {
  const mfem::Element& element = *mesh.GetBdrElement(f);
  const int count = element.GetNVertices(), next = (i + 1) % count;
  const mfem::IntegrationRule& corner =
      *mfem::Geometries.GetVertices(mesh.GetBdrElementGeometry(f));
  const int* v = element.GetVertices();
  BoundaryEdge& edge = edges[{std::min(v[i], v[next]), std::max(v[i], v[next])}];
  edge.at = VertexOf(mesh, std::min(v[i], v[next]));
  edge.along = Less(VertexOf(mesh, std::max(v[i], v[next])), edge.at);
  Point3 unit = edge.along;
  Normalize(unit);
  Side side{f, BoundaryNormal(mesh, f, Middle(corner.IntPoint(i), corner.IntPoint(next))),
            Less(VertexOf(mesh, v[(i + 2) % count]), VertexOf(mesh, v[i]))};
  side.inward = Less(side.inward, Dot(side.inward, unit), unit);
  side.inward = Less(side.inward, Dot(side.inward, side.normal), side.normal);
  if (Normalize(side.inward)) edge.sides.push_back(side);
}

}  // namespace

mfem::IntegrationPoint Middle(const mfem::IntegrationPoint& a, const mfem::IntegrationPoint& b) {
  mfem::IntegrationPoint m;
  m.Set2(0.5 * (a.x + b.x), 0.5 * (a.y + b.y));
  return m;
}

Point3 BoundaryNormal(mfem::Mesh& mesh, int f, const mfem::IntegrationPoint& ip) {
  mfem::ElementTransformation* t = mesh.GetBdrElementTransformation(f);
  t->SetIntPoint(&ip);
  mfem::Vector n(mesh.Dimension());
  mfem::CalcOrtho(t->Jacobian(), n);
  Point3 out{};
  for (int k = 0; k < mesh.Dimension(); k++) out[k] = n(k);
  Normalize(out);
  return out;
}

double InteriorAngle(const Side& a, const Side& b) {
  // The cosine alone cannot tell small angles from rounding.
  const double turn =
      std::atan2(Length(Cross(a.normal, b.normal)), std::clamp(Dot(a.normal, b.normal), -1.0, 1.0));
  return Dot(a.normal, b.inward) + Dot(b.normal, a.inward) > 0 ? M_PI + turn : M_PI - turn;
}

double Exponent(double angle) {
  if (angle <= M_PI) return 1;
  angle = std::min(angle, 2 * M_PI);  // that of a crack; a mirror doubles more
  double low = 0.5, high = 1;         // the root lies between
  for (int i = 0; i < 50; i++) {
    const double middle = 0.5 * (low + high);
    (std::sin(middle * angle) + middle * std::sin(angle) > 0 ? low : high) = middle;
  }
  return low;
}

Kinks::Kinks(mfem::Mesh& mesh, std::vector<Hold> hold)
    : dimension_(mesh.Dimension()), hold_(std::move(hold)), of_face_(mesh.GetNBE()) {
  ByVertices edges;
  for (int f = 0; f < mesh.GetNBE(); f++) {
    int inside, other;
    mesh.GetFaceElements(mesh.GetBdrElementFaceIndex(f), &inside, &other);
    if (other >= 0) continue;  // an interface within the part
    for (int i = 0; i < mesh.GetBdrElement(f)->GetNVertices(); i++)
      (dimension_ == 2 ? AddCorner : AddEdge)(mesh, f, i, edges);
  }
  for (auto& [vertices, edge] : edges) {
    for (const Side& side : edge.sides)
      of_face_[side.face].push_back(static_cast<int>(edges_.size()));
    edge.vertices = vertices;
    edges_.push_back(edge);
  }
  for (int e = 0; e < static_cast<int>(edges_.size()); e++)
    kinds_.push_back(edges_[e].sides.size() == 2 ? Look(e) : Kind::kFlat);
  if (dimension_ == 3) KeepLines();
}

bool Kinks::Mirrored(const BoundaryEdge& edge) const {
  return (hold_[edge.sides[0].face] == Hold::kSymmetry) !=
         (hold_[edge.sides[1].face] == Hold::kSymmetry);
}

double Kinks::Turn(const BoundaryEdge& edge) const {
  const double angle = InteriorAngle(edge.sides[0], edge.sides[1]);
  return Mirrored(edge) ? 2 * angle - M_PI : angle - M_PI;
}

// The plane through an edge, at right angles to it, in which the boundary is a line.
struct Kinks::Cut {
  Point3 at{}, normal{};
  double Above(const Point3& x) const { return Dot(normal, Less(x, at)); }
};

// What lies beside a kink, on one side.
struct Kinks::Walk {
  int count = 0;                 // of kinks like it, two at most
  double first = 0, second = 0;  // the way to the first of them, and on to the second
  double turn = 0;               // of the first
  double ended = INFINITY;       // the way to what is neither flat nor like it
  bool far = false;              // something like it lies beyond several elements
};

// The way from a face out of it, other than where it was entered.
int Kinks::Next(int face, int from, const Cut& cut) const {
  for (int e : of_face_[face]) {
    if (e == from) continue;
    if (dimension_ == 2) return e;
    const Point3& at = edges_[e].at;
    if ((cut.Above(at) < 0) != (cut.Above(Less(at, -1, edges_[e].along)) < 0)) return e;
  }
  return -1;
}

// How far the face beside an edge reaches from it.
double Kinks::Height(int edge, int side) const {
  const Side& s = edges_[edge].sides[side];
  double most = 0;
  for (int e : of_face_[s.face]) {
    for (const Point3& x : {edges_[e].at, Less(edges_[e].at, -1, edges_[e].along)}) {
      const Point3 off = Less(x, edges_[edge].at);
      Point3 unit = edges_[edge].along;
      Normalize(unit);
      most = std::max(most, Length(Less(off, Dot(off, unit), unit)));
    }
  }
  return most;
}

Kinks::Walk Kinks::Along(int edge, int side, const Cut& cut) const {
  const double turn = Turn(edges_[edge]), like = kLike * turn;
  // Triangles beside one edge may be of any shape.
  const double height =
      dimension_ == 2 ? Height(edge, side) : std::max(Height(edge, 0), Height(edge, 1));
  const double slow = 1 / std::max(1 - Exponent(M_PI + turn), 0.01);
  const double facet = height * std::clamp(std::pow(kRaised, slow), kFewElements, kMostElements);
  Walk w;
  int face = edges_[edge].sides[side].face, e = edge;
  Point3 at = cut.at;
  double way = 0, since = 0, net = 0;
  for (int step = 0; step < kMostSteps && since <= kLook * facet; step++) {
    e = Next(face, e, cut);
    if (e < 0 || edges_[e].sides.size() != 2) break;
    const BoundaryEdge& next = edges_[e];
    const double above = cut.Above(next.at), over = Dot(cut.normal, next.along);
    const Point3 x = over == 0 ? next.at : Less(next.at, above / over, next.along);
    const double gone = Length(Less(x, at));
    way += gone;
    since += gone;
    at = x;
    face = next.sides[next.sides[0].face == face].face;
    const bool mirror = Mirrored(next) && hold_[face] == Hold::kSymmetry;
    const double length = Length(next.along);
    const double here = Turn(next) * (length > 0 ? std::abs(over) / length : 1);
    const bool other = std::abs(here) > kMostTurn ||
                       (!mirror && hold_[face] != hold_[edges_[edge].sides[side].face]);
    if (other || here < -like) w.ended = std::min(w.ended, way);
    if (other) return w;
    for (double found : {here, mirror ? turn : 0.0}) {  // beyond the mirror stands its image
      if (std::abs(found) >= kCounts * like) net += found;
      if (net >= like) {
        if (since > facet) return w.far = true, w;
        (w.count == 0 ? w.first : w.second) = since;
        if (w.count == 0) w.turn = net;
        if (++w.count == kRow - 1) return w;
        since = net = 0;
      }
      if (mirror) since += way;
    }
    if (mirror) return w;
  }
  if (e < 0 || edges_[e].sides.size() != 2) w.ended = way;
  return w;
}

Kinks::Kind Kinks::JudgeAt(int edge, double share) const {
  const BoundaryEdge& kink = edges_[edge];
  Cut cut{Less(kink.at, -share, kink.along), kink.along};
  Normalize(cut.normal);
  Walk walks[2];
  for (int side = 0; side < 2; side++) walks[side] = Along(edge, side, cut);
  if (Mirrored(kink)) {
    const int free = hold_[kink.sides[0].face] == Hold::kSymmetry;
    walks[1 - free] = walks[free];
  }
  const Walk& less = walks[0].count < walks[1].count ? walks[0] : walks[1];
  const Walk& more = &less == &walks[0] ? walks[1] : walks[0];
  if (more.count == 0) return less.far || more.far ? Kind::kUnclear : Kind::kCorner;
  if (less.count + more.count + 1 < kRow) return Kind::kUnclear;
  if (less.count > 0 || less.ended < 1.5 * more.first) return Kind::kFacet;
  const double touching = more.turn * more.first / (more.first + more.second);
  return Turn(kink) > kTangent[dimension_] * touching + kTangentSlack ? Kind::kUnclear
                                                                      : Kind::kFacet;
}

Kinks::Kind Kinks::Look(int edge) const {
  const double turn = Turn(edges_[edge]);
  if (turn <= kLeastTurn) return Kind::kFlat;
  if (turn > kMostTurn) return Kind::kCorner;
  if (dimension_ == 2) return JudgeAt(edge, 0);
  // On triangles one cut may miss what is beside it.
  return std::min({JudgeAt(edge, 0.5), JudgeAt(edge, 0.3), JudgeAt(edge, 0.7)});
}

// Whether an edge of triangles has its like around both of its ends, on other lines.
bool Kinks::Amid(int edge, const AtVertex& kinks) const {
  const BoundaryEdge& e = edges_[edge];
  int found = 0;
  for (const Side& side : e.sides) {
    if (of_face_[side.face].size() != 3) return false;
  }
  for (int v : e.vertices) {
    const int before = found;
    for (int k : kinks.at(v)) {
      const double turn = Turn(edges_[k]);
      found += turn >= kLike * Turn(e) && turn <= kMostTurn && !GoesOn(e, edges_[k]);
    }
    if (found == before) return false;
  }
  return found >= kRow;
}

bool Kinks::GoesOn(const BoundaryEdge& a, const BoundaryEdge& b) {
  return std::abs(Dot(a.along, b.along)) > kStraight * Length(a.along) * Length(b.along);
}

// Irregular triangles on a round surface meet at any angle: what looks like a corner
// there, and is no line, is a facet.
void Kinks::KeepLines() {
  AtVertex kinks, lone;
  std::map<int, bool> sharp;
  const int count = static_cast<int>(edges_.size());
  for (int e = 0; e < count; e++) {
    const BoundaryEdge& edge = edges_[e];
    const bool ends = edge.sides.size() != 2 || std::abs(Turn(edge)) > kMostTurn ||
                      hold_[edge.sides[0].face] != hold_[edge.sides[1].face];
    for (int v : edge.vertices) {
      if (ends) sharp[v] = true;
      if (!ends && Turn(edge) > kLike * kLeastTurn) kinks[v].push_back(e);
    }
  }
  UnionFind lines(edges_.size());
  for (int e = 0; e < count; e++) {
    if (kinds_[e] < Kind::kUnclear || Turn(edges_[e]) > kMostTurn ||
        hold_[edges_[e].sides[0].face] != hold_[edges_[e].sides[1].face])
      continue;
    if (Amid(e, kinks)) {
      kinds_[e] = Kind::kFacet;
      continue;
    }
    for (int v : edges_[e].vertices) {
      for (int other : lone[v]) {
        const double one = Turn(edges_[e]), two = Turn(edges_[other]);
        if (GoesOn(edges_[e], edges_[other]) && std::min(one, two) > 0.5 * std::max(one, two))
          lines.Join(e, other);
      }
      lone[v].push_back(e);
    }
  }
  std::map<int, int> length;
  for (const auto& [v, list] : lone) {
    for (int e : list) length[lines.Root(e)] += sharp.count(v) ? 3 : 1;  // halves: an end, an edge
  }
  for (const auto& [v, list] : lone) {
    for (int e : list) {
      if (length[lines.Root(e)] < 2 * kLine) kinds_[e] = Kind::kFacet;
    }
  }
}

}  // namespace atelier
