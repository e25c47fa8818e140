// Bolts under preload (VDI 2230): each is too short for the room between head and nut by a
// strain along its axis, with which it carries its preload while nothing else loads the joint.
// The loads of service then act with these strains held.
#pragma once

#include "box_tree.hpp"
#include "config.hpp"
#include "initial_strain.hpp"

namespace atelier {

struct Elasticity;

struct Bolt {
  Config config;
  int body = 0;        // element attribute
  double preload = 0;  // N, of the whole bolt
  double share = 1;    // of its cross-section that is in the mesh, where planes of symmetry cut it
  Point3 axis{};       // unit
  bool given = false;  // the axis is the caller's
  std::vector<int> elements;
  double length = 0, volume = 0;  // of the shank in the mesh: m along the axis, m^3
  double young = 0, yield = 0;    // Pa; a yield strength of 0: not known
  double aside = 0;               // share of its faces to other bodies that do not lie at its ends
  double strain = 0;              // by which it is too short, once tightened
  double load_factor = 0;         // by the stiffnesses of bolt and joint

  explicit Bolt(const Config& c) : config(c) {}
  // Cross-section of the whole bolt, m^2.
  double Area() const { return volume / (length * share); }
};

// The joint after tightening, before the loads of service.
struct Tightened {
  Values u;                  // displacements, m
  InitialStrain of_service;  // initial strains that come later, as of a temperature
  std::vector<Values> unit;  // by bolt: displacements while it alone is too short, by a strain of 1
};

// Reads bolts [{body, preload, axis?, share?}].
std::vector<Bolt> ReadBolts(const Elasticity& p);

// The force along the axis of a whole bolt, N, while the part is displaced by u: the integral of
// the axial stress over the shank, divided by its length, which is the force in every section where
// nothing but its ends loads the shank. It is the work of the stresses in shortening the bolt, so
// that its error is the product of two errors in the energy norm.
double AxialForce(const Elasticity& p, const Bolt& bolt, const Values& u,
                  const InitialStrain& initial);
// A strain of this size by which a bolt is too short.
InitialStrain Shortened(const Elasticity& p, const Bolt& bolt, double strain);

// Finds the strains with which every bolt carries its preload, and adds them to the problem's
// initial strains. Returns what was added.
InitialStrain Tighten(Elasticity& p);

// The bolts' part of the report of a solved problem.
void ReportBolts(Elasticity& p);

// States whether what the bolts press together stays so under the loads.
void CheckJoints(Elasticity& p);

// Area of a face times its normal.
Point3 AreaVector(const mfem::Mesh& mesh, int face);

}  // namespace atelier
