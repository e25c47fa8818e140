// Figures of an answer by JSON pointers into its output.
#pragma once

#include <string>

#include "config.hpp"

namespace atelier {

// What a pointer to no number of the output lacks, and what to ask for instead.
std::string WhyNoFigure(const Json& output, const Config& config, const std::string& pointer);

// The largest figure of the kind of one, which may vanish; 0 of a kind without such.
double LargestLike(const Json& output, const std::string& pointer);

}  // namespace atelier
