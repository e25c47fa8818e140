//! A triangle surface with face ids, its checks and its figures.

use std::collections::HashMap;

pub type Vec3 = [f64; 3];

#[derive(Default, Clone)]
pub struct Surface {
    pub points: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub face: Vec<u32>, // per triangle, 1-based face id
}

/// How the undirected edges of some triangles are shared.
#[derive(Default, Clone, Copy)]
pub struct Edges {
    pub boundary: usize,
    pub non_manifold: usize,
}

impl Edges {
    pub fn closed(self) -> bool {
        self.boundary == 0 && self.non_manifold == 0
    }
}

pub fn minus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

impl Surface {
    /// Edges of the triangles `first..last`; closed means that each is used twice,
    /// once in each direction.
    pub fn edges(&self, first: usize, last: usize) -> Edges {
        let mut uses: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
        for t in &self.triangles[first..last] {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                let entry = uses.entry((a.min(b), a.max(b))).or_default();
                if a < b {
                    entry.0 += 1
                } else {
                    entry.1 += 1
                }
            }
        }
        let mut count = Edges::default();
        for &use_ in uses.values() {
            match use_ {
                (1, 1) => {}
                (1, 0) | (0, 1) => count.boundary += 1,
                _ => count.non_manifold += 1,
            }
        }
        count
    }

    /// The signed volume by the divergence theorem.
    pub fn volume(&self, first: usize, last: usize) -> f64 {
        let Some(t) = self.triangles[first..last].first() else { return 0.0 };
        let origin = self.points[t[0] as usize];
        let corner = |v: u32| minus(self.points[v as usize], origin);
        let six: f64 = self.triangles[first..last]
            .iter()
            .map(|t| dot(corner(t[0]), cross(corner(t[1]), corner(t[2]))))
            .sum();
        six / 6.0
    }

    pub fn triangle_area(&self, t: usize) -> f64 {
        let [a, b, c] = self.triangles[t].map(|v| self.points[v as usize]);
        norm(cross(minus(b, a), minus(c, a))) / 2.0
    }

    pub fn area(&self, first: usize, last: usize) -> f64 {
        (first..last).map(|t| self.triangle_area(t)).sum()
    }

    /// The box of all points; zero without any.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        bounds(self.points.iter().copied())
    }

    pub fn flip(&mut self, first: usize, last: usize) {
        for t in &mut self.triangles[first..last] {
            t.swap(1, 2);
        }
    }
}

pub fn bounds(points: impl Iterator<Item = Vec3>) -> (Vec3, Vec3) {
    let mut out: Option<(Vec3, Vec3)> = None;
    for p in points {
        let (lo, hi) = out.get_or_insert((p, p));
        for k in 0..3 {
            lo[k] = lo[k].min(p[k]);
            hi[k] = hi[k].max(p[k]);
        }
    }
    out.unwrap_or_default()
}
