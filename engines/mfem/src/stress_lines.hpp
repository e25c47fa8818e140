// Stresses along straight lines through a wall, linearised to membrane and bending.
#pragma once

#include <string>
#include <vector>

#include "probes.hpp"

namespace atelier {

struct Elasticity;

class StressLines {
 public:
  // config.stress_lines: pairs of ends in the mesh's own unit. A line that leaves the mesh is an
  // error.
  StressLines(const Domain& domain, const Config& config);
  // States the linearised stresses of each and writes the stresses along them, once p is solved.
  void State(Elasticity& p) const;

 private:
  struct Line {
    std::vector<double> from, to;  // metres
    Probes samples;                // evenly from end to end
  };
  std::vector<Line> lines_;
};

}  // namespace atelier
