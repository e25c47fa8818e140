// Solutions of the same problem on finer meshes, against which figures are held: of
// elements of half the size, of smaller ones around a stress peak, and of meshes that are
// refined where they err until a figure is as exact as was asked.
#pragma once

#include "solver_class.hpp"

namespace atelier {

// Seconds of a clock that only rises.
double Seconds();
// Threads cost more than they gain on small meshes, most of all on a busy machine.
void ChooseThreads(const Domain& domain);
// Figures that are not finite must never pass as a result. Throws ERR_SOLVER_FAILED.
void RequireFinite(const Json& value, const std::string& where);

// What one run solves, and since when.
struct Task {
  const Json& request;  // refine: {most_unknowns, peak_unknowns?, seconds}, the time for all
  const SolverClass& solver;
  double start;
};

// The figures on a mesh whose elements are split in 2^dimension, {output}, or why there
// are none, {left_out}.
Json SolveHalved(const Task& task, const Answer& coarse, const Domain& domain);

// The peak stress on meshes whose elements are halved around it, once and again:
// {values, error}, the first value that of `coarse` and error its own, or {left_out}.
// null where the class has no peak, or its cause shows that it has no bound.
Json SolvePeak(const Task& task, const Answer& coarse, const Domain& domain);

// config.accuracy {quantity, target, max_unknowns?}: refines the domain's mesh where the
// solution errs until the error bar of the figure is at most target times its value.
// {quantity, target, reached, reason, error, steps: [{unknowns, value}]}; throws Error where
// the figure does not exist or the mesh cannot be refined.
Json RefineToAccuracy(const Task& task, Domain& domain);

// Error of the last of a figure's values on finer and finer meshes: the rest of a geometric
// series, whose ratio is that of the last two changes, with a safety factor. Infinite for
// fewer than three.
double SeriesError(const Values& values);

// The same where an estimate of each value's error is known up to a factor: what is left of the
// last two changes as the estimate falls to 0 (Richardson's extrapolation, with its ratio as the
// step), with a safety factor. Beside a corner the changes of a mesh that is refined locally fall
// unevenly, and their ratio tells too little.
double ErrorByEstimates(const Values& values, const Values& estimates);

// Elements to be split: those of the largest errors, that make `bulk` of the sum of the
// squares (Doerfler, SIAM J. Numer. Anal. 33, 1996) but at most `share` of all, and, where
// peaks are told, those near the largest peak.
std::vector<int> ToSplit(const ByElement& by, double bulk, double share, bool peaks);

}  // namespace atelier
