// Which edges of a boundary are corners of the part, and which the edges of facets.
#include "kinks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>

#include "fixtures.hpp"

namespace atelier {
namespace {

using Kind = Kinks::Kind;

// How many edges of each kind turn in by more than what counts as flat, of those that begin
// where it is asked for.
std::map<Kind, int> Judge(
    mfem::Mesh& mesh, std::vector<Hold> hold = {},
    const std::function<bool(const Point3&)>& here = [](const Point3&) { return true; }) {
  if (hold.empty()) hold.assign(mesh.GetNBE(), Hold::kFree);
  const Kinks kinks(mesh, hold);
  std::map<Kind, int> count;
  for (size_t e = 0; e < kinks.Edges().size(); e++) {
    const BoundaryEdge& edge = kinks.Edges()[e];
    if (edge.sides.size() == 2 && kinks.Turn(edge) > kLeastTurn && here(edge.at))
      count[kinks.Judge(static_cast<int>(e))]++;
  }
  return count;
}

// A strip, two elements high, under a line of these points; in 3-D two elements deep. The
// elements are those of the type.
mfem::Mesh Strip(const std::vector<std::array<double, 2>>& top, mfem::Element::Type type) {
  const bool solid = type == mfem::Element::TETRAHEDRON || type == mfem::Element::HEXAHEDRON ||
                     type == mfem::Element::WEDGE;
  const int n = static_cast<int>(top.size()) - 1;
  mfem::Mesh mesh = solid ? mfem::Mesh::MakeCartesian3D(n, 2, 2, type, n, 2, 2)
                          : mfem::Mesh::MakeCartesian2D(n, 2, type, false, n, 2);
  for (int v = 0; v < mesh.GetNV(); v++) {
    double* x = mesh.GetVertex(v);
    const auto& [to, high] = top[static_cast<size_t>(std::lround(x[0]))];
    x[0] = to;
    x[1] = high * x[1] / 2;
  }
  return mesh;
}

constexpr mfem::Element::Type kTypes[] = {mfem::Element::TRIANGLE, mfem::Element::QUADRILATERAL,
                                          mfem::Element::TETRAHEDRON, mfem::Element::HEXAHEDRON,
                                          mfem::Element::WEDGE};
int Lines(mfem::Element::Type type) { return type <= mfem::Element::QUADRILATERAL ? 1 : 2; }

// A line that goes on straight in steps, and turns before each by an angle.
class Line {
 public:
  Line() : points_{{0, 3}} {}
  Line& Go(double turn, double step, int steps = 1) {
    angle_ += turn;
    for (int i = 0; i < steps; i++) {
      points_.push_back({points_.back()[0] + step * std::cos(angle_),
                         points_.back()[1] + step * std::sin(angle_)});
    }
    return *this;
  }
  const std::vector<std::array<double, 2>>& Points() const { return points_; }

 private:
  std::vector<std::array<double, 2>> points_;
  double angle_ = 0;
};

TEST_CASE("the exponent of a corner is that of Williams") {
  // Tables of Williams (1952), by other authors to more digits: a crack has 1/2, 270
  // degrees 0.5445, 225 degrees 0.6736; near 180 degrees the expansion of the equation
  // gives 1 - 2 turn/pi to first order.
  CHECK(Exponent(360 * kDegree) == doctest::Approx(0.5));
  CHECK(Exponent(270 * kDegree) == doctest::Approx(0.5445).epsilon(1e-3));
  CHECK(Exponent(225 * kDegree) == doctest::Approx(0.6736).epsilon(1e-3));
  CHECK(Exponent(181 * kDegree) == doctest::Approx(1 - 2.0 / 180).epsilon(1e-3));
  CHECK(Exponent(90 * kDegree) == 1);
}

TEST_CASE("the sides of a polygon in place of a hole are facets") {
  Random random(101);
  for (int dimension : {2, 3}) {
    for (int split : {1, 2}) {
      for (int n : {12, random.Integer(13, 32), random.Integer(33, 64)}) {
        CAPTURE(n);
        CAPTURE(dimension);
        CAPTURE(split);
        mfem::Mesh mesh = Annulus(n, split, dimension, random.Between(0.05, 1));
        auto found = Judge(mesh);
        CHECK(found[Kind::kFacet] == (dimension == 2 ? n : 2 * n));
        CHECK(found[Kind::kCorner] + found[Kind::kUnclear] == 0);
      }
    }
  }
}

TEST_CASE("a polygon whose sides many elements span is no round hole") {
  Random random(102);
  for (int dimension : {2, 3}) {
    const int n = random.Integer(12, 24), split = random.Integer(5, 8);
    mfem::Mesh mesh = Annulus(n, split, dimension, 0.3);
    auto found = Judge(mesh);
    CHECK(found[Kind::kUnclear] == (dimension == 2 ? n : 2 * n));
    CHECK(found[Kind::kFacet] == 0);
  }
}

TEST_CASE("a kink that stands alone is a corner, however fine the mesh") {
  Random random(103);
  for (mfem::Element::Type type : kTypes) {
    for (int fine : {1, 4}) {
      const double turn = random.Between(4, 30) * kDegree, step = random.Between(0.1, 0.3) / fine;
      CAPTURE(turn / kDegree);
      CAPTURE(type);
      Line line;
      line.Go(-turn / 2, step, 5 * fine).Go(turn, step * random.Between(0.5, 2), 4 * fine);
      mfem::Mesh mesh = Strip(line.Points(), type);
      auto found = Judge(mesh);
      CHECK(found[Kind::kCorner] == Lines(type));
      CHECK(found[Kind::kFacet] + found[Kind::kUnclear] == 0);
      // Curved elements know their tangents.
      mesh.SetCurvature(2);
      CHECK(Judge(mesh)[Kind::kCorner] == Lines(type));
    }
  }
}

TEST_CASE("a notch between edges that turn out is a corner") {
  Random random(104);
  for (mfem::Element::Type type : kTypes) {
    const double turn = random.Between(5, 15) * kDegree;
    Line line;
    line.Go(0, 0.2, 4).Go(-turn, 0.2, 1).Go(2 * turn, 0.2, 1).Go(-turn, 0.2, 4);
    mfem::Mesh mesh = Strip(line.Points(), type);
    CHECK(Judge(mesh)[Kind::kCorner] == Lines(type));
  }
}

TEST_CASE("two kinks are no round surface") {
  Random random(105);
  for (mfem::Element::Type type : kTypes) {
    for (int across : {1, 2, 6}) {
      const double turn = random.Between(4, 30) * kDegree;
      Line line;
      line.Go(-turn, 0.2, 4).Go(turn, 0.2, across).Go(turn, 0.2, 4);
      mfem::Mesh mesh = Strip(line.Points(), type);
      CAPTURE(turn / kDegree);
      CAPTURE(across);
      auto found = Judge(mesh);
      CHECK(found[Kind::kFacet] == 0);
      CHECK(found[Kind::kUnclear] + found[Kind::kCorner] == 2 * Lines(type));
    }
  }
}

// An arc of `facets` chords between two planes that touch it, by points that are off
// their even places by a share of the chord.
Line Fillet(double whole, int facets, double uneven, int beside, Random& random) {
  std::vector<double> at{0};
  for (int i = 1; i < facets; i++)
    at.push_back((i + random.Between(-uneven, uneven)) * whole / facets);
  at.push_back(whole);
  Line line;
  line.Go(-whole / 2, random.Between(0.1, 0.2), beside);
  double before = 0;
  for (int i = 0; i < facets; i++) {
    const double over = at[i + 1] - at[i];
    line.Go(before + over / 2, 2 * std::sin(over / 2));
    before = over / 2;
  }
  line.Go(before, random.Between(0.1, 0.2), beside);
  return line;
}

TEST_CASE("a fillet of three facets and more is round") {
  Random random(106);
  for (mfem::Element::Type type : kTypes) {
    for (int trial = 0; trial < 4; trial++) {
      const double whole = random.Between(30, 90) * kDegree;
      const int facets =
          std::max(3, static_cast<int>(std::ceil(whole / random.Between(4, 24) / kDegree)));
      mfem::Mesh mesh = Strip(Fillet(whole, facets, 0.1, 4, random).Points(), type);
      CAPTURE(type);
      CAPTURE(whole / kDegree);
      CAPTURE(facets);
      auto found = Judge(mesh);
      CHECK(found[Kind::kCorner] + found[Kind::kUnclear] == 0);
    }
  }
}

TEST_CASE("a corner at the end of a fillet is none of its facets") {
  Random random(107);
  for (mfem::Element::Type type : {mfem::Element::QUADRILATERAL, mfem::Element::HEXAHEDRON}) {
    const int facets = random.Integer(6, 12);
    Line line = Fillet(60 * kDegree, facets, 0, 4, random);
    line.Go(random.Between(12, 25) * kDegree, 0.1, 6);
    mfem::Mesh mesh = Strip(line.Points(), type);
    auto found = Judge(mesh);
    CHECK(found[Kind::kCorner] + found[Kind::kUnclear] == Lines(type));
  }
}

// A quarter of a bore, or a piece of a hollow ball, of tetrahedra whose vertices on the
// round surface are off their even places.
mfem::Mesh Hollow(bool ball, int n, double uneven, Random& random) {
  mfem::Mesh mesh = mfem::Mesh::MakeCartesian3D(n, n, 2, mfem::Element::TETRAHEDRON, n, n, 2);
  for (int v = 0; v < mesh.GetNV(); v++) {
    double* x = mesh.GetVertex(v);
    double at[2];
    for (int k = 0; k < 2; k++) {
      const bool inner = x[k] > 0.5 && x[k] < n - 0.5;
      at[k] = (x[k] + (inner ? random.Between(-uneven, uneven) : 0)) * 90 * kDegree / n;
    }
    const double r = 1 + 0.2 * x[2];
    if (ball) {
      const double a = std::tan(at[0] - 45 * kDegree), b = std::tan(at[1] - 45 * kDegree);
      const double to = r / std::sqrt(1 + a * a + b * b);
      x[0] = a * to, x[1] = b * to, x[2] = to;
    } else {
      x[0] = r * std::sin(at[0]), x[1] = at[1], x[2] = r * std::cos(at[0]);
    }
  }
  return mesh;
}

TEST_CASE("the triangles of a hollow are facets") {
  Random random(108);
  for (bool ball : {false, true}) {
    for (int trial = 0; trial < 6; trial++) {
      const int n = random.Integer(7, 12);
      CAPTURE(n);
      CAPTURE(ball);
      mfem::Mesh mesh = Hollow(ball, n, 0.12, random);
      // Where the ball's piece ends, single triangles lie between its sides.
      auto found = Judge(mesh, {}, [&](const Point3& x) {
        const double most = std::tan(45 * kDegree * (1 - 4.5 / n));
        return !ball || std::max(std::abs(x[0]), std::abs(x[1])) < most * x[2];
      });
      CHECK(found[Kind::kFacet] > 0);
      CHECK(found[Kind::kCorner] + found[Kind::kUnclear] == 0);
    }
  }
}

// Symmetry where a mesh ends on the right or on the left.
std::vector<Hold> Mirrors(const mfem::Mesh& mesh) {
  double low = INFINITY, high = -INFINITY;
  for (int v = 0; v < mesh.GetNV(); v++) {
    low = std::min(low, mesh.GetVertex(v)[0]);
    high = std::max(high, mesh.GetVertex(v)[0]);
  }
  std::vector<Hold> hold;
  for (int f = 0; f < mesh.GetNBE(); f++) {
    const mfem::Element& face = *mesh.GetBdrElement(f);
    bool left = true, right = true;
    for (int i = 0; i < face.GetNVertices(); i++) {
      const double x = mesh.GetVertex(face.GetVertices()[i])[0];
      left = left && x < low + 1e-9;
      right = right && x > high - 1e-9;
    }
    hold.push_back(left || right ? Hold::kSymmetry : Hold::kFree);
  }
  return hold;
}

TEST_CASE("a plane of symmetry shows the image of what lies beside it") {
  Random random(109);
  for (mfem::Element::Type type : kTypes) {
    // Half of a kink, flat beside it.
    mfem::Mesh kink = Strip(Line().Go(-random.Between(3, 14) * kDegree, 0.2, 6).Points(), type);
    CHECK(Judge(kink, Mirrors(kink))[Kind::kCorner] == Lines(type));
    // An arc of equal sides that ends, level, with half of one or half of a kink.
    const int n = random.Integer(4, 10);
    const double turn = random.Between(7, 30) * kDegree / (n > 6 ? 2 : 1);
    for (bool half : {false, true}) {
      Line line;
      line.Go(-(n - 1) * turn - (half ? 0 : turn / 2), 0.02);
      for (int i = 1; i < n; i++) line.Go(turn, half && i == n - 1 ? 0.01 : 0.02);
      if ((n - 1) * turn > 75 * kDegree) continue;
      mfem::Mesh mesh = Strip(line.Points(), type);
      auto found = Judge(mesh, Mirrors(mesh));
      CAPTURE(n);
      CAPTURE(half);
      CHECK(found[Kind::kFacet] == (half ? n - 1 : n) * Lines(type));
    }
  }
}

}  // namespace
}  // namespace atelier
