//! The engine protocol: one JSON request on stdin, JSON lines on stdout, the last
//! one a result or an error.

use serde_json::{json, Value};
use std::io::Write;

/// A failure of the call, with a code of the catalogue and what to do about it.
#[derive(Debug)]
pub struct Error {
    pub code: &'static str,
    pub message: String,
    pub hint: String,
}

impl Error {
    pub fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error { code, message: message.into(), hint: hint.into() }
    }
}

/// A non-fatal finding.
pub struct Warning {
    pub code: &'static str,
    pub message: String,
}

impl Warning {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Warning { code, message: message.into() }
    }
}

pub fn send(line: &Value) {
    let mut out = std::io::stdout().lock();
    // A closed pipe means that the parent is gone: nobody is left to answer.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

pub fn progress(fraction: f64, message: &str) {
    send(&json!({"type": "progress", "fraction": fraction, "message": message}));
}

pub fn error(e: &Error) {
    send(
        &json!({"type": "error", "code": e.code, "message": e.message, "hint": e.hint, "field": "/file_path"}),
    );
}

pub fn result(output: Value, artifacts: Value, metrics: Value, warnings: &[Warning]) {
    let list: Vec<Value> =
        warnings.iter().map(|w| json!({"code": w.code, "message": w.message})).collect();
    send(
        &json!({"type": "result", "output": output, "artifacts": artifacts, "metrics": metrics, "warnings": list}),
    );
}
