// How far the triangles lie from the exact surfaces.
#ifndef ATELIER_OCCT_DEVIATION_H_
#define ATELIER_OCCT_DEVIATION_H_

#include "part.h"

namespace atelier {

// The largest distance, in mm, from the plane of a triangle to the surface above
// its centre and above the middle of its sides; of large meshes an even sample of
// 200,000 triangles is taken.
double MaxChordDeviation(const Part& part, const Body& body);

}  // namespace atelier

#endif  // ATELIER_OCCT_DEVIATION_H_
