// Field output for ParaView and VTK: compressed VTU files in a PVD collection.
// Nodes are shared between cells, and order-2 fields are written as quadratic
// cells, so that mid-edge values show and surfaces stay smooth.
#pragma once

#include <string>
#include <vector>

#include "nodal_space.hpp"
#include "protocol.hpp"

namespace atelier {

struct PointField {
  std::string name, unit;
  int components = 1;  // 1, 2 or 3 (vectors are padded to 3), 6 (symmetric tensor)
  const std::vector<double>* values = nullptr;  // [node * components + c]
};

struct CellField {
  std::string name, unit;
  const std::vector<double>* values = nullptr;  // by element
};

class VtuWriter {
 public:
  // Files go to <folder>/<folder>.pvd and <folder>/<folder>_NNNNNN.vtu below
  // the working folder.
  VtuWriter(const NodalSpace& space, std::string folder);

  // The time stands in the collection alone: MFEM's reader, by which a state can be
  // the mesh of another solve, refuses field data beside the piece.
  void Write(double time, const std::vector<PointField>& points,
             const std::vector<CellField>& cells);
  const std::string& Collection() const { return collection_; }
  // The protocol's artifact: the collection with its files.
  Json Artifact() const;
  // {name, location, components, unit, min, max} of every field of the last
  // state; of a vector or tensor the range of its magnitude.
  const Json& Fields() const { return fields_; }
  int States() const { return static_cast<int>(files_.size()); }

 private:
  void WriteCollection() const;
  void MakeCells();

  const NodalSpace* space_;
  std::string folder_, collection_;
  std::vector<std::string> files_;
  std::vector<double> times_;
  std::vector<long long> connectivity_, offsets_;
  std::vector<unsigned char> types_;
  Json fields_ = Json::array();
};

}  // namespace atelier
