//! placeholder
use crate::{Language, Loaded};
use fencewright_base::{Diagnostic, FileId, SourceMap};
/// The language.
pub const LANGUAGE: Language =
    Language { name: "litmus", about: "", extensions: &["litmus"], load, codes: &[] };
fn load(_: &SourceMap, _: FileId) -> Result<Loaded, Vec<Diagnostic>> {
    Err(Vec::new())
}
