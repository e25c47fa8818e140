// Supports along any direction: planes across no axis, round faces, cylinders.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "block_csr.hpp"
#include "regions.hpp"
#include "spatial.hpp"

namespace atelier {

struct Elasticity;

// A direction in which a condition holds a node.
struct HeldAlong {
  Vector3 direction;  // of length 1
  double doubt;       // by what angle it may be off, rad
};

// How a condition holds its faces, where that is along directions of their own.
struct Slant {
  std::string type;  // symmetry, frictionless or cylindrical
  bool radial = true, tangential = false, axial = false;
  bool flat = true;  // planes alone: nodes keep to them as they slide
  double turn = 0;   // between neighbouring facets, where normals are means, rad
  std::map<int, std::vector<HeldAlong>> along;  // by node
  // Whether the normal alone is held, as by a plane of symmetry.
  bool Normal() const { return radial && !tangential && !axial; }
  // How many directions are held at a place of the face.
  int Count(int dim) const { return radial + tangential + (dim == 3 && axial); }
};

// A node that such a condition holds: all its conditions share the force on it among
// independent directions.
struct SharedNode {
  int node;
  std::vector<int> region;
  std::vector<Vector3> direction;
  std::vector<double> value;  // the displacement along it, m

  // What the directions of a region bear of a force that they all bear together.
  Matrix3 ShareOf(int of) const;
};

struct Supports {
  std::map<int, Slant> slants;      // by condition
  std::map<int, SharedNode> nodes;  // by node

  const Slant* Of(const Region& r) const {
    const auto found = slants.find(r.index);
    return found == slants.end() ? nullptr : &found->second;
  }
};

// Makes a condition along the normal or a cylinder's directions a fixed one: with components where
// its faces lie across an axis, else with a slant whose directions are found later.
void ReadSlant(Elasticity& p, const BoundaryGeometry& geometry, Region& r);
// Finds the directions in which slanted conditions hold each node.
void FindDirections(Elasticity& p);
// Holds the nodes of slanted conditions along all directions of their conditions; the words of
// the first contradiction between prescribed values, "" for none.
std::string HoldSlanted(Elasticity& p);

// Which condition bears each unknown, -1 for none and at nodes that are shared.
std::vector<int> Owners(const Elasticity& p);
// What a condition bears of the forces on supports.
Values BorneBy(const Elasticity& p, const std::vector<int>& owners, const Region& r,
               const Values& forces);
// The displacements of the supports that the component of its force does work with.
Values DualOfForce(const Elasticity& p, const std::vector<int>& owners, const Region& r,
                   int component);
// In which components it may bear a force.
std::vector<int> ForceComponents(const Elasticity& p, const Region& r);
// Refuses supports whose nodes would leave a round face as they slide far.
void RefuseFarSliding(const Elasticity& p);
// Refuses a field of the configuration where supports move nodes that are held along directions
// that are no axes, which CalculiX is not told.
void RefuseMovedSlants(const Elasticity& p, const std::string& field, const std::string& what);

}  // namespace atelier
