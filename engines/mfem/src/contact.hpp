// Where elements occupy the same space, and where faces of the surface lie upon each
// other without common nodes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evidence.hpp"
#include "surface.hpp"

namespace atelier {

// Places where two bodies, or two parts of one, meet.
struct Meeting {
  double area = 0;                    // m^2; m in 2-D
  double volume = 0;                  // m^3; m^2 in 2-D
  Point3 place{};                     // the middle of its largest piece
  std::pair<int, int> faces{-1, -1};  // of the mesh: those that lie most upon each other
  double largest = 0;                 // the area of that piece
  // Whether the patch is the largest so far.
  bool Add(const Patch& patch);
};

// By the numbers of the bodies, the lesser first; equal ones are a body and itself.
using Meetings = std::map<std::pair<int, int>, Meeting>;

// What is meant to touch without common nodes: the sides of contacts.
struct Meant {
  std::map<int, std::pair<int, int>> sides;  // of a face of the mesh: contact, and 0 or 1

  bool Any() const { return !sides.empty(); }
  bool Faces(int one, int other) const;
  // By the numbers of the bodies, the lesser first.
  std::set<std::pair<int, int>> Bodies(const std::vector<Facet>& surface) const;
};

// Faces upon each other that look opposite ways, but those that are meant to touch.
Meetings Touching(const Domain& domain, const std::vector<Facet>& surface, const Meant& meant);
// Space that elements share, by the faces of the surface that lie within elements.
Meetings Overlapping(const Domain& domain, const std::vector<Facet>& surface,
                     const std::vector<int>& body);

// The boundary attributes of two faces of the mesh, for a sentence.
std::string AttributesOf(mfem::Mesh& mesh, const std::pair<int, int>& faces);

// States both as failed checks.
void CheckContact(const Domain& domain, const std::vector<Facet>& surface,
                  const std::vector<int>& body, const Meant& meant, Evidence& evidence);

}  // namespace atelier
