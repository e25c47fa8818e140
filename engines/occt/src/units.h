// The length unit of a STEP file.
#ifndef ATELIER_OCCT_UNITS_H_
#define ATELIER_OCCT_UNITS_H_

#include <Interface_InterfaceModel.hxx>

#include "part.h"

namespace atelier {

// Sets part.unit_mm and part.length_unit from the file's unit contexts, with
// warnings where it has none (millimetres are assumed), several, or one that has
// no name among m, mm, cm, um, in, ft, km (coordinates then come in mm).
void FindLengthUnit(const Handle(Interface_InterfaceModel) & model, Part& part);

}  // namespace atelier

#endif  // ATELIER_OCCT_UNITS_H_
