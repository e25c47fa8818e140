// The strict reader of MFEM's text format: what MFEM writes comes back, and what is
// damaged is refused with its place.
#include "mesh_reader.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fixtures.hpp"

namespace atelier {
namespace {

class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content)
      : path_((std::filesystem::temp_directory_path() /
               (std::to_string(Seed()) + "-" + std::to_string(count_++) + "-" + name))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& Path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::string path_;
};

MeshFile Read(const std::string& text) { return ReadMesh(TemporaryFile("part.mesh", text).Path()); }

std::string Written(const mfem::Mesh& mesh) {
  std::ostringstream out;
  out.precision(17);
  mesh.Print(out);
  return out.str();
}

// The code that reading the text is refused with; "" if it is read.
std::string Refusal(const std::string& text) {
  try {
    Read(text);
    return "";
  } catch (const Error& e) {
    CHECK_FALSE(e.message.empty());
    CHECK(e.field == "/mesh");
    return e.code;
  }
}

void CheckSame(const mfem::Mesh& got, const mfem::Mesh& want) {
  REQUIRE(got.GetNV() == want.GetNV());
  REQUIRE(got.GetNE() == want.GetNE());
  REQUIRE(got.GetNBE() == want.GetNBE());
  for (int v = 0; v < want.GetNV(); v++) {
    for (int k = 0; k < want.SpaceDimension(); k++)
      REQUIRE(got.GetVertex(v)[k] == want.GetVertex(v)[k]);
  }
  auto same = [](const mfem::Element* a, const mfem::Element* b) {
    REQUIRE(a->GetType() == b->GetType());
    REQUIRE(a->GetAttribute() == b->GetAttribute());
    for (int i = 0; i < b->GetNVertices(); i++) REQUIRE(a->GetVertices()[i] == b->GetVertices()[i]);
  };
  for (int e = 0; e < want.GetNE(); e++) same(got.GetElement(e), want.GetElement(e));
  for (int b = 0; b < want.GetNBE(); b++) same(got.GetBdrElement(b), want.GetBdrElement(b));
}

mfem::Mesh Numbered(const Shape& shape, int n, Random& random) {
  mfem::Mesh mesh = RandomMesh(shape, n, random);
  for (int e = 0; e < mesh.GetNE(); e++) mesh.SetAttribute(e, random.Integer(1, 9));
  for (int b = 0; b < mesh.GetNBE(); b++) mesh.SetBdrAttribute(b, random.Integer(1, 9));
  mesh.SetAttributes();
  return mesh;
}

TEST_CASE("what MFEM writes is read as it was") {
  Random random(41);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    const mfem::Mesh mesh = Numbered(shape, random.Integer(1, 4), random);
    const MeshFile file = Read(Written(mesh));
    CheckSame(*file.mesh, mesh);
    CHECK(file.warnings.empty());
  }
}

TEST_CASE("names of faces come from attribute sets, and the unit from the note") {
  Random random(42);
  mfem::Mesh mesh = Numbered(kShapes[2], 2, random);
  mfem::Array<int> set({1, 2});
  mesh.bdr_attribute_sets.SetAttributeSet("the held end", set);
  const std::string note =
      "# atelier {\"length_unit\":\"in\",\"faces\":[{\"id\":7,\"name\":\"top\"},"
      "{\"id\":3,\"name\":\"top\"}]}\n";
  std::string text = Written(mesh);
  text.insert(text.find('\n') + 1, "\n" + note);
  const MeshFile file = Read(text);
  CHECK(file.metadata.length_unit == "in");
  CHECK(file.metadata.face_names.at("top") == std::vector<int>{7, 3});
  CHECK(file.metadata.face_names.at("the held end") == std::vector<int>{1, 2});
}

TEST_CASE("a file that ends anywhere before its last number is refused") {
  Random random(43);
  const std::string text = Written(Numbered(kShapes[2], 2, random));
  const size_t last = text.find_last_not_of(" \n\r\t");
  const size_t number = text.find_last_of(" \n", last);
  for (int i = 0; i < 200; i++) {
    const size_t end = static_cast<size_t>(random.Integer(1, static_cast<int>(number)));
    CAPTURE(end);
    REQUIRE(Refusal(text.substr(0, end)) == codes::kMeshUnreadable);
  }
  CHECK(Refusal("") == codes::kFileEmpty);
  CHECK(Refusal(" \n\n") == codes::kFileEmpty);
}

// A word of the text replaced, found by line and place in it.
std::string Replaced(const std::string& text, const std::string& after, int word,
                     const std::string& by) {
  size_t at = text.find(after);
  REQUIRE(at != std::string::npos);
  at += after.size();
  for (int i = 0;; i++) {
    at = text.find_first_not_of(" \n", at);
    const size_t end = text.find_first_of(" \n", at);
    if (i == word) return text.substr(0, at) + by + text.substr(end);
    at = end;
  }
}

TEST_CASE("numbers that make no mesh are refused") {
  Random random(44);
  const std::string text = Written(Numbered(kShapes[0], 2, random));
  REQUIRE(Refusal(text).empty());
  // elements: how many; attribute, geometry, vertices of the first.
  for (const char* bad : {"-1", "x", "1e3", "999999999999"})
    CHECK(Refusal(Replaced(text, "\nelements\n", 0, bad)) == codes::kMeshUnreadable);
  CHECK(Refusal(Replaced(text, "\nelements\n", 1, "0")) == codes::kMeshUnreadable);
  CHECK(Refusal(Replaced(text, "\nelements\n", 2, "4")) == codes::kMeshUnreadable);
  CHECK(Refusal(Replaced(text, "\nelements\n", 2, "77")) == codes::kMeshUnreadable);
  for (const char* bad : {"-1", "9", "1000000", "0.5"})
    CHECK(Refusal(Replaced(text, "\nelements\n", 3, bad)) == codes::kMeshUnreadable);
  for (const char* bad : {"nan", "inf", "1e999", "one", "1,5"})
    CHECK(Refusal(Replaced(text, "\nvertices\n", 2, bad)) == codes::kMeshUnreadable);
  CHECK(Refusal(Replaced(text, "dimension\n", 0, "4")) == codes::kMeshUnreadable);
  CHECK(Refusal("MFEM mesh v9.9\n" + text) == codes::kMeshUnreadable);
}

TEST_CASE("vertices of no element are left out, and a left-handed mesh is turned") {
  const char* text =
      "MFEM mesh v1.0\ndimension\n2\nelements\n2\n1 2 0 2 4\n2 2 4 5 0\nboundary\n1\n3 1 0 2\n"
      "vertices\n6\n2\n0 0\n9 9\n1 0\n8 8\n1 1\n0 1\n";
  const MeshFile file = Read(text);
  CHECK(file.mesh->GetNV() == 4);
  REQUIRE(file.warnings.size() == 1);
  CHECK(file.warnings[0].code == "unused_vertices");
  double area = 0;
  for (int e = 0; e < 2; e++) area += file.mesh->GetElementVolume(e);
  CHECK(area == doctest::Approx(1));

  Random random(45);
  for (const Shape& shape : kShapes) {
    CAPTURE(std::string(shape.name));
    mfem::Mesh mesh = RandomMesh(shape, 2, random);
    double volume = 0;
    for (int e = 0; e < mesh.GetNE(); e++) volume += mesh.GetElementVolume(e);
    for (int v = 0; v < mesh.GetNV(); v++) mesh.GetVertex(v)[0] *= -1;  // its mirror image
    const MeshFile turned = Read(Written(mesh));
    REQUIRE(turned.warnings.size() == 1);
    CHECK(turned.warnings[0].code == "mesh_turned");
    double sum = 0;
    for (int e = 0; e < mesh.GetNE(); e++) {
      auto* t = turned.mesh->GetElementTransformation(e);
      const auto& centre = mfem::Geometries.GetCenter(turned.mesh->GetElementGeometry(e));
      t->SetIntPoint(&centre);
      CHECK(t->Jacobian().Det() > 0);
      sum += turned.mesh->GetElementVolume(e);
    }
    CHECK(sum == doctest::Approx(volume).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace atelier
