//! Bad input, shown in the user's text as rustc shows it.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use fencewright_base::{Diagnostic, FileId, Label, Severity, SourceMap};

use crate::terminal::Style;

/// A diagnostic with the lines of the text it is about.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let Diagnostic { code, severity, message, primary, secondary, help } = diagnostic;
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(message.as_str()).id(code.name));
    let mut files: Vec<FileId> = vec![primary.span.file];
    for label in secondary {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let here = |label: &&Label, file: FileId| label.span.file == file;
    for file in files {
        let source = sources.file(file);
        let mut snippet = Snippet::source(source.text()).path(source.name());
        if here(&primary, file) {
            snippet = snippet.annotation(annotation(AnnotationKind::Primary, primary, source.text()));
        }
        for label in secondary.iter().filter(|label| here(label, file)) {
            snippet = snippet.annotation(annotation(AnnotationKind::Context, label, source.text()));
        }
        group = group.element(snippet);
    }
    if let Some(help) = help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.term_width(style.width).render(&[group]);
    text.push('\n');
    text
}

/// Spans come from front ends; one that does not fit the text is moved into it rather than trusted.
fn annotation<'a>(kind: AnnotationKind, label: &'a Label, text: &str) -> annotate_snippets::Annotation<'a> {
    let inside = |offset: u32| {
        let offset = (offset as usize).min(text.len());
        (0..=offset).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
    };
    let (start, end) = (inside(label.span.start), inside(label.span.end));
    kind.span(start..end.max(start)).label((!label.text.is_empty()).then_some(label.text.as_str()))
}
