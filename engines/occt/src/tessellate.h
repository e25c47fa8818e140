// Turns the exact shape into triangles that share their vertices along edges.
#ifndef ATELIER_OCCT_TESSELLATE_H_
#define ATELIER_OCCT_TESSELLATE_H_

#include <vector>

#include "surface.h"

namespace atelier {

// What the caller asks for; lengths in the file's unit, 0 for "choose".
struct MeshOptions {
  double linear_deflection = 0;
  double linear_mm = 0;           // the same in millimetres, where it was given with a unit
  double angular_deflection = 0;  // radians
  int64_t max_triangles = 0;
  double seconds = 0;  // until there must be a mesh
};

// The triangles of one body: Mesh::surface.triangles[first … last-1].
struct BodyMesh {
  size_t first = 0, last = 0;
  double volume = 0, area = 0;
  Edges edges;
};

struct Mesh {
  Surface surface;  // file unit
  std::vector<BodyMesh> bodies;
  std::vector<int> empty_faces;  // ids of faces that got no triangle
  // The coarsest that was used for a body; file unit, radians.
  double linear_deflection = 0, angular_deflection = 0;
  double max_chord_deviation = 0;  // measured, file unit
  int attempts = 1;

  bool watertight() const;
  double volume() const;
  double area() const;
};

// Tessellate meshes the part, every body by itself. Without options it starts from a
// deflection of 0.001 of the bounding box's diagonal and 0.2 rad, and refines a body until
// its volume is within 0.5 % of the exact one. A body that is closed in the exact shape but
// not in the mesh is tried again, with another algorithm, finer and then healed. A body that
// is not done in its share of the time is meshed coarser, and said. Part::bodies must have
// been measured. Throws ERR_TESSELLATION_FAILED when no face gets a triangle.
Mesh Tessellate(Part& part, const MeshOptions& options);

}  // namespace atelier

#endif  // ATELIER_OCCT_TESSELLATE_H_
