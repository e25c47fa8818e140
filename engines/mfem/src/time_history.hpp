// The size of loads as a function of time.
#pragma once

#include "config.hpp"

namespace atelier {

// Factor of the loads: linear between points, and constant beyond the last. The times rise from
// 0, in s; two points of one time are a jump.
struct TimeHistory {
  // From `start` to the next piece the factor is value + slope (t - start).
  struct Piece {
    double start, value, slope;  // s, 1, 1/s
  };
  std::vector<Piece> pieces;
  double before = 0;   // the factor before time 0
  double largest = 0;  // in size
  double last = 0;     // when it changes for the last time, s
  std::string shape;   // step, half_sine or table

  // The piece that holds at t: at a jump the one before it; -1 up to time 0.
  int PieceAt(double t) const;
  double Factor(double t) const;
};

// config.history; `from_static`: the factor before time 0 is the first one, else 0.
TimeHistory ReadHistory(const Config& config, bool from_static);

}  // namespace atelier
