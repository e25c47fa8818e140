#include "iges_reader.h"

#include <IFSelect_ReturnStatus.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <IGESData_IGESEntity.hxx>
#include <IGESData_IGESModel.hxx>
#include <TransferBRep.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

#include "document.h"
#include "step_text.h"
#include "units.h"

namespace atelier {
namespace {

Labels EntityNames(const Handle(XSControl_WorkSession) & session) {
  Labels labels;
  Handle(Interface_InterfaceModel) model = session->Model();
  Handle(Transfer_TransientProcess) process = session->TransferReader()->TransientProcess();
  for (int i = 1; i <= model->NbEntities(); ++i) {
    auto entity = Handle(IGESData_IGESEntity)::DownCast(model->Value(i));
    if (entity.IsNull() || !entity->HasName()) continue;
    const TopoDS_Shape shape = TransferBRep::ShapeResult(process, entity);
    if (shape.IsNull() || shape.ShapeType() < TopAbs_SOLID || shape.ShapeType() > TopAbs_FACE)
      continue;
    labels.Name(shape, DecodeName(entity->NameValue()->ToCString()));
  }
  return labels;
}

}  // namespace

Part ReadIges(const std::string& path) {
  Handle(TDocStd_Document) doc = NewDocument();
  IGESCAFControl_Reader reader;
  reader.SetColorMode(true);
  reader.SetNameMode(true);
  reader.SetLayerMode(false);
  if (reader.ReadFile(path.c_str()) != IFSelect_RetDone) {
    throw Error(codes::kFileUnreadable, "The IGES file cannot be parsed.",
                "Export the part again, as STEP if you can; a file cut short in transfer looks "
                "like this.",
                "/file_path");
  }
  Part part;
  NameLengthUnit(reader.IGESModel()->GlobalSection().UnitValue(), part);
  if (reader.Transfer(doc)) CollectBodies(doc, EntityNames(reader.WS()), {}, part);
  return part;
}

}  // namespace atelier
