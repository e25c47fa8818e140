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
  double measure = 0;                   // volume (m^3), or area (m^2) in 2-D
  Warnings warnings;

  int Dimension() const { return mesh->Dimension(); }
  double Diagonal() const;
};

// Reads request.mesh {path, length_unit?}, scales to metres and checks the elements.
Domain LoadDomain(const Config& mesh);

// Metres per unit; throws Error for an unknown unit.
double MetresPerUnit(const std::string& unit);

}  // namespace atelier
