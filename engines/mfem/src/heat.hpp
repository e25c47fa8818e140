// The state of a heat problem, shared by its solution and its report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "gradient.hpp"
#include "heat_material.hpp"
#include "material.hpp"
#include "probes.hpp"
#include "solver_class.hpp"
#include "spd_solver.hpp"
#include "vtu_writer.hpp"

namespace atelier {

constexpr int kFewTimeSteps = 4;  // fewer cannot be held against longer ones

struct Range {
  double low, high;
};
Range RangeOf(const Values& v);

// What faces exchange with their surroundings, node by node (NodalAreas): a film gives
// h (ambient - T), radiation emissivity sigma (ambient^4 - T^4).
struct Exchange {
  bool radiates = false;
  Values weight;       // W/K of a film, W/K^4 of radiation
  double ambient = 0;  // K

  double Into(int node, double t) const;   // W
  double Slope(int node, double t) const;  // by how much less per kelvin, W/K
};
bool IsExchange(const Region& r);
Exchange MakeExchange(const NodalSpace& space, const Region& r);

// The nonlinear equations of all steps.
struct NewtonReport {
  int iterations = 0;   // linear systems that were solved
  double residual = 0;  // the largest that was left of one, over the heat that flows
};

struct Heat {
  Domain& domain;
  const Config& config;
  NodalSpace space;
  Constraints fixed;  // rates: the value is 0, the temperatures stand in `held`
  Values held;
  std::vector<Region> regions;
  std::vector<std::set<int>> nodes;
  bool steady = false;
  HeatMaterials materials;
  bool nonlinear = false;  // properties change with temperature, or a face radiates
  double initial = 0, dt = 0, t_final = 0;
  int steps = 0, interval = 10;
  SolveOptions options;
  // Where no material changes with temperature: of the heat stored, J/K, and of conduction, W/K.
  BlockCsr mass, conduction;
  Values load;                        // of sources and fluxes, W per node
  double supply = 0, given = 0;       // all that sources and fluxes bring, W
  std::map<int, Exchange> exchanges;  // by the region's index
  std::vector<Range> temperatures;    // that the elements of each material had, K
  NewtonReport newton;
  SolveReport solved;  // of all systems
  // By how much longer steps change the last state, K by node; empty where it is steady
  // or has too few steps.
  Values time_change;
  Answer answer;
  std::string folder;  // of the field files
  // Whether its temperatures strain a part, with which the mesh is checked.
  bool of_part = false;

  Heat(Domain& d, const Config& c, int order, std::string files)
      : domain(d),
        config(c),
        space(*d.mesh, order, d.axisymmetric),
        fixed(space.Nodes()),
        held(space.Nodes(), 0.0),
        folder(std::move(files)) {}
};

// Solves the problem and fills its answer. Returns the temperatures at the end, K by node.
Values SolveHeat(Heat& p);

// Heat that went in since the start, J.
struct HeatIn {
  double source = 0, boundary_flux = 0, convection = 0, radiation = 0, fixed = 0;
  // All that came in, wherever: it may all leave elsewhere, so that the total is 0 and
  // no measure of the exchange.
  double passing = 0;
  double Total() const { return source + boundary_flux + convection + radiation + fixed; }
};

// The flows of heat at the nodes, W.
struct NodalFlows {
  Values conducted;  // away through the elements
  Values lost;       // of that, what loads and exchanges do not bring
};
// content: takes what ContentAt finds, at hardly more cost.
NodalFlows FlowsAt(const Heat& p, const Values& t, Values* content = nullptr);
// The heat that the nodes hold, J.
Values ContentAt(const Heat& p, const Values& t);
// content d(content)/dT + flow d(lost)/dT, without the part that changes of the conductivity
// make, on this space: its nodes are the first of p.space.
BlockCsr HeatTangent(const Heat& p, const NodalSpace& space, std::shared_ptr<const NodeGraph> graph,
                     const Values& t, double content, double flow);
// a += flow times that part: int dk/dT v grad T . grad w, which is not symmetric.
void AddConductivityTangent(const Heat& p, const Values& t, double flow, BlockCsr& a);
// Takes note of the temperatures of each material.
void Watch(Heat& p, const Values& t);
// Conductivity at a point, at the temperatures t.
PointCoefficient ConductivityAt(const Heat& p, const Values& t);
FluxField FluxAt(const Heat& p, const Values& t);
// Which nodes share an element.
std::shared_ptr<const NodeGraph> GraphOf(const Heat& p);

// How the last state changes on longer steps.
struct TimeError {
  double relative = 0;  // the error over the range of temperature, by Richardson
  Values change;        // by node, K
  double largest = 0;   // K
  double stored = 0;    // of the heat stored, J
};

// A solved state with what the report needs beside it.
struct HeatState {
  const Values& t;
  const Values& storing;  // by the nodes at the end, W; 0 when steady
  double stored;          // J
  const FluxField& flux;
  const HeatIn& in;
  // None where too few steps were made to compare, or the state is steady.
  std::optional<TimeError> time_error;
  // Solves the steady problem for the load r, with 0 where a temperature is held;
  // absent in a transient.
  std::function<Values(const Values& r)> dual;
};

void WriteHeatState(Heat& p, VtuWriter& writer, double time, const Values& t,
                    const FluxField& flux);
// Fills the answer: figures, balances, checks and the summary.
void ReportHeat(Heat& p, const Probes& probes, VtuWriter& writer, const HeatState& state);

}  // namespace atelier
