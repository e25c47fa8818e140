//! The operation import: a STEP file becomes a mesh with figures.

use crate::codes;
use crate::protocol::{self, Error, Warning};
use crate::shells::{self, Part};
use crate::step::{self, Statements};
use crate::surface::{minus, norm, Edges, Surface};
use crate::{weld, write, OCCT_HINT};
use serde_json::{json, Value};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Instant;
use truck_meshalgo::prelude::*;

const DEFAULT_DEFLECTION: f64 = 5e-4; // of the diagonal
const FINEST_DEFLECTION: f64 = 1e-5; // of the diagonal
const WELD: f64 = 0.02; // of the deflection
const VOLUME_GOAL: f64 = 0.004; // change of the volume when the deflection is halved
const REFINEMENTS: u32 = 3;
const LISTED: usize = 20;

/// The mesh of a part at one deflection.
pub struct Mesh {
    pub surface: Surface,
    pub bodies: Vec<BodyMesh>,
    pub deflection: f64,
}

pub struct BodyMesh {
    pub first: usize,
    pub last: usize,
    pub edges: Edges,
    pub volume: f64,
}

impl Mesh {
    fn watertight(&self) -> bool {
        !self.bodies.is_empty() && self.bodies.iter().all(|b| b.last > b.first && b.edges.closed())
    }
    fn volume(&self) -> f64 {
        self.bodies.iter().map(|b| b.volume).sum()
    }
    fn diagonal(&self) -> f64 {
        let (lo, hi) = self.surface.bounds();
        norm(minus(hi, lo))
    }
}

/// Request: {op:"import", path, output_file (OBJ), faces_file, linear_deflection? (in the
/// file's unit) or linear_deflection_mm?, max_triangles?, length_unit? (of a file without one)}.
pub fn import(request: &Value) -> Result<(), Error> {
    let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
    let (mesh_file, faces_file) = (text("output_file"), text("faces_file"));
    let start = Instant::now();
    protocol::progress(0.05, "reading the STEP file");
    let raw = std::fs::read(text("path")).map_err(|e| {
        Error::new(codes::FILE_UNREADABLE, format!("The file cannot be read: {e}."), "")
    })?;
    let prepared = step::prepare(&raw);
    let statements = Statements::scan(&prepared);
    let part = shells::read(&statements.with_space_curves(&prepared), &statements)?;
    let read_ms = start.elapsed().as_millis();
    let mut warnings = Vec::new();
    // Of a file without a unit the caller may know it.
    let unit =
        length_unit(&statements, request["length_unit"].as_str().unwrap_or("mm"), &mut warnings);
    let asked = match request["linear_deflection_mm"].as_f64() {
        Some(mm) => mm / statements.length_units().first().copied().unwrap_or(1.0),
        None => request["linear_deflection"].as_f64().unwrap_or(0.0),
    };
    let limit = request["max_triangles"].as_u64().unwrap_or(5_000_000);
    let (mut mesh, change) = tessellate(&part, asked, limit, &mut warnings)?;
    let mesh_ms = start.elapsed().as_millis() - read_ms;
    orient(&part, &mut mesh, &mut warnings);
    judge(&part, &mesh, &mut warnings);
    protocol::progress(0.9, "writing the mesh");
    let failed = |e: std::io::Error| {
        Error::new(codes::TESSELLATION_FAILED, format!("The mesh cannot be written: {e}."), "")
    };
    write::obj(&mesh_file, &part, &mesh, unit).map_err(failed)?;
    write::faces(&faces_file, &part, &mesh, unit).map_err(failed)?;
    let artifacts = json!([{"name": mesh_file, "primary": true}, {"name": faces_file, "mime_type": "application/json"}]);
    let metrics = json!({"read_ms": read_ms as u64, "mesh_ms": mesh_ms as u64});
    protocol::result(answer(&part, &mesh, change, unit), artifacts, metrics, &warnings);
    Ok(())
}

fn length_unit<'a>(
    statements: &Statements,
    unnamed: &'a str,
    warnings: &mut Vec<Warning>,
) -> &'a str {
    let units = statements.length_units();
    let Some(&mm) = units.first() else {
        return unnamed;
    };
    if units.iter().any(|u| (u - mm).abs() > 1e-5 * mm) {
        warnings.push(Warning::new(
            "mixed_length_units",
            "The file mixes length units, which Truck does not convert; compare with engine occt.",
        ));
    }
    let known = [
        ("mm", 1.0),
        ("in", 25.4),
        ("m", 1e3),
        ("cm", 10.0),
        ("ft", 304.8),
        ("um", 1e-3),
        ("km", 1e6),
    ];
    match known.iter().find(|(_, u)| (u - mm).abs() < 1e-5 * u) {
        Some((name, _)) => name,
        None => {
            warnings.push(Warning::new("length_unit_unknown", format!("The file's length unit is {mm} mm, which has no name here; coordinates are in that unit though labelled mm. Use engine occt, which converts them.")));
            "mm"
        }
    }
}

fn mesh_at(part: &Part, deflection: f64) -> Mesh {
    let mut mesh = Mesh { surface: Surface::default(), bodies: Vec::new(), deflection };
    for body in &part.bodies {
        let first = mesh.surface.triangles.len();
        let meshed = body.shape.robust_triangulation(deflection);
        weld::append(&meshed, &body.ids, WELD * deflection, &mut mesh.surface);
        let last = mesh.surface.triangles.len();
        mesh.bodies.push(BodyMesh { first, last, edges: Edges::default(), volume: 0.0 });
    }
    weld::compact(&mut mesh.surface);
    for b in &mut mesh.bodies {
        b.edges = mesh.surface.edges(b.first, b.last);
        b.volume = mesh.surface.volume(b.first, b.last);
    }
    mesh
}

/// Meshes at the deflection asked for, or, without one, finer until halving the
/// deflection changes the volume by less than 0.4 %. The second figure is that
/// change, (finer - coarser) / finer.
fn tessellate(
    part: &Part,
    asked: f64,
    limit: u64,
    warnings: &mut Vec<Warning>,
) -> Result<(Mesh, f64), Error> {
    // A face that closes on itself, like a whole torus, has no edge to tell its size.
    let rough = Some(part.rough_size()).filter(|r| r.is_finite() && *r > 0.0).unwrap_or(1.0);
    protocol::progress(0.3, "tessellating");
    let coarse = coarse_mesh(part, 1e-2 * rough);
    let diagonal = coarse.diagonal();
    if coarse.surface.triangles.is_empty() || !diagonal.is_finite() || diagonal <= 0.0 {
        return Err(Error::new(
            codes::TESSELLATION_FAILED,
            "No face of the shape could be turned into triangles.",
            OCCT_HINT,
        ));
    }
    let mut deflection = if asked > 0.0 { asked } else { 2.0 * DEFAULT_DEFLECTION * diagonal };
    // Truck counts lengths below 1e-6 as nothing; a triangle must stay well above.
    let finest = (FINEST_DEFLECTION * diagonal).max(1e-5);
    let predicted =
        |d: f64| coarse.surface.triangles.len() as f64 * (coarse.deflection / d).max(1.0);
    let before = deflection;
    deflection = deflection.max(finest);
    while predicted(deflection) > limit as f64 {
        deflection *= 1.25;
    }
    if deflection > before && asked > 0.0 {
        warnings.push(Warning::new("deflection_raised", format!("linear_deflection {asked} is too fine for this part with Truck and was raised to {deflection:.4e}.")));
    }
    let mut coarser = coarse_mesh(part, 2.0 * deflection.min(0.1 * diagonal));
    let mut finer = mesh_at(part, deflection);
    for _ in 0..REFINEMENTS {
        if asked > 0.0
            || change(&coarser, &finer).abs() < VOLUME_GOAL
            || predicted(finer.deflection / 2.0) > limit as f64
        {
            break;
        }
        protocol::progress(0.6, "refining: the volume still changes with the deflection");
        let next = mesh_at(part, finer.deflection / 2.0);
        coarser = std::mem::replace(&mut finer, next);
    }
    // Where the edges have an extent, a mesh that reaches far beyond them is torn.
    if !finer.watertight() && part.rough_size() > 0.0 && finer.diagonal() > 1.5 * rough {
        return Err(Error::new(
            codes::TESSELLATION_FAILED,
            format!(
                "Truck's triangles leave the part: they span {:.4e}, its edges {rough:.4e}.",
                finer.diagonal()
            ),
            OCCT_HINT,
        ));
    }
    let change = change(&coarser, &finer);
    Ok((finer, change))
}

/// Truck panics where the deflection is larger than a radius of the part: then a
/// finer one is tried.
fn coarse_mesh(part: &Part, deflection: f64) -> Mesh {
    for ratio in [1.0, 0.1, 0.01] {
        let attempt = catch_unwind(AssertUnwindSafe(|| mesh_at(part, ratio * deflection)));
        if let Ok(mesh) = attempt {
            return mesh;
        }
    }
    mesh_at(part, 1e-3 * deflection)
}

fn change(coarser: &Mesh, finer: &Mesh) -> f64 {
    let (a, b) = (coarser.volume(), finer.volume());
    if b == 0.0 {
        f64::NAN
    } else {
        (b - a) / b
    }
}

/// Turns closed bodies that are inside out; the voids of a solid stay inward.
fn orient(part: &Part, mesh: &mut Mesh, warnings: &mut Vec<Warning>) {
    for (i, (body, b)) in part.bodies.iter().zip(&mut mesh.bodies).enumerate() {
        if b.edges.closed() && (b.volume < 0.0) != body.inward {
            mesh.surface.flip(b.first, b.last);
            b.volume = -b.volume;
            warnings.push(Warning::new(
                "inside_out_body",
                format!("Body {} was inside out; its faces were turned.", i + 1),
            ));
        }
    }
}

fn judge(part: &Part, mesh: &Mesh, warnings: &mut Vec<Warning>) {
    for (i, b) in mesh.bodies.iter().enumerate() {
        if part.bodies[i].solid && !b.edges.closed() {
            warnings.push(Warning::new("mesh_not_closed", format!(
                "Body {} is a solid but its mesh is not closed ({} open and {} non-manifold edges): Truck has lost or bent a face, so volume and area are not to be trusted. {OCCT_HINT}",
                i + 1, b.edges.boundary, b.edges.non_manifold)));
        }
    }
    let mut seen = vec![false; part.faces.len()];
    mesh.surface.face.iter().for_each(|&id| seen[id as usize - 1] = true);
    let empty = seen.iter().filter(|&&s| !s).count();
    if empty > 0 {
        warnings.push(Warning::new("faces_without_triangles", format!("{empty} face(s) got no triangle, {} of them because Truck does not know their surface. {OCCT_HINT}", part.lost)));
    }
}

fn answer(part: &Part, mesh: &Mesh, change: f64, unit: &str) -> Value {
    let s = &mesh.surface;
    let (lo, hi) = s.bounds();
    let closed = mesh.bodies.iter().filter(|b| b.last > b.first && b.edges.closed()).count();
    let named: Vec<&shells::FaceFacts> = part.faces.iter().filter(|f| !f.name.is_empty()).collect();
    let areas = write::face_areas(part, mesh);
    let bodies: Vec<Value> = part
        .bodies
        .iter()
        .zip(&mesh.bodies)
        .take(LISTED)
        .enumerate()
        .map(|(i, (body, b))| write::body(i, body, b, s))
        .collect();
    json!({
        "vertex_count": s.points.len(), "triangle_count": s.triangles.len(),
        "volume": mesh.volume(), "surface_area": s.area(0, s.triangles.len()),
        "bbox_min": lo, "bbox_max": hi, "watertight": mesh.watertight(), "length_unit": unit,
        "exact_volume": null, "exact_surface_area": null, "volume_deviation": null, "area_deviation": null,
        "volume_change": if change.is_finite() { json!(change) } else { json!(null) },
        "linear_deflection": mesh.deflection,
        "solids": part.bodies.iter().filter(|b| b.solid && !b.inward).count(),
        "shells": part.bodies.len(), "closed_shells": closed, "body_count": part.bodies.len(),
        "faces": part.faces.len(), "bodies": bodies,
        "named_faces": named.iter().take(LISTED).map(|f| json!({
            "id": f.id, "name": f.name, "kind": f.kind, "area": areas[f.id as usize - 1], "body": f.body,
        })).collect::<Vec<_>>(),
        "named_face_count": named.len(),
    })
}
