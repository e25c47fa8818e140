// What a STEP file holds that is no boundary representation of its own.
#ifndef ATELIER_OCCT_STEP_CONTENTS_H_
#define ATELIER_OCCT_STEP_CONTENTS_H_

#include <Interface_InterfaceModel.hxx>
#include <string>
#include <vector>

namespace atelier {

struct StepContents {
  std::vector<std::string> files;  // names of CAD files that hold parts of it, each once
  int tessellated = 0;             // solids and shells given as triangles (AP242)
};

StepContents ContentsOf(const Handle(Interface_InterfaceModel) & model);

}  // namespace atelier

#endif  // ATELIER_OCCT_STEP_CONTENTS_H_
