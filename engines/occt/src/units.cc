#include "units.h"

#include <STEPConstruct_UnitContext.hxx>
#include <StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx.hxx>
#include <StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext.hxx>
#include <StepRepr_GlobalUnitAssignedContext.hxx>
#include <UnitsMethods.hxx>
#include <cmath>
#include <map>

namespace atelier {
namespace {

const struct {
  const char* name;
  double mm;
} kUnits[] = {{"mm", 1},     {"in", 25.4}, {"m", 1000}, {"cm", 10},
              {"ft", 304.8}, {"um", 1e-3}, {"km", 1e6}};

Handle(StepRepr_GlobalUnitAssignedContext) UnitsOf(const Handle(Standard_Transient) & entity) {
  using Both = StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext;
  using Three = StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx;
  if (auto c = Handle(Three)::DownCast(entity); !c.IsNull()) return c->GlobalUnitAssignedContext();
  if (auto c = Handle(Both)::DownCast(entity); !c.IsNull()) return c->GlobalUnitAssignedContext();
  return Handle(StepRepr_GlobalUnitAssignedContext)::DownCast(entity);
}

// Vote counts the 3-D shape contexts by their unit in millimetres; a context that
// more representations share is the one in which the geometry stands.
std::map<double, int> Vote(const Handle(Interface_InterfaceModel) & model) {
  std::map<double, int> votes;
  for (int i = 1; i <= model->NbEntities(); ++i) {
    Handle(StepRepr_GlobalUnitAssignedContext) units = UnitsOf(model->Value(i));
    if (units.IsNull()) continue;
    STEPConstruct_UnitContext factors;
    factors.ComputeFactors(units);
    if (!factors.LengthDone()) continue;
    // LengthFactor is relative to OpenCASCADE's length unit, which is the mm.
    double mm = factors.LengthFactor() * UnitsMethods::GetCasCadeLengthUnit();
    ++votes[std::round(mm * 1e9) / 1e9];
  }
  return votes;
}

}  // namespace

void NameLengthUnit(double mm, Part& part) {
  for (const auto& unit : kUnits) {
    if (std::abs(mm - unit.mm) >= 1e-5 * unit.mm) continue;
    part.length_unit = unit.name;
    part.unit_mm = unit.mm;
    return;
  }
  part.warnings.push_back(
      {"length_unit_converted", "The file's length unit is " + std::to_string(mm) +
                                    " mm, which has no name here; everything is given in mm."});
}

void FindLengthUnit(const Handle(Interface_InterfaceModel) & model, Part& part) {
  std::map<double, int> votes = Vote(model);
  if (votes.empty()) return;  // millimetres
  auto best = votes.begin();
  for (auto it = votes.begin(); it != votes.end(); ++it) {
    if (it->second > best->second) best = it;
  }
  NameLengthUnit(best->first, part);
  if (votes.size() > 1) {
    part.warnings.push_back(
        {"mixed_length_units",
         "The file mixes length units; everything is given in " + part.length_unit + "."});
  }
}

}  // namespace atelier
