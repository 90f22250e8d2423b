//! `models` and `engines`: what can be named on the command line.

use fencewright_memory::Model;

use crate::{ENGINES, Exit, World};

pub(crate) fn models(world: &mut World<'_>) -> Exit {
    table(world, Model::ALL.iter().map(|model| (model.name(), model.about())))
}

pub(crate) fn engines(world: &mut World<'_>) -> Exit {
    table(world, ENGINES.iter().map(|row| (row.engine.name(), row.engine.about())))
}

fn table(world: &mut World<'_>, rows: impl Iterator<Item = (&'static str, &'static str)> + Clone) -> Exit {
    let width = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let text: String = rows.map(|(name, about)| format!("{name:<width$}  {about}\n")).collect();
    world.print(&text);
    Exit::Proved
}
