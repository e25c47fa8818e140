//! The files that leave the program: the mesh as OBJ with the length unit and the
//! faces in its first line, and faces.json. Areas are those of the mesh.

use crate::import::{BodyMesh, Mesh};
use crate::shells::{Body, Part};
use crate::surface::Surface;
use serde_json::{json, Value};
use std::io::{BufWriter, Result, Write};

/// The area of each face's triangles, by face id minus one.
pub fn face_areas(part: &Part, mesh: &Mesh) -> Vec<f64> {
    let mut areas = vec![0.0; part.faces.len()];
    for (t, &id) in mesh.surface.face.iter().enumerate() {
        areas[id as usize - 1] += mesh.surface.triangle_area(t);
    }
    areas
}

pub fn obj(path: &str, part: &Part, mesh: &Mesh, unit: &str) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let areas = face_areas(part, mesh);
    let faces: Vec<Value> = part
        .faces
        .iter()
        .map(|f| {
            let mut v = json!({"id": f.id});
            if !f.name.is_empty() {
                v["name"] = json!(f.name);
            }
            v["area"] = json!(areas[f.id as usize - 1]);
            v["kind"] = json!(f.kind);
            v["body"] = json!(f.body);
            v
        })
        .collect();
    writeln!(out, "# atelier {}", json!({"length_unit": unit, "faces": faces}))?;
    for p in &mesh.surface.points {
        writeln!(out, "v {} {} {}", p[0], p[1], p[2])?;
    }
    let mut face = 0;
    for (t, v) in mesh.surface.triangles.iter().enumerate() {
        if mesh.surface.face[t] != face {
            face = mesh.surface.face[t];
            writeln!(out, "g face_{face}")?;
        }
        writeln!(out, "f {} {} {}", v[0] + 1, v[1] + 1, v[2] + 1)?;
    }
    out.flush()
}

pub fn body(index: usize, body: &Body, b: &BodyMesh, s: &Surface) -> Value {
    let closed = b.last > b.first && b.edges.closed();
    json!({
        "id": index + 1, "name": body.name, "kind": if body.solid { "solid" } else { "shell" },
        "faces": body.ids.len(), "volume": if closed { b.volume } else { 0.0 }, "area": s.area(b.first, b.last),
        "shells": 1, "closed_shells": usize::from(closed), "watertight": closed,
    })
}

pub fn faces(path: &str, part: &Part, mesh: &Mesh, unit: &str) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let areas = face_areas(part, mesh);
    let mut moments = vec![[0.0; 3]; part.faces.len()];
    let mut counts = vec![0_u64; part.faces.len()];
    for (t, &id) in mesh.surface.face.iter().enumerate() {
        let area = mesh.surface.triangle_area(t);
        counts[id as usize - 1] += 1;
        for v in mesh.surface.triangles[t] {
            for (m, x) in moments[id as usize - 1].iter_mut().zip(mesh.surface.points[v as usize]) {
                *m += area * x / 3.0;
            }
        }
    }
    writeln!(out, "{{\"length_unit\":{},\n\"products\":[],\n\"bodies\":[", json!(unit))?;
    let bodies = part.bodies.iter().zip(&mesh.bodies).enumerate();
    let lines: Vec<String> =
        bodies.map(|(i, (b, m))| body(i, b, m, &mesh.surface).to_string()).collect();
    writeln!(out, "{}\n],\n\"faces\":[", lines.join(",\n"))?;
    let line = |i: usize| {
        let f = &part.faces[i];
        let area = areas[i];
        let centroid = moments[i].map(|m| if area > 0.0 { m / area } else { 0.0 });
        json!({"id": f.id, "name": f.name, "kind": f.kind, "area": area, "body": f.body, "centroid": centroid, "triangles": counts[i]}).to_string()
    };
    let lines: Vec<String> = (0..part.faces.len()).map(line).collect();
    writeln!(out, "{}\n]}}", lines.join(",\n"))?;
    out.flush()
}
