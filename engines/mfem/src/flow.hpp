// The state of a flow problem, shared by its solution and its report.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "flow_operators.hpp"
#include "probes.hpp"
#include "solver_class.hpp"
#include "vtu_writer.hpp"

namespace atelier {

constexpr int kFewSteps = 4;               // fewer cannot be held against longer ones
constexpr double kPicardTolerance = 5e-3;  // change of the convecting velocity, relative

struct Flow {
  Domain& domain;
  const Config& config;
  int dim;
  double viscosity = 0, density = 0, dt = 0, t_final = 0, tolerance = 1e-7;
  int steps = 0, interval = 1, max_iterations = 240;
  bool stop_when_steady = false;
  std::vector<double> force;
  std::vector<Region> regions;
  std::unique_ptr<FlowSpaces> spaces;
  std::unique_ptr<Constraints> nodes;  // by velocity node: all components are prescribed
  Values boundary;                     // prescribed velocities by unknown
  Values load, u, before, p;
  Values hydrostatic;  // what balances the body force, Pa, by pressure node: p is without it
  int iterations = 0, done = 0;
  double time = 0, rate = 0, residual = 0;
  double nonlinear = 0;  // change of the last linearisation of the last step
  bool steady = false;
  std::optional<double> time_error;  // of the velocity, relative
  Answer answer;

  Flow(Domain& d, const Config& c) : domain(d), config(c), dim(d.Dimension()) {}
};

// at: the node, if it is asked for.
double LargestSpeed(const Flow& f, int* at);

// What every halving of the mesh adds to the mean pressure of the inlets, Pa: where a
// uniform inlet meets a wall, the velocity jumps and the pressure has no bound.
double PressureOfRims(const Flow& f);

// The velocity, m/s, that a wall has; 0 where none is given.
std::vector<double> WallVelocity(const Region& wall, int dim);
bool HasUniformProfile(const Region& inlet);

// Fills the answer: figures, balances, checks and the summary.
void ReportFlow(Flow& f, const Probes& probes, VtuWriter& writer);

}  // namespace atelier
