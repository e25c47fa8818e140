// Fluxes -k grad u recovered at the nodes, with the Zienkiewicz-Zhu estimate.
#pragma once

#include <utility>
#include <vector>

#include "assembly.hpp"

namespace atelier {

struct FluxField {
  Values flux;           // [node * dimension + k], averaged over the adjoining elements
  Values element_error;  // sqrt of int (q* - q).(q* - q) / k, by element
  double error = 0;      // its 2-norm
  double energy = 0;     // int k grad u . grad u, which a constant added to u leaves as it is
};

FluxField RecoverFlux(const NodalSpace& space, const Values& u, const Values& conductivity);
// The same with a conductivity by point. material: number of that of each element; a flux is
// averaged over those of one alone, since its part along an interface jumps there, and at an
// interface that of the material with the largest one is told.
FluxField RecoverFlux(const NodalSpace& space, const Values& u,
                      const PointCoefficient& conductivity, const std::vector<int>& material);

// Averaging finds less than the true error on order 2 (measured effectivity 0.58);
// on order 1 it is right.
double EstimatorFactor(int order);

// The value and d/dx, out[dimension], of a field at a point of an element.
double ValueAt(const LocalShapes& s, int q, const Values& u);
void GradientAt(int dim, const LocalShapes& s, int q, const Values& u, double* out);

// int u over the domain.
double Integral(const NodalSpace& space, const Values& u);

// An extreme of a field, which order 2 may have inside an element.
struct FieldExtreme {
  double value = 0;
  int node = -1;                                // that it lies at; -1 inside an element
  std::vector<double> at;                       // m
  std::vector<std::pair<int, double>> weights;  // of the nodes whose values give it
};

// The extreme among the nodes alone.
FieldExtreme NodalExtreme(const NodalSpace& space, const Values& field, bool top);

// The extreme of the field with what it does between the nodes.
FieldExtreme ExtremeOf(const NodalSpace& space, const Values& field, bool top);

// The longest vector of a field that has one at each node; on order 1 that of a node.
FieldExtreme LongestOf(const NodalSpace& space, const Values& field);
// By how much a wave of which the elements hold some nodes may rise above its longest vector at
// them, which is of this node: what the elements do between nodes, and what their shapes miss.
double AboveNode(const NodalSpace& space, const Values& field, int node);

}  // namespace atelier
