// What CalculiX's tables say of contact: at points of the slave's faces, and in sums.
#include <cmath>

#include "calculix.hpp"

namespace atelier {
namespace {

constexpr double kSlides = 0.999;  // of the friction that a pressure allows

long Key(double element, double face) { return 10 * std::lround(element) + std::lround(face); }

}  // namespace

ContactReader::ContactReader(const Elasticity& p, const CalculixModel& model)
    : p_(p), thickness_(model.Thickness()) {
  if (!p.nonlinear) return;
  states_.resize(p.nonlinear->contacts.size());
  for (const ContactPair& c : p.nonlinear->contacts) {
    std::map<long, int>& faces = faces_.emplace_back();
    for (int b : c.Slave().faces) {
      const auto [element, face] = model.Face(b);
      faces[Key(element, face)] = b;
    }
  }
}

// A row of an integration point: element, face, and what is along the normal and two tangents.
void ContactReader::AtPoint(const std::string& title, const std::array<double, 8>& row) {
  for (size_t k = 0; k < faces_.size(); k++) {
    const auto at = faces_[k].find(Key(row[0], row[1]));
    if (at == faces_[k].end()) continue;
    ContactState& s = states_[k];
    if (title != "contact stress") {
      s.penetration = std::max(s.penetration, -row[2]);
      return;
    }
    if (!(row[2] > 0)) return;
    ContactState::OnFace& on = s.faces[at->second];
    on.sum += row[2], on.points++;
    s.sum += row[2];
    if (std::hypot(row[3], row[4]) >= kSlides * p_.nonlinear->contacts[k].friction * row[2])
      s.sliding += row[2];
    return;
  }
}

void ContactReader::Row(const std::string& title, const std::array<double, 8>& row) {
  if (states_.empty()) return;
  auto vector = [&] {
    std::vector<double> out;
    for (int c = 0; c < p_.dim; c++) out.push_back(row[c] / thickness_);
    return out;
  };
  if (title == "contact stress" || title == "relative contact displacement") {
    AtPoint(title, row);
    return;
  }
  // The sums of each contact, as they were asked for: normal, then shear. Not every version
  // says which.
  const bool force = title.rfind("total ", 0) == 0 && title.find("surface force") != title.npos;
  if (force) told_++;
  if (told_ < 0 || told_ >= 2 * static_cast<int>(states_.size())) return;
  ContactState& s = states_[told_ / 2];
  if (force) (told_ % 2 == 0 ? s.normal : s.shear) = vector();
  if (title.rfind("area,", 0) == 0) s.area = row[0] / thickness_;
}

std::vector<ContactState> ContactReader::Take() {
  for (ContactState& s : states_) {
    if (s.normal.empty() || s.shear.empty())
      throw Error(codes::kSolverFailed, "CalculiX has printed no contact forces");
    for (const auto& [face, on] : s.faces) {
      const double mean = on.sum / on.points;
      if (mean > s.pressure) s.pressure = mean, s.face = face;
    }
  }
  return std::move(states_);
}

}  // namespace atelier
