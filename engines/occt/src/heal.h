// Repair of shapes whose faces do not quite meet.
#ifndef ATELIER_OCCT_HEAL_H_
#define ATELIER_OCCT_HEAL_H_

#include "part.h"

namespace atelier {

// Heal runs ShapeFix over bodies, given by their indices; faces keep their ids, names and
// colours. False when nothing was changed.
bool Heal(Part& part, const std::vector<size_t>& bodies);

// Sew joins the free shells and sheets of a part that meet within a tolerance
// (1e-5 of the part's size) into bodies, and closed ones into solids. It adds a
// warning that says what it did; false when there was nothing to join. To be
// called before Measure.
bool Sew(Part& part);

}  // namespace atelier

#endif  // ATELIER_OCCT_HEAL_H_
