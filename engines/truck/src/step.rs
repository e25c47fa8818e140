//! What Truck does not read of a STEP file, found by a small scan of its text:
//! the length unit, which shells make solids, and whether parts are placed.

use std::collections::BTreeMap;

/// The data section's statements: entity number to the text behind `=`.
pub struct Statements(pub BTreeMap<u64, String>);

/// Makes text that Truck's parser accepts: comments become blanks, and an empty
/// list as a parameter, `()`, which it rejects, becomes `$`. Strings stay as they
/// are; bytes that are not UTF-8 are read as Latin-1.
pub fn prepare(raw: &[u8]) -> String {
    let text = match std::str::from_utf8(raw) {
        Ok(t) => t.to_owned(),
        Err(_) => raw.iter().map(|&b| b as char).collect(),
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut last = ' '; // the last character that is not white space
    while let Some(c) = rest.chars().next() {
        if c == '\'' {
            let end = rest[1..].find('\'').map_or(rest.len(), |k| k + 2);
            out.push_str(&rest[..end]);
            (rest, last) = (&rest[end..], '\'');
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |k| k + 2);
            out.push(' ');
            rest = &rest[end..];
        } else if let Some(tail) = empty_list(rest).filter(|_| last == ',' || last == '(') {
            out.push('$');
            (rest, last) = (tail, '$');
        } else {
            if !c.is_whitespace() {
                last = c;
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn empty_list(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.trim_start().strip_prefix(')')
}

impl Statements {
    /// Splits prepared text at the semicolons outside of strings.
    pub fn scan(text: &str) -> Statements {
        let mut found = BTreeMap::new();
        let (mut start, mut quoted) = (0, false);
        for (i, b) in text.bytes().enumerate() {
            match b {
                b'\'' => quoted = !quoted,
                b';' if !quoted => {
                    if let Some((id, body)) = statement(&text[start..i]) {
                        found.insert(id, body);
                    }
                    start = i + 1;
                }
                _ => {}
            }
        }
        Statements(found)
    }

    /// The file's text with every edge on its curve in space. Where an edge names a
    /// curve on a surface, Truck would take the curve in the surface's parameters
    /// and, on many a torus or plane, not come to an end; the same entity holds the
    /// curve in space too.
    pub fn with_space_curves(&self, text: &str) -> String {
        let mut space = BTreeMap::new();
        for kind in ["SURFACE_CURVE", "SEAM_CURVE", "INTERSECTION_CURVE"] {
            for (id, parts) in self.records(kind) {
                if let Some(&curve) =
                    parts.get(1).and_then(|c| references(c).first().copied()).as_ref()
                {
                    space.insert(id, curve);
                }
            }
        }
        let data = text.find("DATA;").map_or(text.len(), |k| k + 5);
        let mut out = text[..data].to_owned();
        for (id, body) in &self.0 {
            let edge = record(body, "EDGE_CURVE").filter(|p| p.len() == 5);
            let curve = edge.as_ref().and_then(|p| references(p[3]).first().copied());
            match (edge, curve.and_then(|c| space.get(&c))) {
                (Some(p), Some(c)) => out.push_str(&format!(
                    "#{id}=EDGE_CURVE({},{},{},#{c},{});\n",
                    p[0], p[1], p[2], p[4]
                )),
                _ => out.push_str(&format!("#{id}={body};\n")),
            }
        }
        out.push_str("ENDSEC;\nEND-ISO-10303-21;\n");
        out
    }

    /// The parameters of the records of this name, each a list of top-level items.
    pub fn records<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, Vec<&'a str>)> + 'a {
        self.0.iter().filter_map(move |(&id, body)| Some((id, record(body, name)?)))
    }

    /// The parameters of the record `name` of one entity.
    pub fn record_of(&self, id: u64, name: &str) -> Option<Vec<&str>> {
        record(self.0.get(&id)?, name)
    }

    /// Whether an item (`#n`) is a camera: what it maps is a view, not a part.
    pub fn is_camera(&self, item: &str) -> bool {
        let body = references(item).first().and_then(|id| self.0.get(id));
        body.is_some_and(|b| b.contains("CAMERA_MODEL"))
    }

    /// The length unit in millimetres, of each unit context of the file.
    pub fn length_units(&self) -> Vec<f64> {
        let mut found = Vec::new();
        for body in self.0.values() {
            let Some(parts) = record(body, "GLOBAL_UNIT_ASSIGNED_CONTEXT") else { continue };
            let refs = parts.first().map(|l| references(l)).unwrap_or_default();
            found.extend(refs.iter().find_map(|&id| self.length_mm(id, 0)));
        }
        found
    }

    fn length_mm(&self, id: u64, depth: u32) -> Option<f64> {
        let body = self.0.get(&id)?;
        record(body, "LENGTH_UNIT")?;
        if let Some(si) = record(body, "SI_UNIT") {
            let prefix = match *si.first()? {
                ".KILO." => 1e3,
                ".DECI." => 1e-1,
                ".CENTI." => 1e-2,
                ".MILLI." => 1e-3,
                ".MICRO." => 1e-6,
                ".NANO." => 1e-9,
                "$" => 1.0,
                _ => return None,
            };
            return (si.get(1) == Some(&".METRE.")).then_some(1e3 * prefix);
        }
        let conversion = record(body, "CONVERSION_BASED_UNIT")?;
        let measure = self.0.get(references(conversion.get(1)?).first()?)?;
        let parts = record(measure, "LENGTH_MEASURE_WITH_UNIT")
            .or_else(|| record(measure, "MEASURE_WITH_UNIT"))?;
        // Written LENGTH_MEASURE(25.4), or plain 25.4 by some exporters.
        let number = parts.first()?.rsplit('(').next()?.trim_end_matches(')').trim();
        let value: f64 = number.parse().ok()?;
        let base = references(parts.get(1)?);
        (depth < 8).then(|| self.length_mm(*base.first()?, depth + 1).map(|mm| value * mm))?
    }
}

fn statement(text: &str) -> Option<(u64, String)> {
    let (id, body) = text.trim().strip_prefix('#')?.split_once('=')?;
    Some((id.trim().parse().ok()?, body.trim().to_owned()))
}

/// The parameters of the record `name` in an entity, simple or complex.
fn record<'a>(body: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let inner = body.strip_prefix('(').unwrap_or(body);
    let mut from = 0;
    loop {
        let at = from + inner[from..].find(name)?;
        let end = at + name.len();
        from = end;
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if inner[..at].chars().next_back().is_some_and(word) || quoted(&inner[..at]) {
            continue;
        }
        if let Some(list) = inner[end..].trim_start().strip_prefix('(') {
            return Some(items(list));
        }
    }
}

fn quoted(before: &str) -> bool {
    before.bytes().filter(|&b| b == b'\'').count() % 2 == 1
}

/// The items up to the parenthesis that closes the list.
fn items(list: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut in_string) = (Vec::new(), 0, 0, false);
    for (i, b) in list.bytes().enumerate() {
        match b {
            b'\'' => in_string = !in_string,
            _ if in_string => {}
            b'(' => depth += 1,
            b')' if depth == 0 => {
                found.push(list[start..i].trim());
                return found;
            }
            b')' => depth -= 1,
            b',' if depth == 0 => {
                found.push(list[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    found
}

/// The entity numbers that a text refers to.
pub fn references(text: &str) -> Vec<u64> {
    text.split('#')
        .skip(1)
        .filter_map(|t| {
            let digits = t.find(|c: char| !c.is_ascii_digit()).unwrap_or(t.len());
            t[..digits].parse().ok()
        })
        .collect()
}

/// A name as STEP writes it, decoded; "" for none.
pub fn name(raw: &str) -> String {
    let mut out = String::new();
    let mut rest = raw.trim().trim_matches('\'');
    while let Some(at) = rest.find("\\X2\\") {
        out.push_str(&rest[..at]);
        let body = &rest[at + 4..];
        let end = body.find("\\X0\\").unwrap_or(body.len());
        let units: Vec<u16> = body.as_bytes()[..end]
            .chunks(4)
            .filter_map(|h| u16::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok())
            .collect();
        out.push_str(&String::from_utf16_lossy(&units));
        rest = body.get(end + 4..).unwrap_or("");
    }
    out.push_str(rest);
    let trimmed = out.trim();
    if trimmed == "NONE" {
        String::new()
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lists_become_dollars_outside_strings_and_records() {
        let text =
            prepare(b"#1=A('it''s ()',(),( ),(#2));/* , () */#2=(LENGTH_UNIT()NAMED_UNIT(*));");
        assert_eq!(text, "#1=A('it''s ()',$,$,(#2)); #2=(LENGTH_UNIT()NAMED_UNIT(*));");
    }

    #[test]
    fn inches_are_found_through_the_conversion() {
        // One inch is 25.4 mm by definition (ISO 80000-3).
        let text = "#1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\
            #2=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#1);\
            #3=(CONVERSION_BASED_UNIT('INCH',#2)LENGTH_UNIT()NAMED_UNIT(#9));\
            #4=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));\
            #5=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#4,#3))REPRESENTATION_CONTEXT('',''));";
        assert_eq!(Statements::scan(text).length_units(), vec![25.4]);
    }

    #[test]
    fn names_are_decoded() {
        assert_eq!(name("'W\\X2\\00FC\\X0\\rfel'"), "Würfel");
        assert_eq!(name("'NONE'"), "");
    }
}
