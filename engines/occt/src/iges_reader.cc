#include "iges_reader.h"

#include <IFSelect_ReturnStatus.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <IGESData_IGESEntity.hxx>
#include <IGESData_IGESModel.hxx>

#include "document.h"
#include "units.h"

namespace atelier {
namespace {

// EntityName is null for an entity without a name.
Handle(TCollection_HAsciiString) EntityName(const Handle(Standard_Transient) & entity) {
  auto iges = Handle(IGESData_IGESEntity)::DownCast(entity);
  if (iges.IsNull() || !iges->HasName()) return {};
  return iges->NameValue();
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
  if (reader.Transfer(doc)) CollectBodies(doc, EntityNames(reader.WS(), EntityName), {}, part);
  return part;
}

}  // namespace atelier
