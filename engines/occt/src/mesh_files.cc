#include "mesh_files.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "glb.h"

namespace atelier {
namespace {

// Buffer collects text and numbers and writes them at once.
class Buffer {
 public:
  void Text(const char* s) { data_ += s; }
  void Text(const std::string& s) { data_ += s; }
  void Number(double x) {  // the shortest text that reads back as the same number
    char digits[40];
    data_.append(digits, std::to_chars(digits, digits + sizeof digits, x + 0.0).ptr);
  }
  void Number(int64_t x) {
    char digits[24];
    data_.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
  }
  template <class T>
  void Bytes(T x) {  // little-endian machines only, as all that Debian's package runs on here
    char raw[sizeof x];
    std::memcpy(raw, &x, sizeof x);
    data_.append(raw, sizeof x);
  }
  void Save(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file.write(data_.data(), static_cast<std::streamsize>(data_.size()));
    file.close();
    if (!file) {
      throw Error(codes::kTessellationFailed, "The file " + path + " cannot be written.",
                  "Check the free space of the disk and the limit of file sizes.");
    }
  }

 private:
  std::string data_;
};

// Meta is the one line of metadata that travels inside a mesh file.
Json Meta(const Part& part) {
  Json faces = Json::array();
  for (const Face& f : part.faces) {
    Json face = {{"id", f.id}};
    if (!f.name.empty()) face["name"] = f.name;
    face["area"] = f.area;
    face["kind"] = f.kind;
    face["body"] = f.body;
    faces.push_back(face);
  }
  return {{"length_unit", part.length_unit}, {"faces", faces}};
}

std::string Dump(const Json& j, int indent = -1) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void WriteObj(const std::string& path, const Part& part, const Surface& s) {
  Buffer out;
  out.Text("# atelier " + Dump(Meta(part)) + "\n");
  for (const Vec3& p : s.points) {
    out.Text("v ");
    out.Number(p[0]), out.Text(" "), out.Number(p[1]), out.Text(" "), out.Number(p[2]);
    out.Text("\n");
  }
  int32_t face = 0;
  for (size_t t = 0; t < s.triangles.size(); ++t) {
    if (s.face[t] != face) {
      face = s.face[t];
      out.Text("g face_"), out.Number(int64_t{face}), out.Text("\n");
    }
    out.Text("f");
    for (int32_t v : s.triangles[t]) out.Text(" "), out.Number(int64_t{v} + 1);
    out.Text("\n");
  }
  out.Save(path);
}

std::array<float, 3> Single(const Vec3& p) {
  return {static_cast<float>(p[0] + 0.0), static_cast<float>(p[1] + 0.0),
          static_cast<float>(p[2] + 0.0)};
}

void WriteStl(const std::string& path, const Part& part, const Surface& s) {
  Buffer out;
  std::string head = "atelier length_unit=" + part.length_unit;
  head.resize(80, ' ');
  out.Text(head);
  // Corners that single precision cannot tell apart would weld on reading; the
  // triangle between them is left out, so that the surface stays closed.
  std::vector<size_t> kept;
  for (size_t t = 0; t < s.triangles.size(); ++t) {
    const Triangle& v = s.triangles[t];
    auto a = Single(s.points[v[0]]), b = Single(s.points[v[1]]), c = Single(s.points[v[2]]);
    if (a != b && b != c && c != a) kept.push_back(t);
  }
  out.Bytes(static_cast<uint32_t>(kept.size()));
  for (size_t t : kept) {
    const Triangle& v = s.triangles[t];
    Vec3 n = Cross(Minus(s.points[v[1]], s.points[v[0]]), Minus(s.points[v[2]], s.points[v[0]]));
    double length = Norm(n);
    for (double x : n) out.Bytes(static_cast<float>(length > 0 ? x / length : 0));
    for (int32_t i : v) {
      for (float x : Single(s.points[i])) out.Bytes(x);
    }
    out.Bytes(static_cast<uint16_t>(s.face[t] <= 0xffff ? s.face[t] : 0));
  }
  out.Save(path);
}

void CheckSinglePrecision(Part& part, const Surface& s) {
  size_t merged = 0;
  for (const Triangle& v : s.triangles) {
    auto a = Single(s.points[v[0]]), b = Single(s.points[v[1]]), c = Single(s.points[v[2]]);
    merged += a == b || b == c || c == a;
  }
  if (merged == 0) return;
  part.warnings.push_back(
      {"single_precision", std::to_string(merged) +
                               " triangle(s) are thinner than single precision resolves at this "
                               "distance from the origin; obj keeps double precision."});
}

}  // namespace

void WriteMesh(const std::string& path, const std::string& format, Part& part, const Surface& s) {
  if (format == "obj") {
    WriteObj(path, part, s);
    return;
  }
  CheckSinglePrecision(part, s);
  if (format == "stl") {
    WriteStl(path, part, s);
    if (part.faces.size() > 0xffff) {
      part.warnings.push_back(
          {"face_ids_dropped", "STL holds face ids up to 65535; higher ones were dropped."});
    }
    return;
  }
  Buffer out;
  out.Text(EncodeGlb(part, s, Meta(part)));
  out.Save(path);
}

Json FaceJson(const Face& f) {
  Json j = {{"id", f.id},     {"name", f.name}, {"kind", f.kind},
            {"area", f.area}, {"body", f.body}, {"centroid", f.centroid}};
  if (f.instance > 0) j["step_instance"] = f.instance;
  if (f.normal) j["normal"] = *f.normal;
  if (f.axis) j["axis"] = *f.axis;
  if (f.radius) j["radius"] = *f.radius;
  if (f.minor_radius) j["minor_radius"] = *f.minor_radius;
  if (f.half_angle_deg) j["half_angle_deg"] = *f.half_angle_deg;
  if (f.concave) j["concave"] = true;
  if (f.color) j["color"] = *f.color;
  return j;
}

Json BodyJson(const Body& b) {
  Json j = {{"id", b.id},         {"name", b.name},
            {"kind", b.kind},     {"faces", b.faces.size()},
            {"volume", b.volume}, {"area", b.area},
            {"shells", b.shells}, {"closed_shells", b.closed_shells}};
  if (!b.path.empty()) j["path"] = b.path;
  if (b.color) j["color"] = *b.color;
  return j;
}

void WriteFaces(const std::string& path, const Part& part, const Surface& s) {
  std::vector<int64_t> triangles(part.faces.size(), 0);
  for (int32_t id : s.face) ++triangles[static_cast<size_t>(id - 1)];
  Json faces = Json::array(), bodies = Json::array();
  for (size_t i = 0; i < part.faces.size(); ++i) {
    Json j = FaceJson(part.faces[i]);
    j["triangles"] = triangles[i];
    faces.push_back(j);
  }
  for (const Body& b : part.bodies) bodies.push_back(BodyJson(b));
  Buffer out;
  out.Text("{\"length_unit\":" + Dump(part.length_unit) + ",\n\"products\":" + Dump(part.products) +
           ",\n\"bodies\":[");
  for (size_t i = 0; i < bodies.size(); ++i) out.Text((i ? ",\n" : "\n") + Dump(bodies[i]));
  out.Text("\n],\n\"faces\":[");
  for (size_t i = 0; i < faces.size(); ++i) out.Text((i ? ",\n" : "\n") + Dump(faces[i]));
  out.Text("\n]}\n");
  out.Save(path);
}

}  // namespace atelier
