//! Repairs as changes of the user's text. What is shown has been read again from the changed text and proved.

use std::collections::BTreeMap;

use fencewright_base::{Meter, Span};
use fencewright_engine::{Bounds, Guarantee, Rejected, Verdict};
use fencewright_frontend::patch::{Edit, Wording, apply_edits, unified_diff, without_fence};
use fencewright_frontend::source::{self, Written};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Program, Site, StatementId};
use fencewright_memory::Model;
use fencewright_report::fix::{Patch, Removal, Replacement};
use fencewright_report::literal::Literal;

use crate::deadline::Question;
use crate::literal;
use crate::load::{Complaints, Input, Reader};
use crate::settings::Search;

/// A file with its repair in it.
pub(crate) struct Rewritten {
    /// The new text.
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) patch: Patch,
    /// What the literal machine says of it.
    pub(crate) literal: Option<Literal>,
}

/// Why there is no such file.
pub(crate) struct Unwritten {
    pub(crate) why: String,
    /// Whether the literal machine violates the changed text, in a way that the lowered program does not have.
    pub(crate) literally: bool,
}

impl Unwritten {
    fn because(why: impl Into<String>) -> Self {
        Self { why: why.into(), literally: false }
    }
}

/// Changes the text of one input, for one model.
pub(crate) struct Writer<'a> {
    pub(crate) search: &'a Search,
    pub(crate) input: &'a Input,
    /// The program that the remedies are of.
    pub(crate) program: &'a Program,
    /// For a compiled language, the place of the text that each of its fence sites is.
    pub(crate) places: &'a BTreeMap<Site, u32>,
    pub(crate) model: Model,
    /// How the text is read again.
    pub(crate) reader: Reader<'a>,
    /// What is then asked of it.
    pub(crate) asked: Box<dyn Fn(Input) -> Result<Input, Complaints> + 'a>,
    /// How fences are written where the user may choose.
    pub(crate) wording: &'a Wording,
    /// A budget for each question.
    pub(crate) meter: Box<dyn Fn() -> Meter + 'a>,
}

impl Writer<'_> {
    /// The file with the remedies, or why it cannot be had.
    pub(crate) fn write(&mut self, remedies: &[Remedy]) -> Result<Result<Rewritten, Unwritten>, Rejected> {
        let Input { file, sources, id, .. } = self.input;
        let edits = match self.edits(remedies) {
            Ok(edits) => edits,
            Err(why) => return Ok(Err(Unwritten::because(why))),
        };
        let old = sources.file(*id).text();
        let text = apply_edits(old, &edits);
        let (verdict, literal) = match self.verdict(&text)? {
            Ok(answer) => answer,
            Err(complaints) => {
                let why = format!("internal error: the patched text does not load:\n{complaints}");
                return Ok(Err(Unwritten::because(why)));
            }
        };
        let why = match verdict {
            Verdict::Holds(guarantee) if is_proof(&guarantee) => {
                let patch =
                    Patch { diff: unified_diff(file, old, &text), parts: self.parts(remedies, &edits) };
                return Ok(Ok(Rewritten { text, edits, patch, literal }));
            }
            Verdict::Violated(_) if *self.wording != Wording::default() => {
                "the texts of --fence-text are not the fences they stand for: the patched text is still violated"
            }
            Verdict::Violated(_) => "internal error: the patched text is still violated",
            Verdict::Holds(_) | Verdict::Unknown(_) => {
                "the patched text could not be proved again within the limits"
            }
        };
        let literally = literal.is_some_and(|literal| literal.execution.is_some());
        Ok(Err(Unwritten { why: why.to_owned(), literally }))
    }

    fn edits(&self, remedies: &[Remedy]) -> Result<Vec<Edit>, String> {
        let Writer { program, places, .. } = self;
        let Input { sources, language, id, .. } = self.input;
        let edits = match language.dialect {
            None => (language.patch)(sources, *id, program, remedies),
            Some(dialect) => {
                let written = Written { dialect, sources, file: *id, places };
                source::patch(written, program, remedies, self.wording)
            }
        };
        edits.map_err(|error| error.to_string())
    }

    /// The edits of each remedy, if they are those of all together; otherwise all are the first one's.
    fn parts(&self, remedies: &[Remedy], whole: &[Edit]) -> Vec<Vec<Replacement>> {
        let alone = |&remedy: &Remedy| self.edits(&[remedy]).ok();
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
        let program = self.program;
        let Input { sources, language, id, .. } = self.input;
        let mut removal = Removal { statement, edits: Vec::new() };
        // Compiled languages have no patcher that takes fences out.
        if language.dialect.is_none()
            && let Some(edits) = without_fence(language, sources, *id, program, statement)
        {
            let mut all = [others, &edits].concat();
            all.sort_by_key(|edit| (edit.range.start, edit.range.end));
            let apart = all.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
            let old = sources.file(*id).text();
            if apart
                && let Ok((Verdict::Holds(Guarantee::Unbounded), _)) =
                    self.verdict(&apply_edits(old, &all))?
            {
                removal.edits = self.replacements(&edits);
            }
        }
        Ok(removal)
    }

    /// What the engine says of a text, and the literal machine, or what is wrong with it as a program.
    fn verdict(&mut self, text: &str) -> Result<Result<(Verdict, Option<Literal>), String>, Rejected> {
        let Input { file, path, language, .. } = self.input;
        let again = self.reader.text(file, path, text.to_owned(), language);
        let again = match again.and_then(&self.asked) {
            Ok(again) => again,
            Err(complaints) => return Ok(Err(complaints.text)),
        };
        let meter = (self.meter)();
        if let Some(reading) = literal::reading_to_ask(&again, self.search) {
            let asked = literal::ask(&again, reading, self.search, self.model, &meter, &|_| ())?;
            return Ok(Ok((asked.answer.verdict, Some(asked.literal))));
        }
        if let Some(refused) = again.refused {
            return Ok(Err(refused.text));
        }
        let (engine, options) = (self.search.engine.engine, self.search.options.clone());
        let question = Question { engine, program: &again.program, model: self.model, options };
        Ok(Ok((question.ask(meter, &|_| ())?.verdict, None)))
    }
}

/// Whether all executions were seen. That threads wait for each other for ever is no property of the lowered program: where the
/// literal machine was too slow to find out, a repair of the others is still one.
pub(crate) fn is_proof(guarantee: &Guarantee) -> bool {
    let but_deadlocks = Bounds { deadlocks: true, ..Bounds::default() };
    match guarantee {
        Guarantee::Unbounded => true,
        Guarantee::UpTo(bounds) => *bounds == but_deadlocks,
    }
}
