// The length unit of a CAD file.
#ifndef ATELIER_OCCT_UNITS_H_
#define ATELIER_OCCT_UNITS_H_

#include <Interface_InterfaceModel.hxx>

#include "part.h"

namespace atelier {

// Sets part.unit_mm and part.length_unit to the unit of so many mm, with a warning where
// it has no name among m, mm, cm, um, in, ft, km (coordinates then come in mm).
void NameLengthUnit(double mm, Part& part);

// Takes the unit from the unit contexts of a STEP file, millimetres where it has none, with
// a warning where it has several.
void FindLengthUnit(const Handle(Interface_InterfaceModel) & model, Part& part);

}  // namespace atelier

#endif  // ATELIER_OCCT_UNITS_H_
