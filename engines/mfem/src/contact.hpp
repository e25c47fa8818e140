// Where elements occupy the same space, and where faces of the surface lie upon each
// other without common nodes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "evidence.hpp"
#include "surface.hpp"

namespace atelier {

// Places where two bodies, or two parts of one, meet.
struct Meeting {
  double area = 0;                    // m^2; m in 2-D
  double volume = 0;                  // m^3; m^2 in 2-D
  Point3 centre{};                    // of the area
  std::pair<int, int> faces{-1, -1};  // of the mesh: those that lie most upon each other
  double largest = 0;                 // their area
  void Add(const Patch& patch);
};

// By the numbers of the bodies, the lesser first; equal ones are a body and itself.
using Meetings = std::map<std::pair<int, int>, Meeting>;

// Whether two faces of the mesh are meant to touch without common nodes.
using Meant = std::function<bool(int face, int other)>;

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
