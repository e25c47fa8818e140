// Joins the triangulations of a body's faces into one indexed surface.
#ifndef ATELIER_OCCT_WELD_H_
#define ATELIER_OCCT_WELD_H_

#include <vector>

#include "surface.h"

namespace atelier {

// Appends the triangles of one body, as BRepMesh left them on its faces, to the
// surface, in millimetres. Faces share the vertices of the edge between them by
// the edge's own discretisation, not by distance: two nodes become one vertex
// only because the exact shape says that they are the same point of the same
// edge. Triangles that collapse thereby are dropped. Returns the ids of the faces
// without triangles.
std::vector<int> AppendBody(const Part& part, const Body& body, Surface& out);

}  // namespace atelier

#endif  // ATELIER_OCCT_WELD_H_
