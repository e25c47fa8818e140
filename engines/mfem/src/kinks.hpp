// The edges of a mesh's boundary (the corners of a plane part), and which of them are
// corners of the part: facets of a round surface meet at an angle as well.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "surface.hpp"

namespace atelier {

constexpr double kDegree = M_PI / 180;
// Facets of a round surface meet at up to this; beyond, it is an edge of the part. A
// polygon of twelve sides is taken for a circle, one of ten for itself.
constexpr double kMostTurn = 31 * kDegree;
// What meets at less is flat: what the stress grows by there, 2 % for each halving of
// the elements, is seen on no mesh that is made.
constexpr double kLeastTurn = 3 * kDegree;

// What holds a boundary face: nothing, one direction of normal and tangent only (as
// a plane of symmetry or antisymmetry does), or more.
enum class Hold { kFree, kSymmetry, kClamped };

// One side of an edge of the boundary.
struct Side {
  int face = 0;
  Point3 normal{}, inward{};  // outward of the part, and from the edge into the face
};

struct BoundaryEdge {
  std::vector<int> vertices;  // two; in 2-D one
  std::vector<Side> sides;
  Point3 at{}, along{};  // one end, and from there to the other; along is 0 in 2-D
};

// The angle through the part from one side to the other, 0 to 2 pi, by the true
// tangents of curved elements.
double InteriorAngle(const Side& a, const Side& b);

// The exponent of the displacement r^lambda at a corner of this angle between free
// faces: sin(lambda w) + lambda sin w = 0 (Williams 1952). 1 up to 180 degrees.
double Exponent(double angle);

// Halfway between two points of a reference element.
mfem::IntegrationPoint Middle(const mfem::IntegrationPoint& a, const mfem::IntegrationPoint& b);
// Normal of boundary element f at a point of its reference element, outward.
Point3 BoundaryNormal(mfem::Mesh& mesh, int f, const mfem::IntegrationPoint& ip);

class Kinks {
 public:
  // kFacet: one of a row of its like, as close as elements are. kUnclear: there is one
  // like it beside it, or more that several elements lie between: a round surface made
  // very coarse, or corners, and corners to the elements either way.
  enum class Kind { kFlat, kFacet, kUnclear, kCorner };

  // hold: by boundary element.
  Kinks(mfem::Mesh& mesh, std::vector<Hold> hold);
  const std::vector<BoundaryEdge>& Edges() const { return edges_; }
  // How far the part turns in at an edge of two sides, negative where it turns out. A
  // plane of symmetry on one side doubles the angle.
  double Turn(const BoundaryEdge& edge) const;
  // Of a re-entrant edge of two sides that are held alike or by symmetry.
  Kind Judge(int edge) const { return kinds_[edge]; }

 private:
  struct Walk;
  struct Cut;
  Walk Along(int edge, int side, const Cut& cut) const;
  int Next(int face, int from, const Cut& cut) const;
  double Height(int edge, int side) const;
  bool Mirrored(const BoundaryEdge& edge) const;
  Kind JudgeAt(int edge, double share) const;
  Kind Look(int edge) const;
  using AtVertex = std::map<int, std::vector<int>>;  // edges
  bool Amid(int edge, const AtVertex& kinks) const;
  static bool GoesOn(const BoundaryEdge& a, const BoundaryEdge& b);
  void KeepLines();

  int dimension_;
  std::vector<Hold> hold_;
  std::vector<BoundaryEdge> edges_;
  std::vector<Kind> kinds_;
  std::vector<std::vector<int>> of_face_;  // the edges of a boundary element
};

}  // namespace atelier
