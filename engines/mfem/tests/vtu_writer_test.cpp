// Field files: MFEM's own reader finds the mesh in them again, and what zlib gives
// back are the fields.
#include "vtu_writer.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fixtures.hpp"

namespace atelier {
namespace {

// The working folder of a test, as the server gives a driver one.
class WorkFolder {
 public:
  WorkFolder() : before_(std::filesystem::current_path()) {
    folder_ = std::filesystem::temp_directory_path() / ("vtu-" + std::to_string(Seed()));
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~WorkFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path before_, folder_;
};

std::string Content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// The numbers of a DataArray, by VTK's description of compressed appended data.
template <class T>
std::vector<T> ArrayOf(const std::string& file, const std::string& name) {
  const size_t tag = file.find("Name=\"" + name + "\"");
  REQUIRE(tag != std::string::npos);
  const size_t offset = std::stoul(file.substr(file.find("offset=\"", tag) + 8));
  const char* at = file.data() + file.find("<AppendedData encoding=\"raw\">\n_") + 31 + offset;
  uint64_t head[3];
  std::memcpy(head, at, sizeof head);
  std::vector<uint64_t> sizes(head[0]);
  std::memcpy(sizes.data(), at + sizeof head, sizes.size() * 8);
  at += sizeof head + sizes.size() * 8;
  std::string raw;
  for (size_t b = 0; b < sizes.size(); b++) {
    uLongf size = b + 1 == sizes.size() && head[2] ? head[2] : head[1];
    std::string block(size, '\0');
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(block.data()), &size,
                       reinterpret_cast<const Bytef*>(at), sizes[b]) == Z_OK);
    REQUIRE(size == block.size());
    raw += block;
    at += sizes[b];
  }
  std::vector<T> out(raw.size() / sizeof(T));
  std::memcpy(out.data(), raw.data(), raw.size());
  return out;
}

double Volume(mfem::Mesh& mesh) {
  double sum = 0;
  for (int e = 0; e < mesh.GetNE(); e++) sum += mesh.GetElementVolume(e);
  return sum;
}

// Bends the mesh into one of quadratic cells.
void Bend(mfem::Mesh& mesh) {
  mesh.SetCurvature(2, false, -1, mfem::Ordering::byVDIM);
  mfem::GridFunction& nodes = *mesh.GetNodes();
  const int d = mesh.SpaceDimension();
  for (int i = 0; i < nodes.Size() / d; i++)
    nodes(i * d) += 0.1 * nodes(i * d + 1) * nodes(i * d + 1);
}

TEST_CASE("MFEM reads the mesh of a field file again") {
  Random random(51);
  const WorkFolder folder;
  for (const Shape& shape : kShapes) {
    for (int order : {1, 2}) {
      CAPTURE(std::string(shape.name));
      CAPTURE(order);
      mfem::Mesh mesh = RandomMesh(shape, 3, random);
      if (order == 2) Bend(mesh);
      const NodalSpace space(mesh, order);
      VtuWriter writer(space, "field");
      const Values u = RandomValues(space.Nodes(), random);
      writer.Write(0, {{"u", "1", 1, &u}}, {});
      mfem::Mesh read("field/field_000000.vtu", 1, 0, false);
      CHECK(read.GetNE() == mesh.GetNE());
      CHECK(read.GetElementGeometry(0) == mesh.GetElementGeometry(0));
      // MFEM's reader takes wedges for numbered the other way round; vtkWedge's
      // parametric coordinates are as written here.
      const double sign = shape.type == mfem::Element::WEDGE ? -1 : 1;
      CHECK(sign * Volume(read) == doctest::Approx(Volume(mesh)).epsilon(1e-10));
      for (int e = 0; e < mesh.GetNE(); e++)
        REQUIRE(sign * read.GetElementVolume(e) ==
                doctest::Approx(mesh.GetElementVolume(e)).epsilon(1e-9));
    }
  }
}

TEST_CASE("fields come back in single precision, at the nodes where they were") {
  Random random(52);
  const WorkFolder folder;
  mfem::Mesh mesh = RandomMesh(kShapes[2], 12, random);  // more than one block of zlib
  const NodalSpace space(mesh, 2);
  const size_t n = static_cast<size_t>(space.Nodes());
  const Values u = RandomValues(3 * n, random), p = RandomValues(n, random),
               s = RandomValues(6 * n, random), e = RandomValues(mesh.GetNE(), random);
  const double time = random.Between(0, 1);
  VtuWriter writer(space, "solution");
  writer.Write(0, {{"u", "m", 3, &u}}, {});
  writer.Write(time, {{"u", "m", 3, &u}, {"p", "Pa", 1, &p}, {"stress", "Pa", 6, &s}},
               {{"error", "1", &e}});
  const std::string file = Content("solution/solution_000001.vtu");
  auto check = [&](const char* name, const Values& want) {
    const auto got = ArrayOf<float>(file, name);
    REQUIRE(got.size() == want.size());
    for (size_t i = 0; i < got.size(); i++) REQUIRE(got[i] == static_cast<float>(want[i]));
  };
  CHECK(file.find(R"("units":{"error":"1","p":"Pa","stress":"Pa","u":"m"})") <
        file.find("<VTKFile"));
  check("u", u);
  check("p", p);
  check("stress", s);
  check("error", e);
  CHECK(ArrayOf<double>(file, "Points") == space.Coordinates());
  CHECK(ArrayOf<unsigned char>(file, "types") == std::vector<unsigned char>(mesh.GetNE(), 24));

  double low = INFINITY, high = 0;
  for (size_t i = 0; i < n; i++) {
    const double size = std::hypot(u[3 * i], u[3 * i + 1], u[3 * i + 2]);
    low = std::min(low, size);
    high = std::max(high, size);
  }
  CHECK(writer.Fields()[0]["min"].get<double>() == doctest::Approx(low).epsilon(1e-12));
  CHECK(writer.Fields()[0]["max"].get<double>() == doctest::Approx(high).epsilon(1e-12));

  CHECK(writer.States() == 2);
  CHECK(writer.Artifact()["files"].size() == 2);
  const std::string collection = Content(writer.Collection());
  const size_t state = collection.find("solution_000001.vtu");
  REQUIRE(state != std::string::npos);
  const size_t step = collection.rfind("timestep=\"", state) + 10;
  CHECK(std::stod(collection.substr(step)) == time);
}

TEST_CASE("vectors of a plane problem get a third component of zero") {
  Random random(53);
  const WorkFolder folder;
  mfem::Mesh mesh = RandomMesh(kShapes[1], 3, random);
  const NodalSpace space(mesh, 1);
  const Values u = RandomValues(2 * static_cast<size_t>(space.Nodes()), random);
  VtuWriter writer(space, "plane");
  writer.Write(0, {{"u", "m", 2, &u}}, {});
  const auto got = ArrayOf<float>(Content("plane/plane_000000.vtu"), "u");
  REQUIRE(got.size() == u.size() / 2 * 3);
  for (size_t i = 0; i < u.size() / 2; i++) {
    REQUIRE(got[3 * i] == static_cast<float>(u[2 * i]));
    REQUIRE(got[3 * i + 1] == static_cast<float>(u[2 * i + 1]));
    REQUIRE(got[3 * i + 2] == 0.f);
  }
}

}  // namespace
}  // namespace atelier
