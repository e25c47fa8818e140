//! Joins the meshes that Truck makes of single faces. Truck places a face's
//! border by its own surface, so that two faces agree on their common edge only
//! to rounding: each border point is put back on the edge's polyline, which both
//! faces share, and only there; other points join only within their own face.

use crate::surface::{minus, norm, Surface, Vec3};
use std::collections::HashMap;
use truck_meshalgo::prelude::{PolygonMesh, PolylineCurve};
use truck_polymesh::{Point3, StandardVertex};
use truck_topology::compress::CompressedShell;

pub type MeshedShell = CompressedShell<Point3, PolylineCurve<Point3>, Option<PolygonMesh>>;

/// Points in cells of the size of the tolerance, so that neighbours are near.
struct Grid {
    size: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl Grid {
    fn new(size: f64) -> Grid {
        Grid { size, cells: HashMap::new() }
    }

    fn cell(&self, p: Vec3) -> [i64; 3] {
        p.map(|x| (x / self.size).floor() as i64)
    }

    fn add(&mut self, p: Vec3, index: u32) {
        self.cells.entry(self.cell(p)).or_default().push(index);
    }

    fn nearest(&self, p: Vec3, points: &[Vec3]) -> Option<u32> {
        let [x, y, z] = self.cell(p);
        let mut best: Option<(f64, u32)> = None;
        for i in 0..27 {
            let key = [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1];
            for &k in self.cells.get(&key).into_iter().flatten() {
                let d = norm(minus(points[k as usize], p));
                if d <= self.size && best.is_none_or(|(least, _)| d < least) {
                    best = Some((d, k));
                }
            }
        }
        best.map(|(_, k)| k)
    }
}

fn vec3(p: Point3) -> Vec3 {
    [p.x + 0.0, p.y + 0.0, p.z + 0.0]
}

/// Appends a shell's triangles; `ids` are those of its faces, in order. Lengths
/// below `tolerance` do not count.
pub fn append(shell: &MeshedShell, ids: &[u32], tolerance: f64, out: &mut Surface) {
    let base = out.points.len() as u32;
    out.points.extend(shell.vertices.iter().map(|&p| vec3(p)));
    let runs: Vec<Vec<u32>> = shell
        .edges
        .iter()
        .map(|edge| {
            let line = &edge.curve.0;
            let last = line.len().saturating_sub(1);
            (0..line.len())
                .map(|i| match i {
                    0 => base + edge.vertices.0 as u32,
                    i if i == last => base + edge.vertices.1 as u32,
                    _ => {
                        out.points.push(vec3(line[i]));
                        out.points.len() as u32 - 1
                    }
                })
                .collect()
        })
        .collect();
    for (face, &id) in shell.faces.iter().zip(ids) {
        let Some(mesh) = &face.surface else { continue };
        let mut border = Grid::new(tolerance);
        for edge in face.boundaries.iter().flatten() {
            for &v in runs.get(edge.index).into_iter().flatten() {
                border.add(out.points[v as usize], v);
            }
        }
        let mut inner = Grid::new(tolerance);
        let place: Vec<u32> = mesh
            .positions()
            .iter()
            .map(|&p| {
                let p = vec3(p);
                let known =
                    border.nearest(p, &out.points).or_else(|| inner.nearest(p, &out.points));
                known.unwrap_or_else(|| {
                    out.points.push(p);
                    let v = out.points.len() as u32 - 1;
                    inner.add(p, v);
                    v
                })
            })
            .collect();
        for [a, b, c] in mesh.faces().triangle_iter() {
            let corner = |v: StandardVertex| place[v.pos];
            let mut t = [corner(a), corner(b), corner(c)];
            if !face.orientation {
                t.swap(1, 2);
            }
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                out.triangles.push(t);
                out.face.push(id);
            }
        }
    }
}

/// Drops the points that no triangle uses.
pub fn compact(s: &mut Surface) {
    let mut index = vec![u32::MAX; s.points.len()];
    let mut points = Vec::new();
    for t in &mut s.triangles {
        for v in t {
            let at = &mut index[*v as usize];
            if *at == u32::MAX {
                *at = points.len() as u32;
                points.push(s.points[*v as usize]);
            }
            *v = *at;
        }
    }
    s.points = points;
}
