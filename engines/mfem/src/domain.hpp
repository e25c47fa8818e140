// The part to be solved: its mesh in metres, checked, with names and units.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config.hpp"
#include "mesh_reader.hpp"

namespace atelier {

struct Domain {
  std::unique_ptr<mfem::Mesh> mesh;  // coordinates in metres
  std::string length_unit;           // of the file: m, mm, cm, um, in, ft, km
  double metres_per_unit = 1;
  std::map<std::string, std::vector<int>> face_names;
  bool affine_simplices = false;        // only straight segments, triangles or tetrahedra
  std::array<double, 3> low{}, high{};  // bounding box, metres
  bool refined = false;  // a second solve, whose figures alone are wanted: no files, no error bars
  Warnings warnings;

  int Dimension() const { return mesh->Dimension(); }
  double Diagonal() const;
};

// Reads request.mesh {path, length_unit?, origin?}, scales to metres and checks the elements.
// A refined one has every element split in 2^dimension.
Domain LoadDomain(const Config& mesh, bool refined = false);

// Volume (m^3; area in 2-D), the area of every boundary attribute, and the faces that
// look like the facets of a round surface, in metres.
Json MeasureShape(Domain& domain);

// Metres per unit; throws Error for an unknown unit.
double MetresPerUnit(const std::string& unit);

}  // namespace atelier
