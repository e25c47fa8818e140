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
  std::vector<int> empty_faces;                          // ids of faces that got no triangle
  double linear_deflection = 0, angular_deflection = 0;  // as used; file unit, radians
  double max_chord_deviation = 0;                        // measured, file unit
  int attempts = 1;

  bool watertight() const;
  double volume() const;
  double area() const;
};

// Tessellate meshes the part. Without options it starts from a deflection of
// 0.001 of the bounding box's diagonal and 0.2 rad, and refines until the mesh's
// volume is within 0.5 % of the exact one. A body that is closed in the exact
// shape but not in the mesh is tried again, finer and then healed. Part::bodies
// must have been measured. Throws ERR_TESSELLATION_FAILED when no face gets a
// triangle.
Mesh Tessellate(Part& part, const MeshOptions& options);

}  // namespace atelier

#endif  // ATELIER_OCCT_TESSELLATE_H_
