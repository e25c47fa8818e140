// Parts that a file places by a mirroring operator. OpenCASCADE 7.6 reads the
// operator of such a MAPPED_ITEM as a turn, since it keeps two of the three axes and
// makes the third one right-handed: the right volume and the wrong shape.
#ifndef ATELIER_OCCT_MIRROR_H_
#define ATELIER_OCCT_MIRROR_H_

#include <XSControl_WorkSession.hxx>
#include <gp_Trsf.hxx>
#include <vector>

#include "part.h"

namespace atelier {

// A shape that came out turned, and the reflection that makes it what the file says.
struct Mirrored {
  TopoDS_Shape turned;
  gp_Trsf reflection;
};

// To be called after the transfer. Throws ERR_TESSELLATION_FAILED for an operator
// that scales, or whose origin is not the identity: those cannot be mended.
std::vector<Mirrored> FindMirrored(const Handle(XSControl_WorkSession) & session, double unit_mm);

}  // namespace atelier

#endif  // ATELIER_OCCT_MIRROR_H_
