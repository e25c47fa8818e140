//! truck-driver imports STEP files with Truck, in Atelier's engine protocol;
//! `truck-driver --version` prints its versions. Truck reads single parts of
//! simple surfaces; what it cannot read right is refused or marked here.

mod codes;
mod import;
mod placement;
mod protocol;
mod shells;
mod step;
mod surface;
mod weld;
mod write;

use protocol::Error;
use serde_json::{json, Value};
use std::io::BufRead;
use std::panic::{catch_unwind, AssertUnwindSafe};

const OCCT_HINT: &str = "Use engine occt, which reads more of STEP.";

fn main() {
    if std::env::args().nth(1).as_deref() == Some("--version") {
        protocol::send(&json!({
            "engine": "truck", "version": env!("CARGO_PKG_VERSION"),
            "libraries": {"truck-stepio": "0.3.0", "truck-meshalgo": "0.4.0", "truck-topology": "0.6.0", "truck-polymesh": "0.6.0"},
        }));
        return;
    }
    if let Ok(threads) = std::env::var("OMP_NUM_THREADS") {
        std::env::set_var("RAYON_NUM_THREADS", threads);
    }
    // Truck recurses deeply on nested curves: the main thread's stack is not enough.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(|| {
        catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|cause| Err(panicked(cause.as_ref())))
    });
    let answer = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(answer)) => answer,
        Ok(Err(cause)) => Err(panicked(cause.as_ref())),
        Err(e) => {
            Err(Error::new(codes::ENGINE_CRASHED, format!("no thread could be started: {e}"), ""))
        }
    };
    if let Err(e) = answer {
        protocol::error(&e);
        std::process::exit(1);
    }
}

fn panicked(cause: &(dyn std::any::Any + Send)) -> Error {
    let text = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("an unknown fault");
    Error::new(
        codes::TESSELLATION_FAILED,
        format!("Truck gave up on this part: {text}."),
        OCCT_HINT,
    )
}

fn serve() -> Result<(), Error> {
    let mut line = String::new();
    let invalid = |what: String| Error::new(codes::INVALID_INPUT, what, "");
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|e| invalid(format!("the request cannot be read: {e}")))?;
    let request: Value = serde_json::from_str(&line)
        .map_err(|e| invalid(format!("the request is not JSON: {e}")))?;
    match request["op"].as_str() {
        Some("import") => import::import(&request),
        other => {
            Err(invalid(format!("the engine truck has no operation {other:?}; it has: import")))
        }
    }
}
