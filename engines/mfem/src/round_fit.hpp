// The cylinder (in 2-D the circle) or sphere that points and normals of a face lie on.
#pragma once

#include <vector>

#include "spatial.hpp"

namespace atelier {

struct RoundFit {
  Vector3 axis = Vector3::Zero();  // of length 1; 0 of a sphere
  Vector3 through = Vector3::Zero();
  double radius = 0;
  double deviation = 0;  // the largest distance of a point, m
  double depth = 0;      // of the arc, m
  // The largest angle between a normal and the radius at a corner, rad, and that of them across
  // the axis.
  double tilt = 0, across = 0;

  // From the axis or centre to a place.
  Vector3 Radius(const Vector3& place) const {
    const Vector3 v = place - through;
    return v - axis.dot(v) * axis;
  }
  // Whether the points lie on it and the facets are those of a round face.
  bool Fits() const;
};

// Corners of facets with the facets' normals, and the facets' areas.
struct FacetCorners {
  std::vector<Vector3> place, normal;
  std::vector<double> weight;  // a share of the area
};

// By least squares. A circle in the plane has its axis along z.
RoundFit FitCylinder(const FacetCorners& corners, int dim);
RoundFit FitSphere(const FacetCorners& corners);
// Takes another axis in place of its own.
RoundFit WithAxis(const RoundFit& of, const RoundFit& fit, const FacetCorners& corners);

}  // namespace atelier
