// The rigid motions that nothing stops, as an engineer names them.
#pragma once

#include <string>
#include <vector>

#include "protocol.hpp"
#include "spatial.hpp"

namespace atelier {

// A translation along a direction, or a turn about an axis along it, during which the part may
// move along the axis, as a screw does.
struct FreeMotion {
  bool turns;
  Vector3 direction;  // of length 1
  Vector3 through;    // a point of the axis, m
  double pitch = 0;   // m per radian
  int dim;

  std::string Name() const;
  // {name, kind, direction, through?, pitch?}
  Json Details() const;
};

// Names the motions that are combinations of the columns of base: translations, then turns about
// the centre, of places over scale.
std::vector<FreeMotion> NameMotions(const Eigen::MatrixXd& base, int dim, const Vector3& centre,
                                    double scale);

}  // namespace atelier
