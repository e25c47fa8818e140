// Exact figures of the shape, from its surfaces and not from triangles.
#ifndef ATELIER_OCCT_MEASURE_H_
#define ATELIER_OCCT_MEASURE_H_

#include "part.h"

namespace atelier {

// Fills in, in the file's unit: area, centroid, kind, normal, axis and radius of
// every face; volume, area, shells and closed shells of every body (and whether
// it was inside out); and whether the shape is valid by BRepCheck.
void Measure(Part& part);

}  // namespace atelier

#endif  // ATELIER_OCCT_MEASURE_H_
