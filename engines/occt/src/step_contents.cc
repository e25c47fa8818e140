#include "step_contents.h"

#include <Interface_InterfaceModel.hxx>
#include <StepBasic_DocumentFile.hxx>
#include <StepData_UndefinedEntity.hxx>
#include <TCollection_HAsciiString.hxx>
#include <algorithm>
#include <cctype>

#include "step_text.h"

namespace atelier {
namespace {

// Documents may be drawings and notes as well; only CAD files hold parts.
bool IsCAD(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  std::string end = name.substr(dot + 1);
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  for (const char* known :
       {"stp", "step", "stpz", "p21", "stpx", "igs", "iges", "prt", "sldprt", "sldasm", "asm",
        "catpart", "catproduct", "ipt", "iam", "par", "x_t", "x_b", "jt"}) {
    if (end == known) return true;
  }
  return false;
}

}  // namespace

StepContents ContentsOf(const Handle(Interface_InterfaceModel) & model) {
  StepContents found;
  for (int i = 1; i <= model->NbEntities(); ++i) {
    const Handle(Standard_Transient) entity = model->Value(i);
    if (auto file = Handle(StepBasic_DocumentFile)::DownCast(entity); !file.IsNull()) {
      for (const Handle(TCollection_HAsciiString) & text : {file->Id(), file->Name()}) {
        if (text.IsNull()) continue;
        const std::string name = DecodeName(text->ToCString());
        if (!IsCAD(name)) continue;
        if (std::find(found.files.begin(), found.files.end(), name) == found.files.end()) {
          found.files.push_back(name);
        }
        break;
      }
    }
    if (auto other = Handle(StepData_UndefinedEntity)::DownCast(entity); !other.IsNull()) {
      const std::string kind = other->StepType();
      found.tessellated += kind == "TESSELLATED_SOLID" || kind == "TESSELLATED_SHELL";
    }
  }
  return found;
}

}  // namespace atelier
