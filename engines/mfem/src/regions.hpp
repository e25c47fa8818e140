// Boundary conditions and the faces that each of them holds.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "domain.hpp"

namespace atelier {

constexpr int kMostRegions = 12;  // conditions that an answer of the server describes

// One boundary condition with the boundary elements that it selects.
struct Region {
  Config config;
  std::string type;              // fixed, load, inlet ...
  std::string name;              // how the caller named the place, for reports
  int index = 0;                 // position in bcs
  std::vector<int> faces;        // boundary element numbers
  double area = 0;               // m^2; length (m) in 2-D, but of a body of revolution m^2
  std::vector<double> centroid;  // m

  // Where it stands in the configuration, such as bcs/2.
  std::string Label() const;
};

// Geometry of the boundary elements, computed once.
struct BoundaryGeometry {
  std::vector<double> area;                         // by boundary element
  std::vector<std::vector<double>> centre, normal;  // normal points outward, unit length
};
// axisymmetric: areas and centres are those of the faces of a body of revolution, by their section.
BoundaryGeometry MeasureBoundary(mfem::Mesh& mesh, bool axisymmetric = false);

// Reads config.bcs. Each condition names its faces by attribute / attr (a number
// or a list), face (a name or a list) or where {plane | box | normal}. Throws
// ERR_UNKNOWN_ATTRIBUTE, ERR_SELECTION_EMPTY, invalid_input. An absent type of a
// contract's list is refused.
std::vector<Region> ReadRegions(const Domain& domain, const Config& config,
                                const std::vector<std::string>& types);

// That the mesh has no such element attribute, and which it has.
Error UnknownElementAttribute(const Domain& domain, int attribute);

// The region of a place alone, which is no condition of bcs.
Region ReadPlace(const Domain& domain, const Config& place, const std::string& type, int index);

// The region of the boundary attributes that a field of the configuration lists, a
// condition of this type beside those of bcs and without fields of its own.
Region AttributeRegion(const Domain& domain, const Config& config, const std::string& field,
                       const std::string& type, int index);

// Refuses two conditions of the given types (sets `exclusive[i]`) on one face:
// each set lists types of which a face may carry only one; loads, pressures, fluxes
// and films of one kind add.
void RefuseOverlaps(const std::vector<Region>& regions,
                    const std::vector<std::vector<std::string>>& exclusive);

// What conditions prescribe at unknowns. Two values that disagree at a common node
// jump there, which gives the exact solution an infinite energy.
class Prescribed {
 public:
  void Add(const Region& region, size_t unknown, double value);
  // Which two conditions disagree first, and by what; "" for none.
  const std::string& Conflict() const { return conflict_; }

 private:
  std::unordered_map<size_t, std::pair<std::string, double>> given_;
  std::string conflict_;
};

// {"bc","type","place","faces","area","centroid"} for the report.
Json DescribeRegion(const Region& region);

// The mesh's attributes with faces and area, for hints.
Json DescribeAttributes(const Domain& domain);

}  // namespace atelier
