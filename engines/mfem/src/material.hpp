// Elastic materials by element attribute, body forces, and surface loads.
#pragma once

#include <optional>

#include "assembly.hpp"
#include "curve.hpp"
#include "regions.hpp"

namespace atelier {

struct ElasticMaterials {
  Lame lame;                  // by element, Pa
  Values density;             // by element, kg/m^3
  Values yield;               // by element, Pa; 0 where none is known
  Values alpha;               // thermal expansion by element, 1/K
  std::vector<int> material;  // number of each element's material
  // The same for all elements between which no stress jumps: of one stiffness, and where
  // temperatures act one expansion and temperature.
  std::vector<int> kind;
  bool implausible = false;
  // Element attributes that no material names, where there are several materials and
  // the first one, which they were given, names another; "" for none.
  std::string defaulted;
  std::string covered;  // the same where there is one material only
  // Pointers of the materials that have no density, nor has the configuration one.
  std::vector<std::string> weightless;
  std::vector<std::string> inexpansible;  // pointers to the alpha that materials do not have
};

// Parts the kinds by what each element has of something else.
void PartKinds(ElasticMaterials& materials, const Values& by_element);

// Reads materials[{attribute, E, nu, density?, yield?}] (the first is the default) and
// density. plane_stress: in 2-D, moduli that make plane strain formulas give
// plane stress.
ElasticMaterials ReadElasticMaterials(const Domain& domain, const Config& config, bool plane_stress,
                                      Warnings& warnings);

// The stress at which a material flows over its plastic strain, Pa: as given, by a tangent modulus
// beside Young's, or constant; none of a material without a yield strength.
std::optional<Curve> ReadFlowStress(const Config& material, double young);

// Forces per volume by element, N/m^3, which add: density x gravity (or acceleration), and
// body_force.
std::vector<Values> ReadBodyForces(const Domain& domain, const Config& config,
                                   const Values& density);

// Adds how the nodal forces of a constant pressure (Pa, positive pushes against the surface)
// change as the surface moves by v, in first order: the pressure stays normal to it (Hibbitt,
// Int. J. Solids Struct. 15, 1979).
void AddFollowing(const NodalSpace& space, const Region& region, double pressure, const Values& v,
                  Values& load);
// Adds int value v over a region: a scalar flux.
void AddFlux(const NodalSpace& space, const Region& region, double value, Values& load);
// The weights, m^2, of the rule over a region whose points are the nodes: a film's exchange by
// it is of the order of the elements, without the overshoot of the consistent matrix, which no
// refinement takes away where a film meets a held temperature. None is negative, on curved
// faces either, so that the matrix stays positive definite; those of a face sum to its area.
Values NodalAreas(const NodalSpace& space, const Region& region);

// Sum of nodal forces, and their moment about a point (3 components; the third only in 2-D).
// moved: displacements of the nodes at which they act, where these are not small.
struct Resultant {
  std::vector<double> force, moment;
};
Resultant Resultants(const NodalSpace& space, const Values& nodal, const std::vector<double>& about,
                     const Values* moved = nullptr);

}  // namespace atelier
