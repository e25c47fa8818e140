// The state of a heat problem, shared by its solution and its report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "material.hpp"
#include "probes.hpp"
#include "solver_class.hpp"
#include "spd_solver.hpp"
#include "vtu_writer.hpp"

namespace atelier {

constexpr int kFewTimeSteps = 4;  // fewer cannot be held against longer ones

struct Heat {
  Domain& domain;
  const Config& config;
  NodalSpace space;
  Constraints fixed;  // rates: the value is 0, the temperatures stand in `held`
  Values held;
  std::vector<Region> regions;
  std::vector<std::set<int>> nodes;
  Prescribed prescribed;
  bool steady = false;
  double conductivity = 0, capacity = 0, initial = 0, dt = 0, t_final = 0, source = 0;
  int steps = 0, interval = 10;
  SolveOptions options;
  BlockCsr mass, stiffness;  // stiffness holds conduction and convection
  Values load;               // W per node
  // Of every film, by the region's index, its h times the area of each node, W/K, and the
  // temperature beyond it.
  std::map<int, std::pair<Values, double>> films;
  SolveReport solved;  // of all systems
  Answer answer;

  Heat(Domain& d, const Config& c)
      : domain(d),
        config(c),
        space(*d.mesh, c.Integer("order", 2, 1, 2)),
        fixed(space.Nodes()),
        held(space.Nodes(), 0.0) {}
};

// Heat that went in since the start, J.
struct HeatIn {
  double source = 0, boundary_flux = 0, convection = 0, fixed = 0;
  // All that came in, wherever: it may all leave elsewhere, so that the total is 0 and
  // no measure of the exchange.
  double passing = 0;
  double Total() const { return source + boundary_flux + convection + fixed; }
};

struct Range {
  double low, high;
};
Range RangeOf(const Values& v);

// How the last state changes on steps twice as long.
struct TimeError {
  double relative = 0;  // the error over the range of temperature, by Richardson
  Values change;        // by node, K
  double largest = 0;   // K
  double stored = 0;    // change of the heat stored, J
};

// A solved state with what the report needs beside it.
struct HeatState {
  const Values& t;
  const Values& rate;  // K/s at the end; 0 when steady
  double stored;       // J
  const HeatIn& in;
  // None where too few steps were made to compare, or the state is steady.
  std::optional<TimeError> time_error;
  // Solves the steady problem for the load r, with 0 where a temperature is held;
  // absent in a transient.
  std::function<Values(const Values& r)> dual;
};

void WriteHeatState(Heat& p, VtuWriter& writer, double time, const Values& t);
// Fills the answer: figures, balances, checks and the summary.
void ReportHeat(Heat& p, const Probes& probes, VtuWriter& writer, const HeatState& state);

}  // namespace atelier
