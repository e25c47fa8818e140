// Binary glTF: OpenCASCADE's own reader finds the surface in it again, and the
// document holds what the format asks for.
#include "glb.h"

#include <doctest/doctest.h>

#include <BRepGProp.hxx>
#include <BRep_Tool.hxx>
#include <GProp_GProps.hxx>
#include <Poly_Triangulation.hxx>
#include <RWGltf_CafReader.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "testing/random.hpp"

namespace atelier {
namespace {

// A box of random sides, a face of the part per side; the first ones are coloured.
struct Box {
  Part part;
  Surface surface;
  double volume = 1;

  explicit Box(Random& random) {
    double side[3];
    for (double& s : side) volume *= s = random.Between(0.1, 100);
    for (int v = 0; v < 8; v++) {
      surface.points.push_back({v & 1 ? side[0] : 0, v & 2 ? side[1] : 0, v & 4 ? side[2] : 0});
    }
    constexpr int kSides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    part.bodies.emplace_back().id = 1;
    for (int f = 0; f < 6; f++) {
      const int* v = kSides[f];
      surface.triangles.push_back({v[0], v[1], v[2]});
      surface.triangles.push_back({v[0], v[2], v[3]});
      surface.face.insert(surface.face.end(), 2, f + 1);
      Face& face = part.faces.emplace_back();
      face.id = f + 1;
      face.body = 1;
      if (f < 2) face.color = Color{random.Between(0, 1), 0.5, 0.25};
    }
    part.faces[4].name = "left \"side\" \xc3\xa4";
  }
};

uint32_t Word(const std::string& file, size_t at) {
  uint32_t value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

TEST_CASE("OpenCASCADE reads the surface again") {
  Random random(11);
  const Box box(random);
  const auto path =
      std::filesystem::temp_directory_path() / ("box-" + std::to_string(Seed()) + ".glb");
  std::ofstream(path, std::ios::binary) << EncodeGlb(box.part, box.surface, {});
  Handle(TDocStd_Document) document;
  XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
  RWGltf_CafReader reader;
  reader.SetDocument(document);
  reader.SetSystemCoordinateSystem(RWMesh_CoordinateSystem_glTF);  // as it stands in the file
  const bool read = reader.Perform(path.string().c_str(), Message_ProgressRange());
  std::filesystem::remove(path);
  REQUIRE(read);
  TDF_LabelSequence roots;
  XCAFDoc_DocumentTool::ShapeTool(document->Main())->GetFreeShapes(roots);
  REQUIRE(roots.Length() == 1);
  const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(roots.Value(1));
  double volume = 0;
  int triangles = 0;
  for (TopExp_Explorer it(shape, TopAbs_FACE); it.More(); it.Next()) {
    TopLoc_Location place;
    const auto mesh = BRep_Tool::Triangulation(TopoDS::Face(it.Current()), place);
    REQUIRE(!mesh.IsNull());
    for (int t = 1; t <= mesh->NbTriangles(); t++) {
      int v[3];
      mesh->Triangle(t).Get(v[0], v[1], v[2]);
      gp_XYZ p[3];
      for (int k = 0; k < 3; k++) p[k] = mesh->Node(v[k]).Transformed(place).XYZ();
      volume += p[0].DotCross(p[1], p[2]) / 6;
      triangles++;
    }
  }
  CHECK(triangles == 12);
  CHECK(volume == doctest::Approx(box.volume).epsilon(1e-5));
}

TEST_CASE("chunks, accessors and faces are as the format asks") {
  Random random(12);
  const Box box(random);
  const Json meta = {{"length_unit", "mm"}};
  const std::string file = EncodeGlb(box.part, box.surface, meta);
  REQUIRE(file.substr(0, 4) == "glTF");
  CHECK(Word(file, 4) == 2);
  CHECK(Word(file, 8) == file.size());
  const size_t length = Word(file, 12);
  CHECK(length % 4 == 0);
  CHECK(file.substr(16, 4) == "JSON");
  const Json doc = Json::parse(file.substr(20, length));
  const size_t bin = 20 + length;
  CHECK(Word(file, bin) % 4 == 0);
  CHECK(file.substr(bin + 4, 4) == std::string("BIN\0", 4));
  CHECK(bin + 8 + Word(file, bin) == file.size());
  CHECK(doc["asset"]["extras"]["atelier"] == meta);

  const Json& position = doc["accessors"][0];
  CHECK(position["count"] == 8);
  for (size_t k = 0; k < 3; k++) {
    float low = 1e9f, high = -1e9f;
    for (const Vec3& p : box.surface.points) {
      low = std::min(low, static_cast<float>(p[k]));
      high = std::max(high, static_cast<float>(p[k]));
    }
    CHECK(position["min"][k].get<float>() == low);
    CHECK(position["max"][k].get<float>() == high);
  }
  const Json& primitives = doc["meshes"][0]["primitives"];
  REQUIRE(primitives.size() == 6);
  const size_t indices = bin + 8 + doc["bufferViews"][1]["byteOffset"].get<size_t>();
  for (int f = 0; f < 6; f++) {
    CHECK(primitives[f]["extras"]["face_id"] == f + 1);
    const Json& accessor = doc["accessors"][primitives[f]["indices"].get<size_t>()];
    REQUIRE(accessor["count"] == 6);
    for (size_t i = 0; i < 6; i++) {
      const uint32_t index = Word(file, indices + accessor["byteOffset"].get<size_t>() + 4 * i);
      CHECK(index == static_cast<uint32_t>(box.surface.triangles[2 * f + i / 3][i % 3]));
    }
  }
  CHECK(primitives[4]["extras"]["name"] == "left \"side\" \xc3\xa4");
  // Two colours of their own, and one grey for all the others.
  CHECK(doc["materials"].size() == 3);
  CHECK(primitives[2]["material"] == primitives[5]["material"]);
  const Json& color = doc["materials"][primitives[0]["material"].get<size_t>()]
                         ["pbrMetallicRoughness"]["baseColorFactor"];
  CHECK(color[0].get<double>() == (*box.part.faces[0].color)[0]);
}

}  // namespace
}  // namespace atelier
