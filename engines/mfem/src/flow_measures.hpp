// Figures of a flow that evidence and reports need.
#pragma once

#include "flow_operators.hpp"

namespace atelier {

// Pressure on the velocity's nodes, for output: linear between the vertices.
Values PressureEverywhere(const FlowSpaces& spaces, const Values& p);
// int rho |u|^2 / 2, J.
double KineticEnergy(const NodalSpace& space, const Values& u, double density);
// Largest rho |u| h / mu over the elements, h half of their size: wiggles
// threaten far above 1.
double CellReynolds(const NodalSpace& space, const Values& u, double density, double viscosity);
// Error of the velocity gradient, relative: of all elements, and without the worst 2 %.
struct GradientErrors {
  double all = 0, bulk = 0;
};

// Zienkiewicz-Zhu on every component.
GradientErrors GradientError(const NodalSpace& space, const Values& u);

}  // namespace atelier
