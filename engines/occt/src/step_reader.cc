#include "step_reader.h"

#include <IFSelect_ReturnStatus.hxx>
#include <Interface_InterfaceModel.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPControl_Reader.hxx>
#include <StepRepr_RepresentationItem.hxx>
#include <StepShape_Face.hxx>
#include <StepShape_SolidModel.hxx>
#include <TransferBRep.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>
#include <cstdlib>
#include <utility>

#include "document.h"
#include "mirror.h"
#include "units.h"

namespace atelier {
namespace {

// EntityName is the name of a face or a solid, null for any other entity; the document
// itself keeps only the names of products.
Handle(TCollection_HAsciiString) EntityName(const Handle(Standard_Transient) & entity) {
  if (!entity->IsKind(STANDARD_TYPE(StepShape_Face)) &&
      !entity->IsKind(STANDARD_TYPE(StepShape_SolidModel))) {
    return {};
  }
  return Handle(StepRepr_RepresentationItem)::DownCast(entity)->Name();
}

// NumberFaces tells each face which instance of the file it is, for what the file says of
// that instance.
void NumberFaces(const Handle(XSControl_WorkSession) & session, Labels& labels) {
  Handle(Interface_InterfaceModel) model = session->Model();
  Handle(Transfer_TransientProcess) process = session->TransferReader()->TransientProcess();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    Handle(Standard_Transient) entity = model->Value(i);
    if (!entity->IsKind(STANDARD_TYPE(StepShape_Face))) continue;
    const std::string label = model->StringLabel(entity)->ToCString();  // #12
    if (label.size() < 2 || label.size() > 10 || label[0] != '#') continue;
    labels.Instance(TransferBRep::ShapeResult(process, entity), std::atoi(label.c_str() + 1));
  }
}

[[noreturn]] void Unreadable(const std::string& what) {
  throw Error(codes::kFileUnreadable, "The STEP file cannot be parsed: " + what + ".",
              "Export the part again as STEP AP203, AP214 or AP242; a file cut short in "
              "transfer looks like this.",
              "/file_path");
}

}  // namespace

Part ReadStep(const std::string& path) {
  Handle(TDocStd_Document) doc = NewDocument();
  STEPCAFControl_Reader reader;
  reader.SetColorMode(true);
  reader.SetNameMode(true);
  reader.SetLayerMode(false);
  reader.SetPropsMode(false);
  reader.SetGDTMode(false);
  reader.SetMatMode(false);
  reader.SetViewMode(false);
  switch (reader.ReadFile(path.c_str())) {
    case IFSelect_RetDone:
      break;
    case IFSelect_RetError:
      Unreadable("it cannot be opened");
    case IFSelect_RetVoid:
      Unreadable("it holds no entity");
    default:
      Unreadable("its text breaks the syntax of ISO 10303-21");
  }
  Part part;
  Handle(XSControl_WorkSession) session = reader.Reader().WS();
  FindLengthUnit(session->Model(), part);
  if (reader.Transfer(doc)) {
    Labels labels = EntityNames(session, EntityName);
    NumberFaces(session, labels);
    CollectBodies(doc, std::move(labels), FindMirrored(session, part.unit_mm), part);
  }
  return part;
}

}  // namespace atelier
