// Flat faces of a mesh that look like the facets of a round surface.
#pragma once

#include "domain.hpp"

namespace atelier {

struct Facets {
  int count = 0;       // flat faces of elements in one plane count once
  double turn = 0;     // the largest angle between neighbours, radians
  double sagitta = 0;  // how far the round surface would be from them, at most, m
  double volume = 0;   // what lies between, m^3 (m^2 in 2-D)
};

// Neighbours that meet at small angles one after the other are the facets of a round
// surface; elements that are curved have none.
Facets RoundFacets(mfem::Mesh& mesh);

// What lies between the curved faces of a mesh and the round surface that they follow, m^3
// (m^2 in 2-D), about; 0 of straight elements.
double CurvedShortfall(mfem::Mesh& mesh);

}  // namespace atelier
