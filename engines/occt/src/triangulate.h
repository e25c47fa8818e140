// Triangles of groups of bodies, each with a deflection of its own and within a time.
#ifndef ATELIER_OCCT_TRIANGULATE_H_
#define ATELIER_OCCT_TRIANGULATE_H_

#include <IMeshTools_MeshAlgoType.hxx>
#include <chrono>
#include <vector>

#include "surface.h"

namespace atelier {

using Clock = std::chrono::steady_clock;

// Plan is a deflection (mm), an angle (rad) and an algorithm to mesh with.
struct Plan {
  double linear = 0, angular = 0;
  IMeshTools_MeshAlgoType algorithm = IMeshTools_MeshAlgoType_Watson;
};

// Piece is the mesh of one body, and what it was made with.
struct Piece {
  Surface surface;               // file unit
  std::vector<int> empty_faces;  // ids of faces that got no triangle
  Edges edges;
  double volume = 0, area = 0;
  double deviation = 0;  // largest distance of the triangles to their faces, file unit
  Plan plan;
};

// Group is what is meshed at once: bodies that have faces in common, as touching bodies
// or as instances of one shape. Their faces are meshed once, and so fit each other.
struct Group {
  std::vector<size_t> bodies;  // indices into Part::bodies
  size_t faces = 0;
};

std::vector<Group> GroupsOf(const Part& part);

// Triangulate meshes a group anew; false where the time was over before the end: then the
// shape's triangles are of no use.
bool Triangulate(const Part& part, const Group& group, const Plan& plan, Clock::time_point end);

// Collected is the body's mesh as the shape has it now.
Piece Collected(const Part& part, const Body& body, const Plan& plan);

}  // namespace atelier

#endif  // ATELIER_OCCT_TRIANGULATE_H_
