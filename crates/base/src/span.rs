//! Positions in the user's files. A [`Span`] is three numbers; the [`SourceMap`] turns it into lines and text.

use crate::IndexVec;

crate::define_index! {
    /// A file of the [`SourceMap`].
    pub struct FileId = "file";
}

/// A range of bytes in one file. `start <= end`; both lie on character boundaries of the file's text.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let small =
            |n: usize| u32::try_from(n).expect("source files are under 4 GiB (checked by SourceMap::add)");
        Self { file, start: small(start), end: small(end) }
    }

    /// The smallest span that holds both. Both must be of one file.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just behind this one.
    pub fn after(self) -> Span {
        Span { file: self.file, start: self.end, end: self.end }
    }
}

/// Line and column, both from 1; the column counts characters.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One file: its name as the user gave it, its text, and where its lines begin.
#[derive(Debug, Clone)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line (from 1) and column (from 1) of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let offset = (offset as usize).min(self.text.len());
        LineColumn { line: line + 1, column: self.text[start..offset].chars().count() + 1 }
    }

    /// The text of a line (from 1) without its end-of-line.
    pub fn line_text(&self, line: usize) -> &str {
        let start = self.line_starts[line - 1] as usize;
        let end = self.line_starts.get(line).map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// All files a program came from.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: IndexVec<FileId, SourceFile>,
}

impl SourceMap {
    /// No file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Text past 4 GiB cannot be addressed by a [`Span`] and is cut there.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let mut text = text.into();
        if text.len() > u32::MAX as usize {
            let cut = (0..=u32::MAX as usize).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            text.truncate(cut);
        }
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts })
    }

    /// The file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// All files in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter_enumerated()
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        &self.files[span.file].text[span.start as usize..span.end as usize]
    }

    /// Where a span begins.
    pub fn line_column(&self, span: Span) -> LineColumn {
        self.files[span.file].line_column(span.start)
    }

    /// `name:line:column` of where a span begins.
    pub fn location(&self, span: Span) -> String {
        let LineColumn { line, column } = self.line_column(span);
        format!("{}:{line}:{column}", self.files[span.file].name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let mut map = SourceMap::new();
        let file = map.add("a", "ab\ncäd\n");
        let at = |start| map.line_column(Span::new(file, start, start));
        assert_eq!(at(0), LineColumn { line: 1, column: 1 });
        assert_eq!(at(2), LineColumn { line: 1, column: 3 });
        assert_eq!(at(3), LineColumn { line: 2, column: 1 });
        assert_eq!(at(6), LineColumn { line: 2, column: 3 }, "ä is two bytes and one column");
        assert_eq!(at(8), LineColumn { line: 3, column: 1 });
        assert_eq!(map.file(file).line_text(2), "cäd");
        assert_eq!(map.file(file).line_text(3), "");
    }
}
