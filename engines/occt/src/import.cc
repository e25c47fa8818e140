#include "import.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cad_reader.h"
#include "heal.h"
#include "measure.h"
#include "mesh_files.h"
#include "tessellate.h"

namespace atelier {
namespace {

constexpr int64_t kMaxTriangles = 5'000'000;
constexpr size_t kListed = 20;
constexpr double kSeconds = 100, kMeshing = 0.8;  // of the time left after measuring

double Seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// Relative is (mesh - exact) / exact, null where there is nothing to compare.
Json Relative(double mesh, double exact) {
  if (exact == 0 || !std::isfinite(mesh)) return nullptr;
  return (mesh - exact) / exact;
}

Json ExactVolume(const Part& part) {
  double sum = 0;
  for (const Body& b : part.bodies) {
    if (b.shells == 0 || b.closed_shells != b.shells) return nullptr;
    sum += b.volume;
  }
  return sum;
}

Json Lists(const Part& part, const Mesh& mesh) {
  Json bodies = Json::array(), named = Json::array();
  for (size_t i = 0; i < part.bodies.size() && i < kListed; ++i) {
    Json b = BodyJson(part.bodies[i]);
    b["watertight"] = mesh.bodies[i].edges.closed() && mesh.bodies[i].last > mesh.bodies[i].first;
    bodies.push_back(b);
  }
  size_t count = 0;
  for (const Face& f : part.faces) {
    if (f.name.empty()) continue;
    if (++count <= kListed) {
      named.push_back(
          {{"id", f.id}, {"name", f.name}, {"kind", f.kind}, {"area", f.area}, {"body", f.body}});
    }
  }
  return {{"bodies", bodies}, {"named_faces", named}, {"named_face_count", count}};
}

// Products lists the first product names, each once.
Json Products(const Part& part) {
  Json names = Json::array();
  for (const std::string& name : part.products) {
    if (names.size() < kListed && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

Json Answer(const Part& part, const Mesh& mesh) {
  Vec3 lo, hi;
  Bounds(mesh.surface, lo, hi);
  double exact_area = 0;
  for (const Body& b : part.bodies) exact_area += b.area;
  Json exact_volume = ExactVolume(part);
  Json out = {{"vertex_count", mesh.surface.points.size()},
              {"triangle_count", mesh.surface.triangles.size()},
              {"volume", mesh.volume()},
              {"surface_area", mesh.area()},
              {"bbox_min", lo},
              {"bbox_max", hi},
              {"watertight", mesh.watertight()},
              {"length_unit", part.length_unit},
              {"exact_volume", exact_volume},
              {"exact_surface_area", exact_area},
              {"volume_deviation", exact_volume.is_null()
                                       ? Json(nullptr)
                                       : Relative(mesh.volume(), exact_volume.get<double>())},
              {"area_deviation", Relative(mesh.area(), exact_area)},
              {"linear_deflection", mesh.linear_deflection},
              {"angular_deflection", mesh.angular_deflection},
              {"max_chord_deviation", mesh.max_chord_deviation},
              {"solids", part.solids()},
              {"shells", part.shells()},
              {"closed_shells", part.closed_shells()},
              {"body_count", part.bodies.size()},
              {"faces", part.faces.size()},
              {"valid", part.valid},
              {"products", Products(part)}};
  out.update(Lists(part, mesh));
  return out;
}

MeshOptions Options(const Json& request, double spent) {
  MeshOptions o;
  o.linear_deflection = request.value("linear_deflection", 0.0);
  o.linear_mm = request.value("linear_deflection_mm", 0.0);
  o.angular_deflection = request.value("angular_deflection", 0.0);
  o.max_triangles = request.value("max_triangles", kMaxTriangles);
  o.seconds = kMeshing * std::max(1.0, request.value("seconds", kSeconds) - spent);
  return o;
}

}  // namespace

void Import(const Json& request) {
  const std::string path = request.at("path"), format = request.at("output_format");
  const std::string mesh_file = request.at("output_file"), faces_file = request.at("faces_file");
  double start = Seconds();
  SendProgress(0.05, "reading the CAD file");
  Part part = ReadCad(path);
  // Of a file without a unit the caller may know it.
  part.length_unit = request.value("length_unit", part.length_unit);
  double read = Seconds();
  if (request.value("heal", true)) Sew(part);
  SendProgress(0.25, "measuring the exact shape");
  Measure(part);
  double measured = Seconds();
  Mesh mesh = Tessellate(part, Options(request, measured - start));
  double meshed = Seconds();
  SendProgress(0.85, "writing " + mesh_file);
  WriteMesh(mesh_file, format, part, mesh.surface);
  WriteFaces(faces_file, part, mesh.surface);
  Json artifacts = Json::array({{{"name", mesh_file}, {"primary", true}},
                                {{"name", faces_file}, {"mime_type", "application/json"}}});
  Json metrics = {{"read_ms", std::round(1e3 * (read - start))},
                  {"measure_ms", std::round(1e3 * (measured - read))},
                  {"mesh_ms", std::round(1e3 * (meshed - measured))},
                  {"write_ms", std::round(1e3 * (Seconds() - meshed))},
                  {"mesh_attempts", mesh.attempts}};
  SendResult(Answer(part, mesh), artifacts, metrics, part.warnings);
}

}  // namespace atelier
