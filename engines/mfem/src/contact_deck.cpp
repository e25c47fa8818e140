// Contact in CalculiX's words: faces, the law between them, and the tables that it prints.
#include <ostream>

#include "calculix_deck.hpp"

namespace atelier {
namespace {

// Slope of the shear stress over the slip before friction gives way, over the stiffness along
// the normal.
constexpr double kStickSlope = 0.1;

void WriteSurface(const CalculixModel& model, const Region& r, const std::string& name,
                  std::ostream& out) {
  out << "*SURFACE, NAME=" << name << ", TYPE=ELEMENT\n";
  for (int b : r.faces) {
    const auto [element, face] = model.Face(b);
    out << element << ",S" << face << "\n";
  }
}

}  // namespace

void WriteContacts(const Elasticity& p, const CalculixModel& model, std::ostream& out) {
  if (!p.nonlinear || p.nonlinear->contacts.empty()) return;
  const std::vector<std::set<int>> numbers = model.Numbers();
  int index = 0;
  for (const ContactPair& c : p.nonlinear->contacts) {
    const std::string k = std::to_string(index++);
    WriteSurface(model, c.Slave(), "SLAVE" + k, out);
    WriteSurface(model, c.Master(), "MASTER" + k, out);
    std::string closed;
    for (int node : c.closed) {
      for (int number : numbers[node]) closed += std::to_string(number) + "\n";
    }
    if (!closed.empty()) out << "*NSET, NSET=CLOSED" << k << "\n" << closed;
    out << "*SURFACE INTERACTION, NAME=LAW" << k
        << "\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR\n"
        << Number(c.stiffness) << "\n";
    if (c.friction > 0)
      out << "*FRICTION\n"
          << Number(c.friction) << "," << Number(kStickSlope * c.stiffness) << "\n";
    out << "*CONTACT PAIR, INTERACTION=LAW" << k << ", TYPE=SURFACE TO SURFACE"
        << (closed.empty() ? "" : ", ADJUST=CLOSED" + k) << "\nSLAVE" << k << ",MASTER" << k
        << "\n";
  }
}

void WriteContactTables(const Elasticity& p, const std::string& last, std::ostream& out) {
  if (!p.nonlinear) return;
  for (size_t k = 0; k < p.nonlinear->contacts.size(); k++)
    out << "*CONTACT PRINT, SLAVE=SLAVE" << k << ", MASTER=MASTER" << k << ", " << last << "\n"
        << (k == 0 ? "CDIS,CSTR," : "") << "CFN,CFS\n";
}

}  // namespace atelier
