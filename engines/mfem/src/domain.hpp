// The part to be solved: its mesh in metres, checked, with names and units.
#pragma once

#include <array>
#include <functional>
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
  int unlisted = 0;  // attribute of the faces that the file's boundary lacks; 0 where it has all
  bool affine_simplices = false;        // only straight segments, triangles or tetrahedra
  std::array<double, 3> low{}, high{};  // bounding box, metres
  bool refined = false;  // a second solve, whose figures alone are wanted: no files, no error bars
  // The mesh is half the section of a body of revolution about y: integrals are over all of it.
  bool axisymmetric = false;
  std::string goal;  // JSON pointer of the figure that the mesh is refined for
  Warnings warnings;
  // Of a mesh that was refined: the domain as it was read, and which of its boundary
  // elements each one is part of.
  std::shared_ptr<const Domain> read;
  std::vector<int> origin;

  int Dimension() const { return mesh->Dimension(); }
  double Diagonal() const;
  // Whether a figure gets an error bar of its own.
  bool Estimates(const std::string& figure) const { return !refined || IsGoal(figure); }
  bool IsGoal(const std::string& figure) const { return !goal.empty() && figure == goal; }
  // The same part on a mesh of which some elements were split.
  Domain Refined(const std::function<void(mfem::Mesh&)>& split) const;
};

// Reads request.mesh {path, length_unit?, origin?}, scales to metres and checks the elements.
Domain LoadDomain(const Config& mesh);

// Volume (m^3; area in 2-D), the area of every boundary attribute, and the faces that
// look like the facets of a round surface, in metres.
Json MeasureShape(Domain& domain);

// Metres per unit; throws Error for an unknown unit.
double MetresPerUnit(const std::string& unit);

}  // namespace atelier
