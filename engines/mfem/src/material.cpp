#include "material.hpp"

#include <cmath>
#include <map>

#include "bodies.hpp"
#include "load_cases.hpp"
#include "surface_integral.hpp"

namespace atelier {
namespace {

constexpr double kSoftestSolid =
    1e3;  // Pa; softer than any gel: a missing factor of 1e9 is likelier
constexpr double kStiffestSolid = 2e12;  // Pa; diamond has 1.1e12

struct Material {
  double e, nu, density, yield, alpha;
};

Material ReadMaterial(const Config& m, double density, ElasticMaterials& out, Warnings& warnings) {
  Material r{m.Positive("E"), m.Number("nu"), m.Positive("density", density),
             m.Has("yield") ? m.Positive("yield") : 0, m.Number("alpha", 0)};
  if (!m.Has("alpha")) out.inexpansible.push_back(m.Pointer("alpha"));
  if (r.nu <= -1 || r.nu >= 0.5) {
    throw m.Refuse("nu", "is " + Text(r.nu) + "; it must lie between -1 and 0.5")
        .Hint("A rubber-like material needs nu just below 0.5, such as 0.49.");
  }
  if (r.nu > 0.49) {
    warnings.push_back({"nearly_incompressible",
                        "nu = " + Text(r.nu) +
                            " is nearly incompressible: displacements may come out too small."});
  }
  if (r.e < kSoftestSolid || r.e > kStiffestSolid) {
    out.implausible = true;
    warnings.push_back({"implausible_modulus",
                        "E = " + Text(r.e) + " Pa is implausible for a solid (steel: 2.1e11 Pa)" +
                            (r.e < kSoftestSolid ? "; if it is in GPa, give E = " + Text(r.e * 1e9)
                                                 : std::string()) +
                            "."});
  }
  return r;
}

// The density of the configuration is that of materials without one: where there are
// none and it is another than theirs, one of the two is a mistake.
void RefuseUnusedDensity(const Config& config, const std::vector<Config>& materials) {
  if (!config.Has("density")) return;
  for (const Config& m : materials) {
    if (!m.Has("density")) return;
  }
  const double density = config.Positive("density");
  for (const Config& m : materials) {
    const double own = m.Positive("density");
    if (own == density) continue;
    throw Error(codes::kConflictingConditions,
                "density is " + Text(density, 6) + " kg/m^3, and " + m.Pointer("density") + " " +
                    Text(own, 6) + " kg/m^3: no material is left that the former is for")
        .At(config.Pointer("density"))
        .Hint("Give the density once: in each material, or beside them for those without one.");
  }
}

// For each material the first one that differs from it in its attribute alone.
std::vector<int> FirstEqual(const std::vector<Config>& list) {
  std::vector<int> out;
  for (const Config& m : list) {
    int first = 0;
    while (!list[first].SameBut("attribute", m)) first++;
    out.push_back(first);
  }
  return out;
}

}  // namespace

void PartKinds(ElasticMaterials& materials, const Values& by_element) {
  std::map<std::pair<int, double>, int> number;
  for (size_t e = 0; e < materials.kind.size(); e++) {
    const std::pair key(materials.kind[e], by_element[e]);
    materials.kind[e] = number.emplace(key, static_cast<int>(number.size())).first->second;
  }
}

ElasticMaterials ReadElasticMaterials(const Domain& domain, const Config& config, bool plane_stress,
                                      Warnings& warnings) {
  const std::vector<Config> list = config.List("materials");
  if (list.empty())
    throw config.Refuse("materials", "needs at least one material {attribute, E, nu}");
  ElasticMaterials out;
  out.lame.plane_stress = plane_stress;
  const double density = config.Positive("density", 1);
  std::vector<Material> materials;
  RefuseUnusedDensity(config, list);
  const std::map<int, int> by_attribute = MaterialByAttribute(domain, list);
  for (const Config& m : list) {
    materials.push_back(ReadMaterial(m, density, out, warnings));
    if (!m.Has("density") && !config.Has("density")) out.weightless.push_back(m.Pointer("density"));
  }
  for (int a : domain.mesh->attributes) {
    if (!list[0].Has("attribute") || by_attribute.count(a) != 0) continue;
    std::string& without = list.size() > 1 ? out.defaulted : out.covered;
    without += (without.empty() ? "" : ", ") + std::to_string(a);
  }
  out.material = MaterialByElement(domain, by_attribute);
  const std::vector<int> equal = FirstEqual(list);
  for (int& k : out.material) {
    k = equal[k];
    const double young = materials[k].e, nu = materials[k].nu;
    double lambda = young * nu / ((1 + nu) * (1 - 2 * nu)), mu = young / (2 * (1 + nu));
    if (plane_stress) lambda = young * nu / (1 - nu * nu);
    if (domain.Dimension() == 1) {  // a bar, free to contract: lambda + 2 mu is E
      lambda = 0;
      mu = young / 2;
    }
    out.lame.lambda.push_back(lambda);
    out.lame.mu.push_back(mu);
    out.density.push_back(materials[k].density);
    out.yield.push_back(materials[k].yield);
    out.alpha.push_back(materials[k].alpha);
  }
  out.kind.assign(out.material.size(), 0);
  PartKinds(out, out.lame.lambda);
  PartKinds(out, out.lame.mu);
  const std::vector<Action> actions = Actions(config);
  if (std::any_of(actions.begin(), actions.end(),
                  [](const Action& a) { return a.config.Has("temperature"); }))
    PartKinds(out, out.alpha);
  return out;
}

std::optional<Curve> ReadFlowStress(const Config& m, double young) {
  if (!m.Has("yield")) {
    for (const char* name : {"hardening", "tangent_modulus"}) {
      if (m.Has(name)) throw m.Refuse("yield", std::string("is required beside ") + name);
    }
    return std::nullopt;
  }
  if (m.Has("hardening") && m.Has("tangent_modulus"))
    throw m.Refuse("tangent_modulus", "is given beside hardening, which says the same: give one");
  const double yield = m.Positive("yield");
  if (m.Has("tangent_modulus")) {
    const double tangent = m.Positive("tangent_modulus");
    if (tangent >= young)
      throw m.Refuse("tangent_modulus", "is " + Text(tangent) + " Pa; it must be less than E");
    return Curve({0, 1}, {yield, yield + young * tangent / (young - tangent)});
  }
  if (!m.Has("hardening")) return Curve(yield);
  std::vector<double> strains = {0}, stresses = {yield};
  for (const Json& row : m.Raw("hardening")) {
    const bool pair = row.is_array() && row.size() == 2 && row[0].is_number() && row[1].is_number();
    if (!pair) throw m.Refuse("hardening", "must be a list of pairs [stress, plastic strain]");
    const double s = row[0].get<double>(), e = row[1].get<double>();
    if (e == 0 && s == yield) continue;
    if (!(e > strains.back()) || s < stresses.back())
      throw m.Refuse("hardening", "must rise from the yield stress at a plastic strain of 0")
          .Hint("Write [[" + Text(yield) +
                ", 0], [stress in Pa, plastic strain], ...] with "
                "rising strains, and stresses that do not fall.");
    strains.push_back(e), stresses.push_back(s);
  }
  return Curve(std::move(strains), std::move(stresses));
}

std::vector<Values> ReadBodyForces(const Domain& domain, const Config& config,
                                   const Values& density) {
  const int dim = domain.Dimension(), elements = domain.mesh->GetNE();
  std::vector<Values> all;
  if (config.Has("body_force")) {
    Values& f = all.emplace_back(static_cast<size_t>(elements) * dim, 0.0);
    const std::vector<double> given = config.Vector("body_force", dim);
    for (size_t i = 0; i < f.size(); i++) f[i] = given[i % dim];
  }
  for (const char* name : {"gravity", "acceleration"}) {
    if (!config.Has(name)) continue;
    Values& f = all.emplace_back(static_cast<size_t>(elements) * dim, 0.0);
    const std::vector<double> a = config.Vector(name, dim);
    for (size_t i = 0; i < f.size(); i++) f[i] = density[i / dim] * a[i % dim];
  }
  return all;
}

void AddFollowing(const NodalSpace& space, const Region& region, double pressure, const Values& v,
                  Values& load) {
  const int dim = space.Dimension();
  mfem::Vector shape;
  mfem::DenseMatrix dshape;
  ForEachSurfacePoint(space, region,
                      [&](const std::vector<int>& dofs, const mfem::FiniteElement& fe,
                          const mfem::IntegrationPoint& ip, mfem::ElementTransformation& t) {
                        const int n = fe.GetDof();
                        shape.SetSize(n);
                        dshape.SetSize(n, dim - 1);
                        fe.CalcShape(ip, shape);
                        fe.CalcDShape(ip, dshape);
                        double x[2][3] = {}, d[2][3] = {};  // derivatives of place and displacement
                        for (int k = 0; k < dim - 1; k++) {
                          for (int c = 0; c < dim; c++) {
                            x[k][c] = t.Jacobian()(c, k);
                            for (int a = 0; a < n; a++)
                              d[k][c] += dshape(a, k) * v[static_cast<size_t>(dofs[a]) * dim + c];
                          }
                        }
                        double turned[3] = {d[0][1], -d[0][0], 0};
                        for (int c = 0; dim == 3 && c < 3; c++) {
                          const int i = (c + 1) % 3, j = (c + 2) % 3;
                          turned[c] = d[0][i] * x[1][j] - d[0][j] * x[1][i] + x[0][i] * d[1][j] -
                                      x[0][j] * d[1][i];
                        }
                        for (int a = 0; a < n; a++) {
                          for (int c = 0; c < dim; c++)
                            load[static_cast<size_t>(dofs[a]) * dim + c] -=
                                ip.weight * shape(a) * pressure * turned[c];
                        }
                      });
}

void AddFlux(const NodalSpace& space, const Region& region, double value, Values& load) {
  IntegrateRegion(space, region,
                  [&](const std::vector<int>& dofs, const mfem::Vector& shape, double w,
                      const mfem::Vector&, const mfem::Vector&) {
                    for (size_t a = 0; a < dofs.size(); a++)
                      load[dofs[a]] += w * shape(static_cast<int>(a)) * value;
                  });
}

Values NodalAreas(const NodalSpace& space, const Region& region) {
  const int dim = space.Dimension();
  Values areas(space.Nodes(), 0.0);
  mfem::Vector shape, share, normal(dim), place(dim);
  for (int f : region.faces) {
    const std::vector<int> dofs = space.BoundaryDofs(f);
    const mfem::FiniteElement& fe = *space.Fes().GetBE(f);
    share.SetSize(fe.GetDof()), shape.SetSize(fe.GetDof());
    share = 0.0;
    mfem::ElementTransformation& t = *space.Mesh().GetBdrElementTransformation(f);
    auto length = [&](const mfem::IntegrationPoint& at) {
      t.SetIntPoint(&at);
      if (dim == 1) return 1.0;
      mfem::CalcOrtho(t.Jacobian(), normal);
      if (!space.Axisymmetric()) return normal.Norml2();
      t.Transform(at, place);
      return normal.Norml2() * 2 * M_PI * place(0);
    };
    double area = 0, sum = 0;
    const mfem::IntegrationRule& rule = mfem::IntRules.Get(fe.GetGeomType(), 2 * space.Order() + 1);
    for (int q = 0; q < rule.GetNPoints(); q++) {
      fe.CalcShape(rule.IntPoint(q), shape);
      share.Add(rule.IntPoint(q).weight, shape);
      area += rule.IntPoint(q).weight * length(rule.IntPoint(q));
    }
    for (int i = 0; i < fe.GetDof(); i++) {
      // Of a quadratic triangle the corners have none; rounding must not make it negative.
      share(i) = std::max(0.0, share(i)) * length(fe.GetNodes().IntPoint(i));
      sum += share(i);
    }
    for (size_t i = 0; i < dofs.size(); i++)
      areas[dofs[i]] += share(static_cast<int>(i)) * area / sum;
  }
  return areas;
}

Resultant Resultants(const NodalSpace& space, const Values& nodal, const std::vector<double>& about,
                     const Values* moved) {
  const int dim = space.Dimension();
  Resultant r{std::vector<double>(dim, 0.0), std::vector<double>(3, 0.0)};
  for (int i = 0; i < space.Nodes(); i++) {
    double x[3] = {}, f[3] = {};
    for (int k = 0; k < dim; k++) {
      x[k] = space.Coordinates()[static_cast<size_t>(i) * dim + k] - about[k];
      if (moved) x[k] += (*moved)[static_cast<size_t>(i) * dim + k];
      f[k] = nodal[static_cast<size_t>(i) * dim + k];
      r.force[k] += f[k];
    }
    r.moment[0] += x[1] * f[2] - x[2] * f[1];
    r.moment[1] += x[2] * f[0] - x[0] * f[2];
    r.moment[2] += x[0] * f[1] - x[1] * f[0];
  }
  return r;
}

}  // namespace atelier
