//! Whether a STEP file places its parts: Truck 0.3 reads every part where it was
//! drawn, which is right only when all placements are the identity.

use crate::step::{references, Statements};

/// An axis placement: origin, axis, reference direction.
type Frame = [[f64; 3]; 3];

/// How many placements of the file move, turn or mirror a part.
pub fn count_moving(statements: &Statements) -> usize {
    let moves = |from: &str, to: &str| {
        let frame = |item: &str| frame(statements, *references(item).first()?);
        match (frame(from), frame(to)) {
            (Some(a), Some(b)) => !same(a, b),
            _ => true, // a form that is not known here: better refused than wrong
        }
    };
    let assembly = statements
        .records("ITEM_DEFINED_TRANSFORMATION")
        .filter(|(_, p)| p.len() < 4 || moves(p[2], p[3]))
        .count();
    let mapped = statements.records("MAPPED_ITEM").filter(|(_, p)| {
        let source = p.get(1).and_then(|m| references(m).first().copied());
        match source.and_then(|id| statements.record_of(id, "REPRESENTATION_MAP")) {
            Some(map) if map.len() > 1 && p.len() > 2 => {
                !statements.is_camera(map[0]) && moves(map[0], p[2])
            }
            _ => false, // a camera's view or a symbol, not a part
        }
    });
    assembly + mapped.count()
}

fn same(a: Frame, b: Frame) -> bool {
    let near = |k: usize, scale: f64| (0..3).all(|i| (a[k][i] - b[k][i]).abs() <= 1e-9 * scale);
    let reach = a[0].iter().chain(&b[0]).fold(1.0_f64, |m, x| m.max(x.abs()));
    near(0, reach) && near(1, 1.0) && near(2, 1.0)
}

fn frame(statements: &Statements, id: u64) -> Option<Frame> {
    let parts = statements.record_of(id, "AXIS2_PLACEMENT_3D")?;
    let triple = |item: Option<&&str>, kind: &str, default: [f64; 3]| match item {
        Some(text) if text.starts_with('#') => {
            numbers(statements, *references(text).first()?, kind)
        }
        _ => Some(default),
    };
    let origin = triple(parts.get(1), "CARTESIAN_POINT", [0.0; 3])?;
    let axis = unit(triple(parts.get(2), "DIRECTION", [0.0, 0.0, 1.0])?);
    let x = triple(parts.get(3), "DIRECTION", [1.0, 0.0, 0.0])?;
    // The reference direction counts only as far as it is normal to the axis.
    let along: f64 = (0..3).map(|i| axis[i] * x[i]).sum();
    Some([origin, axis, unit([0, 1, 2].map(|i| x[i] - along * axis[i]))])
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let n = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| if n > 0.0 { x / n } else { x })
}

fn numbers(statements: &Statements, id: u64, kind: &str) -> Option<[f64; 3]> {
    let parts = statements.record_of(id, kind)?;
    let list = parts.get(1)?.trim_start_matches('(').trim_end_matches(')');
    let found: Vec<f64> = list.split(',').filter_map(|x| x.trim().parse().ok()).collect();
    found.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_part_is_seen_and_an_equal_frame_is_not() {
        let text = "#1=CARTESIAN_POINT('',(0.,0.,0.));#2=CARTESIAN_POINT('',(5.,0.,0.));\
            #3=AXIS2_PLACEMENT_3D('',#1,$,$);#4=AXIS2_PLACEMENT_3D('',#2,$,$);\
            #5=DIRECTION('',(0.,0.,2.));#6=AXIS2_PLACEMENT_3D('',#1,#5,$);\
            #7=ITEM_DEFINED_TRANSFORMATION('','',#3,#6);#8=ITEM_DEFINED_TRANSFORMATION('','',#3,#4);";
        assert_eq!(count_moving(&Statements::scan(text)), 1);
    }
}
