//! Repairs as changes of the user's text. What is shown has been read again from the changed text and proved.

use fencewright_base::{SourceMap, Span};
use fencewright_engine::{Context, Guarantee, Rejected, Task, Verdict, run as ask};
use fencewright_frontend::patch::{Edit, apply_edits, unified_diff, without_fence};
use fencewright_ir::StatementId;
use fencewright_ir::edit::Remedy;
use fencewright_memory::Model;
use fencewright_report::fix::{Patch, Removal, Replacement};

use crate::load::Input;
use crate::settings::Search;

/// A file with its repair in it.
pub(crate) struct Rewritten {
    /// The new text.
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) patch: Patch,
}

/// Changes the text of one input, for one model.
pub(crate) struct Writer<'a, 'c> {
    pub(crate) search: &'a Search,
    pub(crate) input: &'a Input,
    pub(crate) model: Model,
    pub(crate) context: &'a mut dyn FnMut() -> Context<'c>,
}

impl Writer<'_, '_> {
    /// The file with the remedies, or why it cannot be had.
    pub(crate) fn write(&mut self, remedies: &[Remedy]) -> Result<Result<Rewritten, String>, Rejected> {
        let Input { file, program, sources, language, id, .. } = self.input;
        let edits = match (language.patch)(sources, *id, program, remedies) {
            Ok(edits) => edits,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let old = sources.file(*id).text();
        let text = apply_edits(old, &edits);
        let why = match self.verdict(&text)? {
            Some(Verdict::Holds(Guarantee::Unbounded)) => {
                let patch =
                    Patch { diff: unified_diff(file, old, &text), parts: self.parts(remedies, &edits) };
                return Ok(Ok(Rewritten { text, edits, patch }));
            }
            None => "internal error: the patched text does not load",
            Some(Verdict::Violated(_)) => "internal error: the patched text is still violated",
            Some(Verdict::Holds(Guarantee::UpTo(_)) | Verdict::Unknown(_)) => {
                "the patched text could not be proved again within the limits"
            }
        };
        Ok(Err(why.to_owned()))
    }

    /// The edits of each remedy, if they are those of all together; otherwise all are the first one's.
    fn parts(&self, remedies: &[Remedy], whole: &[Edit]) -> Vec<Vec<Replacement>> {
        let Input { program, sources, language, id, .. } = self.input;
        let alone = |&remedy: &Remedy| (language.patch)(sources, *id, program, &[remedy]).ok();
        let mut parts: Vec<Vec<Edit>> = remedies.iter().map(alone).collect::<Option<_>>().unwrap_or_default();
        let mut together = parts.concat();
        together.sort_by_key(|edit| (edit.range.start, edit.range.end));
        if together != whole {
            parts = vec![Vec::new(); remedies.len()];
            parts[0] = whole.to_vec();
        }
        parts.iter().map(|part| self.replacements(part)).collect()
    }

    fn replacements(&self, edits: &[Edit]) -> Vec<Replacement> {
        let replacement = |edit: &Edit| Replacement {
            span: Span::new(self.input.id, edit.range.start, edit.range.end),
            text: edit.text.clone(),
        };
        edits.iter().map(replacement).collect()
    }

    /// How a fence that is not needed is taken out of the file that gets these edits.
    pub(crate) fn take_out(&mut self, statement: StatementId, others: &[Edit]) -> Result<Removal, Rejected> {
        let Input { program, sources, language, id, .. } = self.input;
        let mut removal = Removal { statement, edits: Vec::new() };
        if let Some(edits) = without_fence(language, sources, *id, program, statement) {
            let mut all = [others, &edits].concat();
            all.sort_by_key(|edit| (edit.range.start, edit.range.end));
            let apart = all.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
            let old = sources.file(*id).text();
            let is_proof = |verdict| verdict == Some(Verdict::Holds(Guarantee::Unbounded));
            if apart && is_proof(self.verdict(&apply_edits(old, &all))?) {
                removal.edits = self.replacements(&edits);
            }
        }
        Ok(removal)
    }

    /// What the engine says of a text; `None` if it is no program.
    fn verdict(&mut self, text: &str) -> Result<Option<Verdict>, Rejected> {
        let mut sources = SourceMap::new();
        let id = sources.add(&self.input.file, text);
        let Ok(loaded) = (self.input.language.load)(&sources, id) else { return Ok(None) };
        let options = self.search.options.clone();
        let task = Task { program: &loaded.program, model: self.model, options };
        Ok(Some(ask(self.search.engine.engine, &task, &mut (self.context)())?.verdict))
    }
}
