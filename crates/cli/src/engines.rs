//! The engines a user can name. The one place that knows them.

use fencewright_engine::{Engine, OutcomeEngine};
use fencewright_engine_explicit::Explicit;

/// An engine and its abilities.
pub struct EngineRow {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// The same, if it can give the set of outcomes of a litmus test.
    pub outcomes: Option<&'static dyn OutcomeEngine>,
}

/// All engines. The first is the default.
pub static ENGINES: &[EngineRow] = &[EngineRow { engine: &Explicit, outcomes: Some(&Explicit) }];

impl EngineRow {
    /// The engine of that name.
    pub fn by_name(name: &str) -> Option<&'static EngineRow> {
        ENGINES.iter().find(|row| row.engine.name() == name)
    }
}

impl std::fmt::Debug for EngineRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.engine.name())
    }
}
