//! The shells of a STEP file as Truck reads them, with the names and kinds of
//! their faces.

use crate::codes;
use crate::placement;
use crate::protocol::Error;
use crate::step::{self, Statements};
use crate::OCCT_HINT;
use truck_meshalgo::prelude::*;
use truck_polymesh::Point3;
use truck_stepio::r#in::alias::{Curve3D, ElementarySurface, Surface, SweptCurve};
use truck_stepio::r#in::ruststep::{ast::Name, parser, tables::PlaceHolder};
use truck_stepio::r#in::{FaceAnyHolder, ShellHolder, Table};
use truck_topology::compress::CompressedShell;

pub struct FaceFacts {
    pub id: u32,
    pub body: u32,
    pub name: String,
    pub kind: &'static str,
}

pub struct Body {
    pub name: String,
    pub solid: bool,
    pub shape: CompressedShell<Point3, Curve3D, Surface>,
    pub ids: Vec<u32>, // of the faces in `shape`
    pub inward: bool,  // a void of a solid: its faces look into the material
}

pub struct Part {
    pub bodies: Vec<Body>,
    pub faces: Vec<FaceFacts>,
    pub lost: usize, // faces that Truck did not understand
}

/// Reads all shells. Fails with ERR_FILE_UNREADABLE where the text cannot be
/// parsed and ERR_TESSELLATION_FAILED where it has none, or places parts.
pub fn read(text: &str, statements: &Statements) -> Result<Part, Error> {
    let exchange = parser::parse(text).map_err(|e| {
        let first = e.to_string().lines().next().unwrap_or_default().to_owned();
        Error::new(
            codes::FILE_UNREADABLE,
            format!("Truck cannot parse this STEP file: {first}."),
            OCCT_HINT,
        )
    })?;
    let Some(data) = exchange.data.first() else {
        return Err(Error::new(codes::FILE_UNREADABLE, "The STEP file has no DATA section.", ""));
    };
    refuse_placements(statements)?;
    let table = Table::from_data_section(data);
    let mut ids: Vec<u64> = table.shell.keys().copied().collect();
    ids.sort_unstable(); // the table is unordered
    if ids.is_empty() {
        return Err(Error::new(
            codes::TESSELLATION_FAILED,
            "Truck finds no shell in this STEP file.",
            "The file must hold a solid or surface model with boundary representation.",
        ));
    }
    let mut part = Part { bodies: Vec::new(), faces: Vec::new(), lost: 0 };
    for id in ids {
        let body = body(&table, statements, id, &mut part.faces, part.bodies.len() as u32 + 1);
        let (body, lost) = body.ok_or_else(|| {
            Error::new(
                codes::TESSELLATION_FAILED,
                format!("Truck cannot build the shell #{id}."),
                OCCT_HINT,
            )
        })?;
        part.lost += lost;
        part.bodies.push(body);
    }
    Ok(part)
}

/// Truck 0.3 ignores where an assembly places its parts, which would be a wrong
/// answer without a sign of it.
fn refuse_placements(statements: &Statements) -> Result<(), Error> {
    let placed = placement::count_moving(statements);
    if placed == 0 {
        return Ok(());
    }
    Err(Error::new(
        codes::TESSELLATION_FAILED,
        format!(
            "The file is an assembly with {placed} moved or turned part(s); Truck does not read placements."
        ),
        OCCT_HINT,
    ))
}

fn body(
    table: &Table,
    statements: &Statements,
    id: u64,
    faces: &mut Vec<FaceFacts>,
    number: u32,
) -> Option<(Body, usize)> {
    let holder = table.shell.get(&id)?;
    let mut shape = table.to_compressed_shell(holder).ok()?;
    let listed = holder.cfs_faces.len();
    let labels: Vec<String> = holder.cfs_faces.iter().map(|f| label(table, f)).collect();
    let mut kept: Vec<usize> = (0..listed).collect();
    if shape.faces.len() != listed {
        kept.retain(|&i| readable(table, holder, i));
        if kept.len() != shape.faces.len() {
            return None;
        }
    }
    let mut ids = Vec::with_capacity(kept.len());
    let first = faces.len() as u32 + 1;
    for (i, name) in labels.into_iter().enumerate() {
        let at = kept.iter().position(|&k| k == i);
        let kind = at.map_or("other", |k| kind(&shape.faces[k].surface));
        faces.push(FaceFacts { id: first + i as u32, body: number, name, kind });
    }
    ids.extend(kept.iter().map(|&k| first + k as u32));
    let inward = turned(statements, id);
    if inward {
        for f in &mut shape.faces {
            f.orientation = !f.orientation;
        }
    }
    let solid = solid_name(statements, id);
    let body = Body {
        name: solid.clone().unwrap_or_default(),
        solid: solid.is_some(),
        shape,
        ids,
        inward,
    };
    Some((body, listed - kept.len()))
}

fn label(table: &Table, face: &PlaceHolder<FaceAnyHolder>) -> String {
    let PlaceHolder::Ref(Name::Entity(id)) = face else { return String::new() };
    let of = |id: &u64| table.face_surface.get(id).map(|f| step::name(&f.label));
    let inner = table.oriented_face.get(id).and_then(|o| match &o.face_element {
        PlaceHolder::Ref(Name::Entity(inner)) => of(inner),
        _ => None,
    });
    of(id).or(inner).unwrap_or_default()
}

/// Whether Truck understands the face on its own.
fn readable(table: &Table, shell: &ShellHolder, face: usize) -> bool {
    let single =
        ShellHolder { label: String::new(), cfs_faces: vec![shell.cfs_faces[face].clone()] };
    table.to_compressed_shell(&single).is_ok_and(|s| s.faces.len() == 1)
}

fn kind(surface: &Surface) -> &'static str {
    match surface {
        Surface::ElementarySurface(e) => match e.as_ref() {
            ElementarySurface::Plane(_) => "plane",
            ElementarySurface::Sphere(_) => "sphere",
            ElementarySurface::CylindricalSurface(_) => "cylinder",
            ElementarySurface::ToroidalSurface(_) => "torus",
            ElementarySurface::ConicalSurface(_) => "cone",
        },
        Surface::SweptCurve(s) => match s.as_ref() {
            SweptCurve::ExtrudedCurve(_) => "extrusion",
            SweptCurve::RevolutedCurve(_) => "revolution",
        },
        Surface::BSplineSurface(_) | Surface::NurbsSurface(_) => "bspline",
    }
}

/// Whether the file uses the shell turned round, as the voids of a solid do.
fn turned(statements: &Statements, shell: u64) -> bool {
    statements.records("ORIENTED_CLOSED_SHELL").any(|(_, p)| {
        p.get(2).is_some_and(|r| step::references(r) == [shell])
            && p[3..].first().copied() == Some(".F.")
    })
}

/// The name of the solid that the shell bounds; None where it bounds none.
fn solid_name(statements: &Statements, shell: u64) -> Option<String> {
    let oriented: Vec<u64> = statements
        .records("ORIENTED_CLOSED_SHELL")
        .filter(|(_, p)| p.get(2).is_some_and(|r| step::references(r) == [shell]))
        .map(|(id, _)| id)
        .collect();
    ["MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP"].iter().find_map(|kind| {
        statements.records(kind).find_map(|(_, p)| {
            let used = p.iter().skip(1).flat_map(|x| step::references(x));
            let mine = used.into_iter().any(|r| r == shell || oriented.contains(&r));
            mine.then(|| step::name(p.first().unwrap_or(&"")))
        })
    })
}

impl Part {
    /// A length of the order of the part's size, from its vertices and edges.
    pub fn rough_size(&self) -> f64 {
        let on_edges = self.bodies.iter().flat_map(|b| &b.shape.edges).flat_map(|e| {
            let (a, z) = e.curve.range_tuple();
            (0..=8).map(move |i| e.curve.subs(a + (z - a) * f64::from(i) / 8.0))
        });
        let (lo, hi) = crate::surface::bounds(
            on_edges.map(|p| [p.x, p.y, p.z]).filter(|p| p.iter().all(|x| x.is_finite())),
        );
        crate::surface::norm(crate::surface::minus(hi, lo))
    }
}
