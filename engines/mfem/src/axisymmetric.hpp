// Bodies of revolution, by half their section: x is the radius, y the axis.
#pragma once

#include "assembly.hpp"
#include "domain.hpp"
#include "regions.hpp"

namespace atelier {

// Whether config.plane asks for it; refuses meshes that are not 2-D or lie beyond the axis.
bool ReadAxisymmetric(const Domain& domain, const Config& config,
                      const std::vector<std::string>& planes);

// The edges on the axis are no faces: they leave conditions that have others, and no condition but
// one that holds them across, as the axis does, may have them alone.
void LeaveAxis(const NodalSpace& space, std::vector<Region>& regions, Warnings& warnings);

// Adds the stiffness of an element: int sigma(u) : eps(v), with the strain around the axis.
void AddAxisymmetricElement(const LocalShapes& s, double lambda, double mu, double* m);

struct Elasticity;
struct Kinematics;

// Refuses what a body of revolution does not stay one under, or what is not offered for it.
void RefuseUnturned(const Domain& domain, const Config& config);
// Loads that would not be the same all around, and supports that mean another axis.
void RefuseUnturnedCondition(const Region& r);
// Holds the nodes on the axis there.
void HoldAxis(Elasticity& p);
// States how far the stresses change the deflections, and that shapes which vary around the axis
// were not looked at.
void CheckTurnedStability(Elasticity& p, const Kinematics& k);

}  // namespace atelier
