#include "glb.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace atelier {
namespace {

constexpr int kFloat = 5126, kUint32 = 5125, kArrayBuffer = 34962, kElementBuffer = 34963;
constexpr Color kGrey = {0.6, 0.62, 0.65};

void Put32(std::string& out, uint32_t x) {
  for (int k = 0; k < 4; ++k) out += static_cast<char>(x >> (8 * k));
}

void PutFloat(std::string& out, float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  Put32(out, bits);
}

// Materials gives every colour in use one material.
class Materials {
 public:
  int Of(const Color& c) {
    auto [at, fresh] = index_.try_emplace(c, static_cast<int>(list_.size()));
    if (fresh) {
      list_.push_back({{"pbrMetallicRoughness",
                        {{"baseColorFactor", {c[0], c[1], c[2], 1.0}},
                         {"metallicFactor", 0.1},
                         {"roughnessFactor", 0.6}}},
                       {"doubleSided", true}});
    }
    return at->second;
  }
  const Json& list() const { return list_; }

 private:
  std::map<Color, int> index_;
  Json list_ = Json::array();
};

Json PositionAccessor(const Surface& s, std::string& bin) {
  std::array<float, 3> lo{}, hi{};
  for (size_t i = 0; i < s.points.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) {
      float x = static_cast<float>(s.points[i][k] + 0.0);
      lo[k] = i == 0 ? x : std::min(lo[k], x);
      hi[k] = i == 0 ? x : std::max(hi[k], x);
      PutFloat(bin, x);
    }
  }
  return {{"bufferView", 0},
          {"componentType", kFloat},
          {"count", s.points.size()},
          {"type", "VEC3"},
          {"min", lo},
          {"max", hi}};
}

std::string Container(const Json& doc, std::string bin) {
  std::string json = doc.dump(-1, ' ', false, Json::error_handler_t::replace);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  bin.resize((bin.size() + 3) / 4 * 4, '\0');
  std::string out = "glTF";
  Put32(out, 2);
  Put32(out, static_cast<uint32_t>(12 + 8 + json.size() + 8 + bin.size()));
  Put32(out, static_cast<uint32_t>(json.size()));
  out += "JSON" + json;
  Put32(out, static_cast<uint32_t>(bin.size()));
  out += std::string("BIN\0", 4) + bin;
  return out;
}

}  // namespace

std::string EncodeGlb(const Part& part, const Surface& s, const Json& meta) {
  std::string bin;
  Json accessors = Json::array({PositionAccessor(s, bin)});
  const size_t vertex_bytes = bin.size();
  Json primitives = Json::array();
  Materials materials;
  size_t first = 0;
  while (first < s.triangles.size()) {
    size_t last = first;
    while (last < s.triangles.size() && s.face[last] == s.face[first]) ++last;
    const Face& face = part.faces[static_cast<size_t>(s.face[first] - 1)];
    const Body& body = part.bodies[static_cast<size_t>(face.body - 1)];
    Color color = face.color ? *face.color : body.color ? *body.color : kGrey;
    accessors.push_back({{"bufferView", 1},
                         {"byteOffset", 12 * first},
                         {"componentType", kUint32},
                         {"count", 3 * (last - first)},
                         {"type", "SCALAR"}});
    Json extras = {{"face_id", face.id}};
    if (!face.name.empty()) extras["name"] = face.name;
    primitives.push_back({{"attributes", {{"POSITION", 0}}},
                          {"indices", accessors.size() - 1},
                          {"material", materials.Of(color)},
                          {"extras", extras}});
    first = last;
  }
  for (const Triangle& t : s.triangles) {
    for (int32_t v : t) Put32(bin, static_cast<uint32_t>(v));
  }
  Json views = Json::array({{{"buffer", 0}, {"byteLength", vertex_bytes}, {"target", kArrayBuffer}},
                            {{"buffer", 0},
                             {"byteOffset", vertex_bytes},
                             {"byteLength", bin.size() - vertex_bytes},
                             {"target", kElementBuffer}}});
  Json doc = {
      {"asset", {{"version", "2.0"}, {"generator", "atelier"}, {"extras", {{"atelier", meta}}}}},
      {"scene", 0},
      {"scenes", Json::array({{{"nodes", {0}}}})},
      {"nodes", Json::array({{{"mesh", 0}}})},
      {"meshes", Json::array({{{"primitives", primitives}}})},
      {"materials", materials.list()},
      {"accessors", accessors},
      {"bufferViews", views},
      {"buffers", Json::array({{{"byteLength", bin.size()}}})}};
  return Container(doc, std::move(bin));
}

}  // namespace atelier
